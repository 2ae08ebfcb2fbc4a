// Single calls of the C API for CUDA, in the stand-in: masks applied in place for engines with
// samplers of their own, tokens that masks close, rows without a token, and what is refused.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/kernels/cuda/checks.h"
#include "tests/runtime/cuda_api/engine_loop.h"

namespace maskloom::suites {
namespace {

class CudaCalls : public ::testing::Test {
 protected:
  CudaCalls() {
    EXPECT_EQ(maskloom_vocabulary_bytes(&vocabulary_, nullptr), MASKLOOM_OK);
    const std::string schema = R"({"type": "array", "items": {"enum": [true, 12, "ab"]}})";
    EXPECT_EQ(maskloom_compile_schema(vocabulary_, schema.data(), schema.size(), nullptr, &grammar_,
                                      nullptr),
              MASKLOOM_OK);
    EXPECT_EQ(maskloom_matcher_create(grammar_, nullptr, &matcher_, nullptr), MASKLOOM_OK);
    maskloom_cuda_options_init(&options_);
    options_.max_rows = kRows;
    options_.pool_bytes = options_.table_bytes = options_.staging_bytes = 1u << 20;
    options_.max_adjustments = 8;
    EXPECT_EQ(simt::cudaMalloc(&logits_, kRows * kVocab * sizeof(float)), simt::cudaSuccess);
    EXPECT_EQ(simt::cudaMalloc(&tokens_, kRows * sizeof(uint32_t)), simt::cudaSuccess);
    FillLogits(std::vector<float>(kRows * kVocab, 1.0f));
  }
  ~CudaCalls() override {
    maskloom_cuda_batch_free(batch_);
    maskloom_matcher_free(matcher_);
    maskloom_grammar_free(grammar_);
    maskloom_vocabulary_free(vocabulary_);
    simt::cudaFree(logits_);
    simt::cudaFree(tokens_);
    kernels::cuda::ExpectNoFindings();
  }

  static constexpr uint32_t kRows = 3, kVocab = 257, kEnd = 256;

