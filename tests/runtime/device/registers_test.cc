// Registers of rows: keys in any order, counts and undeclared keys go by the same words, and what
// tables then say is what the matcher says.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cli/step_walk.h"
#include "runtime/device/key_tokens.h"
#include "runtime/device/step_table.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/vocabularies.h"
#include "tests/support/long_suite.h"

namespace maskloom::suites {
namespace {

using cli::StepTally;
using cli::StepWalk;

// A schema by chance with texts that are near it: objects of declared and other keys, in any order,
// and arrays of bounded length.
class RandomObjects {
 public:
  explicit RandomObjects(uint64_t seed) : random_(seed) {}

  struct Drawn {
    std::string schema;
    std::vector<std::string> texts;
  };
  Drawn Draw(size_t texts) {
    nodes_.clear();
    const size_t root = DrawNode(0);
    Drawn drawn{SchemaOf(root), {}};
    for (size_t i = 0; i < texts; ++i) drawn.texts.push_back(TextOf(root, 0));
    return drawn;
  }

 private:
  enum class Kind { kInteger, kString, kBoolean, kArray, kObject, kEither };
  struct Node {
    Kind kind = Kind::kInteger;
    std::vector<std::string> names;
    std::vector<size_t> parts;  // by name, or of the items, or the alternatives
    std::string bounds;         // further keywords
    bool is_open = false;
  };

  size_t Below(size_t count) { return random_() % count; }

  size_t DrawNode(int depth) {
    Node node;
    node.kind = depth == 0 ? Kind::kObject : static_cast<Kind>(Below(depth < 3 ? 6 : 3));
    const auto bound = [&](const char* keyword, size_t most) {
      if (Below(3) == 0) {
        node.bounds += ",\"" + std::string(keyword) + "\":" + std::to_string(Below(most));
      }
    };
    if (node.kind == Kind::kString) bound("maxLength", 6);
    if (node.kind == Kind::kArray) {
      node.parts.push_back(DrawNode(depth + 1));
      bound("minItems", 3);
      if (Below(3) == 0) node.bounds += ",\"maxItems\":" + std::to_string(3 + Below(3));
      if (Below(4) == 0) node.bounds += ",\"prefixItems\":[{\"type\":\"integer\"}]";
    }
    if (node.kind == Kind::kEither) node.parts = {DrawNode(depth + 1), DrawNode(depth + 1)};
    if (node.kind == Kind::kObject) {
      std::vector<std::string> names = {"a", "b", "ab", "aa", "ba", "aba", "", "\\"};
      std::shuffle(names.begin(), names.end(), random_);
      names.resize(Below(6));
      std::string required;
      for (const std::string& name : names) {
        node.parts.push_back(DrawNode(depth + 1));
        if (Below(2) == 0) required += (required.empty() ? "" : ",") + Quoted(name);
      }
      node.names = names;
      node.is_open = Below(2) == 0;
      node.bounds = ",\"required\":[" + required + "]";
      if (!node.is_open) node.bounds += ",\"additionalProperties\":false";
      if (node.is_open && Below(3) == 0) {
        node.bounds += ",\"additionalProperties\":{\"type\":\"integer\"}";
      }
      if (node.is_open && Below(4) == 0) node.bounds += ",\"patternProperties\":{\"^b\":true}";
      bound("minProperties", 3);
      if (Below(5) == 0) node.bounds += ",\"maxProperties\":" + std::to_string(2 + Below(5));
    }
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }

  static std::string Quoted(const std::string& name) {
    return name == "\\" ? "\"\\\\\"" : "\"" + name + "\"";
  }

  std::string SchemaOf(size_t index) const {
    const Node& node = nodes_[index];
    constexpr const char* kTypes[] = {"integer", "string", "boolean", "array", "object"};
    if (node.kind == Kind::kEither) {
      return "{\"anyOf\":[" + SchemaOf(node.parts[0]) + "," + SchemaOf(node.parts[1]) + "]}";
    }
    std::string text = "{\"type\":\"" + std::string(kTypes[static_cast<int>(node.kind)]) + "\"";
    if (node.kind == Kind::kArray) text += ",\"items\":" + SchemaOf(node.parts[0]);
    if (node.kind == Kind::kObject) {
      text += ",\"properties\":{";
      for (size_t i = 0; i < node.names.size(); ++i) {
        text += (i > 0 ? "," : "") + Quoted(node.names[i]) + ":" + SchemaOf(node.parts[i]);
      }
      text += "}";
    }
    return text + node.bounds + "}";
  }

