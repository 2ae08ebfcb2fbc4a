// An engine's loop around the C API, in the stand-in, with the CPU's sampler and a matcher of its
// own beside every row: what comes out must be their tokens.
#pragma once

#include <gtest/gtest.h>
#include <maskloom.h>
#include <maskloom_cuda.h>

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/simt/host.h"
#include "runtime/sampler/sampler.h"
#include "tests/kernels/cuda/device_batch.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {

// A vocabulary for the C API.
class CVocabulary {
 public:
  explicit CVocabulary(const TestVocabulary& vocabulary) : source_(vocabulary) {
    const Vocabulary& own = vocabulary.index->vocabulary();
    std::vector<maskloom_token> tokens(own.size());
    for (TokenId id = 0; id < own.size(); ++id) {
      const auto kind = own.kind(id) == TokenKind::kNormal    ? MASKLOOM_TOKEN_NORMAL
                        : own.kind(id) == TokenKind::kControl ? MASKLOOM_TOKEN_CONTROL
                                                              : MASKLOOM_TOKEN_UNUSED;
      tokens[id] = {own.bytes(id).data(), own.bytes(id).size(), kind};
    }
    maskloom_error error;
    EXPECT_EQ(maskloom_vocabulary_create(tokens.data(), tokens.size(), own.end_tokens().data(),
                                         own.end_tokens().size(), vocabulary.index->size(),
                                         &vocabulary_, &error),
              MASKLOOM_OK)
        << error.message;
  }
  ~CVocabulary() {
    for (maskloom_grammar* grammar : grammars_) maskloom_grammar_free(grammar);
    maskloom_vocabulary_free(vocabulary_);
  }
  CVocabulary(const CVocabulary&) = delete;
  CVocabulary& operator=(const CVocabulary&) = delete;

  const maskloom_vocabulary* get() const { return vocabulary_; }
  const TestVocabulary& source() const { return source_; }
  // Returns the grammar of a schema, null where it does not compile.
  const maskloom_grammar* Schema(const std::string& schema) {
    maskloom_grammar* grammar = nullptr;
    maskloom_compile_schema(vocabulary_, schema.data(), schema.size(), nullptr, &grammar, nullptr);
    if (grammar != nullptr) grammars_.push_back(grammar);
    return grammar;
  }

 private:
  const TestVocabulary& source_;
  maskloom_vocabulary* vocabulary_ = nullptr;
  std::vector<maskloom_grammar*> grammars_;
};

// What a row is placed with.
struct RowSettings {
  SamplingOptions options;
  std::vector<uint32_t> prompt;
  uint64_t position = 0;
  SampleReport report;
  std::vector<TokenId> text;  // tokens that the logits ask for, one after the other
};

class EngineLoop {
 public:
  EngineLoop(CVocabulary* vocabulary, const maskloom_cuda_options& options,
             kernels::cuda::LogitType type, uint64_t seed)
      : vocabulary_(*vocabulary),
        vocab_(vocabulary->source().index->size()),
        stride_((vocab_ + 15) / 8 * 8),
        type_(type),
        random_(seed),
        rows_(options.max_rows) {
    maskloom_error error;
    EXPECT_EQ(maskloom_cuda_batch_create(vocabulary->get(), &options, &batch_, &error), MASKLOOM_OK)
        << error.message;
    EXPECT_EQ(simt::cudaStreamCreate(&stream_), simt::cudaSuccess);
    const size_t bytes = rows_.size() * stride_ * ElementBytes();
    EXPECT_EQ(simt::cudaMalloc(&logits_, bytes), simt::cudaSuccess);
    values_.resize(rows_.size() * vocab_);
  }
  ~EngineLoop() {
    EXPECT_EQ(simt::cudaStreamSynchronize(stream_), simt::cudaSuccess);
    maskloom_cuda_batch_free(batch_);
    for (Row& row : rows_) Free(&row);
    if (graph_ != nullptr) simt::cudaGraphExecDestroy(graph_);
    simt::cudaFree(logits_);
    simt::cudaStreamDestroy(stream_);
  }
  EngineLoop(const EngineLoop&) = delete;
  EngineLoop& operator=(const EngineLoop&) = delete;

  void Place(uint32_t row, const maskloom_grammar* grammar, const RowSettings& settings) {
    Row& placed = rows_[row];
    Empty(row);
    if (grammar != nullptr) {
      maskloom_matcher_create(grammar, nullptr, &placed.matcher, nullptr);
      maskloom_matcher_create(grammar, nullptr, &placed.judge, nullptr);
    }
    auto sampler = Sampler::Create(settings.options, vocab_);
    ASSERT_TRUE(sampler.ok()) << sampler.status().ToString();
    placed.sampler.emplace(std::move(*sampler));
    ASSERT_TRUE(placed.sampler->Begin(settings.prompt, 500).ok());
    ASSERT_TRUE(placed.sampler->SetReport(settings.report).ok());
    placed.settings = settings;
    placed.taken = 0;
    placed.is_over = false;
    std::vector<maskloom_cuda_bias> biases;
    for (const LogitBias& bias : settings.options.bias) {
      biases.push_back({bias.token_id, bias.bias});
    }
    const maskloom_cuda_sampling sampling = ForC(settings, biases);
    maskloom_error error;
    ASSERT_EQ(maskloom_cuda_place(batch_, row, placed.matcher, &sampling, stream_, &error),
              MASKLOOM_OK)
        << error.message;
  }

