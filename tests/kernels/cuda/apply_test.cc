// Masks applied in place against a plain loop: what is closed is -infinity, and no other byte
// changes.
#include "kernels/cuda/apply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/kernels/cuda/checks.h"
#include "tests/kernels/cuda/device_batch.h"

namespace maskloom::kernels::cuda {
namespace {

size_t SizeOf(LogitType type) { return type == LogitType::kF32 ? 4 : 2; }

std::vector<BatchRow> MakeRows(RowMaker* maker, uint32_t vocab, uint32_t batch) {
  std::vector<BatchRow> rows(batch);
  for (BatchRow& row : rows) {
    row.row.vocab = vocab;
    row.form = static_cast<MaskForm>(maker->Below(4));
    if (row.has_row()) maker->Mask(&row.row);
    if (row.has_row() && maker->Below(6) == 0) row.row.mask.assign(row.row.mask.size(), 0);
    if (row.has_row() && maker->Below(6) == 0) row.row.mask.assign(row.row.mask.size(), ~0u);
    if (row.has_lists()) maker->Except(&row.row);
    if (row.form == MaskForm::kLists && maker->Below(3) == 0) row.row.exceptions.clear();
  }
  return rows;
}

bool IsAllowed(const BatchRow& row, uint32_t id) {
  if (row.form == MaskForm::kNone) return true;
  if (row.has_row() && ((row.row.mask[id / 32] >> (id % 32)) & 1u) != 0) return true;
  const auto& ids = row.row.exceptions;
  return row.has_lists() && std::find(ids.begin(), ids.end(), id) != ids.end();
}

// The masks of rows on the device.
struct DeviceMasks {
  explicit DeviceMasks(const std::vector<BatchRow>& rows)
      : pooled(rows),
        masks(pooled.masks),
        pool(AtLeastOne(pooled.pool)),
        sent(AtLeastOne(pooled.sent)) {}

  BatchMasks view() const { return {masks.data(), pool.data(), sent.data(), pooled.row_words}; }

  PooledMasks pooled;
  simt::DeviceArray<RowMask> masks;
  simt::DeviceArray<uint32_t> pool, sent;
};

// Logits of random bytes, the first at element `offset`, and what they should become.
struct Given {
  Given(RowMaker* maker, const std::vector<BatchRow>& rows, LogitType type, size_t stride,
        size_t offset) {
    const size_t size = SizeOf(type);
    before.resize((offset + rows.size() * stride) * size);
    for (uint8_t& byte : before) byte = static_cast<uint8_t>(maker->Below(256));
    after = before;
    const uint32_t closed = StoredBits(type, -__builtin_inff());
    for (size_t r = 0; r < rows.size(); ++r) {
      for (uint32_t id = 0; id < rows[r].row.vocab; ++id) {
        if (IsAllowed(rows[r], id)) continue;
        std::memcpy(after.data() + (offset + r * stride + id) * size, &closed, size);
      }
    }
  }

  std::vector<uint8_t> before, after;
};

void ExpectApplied(RowMaker* maker, uint32_t vocab, uint32_t batch, LogitType type, size_t stride,
                   size_t offset) {
  SCOPED_TRACE(testing::Message() << "vocab " << vocab << " batch " << batch << " stride " << stride
                                  << " offset " << offset);
  const std::vector<BatchRow> rows = MakeRows(maker, vocab, batch);
  const DeviceMasks masks(rows);
  const Given given(maker, rows, type, stride, offset);
  const simt::DeviceArray<uint8_t> logits(given.before);
  const ApplyBatch apply = {
      logits.data() + offset * SizeOf(type), type, batch, vocab, stride, masks.view()};
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_EQ(LaunchApplyMasks(apply, nullptr), 0);
    ASSERT_TRUE(logits.Read() == given.after);
  }
}

TEST(CudaApply, ClosesWhatMasksCloseAtOddSizesAndStrides) {
  RowMaker maker(61);
  const uint32_t vocabs[] = {1, 7, 8, 31, 257, 2047, 2048, 2049, 5003};
  for (int round = 0; round < 54; ++round) {
    const uint32_t vocab = vocabs[round % 9];
    const size_t strides[] = {vocab, vocab + 1, (vocab + 15) / 8 * 8};
    ASSERT_NO_FATAL_FAILURE(ExpectApplied(&maker, vocab, 1 + maker.Below(4),
                                          static_cast<LogitType>(round / 9 % 3), strides[round % 3],
                                          maker.Below(3)));
  }
  ExpectNoFindings();
}

TEST(CudaApply, ClosesWhatMasksCloseInSplitRowsAndLargeBatches) {
  RowMaker maker(62);
  ASSERT_NO_FATAL_FAILURE(ExpectApplied(&maker, 70001, 3, LogitType::kBf16, 70008, 0));
  ASSERT_NO_FATAL_FAILURE(ExpectApplied(&maker, 150, 256, LogitType::kF16, 151, 0));
  ExpectNoFindings();
}

TEST(CudaApply, LeavesRowsWithoutMasksAlone) {
  const simt::DeviceArray<float> logits(std::vector<float>(3000, 1.0f));
  const ApplyBatch apply = {logits.data(), LogitType::kF32, 1, 3000, 3000, {}};
  ASSERT_EQ(LaunchApplyMasks(apply, nullptr), 0);
  EXPECT_EQ(logits.Read(), std::vector<float>(3000, 1.0f));
  ExpectNoFindings();
}

}  // namespace
}  // namespace maskloom::kernels::cuda
