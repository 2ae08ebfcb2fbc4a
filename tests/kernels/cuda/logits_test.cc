// The logits kernel chooses the tokens of the CPU's form, for every row of a batch: in the
// stand-in, and compiled with SIMT_ON_DEVICE on a device.
#include "kernels/cuda/logits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernels/cuda/checks.h"
#include "tests/kernels/cuda/device_batch.h"

namespace maskloom::kernels::cuda {
namespace {

// What the CPU chooses for the row as the device got it.
Outcome OnCpu(const BatchRow& given) {
  OwnedRow row = given.row;
  row.exceptions.clear();
  if (given.form == MaskForm::kNone) row.mask.clear();
  if (given.form == MaskForm::kLists) row.mask.assign((row.vocab + 31) / 32, 0);
  if (!given.has_lists()) return Choose(Form::kDefault, row, given.settings);
  for (const uint32_t id : given.row.exceptions) row.mask[id / 32] |= 1u << (id % 32);
  return Choose(Form::kDefault, row, given.settings);
}

bool WantsLogprobs(const SampleSettings& settings) {
  return (settings.outputs & (kOutputLogprobs | kOutputEntropy)) != 0 || settings.top_count != 0;
}

void ExpectSameReport(const RowReport& got, const TopToken* tops, const Outcome& want) {
  ASSERT_EQ(got.entropy_bits, want.result.entropy_bits);
  ASSERT_EQ(got.raw_logprob, want.result.raw_logprob);
  ASSERT_EQ(got.raw_logsumexp, want.result.raw_logsumexp);
  ASSERT_EQ(got.removed_mass, want.result.removed_mass);
  ASSERT_EQ(got.top_filled, want.top.size());
  for (size_t i = 0; i < want.top.size(); ++i) {
    ASSERT_EQ(tops[i].id, want.top[i].id) << i;
    ASSERT_EQ(tops[i].logprob, want.top[i].logprob) << i;
  }
}

void ExpectSame(const RowChoice& got, const Outcome& want, const BatchRow& row) {
  ASSERT_EQ(got.status, want.status);
  ASSERT_EQ(got.token, want.result.token);
  ASSERT_EQ(got.allowed_count, want.result.allowed_count);
  ASSERT_EQ(got.kept_count, want.result.kept_count);
  if (!WantsLogprobs(row.settings)) return;
  ASSERT_EQ(got.logprob, want.result.logprob);
  ASSERT_EQ(got.masked_logprob, want.result.masked_logprob);
  ASSERT_EQ(got.masked_logsumexp, want.result.masked_logsumexp);
}

// A row of the random shapes, with one of the forms of masks, settings of its own.
BatchRow MakeRow(RowMaker* maker, uint32_t vocab) {
  BatchRow made;
  made.row = maker->Row(vocab);
  if (maker->Below(40) == 0) made.row.logits[maker->Below(vocab)] = __builtin_inff();
  made.form = static_cast<MaskForm>(maker->Below(4));
  if (made.has_row()) {
    maker->Mask(&made.row);
    if (maker->Below(8) == 0) made.row.mask.assign(made.row.mask.size(), 0);  // an empty row
  }
  if (made.has_lists()) maker->Except(&made.row);
  if (maker->Below(2) == 0) maker->Adjust(&made.row);
  made.settings = maker->Settings();
  return made;
}

void ExpectSameBatch(RowMaker* maker, uint32_t vocab, uint32_t batch, LogitType type,
                     size_t stride) {
  std::vector<BatchRow> rows;
  for (uint32_t r = 0; r < batch; ++r) rows.push_back(MakeRow(maker, vocab));
  DeviceBatch device(&rows, type, stride);
  for (int turn = 0; turn < 2; ++turn) {  // the second finds what the first left behind
    const std::vector<RowChoice> choices = device.Choose();
    const std::vector<RowReport> reports = device.Reports();
    const std::vector<TopToken> tops = device.Tops();
    for (uint32_t r = 0; r < batch; ++r) {
      SCOPED_TRACE(testing::Message()
                   << "vocab " << vocab << " row " << r << " of " << batch << " turn " << turn);
      const Outcome want = OnCpu(rows[r]);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(choices[r], want, rows[r]));
      ASSERT_NO_FATAL_FAILURE(ExpectSameReport(reports[r], tops.data() + r * kMostTops, want));
    }
  }
}

TEST(CudaLogits, ChoosesTheTokensOfTheCpuAtOddSizesAndStrides) {
  RowMaker maker(41);
  const uint32_t vocabs[] = {1, 7, 8, 31, 257, 2047, 2048, 2049, 5003};
  for (int round = 0; round < 18; ++round) {
    const uint32_t vocab = vocabs[round % 9];
    const size_t stride = round % 2 == 0 ? vocab : (vocab + 15) / 8 * 8;
    ASSERT_NO_FATAL_FAILURE(ExpectSameBatch(&maker, vocab, 1 + maker.Below(4),
                                            static_cast<LogitType>(round % 3), stride));
  }
  ExpectNoFindings();
}

TEST(CudaLogits, SplitsOfARowChooseTheSameToken) {
  RowMaker maker(42);
  for (int round = 0; round < 4; ++round) {
    ASSERT_NO_FATAL_FAILURE(ExpectSameBatch(&maker, 20011 + 8 * maker.Below(2000), 2,
                                            static_cast<LogitType>(round % 3), 40000));
  }
  ExpectNoFindings();
}

TEST(CudaLogits, LargeBatchesTakeEachRowsOwnSettings) {
  const FewChecks few;
  RowMaker maker(43);
  ASSERT_NO_FATAL_FAILURE(ExpectSameBatch(&maker, 1200, 256, LogitType::kBf16, 1200));
  ASSERT_NO_FATAL_FAILURE(ExpectSameBatch(&maker, 700, 97, LogitType::kF32, 701));
  ExpectNoFindings();
}

TEST(CudaLogits, RowsWithoutMasksAreOpen) {
  RowMaker maker(46);
  std::vector<BatchRow> rows(2);
  for (BatchRow& row : rows) row.row = maker.Row(3001);
  DeviceBatch device(&rows, LogitType::kF32, 3001);
  LogitsBatch batch = device.batch();
  batch.masks = {};
  ASSERT_EQ(LaunchChooseTokens(batch, nullptr), 0);
  const std::vector<RowChoice> choices = device.Choices();
  for (size_t r = 0; r < rows.size(); ++r) {
    ASSERT_NO_FATAL_FAILURE(ExpectSame(choices[r], OnCpu(rows[r]), rows[r]));
  }
  ExpectNoFindings();
}

// A mask of most tokens, and lists that name half of the others.
void CloseEverySeventh(BatchRow* row) {
  row->form = MaskForm::kRowWithLists;
  row->row.mask.assign((row->row.vocab + 31) / 32, ~0u);
  for (uint32_t id = 0; id < row->row.vocab; id += 7) {
    row->row.mask[id / 32] &= ~(1u << (id % 32));
  }
  row->row.exceptions.clear();
  for (uint32_t id = 7; id < row->row.vocab; id += 14) row->row.exceptions.push_back(id);
}

// Rows of which more tokens are near the cut than a list has room for, by ties or high temperature.
TEST(CudaLogits, RowsThatAreNotListedAreCutAsOthers) {
  RowMaker maker(47);
  for (int round = 0; round < 6; ++round) {
    std::vector<BatchRow> rows;
    for (int r = 0; r < 3; ++r) {
      BatchRow row = MakeRow(&maker, 21000);
      if (r == 1) CloseEverySeventh(&row);
      if (r == 2) row.form = MaskForm::kNone;
      if (r != 0) std::fill(row.row.logits.begin(), row.row.logits.end(), 1.5f);
      row.settings.temperature = 1000.0f;
      row.settings.top_k = round % 3 == 0 ? 0 : 1000 + maker.Below(15000);
      row.settings.top_p = round % 3 == 1 ? 1.0 : 0.2 + maker.Below(70) / 100.0;
      row.settings.top_count = maker.Below(2) == 0 ? 20 : 0;
      rows.push_back(row);
    }
    DeviceBatch device(&rows, static_cast<LogitType>(round % 3), 21000);
    const std::vector<RowChoice> choices = device.Choose();
    const std::vector<RowReport> reports = device.Reports();
    const std::vector<TopToken> tops = device.Tops();
    for (uint32_t r = 0; r < rows.size(); ++r) {
      SCOPED_TRACE(testing::Message() << "round " << round << " row " << r);
      const Outcome want = OnCpu(rows[r]);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(choices[r], want, rows[r]));
      ASSERT_NO_FATAL_FAILURE(ExpectSameReport(reports[r], tops.data() + r * kMostTops, want));
    }
  }
  ExpectNoFindings();
}

