#include "tests/compiler/conditions/machine_walk.h"

#include <algorithm>

#include "compiler/completion.h"
#include "compiler/machine.h"
#include "compiler/mask_cache.h"

namespace maskloom::conditions {

MachineWalk::MachineWalk(std::shared_ptr<const CompiledGrammar> grammar)
    : grammar_(std::move(grammar)) {
  stepper_.Bind(grammar_->machine(), &arena_);
  stepper_.Start(&items_);
}

bool MachineWalk::Allows(std::string_view bytes) {
  std::vector<Item> items = items_;
  size_t begin = 0;
  for (const char byte : bytes) {
    const size_t end = items.size();
    if (!stepper_.Step(&items, begin, end, static_cast<uint8_t>(byte))) return false;
    begin = end;
  }
  return true;
}

bool MachineWalk::Take(std::string_view bytes) {
  for (const char byte : bytes) {
    const size_t end = items_.size();
    if (!stepper_.Step(&items_, 0, end, static_cast<uint8_t>(byte))) return false;
    items_.erase(items_.begin(), items_.begin() + static_cast<ptrdiff_t>(end));
  }
  return true;
}

bool MachineWalk::IsAccepting() const {
  return std::any_of(items_.begin(), items_.end(),
                     [&](const Item& item) { return IsAcceptingItem(grammar_->machine(), item); });
}

std::vector<bool> MachineWalk::Mask() const {
  std::vector<bool> bits(grammar_->vocabulary().size());
  MaskCache::Reader masks(grammar_->masks());
  for (const Item& item : items_) {
    const ItemMask& mask = masks.Find(item);
    for (TokenId id = 0; id < bits.size() && mask.base != nullptr; ++id) {
      if (mask.base[id / 32] >> (id % 32) & 1) bits[id] = true;
    }
    for (const TokenId id : mask.exceptions()) bits[id] = true;
  }
  return bits;
}

std::vector<std::string> MachineWalk::Completions() const {
  std::vector<std::string> texts;
  for (const Item& item : items_) texts.push_back(CompletionFrom(grammar_->machine(), item));
  return texts;
}

}  // namespace maskloom::conditions
