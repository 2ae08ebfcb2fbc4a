// Objects with many names and clauses: what is fast, what is refused, and nesting.
#include <gtest/gtest.h>

#include <string>

#include "tests/compiler/conditions/machine_walk.h"

namespace maskloom::conditions {
namespace {

using Kind = Condition::Kind;

std::u32string Name(uint32_t i) {
  const std::string name = "name" + std::to_string(i);
  return std::u32string(name.begin(), name.end());
}

// A grammar of one object whose `count` properties are all true.
Grammar ObjectOfTrue(uint32_t count) {
  Grammar grammar;
  grammar.style.whitespace = StylePolicy::Whitespace::kCompact;
  ValueNode yes;
  yes.allows_true = true;
  grammar.values.push_back(yes);
  ValueNode root;
  root.objects.push_back(0);
  root.origin = "/here";
  grammar.values.push_back(root);
  ObjectNode object;
  for (uint32_t i = 0; i < count; ++i) object.properties.push_back({Name(i), 0, false});
  grammar.objects.push_back(object);
  grammar.root = grammar.exprs.Value(1);
  return grammar;
}

uint32_t Push(ObjectNode* object, Condition condition) {
  object->conditions.push_back(std::move(condition));
  return static_cast<uint32_t>(object->conditions.size() - 1);
}

Condition Leaf(Kind kind, uint32_t index, uint64_t number = 0) {
  Condition leaf;
  leaf.kind = kind;
  leaf.index = index;
  leaf.number = number;
  return leaf;
}

Condition Whole(Kind kind, std::vector<uint32_t> parts) {
  Condition whole;
  whole.kind = kind;
  whole.parts = std::move(parts);
  return whole;
}

// Completes from the start and behind each member, for objects of true.
void CheckCompletions(const Grammar& grammar) {
  auto compiled = CompiledGrammar::Create(grammar, VocabularyIndex::Bytes());
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  MachineWalk walk(*compiled);
  std::string text = walk.Completions().at(0);
  ASSERT_TRUE(walk.Allows(text)) << text;
  while (!text.empty()) {
    ASSERT_TRUE(walk.Take(text.substr(0, 5)));
    walk.Mask();
    for (const std::string& completion : walk.Completions()) {
      ASSERT_TRUE(walk.Allows(completion)) << completion;
    }
    text.erase(0, 5);
  }
  EXPECT_TRUE(walk.IsAccepting());
}

TEST(ObjectConditions, ThirtyClausesOfPairsAreFollowed) {
  for (const bool spread : {false, true}) {
    Grammar grammar = ObjectOfTrue(64);
    ObjectNode& object = grammar.objects[0];
    std::vector<uint32_t> clauses;
    for (uint32_t i = 0; i < 30; ++i) {
      const uint32_t a = Push(&object, Leaf(Kind::kPresent, spread ? i : 2 * i));
      const uint32_t b = Push(&object, Leaf(Kind::kPresent, spread ? i + 32 : 2 * i + 1));
      clauses.push_back(Push(&object, Whole(Kind::kAny, {a, b})));
    }
    Push(&object, Whole(Kind::kAll, clauses));
    CheckCompletions(grammar);
    object.max_properties = 30;
    CheckCompletions(grammar);
    object.max_properties = 29;
    auto compiled = CompiledGrammar::Create(grammar, VocabularyIndex::Bytes());
    EXPECT_EQ(compiled.status().code(), StatusCode::kUnsatisfiable);
  }
}

TEST(ObjectConditions, ThirtyKindsDecideWhatElseIsRequired) {
  Grammar grammar = ObjectOfTrue(61);
  ObjectNode& object = grammar.objects[0];
  object.properties[0].required = true;
  object.choices.resize(61);
  std::vector<uint32_t> clauses;
  for (uint32_t i = 0; i < 30; ++i) {
    object.counters.push_back({Counter::Kind::kAtMost, 0});
    NumberNode number;
    number.spelling = NumberNode::Spelling::kPlain;
    number.one_of = {*Decimal::Parse(std::to_string(i))};
    ValueNode value;
    value.numbers.push_back(i);
    grammar.numbers.push_back(number);
    grammar.values.push_back(value);
    object.choices[0].push_back(
        {static_cast<ValueId>(grammar.values.size() - 1), uint64_t{1} << i});
    const uint32_t other = Push(&object, Leaf(Kind::kAtMost, i, 0));
    const uint32_t a = Push(&object, Leaf(Kind::kPresent, 1 + i));
    const uint32_t b = Push(&object, Leaf(Kind::kPresent, 31 + i));
    const uint32_t both = Push(&object, Whole(Kind::kAll, {a, b}));
    clauses.push_back(Push(&object, Whole(Kind::kAny, {other, both})));
  }
  ValueNode any;
  for (uint32_t i = 0; i < 30; ++i) any.numbers.push_back(i);
  grammar.values.push_back(any);
  object.properties[0].value = static_cast<ValueId>(grammar.values.size() - 1);
  Push(&object, Whole(Kind::kAll, clauses));
  auto compiled = CompiledGrammar::Create(grammar, VocabularyIndex::Bytes());
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  MachineWalk walk(*compiled);
  walk.Mask();
  EXPECT_TRUE(walk.Allows(R"({"name0":7,"name8":true,"name38":true})"));
  EXPECT_FALSE(walk.Allows(R"({"name0":7,"name8":true,"name37":true})"));
  ASSERT_TRUE(walk.Take(R"({"name4":true,"name34":true,"name0":)"));
  EXPECT_EQ(walk.Completions().size(), 1u);
  EXPECT_TRUE(walk.Allows("3}"));
  EXPECT_FALSE(walk.Allows("4}"));
  EXPECT_TRUE(walk.Allows("4,"));
  EXPECT_TRUE(walk.Allows(walk.Completions()[0]));
}

TEST(ObjectConditions, TooManyStatesAreRefusedByName) {
  // Each of 32 names asks for seven of 32 others: what was met must be remembered name by name.
  Grammar grammar = ObjectOfTrue(64);
  uint32_t draw = 1;
  ObjectNode& object = grammar.objects[0];
  std::vector<uint32_t> clauses;
  for (uint32_t i = 0; i < 32; ++i) {
    for (uint32_t j = 0; j < 7; ++j) {
      draw = draw * 1664525 + 1013904223;
      const uint32_t a = Push(&object, Leaf(Kind::kAbsent, i));
      const uint32_t b = Push(&object, Leaf(Kind::kPresent, 32 + (draw >> 16) % 32));
      clauses.push_back(Push(&object, Whole(Kind::kAny, {a, b})));
    }
  }
  Push(&object, Whole(Kind::kAll, clauses));
  auto compiled = CompiledGrammar::Create(grammar, VocabularyIndex::Bytes());
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().code(), StatusCode::kResourceLimit);
  EXPECT_NE(compiled.status().ToString().find("/here"), std::string::npos)
      << compiled.status().ToString();
}

TEST(ObjectConditions, CountersBeyondOneWordAreRefused) {
  Grammar grammar = ObjectOfTrue(1);
  ObjectNode& object = grammar.objects[0];
  object.choices.resize(1);
  std::vector<uint32_t> clauses;
  for (uint32_t i = 0; i < 10; ++i) {
    object.counters.push_back({Counter::Kind::kAtLeast, 1000});
    clauses.push_back(Push(&object, Leaf(Kind::kAtLeast, i, 1000)));
  }
  Push(&object, Whole(Kind::kAny, clauses));
  auto compiled = CompiledGrammar::Create(grammar, VocabularyIndex::Bytes());
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().code(), StatusCode::kResourceLimit);
}

