// The sampling step: equal to the judge on random rows, and each promise of sample_row.h by itself.
#include "kernels/sampling/sample_row.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernels/sampling/sampling_fixture.h"

namespace maskloom::kernels {
namespace {

constexpr float kInfinity = __builtin_inff();
constexpr float kNan = __builtin_nanf("");

void ExpectClose(float a, float b) {
  if (std::isinf(a) || std::isinf(b)) {
    ASSERT_EQ(a, b);
  } else {
    ASSERT_NEAR(a, b, 1e-5 + std::abs(b) * 1e-6);
  }
}

void ExpectSame(const Outcome& got, const Outcome& want) {
  ASSERT_EQ(got.status, want.status);
  ASSERT_EQ(got.result.token, want.result.token);
  ASSERT_EQ(got.result.allowed_count, want.result.allowed_count);
  ASSERT_EQ(got.result.kept_count, want.result.kept_count);
  ExpectClose(got.result.logprob, want.result.logprob);
  ExpectClose(got.result.masked_logprob, want.result.masked_logprob);
  ExpectClose(got.result.masked_logsumexp, want.result.masked_logsumexp);
  ASSERT_NEAR(got.result.entropy_bits, want.result.entropy_bits, 2e-5);
  ExpectClose(got.result.raw_logprob, want.result.raw_logprob);
  ExpectClose(got.result.raw_logsumexp, want.result.raw_logsumexp);
  ASSERT_NEAR(got.result.removed_mass, want.result.removed_mass, 1e-6);
  ASSERT_EQ(got.top.size(), want.top.size());
  for (size_t i = 0; i < got.top.size(); ++i) {
    ASSERT_EQ(got.top[i].id, want.top[i].id) << i;
    ExpectClose(got.top[i].logprob, want.top[i].logprob);
  }
}

OwnedRow RowOf(std::vector<float> logits) {
  OwnedRow row;
  row.vocab = static_cast<uint32_t>(logits.size());
  row.logits = std::move(logits);
  return row;
}

TEST(SampleRow, EqualsTheJudgeOnRandomRows) {
  RowMaker maker(1);
  for (int round = 0; round < 6000; ++round) {
    OwnedRow row = maker.Row(1 + maker.Below(round % 40 == 0 ? 3000 : 300));
    if (maker.Below(3) != 0) maker.Mask(&row);
    if (maker.Below(3) == 0) maker.Except(&row);
    if (maker.Below(2) == 0) maker.Adjust(&row);
    SampleSettings settings = maker.Settings();
    if (maker.Below(4) == 0) {
      maker.Gather(&row);
      settings.outputs &= ~static_cast<uint32_t>(kOutputRaw);
    }
    if (maker.Below(50) == 0) row.logits[maker.Below(row.logits.size())] = kInfinity;
    const Outcome want = Choose(Form::kReference, row, settings);
    for (Form form : FormsHere()) {
      SCOPED_TRACE(testing::Message() << "round " << round << " form " << static_cast<int>(form));
      ASSERT_NO_FATAL_FAILURE(ExpectSame(Choose(form, row, settings), want));
    }
  }
}

TEST(SampleRow, EqualsTheJudgeOnFullVocabularies) {
  RowMaker maker(2);
  for (uint32_t vocab : {49152u, 128256u}) {
    for (int round = 0; round < 4; ++round) {
      OwnedRow row = maker.Row(vocab);
      if (round % 2 == 1) maker.Mask(&row);
      SampleSettings settings = maker.Settings();
      settings.outputs = kOutputLogprobs | kOutputEntropy | kOutputRaw;
      settings.top_count = 20;
      const Outcome want = Choose(Form::kReference, row, settings);
      for (Form form : FormsHere()) {
        SCOPED_TRACE(testing::Message() << "vocab " << vocab << " round " << round);
        ASSERT_NO_FATAL_FAILURE(ExpectSame(Choose(form, row, settings), want));
      }
    }
  }
}

TEST(SampleRow, MoreOutputsNeverChangeTheToken) {
  RowMaker maker(3);
  for (int round = 0; round < 500; ++round) {
    OwnedRow row = maker.Row(1 + maker.Below(500));
    maker.Mask(&row);
    SampleSettings settings = maker.Settings();
    settings.outputs = 0;
    settings.top_count = 0;
    const Outcome bare = Choose(Form::kDefault, row, settings);
    settings.outputs = kOutputLogprobs | kOutputEntropy | kOutputRaw;
    settings.top_count = 40;
    const Outcome full = Choose(Form::kDefault, row, settings);
    ASSERT_EQ(bare.status, full.status);
    ASSERT_EQ(bare.result.token, full.result.token);
    ASSERT_EQ(bare.result.kept_count, full.result.kept_count);
  }
}

TEST(SampleRow, GatheredLogitsChooseAsTheMaskedRow) {
  RowMaker maker(4);
  for (int round = 0; round < 500; ++round) {
    OwnedRow row = maker.Row(1 + maker.Below(500));
    maker.Mask(&row);
    maker.Adjust(&row);
    OwnedRow gathered = row;
    gathered.mask.clear();
    gathered.logits.clear();
    for (uint32_t i = 0; i < row.vocab; ++i) {
      if (((row.mask[i / 32] >> (i % 32)) & 1u) == 0) continue;
      gathered.ids.push_back(i);
      gathered.logits.push_back(row.logits[i]);
    }
    if (gathered.ids.empty()) continue;
    SampleSettings settings = maker.Settings();
    settings.outputs = kOutputLogprobs | kOutputEntropy;
    const Outcome from_row = Choose(Form::kDefault, row, settings);
    const Outcome from_list = Choose(Form::kDefault, gathered, settings);
    ASSERT_EQ(from_row.status, from_list.status);
    ASSERT_EQ(from_row.result.token, from_list.result.token);
    ASSERT_EQ(from_row.result.logprob, from_list.result.logprob);
    ASSERT_EQ(from_row.result.masked_logsumexp, from_list.result.masked_logsumexp);
    ASSERT_EQ(from_row.result.entropy_bits, from_list.result.entropy_bits);
  }
}

TEST(SampleRow, EmptyMaskIsAStatusAndNoToken) {
  OwnedRow row = RowOf({1, 2, 3});
  row.mask = {0xfffffff8u};  // only bits beyond the vocabulary
  for (Form form : {Form::kReference, Form::kPlain, Form::kDefault}) {
    const Outcome outcome = Choose(form, row, {});
    EXPECT_EQ(outcome.status, SampleStatus::kEmptyMask);
    EXPECT_EQ(outcome.result.token, UINT32_MAX);
  }
}

TEST(SampleRow, AllowedLogitsWithoutWeightAreAStatus) {
  OwnedRow row = RowOf({kNan, 2, -kInfinity});
  row.mask = {0b101u};
  for (Form form : {Form::kReference, Form::kPlain, Form::kDefault}) {
    const Outcome outcome = Choose(form, row, {});
    EXPECT_EQ(outcome.status, SampleStatus::kNoFiniteLogit);
    EXPECT_EQ(outcome.result.allowed_count, 2u);
    EXPECT_EQ(outcome.result.token, UINT32_MAX);
  }
}

TEST(SampleRow, NanIsNeverChosenAndInfinityWins) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SampleSettings settings;
    settings.seed = seed;
    EXPECT_EQ(Choose(Form::kDefault, RowOf({kNan, -5, kNan}), settings).result.token, 1u);
    settings.top_count = 3;
    const Outcome outcome =
        Choose(Form::kDefault, RowOf({1e30f, kInfinity, 9, kInfinity}), settings);
    EXPECT_EQ(outcome.result.token, 1u);
    EXPECT_EQ(outcome.result.kept_count, 1u);
    EXPECT_EQ(outcome.top[0].id, 1u);
    EXPECT_EQ(outcome.top[1].id, 3u);
    EXPECT_EQ(outcome.top[2].id, 0u);
  }
}

