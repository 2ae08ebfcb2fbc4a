// Every backend against the plain reference, on random data of many shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/half.h"
#include "kernels/kernels.h"

namespace maskloom::kernels {
namespace {

constexpr WeightType kTypes[] = {WeightType::kF32, WeightType::kF16, WeightType::kQ4_1,
                                 WeightType::kQ8_0};

class Backends : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    tested_ = FindBackend(GetParam());
    if (tested_ == nullptr) GTEST_SKIP() << "this processor does not run " << GetParam();
    reference_ = FindBackend("reference");
    ASSERT_NE(reference_, nullptr);
  }

  std::vector<float> Floats(size_t count, float range = 1) {
    std::uniform_real_distribution<float> values(-range, range);
    std::vector<float> out(count);
    for (float& value : out) value = values(random_);
    return out;
  }

  std::vector<uint16_t> Halves(size_t count) {
    std::vector<uint16_t> out;
    for (float value : Floats(count)) out.push_back(FloatToHalf(value));
    return out;
  }

  // Random rows with scales near one hundredth.
  std::vector<uint8_t> Weights(WeightType type, size_t columns, size_t rows) {
    std::vector<uint8_t> out(RowBytes(type, columns) * rows);
    if (type == WeightType::kF32) {
      std::memcpy(out.data(), Floats(columns * rows).data(), out.size());
    } else if (type == WeightType::kF16) {
      std::memcpy(out.data(), Halves(columns * rows).data(), out.size());
    } else {
      for (uint8_t& byte : out) byte = static_cast<uint8_t>(random_());
      size_t block_bytes = RowBytes(type, 32);
      for (size_t at = 0; at < out.size(); at += block_bytes) {
        for (size_t scale = 0; scale < (type == WeightType::kQ4_1 ? 2u : 1u); ++scale) {
          uint16_t half = FloatToHalf(Floats(1, 0.02f)[0]);
          std::memcpy(out.data() + at + 2 * scale, &half, 2);
        }
      }
    }
    return out;
  }

  std::vector<Q8Block> Quantized(const std::vector<float>& x) {
    std::vector<Q8Block> out(x.size() / 32);
    reference_->quantize_q8(x.data(), x.size(), out.data());
    return out;
  }

  const Backend* tested_ = nullptr;
  const Backend* reference_ = nullptr;
  std::mt19937 random_{7};
};

void ExpectNear(const std::vector<float>& ours, const std::vector<float>& judge, float tolerance) {
  ASSERT_EQ(ours.size(), judge.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    ASSERT_NEAR(ours[i], judge[i], tolerance * (1 + std::fabs(judge[i]))) << "at " << i;
  }
}

TEST_P(Backends, DequantizesTheSameValues) {
  for (WeightType type : kTypes) {
    for (size_t columns : {32, 64, 576, 1536}) {
      std::vector<uint8_t> row = Weights(type, columns, 1);
      std::vector<float> ours(columns), judge(columns);
      tested_->dequantize_row(type, row.data(), columns, ours.data());
      reference_->dequantize_row(type, row.data(), columns, judge.data());
      EXPECT_EQ(ours, judge);
    }
  }
}

TEST_P(Backends, QuantizesToTheSameBytes) {
  for (float range : {0.0f, 1e-6f, 1.0f, 1000.0f}) {
    std::vector<float> x = Floats(640, range);
    x[3] = 0;
    std::vector<Q8Block> ours(20), judge(20);
    tested_->quantize_q8(x.data(), 640, ours.data());
    reference_->quantize_q8(x.data(), 640, judge.data());
    EXPECT_EQ(std::memcmp(ours.data(), judge.data(), 20 * sizeof(Q8Block)), 0);
  }
}

TEST_P(Backends, MultipliesFloats) {
  for (WeightType type : kTypes) {
    for (size_t columns : {32, 576, 4128}) {
      for (size_t batch : {1, 2, 4, 5, 9}) {
        std::vector<uint8_t> weights = Weights(type, columns, 7);
        std::vector<float> x = Floats(columns * batch);
        std::vector<float> ours(8 * batch, -1), judge(8 * batch, -1);
        MatmulArgs args{.weights = weights.data(),
                        .type = type,
                        .columns = columns,
                        .first = 1,
                        .count = 6,
                        .x = x.data(),
                        .batch = batch,
                        .out = ours.data(),
                        .out_stride = 8};
        tested_->matmul(args);
        args.out = judge.data();
        reference_->matmul(args);
        ExpectNear(ours, judge, 2e-4f);
        EXPECT_EQ(ours[0], -1);  // rows that were not asked for are left alone
        EXPECT_EQ(ours[7], -1);
      }
    }
  }
}

