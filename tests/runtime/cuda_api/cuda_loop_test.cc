// Rows through the C API for CUDA take the tokens of the CPU's sampler under the matcher's masks,
// row by row: mixed grammars and settings, rows that end and are replaced, hosts that lag, graphs.
#include <fstream>

#include "runtime/cli/bench_case.h"
#include "tests/kernels/cuda/checks.h"
#include "tests/runtime/cuda_api/engine_loop.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_schema.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

using kernels::cuda::ExpectNoFindings;
using kernels::cuda::FewChecks;
using kernels::cuda::LogitType;

RowSettings AnySettings(std::mt19937_64* random, uint32_t vocab) {
  RowSettings settings;
  SamplingOptions& options = settings.options;
  const double temperatures[] = {0.0, 0.5, 1.0, 1.3};
  const auto one_in = [&](uint64_t n) { return (*random)() % n == 0; };
  options.temperature = temperatures[(*random)() % 4];
  if (one_in(3)) options.top_k = static_cast<uint32_t>(1 + (*random)() % 40);
  if (one_in(3)) options.top_p = 0.9;
  if (one_in(4)) options.min_p = 0.05;
  if (one_in(3)) options.repetition_penalty = 1.2;
  if (one_in(3)) options.frequency_penalty = 0.3;
  if (one_in(4)) options.presence_penalty = -0.2;
  options.seed = (*random)();
  settings.position = (*random)() >> 20;
  const auto any_token = [&] { return static_cast<uint32_t>((*random)() % vocab); };
  for (uint32_t token = any_token() % 500; one_in(2) && token < vocab; token += 1 + any_token()) {
    options.bias.push_back({token, one_in(2) ? 3.0f : -2.5f});
  }
  while (!one_in(4)) settings.prompt.push_back(any_token());
  return settings;
}

maskloom_cuda_options Options(uint32_t rows) {
  maskloom_cuda_options options;
  maskloom_cuda_options_init(&options);
  options.max_rows = rows;
  options.pool_bytes = 4u << 20;
  options.table_bytes = 1u << 20;
  options.staging_bytes = 1u << 20;
  options.max_adjustments = 600;
  return options;
}

class CudaLoop : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    source_ = std::make_unique<TestVocabulary>(SyntheticVocabulary(true));
    vocabulary_ = std::make_unique<CVocabulary>(*source_);
    std::mt19937_64 random(5);
    while (grammars_.size() < 12) {
      const maskloom_grammar* grammar = vocabulary_->Schema(RandomSchema(&random));
      if (grammar != nullptr) grammars_.push_back(grammar);
    }
  }
  static void TearDownTestSuite() {
    grammars_.clear();
    vocabulary_.reset();
    source_.reset();
  }

  static void PlaceAny(EngineLoop* loop, uint32_t row, const maskloom_cuda_options& options) {
    std::mt19937_64& random = loop->random();
    // Some rows have no grammar.
    const maskloom_grammar* grammar =
        row > 0 && random() % 12 == 0 ? nullptr : grammars_[random() % grammars_.size()];
    RowSettings settings = AnySettings(&random, source_->index->size());
    settings.report = AnyReport(&random, options);
    loop->Place(row, grammar, settings);
  }
  static void Replace(EngineLoop* loop, const std::vector<uint32_t>& ended,
                      const maskloom_cuda_options& options) {
    for (const uint32_t row : ended) {
      loop->CatchUp();
      loop->ExpectCaughtUp(row);
      PlaceAny(loop, row, options);
    }
  }
  // Rows of the batch that ask for reports ask for any.
  static SampleReport AnyReport(std::mt19937_64* random, const maskloom_cuda_options& options) {
    SampleReport report;
    if (options.with_reports == 0) return report;
    report.entropy = (*random)() % 3 == 0;
    report.raw = (*random)() % 3 == 0;
    const uint32_t counts[] = {0, 1, options.max_top_tokens};
    report.top_count = counts[(*random)() % 3];
    return report;
  }
  // Runs `steps` steps; where `ahead` is more than one, so many are submitted over the same logits
  // before the host looks.
  static void Run(const maskloom_cuda_options& options, LogitType type, int steps, int ahead,
                  bool in_graph, uint64_t seed) {
    EngineLoop loop(vocabulary_.get(), options, type, seed);
    for (uint32_t row = 0; row < options.max_rows; ++row) {
      if (row == 0 || loop.random()() % 8 != 0) PlaceAny(&loop, row, options);  // others stay empty
    }
    if (in_graph) {
      ASSERT_NO_FATAL_FAILURE(loop.Capture());
    }
    for (int step = 0; step < steps; ++step) {
      for (int i = 0; i < ahead; ++i) ASSERT_NO_FATAL_FAILURE(loop.Submit(i == 0));
      loop.Wait();
      Replace(&loop, loop.Finish(), options);
      if (step % 3 == 0) loop.CatchUp();
      if (testing::Test::HasFailure()) return;
    }
    const maskloom_cuda_statistics statistics = loop.Statistics();
    EXPECT_GE(statistics.tokens, static_cast<uint64_t>(steps) / 2);
    // A few rows meet little twice.
    EXPECT_GE(statistics.alone, options.max_rows > 4 ? 1u : 0u);
    EXPECT_LT(statistics.alone, statistics.tokens);
    EXPECT_EQ(statistics.staging_waits, 0u);
    EXPECT_GT(statistics.copied_bytes, statistics.update_bytes + statistics.mask_bytes);
  }

  static std::unique_ptr<TestVocabulary> source_;
  static std::unique_ptr<CVocabulary> vocabulary_;
  static std::vector<const maskloom_grammar*> grammars_;
};