TEST(SampleRow, GreedyTakesTheLargestAndTheLowerIdOfATie) {
  SampleSettings settings;
  settings.temperature = 0.0f;
  settings.top_k = 1;
  const Outcome outcome = Choose(Form::kDefault, RowOf({1, 4, 4, 2}), settings);
  EXPECT_EQ(outcome.result.token, 1u);
  EXPECT_EQ(outcome.result.logprob, 0.0f);
  const double sum = std::exp(-3.0) + 2 + std::exp(-2.0);
  EXPECT_NEAR(outcome.result.masked_logprob, -std::log(sum), 1e-6);
}

TEST(SampleRow, TiesAtTheEdgeOfAFilterGoToTheLowerId) {
  SampleSettings settings;
  settings.top_k = 2;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    settings.seed = seed;
    const Outcome outcome = Choose(Form::kDefault, RowOf({0, 1, 1, 1}), settings);
    EXPECT_TRUE(outcome.result.token == 1 || outcome.result.token == 2);
    EXPECT_EQ(outcome.result.kept_count, 2u);
  }
}

TEST(SampleRow, TopPKeepsTheSmallestPrefixThatReachesP) {
  const OwnedRow row = RowOf({std::log(0.1f), std::log(0.4f), std::log(0.2f), std::log(0.3f)});
  SampleSettings settings;
  for (auto [p, kept] : {std::pair(0.0, 1u),
                         {0.39, 1u},
                         {0.41, 2u},
                         {0.69, 2u},
                         {0.71, 3u},
                         {0.89, 3u},
                         {0.91, 4u},
                         {1.0, 4u}}) {
    settings.top_p = p;
    EXPECT_EQ(Choose(Form::kDefault, row, settings).result.kept_count, kept) << p;
  }
  const OwnedRow equal = RowOf(std::vector<float>(10, 0.25f));
  for (int tenths = 1; tenths <= 10; ++tenths) {
    settings.top_p = tenths / 10.0;
    EXPECT_EQ(Choose(Form::kDefault, equal, settings).result.kept_count,
              static_cast<uint32_t>(tenths));
  }
}

