// The rows of a batch on the device, and pinned memory for what the host sends and reads.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/cuda/rows.h"
#include "tests/kernels/simt/device_array.h"

namespace maskloom::kernels::cuda {

// Updates as they are written to pinned memory.
class PinnedUpdates {
 public:
  explicit PinnedUpdates(uint32_t batch) {
    const size_t words = size_t{batch} * (kMostSentIds + 2 + kMostRowWords + kMostRowCells);
    EXPECT_EQ(simt::cudaMallocHost(&head_, sizeof(UpdateHead)), simt::cudaSuccess);
    EXPECT_EQ(simt::cudaMallocHost(&rows_, batch * sizeof(RowUpdate)), simt::cudaSuccess);
    EXPECT_EQ(simt::cudaMallocHost(&words_, words * sizeof(uint32_t)), simt::cudaSuccess);
    *head_ = {0, 0};
  }
  ~PinnedUpdates() {
    simt::cudaFreeHost(head_);
    simt::cudaFreeHost(rows_);
    simt::cudaFreeHost(words_);
  }
  PinnedUpdates(const PinnedUpdates&) = delete;
  PinnedUpdates& operator=(const PinnedUpdates&) = delete;

  // Begins another set.
  void Begin() {
    *head_ = {head_->sequence + 1, 0};
    word_count_ = 0;
  }
  // Adds an update; `state` may be null.
  void Add(uint32_t row, RowMask mask, const uint32_t* ids, const RowState* state) {
    mask.sent_begin = word_count_;
    word_count_ += static_cast<uint32_t>(std::copy_n(ids, mask.sent_count, words_ + word_count_) -
                                         (words_ + word_count_));
    RowUpdate update = {mask, static_cast<uint16_t>(row), kKeepState};
    if (state != nullptr) {
      update.depth = static_cast<uint16_t>(state->depth);
      words_[word_count_++] = state->count;
      words_[word_count_++] = state->cell_count;
      std::copy_n(state->words, state->depth, words_ + word_count_);
      word_count_ += state->depth;
      std::copy_n(state->cells, state->cell_count, words_ + word_count_);
      word_count_ += state->cell_count;
    }
    rows_[head_->count++] = update;
  }
  uint32_t count() const { return head_->count; }
  size_t bytes() const { return count() * sizeof(RowUpdate) + 4 * size_t{word_count_}; }
  RowUpdates updates() const { return {head_, rows_, words_}; }

 private:
  UpdateHead* head_ = nullptr;
  RowUpdate* rows_ = nullptr;
  uint32_t* words_ = nullptr;
  uint32_t word_count_ = 0;
};

// All that LaunchAdvanceRows and LaunchUpdateRows work on. At first every row has the empty mask
// and no state.
class DeviceRows {
 public:
  DeviceRows(const std::vector<RowRequest>& requests, const std::vector<StepTables>& tables)
      : states_(std::vector<RowState>(requests.size())),
        masks_(std::vector<RowMask>(requests.size())),
        sent_(requests.size() * kMostListIds),
        requests_(requests),
        choices_(requests.size()),
        tables_(tables),
        tokens_(std::vector<uint32_t>(requests.size())),
        progress_(std::vector<UpdateProgress>{{0, 0}}) {
    EXPECT_EQ(simt::cudaMallocHost(&results_, requests.size() * sizeof(RowResult)),
              simt::cudaSuccess);
  }
  ~DeviceRows() { simt::cudaFreeHost(results_); }
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;

  RowsBatch rows(uint32_t batch) const {
    return {batch,           states_.data(), masks_.data(), sent_.data(),   requests_.data(),
            choices_.data(), tables_.data(), results_,      tokens_.data(), progress_.data()};
  }
  void SetChoices(const std::vector<RowChoice>& choices) {
    Copy(choices_.data(), choices.data(), choices.size() * sizeof(RowChoice));
  }
  void SetTables(const std::vector<StepTables>& tables) {
    Copy(tables_.data(), tables.data(), tables.size() * sizeof(StepTables));
  }

  std::vector<RowState> States() const { return states_.Read(); }
  std::vector<RowMask> Masks() const { return masks_.Read(); }
  std::vector<RowRequest> Requests() const { return requests_.Read(); }
  std::vector<RowChoice> Choices() const { return choices_.Read(); }
  std::vector<uint32_t> Tokens() const { return tokens_.Read(); }
  // Of a row whose mask names sent ids: these.
  std::vector<uint32_t> Sent(const RowMask& mask) const {
    std::vector<uint32_t> ids(mask.sent_count);
    if (!ids.empty()) {
      EXPECT_EQ(simt::cudaMemcpy(ids.data(), sent_.data() + mask.sent_begin, ids.size() * 4,
                                 simt::cudaMemcpyDeviceToHost),
                simt::cudaSuccess);
    }
    return ids;
  }
  const RowResult* results() const { return results_; }
  const uint32_t* sent() const { return sent_.data(); }
  const RowMask* masks() const { return masks_.data(); }
  const RowRequest* requests() const { return requests_.data(); }
  RowChoice* choices() const { return choices_.data(); }

 private:
  static void Copy(void* to, const void* from, size_t bytes) {
    EXPECT_EQ(simt::cudaMemcpy(to, from, bytes, simt::cudaMemcpyHostToDevice), simt::cudaSuccess);
  }

  simt::DeviceArray<RowState> states_;
  simt::DeviceArray<RowMask> masks_;
  simt::DeviceArray<uint32_t> sent_;
  simt::DeviceArray<RowRequest> requests_;
  simt::DeviceArray<RowChoice> choices_;
  simt::DeviceArray<StepTables> tables_;
  simt::DeviceArray<uint32_t> tokens_;
  simt::DeviceArray<UpdateProgress> progress_;
  RowResult* results_ = nullptr;
};

}  // namespace maskloom::kernels::cuda
