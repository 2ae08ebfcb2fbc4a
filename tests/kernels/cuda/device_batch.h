// A batch of rows, each with settings of its own, on the device and for the CPU's form.
#pragma once

#include <cstring>
#include <memory>

#include "kernels/cuda/logits.h"
#include "kernels/half.h"
#include "tests/kernels/sampling/sampling_fixture.h"
#include "tests/kernels/simt/device_array.h"

namespace maskloom::kernels::cuda {

// How a row's mask reaches the device. The exceptions of a row are ids that lists name.
enum class MaskForm { kNone, kRow, kRowWithLists, kLists };

struct BatchRow {
  OwnedRow row;
  SampleSettings settings;
  MaskForm form = MaskForm::kNone;

  bool has_row() const { return form == MaskForm::kRow || form == MaskForm::kRowWithLists; }
  bool has_lists() const { return form == MaskForm::kLists || form == MaskForm::kRowWithLists; }
};

// The masks of a batch as a pool of rows and lists, and ids that are sent.
struct PooledMasks {
  static constexpr uint32_t kGap = 3;  // words that a slot has beyond the vocabulary

  explicit PooledMasks(const std::vector<BatchRow>& rows) {
    const size_t words = (rows.front().row.vocab + 31) / 32;
    row_words = static_cast<uint32_t>(words + kGap);
    for (const BatchRow& given : rows) {
      masks.emplace_back();
      if (given.form == MaskForm::kNone) masks.back().slot = kOpenSlot;
      if (!given.has_row()) continue;
      masks.back().slot = static_cast<uint32_t>(pool.size() / row_words);
      pool.insert(pool.end(), given.row.mask.begin(), given.row.mask.end());
      pool.resize(pool.size() + kGap, 0xFFFFFFFF);
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].has_lists()) PutLists(rows[r].row.exceptions, &masks[r]);
    }
  }

  // Some ids go to the pool, some are sent, one goes both ways.
  void PutLists(const std::vector<uint32_t>& ids, RowMask* mask) {
    const size_t pooled = ids.size() * (pool.size() % 3) / 2;
    const size_t sent_from = pooled - (pooled > 0 ? 1 : 0);
    mask->list_begin = static_cast<uint32_t>(pool.size());
    mask->list_count = static_cast<uint16_t>(pooled);
    mask->sent_begin = static_cast<uint32_t>(sent.size());
    mask->sent_count = static_cast<uint16_t>(ids.size() - sent_from);
    pool.insert(pool.end(), ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(pooled));
    sent.insert(sent.end(), ids.begin() + static_cast<std::ptrdiff_t>(sent_from), ids.end());
  }

  std::vector<RowMask> masks;
  std::vector<uint32_t> pool, sent;
  uint32_t row_words;
};

