// Compares the number automaton with plain enumeration: all texts within a small policy, valued by
// Decimal and judged by a slow reading of the conditions, against thousands of random nodes;
// acceptance and liveness of every prefix, and the values that can follow it.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/number_automaton.h"
#include "grammar/number_conditions.h"

namespace maskloom {
namespace {

// All texts within a policy as a trie; `live` and `accepting` are filled in for one node.
class TextTrie {
 public:
  struct Entry {
    int parent;
    char byte;
    std::optional<Decimal> value;  // if the text so far is a number
    bool is_plain = true;          // neither fraction nor exponent so far
    bool accepting = false;
    bool live = false;        // by all texts
    bool spell_live = false;  // by texts whose rest is spellable
  };

  TextTrie(NumberPolicy policy, const std::string& digits) : policy_(policy), digits_(digits) {
    entries_.push_back({-1, '\0', std::nullopt, true});
    AddInteger(0);
    AddInteger(Add(0, '-'));
    for (size_t i = 0; i < entries_.size(); ++i) {
      entries_[i].value = Decimal::Parse(TextOf(static_cast<int>(i)));
    }
  }

  const std::vector<Entry>& entries() const { return entries_; }

  std::string TextOf(int at) const {
    std::string text;
    for (; at > 0; at = entries_[at].parent) text += entries_[at].byte;
    std::reverse(text.begin(), text.end());
    return text;
  }

  void Mark(const NumberNode& node, const std::bitset<256>& spellable) {
    for (Entry& entry : entries_) {
      entry.accepting = entry.value && Judge(*entry.value, node) && SpelledAs(node, entry.is_plain);
      entry.live = entry.spell_live = entry.accepting;
    }
    for (size_t i = entries_.size(); i-- > 1;) {
      Entry& parent = entries_[entries_[i].parent];
      parent.live = parent.live || entries_[i].live;
      parent.spell_live =
          parent.spell_live || (entries_[i].spell_live && spellable[uint8_t(entries_[i].byte)]);
    }
  }

  static bool SpelledAs(const NumberNode& node, bool is_plain) {
    return node.spelling == NumberNode::Spelling::kAny ||
           (node.spelling == NumberNode::Spelling::kPlain) == is_plain;
  }

