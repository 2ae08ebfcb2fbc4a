// Rows whose masks and states live beside the logits, followed by the host, against matchers that
// take the same tokens: the mask of every row in every step, mixed grammars, rows that end and are
// replaced, a host that lags, pools and tables with little room.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/device/device_rows.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_schema.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

using kernels::RowMask;
using kernels::RowOutcome;
using kernels::RowState;
using Grammar = std::shared_ptr<const CompiledGrammar>;

// What kernels do, here: takes updates, and lets rows take tokens.
class PlainDevice {
 public:
  PlainDevice(const DeviceRows& rows, size_t count)
      : rows_(rows), states_(count), masks_(count), sent_(count * kernels::kMostListIds) {}

  void Take(const DeviceRows::Updates& updates) {
    for (const kernels::RowUpdate& update : updates.rows) {
      masks_[update.row] = update.mask;
      const uint32_t* from = updates.words.data() + update.mask.sent_begin;
      ASSERT_LE(update.mask.sent_count, kernels::kMostSentIds);
      masks_[update.row].sent_begin = update.row * kernels::kMostListIds;
      std::copy_n(from, update.mask.sent_count, &sent_[masks_[update.row].sent_begin]);
      if (update.depth == kernels::kKeepState) continue;
      from += update.mask.sent_count;
      RowState& state = states_[update.row];
      state = RowState{};
      state.depth = update.depth;
      state.count = *from++;
      state.cell_count = *from++;
      std::copy_n(from, update.depth, state.words);
      std::copy_n(from + update.depth, state.cell_count, state.cells);
    }
  }

  RowOutcome Advance(uint32_t row, uint32_t table, TokenId token) {
    const kernels::StepTables& tables = rows_.tables()[table];
    const kernels::StepOutcome step = StepRow(tables, token, &states_[row]);
    masks_[row] = {};
    const uint32_t begin = row * kernels::kMostListIds;
    const bool has_mask = step == kernels::StepOutcome::kDone &&
                          FindMask(tables, states_[row], &masks_[row], &sent_[begin]);
    masks_[row].sent_begin = begin;
    if (step == kernels::StepOutcome::kUnknown) return RowOutcome::kNeedsStep;
    if (step == kernels::StepOutcome::kEnded) return RowOutcome::kEnded;
    return has_mask ? RowOutcome::kGoesOn : RowOutcome::kNeedsMask;
  }

  bool IsAllowed(uint32_t row, TokenId token) const {
    return IsAllowedIn(masks_[row], rows_.pool().words(), rows_.pool().row_words(), sent_.data(),
                       token);
  }

 private:
  const DeviceRows& rows_;
  std::vector<RowState> states_;
  std::vector<RowMask> masks_;
  std::vector<uint32_t> sent_;
};

// A batch that takes random tokens.
class Batch {
 public:
  Batch(const TestVocabulary& vocabulary, const DeviceRowsLimits& limits, uint64_t seed)
      : random_(seed), vocab_(vocabulary.index->size()), texts_(limits.rows) {
    auto rows = DeviceRows::Create(vocabulary.index, &memory_, limits);
    EXPECT_TRUE(rows.ok()) << rows.status().ToString();
    rows_ = std::move(*rows);
    device_ = std::make_unique<PlainDevice>(*rows_, limits.rows);
  }

  void Place(uint32_t row, const Grammar& grammar, MatcherOptions options = {}) {
    texts_[row].matcher = std::make_unique<Matcher>(grammar, options);
    texts_[row].judge = std::make_unique<Matcher>(grammar);
    ASSERT_TRUE(rows_->Place(row, texts_[row].matcher.get()).ok());
    device_->Take(rows_->TakeUpdates());
  }

  // Lets every row take a token. Returns the rows that have ended.
  std::vector<uint32_t> Step() {
    std::vector<uint32_t> ended;
    for (uint32_t row = 0; row < texts_.size(); ++row) {
      if (texts_[row].judge != nullptr && StepRow(row)) ended.push_back(row);
    }
    device_->Take(rows_->TakeUpdates());
    return ended;
  }

