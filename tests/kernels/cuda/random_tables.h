// Step tables of no grammar: random heads, records, contexts, registers and masks, on the host and
// the device. The upper half of the words have two cells each.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "kernels/cuda/rows.h"
#include "tests/kernels/simt/device_array.h"

namespace maskloom::kernels::cuda {

class RandomTables {
 public:
  static constexpr uint32_t kTokens = 96;
  static constexpr uint32_t kHeads = 24;
  static constexpr uint32_t kContexts = 16;
  static constexpr uint32_t kPoolRows = 8;
  static constexpr uint32_t kRowWords = kTokens / 32;
  static constexpr uint32_t kLists = 8;
  static constexpr uint32_t kListIds = 5;

  explicit RandomTables(uint64_t seed) : random_(seed), entries_(1024) {
    heads_.resize(kHeads + kContexts);
    MakeRegisters();
    for (uint32_t word = 1; word < kHeads; ++word) heads_[word] = AnyHead(word);
    for (uint32_t word = 1; word < kHeads; ++word) {
      for (uint32_t token = 0; token < kTokens; ++token) {
        if (Below(3) != 0) Insert(word, token, AnyValue(word));
      }
      for (uint32_t count = 0; count < 12; ++count) {
        if (Below(2) == 0) InsertMasks(word, MaskWordOf(heads_[word], count));
        if (Below(4) == 0) InsertList(word, MaskWordOf(heads_[word], count) | kNamedBit);
      }
    }
    // Contexts of words with cells are odd.
    for (uint32_t context = kHeads; context < kHeads + kContexts; ++context) {
      for (uint32_t word = 1; word < kHeads; ++word) {
        const uint32_t cells = CellsOf(word) + (context % 2 == 0 ? 0 : kCells);
        if (Below(4) != 0) Insert(context, word, AnyRecord(cells));
      }
    }
    for (uint32_t token = 0; token < kTokens; ++token) {
      lengths_.push_back(Below(4) == 0 ? static_cast<uint8_t>(1 + Below(4)) : uint8_t{0});
    }
    for (uint32_t i = 0; i < kPoolRows * kRowWords; ++i) {
      pool_.push_back(static_cast<uint32_t>(random_() | random_()));
    }
    for (uint32_t list = 0; list < kLists; ++list) {
      for (uint32_t i = 0; i < kListIds; ++i) pool_.push_back(8 * i + Below(8));
    }
    Upload();
  }

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  // The tables as the host, and as kernels reach them.
  StepTables on_host() const {
    StepTables tables;
    tables.entries = entries_.data();
    tables.entry_mask = static_cast<uint32_t>(entries_.size() - 1);
    tables.heads = heads_.data();
    tables.registers = registers_.data();
    tables.records = records_.data();
    tables.masks = masks_.data();
    tables.text_lengths = lengths_.data();
    tables.end_tokens = ends_.data();
    tables.end_token_count = static_cast<uint32_t>(ends_.size());
    return tables;
  }
  StepTables on_device() const {
    StepTables tables = on_host();
    tables.entries = device_entries_->data();
    tables.heads = device_heads_->data();
    tables.registers = device_registers_->data();
    tables.records = device_records_->data();
    tables.masks = device_masks_->data();
    tables.text_lengths = device_lengths_->data();
    tables.end_tokens = device_ends_->data();
    return tables;
  }
  const std::vector<uint32_t>& pool() const { return pool_; }
  const uint32_t* device_pool() const { return device_pool_->data(); }

  // A state of any depth up to the deepest.
  RowState AnyState() {
    RowState state;
    state.count = Below(10);
    const bool is_deep = Below(3) == 0;
    state.depth = is_deep ? kMostRowWords - Below(3) : 1 + Below(6);
    for (uint32_t i = 0; i < state.depth; ++i) {
      state.words[i] = 1 + Below((is_deep ? kHeads / 2 : kHeads) - 1);
      state.cell_count += CellsOf(state.words[i]);
    }
    for (uint32_t i = 0; i < state.cell_count; ++i) state.cells[i] = Below(8);
    return state;
  }