TEST_P(Backends, MultipliesOddFloatRows) {
  for (WeightType type : {WeightType::kF32, WeightType::kF16}) {
    for (size_t columns : {1, 7, 15, 17, 45}) {
      std::vector<uint8_t> weights = Weights(type, columns, 3);
      std::vector<float> x = Floats(columns * 5), ours(15), judge(15);
      MatmulArgs args{.weights = weights.data(),
                      .type = type,
                      .columns = columns,
                      .count = 3,
                      .x = x.data(),
                      .batch = 5,
                      .out = ours.data(),
                      .out_stride = 3};
      tested_->matmul(args);
      args.out = judge.data();
      reference_->matmul(args);
      ExpectNear(ours, judge, 1e-5f);
    }
  }
}

TEST_P(Backends, MultipliesEightBitActivations) {
  for (WeightType type : {WeightType::kQ4_1, WeightType::kQ8_0}) {
    for (size_t columns : {32, 96, 576, 1536}) {
      for (size_t batch : {1, 2, 4, 5, 9}) {
        std::vector<uint8_t> weights = Weights(type, columns, 13);
        std::vector<Q8Block> x = Quantized(Floats(columns * batch));
        std::vector<float> ours(16 * batch, -1), judge(16 * batch, -1);
        MatmulArgs args{.weights = weights.data(),
                        .type = type,
                        .columns = columns,
                        .first = 2,
                        .count = 11,
                        .x_q8 = x.data(),
                        .batch = batch,
                        .out = ours.data(),
                        .out_stride = 16};
        tested_->matmul_q8(args);
        args.out = judge.data();
        reference_->matmul_q8(args);
        ExpectNear(ours, judge, 1e-4f);
        EXPECT_EQ(ours[1], -1);
        EXPECT_EQ(ours[13], -1);
      }
    }
  }
}

TEST_P(Backends, SurvivesExtremeBytes) {
  constexpr size_t kColumns = 64;
  std::vector<float> x(kColumns, 1.0f);
  for (size_t i = 0; i < kColumns; i += 2) x[i] = -1.0f;
  std::vector<Q8Block> q8 = Quantized(x);
  for (WeightType type : {WeightType::kQ4_1, WeightType::kQ8_0}) {
    for (int byte : {0x80, 0x7F, 0xFF, 0x00}) {
      std::vector<uint8_t> weights(RowBytes(type, kColumns), static_cast<uint8_t>(byte));
      for (size_t at = 0; at < weights.size(); at += RowBytes(type, 32)) {
        std::memset(weights.data() + at, 0x20, type == WeightType::kQ4_1 ? 4 : 2);
      }
      float ours = 0, judge = 0;
      MatmulArgs args{.weights = weights.data(),
                      .type = type,
                      .columns = kColumns,
                      .count = 1,
                      .x_q8 = q8.data(),
                      .batch = 1,
                      .out = &ours,
                      .out_stride = 1};
      tested_->matmul_q8(args);
      args.out = &judge;
      reference_->matmul_q8(args);
      EXPECT_NEAR(ours, judge, 1e-4f);
    }
  }
}