  void Make() {
    maskloom_error error;
    ASSERT_EQ(maskloom_cuda_batch_create(vocabulary_, &options_, &batch_, &error), MASKLOOM_OK)
        << error.message;
  }
  void FillLogits(const std::vector<float>& values) {
    ASSERT_EQ(simt::cudaMemcpy(logits_, values.data(), values.size() * sizeof(float),
                               simt::cudaMemcpyHostToDevice),
              simt::cudaSuccess);
  }
  std::vector<float> ReadLogits() {
    std::vector<float> values(kRows * kVocab);
    EXPECT_EQ(simt::cudaMemcpy(values.data(), logits_, values.size() * sizeof(float),
                               simt::cudaMemcpyDeviceToHost),
              simt::cudaSuccess);
    return values;
  }
  maskloom_cuda_logits Logits() const { return {logits_, MASKLOOM_CUDA_F32, kVocab}; }
  // Lets row 1 take `token` as the engine's choice.
  maskloom_cuda_result Accept(uint32_t token) {
    const std::vector<uint32_t> tokens = {UINT32_MAX, token, UINT32_MAX};
    simt::cudaMemcpy(tokens_, tokens.data(), tokens.size() * 4, simt::cudaMemcpyHostToDevice);
    EXPECT_EQ(maskloom_cuda_accept(batch_, tokens_, kRows, nullptr, nullptr), MASKLOOM_OK);
    return FinishOne();
  }
  void Place(uint32_t row, maskloom_matcher* matcher,
             const maskloom_cuda_sampling* sampling = nullptr) {
    maskloom_error error;
    ASSERT_EQ(maskloom_cuda_place(batch_, row, matcher, sampling, nullptr, &error), MASKLOOM_OK)
        << error.message;
  }
  void Submit(int steps = 1) {
    const maskloom_cuda_logits logits = Logits();
    maskloom_error error;
    for (int i = 0; i < steps; ++i) {
      ASSERT_EQ(maskloom_cuda_step(batch_, &logits, kRows, nullptr, &error), MASKLOOM_OK)
          << error.message;
    }
  }
  // Waits for what was submitted. Returns at most `capacity` results of a call that gives `want`,
  // with a message that holds `part` where that is an error.
  std::vector<maskloom_cuda_result> Finish(maskloom_status want = MASKLOOM_OK,
                                           const char* part = "", size_t capacity = 64) {
    EXPECT_EQ(simt::cudaStreamSynchronize(nullptr), simt::cudaSuccess);
    std::vector<maskloom_cuda_result> results(capacity);
    size_t count = 0;
    maskloom_error error = {};
    ExpectError(maskloom_cuda_finish(batch_, nullptr, results.data(), capacity, &count, &error),
                error, part, want);
    results.resize(count);
    return results;
  }
  maskloom_cuda_result FinishOne() {
    const std::vector<maskloom_cuda_result> results = Finish();
    EXPECT_EQ(results.size(), 1u);
    return results.empty() ? maskloom_cuda_result{} : results[0];
  }
  maskloom_cuda_result StepOne() {
    Submit();
    return FinishOne();
  }
  // Expects INVALID_ARGUMENT, or `code`, and a message that holds `part`.
  static void ExpectError(maskloom_status got, const maskloom_error& error, const char* part,
                          maskloom_status code = MASKLOOM_INVALID_ARGUMENT) {
    EXPECT_EQ(got, code);
    EXPECT_NE(std::string(error.message).find(part), std::string::npos) << error.message;
  }
  void ExpectBadOptions(const char* part) {
    maskloom_error error = {};
    ExpectError(maskloom_cuda_batch_create(vocabulary_, &options_, &batch_, &error), error, part);
    EXPECT_EQ(batch_, nullptr);
  }
  void ExpectBadSampling(const maskloom_cuda_sampling& sampling, const char* part,
                         maskloom_status code = MASKLOOM_INVALID_ARGUMENT) {
    maskloom_error error = {};
    ExpectError(maskloom_cuda_place(batch_, 1, matcher_, &sampling, nullptr, &error), error, part,
                code);
  }

