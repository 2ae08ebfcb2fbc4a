// Masks that are made of what the vocabulary knows of strings, values between tokens and keys are
// those of the slow recogniser, at the states where these begin, end or run out.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "compiler/mask_builder.h"
#include "compiler/mask_cache.h"
#include "compiler/standard_walks.h"
#include "compiler/white_space.h"
#include "runtime/matcher.h"
#include "tests/suites/byte_walk.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/state_check.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

DefinitionCase Schema(std::string definition, std::vector<std::string> texts) {
  DefinitionCase one;
  one.name = one.definition = std::move(definition);
  for (std::string& text : texts) one.texts.push_back({std::move(text), true});
  return one;
}

// Compares the masks of many states of `cases` with the slow recogniser.
void ExpectExact(const std::vector<DefinitionCase>& cases,
                 const TestVocabulary& vocabulary = SyntheticVocabulary(true),
                 bool is_judged = true) {
  const ByteTrie trie(vocabulary.index->vocabulary());
  std::mt19937_64 random(20261130);
  StateLimits limits;
  limits.on_texts = 30;
  limits.off_texts = 20;
  limits.judged = is_judged;
  for (const DefinitionCase& one : cases) {
    const StateTally tally = CheckStates(one, vocabulary, trie, limits, &random);
    EXPECT_EQ(tally.refused, "") << one.name;
    for (const std::string& fault : tally.faults) ADD_FAILURE() << fault;
    EXPECT_GT(tally.states, 0u) << one.name;
  }
}

TEST(MaskWalks, CountWhatStringsOfBoundedLengthOweAndHaveLeft) {
  const std::vector<std::string> texts = {R"("ab")", R"("\"a")", R"("\u00e9b")", R"("é\"")",
                                          R"("\\\"")"};
  std::vector<DefinitionCase> cases;
  for (const char* bounds : {R"("minLength":2)", R"("maxLength":2)",
                             R"("minLength":2,"maxLength":2)", R"("minLength":1,"maxLength":40)"}) {
    const std::string schema = std::string(R"({"type":"string",)") + bounds + "}";
    cases.push_back(Schema(schema, texts));
    std::vector<std::string> items, members;
    for (const std::string& text : texts) {
      items.push_back("[" + text + ", " + text + "]");
      members.push_back(R"({"a": )" + text + R"(,"b":)" + text + "}");
    }
    cases.push_back(Schema(R"({"type":"array","items":)" + schema + "}", items));
    cases.push_back(Schema(R"({"type":"object","additionalProperties":)" + schema + "}", members));
  }
  ExpectExact(cases);
}

// Steps do not lead into such a character, or escape: what is begun of it could not be finished.
TEST(MaskWalks, LeaveOutCharactersWhoseBytesAreNoTokens) {
  const std::vector<std::string> texts = {R"("ab")", R"({"a":"b"})", R"([["a", "b1"]])"};
  const std::string patterns[] = {R"(^[^a]*$)", "a", R"(^\\S{1,3}$)", "^(a|\u00e9)*$"};
  std::vector<DefinitionCase> cases = {
      Schema("{}", texts),
      Schema(R"({"type":"string"})", texts),
      Schema(R"({"type":"string","maxLength":2})", texts),
      Schema(R"({"type":"array","items":{"type":"string"},"uniqueItems":true})", {R"(["a","b"])"}),
      Schema(R"({"type":"object","properties":{"a":{"type":"string"}}})", texts),
      Schema(R"({"enum":["a\u00e9","ab"]})", texts)};
  for (const std::string& pattern : patterns) {
    cases.push_back(Schema(R"({"type":"string","pattern":")" + pattern + "\"}", texts));
    cases.push_back(
        Schema(R"({"type":"object","additionalProperties":false,"patternProperties":{")" + pattern +
                   R"(":{}}})",
               texts));
  }
  // The judge would let whole characters in.
  ExpectExact(cases, WholeCharacters(), /*is_judged=*/false);
}

