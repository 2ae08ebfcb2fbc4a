// Values that are one of several arrays, of distinct items, of items of which two are equal, and
// others: masks and completions follow steps.
#include <gtest/gtest.h>

#include <random>

#include "tests/compiler/arrays/array_builder.h"
#include "tests/compiler/arrays/array_walk.h"

namespace maskloom::arrays {
namespace {

constexpr const char* kBytes = "\"[]{}:,-0123.truefalsnbx\\ \n";

// Writes random unions of arrays.
class UnionWriter {
 public:
  UnionWriter(ArrayBuilder* builder, std::mt19937_64* random)
      : builder_(*builder), random_(*random) {}

  // A union, or an array of such.
  ValueId Root() {
    const ValueId arrays = Union();
    if (OneIn(3)) return arrays;
    ArrayNode outer;
    outer.rest = arrays;
    outer.distinctness = static_cast<ArrayNode::Distinctness>(Below(3));
    return OneIn(3) ? builder_.Object({{U"b", builder_.Array(outer), true}})
                    : builder_.Array(outer);
  }

 private:
  uint64_t Below(uint64_t count) { return random_() % count; }
  bool OneIn(uint64_t count) { return Below(count) == 0; }

  // Texts of letters a and b, endless, of bounded length, or few.
  ValueId Texts() {
    StringNode string;
    switch (Below(6)) {
      case 0:
        return builder_.Letter();
      case 1:
        string.max_length = 1 + Below(3);
        return builder_.String(string);
      case 2:
        return builder_.String(string);
      default:
        break;
    }
    TextAutomaton automaton;  // a, or some b
    automaton.labels = {0, 1, 1};
    automaton.edges = {{'a', 'a', 1}, {'b', 'b', 2}, {'b', 'b', 2}};
    automaton.edge_begins = {0, 2, 2, 3};
    string.automaton = std::make_shared<TextAutomaton>(automaton);
    string.min_length = Below(3);
    if (OneIn(2)) string.max_length = 2 + Below(50);
    return builder_.String(string);
  }
  ValueId Numbers() { return OneIn(2) ? builder_.Integers(0, 3) : builder_.Number({}); }
  ValueId Others() {
    switch (Below(3)) {
      case 0:
        return builder_.Boolean();
      case 1:
        return builder_.DistinctArray(OneIn(2) ? Texts() : Numbers());
      default:
        return builder_.Object({{U"a", OneIn(2) ? Texts() : Numbers(), OneIn(2)}});
    }
  }
  ValueId Item() {
    switch (Below(4)) {
      case 0:
        return Texts();
      case 1:
        return Numbers();
      case 2:
        return Others();
      default:
        return builder_.Either(Texts(), Numbers());
    }
  }

  ValueId OneArray() {
    ArrayNode array;
    array.rest = Item();
    array.distinctness = static_cast<ArrayNode::Distinctness>(Below(3));
    if (OneIn(4)) array.prefix.push_back(Item());
    if (OneIn(3)) array.min_items = 1 + Below(2);
    const bool repeated = array.distinctness == ArrayNode::Distinctness::kRepeated;
    if (OneIn(4) && !repeated) array.max_items = 2 + Below(2);
    if (OneIn(3)) Count(&array);
    return builder_.Array(array);
  }
  // Some items are counted, as `contains` has it.
  void Count(ArrayNode* array) {
    const ValueId some = OneIn(2) ? Texts() : Numbers();
    const bool at_least = !OneIn(3);
    const uint64_t number = at_least ? 1 + Below(2) : Below(2);
    array->prefix.clear();
    array->counters = {{at_least ? Counter::Kind::kAtLeast : Counter::Kind::kAtMost, number}};
    array->choices = {{{array->rest, 0}, {some, 1}}};
    Condition counted;
    counted.kind = at_least ? Condition::Kind::kAtLeast : Condition::Kind::kAtMost;
    counted.number = number;
    array->conditions = {counted};
    if (!OneIn(2)) return;
    Condition size, either;
    size.kind = OneIn(2) ? Condition::Kind::kMaxSize : Condition::Kind::kMinSize;
    size.number = 2;
    either.kind = Condition::Kind::kAny;
    either.parts = {0, 1};
    array->conditions = {counted, size, either};
  }

  ValueId Union() {
    ValueId all = OneArray();
    for (uint64_t more = 1 + Below(2); more > 0; --more) all = builder_.Either(all, OneArray());
    return all;
  }

