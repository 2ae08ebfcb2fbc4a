// Rollback, fork, validate, reset and forced bytes against fresh matchers that read the same
// tokens.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/property_walk.h"
#include "tests/suites/random_text.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

std::vector<uint32_t> MaskOf(Matcher* matcher) {
  std::vector<uint32_t> row(matcher->grammar().vocabulary().row_words());
  matcher->FillMask(row.data());
  return row;
}

// A matcher that reads `tokens` from the start.
Matcher Fresh(const std::shared_ptr<const CompiledGrammar>& grammar,
              const std::vector<TokenId>& tokens) {
  Matcher matcher(grammar);
  for (TokenId token : tokens) EXPECT_TRUE(matcher.Accept(token));
  return matcher;
}

void ExpectSameState(Matcher* a, Matcher* b) {
  EXPECT_EQ(MaskOf(a), MaskOf(b));
  EXPECT_EQ(a->IsAccepting(), b->IsAccepting());
  EXPECT_EQ(a->IsTerminated(), b->IsTerminated());
  EXPECT_EQ(a->token_count(), b->token_count());
  EXPECT_EQ(a->NextBytes(), b->NextBytes());
}

std::optional<TokenId> RandomAllowed(Matcher* matcher, std::mt19937_64* random) {
  std::vector<uint32_t> row = MaskOf(matcher);
  std::vector<TokenId> allowed;
  for (TokenId id = 0; id < row.size() * 32; ++id) {
    if ((row[id / 32] >> (id % 32) & 1) != 0) allowed.push_back(id);
  }
  if (allowed.empty()) return std::nullopt;
  return allowed[(*random)() % allowed.size()];
}

class MatcherHistory : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    vocabulary_ = std::make_unique<TestVocabulary>(SyntheticVocabulary(true));
  }
  static void TearDownTestSuite() { vocabulary_.reset(); }

  static std::shared_ptr<const CompiledGrammar> Grammar(const DefinitionCase& one) {
    auto grammar = Compile(one, vocabulary_->index);
    EXPECT_TRUE(grammar.ok()) << one.name << grammar.status().ToString();
    return *grammar;
  }

  static DefinitionCase Inline(const std::string& name) {
    for (DefinitionCase& one : InlineCases()) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << name;
    return {};
  }

  static std::unique_ptr<TestVocabulary> vocabulary_;
};

std::unique_ptr<TestVocabulary> MatcherHistory::vocabulary_;