  std::string Space() { return Below(4) == 0 ? " " : ""; }

  std::string TextOf(size_t index, int depth) {
    const Node& node = nodes_[index];
    switch (node.kind) {
      case Kind::kInteger:
        return std::to_string(Below(3) * Below(200));
      case Kind::kString:
        return "\"" + std::string(Below(6), 'a') + "\"";
      case Kind::kBoolean:
        return Below(2) == 0 ? "true" : "false";
      case Kind::kEither:
        return TextOf(node.parts[Below(2)], depth);
      case Kind::kArray: {
        std::string text = "[";
        for (size_t i = 0, count = Below(6); i < count; ++i) {
          text += (i > 0 ? "," : "") + Space() + TextOf(node.parts[0], depth + 1);
        }
        return text + "]";
      }
      case Kind::kObject:
        break;
    }
    std::vector<std::string> members;
    for (size_t i = 0; i < node.names.size(); ++i) {
      if (Below(5) == 0) continue;
      members.push_back(Quoted(node.names[i]) + ":" + Space() + TextOf(node.parts[i], depth + 1));
    }
    for (const char* key : {"b1", "a", "", "ca", "aab", ",", "\\n"}) {
      if (node.is_open && Below(5) == 0) members.push_back(Quoted(key) + ":1");
    }
    std::shuffle(members.begin(), members.end(), random_);
    std::string text = "{";
    for (size_t i = 0; i < members.size(); ++i) text += (i > 0 ? "," + Space() : "") + members[i];
    return text + "}";
  }

  std::mt19937_64 random_;
  std::vector<Node> nodes_;
};

std::string NullMember(const std::string& name) { return "\"" + name + "\":null"; }

class RegistersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    vocabulary_ = std::make_unique<TestVocabulary>(SyntheticVocabulary(true));
    text_tokens_ = std::make_shared<const TextTokens>(*vocabulary_->index, TextCoding::kJsonString);
  }
  static void TearDownTestSuite() {
    text_tokens_.reset();
    vocabulary_.reset();
  }

  RegistersTest() {
    auto pool = MaskPool::Create(*vocabulary_->index, &memory_, 64u << 20);
    EXPECT_TRUE(pool.ok());
    pool_ = std::move(*pool);
    pool_->BeginStep();
  }

  static std::shared_ptr<const CompiledGrammar> Schema(const std::string& text) {
    auto grammar = Compile({.name = text, .definition = text}, vocabulary_->index);
    EXPECT_TRUE(grammar.ok()) << grammar.status().ToString();
    return *grammar;
  }
  StepWalk Walk(const std::shared_ptr<const CompiledGrammar>& grammar) {
    return StepWalk(grammar, text_tokens_, pool_.get(), {});
  }
  // One token a byte.
  std::vector<TokenId> Bytes(const std::string& text) {
    std::vector<TokenId> tokens;
    for (const char& c : text) tokens.push_back(vocabulary_->ids.at(std::string_view(&c, 1)));
    return tokens;
  }
  std::vector<TokenId> Split(const std::string& text, std::mt19937_64* random) {
    return vocabulary_->Split(text, random);
  }

  static std::unique_ptr<TestVocabulary> vocabulary_;
  static std::shared_ptr<const TextTokens> text_tokens_;
  PlainMemory memory_;
  std::unique_ptr<MaskPool> pool_;
};

std::unique_ptr<TestVocabulary> RegistersTest::vocabulary_;
std::shared_ptr<const TextTokens> RegistersTest::text_tokens_;

