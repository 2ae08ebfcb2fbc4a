#include "compiler/standard_numbers.h"

#include <utility>

namespace maskloom {
namespace {

// All states of numbers; those of integers that few digits lead to.
constexpr uint32_t kExploredStates = 1000;

uint32_t DefaultDigits() { return StylePolicy().max_digits; }

NumberNode FreeNumber(bool integer) {
  NumberNode node;
  node.integer = integer;
  return node;
}

}  // namespace

bool IsFreeNumber(const NumberNode& node) {
  return node.spelling == NumberNode::Spelling::kAny && !node.lower && !node.upper &&
         !node.one_of && node.none_of.empty() && node.multiples_of.empty() &&
         node.no_multiples_of.empty();
}

StandardNumbers::StandardNumbers(const std::bitset<256>& spellable)
    : spellable_(spellable),
      number_(Explored(FreeNumber(false))),
      integer_(Explored(FreeNumber(true))) {}

StandardNumbers::Model StandardNumbers::Explored(const NumberNode& node) const {
  auto made = NumberAutomaton::Create(node, DefaultDigits(), spellable_);
  if (!made.ok() || (*made)->empty()) return nullptr;
  (*made)->Explore(kExploredStates);
  return std::move(*made);
}

Result<std::unique_ptr<NumberAutomaton>> StandardNumbers::Make(const NumberNode& node,
                                                               uint32_t max_digits) const {
  if (max_digits == DefaultDigits() && IsFreeNumber(node)) {
    const Model& model = node.integer ? integer_ : number_;
    if (model != nullptr) return NumberAutomaton::From(model);
  }
  return NumberAutomaton::Create(node, max_digits, spellable_);
}

size_t StandardNumbers::MemoryBytes() const {
  return (number_ == nullptr ? 0 : number_->memory_bytes()) +
         (integer_ == nullptr ? 0 : integer_->memory_bytes());
}

}  // namespace maskloom