TEST_P(Backends, ListedRowsAndBatchesEqualSingleProductsBitForBit) {
  constexpr size_t kColumns = 576, kRows = 40, kBatch = 6;
  for (WeightType type : kTypes) {
    std::vector<uint8_t> weights = Weights(type, kColumns, kRows);
    std::vector<float> x = Floats(kColumns * kBatch);
    std::vector<Q8Block> x_q8 = Quantized(x);
    bool has_q8 = type == WeightType::kQ4_1 || type == WeightType::kQ8_0;
    for (bool q8 : {false, true}) {
      if (q8 && !has_q8) continue;
      auto multiply = q8 ? tested_->matmul_q8 : tested_->matmul;
      MatmulArgs args{.weights = weights.data(),
                      .type = type,
                      .columns = kColumns,
                      .count = kRows,
                      .x = x.data(),
                      .x_q8 = x_q8.data(),
                      .batch = kBatch,
                      .out_stride = kRows};
      std::vector<float> all(kRows * kBatch);
      args.out = all.data();
      multiply(args);
      args.batch = 1;
      const int32_t ids[] = {39, 0, 7, 7, 12, 38, 1};
      args.row_ids = ids;
      for (size_t b = 0; b < kBatch; ++b) {
        args.x = x.data() + b * kColumns;
        args.x_q8 = x_q8.data() + b * kColumns / 32;
        for (size_t first = 0; first < std::size(ids); ++first) {
          args.first = first;
          args.count = std::size(ids) - first;
          std::vector<float> some(std::size(ids));
          args.out = some.data();
          multiply(args);
          for (size_t i = first; i < std::size(ids); ++i) {
            EXPECT_EQ(some[i], all[b * kRows + static_cast<size_t>(ids[i])]);
          }
        }
      }
    }
  }
}

TEST_P(Backends, Normalizes) {
  for (size_t count : {1, 8, 31, 576}) {
    std::vector<float> x = Floats(count, 3), weight = Floats(count), ours(count), judge(count);
    tested_->rms_norm(x.data(), weight.data(), count, 1e-5f, ours.data());
    reference_->rms_norm(x.data(), weight.data(), count, 1e-5f, judge.data());
    ExpectNear(ours, judge, 1e-6f);
    tested_->rms_norm(x.data(), weight.data(), count, 1e-5f, x.data());
    EXPECT_EQ(x, ours);
  }
}

TEST_P(Backends, Rotates) {
  for (size_t pairs : {1, 4, 7, 32}) {
    std::vector<float> ours = Floats(3 * 80), judge = ours, angles;
    for (float angle : Floats(pairs, 3)) {
      angles.push_back(std::cos(angle));
      angles.push_back(std::sin(angle));
    }
    tested_->rope(ours.data(), 3, 80, pairs, angles.data());
    reference_->rope(judge.data(), 3, 80, pairs, angles.data());
    ExpectNear(ours, judge, 1e-6f);
  }
}

TEST_P(Backends, Gates) {
  std::vector<float> gate = Floats(1003, 20), up = Floats(1003), ours(1003), judge(1003);
  gate[0] = -200;
  gate[1] = 200;
  gate[2] = 0;
  tested_->silu_gate(gate.data(), up.data(), 1003, ours.data());
  reference_->silu_gate(gate.data(), up.data(), 1003, judge.data());
  ExpectNear(ours, judge, 2e-6f);
}