TEST(SampleRow, TopPSeesTheDistributionThatTopKRenormalised) {
  const OwnedRow row = RowOf({std::log(0.3f), std::log(0.3f), std::log(0.2f), std::log(0.2f)});
  SampleSettings settings;
  settings.top_p = 0.55;
  EXPECT_EQ(Choose(Form::kDefault, row, settings).result.kept_count, 2u);
  settings.top_k = 3;  // 0.375, 0.375, 0.25
  settings.top_p = 0.74;
  EXPECT_EQ(Choose(Form::kDefault, row, settings).result.kept_count, 2u);
}

TEST(SampleRow, MinPComparesWithTheLargest) {
  const OwnedRow row = RowOf({std::log(0.5f), std::log(0.25f), std::log(0.15f), std::log(0.1f)});
  SampleSettings settings;
  for (auto [p, kept] :
       {std::pair(0.0, 4u), {0.19, 4u}, {0.21, 3u}, {0.31, 2u}, {0.51, 1u}, {1.0, 1u}}) {
    settings.min_p = p;
    EXPECT_EQ(Choose(Form::kDefault, row, settings).result.kept_count, kept) << p;
  }
}

TEST(SampleRow, PenaltiesTouchOnlyTokensThatArePresent) {
  const OwnedRow plain = RowOf({2, -2, 1, 0.5f});
  OwnedRow row = plain;
  row.adjustments = {{0, 0, 1, 0.0f}, {1, 2, 0, 0.0f}, {3, 0, 0, 0.25f}};
  SampleSettings settings;
  settings.temperature = 0.0f;
  settings.repetition_penalty = 2.0f;
  settings.frequency_penalty = 0.5f;
  settings.presence_penalty = 0.25f;
  settings.top_count = 4;
  const Outcome outcome = Choose(Form::kDefault, row, settings);
  // 2 / 2, -2 * 2 - (2 * 0.5 + 0.25), untouched, bias only
  const float expected[] = {1.0f, -5.25f, 1.0f, 0.75f};
  for (const TopToken& entry : outcome.top) {
    EXPECT_NEAR(entry.logprob + outcome.result.masked_logsumexp, expected[entry.id], 1e-5);
  }
  EXPECT_EQ(outcome.result.token, 0u);
}

