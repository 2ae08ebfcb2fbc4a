// Automata that refuse few words, and texts of hexadecimal digits: which they are, and their masks.
#include "compiler/refused_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/mask_cache.h"
#include "compiler/text_region.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"

namespace maskloom::suites {
namespace {

// Single bytes, pieces of words with what may stand around them, and hexadecimal digits.
std::shared_ptr<const VocabularyIndex> Pieces() {
  std::vector<Vocabulary::Token> tokens;
  const auto add = [&](std::string text) {
    tokens.push_back({std::move(text), TokenKind::kNormal});
  };
  for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
  for (const char* piece : {"maker", "mak", "ker", "kermaker", "admin", "dmi", "in", "admaker",
                            "netdir_", "net_a1", "dir_", "ab", "ba", "aab", "xx", "oo/9"}) {
    for (const char* head : {"", " ", "m", "\xC3\xA9", "\\n", "\""}) {
      for (const char* tail : {"", "r", "n", "\"", "\",", "\\u0072", "\xE2\x80", " admin", "b:"}) {
        add(std::string(head) + piece + tail);
      }
    }
  }
  for (const char* digits : {"00", "0a", "ff", "deadbeef", "0123456789ab", "AF", "fA9"}) {
    for (const char* tail : {"", "-", "\"", "\\", "\\u0061", "g", "-1"}) {
      add(std::string(digits) + tail);
    }
  }
  add(std::string(45, 'a'));
  add(std::string(45, '1'));
  const auto end = static_cast<TokenId>(tokens.size());
  tokens.push_back({"<end>", TokenKind::kControl});
  return VocabularyIndex::Build(*Vocabulary::Create(std::move(tokens), {end}, end + 1));
}

// Compares the masks along `text` with what steps say of each token, as far as it is accepted.
// Returns how far that is.
size_t ExpectExactAlong(const std::string& schema, const VocabularyIndex& vocabulary,
                        const std::shared_ptr<const CompiledGrammar>& grammar,
                        const std::string& text) {
  Matcher matcher(grammar);
  std::vector<uint32_t> row(vocabulary.row_words());
  for (size_t at = 0; at < text.size(); ++at) {
    matcher.FillMask(row.data());
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
      EXPECT_EQ((row[id / 32] >> (id % 32) & 1) != 0, matcher.IsAllowed(id))
          << schema << " behind " << text.substr(0, at) << ": "
          << vocabulary.vocabulary().bytes(id);
      if (testing::Test::HasFailure()) return at;
    }
    if (matcher.AcceptBytes(text.substr(at, 1)) == 0) return at;
  }
  return text.size();
}

void ExpectExact(const std::string& schema, const std::vector<std::string>& texts,
                 bool are_whole = true) {
  const auto vocabulary = Pieces();
  DefinitionCase one;
  one.name = one.definition = schema;
  const auto grammar = Compile(one, vocabulary);
  ASSERT_TRUE(grammar.ok()) << schema;
  for (const std::string& text : texts) {
    const size_t read = ExpectExactAlong(schema, *vocabulary, *grammar, text);
    if (are_whole) {
      EXPECT_EQ(read, text.size()) << schema << ": " << text;
    }
  }
}

// The same where the texts need not be accepted.
void ExpectExactAsFar(const std::string& schema, const std::vector<std::string>& texts) {
  ExpectExact(schema, texts, false);
}

TEST(RefusedWords, AreFoundWhereTwoPatternsMustNotMatch) {
  ExpectExact(R"({"type":"array","items":{"type":"string","oneOf":[
                  {"pattern":"maker"},{"pattern":"admin"},{"pattern":"xx"}]}})",
              {R"(["a maker","admin dm","xadmakermake"])", R"(["\u0061dmin mak\u0065","xxx x"])"});
  ExpectExact(R"({"type":"string","not":{"pattern":"m.*[ab]k"},"pattern":"oo/9"})",
              {R"("oo/9 mab")", R"("m oo/9")"});
  ExpectExact(R"({"type":"string","not":{"pattern":"^ma|ker"}})", {R"("adminmake x")"});
}

TEST(RefusedWords, AreFoundInKeys) {
  ExpectExact(
      R"_({"type":"object","patternProperties":{"netdir_(a|m)":{"type":"null"},
           "net_[a-z]+[0-9]+":{"type":"integer"},"netd":{"type":["null","integer"]}}})_",
      {R"({"net_ab1":1,"netdir_a":null,"x":"maker"})"});
  ExpectExact(
      R"({"type":"object","patternProperties":{"a":{"type":"null"},"b":{"type":"integer"}}})",
      {R"({"xa":null,"mb":1,"k":{}})"});
}

TEST(RefusedWords, AreNoneWhereAnyTextGoesOn) {
  ExpectExact(R"({"type":"array","items":{"type":"string","pattern":"maker|admin$"}})",
              {R"(["a maker","\nadm\u0069nadmin","maker\"\\"])"});
  ExpectExact(R"({"type":"string","pattern":"ab","minLength":3})", {R"("xab")"});
}