// Chooses for the rows as they are, and again without reports; both as on the CPU.
void ExpectSameRows(std::vector<BatchRow>* rows, LogitType type) {
  DeviceBatch device(rows, type, rows->front().row.vocab);
  const std::vector<RowChoice> choices = device.Choose();
  const std::vector<RowReport> reports = device.Reports();
  const std::vector<TopToken> tops = device.Tops();
  LogitsBatch bare = device.batch();
  bare.reports = nullptr;
  ASSERT_EQ(LaunchChooseTokens(bare, nullptr), 0);
  const std::vector<RowChoice> again = device.Choices();
  for (size_t r = 0; r < rows->size(); ++r) {
    SCOPED_TRACE(testing::Message() << "row " << r);
    const Outcome want = OnCpu((*rows)[r]);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(choices[r], want, (*rows)[r]));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(again[r], want, (*rows)[r]));
    ASSERT_NO_FATAL_FAILURE(ExpectSameReport(reports[r], tops.data() + r * kMostTops, want));
  }
}

// Returns `count` different ids from `begin` to `end`, ascending.
std::vector<uint32_t> DrawIds(RowMaker* maker, uint32_t count, uint32_t begin, uint32_t end) {
  std::vector<uint32_t> ids;
  for (uint32_t id = begin; ids.size() < count && id < end; ++id) {
    const uint32_t wanted = count - static_cast<uint32_t>(ids.size());
    if (maker->Below(end - id) < wanted) ids.push_back(id);
  }
  return ids;
}

