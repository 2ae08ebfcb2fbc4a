// Random objects with choices, counters and conditions against plain enumeration
// (object_oracle.h): which bytes and tokens may come, where the text may end, what completes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/compiler/conditions/machine_walk.h"
#include "tests/compiler/conditions/object_oracle.h"
#include "tests/support/long_suite.h"

namespace maskloom::conditions {
namespace {

using Random = std::mt19937_64;

uint64_t Draw(Random* random, uint64_t bound) { return (*random)() % bound; }
bool OneIn(Random* random, uint64_t n) { return Draw(random, n) == 0; }

// Automaton of the letters a to z; `step(state, letter)` returns the next state or -1.
template <typename Step>
std::shared_ptr<const TextAutomaton> MakeAutomaton(std::vector<uint32_t> labels, Step step) {
  auto automaton = std::make_shared<TextAutomaton>();
  automaton->labels = std::move(labels);
  for (uint32_t state = 0; state < automaton->labels.size(); ++state) {
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      const int target = step(state, letter);
      const uint32_t c = static_cast<uint32_t>(letter);
      if (target >= 0) automaton->edges.push_back({c, c, static_cast<uint32_t>(target)});
    }
    automaton->edge_begins.push_back(static_cast<uint32_t>(automaton->edges.size()));
  }
  return automaton;
}

// Draws an object. Its names are among a, ab, b, d, dc.
class ModelMaker {
 public:
  // `plain`: with neither counters nor choices nor a condition.
  explicit ModelMaker(Random* random, bool plain = false) : random_(random), plain_(plain) {}

  ObjectModel Make() {
    model_.declared_order = OneIn(random_, 3);
    std::vector<std::u32string> names{U"a", U"ab", U"b", U"d", U"dc"};
    std::shuffle(names.begin(), names.end(), *random_);
    names.resize(1 + Draw(random_, 4));
    ObjectNode& node = model_.node;
    for (const std::u32string& name : names) {
      node.properties.push_back({name, kNeverValue, OneIn(random_, 5)});
    }
    AddOthers();
    const size_t counters = plain_ ? 0 : Draw(random_, 4);
    for (size_t i = 0; i < counters; ++i) {
      const bool at_most = OneIn(random_, 2);
      node.counters.push_back(
          {at_most ? Counter::Kind::kAtMost : Counter::Kind::kAtLeast, Draw(random_, 3)});
    }
    if (counters > 0 || (!plain_ && OneIn(random_, 4))) {
      node.choices.resize(names.size() + Classes());
    }
    for (size_t i = 0; i < names.size(); ++i) node.properties[i].value = DrawSlot(i);
    for (size_t k = 0; k < Classes(); ++k) node.other_values[k] = DrawSlot(names.size() + k);
    if (!plain_ && !OneIn(random_, 8)) DrawCondition(3);
    if (OneIn(random_, 3)) node.min_properties = Draw(random_, 4);
    if (OneIn(random_, 3)) node.max_properties = Draw(random_, 5);
    return std::move(model_);
  }

 private:
  size_t Classes() const { return model_.node.other_values.size(); }

  void AddOthers() {
    ObjectNode& node = model_.node;
    switch (Draw(random_, 6)) {
      case 0:
        return;
      case 1:  // any
        node.other_values.resize(1);
        break;
      case 2:  // d is one class, c and x another; no more
        node.other_values.resize(2);
        node.other_keys = MakeAutomaton({0, 1, 2}, [](uint32_t state, char letter) {
          if (state != 0) return -1;
          return letter == 'd' ? 1 : letter == 'c' || letter == 'x' ? 2 : -1;
        });
        break;
      case 3:  // what begins with d, and the rest
        node.other_values.resize(2);
        node.other_keys = MakeAutomaton({2, 1, 2}, [](uint32_t state, char letter) {
          return state == 0 ? (letter == 'd' ? 1 : 2) : static_cast<int>(state);
        });
        break;
      case 4:  // c alone, and the rest
        node.other_values.resize(2);
        node.other_keys = MakeAutomaton({2, 1, 2}, [](uint32_t state, char letter) {
          return state == 0 && letter == 'c' ? 1 : 2;
        });
        break;
      default:  // one class of four keys
        node.other_values.resize(1);
        node.other_keys = MakeAutomaton({0, 1, 1}, [](uint32_t state, char letter) {
          if (letter == 'c' || letter == 'x') return state == 0 ? 1 : state == 1 ? 2 : -1;
          return -1;
        });
        break;
    }
    for (const char a : {'c', 'd', 'x'}) {
      model_.other_keys.push_back({a});
      for (const char b : {'b', 'c', 'x'}) {
        model_.other_keys.push_back({a, b});
        model_.other_keys.push_back({a, b, 'x'});
        model_.other_keys.push_back({a, b, 'x', 'x'});
        model_.other_keys.push_back({a, b, 'x', 'x', 'a'});
      }
    }
  }

