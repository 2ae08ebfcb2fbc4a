#include "tests/compiler/arrays/array_oracle.h"

#include <algorithm>
#include <functional>

#include "grammar/base/utf8.h"
#include "grammar/regular/regular.h"

namespace maskloom::arrays {
namespace {

using Counts = std::vector<uint64_t>;

bool Holds(const std::vector<Condition>& conditions, const Counts& counts, uint64_t size) {
  std::vector<bool> holds;
  for (const Condition& c : conditions) {
    bool value = false;
    switch (c.kind) {
      case Condition::Kind::kAll:
        value = std::all_of(c.parts.begin(), c.parts.end(), [&](uint32_t p) { return holds[p]; });
        break;
      case Condition::Kind::kAny:
        value = std::any_of(c.parts.begin(), c.parts.end(), [&](uint32_t p) { return holds[p]; });
        break;
      case Condition::Kind::kAtLeast:
        value = counts[c.index] >= c.number;
        break;
      case Condition::Kind::kAtMost:
        value = counts[c.index] <= c.number;
        break;
      case Condition::Kind::kMinSize:
        value = size >= c.number;
        break;
      case Condition::Kind::kMaxSize:
        value = size <= c.number;
        break;
      default:
        break;
    }
    holds.push_back(value);
  }
  return holds.empty() || holds.back();
}

bool IsDistinct(std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) == values.end();
}

}  // namespace

std::optional<std::vector<JsonText>> ArrayOracle::TextsOf(ValueId id) {
  if (id == kNeverValue) return std::vector<JsonText>{};
  const auto found = known_.find(id);
  if (found != known_.end()) return found->second;
  const ValueNode& node = grammar_.values[id];
  std::set<JsonText> texts;
  if (node.allows_null) texts.insert({"null", "null"});
  if (node.allows_true) texts.insert({"true", "true"});
  if (node.allows_false) texts.insert({"false", "false"});
  for (const NodeId string : node.strings) {
    const StringNode& rules = grammar_.strings[string];
    const auto all = EnumerateTexts(*rules.automaton, 100);
    if (!all) return std::nullopt;
    for (const auto& [text, label] : *all) {
      if (text.size() < rules.min_length || text.size() > rules.max_length) continue;
      const std::string quoted = "\"" + ToUtf8(text) + "\"";
      texts.insert({quoted, quoted});
    }
  }
  for (const NodeId number : node.numbers) {
    for (const Decimal& value : *grammar_.numbers[number].one_of) {
      texts.insert({value.ToString(), value.ToString()});
      if (value.IsZero()) texts.insert({"-0", "0"});
    }
  }
  bool few = true;
  for (const NodeId array : node.arrays) {
    const auto more = TextsOfArray(grammar_.arrays[array]);
    few &= more.has_value();
    if (more) texts.insert(more->begin(), more->end());
  }
  for (const NodeId object : node.objects) {
    const auto more = TextsOfObject(grammar_.objects[object]);
    few &= more.has_value();
    if (more) texts.insert(more->begin(), more->end());
  }
  std::optional<std::vector<JsonText>> result;
  if (few && texts.size() <= max_texts_) result.emplace(texts.begin(), texts.end());
  known_[id] = result;
  return result;
}

std::optional<std::set<JsonText>> ArrayOracle::TextsOfArray(const ArrayNode& node) {
  // By slot: the items' texts with the choices that take them.
  std::vector<std::map<JsonText, std::vector<uint64_t>>> slots;
  for (size_t slot = 0; slot <= node.prefix.size(); ++slot) {
    std::vector<Choice> choices;
    if (slot < node.choices.size()) choices = node.choices[slot];
    if (choices.empty()) {
      choices.push_back({slot < node.prefix.size() ? node.prefix[slot] : node.rest, 0});
    }
    slots.emplace_back();
    for (const Choice& choice : choices) {
      const auto texts = TextsOf(choice.value);
      if (!texts) return std::nullopt;
      for (const JsonText& text : *texts) slots.back()[text].push_back(choice.counts);
    }
  }
  using Distinctness = ArrayNode::Distinctness;
  std::set<JsonText> result;
  std::vector<JsonText> items;
  size_t visited = 0;
  bool few = true;
  const std::function<void(const std::set<Counts>&)> extend = [&](const std::set<Counts>& states) {
    few &= ++visited < 40 * max_texts_ && items.size() < 8;
    if (!few) return;
    std::vector<std::string> values;
    for (const JsonText& item : items) values.push_back(item.value);
    const bool distinct = IsDistinct(values);
    if (node.distinctness == Distinctness::kDistinct && !distinct) return;
    if (items.size() > node.max_items) return;
    const bool fits = items.size() >= node.min_items &&
                      (node.distinctness != Distinctness::kRepeated || !distinct) &&
                      std::any_of(states.begin(), states.end(), [&](const Counts& counts) {
                        return Holds(node.conditions, counts, items.size());
                      });
    if (fits) {
      JsonText whole{"[", "["};
      for (size_t i = 0; i < items.size(); ++i) {
        whole.text += (i > 0 ? "," : "") + items[i].text;
        whole.value += (i > 0 ? "," : "") + items[i].value;
      }
      result.insert({whole.text + "]", whole.value + "]"});
    }
    if (items.size() == node.max_items) return;
    for (const auto& [text, choices] : slots[std::min(items.size(), node.prefix.size())]) {
      std::set<Counts> next;
      for (const Counts& counts : states) {
        for (const uint64_t bits : choices) {
          Counts more = counts;
          for (size_t i = 0; i < more.size(); ++i) more[i] += bits >> i & 1;
          next.insert(more);
        }
      }
      items.push_back(text);
      extend(next);
      items.pop_back();
    }
  };
  extend({Counts(node.counters.size(), 0)});
  if (!few || result.size() > max_texts_) return std::nullopt;
  return result;
}

