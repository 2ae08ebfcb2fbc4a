// Masks of strings put together of what is inside and what follows, and what of them is remembered.
#include "compiler/text_insides.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/mask_builder.h"
#include "compiler/mask_cache.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

TextInside Inside(size_t count) {
  TextInside inside;
  inside.tokens = std::make_shared<const std::vector<TokenId>>(count, 7);
  inside.ends = {5};
  return inside;
}

TEST(TextInsides, KeepWhatIsKnownFirst) {
  TextInsides insides;
  const TextInsides::Key key{1, 2, 3};
  EXPECT_EQ(insides.Find(key), nullptr);
  const auto kept = insides.Keep(key, Inside(3));
  EXPECT_EQ(insides.Keep(key, Inside(4)), kept);
  EXPECT_EQ(insides.Find(key), kept);
  EXPECT_EQ(insides.Find({1, 2, 4}), nullptr);
  EXPECT_TRUE(kept->MayEndBehind(0) && !kept->MayEndBehind(1) && kept->MayEndBehind(2));
}

TEST(TextInsides, CountListsThatStatesShareOnce) {
  TextInsides insides;
  insides.Keep({1, 0, 0}, Inside(1000));
  const size_t one = insides.MemoryBytes();
  EXPECT_GE(one, 4000u);
  insides.Keep({1, 1, 0}, *insides.Find({1, 0, 0}));
  EXPECT_LT(insides.MemoryBytes(), one + 400);
  insides.Forget();
  EXPECT_EQ(insides.MemoryBytes(), 0u);
  EXPECT_EQ(insides.Find({1, 0, 0}), nullptr);
}

TEST(TextInsides, ForgetAllBeyondTheLimit) {
  TextInsides insides;
  constexpr size_t kTokens = TextInsides::kMaxBytes / 16;  // a quarter of the limit
  for (uint32_t state = 0; state < 20; ++state) {
    const auto kept = insides.Keep({1, state, 0}, Inside(kTokens));
    EXPECT_LE(insides.MemoryBytes(), TextInsides::kMaxBytes);
    EXPECT_EQ(kept->tokens->size(), kTokens);
    EXPECT_EQ(insides.Find({1, state, 0}), kept);
  }
  EXPECT_EQ(insides.Find({1, 0, 0}), nullptr);
}

// Where the same strings stand in places that differ in what follows them: last or not, in an array
// that may go on or not, before a value that a token may begin, and as the whole text.
TEST(TextInsides, MakeExactMasksWhereverTheStringStands) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  const std::string string =
      R"({"type":"string","pattern":"^[a-z]+( [a-z]+){0,9}$","maxLength":60})";
  const std::string text = R"("some words here")";
  DefinitionCase alone, many;
  alone.definition = string;
  many.definition = R"({"type":"object","properties":{"a":)" + string + R"(,"b":)" + string +
                    R"(,"c":{"type":"array","minItems":2,"maxItems":3,"items":)" + string +
                    R"(}},"required":["a","b","c"],"additionalProperties":false})";
  const std::string object =
      R"({"a":)" + text + R"(,"b":)" + text + R"(,"c":[)" + text + "," + text + "," + text + "]}";
  for (const auto& [one, whole] : {std::pair(alone, text), std::pair(many, object)}) {
    const auto grammar = Compile(one, vocabulary.index);
    ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
    Matcher matcher(*grammar);
    std::vector<uint32_t> row(vocabulary.index->row_words());
    for (size_t at = 0; at < whole.size(); ++at) {
      matcher.FillMask(row.data());
      for (TokenId id = 0; id < vocabulary.index->size(); ++id) {
        ASSERT_EQ((row[id / 32] >> (id % 32) & 1) != 0, matcher.IsAllowed(id))
            << whole.substr(0, at) << " before " << vocabulary.index->vocabulary().bytes(id);
      }
      ASSERT_EQ(matcher.AcceptBytes(whole.substr(at, 1)), 1u) << whole.substr(0, at);
    }
  }
}

// Behind plain texts and such with escapes, with characters of several bytes, too few and too many.
TEST(TextInsides, EndBehindTextsOfTheRightLength) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  const VocabularyIndex& index = *vocabulary.index;
  DefinitionCase one;
  one.definition = R"({"type":"string","pattern":"^\\S+( \\S+)*$","minLength":3,"maxLength":5})";
  const auto grammar = Compile(one, vocabulary.index);
  ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
  const StringIndex& strings = index.strings(TextCoding::kJsonString);
  BaseRows rows(index.categories(), index.row_words(), StringIndex::kBaseCount);
  MaskBuilder builder;
  for (const std::string text : {"\"", "\"\xC3\xA9", "\"ab", "\"a b", "\"a ba", "\"a bab"}) {
    Matcher matcher(*grammar);
    ASSERT_EQ(matcher.AcceptBytes(text), text.size()) << text;
    const Item& item = matcher.items()[0];
    ASSERT_TRUE(MaskBuilder::HasInside((*grammar)->machine(), &rows, item)) << text;
    const auto inside = builder.InsideOf((*grammar)->machine(), index, &rows, item);
    std::set<uint32_t> met;  // beginnings
    for (TokenId id = 0; id < index.size(); ++id) {
      const std::string_view bytes = index.vocabulary().bytes(id);
      // Of tokens with one beginning the first one ends with the quote.
      if (!strings.IsExit(id) || !met.insert(strings.BeginningOfExit(id)).second) continue;
      EXPECT_EQ(inside->MayEndBehind(strings.BeginningOfExit(id)), matcher.IsAllowed(id))
          << text << " before " << bytes;
    }
  }
}

TEST(TextInsides, ServeTheSameStateInAnotherMember) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  const VocabularyIndex& index = *vocabulary.index;
  const std::string string = R"({"type":"string","pattern":"^[a-z]+( [a-z]+){0,9}$"})";
  DefinitionCase one;
  one.definition = R"({"type":"object","properties":{"a":)" + string + R"(,"b":)" + string +
                   R"(},"required":["a","b"],"additionalProperties":false})";
  const auto grammar = Compile(one, vocabulary.index);
  ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
  const Machine& machine = (*grammar)->machine();
  BaseRows rows(index.categories(), index.row_words(), StringIndex::kBaseCount);
  MaskBuilder builder;
  Matcher matcher(*grammar);
  // Returns how many tokens may follow `text`, which goes on from where the matcher is.
  const auto count_behind = [&](const std::string& text) {
    EXPECT_EQ(matcher.AcceptBytes(text), text.size());
    const Item item = matcher.items()[0];
    EXPECT_TRUE(MaskBuilder::HasInside(machine, &rows, item));
    const Item end = MaskBuilder::BehindOf(item);
    const ItemMask behind = builder.BuildBehind(machine, index, &rows, end);
    const auto inside = builder.InsideOf(machine, index, &rows, item);
    return builder.BuildText(machine, index, &rows, *inside, &behind).allowed_count;
  };
  const uint32_t first = count_behind(R"({"a":"some)");
  const size_t bytes = rows.insides().MemoryBytes();
  EXPECT_GT(bytes, 0u);
  // Other tokens begin with a quote where the object ends than where its next key comes.
  EXPECT_NE(count_behind(R"(","b":"any)"), first);
  EXPECT_EQ(rows.insides().MemoryBytes(), bytes);
  count_behind(" ");
  EXPECT_GT(rows.insides().MemoryBytes(), bytes);
}

}  // namespace
}  // namespace maskloom::suites