  void CatchUp() { ASSERT_TRUE(rows_->CatchUp().ok()); }
  DeviceRows& rows() { return *rows_; }
  Matcher& matcher(uint32_t row) { return *texts_[row].matcher; }
  Matcher& judge(uint32_t row) { return *texts_[row].judge; }
  std::mt19937_64& random() { return random_; }
  void TakeUpdates() { device_->Take(rows_->TakeUpdates()); }
  TokenId AnyToken(uint32_t row) {
    const std::vector<TokenId> allowed = Allowed(row);
    return allowed.empty() ? 0 : allowed[random_() % allowed.size()];
  }
  // Takes a token, as the device and the judge.
  bool Take(uint32_t row, TokenId token) {
    const RowOutcome outcome = device_->Advance(row, rows_->TableOf(row), token);
    const Result<bool> ended = rows_->Take(row, token, outcome);
    EXPECT_TRUE(ended.ok()) << ended.status().ToString();
    EXPECT_TRUE(texts_[row].judge->Accept(token));
    EXPECT_EQ(*ended, texts_[row].judge->IsTerminated());
    return *ended;
  }

  // Lets a row take the tokens of a text, and compares masks behind each.
  enum class Host { kCatchesUp, kLags };
  void TakeText(uint32_t row, const std::vector<TokenId>& tokens, Host host) {
    for (const TokenId token : tokens) {
      Take(row, token);
      TakeUpdates();
      if (host == Host::kCatchesUp) CatchUp();
      Allowed(row);
    }
  }

  // What the row's mask allows, which must be the judge's.
  std::vector<TokenId> Allowed(uint32_t row) {
    std::vector<uint32_t> mask((vocab_ + 31) / 32);
    texts_[row].judge->FillMask(mask.data());
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < vocab_; ++id) {
      const bool is_allowed = (mask[id / 32] >> (id % 32) & 1) != 0;
      EXPECT_EQ(device_->IsAllowed(row, id), is_allowed) << "row " << row << " token " << id;
      if (is_allowed) allowed.push_back(id);
    }
    return allowed;
  }

 private:
  struct Text {
    std::unique_ptr<Matcher> matcher, judge;
  };

  bool StepRow(uint32_t row) {
    if (texts_[row].judge->IsTerminated()) {
      EXPECT_TRUE(Allowed(row).empty());
      return true;
    }
    return Take(row, AnyToken(row));
  }

  std::mt19937_64 random_;
  uint32_t vocab_;
  PlainMemory memory_;
  std::unique_ptr<DeviceRows> rows_;
  std::unique_ptr<PlainDevice> device_;
  std::vector<Text> texts_;
};

class DeviceRowsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    vocabulary_ = std::make_unique<TestVocabulary>(SyntheticVocabulary(true));
  }
  static void TearDownTestSuite() { vocabulary_.reset(); }

  static Grammar Schema(const std::string& text) {
    auto grammar = Compile({.name = text, .definition = text}, vocabulary_->index);
    EXPECT_TRUE(grammar.ok()) << grammar.status().ToString();
    return *grammar;
  }
  // Schemas and what InlineCases has, as far as they compile.
  static std::vector<Grammar> SomeGrammars(size_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::vector<DefinitionCase> inline_cases = InlineCases();
    std::vector<Grammar> grammars;
    while (grammars.size() < count) {
      const std::string schema = RandomSchema(&random);
      auto grammar = grammars.size() % 3 == 2
                         ? Compile(inline_cases[random() % inline_cases.size()], vocabulary_->index)
                         : Compile({.name = "random", .definition = schema}, vocabulary_->index);
      if (grammar.ok()) grammars.push_back(*grammar);
    }
    return grammars;
  }
  // Cuts a text into tokens that are as long as can be, as most tokenizers do.
  static std::vector<TokenId> LongestTokens(std::string_view text) {
    std::vector<TokenId> tokens;
    while (!text.empty()) {
      size_t length = std::min<size_t>(3, text.size());
      while (!vocabulary_->ids.contains(text.substr(0, length))) --length;
      tokens.push_back(vocabulary_->ids.at(text.substr(0, length)));
      text.remove_prefix(length);
    }
    return tokens;
  }
  static DeviceRowsLimits Limits(uint32_t rows) {
    DeviceRowsLimits limits;
    limits.rows = rows;
    limits.pool_bytes = 8u << 20;
    limits.table_bytes = 1u << 20;
    return limits;
  }
  // Follows texts of mixed grammars for `steps` steps; the host catches up now and then.
  static void Follow(const DeviceRowsLimits& limits, size_t grammar_count, int steps,
                     uint64_t seed) {
    const std::vector<Grammar> grammars = SomeGrammars(grammar_count, seed);
    Batch batch(*vocabulary_, limits, seed);
    const auto any = [&] { return grammars[batch.random()() % grammars.size()]; };
    for (uint32_t row = 0; row < limits.rows; ++row) batch.Place(row, any());
    for (int step = 0; step < steps; ++step) {
      for (const uint32_t row : batch.Step()) {
        ASSERT_TRUE(batch.rows().CatchUpRow(row).ok());
        EXPECT_EQ(batch.matcher(row).token_count(), batch.judge(row).token_count());
        ASSERT_TRUE(batch.rows().Remove(row).ok());
        batch.Place(row, any());
      }
      if (batch.random()() % 3 == 0) batch.CatchUp();
      if (testing::Test::HasFailure()) return;
    }
    const DeviceRowsCounts counts = batch.rows().counts();
    EXPECT_GE(counts.tokens, static_cast<uint64_t>(steps) / 2);
    const uint64_t least_alone = limits.table_bytes > 4096 ? 1 : 0;
    EXPECT_GE(counts.alone, least_alone);
    EXPECT_LT(counts.alone, counts.tokens);
  }

  static std::unique_ptr<TestVocabulary> vocabulary_;
};

std::unique_ptr<TestVocabulary> DeviceRowsTest::vocabulary_;

TEST_F(DeviceRowsTest, GoWhereMatchersGo) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    ASSERT_NO_FATAL_FAILURE(Follow(Limits(1 + 5 * static_cast<uint32_t>(seed - 1)), 6, 120, seed));
  }
}

TEST_F(DeviceRowsTest, GoOnWithoutTheHostWhereTheyWereBefore) {
  Batch batch(*vocabulary_, Limits(2), 3);
  const Grammar grammar =
      Schema(R"({"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"enum": [1]}},
                 "required": ["a", "b"], "additionalProperties": false})");
  std::mt19937_64 random(1);
  const std::vector<TokenId> tokens = vocabulary_->Split(R"({"a":true,"b":1})", &random);
  for (int text = 0; text < 5; ++text) {
    batch.Place(0, grammar);
    const DeviceRowsCounts before = batch.rows().counts();
    batch.TakeText(0, tokens, Batch::Host::kCatchesUp);
    const DeviceRowsCounts after = batch.rows().counts();
    EXPECT_EQ(after.tokens - before.tokens, tokens.size());
    if (text < 2) continue;
    EXPECT_EQ(after.alone - before.alone, tokens.size()) << text;
    EXPECT_EQ(after.updates, before.updates);
    EXPECT_EQ(after.mask_bytes, before.mask_bytes);
    EXPECT_EQ(after.table_bytes, before.table_bytes);
  }
}