std::optional<std::set<JsonText>> ArrayOracle::TextsOfObject(const ObjectNode& node) {
  struct Member {
    std::string name, text, value;
  };
  std::set<JsonText> result;
  std::vector<Member> members;
  bool few = true;
  const std::function<void()> extend = [&] {
    few &= result.size() <= max_texts_;
    if (!few) return;
    const auto has = [&](const std::string& name) {
      return std::any_of(members.begin(), members.end(),
                         [&](const Member& m) { return m.name == name; });
    };
    const bool complete = std::all_of(
        node.properties.begin(), node.properties.end(),
        [&](const ObjectNode::Property& p) { return !p.required || has(ToUtf8(p.name)); });
    if (complete && members.size() >= node.min_properties) {
      std::string text = "{";
      std::vector<std::string> values;
      for (const Member& m : members) {
        text += (text.size() > 1 ? "," : "") + ("\"" + m.name + "\":" + m.text);
        values.push_back(m.name + ":" + m.value);
      }
      std::sort(values.begin(), values.end());
      std::string value = "{";
      for (const std::string& v : values) value += v + ",";
      result.insert({text + "}", value + "}"});
    }
    if (members.size() == node.max_properties) return;
    for (const ObjectNode::Property& property : node.properties) {
      const std::string name = ToUtf8(property.name);
      if (has(name)) continue;
      const auto texts = TextsOf(property.value);
      few &= texts.has_value();
      if (!texts) return;
      for (const JsonText& text : *texts) {
        members.push_back({name, text.text, text.value});
        extend();
        members.pop_back();
      }
    }
  };
  extend();
  if (!few) return std::nullopt;
  return result;
}

namespace {

class Maker {
 public:
  Maker(const ArrayFeatures& features, std::mt19937_64* random)
      : features_(features), random_(*random) {
    grammar_.style.whitespace = StylePolicy::Whitespace::kCompact;
  }

  Grammar Make() {
    const NodeId root = MakeArray(0);
    const ValueId value = static_cast<ValueId>(grammar_.values.size());
    grammar_.values.emplace_back();
    grammar_.values.back().arrays.push_back(root);
    grammar_.root = grammar_.exprs.Value(value);
    return std::move(grammar_);
  }

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }

  ValueId MakeValue(int depth) {
    ValueNode node;
    const uint64_t kind = Below(features_.containers && depth < 2 ? 8 : 5);
    if (kind == 0 || kind == 4) {
      node.allows_true = Below(2) != 0;
      node.allows_false = Below(2) != 0;
      node.allows_null = !node.allows_true && !node.allows_false;
    }
    if (kind == 1 || kind == 4) {
      static const std::vector<std::u32string> kTexts = {U"", U"a", U"ab", U"ba", U"aa", U"abba"};
      std::vector<std::u32string> texts;
      for (const std::u32string& text : kTexts) {
        if (Below(2) != 0) texts.push_back(text);
      }
      if (texts.empty()) texts.push_back(U"b");
      StringNode string;
      string.automaton = std::make_shared<TextAutomaton>(AutomatonOfTexts(texts));
      if (Below(3) == 0) string.max_length = 2;
      node.strings.push_back(static_cast<NodeId>(grammar_.strings.size()));
      grammar_.strings.push_back(string);
    }
    if (kind == 2 || kind == 3) {
      NumberNode number;
      number.spelling = NumberNode::Spelling::kPlain;
      std::vector<Decimal> values;
      for (const int value : {-1, 0, 1, 12, 120}) {
        if (Below(2) != 0) values.push_back(Decimal::FromInteger(value));
      }
      if (values.empty()) values.push_back(Decimal::FromInteger(2));
      number.one_of = values;
      node.numbers.push_back(static_cast<NodeId>(grammar_.numbers.size()));
      grammar_.numbers.push_back(number);
    }
    if (kind == 5 || kind == 6) node.arrays.push_back(MakeArray(depth + 1));
    if (kind == 7) node.objects.push_back(MakeObject(depth + 1));
    grammar_.values.push_back(node);
    return static_cast<ValueId>(grammar_.values.size() - 1);
  }