TEST(MaskWalks, TakeValuesOfEachKindBehindAnySpace) {
  std::vector<DefinitionCase> cases;
  cases.push_back(Schema(R"({"type":"array"})",
                         {R"([ 1, "a",[],{"a":null}, true , -1.5e1])", "[ \n  1]", "[]"}));
  cases.push_back(Schema(R"({"type":"array","items":{"type":["integer","array"]},"minItems":1,
                            "maxItems":2})",
                         {"[ 10, []]", "[1 ,1]", "[[1],10 ]"}));
  cases.push_back(Schema(R"({"type":"object","properties":{"a":{"type":"number","minimum":1,
                            "maximum":90},"b":{"type":["integer","string"],"minimum":-9}}})",
                         {R"({"a": 10.5, "b":  -1})", R"({"b":"t","a":1})"}));
  cases.push_back(Schema(R"({"type":"array","prefixItems":[{"multipleOf":5,"type":"integer"},
                            {"type":"object","maxProperties":1},{"type":"array","maxItems":1}]})",
                         {R"([ 10,{"a":1},[1] ])", "[0 , {}, []]"}));
  cases.push_back(Schema(R"({"type":"object","properties":{"a":{"type":"boolean"},
                            "b":{"enum":[null,false,"a"]}},"required":["b"]})",
                         {R"({"a": true ,"b":  null})", R"({"b":false,"a":\tfalse})"}));
  cases.push_back(Schema(R"({"type":"array","items":{"type":["boolean","null"]},"minItems":2,
                            "maxItems":2})",
                         {"[ true,null]", "[false ,\n true ]"}));
  cases.push_back(Schema(R"({"type":"array","items":{"enum":[1,10,"a",null]},"uniqueItems":true})",
                         {R"([ 1, "a", null])", R"([10,1 ,"a"])"}));
  cases.push_back(Schema(R"({"type":"array","uniqueItems":true,"items":{"anyOf":[{"const":[1]},
                            {"type":"array","items":{"type":"string"}}]}})",
                         {R"([ [1], ["a"]])", R"([[] ,[ 1 ]])"}));
  const size_t count = cases.size();
  for (size_t i = 0; i < count; ++i) {
    DefinitionCase other = cases[i];
    other.options.style.whitespace = StylePolicy::Whitespace::kAny;
    cases.push_back(other);
    other.options.style.whitespace = StylePolicy::Whitespace::kFlexible;
    other.options.style.max_blanks = 1;
    other.options.style.escapes = StylePolicy::Escapes::kPlain;
    cases.push_back(other);
  }
  ExpectExact(cases);
}

// 0e goes on to nothing but 0, and an integer with 9e- to nothing but 9.
TEST(MaskWalks, FollowNumbersWhoseExponentLeavesOneValueWhereItemsAreDistinct) {
  std::vector<DefinitionCase> cases;
  cases.push_back(Schema(R"({"type":"array","uniqueItems":true,"items":{"type":"integer"}})",
                         {"[0,9,1]", "[ 9, -0 ,10]"}));
  cases.push_back(Schema(R"({"type":"array","uniqueItems":true,"items":{"type":"number"}})",
                         {"[0.0,0.9]", "[9, -0,1e1]"}));
  cases.push_back(Schema(R"({"type":"array","uniqueItems":true,"items":{"type":["number","string",
                            "null"]}})",
                         {R"([0,"a",null,1])", "[null,0.9]"}));
  cases.push_back(Schema(R"({"type":"array","uniqueItems":true,"items":{"type":"array",
                            "items":{"type":"number"}}})",
                         {"[[0],[0,9]]", "[[],[0.9] ,[9]]"}));
  ExpectExact(cases);
}

