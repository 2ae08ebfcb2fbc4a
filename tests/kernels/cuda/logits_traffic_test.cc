// The logits kernel moves few bytes beyond the floor, counted in the stand-in.
#include <gtest/gtest.h>

#include "kernels/cuda/logits.h"
#include "kernels/simt/traffic.h"
#include "tests/kernels/cuda/device_batch.h"

namespace maskloom::kernels::cuda {
namespace {

// A row as a trained model gives it: a few tokens stand out, a sixteenth is closed.
BatchRow LikelyRow(RowMaker* maker, uint32_t vocab) {
  BatchRow made;
  made.form = MaskForm::kRow;
  made.row.vocab = vocab;
  for (uint32_t i = 0; i < vocab; ++i) {
    made.row.logits.push_back(maker->Uniform(-6.0f, 3.0f) + maker->Uniform(-3.0f, 3.0f));
  }
  for (int i = 0; i < 40; ++i) made.row.logits[maker->Below(vocab)] = maker->Uniform(9.0f, 14.0f);
  made.row.mask.assign((vocab + 31) / 32, 0);
  for (uint32_t i = 0; i < vocab; ++i) {
    if (maker->Below(16) != 0) made.row.mask[i / 32] |= 1u << (i % 32);
  }
  made.settings.outputs = 0;
  return made;
}

uint64_t BytesOf(const BatchRow& row, uint32_t batch) {
  std::vector<BatchRow> rows(batch, row);
  DeviceBatch device(&rows, LogitType::kBf16, row.row.vocab);
  simt::TakeTraffic();
  device.Choose();
  uint64_t bytes = 0;
  for (const auto& [kernel, traffic] : simt::TakeTraffic()) {
    if (kernel.find("ReportRows") == std::string::npos) bytes += traffic.moved_bytes();
  }
  return bytes;
}

// Counts the rows of a batch without a filter, greedy, and with every combination of filters.
void ExpectFewBytes(BatchRow row, double floor, uint32_t batch) {
  simt::SetChecks(simt::Checks::Counting());
  row.settings = SampleSettings();
  row.settings.outputs = 0;
  EXPECT_LE(BytesOf(row, batch), 1.3 * floor * batch);
  row.settings.temperature = 0.0f;
  EXPECT_LE(BytesOf(row, batch), 1.3 * floor * batch);
  row.settings.temperature = 0.7f;
  for (int combination = 1; combination < 8; ++combination) {
    row.settings.top_k = (combination & 1) != 0 ? 50 : 0;
    row.settings.top_p = (combination & 2) != 0 ? 0.95 : 1.0;
    row.settings.min_p = (combination & 4) != 0 ? 0.05 : 0.0;
    EXPECT_LE(BytesOf(row, batch), 2.2 * floor * batch) << "filters " << combination;
  }
  simt::SetChecks(simt::Checks::Full());
}

TEST(CudaLogits, MovesFewBytesBeyondTheFloor) {
  RowMaker maker(45);
  const uint32_t vocab = 49152;
  const BatchRow row = LikelyRow(&maker, vocab);
  for (uint32_t batch : {1u, 5u}) ExpectFewBytes(row, vocab * 2.0 + vocab / 8.0, batch);
}

// 64 tokens, each in a sector of its own; as a row of bits, and as a list.
TEST(CudaLogits, MovesFewBytesBeyondTheFloorOfShortMasks) {
  RowMaker maker(50);
  const uint32_t vocab = 128256;
  BatchRow row = LikelyRow(&maker, vocab);
  row.row.mask.assign(row.row.mask.size(), 0);
  for (uint32_t id = 77; id < vocab; id += vocab / 64 + 16) {
    row.row.mask[id / 32] |= 1u << (id % 32);
    row.row.exceptions.push_back(id);
  }
  const double tokens = static_cast<double>(row.row.exceptions.size());
  ExpectFewBytes(row, 32.0 * tokens + vocab / 8.0, 1);  // later rows begin inside a sector
  row.form = MaskForm::kLists;
  ExpectFewBytes(row, 32.0 * tokens + 4.0 * tokens, 2);
}

}  // namespace
}  // namespace maskloom::kernels::cuda
