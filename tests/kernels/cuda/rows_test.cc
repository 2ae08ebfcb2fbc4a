// Rows that go on without the host are where the host's own steps would be, and wait where these do
// not know the way.
#include "kernels/cuda/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/kernels/cuda/checks.h"
#include "tests/kernels/cuda/device_rows.h"
#include "tests/kernels/cuda/random_tables.h"
#include "tests/kernels/sampling/sampling_fixture.h"

namespace maskloom::kernels::cuda {
namespace {

bool IsSameMask(const RowMask& a, const RowMask& b) {
  return a.slot == b.slot && a.list_begin == b.list_begin && a.list_count == b.list_count &&
         a.sent_count == b.sent_count;
}

// What a row of the device should be, kept on the host.
struct HostRow {
  RowState state;
  RowMask mask;
  std::vector<uint32_t> sent;
  uint64_t position = 0;
  uint32_t grammar = 0;
  uint32_t token = 0;
  RowResult result = {};

  void Close() {
    mask = {};
    sent.clear();
  }

  // Does what LaunchAdvanceRows documents.
  void Advance(const RowChoice& choice, const StepTables& tables) {
    result = {choice.token, RowOutcome::kNoToken, static_cast<uint16_t>(choice.status)};
    if (choice.status != SampleStatus::kOk) return;
    ++position;
    token = choice.token;
    result.outcome = RowOutcome::kGoesOn;
    if (grammar == kNoGrammar) return;
    Close();
    const StepOutcome outcome = StepRow(tables, choice.token, &state);
    uint32_t ids[kMostListIds];
    const bool is_known = outcome == StepOutcome::kDone && FindMask(tables, state, &mask, ids);
    sent.assign(ids, ids + mask.sent_count);
    result.outcome = outcome == StepOutcome::kUnknown ? RowOutcome::kNeedsStep
                     : outcome == StepOutcome::kEnded ? RowOutcome::kEnded
                     : is_known                       ? RowOutcome::kGoesOn
                                                      : RowOutcome::kNeedsMask;
  }
};

// A batch on the device beside what it should be.
class RowsTest : public ::testing::Test {
 protected:
  void Begin(uint32_t batch, uint64_t seed) {
    for (uint64_t g = 0; g < 3; ++g) {
      grammars_.push_back(std::make_unique<RandomTables>(10 * seed + g));
    }
    std::vector<StepTables> tables;
    for (const auto& grammar : grammars_) tables.push_back(grammar->on_device());
    std::vector<RowRequest> requests;
    rows_.resize(batch);
    for (HostRow& row : rows_) {
      SampleSettings settings;
      settings.seed = random().Below(1000);
      settings.position = row.position = random().Below(50);
      requests.push_back(MakeRowRequest(settings));
      row.grammar = random().Below(8) == 0 ? kNoGrammar : random().Below(3);
      requests.back().grammar = row.grammar;
    }
    requests_ = requests;
    device_ = std::make_unique<DeviceRows>(requests, tables);
    updates_ = std::make_unique<PinnedUpdates>(batch);
  }

  RandomTables& random() { return *grammars_[0]; }
  const RandomTables& TablesOf(const HostRow& row) const {
    return *grammars_[row.grammar == kNoGrammar ? 0 : row.grammar];
  }
  uint32_t batch() const { return static_cast<uint32_t>(rows_.size()); }

  // Sends something to about one of `in` rows, as a host may at any time.
  void WriteUpdates(uint32_t in) {
    updates_->Begin();
    for (uint32_t r = 0; r < batch(); ++r) {
      if (random().Below(in) != 0) continue;
      HostRow& row = rows_[r];
      row.mask = random().AnyRowMask();
      row.sent.resize(random().Below(2) == 0 ? 0 : random().Below(kMostSentIds + 1));
      for (uint32_t& id : row.sent) id = random().Below(RandomTables::kTokens);
      std::sort(row.sent.begin(), row.sent.end());
      row.mask.sent_count = static_cast<uint16_t>(row.sent.size());
      const bool has_state = random().Below(3) != 0;
      if (has_state) row.state = random().Below(8) == 0 ? RowState() : random().AnyState();
      updates_->Add(r, row.mask, row.sent.data(), has_state ? &row.state : nullptr);
    }
  }