  RowMask AnyRowMask() {
    RowMask mask;
    if (Below(4) != 0) mask.slot = Below(kPoolRows);
    if (Below(4) != 0) return mask;
    mask.list_begin = kPoolRows * kRowWords + kListIds * Below(kLists);
    mask.list_count = kListIds;
    return mask;
  }

 private:
  static constexpr uint32_t kCells = 2;
  static constexpr uint32_t kLayouts = 3;
  static uint32_t CellsOf(uint32_t word) { return word < kHeads / 2 ? 0 : kCells; }

  // None; names and other keys; names and a count.
  void MakeRegisters() {
    registers_.resize(kLayouts);
    for (uint32_t i = 1; i < kLayouts; ++i) {
      WordRegisters& registers = registers_[i];
      registers.cells = kCells;
      registers.name_cells = 1;
      registers.has_others = i == 1;
      registers.has_count = i == 2;
      registers.told[0] = 3;
      registers.required[0] = 4;
      registers.allowed[0] = 6;
      registers.blind = 4;
      registers.min = 1;
      registers.max = 9;
      registers.reach = 2;
    }
  }

  // Masks of `word`, for many values of its registers.
  void InsertMasks(uint32_t word, uint32_t right) {
    const WordRegisters& registers = registers_[heads_[word].registers];
    if (registers.cells == 0) return Insert(word, right, AnyMask());
    const uint32_t context = NewContext(word, right);
    for (uint32_t names = 0; names < 8; ++names) {
      const uint32_t cells[kCells] = {names, 0};
      const uint32_t key = MaskCell(registers, cells, 0, 0);
      if (Below(8) == 0 || keys_.count({context, key}) != 0) continue;
      if (registers.has_count == 0) {
        Insert(context, key, AnyMask());
        continue;
      }
      const uint32_t next = NewContext(context, key);
      for (uint32_t count = 0; count < 8; ++count) {
        const uint32_t counted[kCells] = {names, count};
        const uint32_t second = MaskCell(registers, counted, 0, 1);
        if (keys_.count({next, second}) == 0) Insert(next, second, AnyMask());
      }
    }
  }
  // A list by names for all values of its registers, or of them and the word below.
  void InsertList(uint32_t word, uint32_t right) {
    if (registers_[heads_[word].registers].name_cells == 0 || keys_.count({word, right}) != 0) {
      return;
    }
    if (Below(2) == 0) return Insert(word, right, AnyList());
    const uint32_t context = NewContext(word, right);
    for (uint32_t below = 1; below < kHeads / 2; ++below) Insert(context, below, AnyList());
  }
  uint32_t AnyList() {
    const auto at = static_cast<uint32_t>(records_.size());
    records_.push_back(AnyMask());
    const uint32_t step = 1 + Below(4);
    const uint32_t count = Below(kTokens / step);
    records_.push_back(count);
    for (uint32_t i = 0; i < count; ++i) records_.push_back(step * i);
    for (uint32_t i = 0; i < count; ++i) records_.push_back(Below(8));
    return at;
  }
  uint32_t NewContext(uint32_t left, uint32_t right) {
    const uint32_t context = kHeads + kContexts + further_contexts_++;
    if (keys_.count({left, right}) == 0) Insert(left, right, kContextBit | context);
    return context;
  }

  HeadInfo AnyHead(uint32_t word) {
    HeadInfo head;
    if (CellsOf(word) > 0) head.registers = static_cast<uint16_t>(1 + Below(kLayouts - 1));
    head.is_text = Below(4) == 0;
    head.is_counted = Below(2) == 0;
    head.min = Below(3);
    head.max = Below(2) == 0 ? kNoMaximumCount : 40 + Below(10);
    head.reach = Below(5);
    return head;
  }