// Where all strings of one beginning were seen, however a character is spelled.
TEST(MaskWalks, KnowWhichStringsAreLeftWhereItemsAreDistinct) {
  const std::string list = R"("a","aa","ab","aab","b","ba","b\"","b\\","e\u00e9","\u00e9","")";
  const std::string array = R"("type":"array","uniqueItems":true)";
  const std::string strings = R"("items":{"enum":[)" + list + "]}";
  const std::vector<std::string> texts = {
      R"(["a","aa", "ab","aab","ba"])", R"(["b\u0022","b\\","\u00e9","e\u00E9","b","ba","a"])",
      R"(["","\u0061b","\u0062","\u0061","aa","b\"" ,"aab"])", "[" + list + "]"};
  std::vector<DefinitionCase> cases;
  cases.push_back(Schema("{" + array + "," + strings + "}", texts));
  cases.push_back(Schema("{" + array + "," + strings + R"(,"minItems":5})", texts));
  cases.push_back(Schema("{" + array + R"(,"items":{"pattern":"^[ab]{0,2}$","type":"string"}})",
                         {R"(["","a","b","ab","aa","bb"])", R"(["aa","\u0061b","\u0061"])"}));
  cases.push_back(Schema(
      "{" + array + R"(,"items":{"type":"array","minItems":1,"maxItems":1,)" + strings + "}}",
      {R"([["a"],["aa"],["b\""],["ab"]])", R"([["\u0061"],["aab"],["\u00e9"]])"}));
  ExpectExact(cases);
}

// What one reading of an item accepts must not stay allowed where it alone was refused.
TEST(MaskWalks, KnowWhichReadingOfADistinctItemWasRefused) {
  const std::string few = R"({"type":"array","uniqueItems":true,"items":{"enum":["u","ub",1,10]}})";
  const std::string many = R"({"type":"array","items":{"enum":["u","b",1]},"maxItems":3})";
  const auto object = [](const std::string& value) {
    return R"({"type":"object","properties":{"a":)" + value + R"(},"additionalProperties":false})";
  };
  const std::vector<std::string> texts = {
      R"([{"a":["u","u"]},{"a":["u","ub",1]},{"a":["u","ub"]}])",
      R"([{"a":["ub",1,10]},{"a":["b","u","u"]}])",
      R"([{"a":[1,1]},{"a":[1,"u"]},{"a":[10,"u"]}, {"a":[]}])"};
  std::vector<DefinitionCase> cases;
  for (const char* unique : {"", R"("uniqueItems":true,)"}) {
    const std::string array = std::string(R"({"type":"array",)") + unique + R"("items":{"anyOf":[)";
    cases.push_back(Schema(array + object(few) + "," + object(many) + "]}}", texts));
    cases.push_back(Schema(array + object(few) + R"(,{"required":["b"]}]}})",
                           {R"([{"a":["u","ub"]},{"a":["u","u"],"b":1}])"}));
  }
  ExpectExact(cases);
}

// Keys, texts and numbers of objects that go on like one that was seen.
TEST(MaskWalks, FollowObjectsThatBeginAlikeWhereItemsAreDistinct) {
  const std::string array = R"("type":"array","uniqueItems":true)";
  std::vector<DefinitionCase> cases;
  cases.push_back(Schema("{" + array + R"(,"items":{"type":"object"}})",
                         {R"([{"a":"b","b":1},{"a":"b","b":10}, {"b":1},{},{"a":{"a":[1]}}])",
                          R"([{"a":{"b":"u","a":1}},{"a":{"b":"u","a":2}},{"a":{"b":"ub"}}])"}));
  cases.push_back(Schema("{" + array + R"(,"items":{"anyOf":[{"type":"string"},{"type":"object",
                            "properties":{"a":{"enum":["u","b"]},"b":{"type":"boolean"}},
                            "additionalProperties":false}]}})",
                         {R"([{"a":"u"},"a",{"a":"b","b":true},{"b":true},{}, {"a":"b"}])",
                          R"(["",{},{"b":false},{"a":"u","b":false},{"a":"u"},"u"])"}));
  cases.push_back(Schema("{" + array + R"(,"items":{"type":"string","pattern":"^(a|b[a-z]*)$"}})",
                         {R"(["a","b","ba","bu"])", R"(["ba","a","bb"])"}));
  ExpectExact(cases);
}

