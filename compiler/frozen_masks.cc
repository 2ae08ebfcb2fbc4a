#include "compiler/frozen_masks.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace maskloom {
namespace {

// Returns the slot of `hash` and `key`, or the free one where they would stand.
// Requires: some slot is free.
size_t SlotOf(const FrozenMasks& masks, std::span<const uint32_t> slots, uint64_t hash,
              std::span<const uint64_t> key) {
  size_t slot = hash & (slots.size() - 1);
  for (; slots[slot] != 0; slot = (slot + 1) & (slots.size() - 1)) {
    const FrozenMasks::Entry& entry = masks.entries()[slots[slot] - 1];
    const std::span<const uint64_t> words = masks.KeyOf(entry);
    if (entry.hash == hash && std::equal(words.begin(), words.end(), key.begin(), key.end())) break;
  }
  return slot;
}

constexpr size_t kFirstSlots = 64;

}  // namespace

void FrozenMasks::Bind(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows) {
  machine_ = &machine;
  vocabulary_ = &vocabulary;
  base_rows_ = rows;
  for (Row& row : rows_) {
    if (row.kind == RowKind::kRegion) {
      row.base = rows->Adopt(row.categories, row.length, std::move(row.words), row.count);
    } else if (row.kind == RowKind::kOther) {
      row.base = {rows->NewId(), std::as_const(row.words).data(), row.count};
    }
  }
}

const FrozenMasks::Entry* FrozenMasks::Find(const MaskKey& key) const {
  if (entries_.empty()) return nullptr;
  const uint32_t number = slots_[SlotOf(*this, slots_, key.hash(), key.words())];
  return number == 0 ? nullptr : &entries_[number - 1];
}

MaskBase FrozenMasks::BaseOf(const Row& row) const {
  switch (row.kind) {
    case RowKind::kOther:
    case RowKind::kRegion:
      return row.base;
    case RowKind::kString:
      return vocabulary_->strings(machine_->string_coding()).Stay();
    case RowKind::kShortString:
      return vocabulary_->strings(machine_->string_coding()).AtMost(row.length);
    case RowKind::kSpace:
      return vocabulary_->spaces().Find(machine_->style(), static_cast<uint16_t>(row.length));
    case RowKind::kAnyMember:
      return vocabulary_->standard_walks(machine_->style()).member_row();
    case RowKind::kDigits:
      return base_rows_->DigitsRow();
  }
  return {};
}

ItemMask FrozenMasks::MaskOf(const Entry& entry) const {
  ItemMask mask;
  if (entry.row != 0) {
    MaskBase base = BaseOf(rows_[entry.row - 1]);
    mask.base_id = base.id;
    mask.base = base.row;
    mask.base_owner = std::move(base.owner);
  }
  const TokenId* additions = additions_.data() + entry.additions_begin;
  mask.additions.assign(additions, additions + entry.additions_size);
  mask.allowed_count = entry.allowed_count;
  mask.depth = entry.depth;
  return mask;
}

FrozenMasks::Row MaskFreezer::NameRow(const ItemMask& mask, uint64_t first_key_word) const {
  using Kind = FrozenMasks::RowKind;
  FrozenMasks::Row row;
  const StringIndex& strings = vocabulary_.strings(machine_.string_coding());
  const auto is = [&](const MaskBase& base) { return base.row == mask.base; };
  const auto named = [&](Kind kind, uint32_t length) {
    row.kind = kind;
    row.length = length;
    return row;
  };
  if (is(strings.Stay())) return named(Kind::kString, 0);
  for (uint32_t length = 0; length <= StringIndex::kMaxLengthRow; ++length) {
    if (is(strings.AtMost(length))) return named(Kind::kShortString, length);
  }
  if (vocabulary_.categories().digits_row() == mask.base) return named(Kind::kDigits, 0);
  if (is(vocabulary_.standard_walks(machine_.style()).member_row())) {
    return named(Kind::kAnyMember, 0);
  }
  const uint16_t space = MaskKey::SpaceOf(first_key_word);
  const StylePolicy::Whitespace whitespace = machine_.style().whitespace;
  const bool has_space_rows = whitespace == StylePolicy::Whitespace::kFlexible ||
                              whitespace == StylePolicy::Whitespace::kAny;
  if (has_space_rows && is(vocabulary_.spaces().Find(machine_.style(), space))) {
    return named(Kind::kSpace, space);
  }
  if (const auto region = base_rows_.RegionOf(mask.base)) {
    row.kind = Kind::kRegion;
    row.categories = region->first;
    row.length = region->second;
  }
  row.words = std::vector<uint32_t>(mask.base, mask.base + vocabulary_.row_words());
  for (const uint32_t word : std::as_const(row.words)) row.count += std::popcount(word);
  return row;
}

uint32_t MaskFreezer::RowOf(const ItemMask& mask, uint64_t first_key_word) {
  if (mask.base == nullptr) return 0;
  const auto known = row_numbers_.find(mask.base);
  if (known != row_numbers_.end()) return known->second;
  frozen_.rows_.push_back(NameRow(mask, first_key_word));
  const auto number = static_cast<uint32_t>(frozen_.rows_.size());
  row_numbers_[mask.base] = number;
  return number;
}

void MaskFreezer::Add(uint64_t hash, std::span<const uint64_t> key, bool deeper,
                      const ItemMask& mask) {
  FrozenMasks& f = frozen_;
  const size_t count = std::as_const(f.entries_).size();
  if (2 * (count + 1) > f.slots_.size()) {
    f.slots_.assign(std::max(kFirstSlots, 2 * f.slots_.size()), 0);
    for (uint32_t i = 0; i < count; ++i) {
      const FrozenMasks::Entry& entry = std::as_const(f.entries_)[i];
      f.slots_[SlotOf(f, f.slots_, entry.hash, f.KeyOf(entry))] = i + 1;
    }
  }
  uint32_t& slot = f.slots_[SlotOf(f, f.slots_, hash, key)];
  if (slot != 0) return;
  FrozenMasks::Entry entry{};
  entry.hash = hash;
  entry.key_begin = static_cast<uint32_t>(f.keys_.size());
  entry.key_size = static_cast<uint32_t>(key.size());
  f.keys_.append(key.begin(), key.end());
  entry.deeper = deeper;
  entry.additions_begin = static_cast<uint32_t>(f.additions_.size());
  if (!deeper) {
    const std::span<const TokenId> exceptions = mask.exceptions();
    entry.additions_size = static_cast<uint32_t>(exceptions.size());
    f.additions_.append(exceptions.begin(), exceptions.end());
    entry.row = RowOf(mask, key.front());
    entry.allowed_count = mask.allowed_count;
    entry.depth = mask.depth;
  }
  f.entries_.push_back(entry);
  slot = static_cast<uint32_t>(f.entries_.size());
}

FrozenMasks MaskFreezer::Finish() {
  row_numbers_.clear();
  return std::exchange(frozen_, {});
}

}  // namespace maskloom
