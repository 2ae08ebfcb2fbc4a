// Rows of a draft tree are those of forks that accept each node's path.
#include <gtest/gtest.h>

#include <random>

#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_text.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

using Row = std::vector<uint32_t>;

struct Tree {
  std::vector<TokenId> tokens;
  std::vector<uint32_t> parents;
};

// Nodes that follow each other along `text`, and strays that mostly cannot come.
Tree MakeTree(const std::vector<TokenId>& text, TokenId vocabulary_size, std::mt19937_64* random) {
  Tree tree;
  uint32_t last = DraftTree::kNoParent;
  for (const TokenId token : text) {
    for (int stray = 0; stray < 3; ++stray) {
      const auto count = static_cast<uint32_t>(tree.tokens.size());
      tree.tokens.push_back(static_cast<TokenId>((*random)() % vocabulary_size));
      tree.parents.push_back(count == 0 || stray == 0 ? last
                                                      : static_cast<uint32_t>((*random)() % count));
    }
    tree.tokens.push_back(token);
    tree.parents.push_back(last);
    last = static_cast<uint32_t>(tree.tokens.size() - 1);
  }
  return tree;
}

TEST(DraftTree, RowsAreThoseOfForks) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  std::mt19937_64 random(47);
  ThreadPool pool(3);
  size_t accepted_nodes = 0, refused_nodes = 0;
  for (const DefinitionCase& one : InlineCases()) {
    SCOPED_TRACE(one.name);
    const auto grammar = Compile(one, vocabulary.index);
    ASSERT_TRUE(grammar.ok());
    const std::string text = WriteRandomText(*grammar, Chooser::kSeeking, 40, &random).text;
    std::vector<TokenId> tokens = vocabulary.Split(text, &random);
    for (const TokenId end : vocabulary.index->vocabulary().end_tokens()) tokens.push_back(end);
    if (tokens.size() > 12) tokens.erase(tokens.begin() + 12, tokens.end());
    const Tree tree = MakeTree(tokens, vocabulary.index->size(), &random);
    const Matcher matcher(*grammar);
    const uint32_t words = vocabulary.index->row_words();
    const size_t stride = words + 2;
    const size_t count = tree.tokens.size();
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
      Row rows(count * stride, 0xABABABAB);
      std::vector<uint8_t> accepted(count, 7);
      ASSERT_TRUE(matcher
                      .FillTreeMasks({tree.tokens, tree.parents},
                                     {rows.data(), stride, accepted.data()}, threads)
                      .ok());
      for (size_t i = 0; i < count; ++i) {
        std::vector<TokenId> path;
        for (uint32_t at = static_cast<uint32_t>(i); at != DraftTree::kNoParent;
             at = tree.parents[at]) {
          path.insert(path.begin(), tree.tokens[at]);
        }
        Matcher fork = matcher.Fork();
        bool ok = true;
        for (const TokenId token : path) ok = ok && fork.Accept(token);
        ASSERT_EQ(accepted[i], ok ? 1 : 0);
        Row expected(words);
        if (ok) fork.FillMask(expected.data());
        const auto begin = rows.begin() + static_cast<ptrdiff_t>(i * stride);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), begin));
        ASSERT_EQ(begin[words], 0xABABABABu);
        (ok ? accepted_nodes : refused_nodes) += 1;
      }
    }
    EXPECT_EQ(matcher.token_count(), 0u);
  }
  EXPECT_GT(accepted_nodes, 100u);
  EXPECT_GT(refused_nodes, 100u);
}

TEST(DraftTree, ParentsStandBeforeTheirChildren) {
  DefinitionCase one;
  one.kind = DefinitionKind::kRegex;
  one.definition = "a*";
  const auto grammar = Compile(one, VocabularyIndex::Bytes());
  ASSERT_TRUE(grammar.ok());
  const Matcher matcher(*grammar);
  Row rows(2 * VocabularyIndex::Bytes()->row_words(), 5);
  const std::vector<TokenId> tokens{'a', 'a'};
  const std::vector<uint32_t> parents{DraftTree::kNoParent, 1};
  const Status status =
      matcher.FillTreeMasks({tokens, parents}, {rows.data(), 9, nullptr}, nullptr);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("draft token 1"), std::string::npos) << status.message();
  EXPECT_EQ(rows.front(), 5u);
  EXPECT_FALSE(
      matcher
          .FillTreeMasks({tokens, std::span(parents).first(1)}, {rows.data(), 9, nullptr}, nullptr)
          .ok());
}

}  // namespace
}  // namespace maskloom::suites