TEST_P(Backends, SoftmaxSumsToOne) {
  for (size_t count : {1, 7, 8, 700}) {
    std::vector<float> ours = Floats(count, 30), judge = ours;
    if (count > 1) ours[1] = judge[1] = -1e30f;
    tested_->softmax(ours.data(), count);
    reference_->softmax(judge.data(), count);
    ExpectNear(ours, judge, 1e-6f);
    double sum = 0;
    for (float p : ours) sum += p;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_P(Backends, Attends) {
  for (size_t head_dim : {8, 24, 64, 80, 128}) {
    for (KvType type : {KvType::kF32, KvType::kF16}) {
      constexpr size_t kCount = 37;
      size_t stride = head_dim + 16;
      std::vector<float> floats = Floats(kCount * stride);
      std::vector<uint16_t> halves = Halves(kCount * stride);
      KvRun run{.data = type == KvType::kF32 ? static_cast<const void*>(floats.data())
                                             : static_cast<const void*>(halves.data()),
                .type = type,
                .count = kCount,
                .stride = stride};
      for (size_t group : {1, 2, 3, 4, 7}) {
        constexpr size_t kScores = kCount + 2;
        std::vector<float> queries = Floats(group * head_dim);
        std::vector<float> ours(group * kScores), judge(group * kScores);
        AttentionArgs args{.run = run,
                           .group = group,
                           .head_dim = head_dim,
                           .scores = ours.data(),
                           .score_stride = kScores};
        tested_->attention_scores(args, queries.data(), 0.25f);
        args.scores = judge.data();
        reference_->attention_scores(args, queries.data(), 0.25f);
        ExpectNear(ours, judge, 1e-5f);
        std::vector<float> mixed = Floats(group * head_dim), expected = mixed;
        tested_->attention_mix(args, mixed.data());
        reference_->attention_mix(args, expected.data());
        ExpectNear(mixed, expected, 1e-5f);
      }
    }
  }
}

// A cache may hand out its positions in several runs: the same bits must come out.
TEST_P(Backends, AttendsToRunsAsToOnePiece) {
  constexpr size_t kCount = 29, kDim = 64, kGroup = 3;
  std::vector<float> data = Floats(kCount * kDim), queries = Floats(kGroup * kDim);
  std::vector<float> whole(kGroup * kCount), cut(kGroup * kCount);
  std::vector<float> mixed(kGroup * kDim), mixed_cut(kGroup * kDim);
  AttentionArgs args{.run = {.data = data.data(), .count = kCount, .stride = kDim},
                     .group = kGroup,
                     .head_dim = kDim,
                     .scores = whole.data(),
                     .score_stride = kCount};
  tested_->attention_scores(args, queries.data(), 1);
  tested_->attention_mix(args, mixed.data());
  for (size_t begin = 0; begin < kCount; begin += args.run.count) {
    args.run = {.data = data.data() + begin * kDim,
                .count = std::min<size_t>(7, kCount - begin),
                .stride = kDim};
    args.scores = cut.data() + begin;
    tested_->attention_scores(args, queries.data(), 1);
    tested_->attention_mix(args, mixed_cut.data());
  }
  EXPECT_EQ(cut, whole);
  EXPECT_EQ(mixed_cut, mixed);
}

TEST_P(Backends, AddsAndRoundsToHalf) {
  std::vector<float> x = Floats(1003, 70000), y = Floats(1003);
  for (size_t i = 0; i < 500; ++i) x[i] = std::ldexp(y[i], -static_cast<int>(i % 30));
  std::vector<uint16_t> ours(1003), judge(1003);
  tested_->to_half(x.data(), 1003, ours.data());
  reference_->to_half(x.data(), 1003, judge.data());
  EXPECT_EQ(ours, judge);
  std::vector<float> sum = x;
  tested_->add(sum.data(), y.data(), 1003);
  for (size_t i = 0; i < 1003; ++i) ASSERT_EQ(sum[i], x[i] + y[i]);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Backends, testing::Values("avx2", "avx512"),
                         [](const auto& info) { return std::string(info.param); });

TEST(VectorBackends, AgreeBitForBit) {
  const Backend* avx2 = FindBackend("avx2");
  const Backend* avx512 = FindBackend("avx512");
  if (avx2 == nullptr || avx512 == nullptr) GTEST_SKIP() << "this processor lacks one of the two";
  std::mt19937 random(3);
  for (WeightType type : {WeightType::kQ4_1, WeightType::kQ8_0}) {
    std::vector<uint8_t> weights(RowBytes(type, 576) * 9);
    for (uint8_t& byte : weights) byte = static_cast<uint8_t>(random() & 0x7B);
    std::vector<float> x(576 * 5), left(45), right(45);
    for (float& value : x) value = static_cast<float>(random() % 1000) - 500;
    std::vector<Q8Block> x_q8(x.size() / 32);
    avx2->quantize_q8(x.data(), x.size(), x_q8.data());
    MatmulArgs args{.weights = weights.data(),
                    .type = type,
                    .columns = 576,
                    .count = 9,
                    .x_q8 = x_q8.data(),
                    .batch = 5,
                    .out = left.data(),
                    .out_stride = 9};
    avx2->matmul_q8(args);
    args.out = right.data();
    avx512->matmul_q8(args);
    EXPECT_EQ(std::memcmp(left.data(), right.data(), sizeof(float) * 45), 0);
  }
}

TEST(Half, EveryValueComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = HalfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(FloatToHalf(value), bits);
  }
  EXPECT_EQ(FloatToHalf(65519.0f), 0x7BFF);
  EXPECT_EQ(FloatToHalf(65520.0f), 0x7C00);
  EXPECT_EQ(HalfToFloat(0x3555), 0.333251953125f);
}

}  // namespace
}  // namespace maskloom::kernels