TEST_F(RegistersTest, GoWhereTheMatcherGoesInAnyOrder) {
  std::mt19937_64 random(29);
  RandomObjects objects(31);
  StepTally tally, again;
  const int schemas = IsLongRun() ? 3000 : 150;
  for (int i = 0; i < schemas; ++i) {
    const RandomObjects::Drawn drawn = objects.Draw(30);
    SCOPED_TRACE(drawn.schema);
    auto grammar = Compile({.name = "objects", .definition = drawn.schema}, vocabulary_->index);
    if (!grammar.ok()) continue;
    StepWalk walk = Walk(*grammar);
    if (i % 3 == 0) walk.table().Explore(100, 100);
    for (const std::string& text : drawn.texts) {
      ASSERT_EQ(walk.Follow(Split(text, &random), &tally, nullptr), "") << text;
    }
    for (const std::string& text : drawn.texts) {
      ASSERT_EQ(walk.Follow(Split(text, &random), &again, nullptr), "") << text;
    }
  }
  EXPECT_GT(tally.steps, 20000u);
  EXPECT_GT(again.alone * 10, again.steps * 7);
}

TEST_F(RegistersTest, KeysHaveTheSameWordsInAnyOrder) {
  const auto grammar = Schema(R"({"type": "object", "additionalProperties": false, "properties": {
      "a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"},
      "d": {"type": "integer"}, "e": {"type": "integer"}, "f": {"type": "integer"}}})");
  StepWalk walk = Walk(grammar);
  std::vector<std::string> members = {"\"a\":1", "\"b\":1", "\"c\":1",
                                      "\"d\":1", "\"e\":1", "\"f\":1"};
  const auto text = [&] {
    std::string all = "{";
    for (const std::string& member : members) all += (all.size() > 1 ? "," : "") + member;
    return all + "}";
  };
  StepTally first, others;
  ASSERT_EQ(walk.Follow(Bytes(text()), &first, nullptr), "");
  const size_t words = walk.table().counts().words;
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    std::shuffle(members.begin(), members.end(), random);
    ASSERT_EQ(walk.Follow(Bytes(text()), &others, nullptr), "");
  }
  EXPECT_EQ(others.no_step, 0u);
  EXPECT_EQ(walk.table().counts().words, words);
}

// One list by names is the mask of all sets of names that are left.
TEST_F(RegistersTest, KeysHaveOneMaskForAllSetsOfNames) {
  const auto grammar = Schema(R"({"type": "object", "additionalProperties": false,
      "required": ["ax", "ex"], "properties": {
      "ax": {"type": "null"}, "ay": {"type": "null"}, "bx": {"type": "null"},
      "by": {"type": "null"}, "cx": {"type": "null"}, "cy": {"type": "null"},
      "dx": {"type": "null"}, "dy": {"type": "null"}, "ex": {"type": "null"}}})");
  StepWalk walk = Walk(grammar);
  std::vector<std::string> names = {"ax", "ay", "bx", "by", "cx", "cy", "dx", "dy", "ex"};
  std::mt19937_64 random(8);
  StepTally first, others;
  for (int i = 0; i < 200; ++i) {
    std::shuffle(names.begin(), names.end(), random);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "{" : ",") + NullMember(name);
    ASSERT_EQ(walk.Follow(Bytes(text + "}"), i < 5 ? &first : &others, nullptr), "");
  }
  // Other sets matter only where a key or a member ends.
  EXPECT_LT(others.no_mask * 100, others.steps);
  EXPECT_LT(walk.table().counts().masks, 200u);
}

TEST_F(RegistersTest, CountsGoOnFromAnyNumber) {
  const auto grammar = Schema(R"({"type": "array", "minItems": 2, "maxItems": 40,
                                  "items": {"type": "boolean"}})");
  StepWalk walk = Walk(grammar);
  StepTally first, longer;
  ASSERT_EQ(walk.Follow(Bytes("[true,false,true]"), &first, nullptr), "");
  std::string text = "[true";
  for (int i = 0; i < 39; ++i) text += i % 2 == 0 ? ",false" : ",true";
  ASSERT_EQ(walk.Follow(Bytes(text + "]"), &longer, nullptr), "");
  EXPECT_EQ(longer.no_step, 0u);
}

// That a count stands at its most does not hide what a token adds to it.
TEST_F(RegistersTest, CountsThatStandAtTheirMostTeachTheOthers) {
  const auto grammar = Schema(R"({"type": "array", "minItems": 3, "items": {"type": "integer"}})");
  StepWalk walk = Walk(grammar);
  std::mt19937_64 random(3);
  StepTally tally;
  for (const char* text : {"[1,1,1,1,1,1,1]", "[1,1,1,1]", "[1,1,1]", "[1,1,1,1,1]", "[1,1]"}) {
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(walk.Follow(Split(text, &random), &tally, nullptr), "");
    }
  }
  EXPECT_GT(tally.alone * 10, tally.steps * 9);
}