TEST(MaskWalks, KnowWhichKeysAreLeftWherePatternsHaveFew) {
  std::vector<DefinitionCase> cases;
  cases.push_back(Schema(R"({"type":"object","patternProperties":{"^[ab]{1,2}$":{"type":"null"}},
                            "additionalProperties":false,"minProperties":5})",
                         {R"({"a":null,"b":null,"aa":null,"ab":null,"ba":null})",
                          R"({"ab":null,"aa":null,"bb":null,"ba":null,"b":null})"}));
  cases.push_back(Schema(R"({"type":"object","properties":{"a":true,"ab":true},
                            "patternProperties":{"^[ab]{1,2}$":{"type":"null"}},
                            "additionalProperties":false})",
                         {R"({"a":null,"ab":null,"b":null})", R"({"bb":null,"a":null})"}));
  cases.push_back(Schema(R"({"type":"object","propertyNames":{"pattern":"^[ab]{1,40}$"}})",
                         {R"({"abab":null,"ab":1,"b":"a"})", R"({"aaaaaaaaaaaa":1})"}));
  // Endless keys may follow whichever was read, but few of those that begin like it.
  cases.push_back(Schema(R"({"type":"object","patternProperties":{"^[a-zA-Z0-9]{1,10}$":
                            {"type":"integer"}},"additionalProperties":false})",
                         {R"({"ab":1,"tababababt":10,"tababababb":1})",
                          R"({"bbbbbbbbbb":1,"bbbbbbbbb":1,"b\u0061":10,"b":1})"}));
  cases.push_back(Schema(R"({"type":"object","properties":{"ab":true,"t-ab":{"type":"null"}},
                            "patternProperties":{"^([a-z]{2,8}(-[a-z]{2,8})*|t-[ab]{1,2}|b-tab)$":
                            {"type":"integer"}},"additionalProperties":false,"maxProperties":5})",
                         {R"({"t-ab":null,"t-a":1,"t-b":1,"t-aa":1,"b-tab":10})",
                          R"({"t-bb":1,"t-ba":1,"ab":null,"ab-tab":1,"b-t\u0061b":10})"}));
  ExpectExact(cases);
}

TEST(MaskWalks, KeepKeysOfSeveralPatternsApartUnderConditions) {
  std::vector<DefinitionCase> cases;
  cases.push_back(Schema(R"({"type":"object","patternProperties":{"a":{"type":"integer"}},
                            "not":{"patternProperties":{"b":{"type":"null"}}}})",
                         {R"({"a":1,"b":true})", R"({"b":1,"ab":10,"t":"u"})"}));
  cases.push_back(Schema(R"({"type":"object","patternProperties":{"^a":{"type":"integer"},
                            "^b":{"type":"null"}},"additionalProperties":false,
                            "not":{"patternProperties":{"a$":{"maximum":1}}},"maxProperties":3})",
                         {R"({"a":10,"b":null})", R"({"ab":1,"aa":10,"bt":null})",
                          R"({"\u0061":10,"\u0062":null,"ab\"a":10})", R"({"bé":null,"aé":10})"}));
  cases.push_back(Schema(R"({"type":"object","oneOf":[
                            {"patternProperties":{"^[ab]$":{"type":"integer"}},"minProperties":1},
                            {"patternProperties":{"t":{"type":"null"}},"required":["t"]}]})",
                         {R"({"a":1,"b":10})", R"({"t":null,"a":true})"}));
  // Of classes that go on for ever some may not come: those behind a space, or all but one.
  cases.push_back(Schema(
      R"({"type":"object","patternProperties":{"^t[a-z]+ ":{"type":"null"},
                            "^t[a-z]+$":{"type":"integer"}},"additionalProperties":false,
                            "not":{"patternProperties":{"^t[a-z]+$":{"maximum":1}}},
                            "maxProperties":2})",
      {R"({"tb t":null,"tab":10})", R"({"ta":10,"ta ":null})", R"({"tt ":null,"t\u0061b":10})"}));
  cases.push_back(
      Schema(R"({"type":"object","patternProperties":{"a":{"type":"integer"},
                            "b t":{"type":"null"}},"not":{"patternProperties":
                            {"a":{"maximum":1}}},"maxProperties":2})",
             {R"({"b t":null,"ta":10})", R"({"a":10,"tb t":null})", R"({"1":"u","b a b":10})"}));
  ExpectExact(cases);
}