  NodeId MakeObject(int depth) {
    ObjectNode node;
    for (const char32_t* name : {U"a", U"b"}) {
      if (Below(3) == 0) continue;
      node.properties.push_back({name, MakeValue(depth + 1), Below(2) == 0});
    }
    if (Below(4) == 0) node.min_properties = 1;
    grammar_.objects.push_back(node);
    return static_cast<NodeId>(grammar_.objects.size() - 1);
  }

  NodeId MakeArray(int depth) {
    ArrayNode node;
    for (uint64_t i = Below(3); i > 0; --i) node.prefix.push_back(MakeValue(depth));
    if (Below(5) != 0) node.rest = MakeValue(depth);
    node.min_items = Below(3) == 0 ? Below(4) : 0;
    node.max_items = node.min_items + Below(depth == 0 ? 4 : 3);
    if (features_.distinctness && Below(3) != 0) {
      node.distinctness =
          Below(4) == 0 ? ArrayNode::Distinctness::kRepeated : ArrayNode::Distinctness::kDistinct;
      if (node.distinctness == ArrayNode::Distinctness::kDistinct && Below(3) == 0) {
        node.max_items = kNoMaximum;
      }
    }
    if (features_.counters && Below(3) != 0) AddCounters(depth, &node);
    grammar_.arrays.push_back(node);
    return static_cast<NodeId>(grammar_.arrays.size() - 1);
  }

  void AddCounters(int depth, ArrayNode* node) {
    for (uint64_t i = 1 + Below(2); i > 0; --i) {
      Counter counter;
      counter.kind = Below(2) == 0 ? Counter::Kind::kAtLeast : Counter::Kind::kAtMost;
      counter.limit = Below(3);
      node->counters.push_back(counter);
    }
    for (size_t slot = 0; slot <= node->prefix.size(); ++slot) {
      node->choices.emplace_back();
      const ValueId whole = slot < node->prefix.size() ? node->prefix[slot] : node->rest;
      if (whole == kNeverValue || Below(6) == 0) continue;
      for (uint64_t i = 1 + Below(3); i > 0; --i) {
        const ValueId value = Below(2) == 0 ? whole : MakeValue(depth + 1);
        node->choices.back().push_back({value, Below(uint64_t{1} << node->counters.size())});
      }
    }
    std::vector<Condition>& conditions = node->conditions;
    const uint64_t leaves = 1 + Below(3);
    for (uint64_t i = 0; i < leaves; ++i) {
      Condition leaf;
      const uint64_t kind = Below(5);
      if (kind == 0) {
        leaf.kind = Below(2) == 0 ? Condition::Kind::kMinSize : Condition::Kind::kMaxSize;
        leaf.number = Below(4);
      } else {
        leaf.index = static_cast<uint32_t>(Below(node->counters.size()));
        const Counter& counter = node->counters[leaf.index];
        leaf.kind = counter.kind == Counter::Kind::kAtLeast ? Condition::Kind::kAtLeast
                                                            : Condition::Kind::kAtMost;
        leaf.number = Below(counter.limit + 1);
      }
      conditions.push_back(leaf);
    }
    Condition root;
    root.kind = Below(2) == 0 ? Condition::Kind::kAll : Condition::Kind::kAny;
    for (uint32_t i = 0; i < leaves; ++i) root.parts.push_back(i);
    conditions.push_back(root);
  }

  const ArrayFeatures features_;
  std::mt19937_64& random_;
  Grammar grammar_;
};

}  // namespace

Grammar RandomArrayGrammar(const ArrayFeatures& features, std::mt19937_64* random) {
  return Maker(features, random).Make();
}

}  // namespace maskloom::arrays