std::unique_ptr<TestVocabulary> CudaLoop::source_;
std::unique_ptr<CVocabulary> CudaLoop::vocabulary_;
std::vector<const maskloom_grammar*> CudaLoop::grammars_;

TEST_F(CudaLoop, TakesTheTokensOfTheCpuWithAllChecksOn) {
  ASSERT_NO_FATAL_FAILURE(Run(Options(3), LogitType::kF32, 12, 1, false, 21));
  ASSERT_NO_FATAL_FAILURE(Run(Options(2), LogitType::kBf16, 12, 1, true, 22));
  ExpectNoFindings();
}

TEST_F(CudaLoop, TakesTheTokensOfTheCpuInBatches) {
  const FewChecks few;
  ASSERT_NO_FATAL_FAILURE(Run(Options(1), LogitType::kF16, 60, 1, false, 1));
  ASSERT_NO_FATAL_FAILURE(Run(Options(7), LogitType::kBf16, 60, 1, false, 2));
  ASSERT_NO_FATAL_FAILURE(Run(Options(64), LogitType::kF32, 25, 1, false, 3));
  ExpectNoFindings();
}

TEST_F(CudaLoop, AGraphOfAStepServesAllRowsThatCome) {
  const FewChecks few;
  ASSERT_NO_FATAL_FAILURE(Run(Options(5), LogitType::kF32, 60, 1, true, 4));
  ASSERT_NO_FATAL_FAILURE(Run(Options(33), LogitType::kBf16, 20, 1, true, 5));
  ExpectNoFindings();
}

TEST_F(CudaLoop, StepsMayBeSubmittedAheadOfTheHost) {
  const FewChecks few;
  ASSERT_NO_FATAL_FAILURE(Run(Options(6), LogitType::kF32, 25, 3, false, 6));
  ASSERT_NO_FATAL_FAILURE(Run(Options(4), LogitType::kF16, 20, 8, true, 7));
  ExpectNoFindings();
}

TEST_F(CudaLoop, ReportsWhatTheCpuReports) {
  maskloom_cuda_options options = Options(3);
  options.with_reports = 1;
  ASSERT_NO_FATAL_FAILURE(Run(options, LogitType::kBf16, 8, 1, true, 31));
  const FewChecks few;
  options.max_rows = 8;
  ASSERT_NO_FATAL_FAILURE(Run(options, LogitType::kF32, 12, 1, false, 32));
  options.max_top_tokens = 3;
  ASSERT_NO_FATAL_FAILURE(Run(options, LogitType::kF16, 8, 4, true, 33));
  ExpectNoFindings();
}