// Up to 256 ids are gathered by one block; more are marked, and read as tiles are. Tables of
// penalties are read whole, or searched where they are long beside few tokens.
TEST(CudaLogits, RowsOfShortListsAreGathered) {
  RowMaker maker(48);
  const uint32_t vocab = 20021;
  const uint32_t counts[] = {0, 1, 2, 5, 64, 200, 255, 256, 257, 700};
  for (int round = 0; round < 3; ++round) {
    std::vector<BatchRow> rows;
    for (const uint32_t count : counts) {
      BatchRow row;
      row.row = maker.Row(vocab);
      row.form = MaskForm::kLists;
      row.row.exceptions = DrawIds(&maker, count, 0, vocab);
      row.settings = maker.Settings();
      if (maker.Below(3) != 0) {
        const uint32_t table = 1 + maker.Below(maker.Below(2) == 0 ? 20 : 3000);
        for (const uint32_t id : DrawIds(&maker, table, 0, vocab)) {
          row.row.adjustments.push_back({id, id % 3, id % 2, maker.Uniform(-3.0f, 3.0f)});
        }
      }
      rows.push_back(row);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSameRows(&rows, static_cast<LogitType>(round % 3)));
  }
  ExpectNoFindings();
}

TEST(CudaLogits, IdsThatListsRepeatCountOnce) {
  std::vector<BatchRow> rows(1);
  rows[0].row.vocab = 5000;
  for (uint32_t i = 0; i < 5000; ++i) rows[0].row.logits.push_back(static_cast<float>(i % 4100));
  rows[0].row.adjustments = {{9, 0, 0, 5000.0f}};
  rows[0].settings.top_k = 2;
  DeviceBatch device(&rows, LogitType::kF32, 5000);
  const simt::DeviceArray<uint32_t> pool(std::vector<uint32_t>{5, 5, 9, 4099, 4099, 5000, 7000});
  const simt::DeviceArray<uint32_t> sent(std::vector<uint32_t>{3, 9, 9, 4099, 6000});
  const simt::DeviceArray<RowMask> masks(std::vector<RowMask>{{kNoSlot, 0, 7, 5, 0}});
  LogitsBatch batch = device.batch();
  batch.masks = {masks.data(), pool.data(), sent.data(), 157};
  ASSERT_EQ(LaunchChooseTokens(batch, nullptr), 0);
  const RowChoice choice = device.Choices()[0];
  EXPECT_EQ(choice.allowed_count, 4u);
  EXPECT_EQ(choice.kept_count, 2u);
  EXPECT_EQ(choice.token, 9u);
  ExpectNoFindings();
}

// Splits that allow few tokens leave them as they are; the row is settled at once where all of its
// splits do and have few together.
TEST(CudaLogits, SplitsOfFewTokensAreJoinedWithOthers) {
  RowMaker maker(49);
  const uint32_t vocab = 59000;
  const uint32_t of_split = 20480;
  const std::vector<std::vector<uint32_t>> counts = {
      {1, 0, 0}, {20, 20, 24}, {128, 0, 128}, {129, 0, 3}, {100, 100, 100}, {5000, 60, 0},
  };
  for (int round = 0; round < 4; ++round) {
    std::vector<BatchRow> rows;
    for (const std::vector<uint32_t>& row_counts : counts) {
      BatchRow row;
      row.row = maker.Row(vocab);
      row.form = MaskForm::kRow;
      row.row.mask.assign((vocab + 31) / 32, 0);
      for (uint32_t s = 0; s < 3; ++s) {
        const uint32_t end = std::min((s + 1) * of_split, vocab);
        for (const uint32_t id : DrawIds(&maker, row_counts[s], s * of_split, end)) {
          row.row.mask[id / 32] |= 1u << (id % 32);
        }
      }
      row.settings = maker.Settings();
      if (row.settings.temperature == 0.0f) row.settings.temperature = 2.0f;
      if (round % 2 == 0) row.settings.top_p = 0.5 + maker.Below(50) / 100.0;
      rows.push_back(row);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSameRows(&rows, static_cast<LogitType>(round % 3)));
  }
  ExpectNoFindings();
}

