// Arrays whose items have endless values, or many: what oracles cannot try.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "compiler/mask_cache.h"
#include "grammar/number_conditions.h"
#include "grammar/regular/regular.h"
#include "tests/compiler/arrays/array_builder.h"
#include "tests/compiler/arrays/array_walk.h"

namespace maskloom::arrays {
namespace {

constexpr const char* kBytes = "\"[]{}:,-+0123456789.truefalsnbidEx\\ ";

// Its tokens are these bytes, and `pieces`.
Result<std::shared_ptr<const CompiledGrammar>> Compile(
    ArrayBuilder* builder, ValueId root, const std::vector<std::string>& pieces = {}) {
  return builder->Compile(root, VocabularyOf(kBytes, pieces));
}

bool Accepts(const std::shared_ptr<const CompiledGrammar>& grammar, const std::string& text) {
  ArrayWalk walk(grammar);
  return walk.TakeAll(text) && walk.IsAccepting();
}

TEST(DistinctArrays, CompareValuesNotSpellings) {
  ArrayBuilder builder;
  const auto numbers = Compile(&builder, builder.DistinctArray(builder.Number({})));
  ASSERT_TRUE(numbers.ok()) << numbers.status().ToString();
  EXPECT_TRUE(Accepts(*numbers, "[1,2,1.5,10,-1]"));
  for (const char* text : {"[1,1]", "[1,1.0]", "[10,1e1]", "[0,-0]", "[0.5,5e-1]", "[1,2,3,2]"}) {
    EXPECT_FALSE(Accepts(*numbers, text)) << text;
  }
  ArrayBuilder strings;
  const auto texts = Compile(&strings, strings.DistinctArray(strings.String({})));
  ASSERT_TRUE(texts.ok());
  EXPECT_TRUE(Accepts(*texts, R"(["a","aa","","b"])"));
  EXPECT_FALSE(Accepts(*texts, R"(["a","\u0061"])"));
  EXPECT_FALSE(Accepts(*texts, R"(["",""])"));
  ArrayBuilder objects;
  const ValueId any = objects.String({});
  const auto members = Compile(
      &objects, objects.DistinctArray(objects.Object({{U"a", any, false}, {U"b", any, false}})));
  ASSERT_TRUE(members.ok());
  EXPECT_TRUE(Accepts(*members, R"([{"a":"a","b":"b"},{"b":"a","a":"b"},{}])"));
  EXPECT_FALSE(Accepts(*members, R"([{"a":"a","b":"b"},{"b":"b","a":"a"}])"));
}

TEST(DistinctArrays, StopWhereValuesRunOut) {
  ArrayBuilder builder;
  const auto booleans = Compile(&builder, builder.DistinctArray(builder.Boolean()));
  ASSERT_TRUE(booleans.ok());
  ArrayWalk walk(*booleans);
  ASSERT_TRUE(walk.TakeAll("[true,"));
  EXPECT_FALSE(walk.Allows("t"));
  ASSERT_TRUE(walk.TakeAll("false"));
  EXPECT_FALSE(walk.Allows(","));
  EXPECT_TRUE(walk.Allows("]"));
}

TEST(DistinctArrays, OfTooFewValuesHaveNoText) {
  ArrayBuilder builder;
  ArrayNode array;
  array.rest = builder.Integers(1, 3);
  array.min_items = 4;
  array.distinctness = ArrayNode::Distinctness::kDistinct;
  EXPECT_EQ(Compile(&builder, builder.Array(array)).status().code(), StatusCode::kUnsatisfiable);
  ArrayBuilder enough;
  array.rest = enough.Integers(1, 4);
  const auto all = Compile(&enough, enough.Array(array));
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(Accepts(*all, "[4,1,3,2]"));
  WalkAtRandom(*all, 1, 40);
}

// Numbers with an open side are not endless where digits end soon.
TEST(DistinctArrays, OfNumbersRunOutWithTheirDigits) {
  const auto compile = [](uint64_t min_items, NumberNode number) {
    ArrayBuilder b;
    b.grammar.style.max_digits = 12;
    number.spelling = NumberNode::Spelling::kPlain;
    ArrayNode array;
    array.rest = b.Number(number);
    array.min_items = min_items;
    array.distinctness = ArrayNode::Distinctness::kDistinct;
    return Compile(&b, b.Array(array));
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
  ArrayBuilder builder;
  const auto grammar =
      Compile(&builder, builder.DistinctArray(builder.Integers(1, 1500)), Pieces());
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
    ArrayBuilder b;
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
    const auto grammar = Compile(&b, roots[seed % roots.size()], Pieces());
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
    ArrayBuilder b;
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
  ArrayBuilder numbers;
  const auto any = Compile(&numbers, numbers.DistinctArray(numbers.Number({})));
  ASSERT_TRUE(any.ok());
  EXPECT_LT(seconds_for(*any, integers + "]"), 5);
  EXPECT_FALSE(Accepts(*any, integers + ",10000]"));
  ArrayBuilder bounded;
  const auto few = Compile(&bounded, bounded.DistinctArray(bounded.Integers(0, 1000000)));
  ASSERT_TRUE(few.ok());
  EXPECT_LT(seconds_for(*few, integers + "]"), 5);
  EXPECT_FALSE(Accepts(*few, integers + ",10000]"));
  ArrayBuilder texts;
  StringNode shorter;
  shorter.max_length = 12;
  const auto nested =
      Compile(&texts, texts.DistinctArray(texts.DistinctArray(texts.String(shorter))));
  ASSERT_TRUE(nested.ok());
  EXPECT_LT(seconds_for(*nested, "[" + strings + "]]"), 5);
  EXPECT_FALSE(Accepts(*nested, "[" + strings + ",\"a7\"]]"));
  // Arrays of distinct items of the same kind.
  ArrayBuilder deep;
  ArrayNode array;
  array.rest = deep.Add({});
  array.distinctness = ArrayNode::Distinctness::kDistinct;
  deep.grammar.arrays.push_back(array);
  deep.grammar.values[array.rest].arrays = {0};
  const auto recursive = Compile(&deep, array.rest);
  ASSERT_TRUE(recursive.ok()) << recursive.status().ToString();
  const std::string open(4000, '['), close(3999, ']');
  EXPECT_LT(seconds_for(*recursive, open + close + "]"), 5);
  EXPECT_TRUE(Accepts(*recursive, "[" + open + close + "],[" + open + close + "]]]"));
  EXPECT_FALSE(Accepts(*recursive, "[" + open + close + "]," + open + close + "]]"));
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
      ArrayBuilder builder;
      builder.grammar.style.whitespace = whitespace;
      const auto grammar = Compile(&builder, make(&builder), pieces);
      ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
      for (const std::string& text : texts) CheckAlong(*grammar, text);
    }
  };
  const std::vector<std::string> strings = {"[\"ab1\",\"a\",\"ab", "[\"\\u0061\",\"ab\",\"a",
                                            "[\"a\",\"ab\",\"\\u0061"};
  check([](ArrayBuilder* b) { return b->DistinctArray(b->String({})); }, strings);
  StringNode bounded;
  bounded.max_length = 3;
  check([&](ArrayBuilder* b) { return b->DistinctArray(b->String(bounded)); }, strings);
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
  check([&](ArrayBuilder* b) { return b->DistinctArray(b->String(listed)); }, all);
  check(
      [&](ArrayBuilder* b) {
        ArrayNode array;
        array.rest = b->String(listed);
        array.min_items = 4;
        array.distinctness = ArrayNode::Distinctness::kDistinct;
        return b->Array(array);
      },
      all);
  check([](ArrayBuilder* b) { return b->DistinctArray(b->Number({})); },
        {"[12,1,1", "[10,12,1", "[120,1.2e1,12", "[-1,1,-1"});
  check([](ArrayBuilder* b) { return b->DistinctArray(b->Integers(0, 30)); },
        {"[12,1,2,1", "[1,2,1"});
  const auto object = [&](ArrayBuilder* b) {
    return b->DistinctArray(b->Object({{U"a", b->String({}), true},
                                       {U"b", b->Integers(0, 200), false},
                                       {U"e", b->Boolean(), false}}));
  };
  check(object, {R"([{"a":"ab1","b":12},{"a":"ab1","b":1)", R"([{"a":"ab"},{"a":"ab",)",
                 R"([{"a":"ab"},{"a":"ab)", R"([{"b":12,"a":"a"},{"a":"a","b":12)",
                 R"([{"e":true,"a":"a"},{"a":"a","e":tru)", R"([{"a":"ab"},{"a":"a"},{"a":"ab)"});
  const auto closed = [&](ArrayBuilder* b) {
    return b->DistinctArray(b->Object({{U"a", b->String(listed), true}}));
  };
  check(closed, {R"([{"a":"ab1"},{"a":"ab)", R"([{"a":"ab1"},{"a":"ab2"},{"a":"ab)"});
  const auto nested = [&](ArrayBuilder* b) {
    return b->DistinctArray(b->Object({{U"a", b->DistinctArray(b->String(listed)), true}}));
  };
  check(nested, {R"([{"a":["ab1","a"]},{"a":["ab1","a)", R"([{"a":[]},{"a":["a"]},{"a":["a")",
                 R"([{"a":["a"]},{"a":["ab","a)"});
}

TEST(DistinctArrays, MasksBehindOtherValuesAreShared) {
  ArrayBuilder builder;
  const auto grammar = Compile(&builder, builder.DistinctArray(builder.String({})), Pieces());
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
  ArrayBuilder builder;
  const ValueId object =
      builder.Object({{U"a", builder.String({}), true}, {U"b", builder.String({}), false}});
  const auto grammar = Compile(&builder, builder.DistinctArray(object));
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
    ArrayBuilder builder;
    if (!endless) {
      auto automaton = std::make_shared<TextAutomaton>(*listed.automaton);
      automaton->edges.pop_back();
      automaton->edge_begins.back() = 3;
      listed.automaton = automaton;
    }
    const auto grammar = Compile(&builder, builder.DistinctArray(builder.String(listed)),
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
      ArrayBuilder builder;
      builder.grammar.style.whitespace = StylePolicy::Whitespace::kFlexible;
      ArrayNode array;
      array.rest = make(&builder);
      array.min_items = min_items;
      array.distinctness = ArrayNode::Distinctness::kDistinct;
      const auto grammar = Compile(&builder, builder.Array(array), pieces);
      ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
      for (const std::string& text : texts) CheckAlong(*grammar, text);
    }
  };
  const std::vector<std::string> strings = {"[\"a\",\"b\"", "[1,\"b\",\"a", "[\"b\",1,\"a",
                                            "[2,1,\"a"};
  check([&](ArrayBuilder* b) { return b->Either(b->String(listed), b->Number({})); }, strings);
  check([&](ArrayBuilder* b) { return b->Either(b->String(listed), b->Integers(0, 5)); }, strings);
  const auto arrays = [](ArrayBuilder* b, ValueId rest, uint32_t most) {
    ArrayNode array;
    array.rest = rest;
    array.max_items = most;
    return b->Array(array);
  };
  check([&](ArrayBuilder* b) { return b->Either(arrays(b, b->String(listed), 1), b->String({})); },
        {"[[\"a\"],[],[\"b\"],\"a\"", "[\"a\",[\"a\"],[\"b\"],[", "[[],\"b\",[\"b\"],[\"a"});
  check(
      [&](ArrayBuilder* b) {
        return b->Either(b->Object({{U"a", b->Integers(1, 1), false}}), b->Number({}));
      },
      {"[{},{\"a\":1},2", "[{\"a\":1},2,{", "[2,{\"a\":1},{}"});
}

TEST(Arrays, CountThousandsForLittle) {
  ArrayBuilder builder;
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
  const auto grammar = Compile(&builder, builder.Array(array), Pieces());
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
  ArrayBuilder builder;
  ArrayNode array;
  array.rest = builder.String({});
  array.max_items = 5;
  array.distinctness = ArrayNode::Distinctness::kRepeated;
  const auto grammar = Compile(&builder, builder.Array(array));
  EXPECT_EQ(grammar.status().code(), StatusCode::kResourceLimit);
}

}  // namespace
}  // namespace maskloom::arrays
