// The divisor of a thread.
#include "grammar/base/budget.h"

namespace maskloom {

uint32_t& BudgetDivisor() {
  thread_local uint32_t divisor = 1;
  return divisor;
}

}  // namespace maskloom
