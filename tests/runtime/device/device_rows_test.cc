// Rows of real grammars on a device, the stand-in: tokens are chosen there, states and masks found
// by tables, and beside every row a matcher says where it should be.
#include "tests/kernels/cuda/device_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "kernels/simt/findings.h"
#include "kernels/simt/stand_in_state.h"
#include "runtime/device/published_steps.h"
#include "runtime/device/step_table.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

using kernels::RowMask;
using kernels::RowOutcome;
using kernels::RowState;

// Memory of the stand-in.
class StandInMemory final : public DeviceMemory {
 public:
  ~StandInMemory() override {
    for (void* block : blocks_) simt::cudaFree(block);
  }
  void* Allocate(size_t bytes) override {
    char* block = nullptr;
    if (simt::cudaMalloc(&block, bytes) != simt::cudaSuccess) return nullptr;
    blocks_.push_back(block);
    return block;
  }
  void Copy(void* to, const void* from, size_t bytes) override {
    EXPECT_EQ(simt::cudaMemcpy(to, from, bytes, simt::cudaMemcpyHostToDevice), simt::cudaSuccess);
  }

 private:
  std::vector<void*> blocks_;
};

constexpr const char* kSchemas[] = {
    R"({"type": "object", "properties": {"name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "minimum": 0, "maximum": 150}}, "required": ["name", "age"],
        "additionalProperties": false})",
    R"({"type": "array", "items": {"enum": ["a", "ab", "b", 1, null]}, "maxItems": 6})",
    R"({"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"anyOf": [
        {"$ref": "#/$defs/a"}, {"type": "boolean"}]}}}})",
    R"({"type": "string", "pattern": "^[a-c]{2,8}(1|2)*$"})",
    R"({"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "boolean"}},
        "additionalProperties": {"enum": [1, 2]}, "minProperties": 2})",
    R"({"type": "object", "properties": {"a": {"type": "null"}, "ab": {"enum": [1, 2]},
        "b": {"type": "boolean"}, "ba": {"enum": ["x"]}, "c": {"type": "null"}, "d": {"enum": [0]}},
        "required": ["b"], "additionalProperties": false})",
    R"({"type": "array", "items": {"enum": [0, 1, 19, "a", "ab"]}, "uniqueItems": true})",
};

// A row as the host knows it.
struct FollowedRow {
  explicit FollowedRow(std::shared_ptr<const CompiledGrammar> of, uint32_t number)
      : grammar(number), matcher(std::move(of)) {}
  uint32_t grammar;
  Matcher matcher;
  size_t length = 0;
  bool wants_mask = true, wants_state = true;  // with the next step
};

class DeviceRowsTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kRowsOfGrammar = 3;

  void SetUp() override {
    vocabulary_ = SyntheticVocabulary(true);
    vocab_ = vocabulary_.index->size();
    text_tokens_ = std::make_shared<const TextTokens>(*vocabulary_.index, TextCoding::kJsonString);
    text_lengths_ = PublishTextLengths(*text_tokens_, &memory_);
    ASSERT_NE(text_lengths_, nullptr);
    auto pool = MaskPool::Create(*vocabulary_.index, &memory_, 1u << 20);
    ASSERT_TRUE(pool.ok());
    pool_ = std::move(*pool);
    std::vector<kernels::StepTables> tables;
    std::vector<kernels::cuda::RowRequest> requests;
    for (const char* schema : kSchemas) {
      auto grammar = Compile({.name = schema, .definition = schema}, vocabulary_.index);
      ASSERT_TRUE(grammar.ok());
      tables_.push_back(std::make_unique<StepTable>(*grammar, text_tokens_, pool_.get()));
      auto published = PublishedSteps::Create(&memory_, 1u << 20);
      ASSERT_TRUE(published.ok());
      published_.push_back(std::move(*published));
      tables.emplace_back();
      for (uint32_t i = 0; i < kRowsOfGrammar; ++i) {
        kernels::SampleSettings settings;
        settings.seed = rows_.size();
        requests.push_back(kernels::cuda::MakeRowRequest(settings));
        requests.back().grammar = static_cast<uint32_t>(tables.size() - 1);
        rows_.emplace_back(*grammar, requests.back().grammar);
      }
    }
    batch_ = static_cast<uint32_t>(rows_.size());
    device_ = std::make_unique<kernels::cuda::DeviceRows>(requests, tables);
    updates_ = std::make_unique<kernels::cuda::PinnedUpdates>(batch_);
    MakeLogits();
  }

  // Few tokens are likely, the same in all rows, so that rows come to where others were before.
  void MakeLogits() {
    std::mt19937_64 random(3);
    std::vector<float> logits(vocab_);
    for (float& x : logits) x = random() % 64 == 0 ? static_cast<float>(random() % 8) + 6 : 0.0f;
    logits_ = std::make_unique<simt::DeviceArray<float>>(logits);
    const size_t bytes = kernels::cuda::LogitsWorkspaceBytes(batch_, vocab_);
    workspace_ = std::make_unique<simt::DeviceArray<uint8_t>>(std::vector<uint8_t>(bytes, 0));
  }

  kernels::cuda::LogitsBatch Logits() const {
    kernels::cuda::LogitsBatch batch = {};
    batch.logits = logits_->data();
    batch.type = kernels::cuda::LogitType::kF32;
    batch.batch = batch_;
    batch.vocab = vocab_;
    batch.stride = 0;
    batch.masks = {device_->masks(), pool_->words(), device_->sent(), pool_->row_words()};
    batch.requests = device_->requests();
    batch.choices = device_->choices();
    batch.workspace = workspace_->data();
    return batch;
  }

  // Sends what rows want.
  void WriteUpdates() {
    pool_->FinishSteps(pool_->BeginStep() - 1);
    updates_->Begin();
    for (uint32_t r = 0; r < batch_; ++r) {
      FollowedRow& row = rows_[r];
      if (!row.wants_mask) continue;
      std::vector<uint32_t> ids;
      const auto mask = pool_->Place(row.matcher.grammar(), row.matcher.items(), &ids);
      ASSERT_TRUE(mask.has_value());
      RowState state;
      tables_[row.grammar]->StateOf(row.matcher.items(), &state);
      updates_->Add(r, *mask, ids.data(), row.wants_state ? &state : nullptr);
      row.wants_mask = row.wants_state = false;
    }
  }

  void Publish() {
    std::vector<kernels::StepTables> tables;
    for (size_t g = 0; g < tables_.size(); ++g) {
      const auto published = published_[g].Publish(*tables_[g], text_lengths_);
      ASSERT_TRUE(published.has_value());
      tables.push_back(*published);
    }
    device_->SetTables(tables);
  }

  // Are the masks of the device those of the matchers?
  void ExpectMasks() {
    std::vector<uint32_t> pool(size_t{pool_->slot_count()} * pool_->row_words());
    simt::cudaMemcpy(pool.data(), pool_->words(), pool.size() * 4, simt::cudaMemcpyDeviceToHost);
    std::vector<uint32_t> want(pool_->row_words());
    const std::vector<RowMask> masks = device_->Masks();
    for (uint32_t r = 0; r < batch_; ++r) {
      rows_[r].matcher.FillMask(want.data());
      const std::vector<uint32_t> sent = device_->Sent(masks[r]);
      RowMask mask = masks[r];
      mask.sent_begin = 0;
      for (uint32_t id = 0; id < vocab_; ++id) {
        ASSERT_EQ(IsAllowedIn(mask, pool.data(), pool_->row_words(), sent.data(), id),
                  (want[id / 32] >> (id % 32) & 1) != 0)
            << "row " << r << " token " << id;
      }
    }
  }

  void TakeResults() {
    const std::vector<RowState> states = device_->States();
    for (uint32_t r = 0; r < batch_; ++r) {
      const kernels::cuda::RowResult result = device_->results()[r];
      ++outcomes_[result.outcome];
      ASSERT_NE(result.outcome, RowOutcome::kNoToken) << r;
      TakeToken(&rows_[r], result, states[r]);
    }
  }

  void TakeToken(FollowedRow* row, const kernels::cuda::RowResult& result, const RowState& state) {
    StepTable& table = *tables_[row->grammar];
    if (result.outcome == RowOutcome::kNeedsStep) {
      table.LearnStep(row->matcher.items(), result.token);
    }
    ASSERT_TRUE(row->matcher.Accept(result.token))
        << "token " << result.token << " of grammar " << row->grammar;
    ++row->length;
    const bool is_over = row->matcher.IsTerminated();
    if (result.outcome == RowOutcome::kEnded) {
      ASSERT_TRUE(is_over);
    }
    if (is_over || row->length == 40) {
      row->matcher.Reset();
      row->length = 0;
      row->wants_mask = row->wants_state = true;
      return;
    }
    ASSERT_NE(result.outcome, RowOutcome::kEnded);
    if (result.outcome == RowOutcome::kNeedsStep) {
      row->wants_mask = row->wants_state = true;
      return;
    }
    RowState want;
    table.StateOf(row->matcher.items(), &want);
    ASSERT_TRUE(IsSameState(state, want));
    if (result.outcome == RowOutcome::kGoesOn) return;
    table.LearnMask(row->matcher.items());
    row->wants_mask = true;
  }

  TestVocabulary vocabulary_;
  StandInMemory memory_;
  uint32_t vocab_ = 0, batch_ = 0;
  std::shared_ptr<const TextTokens> text_tokens_;
  const uint8_t* text_lengths_ = nullptr;
  std::unique_ptr<MaskPool> pool_;
  std::vector<std::unique_ptr<StepTable>> tables_;
  std::vector<PublishedSteps> published_;
  std::vector<FollowedRow> rows_;
  std::unique_ptr<kernels::cuda::DeviceRows> device_;
  std::unique_ptr<kernels::cuda::PinnedUpdates> updates_;
  std::unique_ptr<simt::DeviceArray<float>> logits_;
  std::unique_ptr<simt::DeviceArray<uint8_t>> workspace_;
  std::map<RowOutcome, size_t> outcomes_;
};