  void Empty(uint32_t row) {
    ASSERT_EQ(maskloom_cuda_remove(batch_, row, stream_, nullptr), MASKLOOM_OK);
    Free(&rows_[row]);
  }

  // Submits a step over new logits, or over those of before.
  void Submit(bool renews) {
    if (renews) MakeLogits();
    if (graph_ != nullptr) {
      ASSERT_EQ(simt::cudaGraphLaunch(graph_, stream_), simt::cudaSuccess);
      return;
    }
    SubmitStep();
  }
  // Captures the step in a graph, which is launched from now on.
  void Capture() {
    simt::cudaGraph_t graph = nullptr;
    ASSERT_EQ(simt::cudaStreamBeginCapture(stream_, simt::cudaStreamCaptureModeGlobal),
              simt::cudaSuccess);
    SubmitStep();
    ASSERT_EQ(simt::cudaStreamEndCapture(stream_, &graph), simt::cudaSuccess);
    ASSERT_EQ(simt::cudaGraphInstantiate(&graph_, graph, 0), simt::cudaSuccess);
    ASSERT_EQ(simt::cudaGraphDestroy(graph), simt::cudaSuccess);
  }
  void Wait() { ASSERT_EQ(simt::cudaStreamSynchronize(stream_), simt::cudaSuccess); }

  // Finishes rows and compares what they took. Returns those that have ended.
  std::vector<uint32_t> Finish() {
    std::vector<maskloom_cuda_result> results(rows_.size() * 8);
    size_t count = 0;
    maskloom_error error;
    EXPECT_EQ(maskloom_cuda_finish(batch_, stream_, results.data(), results.size(), &count, &error),
              MASKLOOM_OK)
        << error.message;
    std::vector<uint32_t> ended;
    for (size_t i = 0; i < count; ++i) {
      if (Compare(results[i], i)) ended.push_back(results[i].row);
    }
    return ended;
  }
  void CatchUp() {
    maskloom_error error;
    ASSERT_EQ(maskloom_cuda_catch_up(batch_, stream_, &error), MASKLOOM_OK) << error.message;
  }
  // The row's matcher is where its judge is.
  void ExpectCaughtUp(uint32_t row) {
    const Row& there = rows_[row];
    if (there.matcher == nullptr) return;
    EXPECT_EQ(maskloom_matcher_token_count(there.matcher),
              maskloom_matcher_token_count(there.judge));
    EXPECT_EQ(maskloom_matcher_is_terminated(there.matcher),
              maskloom_matcher_is_terminated(there.judge));
  }

  maskloom_cuda_statistics Statistics() const {
    maskloom_cuda_statistics statistics = {};
    statistics.struct_size = sizeof(statistics);
    EXPECT_EQ(maskloom_cuda_batch_statistics(batch_, &statistics), MASKLOOM_OK);
    return statistics;
  }
  size_t text_length(uint32_t row) const { return rows_[row].settings.text.size(); }
  uint64_t taken(uint32_t row) const { return rows_[row].taken; }
  bool is_over(uint32_t row) const { return rows_[row].is_over; }
  uint32_t row_count() const { return static_cast<uint32_t>(rows_.size()); }
  maskloom_cuda_batch* batch() { return batch_; }
  simt::cudaStream_t stream() { return stream_; }
  std::mt19937_64& random() { return random_; }

 private:
  struct Row {
    maskloom_matcher* matcher = nullptr;
    maskloom_matcher* judge = nullptr;
    std::optional<Sampler> sampler;  // nothing: the row is empty
    RowSettings settings;
    uint64_t taken = 0;
    bool is_over = false;
  };

  static void Free(Row* row) {
    maskloom_matcher_free(row->matcher);
    maskloom_matcher_free(row->judge);
    row->matcher = row->judge = nullptr;
    row->sampler.reset();
  }
  size_t ElementBytes() const { return type_ == kernels::cuda::LogitType::kF32 ? 4 : 2; }

  static maskloom_cuda_sampling ForC(const RowSettings& settings,
                                     const std::vector<maskloom_cuda_bias>& biases) {
    maskloom_cuda_sampling sampling;
    maskloom_cuda_sampling_init(&sampling);
    const SamplingOptions& options = settings.options;
    sampling.temperature = options.temperature;
    sampling.top_k = options.top_k;
    sampling.top_p = options.top_p;
    sampling.min_p = options.min_p;
    sampling.repetition_penalty = options.repetition_penalty;
    sampling.frequency_penalty = options.frequency_penalty;
    sampling.presence_penalty = options.presence_penalty;
    sampling.seed = options.seed;
    sampling.position = settings.position;
    sampling.biases = biases.data();
    sampling.bias_count = biases.size();
    sampling.prompt = settings.prompt.data();
    sampling.prompt_count = settings.prompt.size();
    sampling.wants_logprob = 1;
    sampling.wants_entropy = settings.report.entropy ? 1 : 0;
    sampling.wants_raw = settings.report.raw ? 1 : 0;
    sampling.top_tokens = settings.report.top_count;
    return sampling;
  }