  void ExpectSameRows() {
    const std::vector<RowState> states = device_->States();
    const std::vector<RowMask> masks = device_->Masks();
    const std::vector<RowRequest> requests = device_->Requests();
    const std::vector<uint32_t> tokens = device_->Tokens();
    for (uint32_t r = 0; r < batch(); ++r) {
      const HostRow& row = rows_[r];
      ASSERT_TRUE(IsSameState(states[r], row.state)) << r;
      ASSERT_TRUE(IsSameMask(masks[r], row.mask)) << r;
      ASSERT_EQ(device_->Sent(masks[r]), row.sent) << r;
      ASSERT_EQ(requests[r].position, row.position) << r;
      ASSERT_EQ(tokens[r], row.token) << r;
    }
  }

  void ExpectSameResults() {
    for (uint32_t r = 0; r < batch(); ++r) {
      const RowResult& got = device_->results()[r];
      ASSERT_EQ(got.token, rows_[r].result.token) << r;
      ASSERT_EQ(got.outcome, rows_[r].result.outcome) << r;
      ASSERT_EQ(got.status, rows_[r].result.status) << r;
      ++outcomes_[got.outcome];
    }
  }

  // The host's own choice of a row's token.
  RowChoice Choose(const HostRow& row, const RowRequest& request, const float* logits) const {
    OwnedRow whole;
    whole.vocab = RandomTables::kTokens;
    whole.logits.assign(logits, logits + whole.vocab);
    whole.mask.assign(RandomTables::kRowWords, 0);
    RowMask mask = row.mask;
    mask.sent_begin = 0;
    for (uint32_t id = 0; id < whole.vocab; ++id) {
      const bool allowed = IsAllowedIn(mask, grammars_[0]->pool().data(), RandomTables::kRowWords,
                                       row.sent.data(), id);
      if (allowed) whole.mask[id / 32] |= 1u << (id % 32);
    }
    SampleSettings settings;
    settings.seed = request.seed;
    settings.position = row.position;
    const Outcome outcome = kernels::Choose(Form::kDefault, whole, settings);
    return {outcome.status, outcome.result.token, 0, 0, 0, 0, 0};
  }