// The only place is taken by one coding of strings after the other.
TEST_F(DeviceRowsTest, GrammarsOfAnyCodingFindAPlace) {
  DeviceRowsLimits limits = Limits(1);
  limits.grammars = 1;
  Batch batch(*vocabulary_, limits, 9);
  const std::string schema = R"({"type": "array", "items": {"type": "string", "maxLength": 3}})";
  DefinitionCase plain = {.name = schema, .definition = schema};
  plain.options.style.escapes = StylePolicy::Escapes::kPlain;
  const auto plain_grammar = Compile(plain, vocabulary_->index);
  ASSERT_TRUE(plain_grammar.ok());
  uint64_t alone = 0;
  for (const Grammar& grammar : {Schema(schema), *plain_grammar, Schema(schema), *plain_grammar}) {
    for (int text = 0; text < 3; ++text) {
      batch.Place(0, grammar);
      EXPECT_EQ(batch.rows().TableOf(0), 0u);
      batch.TakeText(0, LongestTokens("[\"ab\"]"), Batch::Host::kCatchesUp);
      ASSERT_TRUE(batch.rows().Remove(0).ok());
    }
    EXPECT_GT(batch.rows().counts().alone, alone);
    alone = batch.rows().counts().alone;
  }
}

TEST_F(DeviceRowsTest, TablesThatAreExploredKnowWhatNoRowHasMet) {
  const Grammar grammar = Schema(R"({"enum": [[true, 1, false, 2], 12]})");
  const auto count_alone = [&](size_t explored_states) {
    DeviceRowsLimits limits = Limits(1);
    limits.explored_states = explored_states;
    Batch batch(*vocabulary_, limits, 4);
    batch.Place(0, grammar);
    for (int i = 0; i < 50; ++i) batch.CatchUp();
    batch.TakeText(0, LongestTokens("[true,1,false,2]"), Batch::Host::kLags);
    return batch.rows().counts().alone;
  };
  EXPECT_EQ(count_alone(0), 0u);
  EXPECT_GT(count_alone(4), 0u);
}