TEST_F(RegistersTest, OtherKeysNeedNoWordsOfTheirOwn) {
  const auto grammar = Schema(R"({"type": "object", "properties": {"a": {"type": "null"}},
                                  "additionalProperties": {"type": "boolean"}})");
  StepWalk walk = Walk(grammar);
  StepTally first, others;
  for (const char* text : {"{\"xyz\":true,\"uvw\":false}", "{\"stuff\":true}"}) {
    ASSERT_EQ(walk.Follow(Bytes(text), &first, nullptr), "");
  }
  const size_t words = walk.table().counts().words;
  for (const char* text : {"{\"xfer\":false,\"sort\":true}", "{\"ulna\":true,\"xo\":true}"}) {
    ASSERT_EQ(walk.Follow(Bytes(text), &others, nullptr), "");
  }
  EXPECT_LE(walk.table().counts().words, words + 2);
  EXPECT_GT(others.alone * 10, others.steps * 8);
}

TEST_F(RegistersTest, KeysThatBeginAlikeAreForTheHost) {
  const auto grammar = Schema(R"({"type": "object", "additionalProperties": {"type": "null"}})");
  StepWalk walk = Walk(grammar);
  StepTally tally, again;
  const std::string text = "{\"xa\":null,\"xb\":null,\"y\":null}";
  for (int i = 0; i < 3; ++i) ASSERT_EQ(walk.Follow(Bytes(text), &tally, nullptr), "");
  ASSERT_EQ(walk.Follow(Bytes(text), &again, nullptr), "");
  EXPECT_GT(again.no_step, 0u);
  EXPECT_LE(again.no_step, 2u);
  // A key that came is refused, whichever way.
  ASSERT_EQ(walk.Follow(Bytes("{\"xa\":null,\"xa\":null}"), &again, nullptr), "");
}

TEST_F(RegistersTest, MoreCellsThanARowHoldsAreUnknown) {
  const auto grammar = Schema(R"({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object",
      "properties": {"a": {"$ref": "#/$defs/a"}}}}})");
  StepWalk walk = Walk(grammar);
  std::string text;
  for (int i = 0; i < 40; ++i) text += "{\"a\":";
  text += "{}" + std::string(40, '}');
  StepTally tally, again;
  for (int i = 0; i < 2; ++i) ASSERT_EQ(walk.Follow(Bytes(text), &tally, nullptr), "");
  ASSERT_EQ(walk.Follow(Bytes(text), &again, nullptr), "");
  EXPECT_GT(again.no_state, 0u);
  EXPECT_GT(again.alone, 0u);
}

TEST_F(RegistersTest, ExplorationKnowsLikelyTextsFirst) {
  const auto grammar = Schema(R"({"type": "object", "additionalProperties": false,
      "required": ["name", "tags", "size"], "properties": {"name": {"type": "string"},
      "tags": {"type": "array", "items": {"enum": ["new", "old"]}},
      "size": {"type": "object", "additionalProperties": false, "required": ["width"],
      "properties": {"width": {"type": "boolean"}, "height": {"type": "null"}}}}})");
  StepWalk walk = Walk(grammar);
  walk.table().Explore({.states = 400, .tokens = 0, .time = std::chrono::seconds(9)});
  StepTally tally;
  for (const char* text :
       {R"({"name": "x", "tags": ["new", "old"], "size": {"width": true, "height": null}})",
        R"({"size":{"width":false},"tags":[],"name":"y"})"}) {
    ASSERT_EQ(walk.Follow(Bytes(text), &tally, nullptr), "");
  }
  EXPECT_GT(tally.alone * 10, tally.steps * 6);
}