TEST_F(DeviceRowsTest, GoWhereTheirMatchersGo) {
  const kernels::cuda::RowsBatch rows = device_->rows(batch_);
  for (int step = 0; step < 100; ++step) {
    SCOPED_TRACE(step);
    ASSERT_NO_FATAL_FAILURE(WriteUpdates());
    ASSERT_NO_FATAL_FAILURE(Publish());
    ASSERT_EQ(LaunchUpdateRows(rows, updates_->updates(), nullptr), 0);
    ASSERT_NO_FATAL_FAILURE(ExpectMasks());
    ASSERT_EQ(LaunchChooseTokens(Logits(), nullptr), 0);
    ASSERT_EQ(LaunchAdvanceRows(rows, nullptr), 0);
    ASSERT_EQ(simt::cudaDeviceSynchronize(), simt::cudaSuccess);
    ASSERT_NO_FATAL_FAILURE(TakeResults());
  }
  for (const RowOutcome outcome :
       {RowOutcome::kGoesOn, RowOutcome::kEnded, RowOutcome::kNeedsMask, RowOutcome::kNeedsStep}) {
    EXPECT_GT(outcomes_[outcome], 10u) << static_cast<int>(outcome);
  }
  EXPECT_GT(outcomes_[RowOutcome::kGoesOn], 300u);
  for (const simt::Finding& finding : simt::TakeFindings())
    ADD_FAILURE() << simt::Describe(finding);
}

}  // namespace
}  // namespace maskloom::suites