// Returns `x` as the type stores it, and what that is as a float.
inline uint32_t StoredBits(LogitType type, float x) {
  const uint32_t bits = FloatBits(x);
  if (type == LogitType::kF32) return bits;
  if (type == LogitType::kF16) return FloatToHalf(x);
  if (x != x) return 0x7fc0u;
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

inline float StoredValue(LogitType type, uint32_t bits) {
  if (type == LogitType::kF32) return FloatFromBits(bits);
  return type == LogitType::kF16 ? HalfToFloat(static_cast<uint16_t>(bits))
                                 : FloatFromBits(bits << 16);
}

// Memory that is zero at first.
template <class V>
std::vector<V> AtLeastOne(std::vector<V> values) {
  if (values.empty()) values.resize(1);
  return values;
}

class DeviceBatch {
 public:
  // Rounds the rows' logits to `type`. Row r begins at r * stride.
  DeviceBatch(std::vector<BatchRow>* rows, LogitType type, size_t stride) {
    const uint32_t vocab = rows->front().row.vocab;
    const size_t size = type == LogitType::kF32 ? 4 : 2;
    std::vector<uint8_t> logits(rows->size() * stride * size, 0xff);  // NaN between rows
    const PooledMasks pooled(*rows);
    std::vector<TokenAdjustment> adjustments;
    std::vector<RowRequest> requests;
    for (size_t r = 0; r < rows->size(); ++r) {
      BatchRow& given = (*rows)[r];
      for (uint32_t i = 0; i < vocab; ++i) {
        const uint32_t bits = StoredBits(type, given.row.logits[i]);
        given.row.logits[i] = StoredValue(type, bits);
        std::memcpy(logits.data() + (r * stride + i) * size, &bits, size);
      }
      RowRequest request = MakeRowRequest(given.settings);
      request.adjustment_begin = static_cast<uint32_t>(adjustments.size());
      request.adjustment_count = static_cast<uint32_t>(given.row.adjustments.size());
      requests.push_back(request);
      adjustments.insert(adjustments.end(), given.row.adjustments.begin(),
                         given.row.adjustments.end());
      const SampleSettings& settings = given.settings;
      filters_ = filters_ || settings.top_k != 0 || settings.top_p < 1.0 || settings.min_p > 0.0;
    }
    logits_ = std::make_unique<simt::DeviceArray<uint8_t>>(logits);
    masks_ = std::make_unique<simt::DeviceArray<RowMask>>(pooled.masks);
    pool_ = std::make_unique<simt::DeviceArray<uint32_t>>(AtLeastOne(pooled.pool));
    sent_ = std::make_unique<simt::DeviceArray<uint32_t>>(AtLeastOne(pooled.sent));
    adjustments_ = std::make_unique<simt::DeviceArray<TokenAdjustment>>(AtLeastOne(adjustments));
    requests_ = std::make_unique<simt::DeviceArray<RowRequest>>(requests);
    choices_ = std::make_unique<simt::DeviceArray<RowChoice>>(rows->size());
    reports_ = std::make_unique<simt::DeviceArray<RowReport>>(rows->size());
    tops_ = std::make_unique<simt::DeviceArray<TopToken>>(rows->size() * kMostTops);
    batch_ = {logits_->data(),
              type,
              static_cast<uint32_t>(rows->size()),
              vocab,
              stride,
              {masks_->data(), pool_->data(), sent_->data(), pooled.row_words},
              requests_->data(),
              adjustments_->data(),
              choices_->data(),
              nullptr,
              filters_,
              reports_->data(),
              tops_->data()};
    const size_t bytes = LogitsWorkspaceBytes(batch_.batch, vocab);
    workspace_ = std::make_unique<simt::DeviceArray<uint8_t>>(bytes);
    EXPECT_EQ(simt::cudaMemset(workspace_->data(), 0, bytes), simt::cudaSuccess);
    batch_.workspace = workspace_->data();
  }

  // What the last choice reports.
  std::vector<RowReport> Reports() const { return reports_->Read(); }
  std::vector<TopToken> Tops() const { return tops_->Read(); }

  const LogitsBatch& batch() const { return batch_; }

  std::vector<RowChoice> Choose() {
    EXPECT_EQ(LaunchChooseTokens(batch_, nullptr), 0);
    return Choices();
  }
  std::vector<RowChoice> Choices() const { return choices_->Read(); }

  // Puts other logits into the device's memory. Requires: rows of kF32, no gap between them.
  void ReplaceLogits(const std::vector<BatchRow>& rows) {
    std::vector<float> logits;
    for (const BatchRow& row : rows) {
      logits.insert(logits.end(), row.row.logits.begin(), row.row.logits.end());
    }
    EXPECT_EQ(simt::cudaMemcpy(logits_->data(), logits.data(), logits.size() * sizeof(float),
                               simt::cudaMemcpyHostToDevice),
              simt::cudaSuccess);
  }

 private:
  bool filters_ = false;
  std::unique_ptr<simt::DeviceArray<uint8_t>> logits_, workspace_;
  std::unique_ptr<simt::DeviceArray<RowMask>> masks_;
  std::unique_ptr<simt::DeviceArray<uint32_t>> pool_, sent_;
  std::unique_ptr<simt::DeviceArray<TokenAdjustment>> adjustments_;
  std::unique_ptr<simt::DeviceArray<RowRequest>> requests_;
  std::unique_ptr<simt::DeviceArray<RowChoice>> choices_;
  std::unique_ptr<simt::DeviceArray<RowReport>> reports_;
  std::unique_ptr<simt::DeviceArray<TopToken>> tops_;
  LogitsBatch batch_ = {};
};

}  // namespace maskloom::kernels::cuda