TEST_F(CudaLoop, LittleRoomIsEnough) {
  const FewChecks few;
  maskloom_cuda_options options = Options(4);
  options.max_grammars = 2;
  options.pool_bytes = (2 * 4 + 4) * size_t{source_->index->row_words()} * 4;
  ASSERT_NO_FATAL_FAILURE(Run(options, LogitType::kF32, 80, 1, false, 8));
  ExpectNoFindings();
}

// Texts of the sample, as its tokenizer cuts them; the logits ask for their tokens.
TEST(CudaLoopSample, TakesTheTextsOfMaskBench) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  TemporaryFolder folder;
  const Status unpacked = UnpackSuite("maskbench-dev", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  auto source = RealVocabulary("llama3_1");
  if (!source.ok()) GTEST_SKIP() << source.status().ToString();
  const FewChecks few;
  CVocabulary vocabulary(*source);
  std::ifstream list(*SharedDataDir() + "/compare/sample-dev-1000.txt");
  struct Waiting {
    const maskloom_grammar* grammar;
    std::vector<TokenId> tokens;
  };
  std::vector<Waiting> waiting;
  size_t count = 0;
  for (std::string line; std::getline(list, line);) {
    if (++count % (IsLongRun() ? 4 : 100) != 0) continue;
    const std::string name = line.substr(line.find_last_of('/') + 1);
    auto one = cli::ReadBenchCase((folder.path() / name).string(), *source->tokenizer);
    ASSERT_TRUE(one.ok());
    const maskloom_grammar* grammar = vocabulary.Schema(one->schema);
    if (grammar == nullptr) continue;
    for (const cli::BenchText& text : one->texts) {
      if (text.valid && text.tokens.size() < 200) waiting.push_back({grammar, text.tokens});
    }
  }
  ASSERT_GE(waiting.size(), 8u);
  maskloom_cuda_options options = Options(8);
  options.pool_bytes = 64u << 20;
  options.table_bytes = 4u << 20;
  options.staging_bytes = 8u << 20;
  EngineLoop loop(&vocabulary, options, LogitType::kBf16, 9);
  std::vector<uint32_t> free_rows;
  for (uint32_t row = 0; row < options.max_rows; ++row) free_rows.push_back(row);
  uint32_t busy = 0;
  const size_t most_texts = IsLongRun() ? waiting.size() : 16;
  for (size_t next = 0; next < std::min(waiting.size(), most_texts) || busy > 0;) {
    for (; next < std::min(waiting.size(), most_texts) && !free_rows.empty(); ++next, ++busy) {
      RowSettings settings;
      settings.text = waiting[next].tokens;
      settings.options.seed = next;
      loop.Place(free_rows.back(), waiting[next].grammar, settings);
      free_rows.pop_back();
    }
    loop.Submit(true);
    loop.Wait();
    loop.Finish();
    loop.CatchUp();
    ASSERT_FALSE(testing::Test::HasFailure());
    // A text is over when it is spelled out: what follows it does not matter.
    for (uint32_t row = 0; row < loop.row_count(); ++row) {
      if (std::count(free_rows.begin(), free_rows.end(), row) != 0) continue;
      if (!loop.is_over(row) && loop.taken(row) < loop.text_length(row)) continue;
      loop.ExpectCaughtUp(row);
      loop.Empty(row);
      free_rows.push_back(row);
      --busy;
    }
  }
  const maskloom_cuda_statistics statistics = loop.Statistics();
  EXPECT_GT(statistics.tokens, 500u);
  // Each text was new.
  EXPECT_GT(statistics.alone, statistics.tokens / 3);
  EXPECT_LE(statistics.update_bytes, 64 * statistics.updates);
  ExpectNoFindings();
}

}  // namespace
}  // namespace maskloom::suites
