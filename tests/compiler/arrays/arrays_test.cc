// Arrays with counters, conditions and compared items against an oracle that tries everything:
// texts, prefixes, masks and completions of random grammars that have few texts.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "tests/compiler/arrays/array_oracle.h"
#include "tests/compiler/arrays/array_walk.h"

namespace maskloom::arrays {
namespace {

constexpr size_t kMaxTexts = 1500;
constexpr size_t kMaskedPrefixes = 60;

// What a run looked at, so that a test cannot pass by looking at nothing.
struct Tally {
  size_t grammars = 0, empty = 0, prefixes = 0, masks = 0, completions = 0, refused = 0;
};

std::vector<std::string> PiecesOf(const std::set<std::string>& texts, std::mt19937_64* random) {
  std::set<std::string> pieces;
  const std::vector<std::string> all(texts.begin(), texts.end());
  for (int i = 0; i < 150 && !all.empty(); ++i) {
    const std::string& text = all[(*random)() % all.size()];
    std::string piece = text.substr((*random)() % text.size(), 2 + (*random)() % 9);
    if (piece.size() > 1) pieces.insert(std::move(piece));
  }
  return {pieces.begin(), pieces.end()};
}

void Check(uint64_t seed, const ArrayFeatures& features, Tally* tally) {
  std::mt19937_64 random(seed);
  const Grammar grammar = RandomArrayGrammar(features, &random);
  const ValueId root = grammar.exprs.payload(grammar.root);
  const auto all = ArrayOracle(grammar, kMaxTexts).TextsOf(root);
  if (!all) return;
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + grammar.ToString());
  ++tally->grammars;
  std::set<std::string> texts, prefixes;
  for (const JsonText& text : *all) {
    texts.insert(text.text);
    for (size_t length = 0; length <= text.text.size(); ++length) {
      prefixes.insert(text.text.substr(0, length));
    }
  }
  const std::vector<std::string> pieces = PiecesOf(texts, &random);
  auto compiled = CompiledGrammar::Create(grammar, VocabularyOf(kAlphabet, pieces));
  if (!compiled.ok()) {
    if (texts.empty() && compiled.status().code() == StatusCode::kUnsatisfiable) {
      ++tally->empty;
      return;
    }
    // Repetitions of bounded length are followed among listed values only.
    ASSERT_EQ(compiled.status().code(), StatusCode::kResourceLimit) << compiled.status().ToString();
    ++tally->refused;
    return;
  }
  ASSERT_FALSE(texts.empty()) << "a text was found where there is none";
  ArrayWalk walk(*compiled);
  const Vocabulary& vocabulary = (*compiled)->vocabulary().vocabulary();
  const size_t every = std::max<size_t>(1, prefixes.size() / kMaskedPrefixes);
  size_t index = 0;
  for (const std::string& prefix : prefixes) {
    ++tally->prefixes;
    size_t common = 0;
    while (common < prefix.size() && common < walk.text().size() &&
           prefix[common] == walk.text()[common]) {
      ++common;
    }
    walk.Rewind(common);
    ASSERT_TRUE(walk.TakeAll(std::string_view(prefix).substr(common)))
        << "dead: " << prefix << " behind " << walk.text();
    ASSERT_EQ(walk.IsAccepting(), texts.count(prefix) != 0) << prefix;
    for (const char byte : std::set<char>(kAlphabet, kAlphabet + strlen(kAlphabet))) {
      ASSERT_EQ(walk.Allows(std::string(1, byte)), prefixes.count(prefix + byte) != 0)
          << prefix << " and then " << byte;
    }
    if (index++ % every != 0) continue;
    const std::vector<bool> mask = walk.Mask();
    for (TokenId id = 0; id < mask.size(); ++id) {
      if (vocabulary.kind(id) != TokenKind::kNormal) continue;
      const std::string token(vocabulary.bytes(id));
      ASSERT_EQ(mask[id], prefixes.count(prefix + token) != 0)
          << "mask of " << prefix << " at token " << token;
    }
    ++tally->masks;
    for (const std::string& completion : walk.Completions()) {
      ASSERT_TRUE(texts.count(prefix + completion) != 0) << prefix << " with " << completion;
      ++tally->completions;
    }
  }
}

void CheckMany(uint64_t first, uint64_t count, const ArrayFeatures& features) {
  Tally tally;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Check(seed, features, &tally);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(tally.grammars, count / 3);
  EXPECT_LE(tally.refused, count / 100);
  EXPECT_GT(tally.masks, count);
  EXPECT_GT(tally.completions, count);
}

TEST(Arrays, WithCountersFollowTheOracle) { CheckMany(1000, 300, {true, false, true}); }

TEST(Arrays, OfDistinctScalarsFollowTheOracle) { CheckMany(2000, 300, {false, true, false}); }

TEST(Arrays, OfDistinctContainersFollowTheOracle) { CheckMany(3000, 300, {false, true, true}); }

TEST(Arrays, OfEverythingFollowTheOracle) { CheckMany(4000, 400, {true, true, true}); }

}  // namespace
}  // namespace maskloom::arrays
