// What tells vocabularies apart.
#include <gtest/gtest.h>

#include <set>

#include "compiler/vocabulary_index.h"

namespace maskloom {
namespace {

using Tokens = std::vector<Vocabulary::Token>;

uint64_t IdentityOf(Tokens tokens, std::vector<TokenId> ends, uint32_t row_size = 0) {
  const auto vocabulary = Vocabulary::Create(std::move(tokens), std::move(ends), row_size);
  EXPECT_TRUE(vocabulary.ok()) << vocabulary.status().ToString();
  return vocabulary.ok() ? vocabulary->identity() : 0;
}

TEST(VocabularyIdentity, IsThatOfEqualVocabularies) {
  const Tokens tokens = {{"a"}, {"bc"}, {"</s>", TokenKind::kControl}};
  EXPECT_EQ(IdentityOf(tokens, {2}), IdentityOf(tokens, {2, 2}));
  EXPECT_EQ(VocabularyIndex::Bytes()->identity(), VocabularyIndex::Bytes()->identity());
}

TEST(VocabularyIdentity, DiffersWhereAnyPartDoes) {
  const TokenKind control = TokenKind::kControl;
  const std::set<uint64_t> identities = {
      IdentityOf({{"a"}, {"bc"}, {"</s>", control}}, {2}),
      IdentityOf({{"ab"}, {"c"}, {"</s>", control}}, {2}),  // where tokens begin
      IdentityOf({{"a"}, {"bd"}, {"</s>", control}}, {2}),  // a byte
      IdentityOf({{"bc"}, {"a"}, {"</s>", control}}, {2}),  // the order
      IdentityOf({{"a"}, {"bc", control}, {"</s>", control}}, {2}),
      IdentityOf({{"a"}, {"bc"}, {"</s>", control}}, {}),      // what ends a text
      IdentityOf({{"a"}, {"bc"}, {"</s>", control}}, {2}, 4),  // the size of a row
  };
  EXPECT_EQ(identities.size(), 7u);
}

}  // namespace
}  // namespace maskloom