  // A record for words that have so many cells.
  uint32_t AnyRecord(uint32_t looked_at_cells) {
    const auto at = static_cast<uint32_t>(records_.size());
    const uint32_t pushed = 1 + Below(3);
    records_.resize(at + 2);
    uint32_t cells = 0;
    for (uint32_t i = 0; i < pushed; ++i) {
      records_.push_back(1 + Below(kHeads - 1));
      cells += CellsOf(records_.back());
    }
    const uint32_t kept = Below(1 + std::min(cells, looked_at_cells));
    const bool changes_cells = kept != cells || Below(2) == 0;
    const uint32_t flags = (Below(2) == 0 ? kAddCount : 0u) | (changes_cells ? kChangesCells : 0u);
    records_[at] = pushed | flags << 8 | looked_at_cells << 16 | kept << 24;
    records_[at + 1] = Below(4);
    if (!changes_cells) return at;
    const uint32_t changes = kept == 0 ? 0 : Below(3);
    records_.push_back(changes | (cells - kept) << 8);
    for (uint32_t i = 0; i < changes; ++i) {
      const uint32_t unset = Below(3) == 0 ? 1u << Below(3) : 0;
      records_.insert(records_.end(), {Below(kept) | Below(3) << 8, Below(8), unset, 7});
    }
    for (uint32_t i = kept; i < cells; ++i) records_.push_back(Below(8));
    return at;
  }

  uint32_t AnyValue(uint32_t word) {
    if (Below(4) != 0) return AnyRecord(CellsOf(word));
    const uint32_t context = kHeads + Below(kContexts / 2) * 2;
    return kContextBit | (context + (CellsOf(word) > 0 ? 1 : 0));
  }

  uint32_t AnyMask() {
    masks_.push_back(AnyRowMask());
    return static_cast<uint32_t>(masks_.size() - 1);
  }

  void Insert(uint32_t left, uint32_t right, uint32_t value) {
    if (2 * ++count_ > entries_.size()) Grow();
    keys_.insert({left, right});
    Put({left, right, value});
  }
  void Put(const StepEntry& entry) {
    const auto mask = static_cast<uint32_t>(entries_.size() - 1);
    uint32_t slot = HashStep(entry.left, entry.right);
    while (entries_[slot & mask].left != 0) ++slot;
    entries_[slot & mask] = entry;
  }
  void Grow() {
    std::vector<StepEntry> old(2 * entries_.size());
    old.swap(entries_);
    for (const StepEntry& entry : old) {
      if (entry.left != 0) Put(entry);
    }
  }

  void Upload() {
    device_entries_ = std::make_unique<simt::DeviceArray<StepEntry>>(entries_);
    device_heads_ = std::make_unique<simt::DeviceArray<HeadInfo>>(heads_);
    device_registers_ = std::make_unique<simt::DeviceArray<WordRegisters>>(registers_);
    device_records_ = std::make_unique<simt::DeviceArray<uint32_t>>(records_);
    device_masks_ = std::make_unique<simt::DeviceArray<RowMask>>(masks_);
    device_lengths_ = std::make_unique<simt::DeviceArray<uint8_t>>(lengths_);
    device_ends_ = std::make_unique<simt::DeviceArray<uint32_t>>(ends_);
    device_pool_ = std::make_unique<simt::DeviceArray<uint32_t>>(pool_);
  }

  std::mt19937_64 random_;
  size_t count_ = 0;
  std::vector<StepEntry> entries_;
  std::set<std::pair<uint32_t, uint32_t>> keys_;  // of entries_
  uint32_t further_contexts_ = 0;
  std::vector<HeadInfo> heads_;
  std::vector<WordRegisters> registers_;
  std::vector<uint32_t> records_, pool_;
  std::vector<RowMask> masks_;
  std::vector<uint8_t> lengths_;
  std::vector<uint32_t> ends_ = {95, 3};
  std::unique_ptr<simt::DeviceArray<StepEntry>> device_entries_;
  std::unique_ptr<simt::DeviceArray<HeadInfo>> device_heads_;
  std::unique_ptr<simt::DeviceArray<WordRegisters>> device_registers_;
  std::unique_ptr<simt::DeviceArray<uint32_t>> device_records_, device_ends_, device_pool_;
  std::unique_ptr<simt::DeviceArray<RowMask>> device_masks_;
  std::unique_ptr<simt::DeviceArray<uint8_t>> device_lengths_;
};

}  // namespace maskloom::kernels::cuda