  ValueId AddValue(uint32_t scalars) {
    model_.values.push_back(scalars);
    return static_cast<ValueId>(model_.values.size() - 1);
  }

  // Fills the choices of a slot and returns the widest value.
  ValueId DrawSlot(size_t slot) {
    if (OneIn(random_, 12)) return kNeverValue;
    const uint32_t all = static_cast<uint32_t>(Draw(random_, 63)) + 1;
    const ValueId widest = AddValue(all);
    if (model_.node.choices.empty() || OneIn(random_, 4)) return widest;
    const uint64_t counters = uint64_t{1} << model_.node.counters.size();
    uint32_t together = 0;
    std::vector<Choice>& choices = model_.node.choices[slot];
    for (uint64_t i = Draw(random_, 3); i < 3; ++i) {
      const uint32_t part = OneIn(random_, 3) ? all : static_cast<uint32_t>(Draw(random_, 64));
      choices.push_back({part == all ? widest : AddValue(part & all), Draw(random_, counters)});
      together |= part & all;
    }
    model_.values[widest] = together;
    for (Choice& choice : choices) {
      if (choice.value == widest && together != all) choice.value = AddValue(all & together);
    }
    return widest;
  }

  uint32_t Push(Condition condition) {
    model_.node.conditions.push_back(std::move(condition));
    return static_cast<uint32_t>(model_.node.conditions.size() - 1);
  }

  uint32_t DrawCondition(int depth) {
    using Kind = Condition::Kind;
    if (depth > 0 && !OneIn(random_, 4)) {
      Condition whole;
      whole.kind = OneIn(random_, 2) ? Kind::kAll : Kind::kAny;
      for (uint64_t i = Draw(random_, 4); i < 4; ++i) {
        whole.parts.push_back(DrawCondition(depth - 1));
      }
      return Push(whole);
    }
    Condition leaf;
    const ObjectNode& node = model_.node;
    const uint64_t kind = Draw(random_, 10);
    if (kind == 0) {
      leaf.kind = Kind::kMinSize;
      leaf.number = Draw(random_, 4);
    } else if (kind == 1) {
      leaf.kind = Kind::kMaxSize;
      leaf.number = Draw(random_, 4);
    } else if (kind < 6 && !node.counters.empty()) {
      leaf.index = static_cast<uint32_t>(Draw(random_, node.counters.size()));
      const Counter& counter = node.counters[leaf.index];
      leaf.kind = counter.kind == Counter::Kind::kAtLeast ? Kind::kAtLeast : Kind::kAtMost;
      leaf.number = Draw(random_, counter.limit + 1);
    } else {
      leaf.kind = OneIn(random_, 2) ? Kind::kPresent : Kind::kAbsent;
      leaf.index = static_cast<uint32_t>(Draw(random_, node.properties.size()));
    }
    return Push(leaf);
  }