TEST_F(DeviceRowsTest, ALittlePoolIsEnough) {
  DeviceRowsLimits limits = Limits(4);
  limits.pool_bytes = (2 * 4 + 4) * size_t{vocabulary_->index->row_words()} * 4;
  ASSERT_NO_FATAL_FAILURE(Follow(limits, 12, 400, 11));
  limits.pool_bytes -= 1;
  PlainMemory memory;
  EXPECT_EQ(DeviceRows::Create(vocabulary_->index, &memory, limits).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(DeviceRowsTest, RowsOfMoreGrammarsThanTablesAreFollowedByTheHost) {
  DeviceRowsLimits limits = Limits(6);
  limits.grammars = 2;
  ASSERT_NO_FATAL_FAILURE(Follow(limits, 8, 200, 12));
  limits.grammars = 1;
  limits.table_bytes = 4096;
  ASSERT_NO_FATAL_FAILURE(Follow(limits, 2, 100, 13));
}

TEST_F(DeviceRowsTest, TablesThatAreFullAreBegunAnewWhenNoRowIsLeft) {
  DeviceRowsLimits limits = Limits(1);
  limits.table_bytes = 64u << 10;
  limits.explored_states = 0;
  Batch batch(*vocabulary_, limits, 8);
  const Grammar grammar =
      Schema(R"({"type": "object", "additionalProperties": {"type": "number"}})");
  for (int text = 0; text < 80; ++text) {
    ASSERT_TRUE(batch.rows().Remove(0).ok());
    batch.Place(0, grammar);
    for (int step = 0; step < 30 && batch.Step().empty(); ++step) batch.CatchUp();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(batch.rows().counts().alone, 0u);
  EXPECT_GT(batch.rows().counts().tables, 1u);
}

TEST_F(DeviceRowsTest, MatchersThatCannotGoBackTeachTablesToo) {
  Batch batch(*vocabulary_, Limits(1), 5);
  const Grammar grammar = Schema(R"({"type": "array", "items": {"enum": [true, null]}})");
  for (int text = 0; text < 60; ++text) {
    batch.Place(0, grammar, {.max_rollback = 0});
    for (int step = 0; step < 30 && batch.Step().empty(); ++step) batch.CatchUp();
  }
  EXPECT_GT(batch.rows().counts().learned_steps, 0u);
  EXPECT_GT(batch.rows().counts().alone, batch.rows().counts().tokens / 2);
}

TEST_F(DeviceRowsTest, ARowGoesOnFromWhereItsMatcherWasTakenBackTo) {
  Batch batch(*vocabulary_, Limits(1), 6);
  const Grammar grammar = Schema(R"({"type": "array", "items": {"type": "integer"}})");
  batch.Place(0, grammar);
  for (int round = 0; round < 40; ++round) {
    for (int step = 0; step < 6; ++step) {
      if (batch.judge(0).IsTerminated() || batch.Step().size() == 1) {
        ASSERT_TRUE(batch.rows().Remove(0).ok());
        batch.Place(0, grammar);
      }
    }
    ASSERT_TRUE(batch.rows().CatchUpRow(0).ok());
    ASSERT_EQ(batch.matcher(0).token_count(), batch.judge(0).token_count());
    const auto back = static_cast<uint32_t>(
        batch.random()() % (1 + std::min<uint64_t>(3, batch.judge(0).token_count())));
    ASSERT_TRUE(batch.matcher(0).Rollback(back).ok());
    ASSERT_TRUE(batch.judge(0).Rollback(back).ok());
    ASSERT_TRUE(batch.rows().Place(0, &batch.matcher(0)).ok());
    batch.TakeUpdates();
    batch.CatchUp();
  }
}

TEST_F(DeviceRowsTest, RefusesWhatCannotBe) {
  Batch batch(*vocabulary_, Limits(2), 7);
  const Grammar grammar = Schema(R"({"const": true})");
  batch.Place(0, grammar);
  EXPECT_EQ(batch.rows().Place(1, &batch.matcher(0)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(batch.rows().Place(2, &batch.matcher(0)).code(), StatusCode::kInvalidArgument);
  const TestVocabulary other = SyntheticVocabulary(false);
  auto foreign = Compile({.name = "foreign", .definition = "true"}, other.index);
  ASSERT_TRUE(foreign.ok());
  Matcher matcher(*foreign);
  EXPECT_EQ(batch.rows().Place(1, &matcher).code(), StatusCode::kInvalidArgument);
  // A token that the matcher does not allow.
  TokenId token = 0;
  while (batch.judge(0).IsAllowed(token)) ++token;
  EXPECT_EQ(batch.rows().Take(0, token, RowOutcome::kNeedsStep).status().code(),
            StatusCode::kInternal);
  EXPECT_TRUE(batch.rows().Take(0, token, RowOutcome::kGoesOn).ok());
  EXPECT_EQ(batch.rows().CatchUp().code(), StatusCode::kInternal);
  // Rows that are empty take nothing.
  EXPECT_TRUE(batch.rows().Take(1, token, RowOutcome::kNeedsStep).ok());
  EXPECT_TRUE(batch.rows().Remove(1).ok());
  DeviceRowsLimits none = Limits(0);
  PlainMemory memory;
  EXPECT_EQ(DeviceRows::Create(vocabulary_->index, &memory, none).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(ShadowedMemoryTest, CopiesPiecesThatDiffer) {
  constexpr size_t kPiece = ShadowedMemory::kPieceBytes;
  PlainMemory plain;
  ShadowedMemory memory(&plain);
  auto* block = static_cast<std::byte*>(memory.Allocate(10 * kPiece));
  std::vector<std::byte> bytes(10 * kPiece, std::byte{1});
  memory.Copy(block, bytes.data(), bytes.size());
  EXPECT_EQ(memory.copied_bytes(), 10 * kPiece);
  bytes[3 * kPiece] = bytes[4 * kPiece + 1] = bytes[9 * kPiece + 5] = std::byte{2};
  memory.Copy(block, bytes.data(), bytes.size());
  EXPECT_EQ(memory.copied_bytes(), 13 * kPiece);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), block));
  // What begins and ends within pieces.
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const size_t begin = random() % bytes.size();
    const size_t count = 1 + random() % (bytes.size() - begin);
    for (int k = 0; k < 3; ++k) bytes[begin + random() % count] = std::byte(random() % 256);
    memory.Copy(block + begin, bytes.data() + begin, count);
    ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(), block));
  }
}

}  // namespace
}  // namespace maskloom::suites