  std::vector<std::unique_ptr<RandomTables>> grammars_;
  std::vector<HostRow> rows_;
  std::vector<RowRequest> requests_;
  std::unique_ptr<DeviceRows> device_;
  std::unique_ptr<PinnedUpdates> updates_;
  std::map<RowOutcome, int> outcomes_;
};

TEST_F(RowsTest, GoWhereTheHostGoesByRandomTables) {
  for (const uint32_t batch : {1u, 5u, 31u, 256u}) {
    SCOPED_TRACE(batch);
    grammars_.clear();
    rows_.clear();
    Begin(batch, batch);
    const RowsBatch rows = device_->rows(batch);
    for (int step = 0; step < (batch > 100 ? 12 : 60); ++step) {
      SCOPED_TRACE(step);
      WriteUpdates(step == 0 ? 1 : 4);
      ASSERT_EQ(LaunchUpdateRows(rows, updates_->updates(), nullptr), 0);
      ASSERT_NO_FATAL_FAILURE(ExpectSameRows());
      std::vector<RowChoice> choices;
      for (HostRow& row : rows_) {
        RowChoice choice = {
            SampleStatus::kOk, random().Below(RandomTables::kTokens), 0, 0, 0, 0, 0};
        if (random().Below(10) == 0) {
          choice.status =
              random().Below(2) == 0 ? SampleStatus::kEmptyMask : SampleStatus::kNoFiniteLogit;
          choice.token = UINT32_MAX;
        }
        choices.push_back(choice);
        row.Advance(choice, TablesOf(row).on_host());
      }
      device_->SetChoices(choices);
      ASSERT_EQ(LaunchAdvanceRows(rows, nullptr), 0);
      ASSERT_NO_FATAL_FAILURE(ExpectSameRows());
      ASSERT_NO_FATAL_FAILURE(ExpectSameResults());
    }
  }
  for (const RowOutcome outcome : {RowOutcome::kGoesOn, RowOutcome::kEnded, RowOutcome::kNeedsMask,
                                   RowOutcome::kNeedsStep, RowOutcome::kNoToken}) {
    EXPECT_GT(outcomes_[outcome], 20) << static_cast<int>(outcome);
  }
  ExpectNoFindings();
}

TEST_F(RowsTest, StayAsTheyWereWhereTheirStackIsFull) {
  Begin(1, 77);
  rows_[0].grammar = 1;
  const StepTables tables = TablesOf(rows_[0]).on_host();
  // A token after which the row would be too deep.
  RowState full = random().AnyState();
  uint32_t token = 0;
  for (;; token = (token + 1) % RandomTables::kTokens) {
    full.depth = kMostRowWords;
    full.words[full.depth - 1] = 1 + random().Below(RandomTables::kHeads / 2 - 1);
    if (token == 95 || token == 3) continue;
    uint32_t looked_at = 0;
    RowState after = full;
    if (FindByWords(tables, full, token, &looked_at) != kAbsent && looked_at == 1 &&
        StepRow(tables, token, &after) == StepOutcome::kUnknown) {
      break;
    }
  }
  requests_[0].grammar = 1;
  DeviceRows device(requests_, {grammars_[0]->on_device(), grammars_[1]->on_device()});
  updates_->Begin();
  updates_->Add(0, {kOpenSlot, 0, 0, 0, 0}, nullptr, &full);
  ASSERT_EQ(LaunchUpdateRows(device.rows(1), updates_->updates(), nullptr), 0);
  device.SetChoices({{SampleStatus::kOk, token, 0, 0, 0, 0, 0}});
  ASSERT_EQ(LaunchAdvanceRows(device.rows(1), nullptr), 0);
  const RowState after = device.States()[0];
  EXPECT_EQ(device.results()[0].outcome, RowOutcome::kNeedsStep);
  EXPECT_EQ(device.results()[0].token, token);
  EXPECT_TRUE(IsSameState(after, full));
  EXPECT_EQ(device.Masks()[0].slot, kNoSlot);
  ExpectNoFindings();
}

// A host may know words that the tables here do not have yet.
TEST_F(RowsTest, WordsThatTheTablesDoNotKnowAreNotLookedUp) {
  Begin(1, 78);
  constexpr uint32_t kHead = 1, kContext = 2, kUnknown = 1u << 20, kToken = 5;
  std::vector<StepEntry> entries(64);
  const auto put = [&](const StepEntry& entry) {
    uint32_t slot = HashStep(entry.left, entry.right);
    while (entries[slot % entries.size()].left != 0) ++slot;
    entries[slot % entries.size()] = entry;
  };
  put({kHead, kToken, 0});
  put({kHead, kMaskBit, kContextBit | kContext});
  const simt::DeviceArray<StepEntry> device_entries(entries);
  const simt::DeviceArray<HeadInfo> heads(std::vector<HeadInfo>(3));
  const simt::DeviceArray<WordRegisters> registers(std::vector<WordRegisters>(1));
  const simt::DeviceArray<uint32_t> records(std::vector<uint32_t>{1, 0, kHead});
  StepTables tables = grammars_[0]->on_device();
  tables.entries = device_entries.data();
  tables.entry_mask = static_cast<uint32_t>(entries.size() - 1);
  tables.heads = heads.data();
  tables.registers = registers.data();
  tables.records = records.data();
  tables.end_token_count = 0;
  const simt::DeviceArray<uint8_t> lengths(std::vector<uint8_t>(RandomTables::kTokens));
  tables.text_lengths = lengths.data();
  requests_[0].grammar = 0;
  DeviceRows device(requests_, {tables});
  RowState state;
  state.depth = 2;
  state.words[0] = kUnknown;
  state.words[1] = kHead;
  updates_->Begin();
  updates_->Add(0, {kOpenSlot, 0, 0, 0, 0}, nullptr, &state);
  ASSERT_EQ(LaunchUpdateRows(device.rows(1), updates_->updates(), nullptr), 0);
  device.SetChoices({{SampleStatus::kOk, kToken, 0, 0, 0, 0, 0}});
  ASSERT_EQ(LaunchAdvanceRows(device.rows(1), nullptr), 0);
  EXPECT_TRUE(IsSameState(device.States()[0], state));
  EXPECT_EQ(device.results()[0].outcome, RowOutcome::kNeedsMask);
  ExpectNoFindings();
}

// A step as one graph: updates from pinned memory, the choice, the step; results to pinned memory.
TEST_F(RowsTest, ACapturedStepRunsWithTheHostAndWithout) {
  constexpr uint32_t kBatch = 12, kVocab = RandomTables::kTokens;
  Begin(kBatch, 5);
  RowMaker maker(5);
  std::vector<float> logits;
  for (uint32_t i = 0; i < kBatch * kVocab; ++i) logits.push_back(maker.Uniform(-2, 2));
  const simt::DeviceArray<float> device_logits(logits);
  const size_t bytes = LogitsWorkspaceBytes(kBatch, kVocab);
  const simt::DeviceArray<uint8_t> workspace(std::vector<uint8_t>(bytes, 0));
  LogitsBatch batch = {};
  batch.logits = device_logits.data();
  batch.type = LogitType::kF32;
  batch.batch = kBatch;
  batch.vocab = batch.stride = kVocab;
  batch.masks = {device_->masks(), grammars_[0]->device_pool(), device_->sent(),
                 RandomTables::kRowWords};
  batch.requests = device_->requests();
  batch.choices = device_->choices();
  batch.workspace = workspace.data();
  const RowsBatch rows = device_->rows(kBatch);

  simt::cudaStream_t stream;
  simt::cudaGraph_t graph;
  simt::cudaGraphExec_t exec;
  ASSERT_EQ(simt::cudaStreamCreate(&stream), simt::cudaSuccess);
  ASSERT_EQ(simt::cudaStreamBeginCapture(stream, simt::cudaStreamCaptureModeGlobal),
            simt::cudaSuccess);
  ASSERT_EQ(LaunchUpdateRows(rows, updates_->updates(), stream), 0);
  ASSERT_EQ(LaunchChooseTokens(batch, stream), 0);
  ASSERT_EQ(LaunchAdvanceRows(rows, stream), 0);
  ASSERT_EQ(simt::cudaStreamEndCapture(stream, &graph), simt::cudaSuccess);
  ASSERT_EQ(simt::cudaGraphInstantiate(&exec, graph, 0), simt::cudaSuccess);
  for (int step = 0; step < 40; ++step) {
    SCOPED_TRACE(step);
    // In most steps the host does nothing, and what it sent last is not taken again.
    if (step % 3 == 0) WriteUpdates(step == 0 ? 1 : 2);
    ASSERT_EQ(simt::cudaGraphLaunch(exec, stream), simt::cudaSuccess);
    ASSERT_EQ(simt::cudaStreamSynchronize(stream), simt::cudaSuccess);
    for (uint32_t r = 0; r < kBatch; ++r) {
      const RowChoice choice = Choose(rows_[r], requests_[r], logits.data() + r * kVocab);
      rows_[r].Advance(choice, TablesOf(rows_[r]).on_host());
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSameResults());
    ASSERT_NO_FATAL_FAILURE(ExpectSameRows());
  }
  EXPECT_GT(outcomes_[RowOutcome::kGoesOn], 40);
  EXPECT_GT(outcomes_[RowOutcome::kNoToken], 20);  // rows that waited
  ASSERT_EQ(simt::cudaGraphExecDestroy(exec), simt::cudaSuccess);
  ASSERT_EQ(simt::cudaGraphDestroy(graph), simt::cudaSuccess);
  ASSERT_EQ(simt::cudaStreamDestroy(stream), simt::cudaSuccess);
  ExpectNoFindings();
}

}  // namespace
}  // namespace maskloom::kernels::cuda
