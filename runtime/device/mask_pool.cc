#include "runtime/device/mask_pool.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>

#include "compiler/checksum.h"
#include "compiler/machine.h"
#include "compiler/mask_cache.h"
#include "compiler/stepper.h"

namespace maskloom {
namespace {

constexpr size_t kLeastSlots = 4;
// Lists are put into blocks of 1 << size class ids; the smallest holds one more than can be sent.
constexpr uint32_t kFirstSizeClass = 4;
constexpr size_t kLongestList = 0xFFFF;

uint64_t ChecksumOf(const uint32_t* row, size_t words) {
  return Checksum(std::as_bytes(std::span(row, words)));
}

bool IsAccepting(const CompiledGrammar& grammar, Items items) {
  return std::any_of(items.begin(), items.end(),
                     [&](const Item& item) { return IsAcceptingItem(grammar.machine(), item); });
}

}  // namespace

size_t MaskPool::HashKey::operator()(const std::vector<uint64_t>& key) const {
  uint64_t hash = 0x243F6A8885A308D3u;
  for (const uint64_t word : key) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

Result<std::unique_ptr<MaskPool>> MaskPool::Create(const VocabularyIndex& vocabulary,
                                                   DeviceMemory* memory, size_t bytes) {
  const size_t row_bytes = size_t{vocabulary.row_words()} * 4;
  const size_t slots = std::min<size_t>(bytes / row_bytes, 0xFFFFFFFFu / vocabulary.row_words());
  if (slots < kLeastSlots) {
    return Status(StatusCode::kResourceLimit, "a pool of masks needs room for " +
                                                  std::to_string(kLeastSlots) + " rows of " +
                                                  std::to_string(row_bytes) + " bytes");
  }
  auto* words = static_cast<uint32_t*>(memory->Allocate(slots * row_bytes));
  if (words == nullptr) {
    return Status(StatusCode::kResourceLimit,
                  "no room for a pool of masks of " + std::to_string(slots * row_bytes) + " bytes");
  }
  return std::unique_ptr<MaskPool>(
      new MaskPool(vocabulary, memory, words, static_cast<uint32_t>(slots)));
}

MaskPool::MaskPool(const VocabularyIndex& vocabulary, DeviceMemory* memory, uint32_t* words,
                   uint32_t slot_count)
    : vocabulary_(vocabulary),
      memory_(*memory),
      words_(words),
      row_words_(vocabulary.row_words()),
      slot_count_(slot_count),
      open_(33),
      row_(vocabulary.row_words()) {}

std::optional<kernels::RowMask> MaskPool::Place(const CompiledGrammar& grammar, Items items,
                                                std::vector<uint32_t>* sent) {
  kernels::RowMask mask;
  if (!items.empty()) {
    MakeKey(grammar, items);
    auto found = known_.find(key_);
    if (found == known_.end() || !Touch(found->second.row) || !Touch(found->second.lists)) {
      std::optional<PooledMask> composed = Compose(grammar, items);
      if (!composed) return std::nullopt;
      if (known_.size() >= forget_at_) ForgetStale();
      found = known_.insert_or_assign(key_, std::move(*composed)).first;
    }
    const PooledMask& known = found->second;
    mask.slot = known.row.slot;
    mask.list_begin = known.list_begin;
    mask.list_count = known.list_count;
    mask.sent_count = static_cast<uint16_t>(known.few.size());
    mask.sent_begin = static_cast<uint32_t>(sent->size());
    sent->insert(sent->end(), known.few.begin(), known.few.end());
  }
  ++traffic_.rows;
  traffic_.sent_bytes += sizeof(mask) + size_t{mask.sent_count} * 4;
  return mask;
}

std::optional<kernels::RowMask> MaskPool::Keep(const CompiledGrammar& grammar, Items items) {
  if (kept_slots_ + 2 > most_kept_) return std::nullopt;
  return KeepJoined(Join(grammar, items));
}

std::optional<kernels::RowMask> MaskPool::KeepIds(std::span<const uint32_t> ids) {
  if (kept_slots_ + 2 > most_kept_) return std::nullopt;
  ids_.assign(ids.begin(), ids.end());
  return KeepJoined(MoveLongList(nullptr));
}

std::optional<kernels::RowMask> MaskPool::KeepJoined(const uint32_t* row) {
  kernels::RowMask mask;
  PooledMask placed;
  if (row != nullptr && !PutRow(row, &placed.row)) return std::nullopt;
  if (!ids_.empty() && !PutList(&placed)) return std::nullopt;
  mask.slot = placed.row.slot;
  mask.list_begin = placed.list_begin;
  mask.list_count = placed.list_count;
  if (mask.slot != kernels::kNoSlot) CountKept(mask.slot, 1);
  if (mask.list_count > 0) CountKept(mask.list_begin / row_words_, 1);
  return mask;
}

void MaskPool::Release(const kernels::RowMask& kept) {
  if (kept.slot != kernels::kNoSlot) CountKept(kept.slot, -1);
  if (kept.list_count > 0) CountKept(kept.list_begin / row_words_, -1);
}

void MaskPool::CountKept(uint32_t slot, int32_t change) {
  uint32_t& count = slots_[slot].kept_count;
  kept_slots_ -= count > 0;
  count += static_cast<uint32_t>(change);
  kept_slots_ += count > 0;
}

void MaskPool::MakeKey(const CompiledGrammar& grammar, Items items) {
  key_.clear();
  MaskCache::Reader masks(grammar.masks());
  for (const Item& item : items) key_.push_back(masks.Find(item).id);
  key_.push_back(IsAccepting(grammar, items));
}

bool MaskPool::Touch(const PoolSpot& spot) {
  if (spot.slot == kernels::kNoSlot) return true;
  Slot& slot = slots_[spot.slot];
  if (slot.generation != spot.generation) return false;
  slot.last_step = step_;
  return true;
}

std::optional<PooledMask> MaskPool::Compose(const CompiledGrammar& grammar, Items items) {
  const uint32_t* row = Join(grammar, items);
  PooledMask mask;
  if (row != nullptr && !PutRow(row, &mask.row)) return std::nullopt;
  if (ids_.size() <= kMostSent) {
    mask.few = ids_;
  } else if (!PutList(&mask)) {
    return std::nullopt;
  }
  return mask;
}

const uint32_t* MaskPool::Join(const CompiledGrammar& grammar, Items items) {
  ids_.clear();
  key_.clear();
  const uint32_t* row = nullptr;
  MaskCache::Reader masks(grammar.masks());
  for (const Item& item : items) {
    // What is not kept stays where it is only until the next one is asked for.
    const ItemMask& mask = masks.Find(item);
    key_.push_back(mask.id);
    ids_.insert(ids_.end(), mask.exceptions().begin(), mask.exceptions().end());
    if (mask.base == nullptr) continue;
    if (row == nullptr) std::fill(row_.begin(), row_.end(), 0u);
    row = row_.data();
    for (uint32_t word = 0; word < row_words_; ++word) row_[word] |= mask.base[word];
  }
  key_.push_back(IsAccepting(grammar, items));
  if (key_.back() != 0) {
    const auto ends = vocabulary_.vocabulary().end_tokens();
    ids_.insert(ids_.end(), ends.begin(), ends.end());
  }
  if (items.size() > 1) {
    LeaveOutTwins(row);
  } else {
    std::sort(ids_.begin(), ids_.end());
  }
  return MoveLongList(row);
}

const uint32_t* MaskPool::MoveLongList(const uint32_t* row) {
  if (ids_.size() <= std::min<size_t>(row_words_, kLongestList)) return row;
  if (row == nullptr) std::fill(row_.begin(), row_.end(), 0u);
  for (const uint32_t id : ids_) row_[id / 32] |= 1u << (id % 32);
  ids_.clear();
  return row_.data();
}

void MaskPool::LeaveOutTwins(const uint32_t* row) {
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
  if (row == nullptr) return;
  std::erase_if(ids_, [&](uint32_t id) { return (row[id / 32] >> (id % 32) & 1) != 0; });
}

bool MaskPool::PutRow(const uint32_t* row, PoolSpot* spot) {
  const uint64_t checksum = ChecksumOf(row, row_words_);
  if (const auto found = rows_.find(checksum); found != rows_.end()) {
    const Slot& slot = slots_[found->second];
    if (slot.use == Use::kRow && slot.checksum == checksum &&
        std::equal(row, row + row_words_, slot.copy.get())) {
      *spot = {found->second, slot.generation};
      return Touch(*spot);
    }
  }
  if (!TakeSlot(Use::kRow, spot)) return false;
  Slot& slot = slots_[spot->slot];
  slot.checksum = checksum;
  std::copy_n(row, row_words_, slot.copy.get());
  rows_[checksum] = spot->slot;
  Upload(uint64_t{spot->slot} * row_words_, row, row_words_);
  return true;
}

bool MaskPool::PutList(PooledMask* mask) {
  const auto count = static_cast<uint32_t>(ids_.size());
  const uint64_t checksum = ChecksumOf(ids_.data(), count);
  const auto found = lists_.find(checksum);
  if (found != lists_.end() && IsListAt(found->second)) {
    mask->lists = found->second.lists;
    mask->list_begin = found->second.list_begin;
    mask->list_count = found->second.list_count;
    return true;
  }
  const uint32_t size_class = std::max<uint32_t>(kFirstSizeClass, std::bit_width(count - 1));
  const uint32_t size = std::min(1u << size_class, row_words_);
  OpenSlot& open = open_[size_class];
  if (open.spot.slot == kernels::kNoSlot || open.used + size > row_words_ || !Touch(open.spot)) {
    if (!TakeSlot(Use::kLists, &open.spot)) {
      open.spot = {};
      return false;
    }
    open.used = 0;
  }
  mask->lists = open.spot;
  mask->list_begin = open.spot.slot * row_words_ + open.used;
  mask->list_count = static_cast<uint16_t>(count);
  std::copy(ids_.begin(), ids_.end(), slots_[open.spot.slot].copy.get() + open.used);
  open.used += size;
  Upload(mask->list_begin, ids_.data(), count);
  if (lists_.size() >= forget_lists_at_) ForgetLists();
  lists_[checksum] = *mask;
  return true;
}

bool MaskPool::IsListAt(const PooledMask& mask) {
  if (mask.list_count != ids_.size() || !Touch(mask.lists)) return false;
  const uint32_t* copy = slots_[mask.lists.slot].copy.get();
  return std::equal(ids_.begin(), ids_.end(), copy + mask.list_begin % row_words_);
}

void MaskPool::ForgetLists() {
  for (auto it = lists_.begin(); it != lists_.end();) {
    const PoolSpot& spot = it->second.lists;
    const bool is_there = slots_[spot.slot].generation == spot.generation;
    it = is_there ? std::next(it) : lists_.erase(it);
  }
  forget_lists_at_ = std::max<size_t>(4096, 2 * lists_.size());
}

uint32_t MaskPool::FindOldest() {
  if (slots_.size() < slot_count_) {
    slots_.emplace_back();
    return static_cast<uint32_t>(slots_.size() - 1);
  }
  uint32_t oldest = kernels::kNoSlot;
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].kept_count > 0) continue;
    if (oldest == kernels::kNoSlot || slots_[i].last_step < slots_[oldest].last_step) oldest = i;
  }
  return oldest;
}