TEST(RefusedWords, AreFoundNearBoundsOfLengths) {
  for (const char* bounds : {R"("maxLength":9)", R"("minLength":7,"maxLength":12)",
                             R"("minLength":11)", R"("maxLength":48)"}) {
    const std::string begin = std::string(R"({"type":"array","items":{"type":"string",)") + bounds;
    const std::vector<std::string> texts = {R"(["a maker x"])", R"(["xxmak adm","\u006daker xx"])"};
    ExpectExactAsFar(begin + R"(,"not":{"pattern":"admin|k.*x.*r"}}})", texts);
    ExpectExactAsFar(begin + R"(,"pattern":"^[^o]*$"}})", texts);
    ExpectExactAsFar(begin + R"(,"pattern":"^(?!.*dmi)[^o]*$"}})", texts);
  }
}

TEST(RefusedWords, AreFoundWhereOneOfThemMustCome) {
  // Before the first one everything may follow for a while.
  ExpectExactAsFar(R"({"type":"array","items":{"type":"string","oneOf":[
                  {"pattern":"makermaker"},{"pattern":"adminadmin"}]}})",
                   {R"(["makerm","aker"])", R"(["x adminadmin xmaker"])"});
}

TEST(TextRegions, HaveGapsWhereCharactersMayNowhereFollow) {
  for (const char* pattern :
       {"^[^k]{1,12}$", "^[^é]*$", "^[a-zA-Zé ]{2,50}$", "^[a-zA-Z\u2003é]*$",
        "^[a-zà-ü]+( [a-zà-ü]+)*$", "^[^ -%k]+$", "^([a-pr-z]| +[b-pr-z])*$"}) {
    const std::string schema =
        std::string(R"({"type":"array","items":{"type":"string","pattern":")") + pattern + R"("}})";
    ExpectExactAsFar(schema, {R"(["admin","admi\u006e"])", R"(["xxaab","aab"])"});
    ExpectExactAsFar(
        R"({"type":"array","items":{"type":"string","maxLength":8,"minLength":3,"pattern":")" +
            std::string(pattern) + R"("}})",
        {R"(["admin","admi\u006e"])", R"(["xxaab","aab"])"});
  }
}

TEST(TextRegions, HaveTheGapsOfWhatFollowsWhereLessMayComeFirst) {
  for (const char* pattern :
       {"^([a-zà-ç][a-zà-ü-]*(,|$))*$", "^([a-zà-ç][a-zà-ü ]*x:)*$", "^[a-zà-ç][a-zà-ü]{1,20}$",
        "^([a-zà-è-][a-zà-ü-]*[:]?)+$", "^([a-zà-è:][a-zà-ü/]{2,40},?)+$",
        // Not where other characters may come first, or lead elsewhere.
        "^[a-zà-ç][a-dg-zà-ü]*$", "^[a-zÀ-Ö][a-zà-ü]*$", "^([a-jà-ç][a-zà-ü]*|[k-zà-ç][x-zà-ü]*)$",
        "^([a-zà-ç][a-zà-ü]*|[é-í][a-zà-üA-Z]*)$"}) {
    for (const char* bounds : {"", R"("minLength":3,"maxLength":8,)"}) {
      ExpectExactAsFar(std::string(R"({"type":"array","items":{"type":"string",)") + bounds +
                           R"("pattern":")" + pattern + R"("}})",
                       {R"(["admin,ker","mak:ab"])", R"(["ab-ab","a\u00e9x:ba"])"});
    }
  }
}