  maskloom_vocabulary* vocabulary_ = nullptr;
  maskloom_grammar* grammar_ = nullptr;
  maskloom_matcher* matcher_ = nullptr;
  maskloom_cuda_options options_;
  maskloom_cuda_batch* batch_ = nullptr;
  float* logits_ = nullptr;
  uint32_t* tokens_ = nullptr;
};

TEST_F(CudaCalls, MasksAreAppliedForSamplersOfTheEngine) {
  options_.with_sampler = 0;
  Make();
  Place(1, matcher_);
  Place(2, nullptr);
  maskloom_matcher* judge = nullptr;
  maskloom_matcher_create(grammar_, nullptr, &judge, nullptr);
  const maskloom_cuda_logits logits = Logits();
  std::string text;
  for (const char c : std::string("[true,\"ab\",12,true]")) {
    FillLogits(std::vector<float>(kRows * kVocab, 1.0f));
    ASSERT_EQ(maskloom_cuda_apply_masks(batch_, &logits, kRows, nullptr, nullptr), MASKLOOM_OK);
    const std::vector<float> masked = ReadLogits();
    for (uint32_t id = 0; id < kVocab; ++id) {
      ASSERT_TRUE(std::isinf(masked[id]));
      ASSERT_EQ(masked[kVocab + id] == 1.0f, maskloom_matcher_is_allowed(judge, id) == 1)
          << text << " " << id;
      ASSERT_EQ(masked[2 * kVocab + id], 1.0f);
    }
    const auto token = static_cast<unsigned char>(c);
    const maskloom_cuda_result result = Accept(token);
    EXPECT_EQ(result.row, 1u);
    EXPECT_EQ(result.token, token);
    EXPECT_EQ(result.flags & ~MASKLOOM_CUDA_ALONE, 0u);
    ASSERT_EQ(maskloom_matcher_accept_token(judge, token), MASKLOOM_OK);
    text.push_back(c);
    if (text.size() % 4 == 0) maskloom_cuda_catch_up(batch_, nullptr, nullptr);
  }
  // What the mask closes is not taken, and the row stays.
  const maskloom_cuda_result refused = Accept('x');
  EXPECT_EQ(refused.flags, static_cast<uint32_t>(MASKLOOM_CUDA_REFUSED));
  EXPECT_EQ(refused.token, UINT32_MAX);
  const maskloom_cuda_result ended = Accept(kEnd);
  EXPECT_EQ(ended.flags & MASKLOOM_CUDA_ENDED, static_cast<uint32_t>(MASKLOOM_CUDA_ENDED));
  ASSERT_EQ(maskloom_cuda_remove(batch_, 1, nullptr, nullptr), MASKLOOM_OK);
  EXPECT_EQ(maskloom_matcher_is_terminated(matcher_), 1);
  maskloom_error error = {};
  ExpectError(maskloom_cuda_step(batch_, &logits, kRows, nullptr, &error), error, "with_sampler");
  maskloom_matcher_free(judge);
}

TEST_F(CudaCalls, RowsWhoseAllowedLogitsAreNoNumbersTakeNoToken) {
  Make();
  Place(1, matcher_);
  FillLogits(std::vector<float>(kRows * kVocab, std::nanf("")));
  EXPECT_EQ(StepOne().flags, static_cast<uint32_t>(MASKLOOM_CUDA_NO_TOKEN));
  FillLogits(std::vector<float>(kRows * kVocab, 0.0f));
  const maskloom_cuda_result taken = StepOne();
  EXPECT_EQ(taken.token, static_cast<uint32_t>('['));
  uint32_t tokens[kRows] = {};
  simt::cudaMemcpy(tokens, maskloom_cuda_tokens(batch_), sizeof(tokens),
                   simt::cudaMemcpyDeviceToHost);
  EXPECT_EQ(tokens[1], taken.token);
}

TEST_F(CudaCalls, NaNIsNeverTakenAndInfinityWins) {
  Make();
  Place(1, nullptr);
  std::vector<float> values(kRows * kVocab, std::nanf(""));
  for (uint32_t id = 0; id < kVocab; id += 2) values[kVocab + id] = -std::nanf("");
  values[kVocab + 7] = -1e30f;
  FillLogits(values);
  EXPECT_EQ(StepOne().token, 7u);
  for (const float large : {std::ldexp(1.0f, 22), INFINITY}) {
    values.assign(kRows * kVocab, std::ldexp(1.0f, 21));
    values[kVocab + 9] = values[kVocab + 200] = large;
    FillLogits(values);
    EXPECT_EQ(StepOne().token, 9u);
  }
}

TEST_F(CudaCalls, MoreTopTokensThanTheBatchHasRoomForAreRefused) {
  options_.with_reports = 1;
  options_.max_top_tokens = 2;
  Make();
  maskloom_cuda_sampling sampling;
  maskloom_cuda_sampling_init(&sampling);
  sampling.top_tokens = 3;
  ExpectBadSampling(sampling, "max_top_tokens is 2");
}

TEST_F(CudaCalls, ReportsComeWithTheResultsOfTheLastFinish) {
  options_.with_reports = 1;
  Make();
  maskloom_cuda_sampling sampling;
  maskloom_cuda_sampling_init(&sampling);
  sampling.temperature = 0;
  sampling.wants_entropy = sampling.wants_raw = 1;
  sampling.top_tokens = 20;
  Place(1, matcher_, &sampling);
  EXPECT_EQ(Accept('[').token, static_cast<uint32_t>('['));
  maskloom_cuda_report report;
  report.struct_size = sizeof(report);
  ASSERT_EQ(maskloom_cuda_result_report(batch_, 0, &report, nullptr), MASKLOOM_OK);
  EXPECT_EQ(report.entropy_bits, 0.0f);  // the sampler was the engine's
  EXPECT_EQ(report.top_count, 0u);
  const uint32_t token = StepOne().token;
  maskloom_matcher* judge = nullptr;
  maskloom_matcher_create(grammar_, nullptr, &judge, nullptr);
  ASSERT_EQ(maskloom_matcher_accept_token(judge, '['), MASKLOOM_OK);
  std::vector<uint32_t> allowed;
  for (uint32_t id = 0; id < kVocab; ++id) {
    if (maskloom_matcher_is_allowed(judge, id) == 1) allowed.push_back(id);
  }
  maskloom_matcher_free(judge);
  ASSERT_EQ(maskloom_cuda_result_report(batch_, 0, &report, nullptr), MASKLOOM_OK);
  // All logits are alike.
  const auto count = static_cast<float>(allowed.size());
  EXPECT_EQ(token, allowed[0]);
  EXPECT_NEAR(report.entropy_bits, std::log2(count), 1e-4);
  EXPECT_NEAR(report.masked_logprob, -std::log(count), 1e-4);
  EXPECT_NEAR(report.raw_logprob, -std::log(static_cast<float>(kVocab)), 1e-4);
  EXPECT_NEAR(report.removed_mass, 1 - count / kVocab, 1e-4);
  ASSERT_EQ(report.top_count, allowed.size());
  for (size_t i = 0; i < allowed.size(); ++i) EXPECT_EQ(report.top_tokens[i].token, allowed[i]);
  maskloom_error error = {};
  ExpectError(maskloom_cuda_result_report(batch_, 1, &report, &error), error, "result 1 of the 1");
  report.struct_size = 0;
  ExpectError(maskloom_cuda_result_report(batch_, 0, &report, &error), error, "struct_size");
  // Of the caller's version of the struct no more is written than it has.
  report.struct_size = offsetof(maskloom_cuda_report, entropy_bits);
  report.entropy_bits = -1;
  ASSERT_EQ(maskloom_cuda_result_report(batch_, 0, &report, &error), MASKLOOM_OK);
  EXPECT_EQ(report.entropy_bits, -1.0f);
}

TEST_F(CudaCalls, TokensThatFindNoRoomToBeCountedAreNamed) {
  options_.max_adjustments = 1;
  Make();
  maskloom_cuda_sampling sampling;
  maskloom_cuda_sampling_init(&sampling);
  sampling.presence_penalty = 0.5;
  Place(1, nullptr, &sampling);
  EXPECT_EQ(Accept(5).flags & MASKLOOM_CUDA_NOT_COUNTED, 0u);
  EXPECT_EQ(Accept(5).flags & MASKLOOM_CUDA_NOT_COUNTED, 0u);
  EXPECT_NE(Accept(6).flags & MASKLOOM_CUDA_NOT_COUNTED, 0u);
}

// Prompts may have more tokens than a row has room for.
TEST_F(CudaCalls, PromptsAreReadOnlyWhereRepetitionIsPenalised) {
  Make();
  const uint32_t prompt[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  maskloom_cuda_sampling sampling;
  maskloom_cuda_sampling_init(&sampling);
  sampling.frequency_penalty = 0.5;
  sampling.prompt = prompt;
  sampling.prompt_count = std::size(prompt);
  Place(1, nullptr, &sampling);
  EXPECT_EQ(Accept(9).flags & MASKLOOM_CUDA_NOT_COUNTED, 0u);
  sampling.repetition_penalty = 1.1;
  ExpectBadSampling(sampling, "max_adjustments is 8", MASKLOOM_RESOURCE_LIMIT);
}

TEST_F(CudaCalls, MoreStepsThanMayBeAheadAreAnError) {
  options_.steps_ahead = 2;
  Make();
  Place(1, nullptr);
  Submit(3);
  Finish(MASKLOOM_INVALID_ARGUMENT, "steps_ahead");
  // Nobody knows what the row took, so it is empty, until it is placed anew.
  Submit();
  EXPECT_EQ(Finish().size(), 0u);
  // Then it goes on; results may be fetched in pieces.
  Place(1, nullptr);
  Submit(2);
  for (const size_t want : {1u, 1u, 0u}) EXPECT_EQ(Finish(MASKLOOM_OK, "", 1).size(), want);
}

TEST_F(CudaCalls, TokensOfStepsBeforeARowWasPlacedAreNotItsOwn) {
  Make();
  Place(1, nullptr);
  Submit();
  Place(1, matcher_);
  EXPECT_EQ(StepOne().token, static_cast<uint32_t>('['));
}

// However many they are: entries of the row that was there before are in the ring by then.
TEST_F(CudaCalls, NorAreTheyWhereMoreStepsWereAheadThanMayBe) {
  options_.steps_ahead = 8;
  Make();
  Place(1, nullptr);
  Submit(40);
  Place(1, matcher_);
  EXPECT_EQ(Finish().size(), 0u);
  EXPECT_EQ(StepOne().token, static_cast<uint32_t>('['));
}

TEST_F(CudaCalls, RowsThatWereEmptiedHaveNoResults) {
  Make();
  Place(1, nullptr);
  for (int i = 0; i < 2; ++i) {
    Submit();
    ASSERT_EQ(maskloom_cuda_remove(batch_, 1, nullptr, nullptr), MASKLOOM_OK);
    EXPECT_EQ(Finish().size(), 0u);
  }
}

TEST_F(CudaCalls, RowsNeedTheHostWhereNoTableHasRoom) {
  options_.table_bytes = size_t{1} << 46;
  Make();
  Place(1, matcher_);
  for (const char want : {'[', '"', 'a'}) {
    std::vector<float> values(kRows * kVocab, 1.0f);
    values[kVocab + static_cast<unsigned char>(want)] = 50.0f;
    FillLogits(values);
    const maskloom_cuda_result result = StepOne();
    EXPECT_EQ(result.token, static_cast<uint32_t>(want));
    EXPECT_EQ(result.flags, 0u);
    EXPECT_EQ(maskloom_cuda_catch_up(batch_, nullptr, nullptr), MASKLOOM_OK);
  }
  maskloom_cuda_statistics statistics = {};
  statistics.struct_size = sizeof(statistics);
  ASSERT_EQ(maskloom_cuda_batch_statistics(batch_, &statistics), MASKLOOM_OK);
  EXPECT_EQ(statistics.grammars, 0u);
}

TEST_F(CudaCalls, RowsThatCouldNotBePlacedAreEmpty) {
  Make();
  Place(1, matcher_);
  maskloom_cuda_sampling sampling;
  maskloom_cuda_sampling_init(&sampling);
  sampling.struct_size = 0;
  ExpectBadSampling(sampling, "struct_size");
  Submit();
  EXPECT_EQ(Finish().size(), 0u);
}

TEST_F(CudaCalls, StreamsThatCaptureAreRefusedByCallsThatCopy) {
  Make();
  simt::cudaStream_t stream = nullptr;
  ASSERT_EQ(simt::cudaStreamCreate(&stream), simt::cudaSuccess);
  ASSERT_EQ(simt::cudaStreamBeginCapture(stream, simt::cudaStreamCaptureModeGlobal),
            simt::cudaSuccess);
  maskloom_error error = {};
  size_t count = 1;
  ExpectError(maskloom_cuda_place(batch_, 1, matcher_, nullptr, stream, &error), error, "captures");
  ExpectError(maskloom_cuda_remove(batch_, 1, stream, &error), error, "captures");
  ExpectError(maskloom_cuda_finish(batch_, stream, nullptr, 0, &count, &error), error, "captures");
  EXPECT_EQ(count, 0u);
  ExpectError(maskloom_cuda_catch_up(batch_, stream, &error), error, "captures");
  const maskloom_cuda_logits logits = Logits();
  EXPECT_EQ(maskloom_cuda_step(batch_, &logits, kRows, stream, &error), MASKLOOM_OK);
  simt::cudaGraph_t graph = nullptr;
  ASSERT_EQ(simt::cudaStreamEndCapture(stream, &graph), simt::cudaSuccess);
  simt::cudaGraphDestroy(graph);
  simt::cudaStreamDestroy(stream);
  // The row and the batch are as they were.
  EXPECT_EQ(maskloom_cuda_place(batch_, 1, matcher_, nullptr, nullptr, &error), MASKLOOM_OK);
}

TEST_F(CudaCalls, OptionsThatCannotBeAreNamed) {
  options_.staging_bytes = 100;
  ExpectBadOptions("staging_bytes");
  options_.staging_bytes = SIZE_MAX;
  maskloom_error shortage = {};
  EXPECT_NE(maskloom_cuda_batch_create(vocabulary_, &options_, &batch_, &shortage), MASKLOOM_OK);
  EXPECT_NE(std::string(shortage.message).find("staging_bytes"), std::string::npos)
      << shortage.message;
  options_.staging_bytes = 1u << 20;
  options_.steps_ahead = 3;
  ExpectBadOptions("steps_ahead");
  options_.steps_ahead = 8;
  options_.max_rows = 0;
  ExpectBadOptions("0 rows");
  options_.max_rows = 1u << 17;
  ExpectBadOptions("rows");
  options_.max_rows = kRows;
  options_.pool_bytes = 10;
  ExpectBadOptions("pool of masks");
  options_.pool_bytes = 1u << 20;
  options_.max_top_tokens = 257;
  ExpectBadOptions("max_top_tokens");
  options_.max_top_tokens = 20;
  options_.with_reports = 1;
  options_.with_sampler = 0;
  ExpectBadOptions("with_sampler");
  options_.with_sampler = 1;
  options_.max_adjustments = UINT32_MAX;
  ExpectBadOptions("max_adjustments");
  options_.struct_size = 0;
  ExpectBadOptions("struct_size");
  maskloom_cuda_options_init(&options_);
  options_.device = 7;
  maskloom_error error = {};
  ExpectError(maskloom_cuda_batch_create(vocabulary_, &options_, &batch_, &error), error,
              "no CUDA device: number 7", MASKLOOM_NO_DEVICE);
  EXPECT_EQ(maskloom_cuda_check_device(-1, &error), MASKLOOM_OK);
  ExpectError(maskloom_cuda_batch_create(nullptr, &options_, &batch_, &error), error, "NULL");
}

TEST_F(CudaCalls, RowsAndSettingsThatCannotBeAreNamed) {
  options_.with_filters = 0;
  Make();
  maskloom_error error = {};
  ExpectError(maskloom_cuda_place(batch_, kRows, matcher_, nullptr, nullptr, &error), error,
              "row 3 of a batch of 3");
  ExpectError(maskloom_cuda_remove(batch_, kRows, nullptr, &error), error, "row 3");
  maskloom_cuda_sampling sampling;
  maskloom_cuda_sampling_init(&sampling);
  sampling.top_k = 3;
  ExpectBadSampling(sampling, "with_filters");
  maskloom_cuda_sampling_init(&sampling);
  sampling.wants_raw = 1;
  ExpectBadSampling(sampling, "with_reports");
  maskloom_cuda_sampling_init(&sampling);
  sampling.temperature = -1;
  ExpectBadSampling(sampling, "temperature is -1");
  sampling.temperature = 1;
  sampling.bias_count = 1;
  ExpectBadSampling(sampling, "biases is NULL");
  std::vector<maskloom_cuda_bias> biases;
  for (uint32_t id = 0; id < 9; ++id) biases.push_back({id, 1.0f});
  sampling.biases = biases.data();
  sampling.bias_count = biases.size();
  ExpectBadSampling(sampling, "max_adjustments is 8", MASKLOOM_RESOURCE_LIMIT);
  biases[0].token = kVocab;
  sampling.bias_count = 1;
  ExpectBadSampling(sampling, "no such token");
  sampling.bias_count = 0;
  const uint32_t prompt = kVocab;
  sampling.prompt = &prompt;
  sampling.prompt_count = 1;
  ExpectBadSampling(sampling, "prompt has token 257");
  sampling.struct_size = 0;
  ExpectBadSampling(sampling, "struct_size");
  // Nothing of that is in the row.
  ASSERT_EQ(maskloom_cuda_place(batch_, 1, matcher_, nullptr, nullptr, &error), MASKLOOM_OK);
  ExpectError(maskloom_cuda_place(batch_, 2, matcher_, nullptr, nullptr, &error), error,
              "in row 1 already");
  maskloom_vocabulary* other = nullptr;
  maskloom_grammar* foreign = nullptr;
  maskloom_matcher* matcher = nullptr;
  maskloom_vocabulary_bytes(&other, nullptr);
  maskloom_compile_schema(other, "true", 4, nullptr, &foreign, nullptr);
  maskloom_matcher_create(foreign, nullptr, &matcher, nullptr);
  ExpectError(maskloom_cuda_place(batch_, 2, matcher, nullptr, nullptr, &error), error,
              "another vocabulary");
  maskloom_matcher_free(matcher);
  maskloom_grammar_free(foreign);
  maskloom_vocabulary_free(other);
}

TEST_F(CudaCalls, LogitsThatCannotBeAreNamed) {
  Make();
  maskloom_error error = {};
  maskloom_cuda_logits logits = Logits();
  ExpectError(maskloom_cuda_step(batch_, &logits, kRows + 1, nullptr, &error), error, "rows is 4");
  ExpectError(maskloom_cuda_step(batch_, &logits, 0, nullptr, &error), error, "rows is 0");
  logits.stride = kVocab - 1;
  ExpectError(maskloom_cuda_apply_masks(batch_, &logits, kRows, nullptr, &error), error, "stride");
  logits = Logits();
  logits.data = reinterpret_cast<char*>(logits_) + 2;
  ExpectError(maskloom_cuda_step(batch_, &logits, kRows, nullptr, &error), error, "aligned");
  logits.data = nullptr;
  ExpectError(maskloom_cuda_step(batch_, &logits, kRows, nullptr, &error), error, "NULL");
  ExpectError(maskloom_cuda_step(batch_, nullptr, kRows, nullptr, &error), error, "NULL");
  ExpectError(maskloom_cuda_accept(batch_, nullptr, kRows, nullptr, &error), error, "NULL");
  EXPECT_EQ(maskloom_cuda_tokens(nullptr), nullptr);
  maskloom_cuda_statistics statistics = {};
  EXPECT_EQ(maskloom_cuda_batch_statistics(batch_, &statistics), MASKLOOM_INVALID_ARGUMENT);
  EXPECT_STREQ(maskloom_status_name(MASKLOOM_NO_DEVICE), "no_device");
}

TEST_F(CudaCalls, AMatcherThatWasChangedIsNoticed) {
  Make();
  Place(1, matcher_);
  ASSERT_EQ(maskloom_matcher_accept_token(matcher_, '['), MASKLOOM_OK);
  Submit();
  Finish(MASKLOOM_INTERNAL, "row 1 took token 91");
}

TEST_F(CudaCalls, AMatcherThatWasChangedEndsItsRow) {
  Make();
  Place(1, matcher_);
  ASSERT_EQ(maskloom_matcher_accept_token(matcher_, '['), MASKLOOM_OK);
  Submit(4);
  EXPECT_EQ(Finish(MASKLOOM_INTERNAL).size(), 1u);
  EXPECT_EQ(Finish().size(), 0u);
}

}  // namespace
}  // namespace maskloom::suites