// {"name0": self} or {"name1": true}: the cheap way out must be found, or completions never end.
TEST(ObjectConditions, CompletionsOfObjectsInThemselvesEnd) {
  Grammar grammar = ObjectOfTrue(2);
  ObjectNode& object = grammar.objects[0];
  object.properties[0].value = 1;
  const uint32_t a = Push(&object, Leaf(Kind::kPresent, 0));
  const uint32_t b = Push(&object, Leaf(Kind::kPresent, 1));
  Push(&object, Whole(Kind::kAny, {a, b}));
  CheckCompletions(grammar);
  auto compiled = CompiledGrammar::Create(grammar, VocabularyIndex::Bytes());
  MachineWalk walk(*compiled);
  ASSERT_TRUE(walk.Take(R"({"name0":{"name0":{)"));
  EXPECT_EQ(walk.Completions()[0], R"("name1":true}}})");
  object.properties[1].value = kNeverValue;
  EXPECT_EQ(CompiledGrammar::Create(grammar, VocabularyIndex::Bytes()).status().code(),
            StatusCode::kUnsatisfiable);
}

TEST(ObjectConditions, MillionsOfMembersAreAdmittedAtOnce) {
  Grammar grammar = ObjectOfTrue(2);
  ObjectNode& object = grammar.objects[0];
  object.other_values = {0};
  object.min_properties = 5'000'000;
  Push(&object, Leaf(Kind::kPresent, 1));
  auto compiled = CompiledGrammar::Create(grammar, VocabularyIndex::Bytes());
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  MachineWalk walk(*compiled);
  EXPECT_TRUE(walk.Take(R"({"x":true)"));
  EXPECT_FALSE(walk.Allows("}"));
  EXPECT_TRUE(walk.Allows(","));
}

TEST(ObjectConditions, ManyMembersOfUndeclaredKeysAreCounted) {
  // At least 70 members, of which at most 3 are false and at least 5 true.
  Grammar grammar = ObjectOfTrue(3);
  ObjectNode& object = grammar.objects[0];
  ValueNode no;
  no.allows_false = true;
  grammar.values.push_back(no);
  ValueNode any = no;
  any.allows_null = any.allows_true = true;
  grammar.values.push_back(any);
  ValueNode none;
  none.allows_null = true;
  grammar.values.push_back(none);
  object.min_properties = 70;
  object.counters = {{Counter::Kind::kAtMost, 3}, {Counter::Kind::kAtLeast, 5}};
  object.other_values = {3};
  object.choices = {{}, {}, {}, {{4, 0}, {0, 2}, {2, 1}}};
  const uint32_t few = Push(&object, Leaf(Kind::kAtMost, 0, 3));
  const uint32_t many = Push(&object, Leaf(Kind::kAtLeast, 1, 5));
  Push(&object, Whole(Kind::kAll, {few, many}));
  CheckCompletions(grammar);
  object.max_properties = 70;
  auto compiled = CompiledGrammar::Create(grammar, VocabularyIndex::Bytes());
  ASSERT_TRUE(compiled.ok());
  MachineWalk walk(*compiled);
  std::string text = "{";
  for (int i = 0; i < 65; ++i) text += "\"" + std::to_string(i) + "\":null,";
  ASSERT_TRUE(walk.Take(text));
  EXPECT_FALSE(walk.Allows("\"x\":null"));
  EXPECT_TRUE(walk.Allows("\"x\":true"));
  EXPECT_FALSE(walk.Allows("\"name1\""));
  EXPECT_TRUE(walk.Allows(walk.Completions()[0]));
}

}  // namespace
}  // namespace maskloom::conditions