  ArrayBuilder& builder_;
  std::mt19937_64& random_;
};

std::vector<std::string> UnionPieces() {
  std::vector<std::string> pieces = Pieces();
  for (const char* piece :
       {"[\"a",    "[\"a\"]",   "\"]",      "1]",           ",1]",    ",\"a\"]", "\",\"b\"]",
        "[1,1]",   "[[1",       "]]",       "1],[1]",       "],[\"a", "true]",   ",[],",
        "[[],[]]", ",[1]]",     "2]]",      "a\"]]",        " ]",     "{\"a\":", "}]",
        "\"a\"}",  "\"a\":1}]", "\"b\"],[", "[\"b\",\"b\"", "bb"}) {
    pieces.push_back(piece);
  }
  return pieces;
}

TEST(ArrayUnions, MasksAndCompletionsFollowSteps) {
  const auto vocabulary = VocabularyOf(kBytes, UnionPieces());
  size_t compiled = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    ArrayBuilder builder;
    if (seed % 3 == 0) builder.grammar.style.whitespace = StylePolicy::Whitespace::kFlexible;
    if (seed % 7 == 0) builder.grammar.style.whitespace = StylePolicy::Whitespace::kIndent;
    const ValueId root = UnionWriter(&builder, &random).Root();
    const auto grammar = builder.Compile(root, vocabulary);
    if (!grammar.ok()) continue;  // of too few values, or too many to compare
    ++compiled;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + (*grammar)->grammar().ToString());
    for (uint64_t turn = 0; turn < 3; ++turn) WalkAtRandom(*grammar, 10 * seed + turn, 40);
    if (HasFailure()) return;
  }
  EXPECT_GT(compiled, 80u);
}

// What holds of an array may not hold of a longer one: at most one item, or three letters of two.
TEST(ArrayUnions, EndWhereMoreItemsWouldBreakTheirCondition) {
  ArrayBuilder builder;
  ArrayNode array;
  array.rest = builder.Letter();
  array.distinctness = ArrayNode::Distinctness::kDistinct;
  array.choices = {{{array.rest, 1}}};
  array.counters = {{Counter::Kind::kAtLeast, 3}};
  Condition size, counted, either;
  size.kind = Condition::Kind::kMaxSize;
  size.number = 1;
  counted.kind = Condition::Kind::kAtLeast;
  counted.number = 3;
  either.kind = Condition::Kind::kAny;
  either.parts = {0, 1};
  array.conditions = {size, counted, either};
  const auto grammar = builder.Compile(builder.Array(array), VocabularyOf(kBytes, UnionPieces()));
  ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
  CheckAlong(*grammar, R"(["a")");
  ArrayWalk walk(*grammar);
  ASSERT_TRUE(walk.TakeAll(R"(["a")"));
  EXPECT_FALSE(walk.Allows(","));
  EXPECT_TRUE(walk.Allows("]"));
}

// Texts of bounded length do not run out if there are as many as no array holds.
TEST(ArrayUnions, ManyBoundedTextsNeverRunOut) {
  const auto never_runs_out = [](uint64_t min_length, uint64_t max_length, bool is_any) {
    ArrayBuilder builder;
    StringNode string;
    string.min_length = min_length;
    string.max_length = max_length;
    if (!is_any) {
      TextAutomaton automaton;  // of a and b
      automaton.labels = {1};
      automaton.edges = {{'a', 'b', 0}};
      automaton.edge_begins = {0, 1};
      string.automaton = std::make_shared<TextAutomaton>(automaton);
    }
    const auto grammar =
        builder.Compile(builder.DistinctArray(builder.String(string)), VocabularyOf(kBytes, {}));
    EXPECT_TRUE(grammar.ok()) << grammar.status().ToString();
    return grammar.ok() && (*grammar)->machine().array(0).never_runs_out;
  };
  EXPECT_TRUE(never_runs_out(3, kNoMaximum, false));
  EXPECT_TRUE(never_runs_out(0, 36, false));
  EXPECT_TRUE(never_runs_out(36, 36, false));
  EXPECT_FALSE(never_runs_out(0, 34, false));
  EXPECT_FALSE(never_runs_out(35, 35, false));
  EXPECT_TRUE(never_runs_out(0, 12, true));
  EXPECT_FALSE(never_runs_out(0, 2, true));
}

}  // namespace
}  // namespace maskloom::arrays