// A batch made for some rows takes steps of fewer, which may be cut into more splits.
TEST(CudaLogits, AWorkspaceIsLargeEnoughForFewerRows) {
  for (const uint32_t vocab : {1000u, 32000u, 49152u, 128256u, 262144u}) {
    size_t most = 0;
    for (uint32_t rows = 1; rows <= 600; ++rows) {
      const size_t bytes = LogitsWorkspaceBytes(rows, vocab);
      EXPECT_GE(bytes, most) << vocab << " tokens, " << rows << " rows";
      most = std::max(most, bytes);
    }
  }
}

// Models often have a few more logits than their tokenizers have tokens.
TEST(CudaLogits, TokensBeyondTheRowsOfThePoolAreClosed) {
  std::vector<BatchRow> rows(2);
  for (BatchRow& row : rows) {
    row.row.vocab = 5000;
    for (uint32_t i = 0; i < 5000; ++i) row.row.logits.push_back(static_cast<float>(i % 4100));
    row.settings.temperature = 0.0f;
  }
  DeviceBatch device(&rows, LogitType::kF32, 5000);
  const simt::DeviceArray<uint32_t> pool(std::vector<uint32_t>(2 * 100, 0xFFFFFFFF));
  const simt::DeviceArray<uint32_t> sent(std::vector<uint32_t>{4099});
  const simt::DeviceArray<RowMask> masks(std::vector<RowMask>{{1, 0, 0, 0, 0}, {0, 0, 0, 1, 0}});
  LogitsBatch batch = device.batch();
  batch.masks = {masks.data(), pool.data(), sent.data(), 100};
  ASSERT_EQ(LaunchChooseTokens(batch, nullptr), 0);
  const std::vector<RowChoice> choices = device.Choices();
  EXPECT_EQ(choices[0].allowed_count, 3200u);
  EXPECT_EQ(choices[0].token, 3199u);
  EXPECT_EQ(choices[1].allowed_count, 3201u);
  EXPECT_EQ(choices[1].token, 4099u);
  ExpectNoFindings();
}

TEST(CudaLogits, ACapturedLaunchChoosesAgainForNewLogits) {
  RowMaker maker(44);
  std::vector<BatchRow> rows;
  for (int r = 0; r < 3; ++r) rows.push_back(MakeRow(&maker, 3000));
  DeviceBatch device(&rows, LogitType::kF32, 3000);
  simt::cudaStream_t stream;
  ASSERT_EQ(simt::cudaStreamCreate(&stream), simt::cudaSuccess);
  simt::cudaGraph_t graph;
  simt::cudaGraphExec_t exec;
  ASSERT_EQ(simt::cudaStreamBeginCapture(stream, simt::cudaStreamCaptureModeGlobal),
            simt::cudaSuccess);
  ASSERT_EQ(LaunchChooseTokens(device.batch(), stream), 0);
  ASSERT_EQ(simt::cudaStreamEndCapture(stream, &graph), simt::cudaSuccess);
  ASSERT_EQ(simt::cudaGraphInstantiate(&exec, graph, 0), simt::cudaSuccess);
  for (int turn = 0; turn < 2; ++turn) {
    for (BatchRow& row : rows)
      std::rotate(row.row.logits.begin(), row.row.logits.begin() + 7, row.row.logits.end());
    device.ReplaceLogits(rows);
    ASSERT_EQ(simt::cudaGraphLaunch(exec, stream), simt::cudaSuccess);
    ASSERT_EQ(simt::cudaStreamSynchronize(stream), simt::cudaSuccess);
    const std::vector<RowChoice> choices = device.Choices();
    for (size_t r = 0; r < rows.size(); ++r) {
      ASSERT_NO_FATAL_FAILURE(ExpectSame(choices[r], OnCpu(rows[r]), rows[r]));
    }
  }
  ASSERT_EQ(simt::cudaGraphExecDestroy(exec), simt::cudaSuccess);
  ASSERT_EQ(simt::cudaGraphDestroy(graph), simt::cudaSuccess);
  ASSERT_EQ(simt::cudaStreamDestroy(stream), simt::cudaSuccess);
  ExpectNoFindings();
}

}  // namespace
}  // namespace maskloom::kernels::cuda