TEST_F(MatcherHistory, RollbackAndForkEqualFreshMatchers) {
  std::mt19937_64 random(5);
  std::vector<DefinitionCase> cases = InlineCases();
  for (const DefinitionCase& one : cases) {
    SCOPED_TRACE(one.name);
    auto grammar = Grammar(one);
    Matcher matcher(grammar);
    std::vector<TokenId> history;
    for (int step = 0; step < 60; ++step) {
      size_t action = random() % 8;
      if (action == 0 && !history.empty()) {
        size_t count = 1 + random() % history.size();
        ASSERT_TRUE(matcher.Rollback(static_cast<uint32_t>(count)).ok());
        history.resize(history.size() - count);
      } else if (action == 1) {
        // The fork goes on, the original is thrown away; or a fork runs ahead and is thrown away.
        Matcher fork = matcher.Fork();
        if (random() % 2 == 0) {
          matcher = std::move(fork);
        } else if (auto token = RandomAllowed(&fork, &random)) {
          EXPECT_TRUE(fork.Accept(*token));
        }
      } else if (auto token = RandomAllowed(&matcher, &random)) {
        ASSERT_TRUE(matcher.Accept(*token));
        history.push_back(*token);
      }
      if (step % 6 != 0) continue;
      Matcher fresh = Fresh(grammar, history);
      ExpectSameState(&matcher, &fresh);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST_F(MatcherHistory, RejectedTokensChangeNothing) {
  auto grammar = Grammar(Inline("tiny-any-order"));
  Matcher matcher(grammar);
  ASSERT_EQ(matcher.AcceptBytes("{\"ab\":"), 6u);
  std::vector<uint32_t> mask = MaskOf(&matcher);
  for (TokenId id = 0; id < vocabulary_->index->size() + 40; ++id) {
    bool allowed = id / 32 < mask.size() && (mask[id / 32] >> (id % 32) & 1) != 0;
    ASSERT_EQ(matcher.IsAllowed(id), allowed) << id;
    if (!allowed) {
      ASSERT_FALSE(matcher.Accept(id)) << id;
    }
  }
  EXPECT_EQ(MaskOf(&matcher), mask);
  EXPECT_EQ(matcher.token_count(), 1u);
  EXPECT_EQ(matcher.AcceptBytes("true]"), 4u);
  EXPECT_EQ(MaskOf(&matcher), mask);
}

TEST_F(MatcherHistory, ValidateCountsAndChangesNothing) {
  auto grammar = Grammar(Inline("tiny-integers"));
  Matcher matcher(grammar);
  std::mt19937_64 random(9);
  std::vector<TokenId> tokens = vocabulary_->Split("[1,90,-1]", &random);
  TokenId end = vocabulary_->index->vocabulary().end_tokens().front();
  tokens.push_back(end);
  EXPECT_EQ(matcher.Validate(tokens), tokens.size());
  std::vector<TokenId> behind = tokens;
  behind.push_back(tokens.front());
  EXPECT_EQ(matcher.Validate(behind), tokens.size());
  std::swap(tokens[0], tokens[1]);
  EXPECT_EQ(matcher.Validate(tokens), 0u);
  EXPECT_EQ(matcher.token_count(), 0u);
  EXPECT_EQ(matcher.Validate({}), 0u);
}

TEST_F(MatcherHistory, EndTokenTerminatesAndRollsBack) {
  auto grammar = Grammar(Inline("tiny-integers"));
  TokenId end = vocabulary_->index->vocabulary().end_tokens().front();
  Matcher matcher(grammar);
  EXPECT_FALSE(matcher.Accept(end));
  ASSERT_EQ(matcher.AcceptBytes("[]"), 2u);
  ASSERT_TRUE(matcher.Accept(end));
  EXPECT_TRUE(matcher.IsTerminated());
  EXPECT_FALSE(matcher.IsAccepting());
  EXPECT_FALSE(matcher.Accept(end));
  EXPECT_EQ(matcher.AcceptBytes(" "), 0u);
  EXPECT_EQ(matcher.Completion(), "");
  std::vector<uint32_t> mask = MaskOf(&matcher);
  EXPECT_TRUE(std::all_of(mask.begin(), mask.end(), [](uint32_t word) { return word == 0; }));
  ASSERT_TRUE(matcher.Rollback(1).ok());
  EXPECT_TRUE(matcher.IsAccepting());
  EXPECT_TRUE(matcher.Accept(end));
}

TEST_F(MatcherHistory, RollbackBeyondWhatIsRememberedIsRefused) {
  auto grammar = Grammar(Inline("tiny-integers"));
  MatcherOptions options;
  options.max_rollback = 3;
  Matcher matcher(grammar, options);
  for (const char* bytes : {"[", "1", "1", ",", "9"}) ASSERT_EQ(matcher.AcceptBytes(bytes), 1u);
  EXPECT_EQ(matcher.Rollback(4).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(matcher.token_count(), 5u);
  ASSERT_TRUE(matcher.Rollback(3).ok());
  EXPECT_EQ(matcher.token_count(), 2u);
  EXPECT_EQ(matcher.AcceptBytes("]"), 1u);
  EXPECT_TRUE(matcher.IsAccepting());
}

TEST_F(MatcherHistory, ResetIsTheStart) {
  auto grammar = Grammar(Inline("tiny-counts"));
  Matcher matcher(grammar);
  Matcher fresh(grammar);
  ASSERT_EQ(matcher.AcceptBytes("{\"a\":1"), 6u);
  Matcher fork = matcher.Fork();
  matcher.Reset();
  ExpectSameState(&matcher, &fresh);
  EXPECT_EQ(matcher.AcceptBytes("{\"b\":0"), 6u);
  EXPECT_EQ(fork.AcceptBytes(",\"a"), 3u);
}

TEST_F(MatcherHistory, ForcedBytesAreWhatEveryCompletionBeginsWith) {
  DefinitionCase one;
  one.definition = R"({"type":"object","properties":{"abc":{"const":10},"abd":{"const":"t"}},
      "required":["abc"],"additionalProperties":false})";
  one.options.style.whitespace = StylePolicy::Whitespace::kCompact;
  auto grammar = Grammar(one);
  Matcher matcher(grammar);
  EXPECT_EQ(matcher.ForcedBytes(1), "{");
  std::string forced = matcher.ForcedBytes();
  EXPECT_EQ(forced, "{\"");
  std::mt19937_64 random(1);
  for (int i = 0; i < 30; ++i) {
    RandomText text = WriteRandomText(grammar, Chooser::kSeeking, 40, &random);
    EXPECT_TRUE(text.text.starts_with(forced)) << text.text;
  }
  DefinitionCase literal;
  literal.kind = DefinitionKind::kRegex;
  literal.definition = "(abc|abd)xyz";
  Matcher choice(Grammar(literal));
  EXPECT_EQ(choice.ForcedBytes(), "ab");
  ASSERT_EQ(choice.AcceptBytes("abd"), 3u);
  EXPECT_EQ(choice.ForcedBytes(), "xyz");
  ASSERT_EQ(choice.AcceptBytes("xyz"), 3u);
  EXPECT_EQ(choice.ForcedBytes(), "");
}

TEST_F(MatcherHistory, BytesAndTokensLeadToTheSameState) {
  std::mt19937_64 random(11);
  for (const DefinitionCase& one : SchemaFolderCases()) {
    SCOPED_TRACE(one.name);
    auto grammar = Grammar(one);
    std::string text = WriteRandomText(grammar, Chooser::kSeeking, 80, &random).text;
    text.resize(std::min<size_t>(text.size(), 60));
    Matcher by_token(grammar);
    for (TokenId token : vocabulary_->Split(text, &random)) ASSERT_TRUE(by_token.Accept(token));
    Matcher by_bytes(grammar);
    ASSERT_EQ(by_bytes.AcceptBytes(text), text.size());
    EXPECT_EQ(MaskOf(&by_token), MaskOf(&by_bytes)) << Readable(text);
  }
}

}  // namespace
}  // namespace maskloom::suites
