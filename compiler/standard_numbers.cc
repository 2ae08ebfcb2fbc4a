#include "compiler/standard_numbers.h"

#include <utility>

#include "grammar/base/decimal.h"

namespace maskloom {
namespace {

// All states of most models; of integers those that few digits lead to.
constexpr uint32_t kExploredStates = 400;

uint32_t DefaultDigits() { return StylePolicy().max_digits; }

// Has `node` no conditions but a lower bound and a spelling?
bool HasLowerBoundAtMost(const NumberNode& node) {
  return !node.upper && !node.one_of && node.none_of.empty() && node.multiples_of.empty() &&
         node.no_multiples_of.empty();
}

// The lower bounds of models, but for the first, which has none.
const std::array<Decimal, 2>& LowerBounds() {
  static const std::array<Decimal, 2> bounds{*Decimal::Parse("0"), *Decimal::Parse("1")};
  return bounds;
}

}  // namespace

bool IsFreeNumber(const NumberNode& node) {
  return node.spelling == NumberNode::Spelling::kAny && !node.lower && HasLowerBoundAtMost(node);
}

NumberNode StandardNumbers::NodeOf(size_t model) {
  const size_t kind = model / kBounds;
  const size_t bound = model % kBounds;
  NumberNode node;
  node.integer = kind == 1;
  if (kind == 2) node.spelling = NumberNode::Spelling::kPlain;
  if (bound > 0) node.lower = NumberBound{LowerBounds()[bound - 1], false};
  return node;
}

std::optional<size_t> StandardNumbers::ModelOf(const NumberNode& node) {
  const bool is_plain = node.spelling == NumberNode::Spelling::kPlain;
  const bool is_any = node.spelling == NumberNode::Spelling::kAny;
  if (!HasLowerBoundAtMost(node) || !(is_any || (is_plain && !node.integer))) return std::nullopt;
  const size_t first = (is_plain ? 2 : node.integer ? 1 : 0) * kBounds;
  if (!node.lower) return first;
  for (size_t i = 0; i < LowerBounds().size() && !node.lower->exclusive; ++i) {
    if (node.lower->value == LowerBounds()[i]) return first + 1 + i;
  }
  return std::nullopt;
}

StandardNumbers::StandardNumbers(const std::bitset<256>& spellable) : spellable_(spellable) {
  for (size_t model = 0; model < models_.size(); ++model) {
    auto made = NumberAutomaton::Create(NodeOf(model), DefaultDigits(), spellable_);
    if (!made.ok() || (*made)->empty()) continue;
    (*made)->Explore(kExploredStates);
    models_[model] = std::move(*made);
  }
}

Result<std::unique_ptr<NumberAutomaton>> StandardNumbers::Make(const NumberNode& node,
                                                               uint32_t max_digits) const {
  if (max_digits == DefaultDigits()) {
    const std::optional<size_t> model = ModelOf(node);
    if (model && models_[*model] != nullptr) return NumberAutomaton::From(models_[*model]);
  }
  return NumberAutomaton::Create(node, max_digits, spellable_);
}

size_t StandardNumbers::MemoryBytes() const {
  size_t total = 0;
  for (const Model& model : models_) total += model == nullptr ? 0 : model->memory_bytes();
  return total;
}

}  // namespace maskloom