  Random* random_;
  const bool plain_;
  ObjectModel model_;
};

// Strings whose decoded text is x.
StringNode OnlyX() {
  StringNode node;
  node.automaton = MakeAutomaton(
      {0, 1}, [](uint32_t state, char letter) { return state == 0 && letter == 'x' ? 1 : -1; });
  return node;
}

Grammar EmptyGrammar(bool declared_order, StylePolicy::Whitespace whitespace) {
  Grammar grammar;
  grammar.style.whitespace = whitespace;
  if (declared_order) grammar.style.key_order = StylePolicy::KeyOrder::kDeclared;
  grammar.strings.push_back(OnlyX());
  for (const char* number : {"1", "12"}) {
    NumberNode node;
    node.spelling = NumberNode::Spelling::kPlain;
    node.one_of = {*Decimal::Parse(number)};
    grammar.numbers.push_back(node);
  }
  return grammar;
}

// Adds the object with its values, which get ids behind those that are there.
NodeId AddObject(const ObjectModel& model, Grammar* grammar) {
  const ValueId first = static_cast<ValueId>(grammar->values.size());
  for (const uint32_t scalars : model.values) {
    ValueNode value;
    value.allows_true = scalars & 1;
    value.allows_false = scalars & 2;
    value.allows_null = scalars & 4;
    if (scalars & 8) value.numbers.push_back(0);
    if (scalars & 16) value.numbers.push_back(1);
    if (scalars & 32) value.strings.push_back(0);
    grammar->values.push_back(value);
  }
  ObjectNode node = model.node;
  const auto move = [first](ValueId* value) {
    if (*value != kNeverValue) *value += first;
  };
  for (ObjectNode::Property& property : node.properties) move(&property.value);
  for (ValueId& value : node.other_values) move(&value);
  for (std::vector<Choice>& choices : node.choices) {
    for (Choice& choice : choices) move(&choice.value);
  }
  grammar->objects.push_back(std::move(node));
  return static_cast<NodeId>(grammar->objects.size() - 1);
}

void SetRoot(const std::vector<NodeId>& objects, Grammar* grammar) {
  ValueNode root;
  root.objects = objects;
  grammar->values.push_back(root);
  grammar->root = grammar->exprs.Value(static_cast<uint32_t>(grammar->values.size() - 1));
}

Grammar ToGrammar(const ObjectModel& model, StylePolicy::Whitespace whitespace) {
  Grammar grammar = EmptyGrammar(model.declared_order, whitespace);
  SetRoot({AddObject(model, &grammar)}, &grammar);
  return grammar;
}

// No backslash, so that keys and values have one spelling each.
std::shared_ptr<const VocabularyIndex> MakeVocabulary(Random* random, bool blanks) {
  std::set<std::string> tokens;
  const bool two_keys = OneIn(random, 2);  // masks are made otherwise without such tokens
  const std::string bytes = blanks ? "{}\",:abcdxtruefalsn12 \n" : "{}\",:abcdxtruefalsn12";
  for (const char byte : bytes) tokens.insert({byte});
  const std::vector<std::string> keys{"a", "ab", "b", "d", "dc", "c", "x", "cx", "dx", ""};
  for (int i = 0; i < 80; ++i) {
    std::string text = OneIn(random, 4) ? "{" : ",";
    for (int j = 0; j < 3; ++j) {
      text += (j > 0 ? ",\"" : "\"") + keys[Draw(random, keys.size())] +
              "\":" + kScalars[Draw(random, kScalars.size())];
    }
    text += OneIn(random, 2) ? "}" : ",";
    const std::string token = text.substr(Draw(random, text.size()), 2 + Draw(random, 14));
    const size_t colon = token.find(':');
    const bool two = colon < token.size() && token.find(",\"", colon) < token.size();
    if (!two || two_keys) tokens.insert(token);
  }
  std::vector<Vocabulary::Token> list;
  for (const std::string& token : tokens) list.push_back({token});
  return VocabularyIndex::Build(std::move(Vocabulary::Create(std::move(list), {}).value()));
}

size_t LongestTaken(MachineWalk* walk, const std::string& token) {
  size_t length = token.size();
  while (!walk->Allows(token.substr(0, length))) --length;
  return length;
}

void WalkAgainstOracle(const ObjectModel& model, uint64_t seed) {
  Random random(seed);
  ObjectOracle oracle(model);
  const Grammar grammar = ToGrammar(model, StylePolicy::Whitespace::kCompact);
  const std::string name = "seed " + std::to_string(seed) + "\n" + grammar.ToString();
  ASSERT_EQ(grammar.Validate(), "") << name;
  const auto vocabulary = MakeVocabulary(&random, false);
  auto compiled = CompiledGrammar::Create(grammar, vocabulary);
  ASSERT_EQ(compiled.ok(), oracle.HasText()) << name << compiled.status().ToString();
  if (!compiled.ok()) {
    ASSERT_EQ(compiled.status().code(), StatusCode::kUnsatisfiable) << name;
    return;
  }
  for (int round = 0; round < 3; ++round) {
    MachineWalk walk(*compiled);
    std::string text;
    for (int step = 0; step < 40 && !walk.IsAccepting(); ++step) {
      const std::vector<bool> mask = walk.Mask();
      std::vector<TokenId> allowed;
      for (TokenId id = 0; id < vocabulary->size(); ++id) {
        const std::string token(vocabulary->vocabulary().bytes(id));
        const bool steps = walk.Allows(token);
        ASSERT_EQ(mask[id], steps) << name << "mask behind " << text << " token " << token;
        ASSERT_EQ(steps, oracle.IsLive(text + token))
            << name << "behind " << text << " token " << token << ", of which "
            << LongestTaken(&walk, token) << " bytes are taken";
        if (steps) allowed.push_back(id);
      }
      ASSERT_FALSE(allowed.empty()) << name << text;
      for (const std::string& completion : walk.Completions()) {
        ASSERT_TRUE(oracle.Accepts(text + completion))
            << name << "behind " << text << " completion " << completion;
      }
      const TokenId chosen = allowed[Draw(&random, allowed.size())];
      const std::string_view token = vocabulary->vocabulary().bytes(chosen);
      ASSERT_TRUE(walk.Take(token));
      text += token;
      if (std::count(text.begin(), text.end(), ':') > 5) break;
      ASSERT_EQ(walk.IsAccepting(), oracle.Accepts(text)) << name << text;
    }
  }
}

TEST(ObjectConditions, StepsMasksAndCompletionsEqualEnumeration) {
  for (uint64_t seed = 0; seed < (IsLongRun() ? 10000u : 250u); ++seed) {
    Random random(seed);
    WalkAgainstOracle(ModelMaker(&random).Make(), seed);
    if (HasFatalFailure()) return;
  }
}

// Bounds on the size and required names, which ask for no search.
TEST(ObjectConditions, StepsMasksAndCompletionsEqualEnumerationWithoutConditions) {
  for (uint64_t seed = 0; seed < (IsLongRun() ? 10000u : 100u); ++seed) {
    Random random(seed);
    WalkAgainstOracle(ModelMaker(&random, true).Make(), seed);
    if (HasFatalFailure()) return;
  }
}

// Compares a grammar with itself: bits with steps, and completions with acceptance.
void CheckMasks(const Grammar& grammar, Random* random) {
  const auto vocabulary = MakeVocabulary(random, true);
  auto compiled = CompiledGrammar::Create(grammar, vocabulary);
  if (!compiled.ok()) return;
  MachineWalk walk(*compiled);
  std::string text;
  for (int step = 0; step < 30 && !walk.IsAccepting(); ++step) {
    const std::vector<bool> mask = walk.Mask();
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < vocabulary->size(); ++id) {
      const std::string_view token = vocabulary->vocabulary().bytes(id);
      ASSERT_EQ(mask[id], walk.Allows(token))
          << grammar.ToString() << "behind " << text << " token " << token;
      if (mask[id]) allowed.push_back(id);
    }
    ASSERT_FALSE(allowed.empty()) << grammar.ToString() << text;
    for (const std::string& completion : walk.Completions()) {
      ASSERT_TRUE(walk.Allows(completion)) << grammar.ToString() << text << completion;
    }
    const std::string_view token =
        vocabulary->vocabulary().bytes(allowed[Draw(random, allowed.size())]);
    ASSERT_TRUE(walk.Take(token));
    text += token;
  }
}

constexpr StylePolicy::Whitespace kStyles[] = {StylePolicy::Whitespace::kCompact,
                                               StylePolicy::Whitespace::kFlexible,
                                               StylePolicy::Whitespace::kIndent};

TEST(ObjectConditions, MasksEqualStepsInEveryStyle) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    for (const auto whitespace : kStyles) {
      Random random(seed);
      CheckMasks(ToGrammar(ModelMaker(&random).Make(), whitespace), &random);
      if (HasFatalFailure()) return;
    }
  }
}

// A text may be of either object, and members of one of them are objects again.
TEST(ObjectConditions, MasksEqualStepsInUnionsAndInside) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const ObjectModel outer = ModelMaker(&random).Make();
    const ObjectModel inner = ModelMaker(&random).Make();
    Grammar grammar = EmptyGrammar(outer.declared_order, kStyles[seed % 3]);
    const NodeId a = AddObject(outer, &grammar);
    const NodeId b = AddObject(inner, &grammar);
    for (ValueId value = 0; value < outer.values.size(); ++value) {
      if (OneIn(&random, 2)) grammar.values[value].objects = {a, b};
    }
    SetRoot({a, b}, &grammar);
    CheckMasks(grammar, &random);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace maskloom::conditions
