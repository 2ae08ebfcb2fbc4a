#include "runtime/device/name_masks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "compiler/mask_cache.h"
#include "kernels/steps/named_list.h"

namespace maskloom {
namespace {

// Fewer names have masks for each set of them.
constexpr int kFewestNames = 3;

bool IsBeforeKey(const Frame& frame) {
  return frame.kind == FrameKind::kObject &&
         (frame.phase == Phase::kComma || frame.phase == Phase::kKey);
}

int ToldCount(const kernels::WordRegisters& registers) {
  int count = 0;
  for (const uint32_t names : registers.told) count += std::popcount(names);
  return count;
}

// Returns `item` where the object has seen `seen`.
Item WithNames(const FrameRegisters& frames, const Item& item, uint64_t seen) {
  std::array<uint32_t, kernels::kMostNameCells> cells;
  for (uint32_t i = 0; i < cells.size(); ++i) cells[i] = FrameRegisters::NamesIn(seen, i);
  Item other = item;
  other.frame = frames.WithCells(item.frame, cells.data());
  return other;
}

}  // namespace

size_t NameMasks::AddNames(const CompiledGrammar& grammar, const Item& item, uint64_t name) {
  MaskCache::Reader masks(grammar.masks());
  const ItemMask& mask = masks.Find(item);
  size_t count = 0;
  const auto add = [&](TokenId id) {
    ++count;
    if (names_[id] == 0) touched_.push_back(id);
    names_[id] |= name;
  };
  for (const TokenId id : mask.exceptions()) add(id);
  for (uint32_t word = 0; mask.base != nullptr && word < grammar.vocabulary().row_words(); ++word) {
    for (uint32_t bits = mask.base[word]; bits != 0; bits &= bits - 1) {
      add(32 * word + static_cast<uint32_t>(std::countr_zero(bits)));
    }
  }
  return count;
}

bool NameMasks::Find(const CompiledGrammar& grammar, const FrameRegisters& frames,
                     const kernels::WordRegisters& registers, const Item& item,
                     const std::function<void(Items)>& visit) {
  if (!IsBeforeKey(item.frame) || ToldCount(registers) < kFewestNames) return false;
  if (!frames.IsByNames(item.frame)) return false;
  names_.resize(size_t{grammar.vocabulary().row_words()} * 32);
  touched_.clear();
  const uint64_t allowed = frames.AllowedNames(item.frame);
  uint64_t live = 0;
  for (uint64_t left = allowed; left != 0; left &= left - 1) {
    const uint64_t name = left & (~left + 1);
    const Item one = WithNames(frames, item, allowed & ~name);
    if (!frames.IsLive(one.frame)) continue;
    live |= name;
    visit(Items(&one, 1));
    AddNames(grammar, one, name);
  }
  // None that some name lets come is missing where all are left, and none is more.
  const size_t by_names = touched_.size();
  const Item all = WithNames(frames, item, 0);
  visit(Items(&all, 1));
  const bool holds =
      live != 0 && AddNames(grammar, all, 0) == by_names && touched_.size() == by_names;
  std::sort(touched_.begin(), touched_.end());
  always_.clear();
  ids_.clear();
  for (const TokenId id : touched_) {
    const uint64_t names = std::exchange(names_[id], 0);
    if (names == live) {
      always_.push_back(id);
    } else {
      ids_.push_back({id, names});
    }
  }
  return holds && ids_.size() <= kernels::kMostListIds;
}

}  // namespace maskloom