TEST(MaskWalks, LeaveRegionsWhereTextsBeginOrMayEndForGood) {
  std::vector<DefinitionCase> cases;
  // Nothing but a space may follow; what begins a text is not all that goes on with it; of several
  // classes of keys not all may still come; a word that is far ends what may be any text.
  const std::string text = R"({"ab t":"b","ab b1":"1t"})";
  cases.push_back(Schema(R"({"type":"object","patternProperties":{"^ab ":{"pattern":"^\\S*$"}},
                            "additionalProperties":false})",
                         {text, R"({"ab \u0061":"a\"b"})"}));
  cases.push_back(Schema(R"({"type":"array","items":{"pattern":"^(a|ab?) .*$"}})",
                         {R"(["a b","ab t1"])", R"(["ab\u0020\"1"])"}));
  cases.push_back(Schema(R"({"type":"object","patternProperties":
                            {"^[a-z_]{1}[\\w.:-]+$":{"type":"string","pattern":"^[a-z][\\w-]*$"}},
                            "additionalProperties":false})",
                         {R"({"ab":"b1","t1":"ab","a:b":"t"})", R"({"b-1":"a","a.t":"b-"})"}));
  cases.push_back(
      Schema(R"({"type":"object","minProperties":2,"not":{"anyOf":[
                            {"propertyNames":{"not":{"enum":["a","b"]}}},
                            {"propertyNames":{"not":{"enum":["t","b"]}}}]}})",
             {R"({"b":1,"ab":null})", R"({"a":1,"t":"a"})", R"({"ab":1,"t":2,"a":1})"}));
  cases.push_back(Schema(R"({"type":"object","patternProperties":{"abababababab":false,"^b":
                            {"type":"string","not":{"pattern":"babababababat"}}}})",
                         {R"({"bababa":"abababa","1":0})", R"({"b":"babab1"})"}));
  ExpectExact(cases);
}

// Arrays of one of these and nulls: as many ways of reading an array.
DefinitionCase ManyArrays() {
  std::string schema;
  for (const char* item :
       {"1", "10", "-1", "true", R"("a")", R"("b")", R"("ab")", "[]", "{}", "false"}) {
    schema += schema.empty() ? R"({"anyOf":[)" : ",";
    schema += std::string(R"({"type":"array","items":{"enum":[null,)") + item + "]}}";
  }
  return Schema(schema + "]}", {"[ null, 10,null ]", R"(["ab" ,null])", "[null,\n[]]"});
}

TEST(MaskWalks, UniteWhatManyItemsAllow) { ExpectExact({ManyArrays()}); }

TEST(MaskWalks, MakeOneMaskOfManyItemsBetweenTokens) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  const auto grammar = Compile(ManyArrays(), vocabulary.index);
  ASSERT_TRUE(grammar.ok());
  Matcher matcher(*grammar);
  ASSERT_EQ(matcher.AcceptBytes("[null"), 5u);
  ASSERT_GE(matcher.items().size(), 10u);
  std::vector<uint32_t> row(vocabulary.index->row_words()), again(row.size());
  const uint64_t before = (*grammar)->masks().built_count();
  matcher.FillMask(row.data());
  EXPECT_EQ((*grammar)->masks().built_count(), before + 1);
  matcher.FillMask(again.data());
  EXPECT_EQ((*grammar)->masks().built_count(), before + 1);
  EXPECT_EQ(row, again);
}