  void SubmitStep() {
    const maskloom_cuda_logits logits = {logits_, static_cast<maskloom_cuda_type>(type_), stride_};
    maskloom_error error;
    ASSERT_EQ(maskloom_cuda_step(batch_, &logits, row_count(), stream_, &error), MASKLOOM_OK)
        << error.message;
  }

  // Noise, and what the rows' texts ask for.
  void MakeLogits() {
    std::vector<uint8_t> stored(rows_.size() * stride_ * ElementBytes(), 0xff);
    for (size_t r = 0; r < rows_.size(); ++r) {
      const std::vector<TokenId>& text = rows_[r].settings.text;
      const uint64_t at = rows_[r].taken;
      for (uint32_t id = 0; id < vocab_; ++id) {
        const uint64_t noise = random_();
        float x = static_cast<float>(noise & 0xFFFF) / 8192.0f +
                  static_cast<float>(noise >> 48) / 8192.0f;
        if (at < text.size() && text[at] == id) x += 100.0f;
        const uint32_t bits = kernels::cuda::StoredBits(type_, x);
        values_[r * vocab_ + id] = kernels::cuda::StoredValue(type_, bits);
        std::memcpy(stored.data() + (r * stride_ + id) * ElementBytes(), &bits, ElementBytes());
      }
    }
    ASSERT_EQ(simt::cudaMemcpyAsync(logits_, stored.data(), stored.size(),
                                    simt::cudaMemcpyHostToDevice, stream_),
              simt::cudaSuccess);
  }

  // What came with result `index` is what the CPU's sampler reports.
  void CompareReport(const Row& row, const SampleResult& want, size_t index) const {
    maskloom_cuda_report report;
    report.struct_size = sizeof(report);
    ASSERT_EQ(maskloom_cuda_result_report(batch_, index, &report, nullptr), MASKLOOM_OK);
    EXPECT_EQ(report.entropy_bits, want.entropy_bits);
    EXPECT_EQ(report.raw_logprob, want.raw_logprob);
    EXPECT_EQ(report.removed_mass, want.removed_mass);
    const SampleReport& asked = row.settings.report;
    const bool has_report = asked.entropy || asked.raw || asked.top_count > 0;
    EXPECT_EQ(report.masked_logprob, has_report ? want.masked_logprob : 0.0f);
    const std::span<const TopToken> top = row.sampler->top();
    ASSERT_EQ(report.top_count, top.size());
    for (size_t i = 0; i < top.size(); ++i) {
      ASSERT_EQ(report.top_tokens[i].token, top[i].id) << i;
      ASSERT_EQ(report.top_tokens[i].logprob, top[i].logprob) << i;
    }
  }

  // Returns whether the row's text has ended.
  bool Compare(const maskloom_cuda_result& result, size_t index) {
    Row& row = rows_[result.row];
    EXPECT_TRUE(row.sampler.has_value()) << "an empty row took a token";
    if (!row.sampler) return false;
    std::vector<uint32_t> mask;
    if (row.judge != nullptr) {
      mask.resize((vocab_ + 31) / 32);
      maskloom_matcher_fill_mask(row.judge, mask.data(), mask.size());
    }
    const auto want = row.sampler->Sample({values_.data() + result.row * vocab_, vocab_}, mask,
                                          row.settings.position + row.taken);
    EXPECT_TRUE(want.ok()) << want.status().ToString();
    if (!want.ok()) return false;
    EXPECT_EQ(result.token, want->token) << "row " << result.row << " token " << row.taken;
    EXPECT_EQ(result.logprob, want->logprob);
    CompareReport(row, *want, index);
    row.sampler->Accept(result.token);
    ++row.taken;
    if (row.judge == nullptr) return false;
    EXPECT_EQ(maskloom_matcher_accept_token(row.judge, result.token), MASKLOOM_OK);
    row.is_over = maskloom_matcher_is_terminated(row.judge) == 1;
    EXPECT_EQ((result.flags & MASKLOOM_CUDA_ENDED) != 0, row.is_over);
    return row.is_over;
  }

  CVocabulary& vocabulary_;
  const uint32_t vocab_;
  const size_t stride_;
  const kernels::cuda::LogitType type_;
  std::mt19937_64 random_;
  std::vector<Row> rows_;
  maskloom_cuda_batch* batch_ = nullptr;
  simt::cudaStream_t stream_ = nullptr;
  simt::cudaGraphExec_t graph_ = nullptr;
  std::byte* logits_ = nullptr;
  std::vector<float> values_;  // the logits as the device has them, without gaps
};

}  // namespace maskloom::suites