  // The distinct values of accepted texts behind an entry; for small subtrees only.
  std::vector<Decimal> ValuesBehind(size_t at) const {
    std::vector<Decimal> values;
    std::vector<bool> below(entries_.size());
    below[at] = true;
    for (size_t i = at; i < entries_.size(); ++i) {
      if (i > at) below[i] = entries_[i].parent >= 0 && below[size_t(entries_[i].parent)];
      if (below[i] && entries_[i].accepting) values.push_back(*entries_[i].value);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  // Divisibility by counting in units of the smaller last place.
  static bool Divides(const Decimal& divisor, const Decimal& value) {
    if (value.IsZero()) return true;
    int64_t place = value.exponent() - static_cast<int64_t>(value.digits().size());
    int64_t divisor_place = divisor.exponent() - static_cast<int64_t>(divisor.digits().size());
    __extension__ using Wide = unsigned __int128;
    Wide a = std::stoull(value.digits());
    Wide b = std::stoull(divisor.digits());
    constexpr Wide kMost = Wide{1} << 120;
    for (; place > divisor_place; --place) {
      a = a % b * 10;  // keeps a modulo b; b is not scaled in this direction
    }
    for (; divisor_place > place; --divisor_place) {
      if (b > kMost) return false;  // far larger than the value
      b *= 10;
    }
    return a % b == 0;
  }

  static bool Judge(const Decimal& value, const NumberNode& node) {
    if (node.integer && !value.IsInteger()) return false;
    if (node.lower &&
        (value < node.lower->value || (node.lower->exclusive && value == node.lower->value))) {
      return false;
    }
    if (node.upper &&
        (value > node.upper->value || (node.upper->exclusive && value == node.upper->value))) {
      return false;
    }
    if (std::count(node.none_of.begin(), node.none_of.end(), value) > 0) return false;
    for (const Decimal& divisor : node.multiples_of) {
      if (!Divides(divisor, value)) return false;
    }
    for (const Decimal& divisor : node.no_multiples_of) {
      if (Divides(divisor, value)) return false;
    }
    return !node.one_of || std::count(node.one_of->begin(), node.one_of->end(), value) > 0;
  }

 private:
  int Add(int parent, char byte) {
    entries_.push_back(
        {parent, byte, std::nullopt,
         entries_[static_cast<size_t>(parent)].is_plain && byte != '.' && byte != 'e'});
    return static_cast<int>(entries_.size()) - 1;
  }
  void AddInteger(int parent) {
    for (char digit : digits_) {
      int at = Add(parent, digit);
      AddTail(at);
      if (digit != '0') AddDigits(at, policy_.integer_digits - 1, [&](int last) { AddTail(last); });
    }
  }
  void AddTail(int at) {
    AddExponent(at);
    AddDigits(Add(at, '.'), policy_.fraction_digits, [&](int last) { AddExponent(last); });
  }
  void AddExponent(int at) {
    int e = Add(at, 'e');
    AddDigits(e, policy_.exponent_digits, [](int) {});
    AddDigits(Add(e, '-'), policy_.exponent_digits, [](int) {});
    AddDigits(Add(e, '+'), policy_.exponent_digits, [](int) {});
  }
  template <typename Then>
  void AddDigits(int at, int64_t count, const Then& then) {
    if (count == 0) return;
    for (char digit : digits_) {
      int next = Add(at, digit);
      then(next);
      AddDigits(next, count - 1, then);
    }
  }

  NumberPolicy policy_;
  std::string digits_;
  std::vector<Entry> entries_;
};

class RandomNodes {
 public:
  explicit RandomNodes(uint32_t seed) : random_(seed) {}

  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  Decimal Number() {
    static constexpr char kDigits[] = "0123456789019550";
    std::string digits;
    int count = 1 + Below(Below(3) == 0 ? 4 : 2);
    for (int i = 0; i < count; ++i) digits += kDigits[Below(16)];
    // Also where an exponent of one digit only just reaches.
    int exponent = Below(6) - 2;
    if (Below(3) == 0) exponent = Below(24) - 12;
    if (Below(3) == 0) exponent = (Below(2) == 0 ? -10 : 9) + Below(4);
    return Decimal::FromParts(Below(3) == 0, digits, exponent);
  }

  NumberNode Node() {
    NumberNode node;
    node.integer = Below(3) == 0;
    if (Below(2) == 0) node.lower = NumberBound{Number(), Below(2) == 0};
    if (Below(2) == 0) node.upper = NumberBound{Number(), Below(2) == 0};
    if (node.lower && node.upper && Below(4) != 0 && node.upper->value < node.lower->value) {
      std::swap(node.lower->value, node.upper->value);
    }
    if (node.lower && Below(6) == 0) node.upper = NumberBound{node.lower->value, Below(4) == 0};
    if (node.lower && Below(3) == 0) {  // bounds that share digits
      const Decimal low = node.lower->value;
      std::string tail(1 + Below(2), '0');
      for (char& digit : tail) digit = static_cast<char>('0' + Below(10));
      std::string shared = low.digits().substr(0, 1 + Below(2));
      Decimal high = Decimal::FromParts(low.negative(), shared + tail, low.exponent());
      node.upper = NumberBound{high, Below(2) == 0};
      if (high < low) std::swap(node.lower->value, node.upper->value);
    }
    if (Below(4) == 0) {
      node.one_of.emplace();
      for (int i = Below(6); i >= 0; --i) node.one_of->push_back(Number());
      std::sort(node.one_of->begin(), node.one_of->end());
      node.one_of->erase(std::unique(node.one_of->begin(), node.one_of->end()), node.one_of->end());
      if (Below(2) == 0) node.lower = node.upper = std::nullopt;
    }
    if (conditions_) AddConditions(&node);
    return node;
  }

  // Lets nodes have divisors, excluded values and spellings as well.
  void WithConditions() { conditions_ = true; }

 private:
  Decimal DivisorLike() {
    static constexpr const char* kUsual[] = {"1",   "0.01", "5",    "0.5", "3",  "1.5", "10",
                                             "0.1", "2",    "0.25", "7",   "12", "100", "0.125"};
    if (Below(2) == 0) return *Decimal::Parse(kUsual[Below(14)]);
    const std::string digits = std::to_string(1 + Below(Below(2) == 0 ? 30 : 300));
    int exponent = Below(6) - 2;
    if (Below(5) == 0) exponent = Below(2) == 0 ? Below(3) - 10 : 7 + Below(5);
    return Decimal::FromParts(false, digits, exponent);
  }
  void AddConditions(NumberNode* node) {
    const auto sort = [](std::vector<Decimal>* list) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    };
    if (Below(2) == 0) {
      for (int i = Below(3); i >= 0; --i) node->multiples_of.push_back(DivisorLike());
      if (Below(2) == 0) node->multiples_of.resize(1);
      if (Below(2) == 0) node->lower = node->upper = std::nullopt;
    }
    if (Below(3) == 0) {
      for (int i = Below(3); i >= 0; --i) node->no_multiples_of.push_back(DivisorLike());
    }
    if (Below(3) == 0) {
      for (int i = Below(5); i >= 0; --i) {
        Decimal value = Number();
        if (Below(2) == 0) value = Decimal::FromInteger(Below(12) - 2);
        if (!node->multiples_of.empty() && Below(2) == 0) value = node->multiples_of[0];
        node->none_of.push_back(value);
      }
    }
    if (Below(3) == 0) {
      node->spelling =
          Below(2) == 0 ? NumberNode::Spelling::kPlain : NumberNode::Spelling::kNotPlain;
    }
    sort(&node->multiples_of);
    sort(&node->no_multiples_of);
    sort(&node->none_of);
  }

  std::mt19937 random_;
  bool conditions_ = false;
};

std::string Describe(const NumberNode& node) {
  std::string text = node.integer ? "integer" : "number";
  if (node.lower) text += (node.lower->exclusive ? " > " : " >= ") + node.lower->value.ToString();
  if (node.upper) text += (node.upper->exclusive ? " < " : " <= ") + node.upper->value.ToString();
  if (node.one_of) {
    text += " one of";
    for (const Decimal& value : *node.one_of) text += " " + value.ToString();
  }
  const auto list = [&text](const char* name, const std::vector<Decimal>& values) {
    if (!values.empty()) text += name;
    for (const Decimal& value : values) text += " " + value.ToString();
  };
  list(" none of", node.none_of);
  list(" multiple of", node.multiples_of);
  list(" no multiple of", node.no_multiples_of);
  if (node.spelling == NumberNode::Spelling::kPlain) text += " plain";
  if (node.spelling == NumberNode::Spelling::kNotPlain) text += " not plain";
  return text;
}

constexpr char kAllDigits[] = "0123456789";

// The automaton widens its policy where a node needs it; then there is nothing to compare.
bool Widens(const NumberNode& node, const NumberPolicy& policy, const TextTrie& trie) {
  return policy.WidenedForValues(node) != policy || !trie.entries()[0].spell_live;
}

// `digits` are those of the texts, `spelled` those that completions may use.
void CheckNodes(const NumberPolicy& policy, const std::string& digits, const std::string& spelled,
                int node_count, RandomNodes nodes) {
  TextTrie trie(policy, digits);
  std::bitset<256> spellable;
  for (char c : spelled + "-+.e") spellable.set(uint8_t(c));
  int compared = 0;
  std::vector<uint32_t> states(trie.entries().size());
  for (int n = 0; n < node_count; ++n) {
    NumberNode node = nodes.Node();
    trie.Mark(node, spellable);
    auto automaton = NumberAutomaton::CreateWithPolicy(node, policy, spellable);
    ASSERT_TRUE(automaton.ok()) << Describe(node);
    if (spelled == kAllDigits) {
      auto language = NumberLanguage::Create(node, policy);
      ASSERT_TRUE(language.ok());
      ASSERT_EQ(language->Live(language->Start()), trie.entries()[0].live) << Describe(node);
      const auto value = FindValue(node);
      ASSERT_TRUE(value.ok());
      ASSERT_EQ((*automaton)->empty(), !value->has_value()) << Describe(node);
      ASSERT_TRUE(!value->has_value() || TextTrie::Judge(**value, node)) << Describe(node);
    }
    if (Widens(node, policy, trie)) continue;
    ++compared;
    states[0] = (*automaton)->start();
    for (size_t i = 0; i < states.size(); ++i) {
      const TextTrie::Entry& entry = trie.entries()[i];
      if (i > 0) {
        const uint32_t before = states[entry.parent];
        states[i] = before;
        if (before == NumberAutomaton::kDead) continue;  // judged already
        states[i] = (*automaton)->Step(before, static_cast<uint8_t>(entry.byte));
      }
      const bool is_live = states[i] != NumberAutomaton::kDead;
      ASSERT_EQ(is_live, entry.spell_live)
          << Describe(node) << " after " << trie.TextOf(static_cast<int>(i));
      if (is_live) {
        ASSERT_EQ((*automaton)->accepting(states[i]), entry.accepting)
            << Describe(node) << " after " << trie.TextOf(static_cast<int>(i));
      }
    }
    // The values behind some prefixes, all of them or too many.
    for (int i = 0; i < 3; ++i) {
      const size_t at = static_cast<size_t>(nodes.Below(static_cast<int>(states.size())));
      if (states[at] == NumberAutomaton::kDead || spelled != digits) continue;
      const std::vector<Decimal> expected = trie.ValuesBehind(at);
      const size_t limit = static_cast<size_t>(nodes.Below(12));
      const std::string text = trie.TextOf(static_cast<int>(at));
      const auto values = (*automaton)->ValuesFrom(text, limit);
      ASSERT_EQ(values.has_value(), expected.size() <= limit)
          << Describe(node) << " after " << text;
      ASSERT_TRUE(!values || *values == expected) << Describe(node) << " after " << text;
    }
  }
  EXPECT_GT(compared, node_count / 4);
}

TEST(NumberBruteForce, AgreesOnOneDigitInEachPart) {
  CheckNodes({1, 1, 1}, kAllDigits, kAllDigits, 3000, RandomNodes(1));
}

TEST(NumberBruteForce, AgreesOnTwoDigitsInTheIntegerPart) {
  CheckNodes({2, 1, 1}, kAllDigits, kAllDigits, 400, RandomNodes(2));
}

TEST(NumberBruteForce, AgreesOnTwoDigitsInTheFraction) {
  CheckNodes({1, 2, 1}, kAllDigits, kAllDigits, 400, RandomNodes(3));
}

TEST(NumberBruteForce, AgreesOnTwoDigitsInTheExponent) {
  CheckNodes({1, 1, 2}, kAllDigits, kAllDigits, 400, RandomNodes(4));
}

TEST(NumberBruteForce, AgreesWhereSomeDigitsCannotBeSpelled) {
  CheckNodes({2, 2, 1}, "019", "019", 600, RandomNodes(5));
  CheckNodes({3, 2, 1}, "15", "15", 300, RandomNodes(6));
  CheckNodes({2, 2, 2}, "05", "05", 300, RandomNodes(7));
}

TEST(NumberBruteForce, BytesThatCannotBeSpelledMayStillBeStepped) {
  CheckNodes({1, 1, 1}, kAllDigits, "059", 600, RandomNodes(9));
  CheckNodes({2, 1, 1}, "0139", "13", 600, RandomNodes(10));
}

RandomNodes Conditions(uint32_t seed) {
  RandomNodes nodes(seed);
  nodes.WithConditions();
  return nodes;
}

TEST(NumberBruteForce, AllConditionsAgreeOnOneDigitInEachPart) {
  CheckNodes({1, 1, 1}, kAllDigits, kAllDigits, 3000, Conditions(21));
}

TEST(NumberBruteForce, AllConditionsAgreeOnTwoDigitsInTheIntegerPart) {
  CheckNodes({2, 1, 1}, kAllDigits, kAllDigits, 300, Conditions(22));
}

TEST(NumberBruteForce, AllConditionsAgreeOnTwoDigitsInTheFraction) {
  CheckNodes({1, 2, 1}, kAllDigits, kAllDigits, 300, Conditions(23));
}

TEST(NumberBruteForce, AllConditionsAgreeOnTwoDigitsInTheExponent) {
  CheckNodes({1, 1, 2}, kAllDigits, kAllDigits, 150, Conditions(24));
}

TEST(NumberBruteForce, AllConditionsAgreeWhereSomeDigitsCannotBeSpelled) {
  CheckNodes({2, 2, 1}, "019", "019", 600, Conditions(25));
  CheckNodes({3, 2, 1}, "15", "15", 300, Conditions(26));
  CheckNodes({1, 1, 1}, kAllDigits, "059", 600, Conditions(27));
}

// Spells `value` within `max_digits` and exponents of three digits, or returns "" on bad luck.
std::string RandomSpelling(const Decimal& value, int max_digits, RandomNodes* random) {
  if (value.IsZero()) return random->Below(2) == 0 ? "-0.0e5" : "0";
  std::string digits = value.digits();
  int64_t point = value.exponent();
  int64_t written = 0;  // the exponent
  if (random->Below(2) == 0) {
    written = random->Below(9) - 4;
    point -= written;
  }
  digits += std::string(random->Below(3), '0');
  if (point <= 0) {
    digits.insert(0, static_cast<size_t>(1 - point), '0');
    point = 1;
  }
  if (point > static_cast<int64_t>(digits.size())) digits.resize(static_cast<size_t>(point), '0');
  std::string text = value.negative() ? "-" : "";
  std::string fraction = digits.substr(static_cast<size_t>(point));
  text += digits.substr(0, static_cast<size_t>(point));
  if (point > max_digits || static_cast<int>(fraction.size()) > max_digits) return "";
  if (!fraction.empty()) text += "." + fraction;
  if (written != 0 || random->Below(4) == 0) text += "e" + std::to_string(written);
  return text;
}

TEST(NumberBruteForce, EveryPrefixOfARandomSpellingIsLive) {
  RandomNodes random = Conditions(11);
  std::bitset<256> spellable;
  spellable.set();
  int checked = 0;
  for (int n = 0; n < 4000; ++n) {
    NumberNode node = random.Node();
    const uint32_t max_digits = n % 2 == 0 ? 20 : kUnbounded;
    auto automaton = NumberAutomaton::Create(node, max_digits, spellable);
    ASSERT_TRUE(automaton.ok());
    for (int i = 0; i < 8; ++i) {
      Decimal value = random.Number();
      if (node.one_of) {
        value = (*node.one_of)[random.Below(static_cast<int>(node.one_of->size()))];
      } else if (node.lower && random.Below(2) == 0) {
        value = node.lower->value;
      }
      const std::string text = RandomSpelling(value, 20, &random);
      if (text.empty()) continue;
      ASSERT_EQ(Decimal::Parse(text), value) << text;
      const bool expected =
          TextTrie::Judge(value, node) && TextTrie::SpelledAs(node, IsPlainSpelling(text));
      uint32_t state = (*automaton)->start();
      for (size_t at = 0; at < text.size() && state != NumberAutomaton::kDead; ++at) {
        state = (*automaton)->Step(state, static_cast<uint8_t>(text[at]));
        if (expected) {
          ASSERT_NE(state, NumberAutomaton::kDead) << Describe(node) << ": " << text << " " << at;
        }
      }
      ASSERT_EQ(state != NumberAutomaton::kDead && (*automaton)->accepting(state), expected)
          << Describe(node) << ": " << text;
      checked += expected ? 1 : 0;
    }
  }
  EXPECT_GT(checked, 3000);
}

TEST(NumberBruteForce, ShortestCompletionsAreAccepted) {
  RandomNodes nodes = Conditions(8);
  std::bitset<256> spellable;
  spellable.set();
  for (int n = 0; n < 1000; ++n) {
    NumberNode node = nodes.Node();
    auto automaton = NumberAutomaton::Create(node, 8, spellable);
    ASSERT_TRUE(automaton.ok());
    uint32_t state = (*automaton)->start();
    std::string text;
    if ((*automaton)->empty()) continue;
    for (int steps = nodes.Below(12); steps > 0; --steps) {
      char byte = "0123456789-+.eE"[nodes.Below(15)];
      uint32_t next = (*automaton)->Step(state, static_cast<uint8_t>(byte));
      if (next == NumberAutomaton::kDead) continue;
      state = next;
      text += byte;
    }
    std::string whole = text + (*automaton)->ShortestFrom(state);
    std::optional<Decimal> value = Decimal::Parse(whole);
    ASSERT_TRUE(value) << Describe(node) << ": " << whole;
    EXPECT_TRUE(TextTrie::Judge(*value, node) && TextTrie::SpelledAs(node, IsPlainSpelling(whole)))
        << Describe(node) << ": " << whole;
  }
}

// Budgets of digits that are never reached make no difference, and cost nothing.
TEST(NumberBruteForce, ValuesAreTheSameWhateverManyDigitsAreAllowed) {
  const auto start = std::chrono::steady_clock::now();
  RandomNodes nodes = Conditions(31);
  std::bitset<256> spellable;
  spellable.set();
  int few = 0, many = 0;
  for (int n = 0; n < 1500; ++n) {
    const NumberNode node = nodes.Node();
    // Exponents of two digits are more than these nodes need.
    std::unique_ptr<NumberAutomaton> automata[3];
    const int64_t budgets[] = {100, 1'000'000'000, NumberPolicy::kNoLimit};
    for (int i = 0; i < 3; ++i) {
      const int64_t exponent_digits = i == 2 ? NumberPolicy::kNoLimit : 3;
      auto made = NumberAutomaton::CreateWithPolicy(node, {budgets[i], budgets[i], exponent_digits},
                                                    spellable);
      ASSERT_TRUE(made.ok()) << Describe(node) << made.status().ToString();
      automata[i] = std::move(*made);
    }
    if (automata[0]->empty()) continue;
    uint32_t states[3];
    for (int i = 0; i < 3; ++i) states[i] = automata[i]->start();
    std::string text;
    for (int steps = 0; steps < 10; ++steps) {
      const size_t limit = static_cast<size_t>(nodes.Below(12));
      const auto expected = automata[0]->ValuesFrom(text, limit);
      ++(expected ? few : many);
      for (int i = 1; i < 3; ++i) {
        ASSERT_EQ(automata[i]->ValuesFrom(text, limit), expected)
            << Describe(node) << " after " << text << " with budget " << i;
        ASSERT_EQ(automata[i]->accepting(states[i]), automata[0]->accepting(states[0])) << text;
        ASSERT_LT(automata[i]->ShortestFrom(states[i]).size(), 200u) << Describe(node) << text;
      }
      const char byte = "0123456789-+.e0123456789"[nodes.Below(24)];
      if (text.find('e') != std::string::npos && text.size() > text.find('e') + 1) break;
      uint32_t next[3];
      for (int i = 0; i < 3; ++i)
        next[i] = automata[i]->Step(states[i], static_cast<uint8_t>(byte));
      for (int i = 1; i < 3; ++i) {
        ASSERT_EQ(next[i] == NumberAutomaton::kDead, next[0] == NumberAutomaton::kDead)
            << Describe(node) << " after " << text << byte << " with budget " << i;
      }
      if (next[0] == NumberAutomaton::kDead) continue;
      std::copy(next, next + 3, states);
      text += byte;
    }
  }
  EXPECT_GT(few, 1000);
  EXPECT_GT(many, 1000);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace maskloom