TEST(StandardWalks, SayWhichSpaceTheirEndsMayFollow) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  StylePolicy style;
  style.max_blanks = 3;
  const StandardWalks& walks = vocabulary.index->standard_walks(style);
  ASSERT_FALSE(walks.space_ends().empty());
  EXPECT_TRUE(walks.SpaceEndsFollow(style, 0));
  uint16_t space = 0;
  for (int blanks = 1; blanks <= 3; ++blanks) {
    space = StepSpace(style, SpacePlace::kBeforeItem, 1, space, ' ');
    // Tokens of three bytes begin with up to two blanks.
    EXPECT_EQ(walks.SpaceEndsFollow(style, space), blanks <= 1) << blanks;
  }
  EXPECT_FALSE(walks.SpaceEndsFollow(style, StepSpace(style, SpacePlace::kBeforeItem, 1, 0, '\r')));
}

// How many bytes `bytes` begins with that are white space that may end and `mark`, or 0.
size_t LengthToMark(const StylePolicy& style, std::string_view bytes, uint8_t mark) {
  uint16_t space = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    if (byte == mark) return SpaceMayEnd(style, SpacePlace::kBeforeItem, 1, space) ? i + 1 : 0;
    space = StepSpace(style, SpacePlace::kBeforeItem, 1, space, byte);
    if (space == kNoSpace) return 0;
  }
  return 0;
}

// Compares `marks` with what the tokens that begin with `lead` have behind it.
void ExpectMarksBehind(const SpacedMarks& marks, std::string_view lead, const StylePolicy& style,
                       const VocabularyIndex& index) {
  for (const SpacedMarks::List& list : marks.lists()) {
    std::set<TokenId> tokens;
    std::set<std::string> beginnings;
    for (TokenId id = 0; id < index.size(); ++id) {
      std::string_view bytes = index.vocabulary().bytes(id);
      if (!bytes.starts_with(lead)) continue;
      bytes.remove_prefix(lead.size());
      const size_t length = LengthToMark(style, bytes, list.mark);
      if (length == 0) continue;
      if (length == bytes.size()) {
        tokens.insert(id);
      } else {
        beginnings.emplace(bytes.substr(0, length));
      }
    }
    EXPECT_EQ(std::set(list.tokens.begin(), list.tokens.end()), tokens) << lead << list.mark;
    EXPECT_EQ(list.tokens.size(), tokens.size()) << lead << list.mark;
    EXPECT_EQ(list.nodes.size(), beginnings.size()) << lead << list.mark;
  }
}

TEST(StandardWalks, KnowTheMarksBehindWhiteSpace) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  const StylePolicy style;
  const SpacedMarks& marks = vocabulary.index->standard_walks(style).spaced_marks();
  std::set<uint8_t> found;
  for (const SpacedMarks::List& list : marks.lists()) found.insert(list.mark);
  EXPECT_EQ(found, (std::set<uint8_t>{'"', '[', ']', '{', '}', ',', ':'}));
  ExpectMarksBehind(marks, "", style, *vocabulary.index);
}

TEST(StandardWalks, KnowTheLiteralsBehindWhiteSpace) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  const VocabularyIndex& index = *vocabulary.index;
  const StylePolicy style;
  for (size_t i = 0; i < std::size(kSpacedLiterals); ++i) {
    const std::string_view text = kLiteralTexts[i];
    std::set<TokenId> tokens;
    for (TokenId id = 0; id < index.size(); ++id) {
      const std::string_view bytes = index.vocabulary().bytes(id);
      const size_t length = LengthToMark(style, bytes, text[0]);
      if (length > 0 && text.starts_with(bytes.substr(length - 1))) tokens.insert(id);
    }
    const auto walk =
        index.standard_walks(style).Find(index.trie(), TokenTrie::kRoot, kSpacedLiterals[i]);
    ASSERT_TRUE(walk.has_value()) << text;
    EXPECT_EQ(std::set(walk->tokens.begin(), walk->tokens.end()), tokens) << text;
    EXPECT_EQ(walk->tokens.size(), tokens.size()) << text;
  }
}

