// Completions of arrays whose items are compared: they end, are complete, and are short.
#include "compiler/completion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/compiler/arrays/array_builder.h"
#include "tests/compiler/arrays/array_walk.h"

namespace maskloom::arrays {
namespace {

constexpr const char* kBytes = "\"[]{}:,-+0123456789.nulabeE\\ \t\n";

struct Spaces {
  StylePolicy::Whitespace whitespace;
  uint32_t max_blanks;
};

// White space that there is a little, much or no end of.
const std::vector<Spaces>& AllSpaces() {
  static const std::vector<Spaces> spaces = {{StylePolicy::Whitespace::kCompact, 64},
                                             {StylePolicy::Whitespace::kFlexible, 64},
                                             {StylePolicy::Whitespace::kFlexible, 100000},
                                             {StylePolicy::Whitespace::kAny, 64}};
  return spaces;
}

ArrayBuilder BuilderIn(const Spaces& spaces) {
  ArrayBuilder builder;
  builder.grammar.style.whitespace = spaces.whitespace;
  builder.grammar.style.max_blanks = spaces.max_blanks;
  return builder;
}

// Checks that completions behind `text`, and of the whole, are complete, and that these are as
// short as `shortest`.
void ExpectCompletes(ArrayBuilder builder, ValueId root, const std::string& text,
                     const std::string& shortest) {
  const auto grammar = builder.Compile(root, VocabularyOf(kBytes, {}));
  ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
  ArrayWalk walk(*grammar);
  const std::string whole = ShortText((*grammar)->machine());
  EXPECT_TRUE(walk.TakeAll(whole) && walk.IsAccepting()) << whole;
  walk.Rewind(0);
  ASSERT_TRUE(walk.TakeAll(text)) << text;
  size_t length = std::string::npos;
  for (const std::string& completion : walk.Completions()) {
    EXPECT_TRUE(walk.TakeAll(completion) && walk.IsAccepting()) << text << completion;
    walk.Rewind(text.size());
    length = std::min(length, completion.size());
  }
  EXPECT_EQ(length, shortest.size()) << text << " and " << shortest;
}

TEST(ArrayCompletion, DoesNotTakeSpaceForProgressInArraysOfArrays) {
  for (const Spaces& spaces : AllSpaces()) {
    ArrayBuilder b = BuilderIn(spaces);
    const ValueId root = b.DistinctArray(b.ArrayOf(b.Letter(), 1), 3);
    ExpectCompletes(b, root, "[[]", R"(,["a"],["b"]])");
    ExpectCompletes(b, root, R"([["b"],[],)", R"(["a"]])");
  }
}

TEST(ArrayCompletion, DoesNotTakeSpaceForProgressInArraysOfObjects) {
  for (const Spaces& spaces : AllSpaces()) {
    ArrayBuilder b = BuilderIn(spaces);
    const ValueId root = b.DistinctArray(b.Object({{U"a", b.Integers(1, 2), false}}), 3);
    ExpectCompletes(b, root, "[{}", R"(,{"a":1},{"a":2}])");
    ExpectCompletes(b, root, R"([{"a":2})", R"(,{},{"a":1}])");
  }
}

TEST(ArrayCompletion, DoesNotTakeOtherSpellingsForProgress) {
  for (const Spaces& spaces : AllSpaces()) {
    ArrayBuilder b = BuilderIn(spaces);
    const ValueId root = b.DistinctArray(b.ArrayOf(b.Integers(1, 1), 3), 4);
    ExpectCompletes(b, root, "[[],[1]", ",[1,1],[1,1,1]]");
    ExpectCompletes(b, root, "[[],[1],[1.0,1],[1.00", ",1,1]]");
  }
}

TEST(ArrayCompletion, EndsBehindTheMostItemsThereAre) {
  for (const Spaces& spaces : AllSpaces()) {
    ArrayBuilder b = BuilderIn(spaces);
    const ValueId two = b.Object({{U"a", b.Integers(1, 2), false}, {U"b", b.Null(), false}});
    const ValueId root = b.DistinctArray(two, 6);
    ExpectCompletes(b, root, R"([{},{"a":1},{"b":null},{"a":2},{"a":1,"b":null},{)",
                    R"("a":2,"b":null}])");
  }
}

// Long values are far behind short ones, which other orders and spellings could be tried instead
// of.
TEST(ArrayCompletion, FindsLongValuesWhereShortOnesRunOut) {
  for (const Spaces& spaces : AllSpaces()) {
    ArrayBuilder b = BuilderIn(spaces);
    StringNode string;
    string.automaton = [] {
      TextAutomaton automaton;  // sixteen a
      automaton.edge_begins = {};
      for (uint32_t i = 0; i < 16; ++i) {
        automaton.labels.push_back(TextAutomaton::kNotAccepting);
        automaton.edges.push_back({'a', 'a', i + 1});
        automaton.edge_begins.push_back(i);
      }
      automaton.labels.push_back(1);
      for (int i = 0; i < 2; ++i) automaton.edge_begins.push_back(16);
      return std::make_shared<TextAutomaton>(automaton);
    }();
    const ValueId list = b.ArrayOf(b.String(string), 1);
    const ValueId item = b.Object({{U"a", list, true}, {U"be", b.Integers(1, 2), false}});
    const ValueId root = b.DistinctArray(item, 4);
    ExpectCompletes(b, root, R"([{"a":[]},{"a":[],"be":1},{"a":[],"be":2},)",
                    R"({"a":["aaaaaaaaaaaaaaaa"]}])");
  }
}

TEST(ArrayCompletion, ClosesAnArrayThatMayEndRatherThanFillIt) {
  for (const Spaces& spaces : AllSpaces()) {
    ArrayBuilder b = BuilderIn(spaces);
    // At least six items, or one that is an array.
    ArrayNode array;
    const ValueId item = b.ArrayOf(b.Letter(), 2);
    array.rest = item;
    array.distinctness = ArrayNode::Distinctness::kDistinct;
    array.choices = {{{item, 1}}};
    array.counters = {{Counter::Kind::kAtLeast, 1}};
    Condition size, counted, either;
    size.kind = Condition::Kind::kMinSize;
    size.number = 6;
    counted.kind = Condition::Kind::kAtLeast;
    counted.number = 1;
    either.kind = Condition::Kind::kAny;
    either.parts = {0, 1};
    array.conditions = {size, counted, either};
    const ValueId root = b.Array(array);
    ExpectCompletes(b, root, "[[]", "]");
    ExpectCompletes(b, root, R"([["a"])", "]");
  }
}

}  // namespace
}  // namespace maskloom::arrays
