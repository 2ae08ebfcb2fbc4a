// Step tables of no grammar: random heads, records, contexts and masks, on the host and the device.
#pragma once

#include <memory>
#include <random>
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
    for (uint32_t word = 1; word < kHeads; ++word) heads_[word] = AnyHead();
    for (uint32_t word = 1; word < kHeads; ++word) {
      for (uint32_t token = 0; token < kTokens; ++token) {
        if (Below(3) != 0) Insert(word, token, AnyValue());
      }
      for (uint32_t count = 0; count < 12; ++count) {
        if (Below(2) == 0) Insert(word, MaskWordOf(heads_[word], count), AnyMask());
      }
    }
    for (uint32_t context = kHeads; context < kHeads + kContexts; ++context) {
      for (uint32_t word = 1; word < kHeads; ++word) {
        if (Below(4) != 0) Insert(context, word, AnyRecord());
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
    state.depth = Below(3) == 0 ? kMostRowWords - Below(3) : 1 + Below(6);
    for (uint32_t i = 0; i < state.depth; ++i) state.words[i] = 1 + Below(kHeads - 1);
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
  HeadInfo AnyHead() {
    HeadInfo head;
    head.is_text = Below(4) == 0;
    head.is_counted = Below(2) == 0;
    head.min = Below(3);
    head.max = Below(2) == 0 ? kNoMaximumCount : 40 + Below(10);
    head.reach = Below(5);
    return head;
  }

  uint32_t AnyRecord() {
    const auto at = static_cast<uint32_t>(records_.size());
    const uint32_t pushed = 1 + Below(3);
    records_.push_back(pushed | (Below(2) == 0 ? kAddCount : kSetCount) << 8);
    records_.push_back(Below(4));
    for (uint32_t i = 0; i < pushed; ++i) records_.push_back(1 + Below(kHeads - 1));
    return at;
  }

  uint32_t AnyValue() {
    return Below(4) == 0 ? (kContextBit | (kHeads + Below(kContexts))) : AnyRecord();
  }

  uint32_t AnyMask() {
    masks_.push_back(AnyRowMask());
    return static_cast<uint32_t>(masks_.size() - 1);
  }

  void Insert(uint32_t left, uint32_t right, uint32_t value) {
    if (2 * ++count_ > entries_.size()) Grow();
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
    device_records_ = std::make_unique<simt::DeviceArray<uint32_t>>(records_);
    device_masks_ = std::make_unique<simt::DeviceArray<RowMask>>(masks_);
    device_lengths_ = std::make_unique<simt::DeviceArray<uint8_t>>(lengths_);
    device_ends_ = std::make_unique<simt::DeviceArray<uint32_t>>(ends_);
    device_pool_ = std::make_unique<simt::DeviceArray<uint32_t>>(pool_);
  }

  std::mt19937_64 random_;
  size_t count_ = 0;
  std::vector<StepEntry> entries_;
  std::vector<HeadInfo> heads_;
  std::vector<uint32_t> records_, pool_;
  std::vector<RowMask> masks_;
  std::vector<uint8_t> lengths_;
  std::vector<uint32_t> ends_ = {95, 3};
  std::unique_ptr<simt::DeviceArray<StepEntry>> device_entries_;
  std::unique_ptr<simt::DeviceArray<HeadInfo>> device_heads_;
  std::unique_ptr<simt::DeviceArray<uint32_t>> device_records_, device_ends_, device_pool_;
  std::unique_ptr<simt::DeviceArray<RowMask>> device_masks_;
  std::unique_ptr<simt::DeviceArray<uint8_t>> device_lengths_;
};

}  // namespace maskloom::kernels::cuda