// Tokens that end keys, begin others, or hold several whole.
class LongTokensTest : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(LongTokensTest, GoWhereTheMatcherGoes) {
  std::vector<std::string> tokens = GetParam();
  for (int c = 1; c < 256; ++c) tokens.push_back(std::string(1, static_cast<char>(c)));
  std::vector<Vocabulary::Token> normal;
  for (const std::string& bytes : tokens) normal.push_back({bytes});
  normal.push_back({"<end>", TokenKind::kControl});
  auto made = Vocabulary::Create(normal, {static_cast<TokenId>(tokens.size())});
  ASSERT_TRUE(made.ok());
  const auto vocabulary = VocabularyIndex::Build(std::move(*made));
  const auto text_tokens = std::make_shared<const TextTokens>(*vocabulary, TextCoding::kJsonString);
  PlainMemory memory;
  auto pool = MaskPool::Create(*vocabulary, &memory, 16u << 20);
  ASSERT_TRUE(pool.ok());
  (*pool)->BeginStep();
  std::mt19937_64 random(37);
  const auto split = [&](const std::string& text) {
    std::vector<TokenId> ids;
    for (size_t at = 0; at < text.size();) {
      std::vector<TokenId> fitting;
      for (TokenId id = 0; id < tokens.size(); ++id) {
        if (text.compare(at, tokens[id].size(), tokens[id]) == 0) fitting.push_back(id);
      }
      ids.push_back(fitting[random() % fitting.size()]);
      at += tokens[ids.back()].size();
    }
    return ids;
  };
  RandomObjects objects(41);
  StepTally tally;
  const int schemas = IsLongRun() ? 2000 : 150;
  for (int i = 0; i < schemas; ++i) {
    const RandomObjects::Drawn drawn = objects.Draw(40);
    SCOPED_TRACE(drawn.schema);
    auto grammar = Compile({.name = "objects", .definition = drawn.schema}, vocabulary);
    if (!grammar.ok()) continue;
    StepWalk walk(*grammar, text_tokens, pool->get(), {});
    if (i % 3 == 0) walk.table().Explore({.states = 50, .tokens = 10});
    for (int round = 0; round < 2; ++round) {
      for (const std::string& text : drawn.texts) {
        ASSERT_EQ(walk.Follow(split(text), &tally, nullptr), "") << text;
      }
    }
  }
  EXPECT_GT(tally.alone * 2, tally.steps);
}

INSTANTIATE_TEST_SUITE_P(
    Registers, LongTokensTest,
    ::testing::Values(
        std::vector<std::string>{"\":1,\"", "\"a\":", ",\"a", "b\":", "a\":1}", ", \"b", "\":0,",
                                 "{\"a", "]},", "true,", ",\"\\", "aa"},
        std::vector<std::string>{"\":1,\"a", "\":0,\"b", "\"ab\":", "\"\":1",
                                 ",\"ab\":", ",\"a\":1}", "\",\"", "1,1", "\":{}", "\":\"\","},
        std::vector<std::string>{"\":1,\"a\":1", "\":1,\"b1\":", "\"a\":1,\"b",
                                 "a\":", "\"aa\":1,\"ab\":1", "\":1}", "\"b1\":1", "ca\""}));

KeyTokens TokensOf(const std::vector<std::string>& texts) {
  std::vector<Vocabulary::Token> tokens;
  for (const std::string& text : texts) tokens.push_back({text});
  auto vocabulary = Vocabulary::Create(std::move(tokens), {});
  EXPECT_TRUE(vocabulary.ok());
  return KeyTokens(*VocabularyIndex::Build(std::move(*vocabulary)), TextCoding::kJsonString);
}

TEST(KeyTokensTest, SayHowTokensBeginAndEndKeys) {
  const KeyTokens tokens = TokensOf({"a", "\"", "\"x", ", \"y", "b\":", "\\"});
  EXPECT_TRUE(tokens.begun.Contains('x'));
  EXPECT_TRUE(tokens.begun.Contains('y'));
  EXPECT_FALSE(tokens.begun_behind_comma.Contains('x'));
  EXPECT_TRUE(tokens.begun_behind_comma.Contains('y'));
  EXPECT_EQ(tokens.ends, (std::vector<std::u32string>{U"", U", ", U"b"}));
  // Behind a backslash come few letters where no token spells \uXXXX, else any alike.
  std::vector<std::string> texts = {"\"\\", "\\", "\"", "u"};
  EXPECT_TRUE(TokensOf(texts).begun.Contains('x'));
  for (const char c : std::string("0123456789abcdefABCDEF")) texts.push_back(std::string(1, c));
  EXPECT_FALSE(TokensOf(texts).begun.Contains('x'));
}

}  // namespace
}  // namespace maskloom::suites
