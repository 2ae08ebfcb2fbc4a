// What applying masks moves, counted in the stand-in.
#include <gtest/gtest.h>

#include "kernels/cuda/apply.h"
#include "kernels/simt/traffic.h"
#include "tests/kernels/cuda/checks.h"
#include "tests/kernels/cuda/device_batch.h"

namespace maskloom::kernels::cuda {
namespace {

TEST(CudaApplyTraffic, IsOneReadOfMasksAndClosedLogitsWritten) {
  constexpr uint32_t kVocab = 20000;
  RowMaker maker(63);
  std::vector<BatchRow> rows(2);
  for (BatchRow& row : rows) row.row.vocab = kVocab;
  rows[0].form = MaskForm::kRow;
  maker.Mask(&rows[0].row);
  uint64_t closed = kVocab;
  for (uint32_t id = 0; id < kVocab; ++id) closed -= (rows[0].row.mask[id / 32] >> (id % 32)) & 1u;
  const PooledMasks pooled(rows);  // the second row is open
  const simt::DeviceArray<RowMask> masks(pooled.masks);
  const simt::DeviceArray<uint32_t> pool(pooled.pool);
  const simt::DeviceArray<float> logits(std::vector<float>(2 * kVocab, 1.0f));
  const ApplyBatch apply = {
      logits.data(), LogitType::kF32, 2,
      kVocab,        kVocab,          {masks.data(), pool.data(), nullptr, pooled.row_words}};
  simt::TakeTraffic();
  ASSERT_EQ(LaunchApplyMasks(apply, nullptr), 0);
  ExpectNoFindings();
  const simt::Traffic traffic = simt::TakeTraffic().begin()->second;
  EXPECT_EQ(traffic.global_write_bytes, closed * 4);
  EXPECT_LE(traffic.global_read_bytes, kVocab / 8 + 256);
}

}  // namespace
}  // namespace maskloom::kernels::cuda