TEST(StandardWalks, KnowTheSpaceAndMarksBehindMarks) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  const VocabularyIndex& index = *vocabulary.index;
  const StylePolicy style;
  const SpacedNodes* nodes = index.standard_walks(style).SpacedNodesOf(index.trie());
  ASSERT_NE(nodes, nullptr);
  std::set<std::string> leads;
  const auto visit = [&](const auto& self, const TokenTrie::Node& node, std::string lead) -> void {
    const SpacedMarks* marks = nodes->Find(node, index.trie().IndexOf(node));
    if (marks != nullptr) {
      leads.insert(lead);
      ExpectMarksBehind(*marks, lead, style, index);
      std::set<TokenId> spaces;
      for (TokenId id = 0; id < index.size(); ++id) {
        const std::string_view bytes = index.vocabulary().bytes(id);
        if (!bytes.starts_with(lead) || bytes == lead) continue;
        // As if a mark followed, or the other half of a line break.
        const std::string rest(bytes.substr(lead.size()));
        const size_t length = rest.size() + 1;
        if (LengthToMark(style, rest + ",", ',') == length ||
            LengthToMark(style, rest + "\n,", ',') == length + 1) {
          spaces.insert(id);
        }
      }
      EXPECT_EQ(std::set(marks->spaces().begin(), marks->spaces().end()), spaces) << lead;
      EXPECT_EQ(marks->spaces().size(), spaces.size()) << lead;
    }
    for (const TokenTrie::Node& child : index.trie().children(node)) {
      self(self, child, lead + static_cast<char>(child.byte));
    }
  };
  visit(visit, index.trie().node(TokenTrie::kRoot), "");
  EXPECT_TRUE(leads.contains(",")) << leads.size();
  EXPECT_EQ(leads.size(), nodes->all().size());
}

TEST(MaskWalks, GoOnBehindMarksWhateverSpaceFollows) {
  std::vector<DefinitionCase> cases;
  cases.push_back(Schema(R"({"type":"object","properties":{"a":{"type":"array","items":
                            {"enum":[1,true,"b",null]}},"b":{"type":"object","properties":
                            {"a":{"const":"t"}},"required":["a"],"additionalProperties":false}},
                            "additionalProperties":false})",
                         {"{ \"a\":\n[1, true,\r\n\"b\"] ,\t\"b\" : {\"a\":\"t\" } }",
                          "{\"b\":{\n \"a\": \"t\"}\r\n,\"a\":[ ]}"}));
  cases.push_back(Schema(R"({"type":"array","minItems":2,"maxItems":3,"items":{"anyOf":[
                            {"type":"array","items":{"type":"null"}},
                            {"type":"array","items":{"enum":["a",10]}},
                            {"type":"object","maxProperties":1}]}})",
                         {"[ [null, null],\n[10 ,\"a\" ] ,{ \"b\": [ ] }]", "[[],\t{}]"}));
  ExpectExact(cases);
}

// Single bytes, all digits up to three, and some that end a number.
std::shared_ptr<const VocabularyIndex> Digits() {
  std::vector<Vocabulary::Token> tokens;
  for (int byte = 0; byte < 256; ++byte) {
    tokens.push_back({std::string(1, static_cast<char>(byte)), TokenKind::kNormal});
  }
  for (int number = 0; number < 1000; ++number) {
    const std::string text = std::to_string(1000 + number).substr(1);
    tokens.push_back({text, TokenKind::kNormal});
    if (number < 100) tokens.push_back({text.substr(1), TokenKind::kNormal});
  }
  for (const char* text : {"1,", "12]", "7e", "3.5", " 4", "-8"}) {
    tokens.push_back({text, TokenKind::kNormal});
  }
  const auto end = static_cast<TokenId>(tokens.size());
  tokens.push_back({"<end>", TokenKind::kControl});
  return VocabularyIndex::Build(*Vocabulary::Create(std::move(tokens), {end}, end + 1));
}