TEST(SampleRow, ReportsMassRemovedByTheMask) {
  OwnedRow row = RowOf({std::log(0.5f), std::log(0.2f), std::log(0.3f)});
  row.mask = {0b110u};
  SampleSettings settings;
  settings.temperature = 0.5f;
  settings.outputs = kOutputLogprobs | kOutputEntropy | kOutputRaw;
  const SampleResult result = Choose(Form::kDefault, row, settings).result;
  EXPECT_NEAR(result.removed_mass, 0.5, 1e-6);
  EXPECT_NEAR(result.raw_logsumexp, 0.0, 1e-6);
  EXPECT_NEAR(result.raw_logprob, row.logits[result.token], 1e-6);
  const double a = 0.04 / 0.13, b = 0.09 / 0.13;
  EXPECT_NEAR(result.entropy_bits, -(a * std::log2(a) + b * std::log2(b)), 1e-5);
  EXPECT_NEAR(result.masked_logprob, std::log(result.token == 1 ? a : b), 1e-5);
}

TEST(SampleRow, ExceptionsFlipBitsOfTheMask) {
  OwnedRow row = RowOf({5, 4, 3, 2});
  row.mask = {0b0101u};
  row.exceptions = {0, 1};
  SampleSettings settings;
  settings.temperature = 0;
  for (Form form : FormsHere()) {
    EXPECT_EQ(Choose(form, row, settings).result.token, 1u);
    EXPECT_EQ(Choose(form, row, settings).result.allowed_count, 2u);
  }
  row.mask.clear();  // all allowed but the exceptions
  for (Form form : FormsHere()) EXPECT_EQ(Choose(form, row, settings).result.token, 2u);
  row.exceptions = {1, 0};
  EXPECT_EQ(Choose(Form::kDefault, row, settings).status, SampleStatus::kInvalidArgument);
  row.exceptions = {4};
  EXPECT_EQ(Choose(Form::kDefault, row, settings).status, SampleStatus::kInvalidArgument);
}

// A row whose exceptions close nearly all of it is a list; one slice of it has none of them.
TEST(SampleRow, ExceptionsMayCloseAllButOneSlice) {
  const uint32_t slices = 40, open = 5;
  OwnedRow row = RowOf(std::vector<float>(slices * kSliceTokens, 1.0f));
  for (uint32_t id = 0; id < row.vocab; ++id) {
    if (id / kSliceTokens != open) row.exceptions.push_back(id);
  }
  const uint32_t best = open * kSliceTokens + 77;
  row.logits[best] = 2.0f;
  SampleSettings settings;
  settings.temperature = 0;
  for (Form form : FormsHere()) {
    const Outcome got = Choose(form, row, settings);
    EXPECT_EQ(got.result.token, best);
    EXPECT_EQ(got.result.allowed_count, kSliceTokens);
  }
}

