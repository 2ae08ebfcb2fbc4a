// Budgets: how much work a definition may cost before it is refused, and how tests lower them all.
#pragma once

#include <algorithm>
#include <cstdint>

namespace maskloom {

// What the budgets of this thread are divided by; 1 but for tests.
uint32_t& BudgetDivisor();

// Returns the budget that holds now, where `budget` is the one that the code documents.
template <typename T>
T Budget(T budget) {
  return std::max<T>(1, static_cast<T>(budget / static_cast<T>(BudgetDivisor())));
}

// Divides all budgets of the thread by `divisor` as long as it lives. What compiles meanwhile is to
// be used meanwhile only: parts of the run time keep to the budgets that admission checked.
// Automata that are built once for the process (those of formats) are best built before.
class ScopedBudgetDivisor {
 public:
  explicit ScopedBudgetDivisor(uint32_t divisor) : before_(BudgetDivisor()) {
    BudgetDivisor() = divisor;
  }
  ~ScopedBudgetDivisor() { BudgetDivisor() = before_; }
  ScopedBudgetDivisor(const ScopedBudgetDivisor&) = delete;
  ScopedBudgetDivisor& operator=(const ScopedBudgetDivisor&) = delete;

 private:
  uint32_t before_;
};

}  // namespace maskloom
