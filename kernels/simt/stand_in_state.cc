#include "kernels/simt/stand_in_state.h"

#include <utility>

namespace simt {

StandInState& State() {
  static auto* state = new StandInState;
  return *state;
}

std::map<std::string, Traffic> TakeTraffic() {
  std::lock_guard lock(State().mutex);
  return std::exchange(State().traffic, {});
}

CopyTraffic TakeCopyTraffic() {
  std::lock_guard lock(State().mutex);
  return std::exchange(State().copies, {});
}

void SetChecks(const Checks& checks) {
  std::lock_guard lock(State().mutex);
  State().checks = checks;
}

}  // namespace simt