// Below most digits the tokens have digits alone.
TEST(MaskWalks, TakeDigitsAsFarAsBoundsAllow) {
  const auto vocabulary = Digits();
  std::vector<uint32_t> row(vocabulary->row_words());
  for (const char* bounds :
       {R"("minimum":1,"maximum":550)", R"("minimum":0,"maximum":65535)", R"("minimum":1)",
        R"("minimum":-9.5,"maximum":1e4)", R"("multipleOf":5)"}) {
    for (const char* type : {"integer", "number"}) {
      const std::string schema =
          std::string(R"({"type":"array","items":{"type":")") + type + R"(",)" + bounds + "}}";
      const auto grammar = Compile(Schema(schema, {}), vocabulary);
      ASSERT_TRUE(grammar.ok()) << schema;
      for (const char* text : {"", "[", "[ ", "[5", "[6", "[ 10, 2", "[15,"}) {
        Matcher matcher(*grammar);
        if (matcher.AcceptBytes(text) != std::string_view(text).size()) continue;
        matcher.FillMask(row.data());
        for (TokenId id = 0; id < vocabulary->size(); ++id) {
          ASSERT_EQ((row[id / 32] >> (id % 32) & 1) != 0, matcher.IsAllowed(id))
              << schema << " behind " << text << ": " << vocabulary->vocabulary().bytes(id);
        }
      }
    }
  }
}

TEST(MarkedTokens, AreThoseOfTheList) {
  std::mt19937 random(7);
  MarkedTokens marked;
  EXPECT_FALSE(marked.Has(0));
  for (const size_t count : {0, 1, 3, 40, 3000, 2}) {
    std::vector<TokenId> list;
    for (size_t i = 0; i < count; ++i) list.push_back(random() % 5000);
    const std::set<TokenId> expected(list.begin(), list.end());
    marked.Mark(list);
    for (TokenId id = 0; id < 5100; ++id) {
      EXPECT_EQ(marked.Has(id), expected.contains(id)) << id << " of " << count;
    }
    marked.Clear();
  }
}

TEST(StringIndex, TellsBeginningsThatAreSpelledAsThemselves) {
  const TestVocabulary vocabulary = WholeCharacters();
  const StringIndex& strings = vocabulary.index->strings(TextCoding::kJsonString);
  const auto all_of = [](const TokenTrie& trie) {
    return trie.tokens_below(trie.node(TokenTrie::kRoot)).size() +
           trie.tokens(TokenTrie::kRoot).size();
  };
  const size_t coded = all_of(strings.coded_beginnings());
  EXPECT_EQ(all_of(strings.beginnings()) + coded, strings.beginning_count());
  EXPECT_GT(coded, 0u);
  EXPECT_EQ(strings.beginnings().Child(strings.beginnings().node(TokenTrie::kRoot), '\\'), nullptr);
  // The empty one stands at the root.
  ASSERT_EQ(strings.beginnings().tokens(TokenTrie::kRoot).size(), 1u);
  EXPECT_EQ(strings.beginnings().tokens(TokenTrie::kRoot)[0],
            strings.BeginningOfExit(vocabulary.ids.at("\"")));
}

TEST(StringIndex, CountsTheCodePointsBeforeTheQuote) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  const StringIndex& strings = vocabulary.index->strings(TextCoding::kJsonString);
  size_t found = 0;
  for (TokenId id = 0; id < vocabulary.index->size(); ++id) {
    const std::string_view bytes = vocabulary.index->vocabulary().bytes(id);
    const auto expect = [&](std::string_view token, uint32_t length) {
      if (bytes != token) return;
      EXPECT_EQ(strings.LengthOfExit(id), length) << token;
      ++found;
    };
    expect("\"", 0);
    expect("\",", 0);
    expect("a\"", 1);
    expect("ab\"", 2);
    expect("a\"b", 1);
    expect("\\\"\"", 1);
    expect("\xC3\xA9\"", 1);
  }
  EXPECT_EQ(found, 7u);
}

}  // namespace
}  // namespace maskloom::suites
