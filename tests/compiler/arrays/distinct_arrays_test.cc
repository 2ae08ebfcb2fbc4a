// Arrays whose items have endless values, or many: what oracles cannot try.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "compiler/mask_cache.h"
#include "grammar/number_conditions.h"
#include "grammar/regular/regular.h"
#include "tests/compiler/arrays/array_walk.h"

namespace maskloom::arrays {
namespace {

constexpr const char* kBytes = "\"[]{}:,-+0123456789.truefalsnbidEx\\ ";

// Builds grammars of one array by hand.
struct Builder {
  Grammar grammar;

  Builder() { grammar.style.whitespace = StylePolicy::Whitespace::kCompact; }
  ValueId Add(ValueNode node) {
    grammar.values.push_back(std::move(node));
    return static_cast<ValueId>(grammar.values.size() - 1);
  }
  ValueId String(StringNode string) {
    grammar.strings.push_back(std::move(string));
    ValueNode node;
    node.strings.push_back(static_cast<NodeId>(grammar.strings.size() - 1));
    return Add(node);
  }
  ValueId Number(NumberNode number) {
    grammar.numbers.push_back(std::move(number));
    ValueNode node;
    node.numbers.push_back(static_cast<NodeId>(grammar.numbers.size() - 1));
    return Add(node);
  }
  ValueId Integers(int64_t first, int64_t last) {
    NumberNode number;
    number.integer = true;
    number.lower = NumberBound{Decimal::FromInteger(first), false};
    number.upper = NumberBound{Decimal::FromInteger(last), false};
    return Number(number);
  }
  ValueId Boolean() {
    ValueNode node;
    node.allows_true = node.allows_false = true;
    return Add(node);
  }
  ValueId Object(std::vector<ObjectNode::Property> properties) {
    ObjectNode object;
    object.properties = std::move(properties);
    grammar.objects.push_back(object);
    ValueNode node;
    node.objects.push_back(static_cast<NodeId>(grammar.objects.size() - 1));
    return Add(node);
  }
  ValueId Array(ArrayNode array) {
    grammar.arrays.push_back(std::move(array));
    ValueNode node;
    node.arrays.push_back(static_cast<NodeId>(grammar.arrays.size() - 1));
    return Add(node);
  }
  // A value of one or the other.
  ValueId Either(ValueId one, ValueId other) {
    ValueNode node = grammar.values[one];
    const ValueNode& more = grammar.values[other];
    const auto append = [](const std::vector<NodeId>& from, std::vector<NodeId>* to) {
      to->insert(to->end(), from.begin(), from.end());
    };
    append(more.strings, &node.strings);
    append(more.numbers, &node.numbers);
    append(more.arrays, &node.arrays);
    append(more.objects, &node.objects);
    return Add(node);
  }
  ValueId DistinctArray(ValueId rest) {
    ArrayNode array;
    array.rest = rest;
    array.distinctness = ArrayNode::Distinctness::kDistinct;
    return Array(array);
  }
  Result<std::shared_ptr<const CompiledGrammar>> Compile(
      ValueId root, const std::vector<std::string>& pieces = {}) {
    grammar.root = grammar.exprs.Value(root);
    return CompiledGrammar::Create(grammar, VocabularyOf(kBytes, pieces));
  }
};

bool Accepts(const std::shared_ptr<const CompiledGrammar>& grammar, const std::string& text) {
  ArrayWalk walk(grammar);
  return walk.TakeAll(text) && walk.IsAccepting();
}

// Takes random tokens from masks; every mask must say what steps say, every completion complete.
void WalkAtRandom(const std::shared_ptr<const CompiledGrammar>& grammar, uint64_t seed,
                  size_t bytes) {
  std::mt19937_64 random(seed);
  const Vocabulary& vocabulary = grammar->vocabulary().vocabulary();
  ArrayWalk walk(grammar);
  while (walk.text().size() < bytes) {
    const std::vector<bool> mask = walk.Mask();
    std::vector<std::string> tokens;
    for (TokenId id = 0; id < mask.size(); ++id) {
      if (vocabulary.kind(id) != TokenKind::kNormal) continue;
      const std::string token(vocabulary.bytes(id));
      ASSERT_EQ(mask[id], walk.Allows(token)) << walk.text() << " and then " << token;
      if (mask[id]) tokens.push_back(token);
    }
    for (const std::string& completion : walk.Completions()) {
      const size_t length = walk.text().size();
      ASSERT_TRUE(walk.TakeAll(completion) && walk.IsAccepting())
          << walk.text() << " completed by " << completion;
      walk.Rewind(length);
    }
    if (tokens.empty()) {
      ASSERT_TRUE(walk.IsAccepting()) << walk.text();
      return;
    }
    ASSERT_TRUE(walk.TakeAll(tokens[random() % tokens.size()]));
  }
}

const std::vector<std::string>& Pieces() {
  static const std::vector<std::string> pieces = {
      "\",\"",      "\"a\"", "\"a\",", ",\"b\"", "\"\",", "true",  "true,",
      ",false",     "],[",   "[]",     "},{",    "{\"",   "id\":", "{\"id\":\"a\"",
      "\"x\":true", "12",    "1,",     ",1,",    "1.0",   "0,",    "1e0,",
      "ab",         "aa",    "b\"]",   "\"]",    "10,20", "[1]",   "[true,",
      "},",         "\":1",  "\\u00",  "61"};
  return pieces;
}

TEST(DistinctArrays, CompareValuesNotSpellings) {
  Builder builder;
  const auto numbers = builder.Compile(builder.DistinctArray(builder.Number({})));
  ASSERT_TRUE(numbers.ok()) << numbers.status().ToString();
  EXPECT_TRUE(Accepts(*numbers, "[1,2,1.5,10,-1]"));
  for (const char* text : {"[1,1]", "[1,1.0]", "[10,1e1]", "[0,-0]", "[0.5,5e-1]", "[1,2,3,2]"}) {
    EXPECT_FALSE(Accepts(*numbers, text)) << text;
  }
  Builder strings;
  const auto texts = strings.Compile(strings.DistinctArray(strings.String({})));
  ASSERT_TRUE(texts.ok());
  EXPECT_TRUE(Accepts(*texts, R"(["a","aa","","b"])"));
  EXPECT_FALSE(Accepts(*texts, R"(["a","\u0061"])"));
  EXPECT_FALSE(Accepts(*texts, R"(["",""])"));
  Builder objects;
  const ValueId any = objects.String({});
  const auto members = objects.Compile(
      objects.DistinctArray(objects.Object({{U"a", any, false}, {U"b", any, false}})));
  ASSERT_TRUE(members.ok());
  EXPECT_TRUE(Accepts(*members, R"([{"a":"a","b":"b"},{"b":"a","a":"b"},{}])"));
  EXPECT_FALSE(Accepts(*members, R"([{"a":"a","b":"b"},{"b":"b","a":"a"}])"));
}

TEST(DistinctArrays, StopWhereValuesRunOut) {
  Builder builder;
  const auto booleans = builder.Compile(builder.DistinctArray(builder.Boolean()));
  ASSERT_TRUE(booleans.ok());
  ArrayWalk walk(*booleans);
  ASSERT_TRUE(walk.TakeAll("[true,"));
  EXPECT_FALSE(walk.Allows("t"));
  ASSERT_TRUE(walk.TakeAll("false"));
  EXPECT_FALSE(walk.Allows(","));
  EXPECT_TRUE(walk.Allows("]"));
}

TEST(DistinctArrays, OfTooFewValuesHaveNoText) {
  Builder builder;
  ArrayNode array;
  array.rest = builder.Integers(1, 3);
  array.min_items = 4;
  array.distinctness = ArrayNode::Distinctness::kDistinct;
  EXPECT_EQ(builder.Compile(builder.Array(array)).status().code(), StatusCode::kUnsatisfiable);
  Builder enough;
  array.rest = enough.Integers(1, 4);
  const auto all = enough.Compile(enough.Array(array));
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(Accepts(*all, "[4,1,3,2]"));
  WalkAtRandom(*all, 1, 40);
}

// Numbers with an open side are not endless where digits end soon.
TEST(DistinctArrays, OfNumbersRunOutWithTheirDigits) {
  const auto compile = [](uint64_t min_items, NumberNode number) {
    Builder b;
    b.grammar.style.max_digits = 12;
    number.spelling = NumberNode::Spelling::kPlain;
    ArrayNode array;
    array.rest = b.Number(number);
    array.min_items = min_items;
    array.distinctness = ArrayNode::Distinctness::kDistinct;
    return b.Compile(b.Array(array));
  };
  NumberNode round;  // -9e11 to 9e11
  round.multiples_of = {*Decimal::Parse("100000000000")};
  EXPECT_TRUE(compile(19, round).ok());
  EXPECT_EQ(compile(20, round).status().code(), StatusCode::kUnsatisfiable);
  NumberNode last;
  last.lower = NumberBound{*Decimal::Parse("999999999990"), false};
  EXPECT_TRUE(compile(10, last).ok());
  EXPECT_EQ(compile(11, last).status().code(), StatusCode::kUnsatisfiable);
}

TEST(DistinctArrays, OfManyIntegersEndWithTheLast) {
  Builder builder;
  const auto grammar = builder.Compile(builder.DistinctArray(builder.Integers(1, 1500)), Pieces());
  ASSERT_TRUE(grammar.ok());
  std::string text = "[";
  for (int i = 1; i < 1500; ++i) text += std::to_string(i) + ",";
  ArrayWalk walk(*grammar);
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(walk.TakeAll(text + "15"));
  for (const char byte : {'1', '2', ',', ']'}) EXPECT_FALSE(walk.Allows(std::string(1, byte)));
  ASSERT_TRUE(walk.TakeAll("00"));
  EXPECT_FALSE(walk.Allows(","));
  EXPECT_TRUE(walk.Allows("]"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(DistinctArrays, MasksAndCompletionsFollowStepsWhereValuesAreEndless) {
  StringNode pattern;  // a, or some b
  pattern.automaton = [] {
    TextAutomaton automaton;
    automaton.labels = {0, 1, 1};
    automaton.edges = {{'a', 'a', 1}, {'b', 'b', 2}, {'b', 'b', 2}};
    automaton.edge_begins = {0, 2, 2, 3};
    return std::make_shared<TextAutomaton>(automaton);
  }();
  StringNode shorter;
  shorter.max_length = 2;
  NumberNode above;
  above.integer = true;
  above.lower = NumberBound{Decimal::FromInteger(-2), false};
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Builder b;
    std::vector<ValueId> roots;
    roots.push_back(b.DistinctArray(b.String({})));
    roots.push_back(b.DistinctArray(b.String(pattern)));
    roots.push_back(b.DistinctArray(b.String(shorter)));
    roots.push_back(b.DistinctArray(b.Number({})));
    roots.push_back(b.DistinctArray(b.Number(above)));
    roots.push_back(b.DistinctArray(b.DistinctArray(b.Boolean())));
    roots.push_back(b.DistinctArray(b.DistinctArray(b.Integers(0, 12))));
    roots.push_back(
        b.DistinctArray(b.Object({{U"id", b.String({}), true}, {U"x", b.Boolean(), false}})));
    roots.push_back(b.DistinctArray(b.Object({{U"x", b.Boolean(), true}})));
    ObjectNode open;
    open.other_values.push_back(b.Boolean());
    b.grammar.objects.push_back(open);
    ValueNode value;
    value.objects.push_back(static_cast<NodeId>(b.grammar.objects.size() - 1));
    roots.push_back(b.DistinctArray(b.Add(value)));
    ArrayNode repeated;
    repeated.rest = b.String({});
    repeated.distinctness = ArrayNode::Distinctness::kRepeated;
    roots.push_back(b.Array(repeated));
    const auto grammar = b.Compile(roots[seed % roots.size()], Pieces());
    ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
    SCOPED_TRACE((*grammar)->grammar().ToString());
    for (uint64_t turn = 0; turn < 3; ++turn) WalkAtRandom(*grammar, 10 * seed + turn, 60);
    if (HasFatalFailure()) return;
  }
}

// Random arrays of numbers of which some must be counted, as `contains` has it, against comparing
// and counting the numbers themselves.
TEST(DistinctArrays, OfNumbersOfAnyLengthAreCountedAndComparedQuickly) {
  const auto start = std::chrono::steady_clock::now();
  const auto vocabulary = VocabularyOf(kBytes, {});
  std::mt19937 random(5);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  int accepted = 0;
  for (int turn = 0; turn < 60; ++turn) {
    Builder b;
    b.grammar.style.max_digits = turn % 4 == 0 ? 1000000000 : kUnbounded;
    // Numbers that are counted and the others, as the front end makes them.
    NumberNode counted, others;
    const auto bound = [&] { return *Decimal::Parse(std::to_string(below(4)) + ".5"); };
    const Decimal divisor = *Decimal::Parse(std::vector<const char*>{"1", "0.5", "2"}[below(3)]);
    if (below(2) == 0) {
      counted.multiples_of = {divisor};
      others.no_multiples_of = {divisor};
    } else {
      counted.lower = NumberBound{bound(), false};
      others.upper = NumberBound{counted.lower->value, true};
    }
    if (below(3) == 0) others.integer = counted.integer = true;
    ArrayNode array;
    array.distinctness = ArrayNode::Distinctness::kDistinct;
    array.counters = {{Counter::Kind::kAtLeast, 1 + below(2)}};
    array.rest = b.Number({});
    array.choices = {{{b.Number(others), 0}, {b.Number(counted), 1}}};
    array.conditions.resize(1);
    array.conditions[0].kind = Condition::Kind::kAtLeast;
    array.conditions[0].number = array.counters[0].limit;
    b.grammar.root = b.grammar.exprs.Value(b.Array(array));
    const auto grammar = CompiledGrammar::Create(b.grammar, vocabulary);
    if (!grammar.ok()) {
      ASSERT_EQ(grammar.status().code(), StatusCode::kUnsatisfiable) << grammar.status().ToString();
      continue;
    }
    for (int n = 0; n < 8; ++n) {
      std::string text = "[";
      std::vector<Decimal> values;
      uint64_t count = 0;
      bool fits = true;
      for (uint32_t i = 0, size = below(5); i < size; ++i) {
        std::string number = std::to_string(below(6));
        if (below(3) == 0) number += std::vector<const char*>{".5", ".0", ".25", "e1"}[below(4)];
        const Decimal value = *Decimal::Parse(number);
        fits = fits && std::find(values.begin(), values.end(), value) == values.end();
        const bool counts = Satisfies(counted, value);
        fits = fits && (counts || Satisfies(others, value));
        count += counts;
        values.push_back(value);
        text += (i > 0 ? "," : "") + number;
      }
      fits = fits && count >= array.counters[0].limit;
      ASSERT_EQ(Accepts(*grammar, text + "]"), fits)
          << text << "] under " << (*grammar)->grammar().ToString();
      accepted += fits;
    }
    if (turn % 8 == 0) WalkAtRandom(*grammar, static_cast<uint64_t>(turn), 20);
  }
  EXPECT_GT(accepted, 20);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

// Times are far above what linear ones are, and far below those of comparing all with all.
TEST(DistinctArrays, MatchInTimeThatGrowsWithTheText) {
  const auto seconds_for = [](const std::shared_ptr<const CompiledGrammar>& grammar,
                              const std::string& text) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(Accepts(grammar, text)) << text.substr(0, 40);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::string integers = "[0";
  std::string strings = "[\"a\"";
  for (int i = 1; i < 20000; ++i) {
    integers += "," + std::to_string(i);
    strings += ",\"a" + std::to_string(i) + "\"";
  }
  Builder numbers;
  const auto any = numbers.Compile(numbers.DistinctArray(numbers.Number({})));
  ASSERT_TRUE(any.ok());
  EXPECT_LT(seconds_for(*any, integers + "]"), 5);
  EXPECT_FALSE(Accepts(*any, integers + ",10000]"));
  Builder bounded;
  const auto few = bounded.Compile(bounded.DistinctArray(bounded.Integers(0, 1000000)));
  ASSERT_TRUE(few.ok());
  EXPECT_LT(seconds_for(*few, integers + "]"), 5);
  EXPECT_FALSE(Accepts(*few, integers + ",10000]"));
  Builder texts;
  StringNode shorter;
  shorter.max_length = 12;
  const auto nested =
      texts.Compile(texts.DistinctArray(texts.DistinctArray(texts.String(shorter))));
  ASSERT_TRUE(nested.ok());
  EXPECT_LT(seconds_for(*nested, "[" + strings + "]]"), 5);
  EXPECT_FALSE(Accepts(*nested, "[" + strings + ",\"a7\"]]"));
  // Arrays of distinct items of the same kind.
  Builder deep;
  ArrayNode array;
  array.rest = deep.Add({});
  array.distinctness = ArrayNode::Distinctness::kDistinct;
  deep.grammar.arrays.push_back(array);
  deep.grammar.values[array.rest].arrays = {0};
  const auto recursive = deep.Compile(array.rest);
  ASSERT_TRUE(recursive.ok()) << recursive.status().ToString();
  const std::string open(4000, '['), close(3999, ']');
  EXPECT_LT(seconds_for(*recursive, open + close + "]"), 5);
  EXPECT_TRUE(Accepts(*recursive, "[" + open + close + "],[" + open + close + "]]]"));
  EXPECT_FALSE(Accepts(*recursive, "[" + open + close + "]," + open + close + "]]"));
}

// Every mask along `text` must say what steps say.
void CheckAlong(const std::shared_ptr<const CompiledGrammar>& grammar, const std::string& text) {
  const Vocabulary& vocabulary = grammar->vocabulary().vocabulary();
  ArrayWalk walk(grammar);
  for (size_t i = 0; i <= text.size(); ++i) {
    const std::vector<bool> mask = walk.Mask();
    for (TokenId id = 0; id < mask.size(); ++id) {
      if (vocabulary.kind(id) != TokenKind::kNormal) continue;
      const std::string token(vocabulary.bytes(id));
      EXPECT_EQ(mask[id], walk.Allows(token)) << walk.text() << " and then " << token;
    }
    if (i < text.size()) {
      ASSERT_TRUE(walk.Take(text[i])) << walk.text() << " and then " << text[i];
    }
  }
}

// Items that begin as others did, to the last byte that does not make them equal.
TEST(DistinctArrays, MasksNearSeenValuesFollowSteps) {
  std::vector<std::string> pieces = Pieces();
  for (const char* piece :
       {"a1",  "1\"",      "a\",", "ab\"]",   "ab\",\"ab", "2]",      "2,",
        "12,", "123",      "1\\",  "\\u0061", "\\u006",    "{\"a\":", "\"a\":\"ab\"",
        "1}",  "12},",     "\"}",  "b\"},{",  "true}",     "e}",      "]}",
        "1]}", ",\"b\":1", "\"b",  "},{\"a",  "\",\"ab\"", "  ",      ", \""}) {
    pieces.push_back(piece);
  }
  const auto check = [&](auto make, const std::vector<std::string>& texts) {
    for (const auto whitespace :
         {StylePolicy::Whitespace::kCompact, StylePolicy::Whitespace::kFlexible}) {
      Builder builder;
      builder.grammar.style.whitespace = whitespace;
      const auto grammar = builder.Compile(make(&builder), pieces);
      ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
      for (const std::string& text : texts) CheckAlong(*grammar, text);
    }
  };
  const std::vector<std::string> strings = {"[\"ab1\",\"a\",\"ab", "[\"\\u0061\",\"ab\",\"a",
                                            "[\"a\",\"ab\",\"\\u0061"};
  check([](Builder* b) { return b->DistinctArray(b->String({})); }, strings);
  StringNode bounded;
  bounded.max_length = 3;
  check([&](Builder* b) { return b->DistinctArray(b->String(bounded)); }, strings);
  StringNode listed;  // a, ab, ab1, ab2, b
  listed.automaton = [] {
    TextAutomaton automaton;
    automaton.labels = {0, 1, 1, 1};
    automaton.edges = {{'a', 'a', 1}, {'b', 'b', 3}, {'b', 'b', 2}, {'1', '2', 3}};
    automaton.edge_begins = {0, 2, 3, 4, 4};
    return std::make_shared<TextAutomaton>(automaton);
  }();
  std::vector<std::string> all = strings;
  all.push_back("[\"a\",\"ab\",\"ab1\",\"b\",\"ab2\"");
  all.push_back("[\"ab\",\"ab2\",\"a\",\"ab1\",\"");
  check([&](Builder* b) { return b->DistinctArray(b->String(listed)); }, all);
  check(
      [&](Builder* b) {
        ArrayNode array;
        array.rest = b->String(listed);
        array.min_items = 4;
        array.distinctness = ArrayNode::Distinctness::kDistinct;
        return b->Array(array);
      },
      all);
  check([](Builder* b) { return b->DistinctArray(b->Number({})); },
        {"[12,1,1", "[10,12,1", "[120,1.2e1,12", "[-1,1,-1"});
  check([](Builder* b) { return b->DistinctArray(b->Integers(0, 30)); }, {"[12,1,2,1", "[1,2,1"});
  const auto object = [&](Builder* b) {
    return b->DistinctArray(b->Object({{U"a", b->String({}), true},
                                       {U"b", b->Integers(0, 200), false},
                                       {U"e", b->Boolean(), false}}));
  };
  check(object, {R"([{"a":"ab1","b":12},{"a":"ab1","b":1)", R"([{"a":"ab"},{"a":"ab",)",
                 R"([{"a":"ab"},{"a":"ab)", R"([{"b":12,"a":"a"},{"a":"a","b":12)",
                 R"([{"e":true,"a":"a"},{"a":"a","e":tru)", R"([{"a":"ab"},{"a":"a"},{"a":"ab)"});
  const auto closed = [&](Builder* b) {
    return b->DistinctArray(b->Object({{U"a", b->String(listed), true}}));
  };
  check(closed, {R"([{"a":"ab1"},{"a":"ab)", R"([{"a":"ab1"},{"a":"ab2"},{"a":"ab)"});
  const auto nested = [&](Builder* b) {
    return b->DistinctArray(b->Object({{U"a", b->DistinctArray(b->String(listed)), true}}));
  };
  check(nested, {R"([{"a":["ab1","a"]},{"a":["ab1","a)", R"([{"a":[]},{"a":["a"]},{"a":["a")",
                 R"([{"a":["a"]},{"a":["ab","a)"});
}

TEST(DistinctArrays, MasksBehindOtherValuesAreShared) {
  Builder builder;
  const auto grammar = builder.Compile(builder.DistinctArray(builder.String({})), Pieces());
  ASSERT_TRUE(grammar.ok());
  ArrayWalk walk(*grammar);
  ASSERT_TRUE(walk.TakeAll("["));
  std::mt19937_64 random(7);
  size_t tail_masks = 0;
  for (int item = 0; item < 100; ++item) {
    std::string text = "\"";
    for (int i = 0; i < 14; ++i) text += "abdefilnrstux"[random() % 13];
    ASSERT_TRUE(walk.TakeAll(text.substr(0, 5)));
    for (size_t i = 5; i < text.size(); ++i) {
      const size_t before = (*grammar)->masks().size();
      walk.Mask();
      tail_masks += (*grammar)->masks().size() - before;
      ASSERT_TRUE(walk.TakeAll(text.substr(i, 1)));
    }
    ASSERT_TRUE(walk.TakeAll("\","));
  }
  EXPECT_LT(tail_masks, 10u);
}

// An item that has parted from all seen values has the masks of one before which nothing was seen.
TEST(DistinctArrays, MasksOfObjectsApartAreShared) {
  Builder builder;
  const ValueId object =
      builder.Object({{U"a", builder.String({}), true}, {U"b", builder.String({}), false}});
  const auto grammar = builder.Compile(builder.DistinctArray(object));
  ASSERT_TRUE(grammar.ok());
  ArrayWalk walk(*grammar);
  ASSERT_TRUE(walk.TakeAll("["));
  std::mt19937_64 random(7);
  for (int item = 0; item < 60; ++item) {
    std::string begin = "{\"a\":\"";
    for (int i = 0; i < 12; ++i) begin += "abdefilnrstux"[random() % 13];
    ASSERT_TRUE(walk.TakeAll(begin));
    const size_t before = (*grammar)->masks().size();
    for (const char byte : std::string("ab\",\"b\":\"1\"")) {
      walk.Mask();
      ASSERT_TRUE(walk.Take(byte));
    }
    if (item > 0) {
      EXPECT_EQ((*grammar)->masks().size(), before) << item;
    }
    ASSERT_TRUE(walk.TakeAll("},"));
  }
}

// What a token can end and begin again in part tells two items apart that go on alike.
TEST(DistinctArrays, MasksKnowItemsThatATokenBeginsAgain) {
  StringNode listed;  // ac, bc, d and anything
  listed.automaton = [] {
    TextAutomaton automaton;
    automaton.labels = {0, 0, 1, 1};
    automaton.edges = {{'a', 'b', 1}, {'d', 'd', 3}, {'c', 'c', 2}, {0, 0xD7FF, 3}};
    automaton.edge_begins = {0, 2, 3, 3, 4};
    return std::make_shared<TextAutomaton>(automaton);
  }();
  for (const bool endless : {true, false}) {
    Builder builder;
    if (!endless) {
      auto automaton = std::make_shared<TextAutomaton>(*listed.automaton);
      automaton->edges.pop_back();
      automaton->edge_begins.back() = 3;
      listed.automaton = automaton;
    }
    const auto grammar = builder.Compile(builder.DistinctArray(builder.String(listed)),
                                         {"c\",\"a", "c\",\"b", "c\",\"", "c\",\"\\", "\",\"d\""});
    ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
    for (const char* text :
         {"[\"ac\"", "[\"bc\"", "[\"d\",\"ac\",\"b", "[\"d\",\"bc\",\"a", "[\"bc\",\"ac\",\"d\""}) {
      CheckAlong(*grammar, text);
    }
  }
}

// Of several kinds one may run out while others do not: a token that opens an item of that kind
// behind the last one is refused, even if it holds no more than its quote or bracket.
TEST(DistinctArrays, MasksKnowKindsThatRunOut) {
  std::vector<std::string> pieces = Pieces();
  for (const char* piece : {"\",\"", "\", \"", "],[", "],", "},{", "}, {", "\",[", "\",{", ",\"",
                            "b\",\"", "1},{", "\"],[\"", "]]", ",["}) {
    pieces.push_back(piece);
  }
  StringNode listed;  // a, b
  listed.automaton = [] {
    TextAutomaton automaton;
    automaton.labels = {0, 1};
    automaton.edges = {{'a', 'b', 1}};
    automaton.edge_begins = {0, 1, 1};
    return std::make_shared<TextAutomaton>(automaton);
  }();
  const auto check = [&](auto make, const std::vector<std::string>& texts) {
    for (const uint32_t min_items : {0u, 3u}) {
      Builder builder;
      builder.grammar.style.whitespace = StylePolicy::Whitespace::kFlexible;
      ArrayNode array;
      array.rest = make(&builder);
      array.min_items = min_items;
      array.distinctness = ArrayNode::Distinctness::kDistinct;
      const auto grammar = builder.Compile(builder.Array(array), pieces);
      ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
      for (const std::string& text : texts) CheckAlong(*grammar, text);
    }
  };
  const std::vector<std::string> strings = {"[\"a\",\"b\"", "[1,\"b\",\"a", "[\"b\",1,\"a",
                                            "[2,1,\"a"};
  check([&](Builder* b) { return b->Either(b->String(listed), b->Number({})); }, strings);
  check([&](Builder* b) { return b->Either(b->String(listed), b->Integers(0, 5)); }, strings);
  const auto arrays = [](Builder* b, ValueId rest, uint32_t most) {
    ArrayNode array;
    array.rest = rest;
    array.max_items = most;
    return b->Array(array);
  };
  check([&](Builder* b) { return b->Either(arrays(b, b->String(listed), 1), b->String({})); },
        {"[[\"a\"],[],[\"b\"],\"a\"", "[\"a\",[\"a\"],[\"b\"],[", "[[],\"b\",[\"b\"],[\"a"});
  check(
      [&](Builder* b) {
        return b->Either(b->Object({{U"a", b->Integers(1, 1), false}}), b->Number({}));
      },
      {"[{},{\"a\":1},2", "[{\"a\":1},2,{", "[2,{\"a\":1},{}"});
}

TEST(Arrays, CountThousandsForLittle) {
  Builder builder;
  ArrayNode array;
  array.rest = builder.Integers(0, 9);
  const ValueId fives = builder.Integers(5, 5);
  array.min_items = 0;
  array.max_items = 1000000;
  array.counters = {{Counter::Kind::kAtLeast, 1000}, {Counter::Kind::kAtMost, 1000}};
  array.choices = {{{array.rest, 0}, {fives, 1}, {builder.Integers(7, 9), 2}}};
  array.conditions.resize(3);
  array.conditions[0].kind = Condition::Kind::kAtLeast;
  array.conditions[0].number = 1000;
  array.conditions[1].kind = Condition::Kind::kAtMost;
  array.conditions[1].index = 1;
  array.conditions[1].number = 1000;
  array.conditions[2].parts = {0, 1};
  const auto grammar = builder.Compile(builder.Array(array), Pieces());
  ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
  const auto start = std::chrono::steady_clock::now();
  std::string text = "[";
  for (int i = 0; i < 999; ++i) text += "5,1,";
  ArrayWalk walk(*grammar);
  ASSERT_TRUE(walk.TakeAll(text + "1"));
  EXPECT_FALSE(walk.Allows("]"));
  ASSERT_TRUE(walk.TakeAll(",5]"));
  EXPECT_TRUE(walk.IsAccepting());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Arrays, RefuseWhatWouldTakeTooLong) {
  Builder builder;
  ArrayNode array;
  array.rest = builder.String({});
  array.max_items = 5;
  array.distinctness = ArrayNode::Distinctness::kRepeated;
  const auto grammar = builder.Compile(builder.Array(array));
  EXPECT_EQ(grammar.status().code(), StatusCode::kResourceLimit);
}

}  // namespace
}  // namespace maskloom::arrays