// Logits behind a protected page: reading them ends the process.
TEST(SampleRow, ClosedSlicesAreNotRead) {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const uint32_t vocab = static_cast<uint32_t>(3 * page / sizeof(float));
  void* memory =
      ::mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  float* logits = static_cast<float*>(memory);
  for (uint32_t i = 0; i < vocab; ++i) logits[i] = static_cast<float>(i % 97) / 10.0f;
  const uint32_t third = vocab / 3;
  std::vector<uint32_t> mask(vocab / 32, 0xffffffffu);
  std::fill(mask.begin() + third / 32, mask.begin() + 2 * third / 32, 0u);
  ASSERT_EQ(::mprotect(logits + third, page, PROT_NONE), 0);
  SampleRow row = {};
  row.logits = logits;
  row.count = row.vocab = vocab;
  row.mask = mask.data();
  SampleSettings settings;
  settings.top_p = 0.9;
  settings.top_k = 100;
  settings.outputs = kOutputLogprobs | kOutputEntropy;
  std::vector<char> scratch(SampleScratchBytes(vocab) + 64);
  void* aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64);
  for (const RowOps* ops : {&PlainRowOps(), Avx2RowOps(), Avx512RowOps()}) {
    SampleResult result;
    if (ops == nullptr) continue;
    EXPECT_EQ(ChooseTokenWith(*ops, row, settings, {aligned, nullptr}, &result), SampleStatus::kOk);
    EXPECT_EQ(result.allowed_count, 2 * third);
  }
  ::munmap(memory, 3 * page);
}

// Flat rows at sizes around a slice, where many tokens stay and cuts fall among ties.
TEST(SampleRow, EqualsTheJudgeWhereFiltersKeepMuch) {
  RowMaker maker(5);
  for (int round = 0; round < 120; ++round) {
    const uint32_t sizes[] = {1, 15, 511, 512, 513, 1025, 4097};
    OwnedRow row = RowOf(std::vector<float>(sizes[round % 7]));
    for (float& x : row.logits) x = std::round(maker.Uniform(-20.0f, 20.0f)) / (1 + round % 5);
    if (round % 2 == 0) maker.Mask(&row);
    if (round % 3 == 0) maker.Except(&row);
    SampleSettings settings = maker.Settings();
    settings.temperature = round % 4 == 0 ? 10000.0f : 2.0f;
    settings.top_p = 0.5 + maker.Below(50) / 100.0;
    if (round % 2 == 0) settings.top_k = 1 + maker.Below(2000);
    const Outcome want = Choose(Form::kReference, row, settings);
    for (Form form : FormsHere()) {
      SCOPED_TRACE(testing::Message() << "round " << round << " form " << static_cast<int>(form));
      ASSERT_NO_FATAL_FAILURE(ExpectSame(Choose(form, row, settings), want));
    }
  }
}

TEST(SampleRow, RefusesWhatIsOutsideTheDocumentedRanges) {
  const OwnedRow good = RowOf({1, 2, 3});
  std::vector<SampleSettings> bad(12);
  bad[0].temperature = -1.0f;
  bad[1].temperature = kNan;
  bad[2].temperature = 1e-6f;
  bad[3].temperature = 1e6f;
  bad[4].top_p = -0.1;
  bad[5].top_p = 1.1;
  bad[6].min_p = kNan;
  bad[7].repetition_penalty = 0.0f;
  bad[8].repetition_penalty = kInfinity;
  bad[9].frequency_penalty = kNan;
  bad[10].presence_penalty = kInfinity;
  bad[11].top_count = kMaxTopTokens + 1;
  for (size_t i = 0; i < bad.size(); ++i) {
    const Outcome outcome = Choose(Form::kDefault, good, bad[i]);
    EXPECT_EQ(outcome.status, SampleStatus::kInvalidArgument) << i;
    EXPECT_EQ(outcome.result.token, UINT32_MAX);
  }
  OwnedRow unordered = good;
  unordered.ids = {0, 2, 1};
  EXPECT_EQ(Choose(Form::kDefault, unordered, {}).status, SampleStatus::kInvalidArgument);
  OwnedRow outside = good;
  outside.adjustments = {{3, 1, 0, 0.0f}};
  EXPECT_EQ(Choose(Form::kDefault, outside, {}).status, SampleStatus::kInvalidArgument);
}

}  // namespace
}  // namespace maskloom::kernels
