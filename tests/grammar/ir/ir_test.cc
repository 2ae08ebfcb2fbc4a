// The IR's printed form (golden) and the faults that its validator names.
#include "grammar/ir.h"

#include <gtest/gtest.h>

namespace maskloom {
namespace {

Decimal Value(const char* text) { return *Decimal::Parse(text); }

// {"name": string of 1 to 10 characters, "age"?: integer 0..150, "tags"?: [string...]}
Grammar Person() {
  Grammar grammar;
  grammar.strings.push_back({nullptr, 1, 10});
  grammar.numbers.push_back({.integer = true,
                             .lower = NumberBound{Value("0"), false},
                             .upper = NumberBound{Value("150.5"), true}});
  grammar.numbers.push_back({.one_of = std::vector<Decimal>{Value("-1"), Value("2.50")}});
  ValueNode name;
  name.strings = {0};
  name.origin = "/properties/name";
  ValueNode age;
  age.allows_null = age.allows_true = true;
  age.numbers = {0, 1};
  ValueNode tags;
  tags.arrays = {0};
  ValueNode person;
  person.objects = {0};
  grammar.values = {name, age, tags, person, ValueNode{}};
  grammar.arrays.push_back({{1, kNeverValue}, 0, 0, 5});
  ObjectNode object;
  object.properties = {{U"na\"me", 0, true}, {U"\u00E4ge", 1, false}, {U"x\n", kNeverValue, false}};
  object.other_values = {2};
  object.min_properties = 1;
  grammar.objects = {object};
  grammar.root = grammar.exprs.Value(3);
  return grammar;
}

TEST(Ir, PrintsEveryNodeOnALine) {
  EXPECT_EQ(Person().Validate(), "");
  EXPECT_EQ(Person().ToString(),
            R"(style: white space flexible, up to 64 blanks; keys in any order; digits 64
root = value_3
value_0 = string_0  # /properties/name
value_1 = null | true | number_0 | number_1
value_2 = array_0
value_3 = object_0
value_4 = never
string_0 = any text length 1..10
number_0 = integer >= 0 < 150.5
number_1 = number one of {-1, 2.5}
array_0 = [value_1, never, value_0...] items 0..5
object_0 = {"na\"me": value_0, "äge"?: value_1, "x\u000a"?: never, other keys: value_2} properties 1..*
)");
}

// Person, whose object counts two things and whose array compares its items.
Grammar CountingPerson() {
  Grammar grammar = Person();
  grammar.numbers[0].spelling = NumberNode::Spelling::kPlain;
  grammar.numbers[0].none_of = {Value("7")};
  grammar.numbers[0].multiples_of = {Value("0.5"), Value("3")};
  grammar.numbers[0].no_multiples_of = {Value("10")};
  grammar.arrays[0].distinctness = ArrayNode::Distinctness::kDistinct;
  ObjectNode& object = grammar.objects[0];
  object.counters = {{Counter::Kind::kAtLeast, 2}, {Counter::Kind::kAtMost, 0}};
  object.choices = {{}, {{1, 0}, {0, 3}}, {}, {{2, 0}, {kNeverValue, 2}}};
  using Kind = Condition::Kind;
  object.conditions = {{Kind::kAtLeast, 0, 2, {}}, {Kind::kPresent, 0, 0, {}},
                       {Kind::kAny, 0, 0, {0, 1}}, {Kind::kAtMost, 1, 0, {}},
                       {Kind::kMinSize, 0, 2, {}}, {Kind::kAny, 0, 0, {}},
                       {Kind::kAbsent, 1, 0, {}},  {Kind::kAll, 0, 0, {2, 3, 4, 5, 6}}};
  return grammar;
}

TEST(Ir, PrintsCountersAndConditions) {
  const Grammar grammar = CountingPerson();
  EXPECT_EQ(grammar.Validate(), "");
  const std::string text = grammar.ToString();
  for (const char* line :
       {"number_0 = integer without fraction and exponent >= 0 < 150.5 none of {7} multiple of "
        "{0.5, "
        "3} no multiple of {10}\n",
        "array_0 = [value_1, never, value_0...] items 0..5 distinct\n",
        "\"\u00E4ge\"?: value_1 (value_1, value_0 #0 #1), ",
        "other keys: value_2 (value_2, never #1)} properties 1..* where ((#0 >= 2 or \"na\\\"me\") "
        "and #1 <= 0 and size >= 2 and false and no \"\u00E4ge\")\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
  }
}

TEST(Ir, ValidatorNamesBrokenConditions) {
  const auto fault_of = [](auto change) {
    Grammar grammar = CountingPerson();
    change(&grammar.objects[0]);
    return grammar.Validate();
  };
  EXPECT_EQ(fault_of([](ObjectNode* object) { object->conditions[0].index = 2; }),
            "object_0: condition_0 refers to counter_2, which is not there");
  EXPECT_EQ(fault_of([](ObjectNode* object) { object->conditions[0].number = 3; }),
            "object_0: condition_0 has a number beyond its counter");
  EXPECT_EQ(fault_of([](ObjectNode* object) { object->conditions[0].index = 1; }),
            "object_0: condition_0 and its counter are not of one kind");
  EXPECT_EQ(fault_of([](ObjectNode* object) { object->conditions[1].index = 3; }),
            "object_0: condition_1 refers to property_3, which is not there");
  EXPECT_EQ(fault_of([](ObjectNode* object) { object->conditions[2].parts = {2}; }),
            "object_0: condition_2 has a part that does not come before it");
  EXPECT_EQ(fault_of([](ObjectNode* object) { object->choices.pop_back(); }),
            "object_0 has choices for 3 of 4 slots");
  EXPECT_EQ(fault_of([](ObjectNode* object) { object->choices[1][0].counts = 4; }),
            "object_0 has a choice that counts what is no counter");
  EXPECT_EQ(fault_of([](ObjectNode* object) {
              object->choices[2] = {{1, 0}};
            }),
            "object_0 has a choice where it has no value");
  Grammar grammar = CountingPerson();
  grammar.numbers[0].multiples_of = {Value("0"), Value("3")};
  EXPECT_EQ(grammar.Validate(), "number_0 has a divisor that is not positive");
  grammar.numbers[0].multiples_of = {Value("3"), Value("2")};
  EXPECT_EQ(grammar.Validate(), "number_0 has divisors that are not sorted and distinct");
}

TEST(Ir, PrintsRules) {
  Grammar grammar;
  ExprId digit = grammar.exprs.Class({{'0', '9'}});
  ExprId list = grammar.exprs.Sequence({digit, grammar.exprs.Rule(0)});
  grammar.rules.push_back({"list", grammar.exprs.Choice({list, grammar.exprs.Empty()})});
  grammar.root = grammar.exprs.Rule(0);
  grammar.style.whitespace = StylePolicy::Whitespace::kIndent;
  grammar.style.key_order = StylePolicy::KeyOrder::kDeclared;
  grammar.style.max_digits = kUnbounded;
  EXPECT_EQ(grammar.Validate(), "");
  EXPECT_FALSE(grammar.IsJson());
  EXPECT_EQ(grammar.ToString(),
            "style: white space indent 2; keys in declared order; digits any\n"
            "root = rule_0\n"
            "rule_0 list = (([0-9] rule_0) | \"\")\n");
}

TEST(Ir, ValidatorNamesBrokenReferences) {
  Grammar grammar = Person();
  grammar.arrays[0].rest = 17;
  EXPECT_EQ(grammar.Validate(), "array_0 refers to value_17, which is not there");
  grammar = Person();
  grammar.values[1].numbers.push_back(9);
  EXPECT_EQ(grammar.Validate(), "value_1 refers to number_9, which is not there");
  grammar = Person();
  grammar.root = grammar.exprs.Rule(3);
  EXPECT_EQ(grammar.Validate(), "expression_1 calls rule_3, which is not there");
  grammar.root = 99;
  EXPECT_EQ(grammar.Validate(), "the root is no expression");
}

TEST(Ir, ValidatorNamesBrokenSets) {
  Grammar grammar = Person();
  grammar.objects[0].properties.push_back({U"\u00E4ge", 1, false});
  EXPECT_EQ(grammar.Validate(), "object_0 declares a key twice");
  grammar = Person();
  grammar.numbers[1].one_of->push_back(Value("2.5"));
  EXPECT_EQ(grammar.Validate(), "number_1 has values that are not sorted and distinct");
  grammar = Person();
  grammar.objects[0].other_values = {1, 2};
  EXPECT_EQ(grammar.Validate(),
            "object_0 has several values for other keys and nothing to choose by");
}

TEST(Ir, ValidatorPassesOnAnAutomatonsFault) {
  Grammar grammar = Person();
  auto automaton = std::make_shared<TextAutomaton>();
  automaton->labels = {1};
  grammar.strings[0].automaton = automaton;
  EXPECT_EQ(grammar.Validate(), "string_0: automaton: edge_begins does not cover the edges");
}

}  // namespace
}  // namespace maskloom