TEST(TextRegions, EndWhereLengthsAreMissing) {
  for (const char* pattern : {"[0-9a-f]", "[A-F]+$", "x$", "^\\\\S.*\\\\S$", "^(mm)*$",
                              "^[a-m]+[n-z]?$", "^(?!.*mi$).*$"}) {
    for (const char* bounds : {R"("minLength":6,"maxLength":6)", R"("maxLength":10)",
                               R"("minLength":4,"maxLength":45)"}) {
      ExpectExactAsFar(std::string(R"({"type":"array","items":{"type":"string",)") + bounds +
                           R"(,"pattern":")" + pattern + R"("}})",
                       {R"(["mmm","mmmm"])", R"(["mmm)", R"(["\u006dm)", R"(["  m-xx)"});
    }
  }
}

// An automaton of one state, with these edges to itself.
TextAutomaton Loop(std::vector<std::pair<uint32_t, uint32_t>> ranges) {
  std::vector<TextAutomaton::Edge> edges;
  for (const auto& [first, last] : ranges) edges.push_back({first, last, 0});
  TextAutomaton automaton;
  automaton.edge_begins = std::vector<uint32_t>{0, static_cast<uint32_t>(edges.size())};
  automaton.edges = std::move(edges);
  automaton.labels = std::vector<uint32_t>{1};
  return automaton;
}

TEST(RefusedWords, AreToldFromMuch) {
  const auto vocabulary = Pieces();
  const TextAutomaton any = Loop({{0, 0xD7FF}, {0xE000, 0x10FFFF}});
  const TextAutomaton no_a = Loop({{0, 'a' - 1}, {'b', 0xD7FF}, {0xE000, 0x10FFFF}});
  const TextAutomaton no_line = Loop({{0, 9}, {11, 0xD7FF}, {0xE000, 0x10FFFF}});
  const TextAutomaton low = Loop({{0, 0xD7FF}});
  const TextAutomaton letters = Loop({{'a', 'z'}, {0x80, 0xD7FF}, {0xE000, 0x10FFFF}});
  RefusedWordsIndex index(vocabulary->categories());
  EXPECT_TRUE(index.Find(any, 0)->is_little);
  EXPECT_TRUE(index.Find(any, 0)->never.none());
  EXPECT_TRUE(index.Find(no_line, 0)->is_little);
  EXPECT_TRUE(index.Find(no_a, 0)->is_little);
  EXPECT_EQ(index.Find(no_a, 0)->never, std::bitset<128>().set('a'));
  EXPECT_TRUE(index.Find(no_a, 0)->tokens.empty());
  EXPECT_FALSE(index.Find(low, 0)->is_little);
  EXPECT_FALSE(index.Find(letters, 0)->is_little);
}

TEST(TextRegions, HoldAllUndeclaredKeysWhereNoneWasSeen) {
  const std::string schema = R"({"type":"object","patternProperties":{"^[a-zA-Z0-9]{1,10}$":
                                 {"type":"null"}},"additionalProperties":false})";
  const auto vocabulary = Pieces();
  DefinitionCase one;
  one.name = one.definition = schema;
  const auto grammar = Compile(one, vocabulary);
  ASSERT_TRUE(grammar.ok());
  TextRegions regions(vocabulary->categories().longest_digits());
  Item item;
  item.frame.kind = FrameKind::kObject;
  item.frame.phase = Phase::kKey;
  item.frame.state = NameTrie::kDead;
  // The last states before the end are those of few keys.
  const TextRegion region = regions.Find((*grammar)->machine(), item);
  EXPECT_EQ(region.length, 10u);
  EXPECT_TRUE(region.is_whole);
  ExpectExact(schema, {R"({"mak":null,"abmakerxx":null,"abmakerxxo":null,"ab":null})",
                       R"({"b\u0061":null,"baabbaabx":null,"baabbaaba":null})"});
}

TEST(TextRegions, HoldWordsThatAMarkMayEndAtOnce) {
  ExpectExact(R"({"type":"object","patternProperties":{
                  "^([a-zA-Z]{2,8}(-[a-zA-Z0-9]{3,8})*|m-[ab]{1,2}|i-ab)$":{"type":"null"}},"additionalProperties":false})",
              {R"({"m-ab":null,"mak-maker":null,"m-a":null,"i-ab":null,"m-b":null})",
               R"({"i-\u0061b":null,"m-aa":null,"m-ba":null,"m-bb":null,"ab":null})"});
}

TEST(HexTexts, LeaveTheirRegionByMarks) {
  for (const char* pattern :
       {"^[a-f0-9]{24}$", "^[A-Fa-f\\\\d]{12}$", "^[A-F0-9]*$", "^[a-f0-9]{8}-[a-f0-9]{4}$",
        "^[a-f0-9]{1,60}$", "^[a-f0-9]{3,5}g?$", "^([a-f0-9]{2}:?)+$"}) {
    const std::string schema =
        std::string(R"({"type":"array","items":{"pattern":")") + pattern + R"(","type":"string"}})";
    const auto vocabulary = Pieces();
    DefinitionCase one;
    one.name = one.definition = schema;
    const auto grammar = Compile(one, vocabulary);
    ASSERT_TRUE(grammar.ok()) << schema;
    Matcher matcher(*grammar);
    std::vector<uint32_t> row(vocabulary->row_words());
    std::string text = "[\"";
    const std::string digits = "0123456789abcdef0123456789abcdef-";
    for (size_t i = 0; i < 60; ++i) {
      matcher.FillMask(row.data());
      for (TokenId id = 0; id < vocabulary->size(); ++id) {
        ASSERT_EQ((row[id / 32] >> (id % 32) & 1) != 0, matcher.IsAllowed(id))
            << schema << " at " << i << ": " << vocabulary->vocabulary().bytes(id);
      }
      if (i < text.size()) {
        ASSERT_EQ(matcher.AcceptBytes(text.substr(i, 1)), 1u);
        continue;
      }
      // Whatever goes on first: digits in turn, upper case, marks.
      const std::string next = {digits[i % 16], static_cast<char>("ABCDEF"[i % 6]), '-', '"'};
      bool goes_on = false;
      for (const char c : next) goes_on = goes_on || matcher.AcceptBytes(std::string(1, c)) == 1;
      if (!goes_on) break;
    }
  }
}

}  // namespace
}  // namespace maskloom::suites