bool MaskPool::TakeSlot(Use use, PoolSpot* spot) {
  const uint32_t oldest = FindOldest();
  if (oldest == kernels::kNoSlot) return false;
  Slot& slot = slots_[oldest];
  if (slot.use != Use::kNone && slot.last_step > finished_) return false;
  if (slot.use == Use::kRow) {
    const auto found = rows_.find(slot.checksum);
    if (found != rows_.end() && found->second == oldest) rows_.erase(found);
  }
  slot.use = use;
  if (slot.copy == nullptr) slot.copy = std::make_unique<uint32_t[]>(row_words_);
  ++slot.generation;
  slot.last_step = step_;
  *spot = {oldest, slot.generation};
  return true;
}

void MaskPool::Upload(uint64_t word, const uint32_t* from, size_t count) {
  memory_.Copy(words_ + word, from, count * 4);
  traffic_.uploaded_bytes += count * 4;
}

void MaskPool::ForgetStale() {
  const auto is_there = [&](const PoolSpot& spot) {
    return spot.slot == kernels::kNoSlot || slots_[spot.slot].generation == spot.generation;
  };
  for (auto it = known_.begin(); it != known_.end();) {
    it = is_there(it->second.row) && is_there(it->second.lists) ? std::next(it) : known_.erase(it);
  }
  forget_at_ = std::max<size_t>(4096, 2 * known_.size());
}

}  // namespace maskloom
