// States are facts, interned; transitions are filled in when they are first asked for. Where some
// of the bytes that numbers are made of cannot be spelled, liveness is reachability in the graph
// of facts over the spellable ones, pruned by the exact test for all bytes.
#include "compiler/number_automaton.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/number_conditions.h"

namespace maskloom {
namespace {

constexpr std::string_view kNumberBytes = "0123456789-.eE+";
// Digits that replace "any number" where liveness has to be found by exploring.
constexpr int64_t kExploredDigits = 64;
// Completions of so many bytes are not worth a search for shorter ones.
constexpr size_t kShortText = 3;
// Facts explored for one answer; beyond, a prefix counts as dead.
constexpr size_t kExploredFacts = 50000;

Status TooLong(int64_t digits) {
  return Status(StatusCode::kResourceLimit,
                "the numbers that satisfy the conditions on a number have more than " +
                    std::to_string(digits) + " digits");
}

// Does `policy` make a text of a number longer than can be written, since the exponents that it
// allows do not reach far enough and the digits do?
Result<bool> NeedsVeryManyDigits(const NumberNode& node, const NumberPolicy& policy) {
  const bool is_plain = node.spelling == NumberNode::Spelling::kPlain;
  const int64_t largest = is_plain ? 0 : NumberPolicy::LargestOf(policy.exponent_digits);
  const auto is_long = [&](int64_t exponent, int64_t digits) {
    return exponent > largest + kMaxSolvedDigits && exponent - largest <= digits;
  };
  const int64_t fraction_digits = is_plain ? 0 : policy.fraction_digits;
  if (node.one_of) {
    return std::any_of(node.one_of->begin(), node.one_of->end(), [&](const Decimal& value) {
      return (is_long(value.exponent(), policy.integer_digits) ||
              is_long(-value.exponent(), fraction_digits)) &&
             Satisfies(node, value);
    });
  }
  if (!Satisfies(node, Decimal())) {
    // A bound keeps numbers away from zero, or near to it.
    for (const std::optional<NumberBound>* bound : {&node.lower, &node.upper}) {
      if (!*bound || (*bound)->value.IsZero()) continue;
      const bool keeps_away = (*bound)->value.negative() == (bound == &node.upper);
      if (keeps_away ? is_long((*bound)->value.exponent(), policy.integer_digits)
                     : is_long(-(*bound)->value.exponent(), fraction_digits)) {
        return true;
      }
    }
  }
  const Result<std::optional<Decimal>> divisor = RequiredDivisor(node);
  if (!divisor.ok()) return divisor.status();
  return divisor->has_value() && is_long((*divisor)->exponent(), policy.integer_digits);
}

bool HasAllBytes(const std::bitset<256>& spellable) {
  for (char c : std::string_view("0123456789-.")) {
    if (!spellable[static_cast<uint8_t>(c)]) return false;
  }
  return spellable['e'] || spellable['E'];
}

}  // namespace

NumberAutomaton::NumberAutomaton(NumberLanguage language, const std::bitset<256>& spellable)
    : spellable_(spellable),
      all_spellable_(HasAllBytes(spellable)),
      language_(std::move(language)) {
  if (IsLive(language_.Start())) start_ = Intern(language_.Start());
}

NumberAutomaton::~NumberAutomaton() {
  for (std::atomic<Node*>& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
}

Result<std::unique_ptr<NumberAutomaton>> NumberAutomaton::Create(
    const NumberNode& node, uint32_t max_digits, const std::bitset<256>& spellable) {
  NumberPolicy policy;
  if (max_digits != kUnbounded) {
    policy = {.integer_digits = std::max(max_digits, 1u),
              .fraction_digits = std::max(max_digits, 1u),
              .exponent_digits = 3};
  }
  return CreateWithPolicy(node, policy, spellable);
}

Result<std::unique_ptr<NumberAutomaton>> NumberAutomaton::CreateWithPolicy(
    const NumberNode& node, NumberPolicy policy, const std::bitset<256>& spellable) {
  const bool is_free = !node.integer && !node.lower && !node.upper && !node.one_of &&
                       node.none_of.empty() && node.multiples_of.empty() &&
                       node.no_multiples_of.empty();
  if (!is_free && !HasAllBytes(spellable)) {
    policy.integer_digits = std::min(policy.integer_digits, kExploredDigits);
    policy.fraction_digits = std::min(policy.fraction_digits, kExploredDigits);
    policy.exponent_digits = std::min<int64_t>(policy.exponent_digits, 10);
  }
  if (std::max(policy.integer_digits, policy.fraction_digits) > kMaxSolvedDigits) {
    // What no budget of digits stops is refused if it takes very many.
    const Result<std::optional<Decimal>> value = FindValue(node);
    if (!value.ok()) return value.status();
    const Result<bool> needs_many = NeedsVeryManyDigits(node, policy);
    if (!needs_many.ok()) return needs_many.status();
    if (*needs_many) return TooLong(kMaxSolvedDigits);
  }
  policy = policy.WidenedForValues(node);
  Result<std::unique_ptr<NumberAutomaton>> automaton = Make(node, policy, spellable);
  if (!automaton.ok() || !(*automaton)->empty()) return automaton;
  const Result<std::optional<Decimal>> value = FindValue(node);
  if (!value.ok()) return value.status();
  if (!value->has_value()) return automaton;
  constexpr int64_t kMostDigits = NumberLanguage::kMaxDigits;
  if (node.spelling == NumberNode::Spelling::kPlain && (*value)->exponent() > kMostDigits) {
    return TooLong(kMostDigits);
  }
  NumberPolicy wide = policy.WidenedFor(**value, node.spelling);
  if (!HasAllBytes(spellable)) {  // other numbers nearby may be spellable
    const int64_t more = static_cast<int64_t>((*value)->digits().size()) + 1;
    wide.integer_digits = std::max(wide.integer_digits, more);
    wide.fraction_digits = std::max(wide.fraction_digits, more);
  }
  return Make(node, wide, spellable);
}

Result<std::unique_ptr<NumberAutomaton>> NumberAutomaton::Make(const NumberNode& node,
                                                               const NumberPolicy& policy,
                                                               const std::bitset<256>& spellable) {
  Result<NumberLanguage> language = NumberLanguage::Create(node, policy);
  if (!language.ok()) return language.status();
  return std::unique_ptr<NumberAutomaton>(new NumberAutomaton(std::move(*language), spellable));
}

std::vector<NumberOrigin> NumberAutomaton::Origins() const {
  static constexpr std::string_view kBytes = "0123456789-+.e";  // by column
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<NumberOrigin> origins;
  std::vector<bool> known(state_count_ + 1, false);
  origins.resize(state_count_ > 0 ? state_count_ - 1 : 0);
  for (uint32_t state = 1; state <= state_count_; ++state) {
    for (size_t column = 0; column < kColumnCount; ++column) {
      const uint32_t next = NodeOf(state).next[column].load(std::memory_order_relaxed);
      if (next == kUnknown || next == kDead || next <= state || known[next]) continue;
      known[next] = true;
      origins[next - 2] = {state, static_cast<uint8_t>(kBytes[column])};
    }
  }
  return origins;
}

void NumberAutomaton::Retrace(std::span<const NumberOrigin> origins) const {
  for (const NumberOrigin& origin : origins) {
    // A file that nobody forged names states that are there.
    if (origin.from == kUnknown || origin.from > state_count()) return;
    Step(origin.from, static_cast<uint8_t>(origin.byte));
  }
}

uint32_t NumberAutomaton::state_count() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return state_count_;
}

size_t NumberAutomaton::memory_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  size_t nodes = 0;
  for (size_t chunk = 0; chunk < kChunkCount; ++chunk) {
    if (chunks_[chunk].load(std::memory_order_relaxed) != nullptr) {
      nodes += size_t{kFirstChunk} << chunk;
    }
  }
  // A map's entry has two words besides its value, and one in the table.
  constexpr size_t kEntry = sizeof(NumberFacts) + 4 * sizeof(void*);
  return sizeof(*this) + nodes * sizeof(Node) + (states_.size() + explored_.size()) * kEntry;
}

uint32_t NumberAutomaton::Intern(const NumberFacts& facts) const {
  const auto [entry, is_new] = states_.emplace(facts, state_count_ + 1);
  if (!is_new) return entry->second;
  const uint32_t state = ++state_count_;
  const uint32_t slot = state / kFirstChunk + 1;
  const size_t chunk = static_cast<size_t>(31 - __builtin_clz(slot));
  if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
    chunks_[chunk].store(new Node[size_t{kFirstChunk} << chunk], std::memory_order_release);
  }
  Node& node = NodeOf(state);
  node.accepting = language_.Accepting(facts);
  node.facts = facts;
  return state;
}

uint32_t NumberAutomaton::Resolve(uint32_t state, uint8_t byte) const {
  std::lock_guard<std::mutex> lock(mutex_);
  Node& node = NodeOf(state);
  const std::optional<NumberFacts> facts = language_.Step(node.facts, byte);
  const uint32_t next = facts && IsLive(*facts) ? Intern(*facts) : kDead;
  node.next[kColumns[byte]].store(next, std::memory_order_release);
  return next;
}

bool NumberAutomaton::IsLive(const NumberFacts& facts) const {
  if (!language_.Live(facts)) return false;
  return all_spellable_ || ExploreLive(facts);
}

bool NumberAutomaton::ExploreLive(const NumberFacts& facts) const {
  if (const auto known = explored_.find(facts); known != explored_.end()) return known->second;
  struct Visit {
    NumberFacts facts;
    size_t parent;
  };
  std::vector<Visit> visits{{facts, 0}};
  std::unordered_map<NumberFacts, bool, HashFacts> seen{{facts, true}};
  for (size_t i = 0; i < visits.size() && i < kExploredFacts; ++i) {
    const auto known = explored_.find(visits[i].facts);
    if (known != explored_.end() ? known->second : language_.Accepting(visits[i].facts)) {
      // Everything on the way here is live; of the other visits nothing is known yet.
      for (size_t at = i;; at = visits[at].parent) {
        explored_[visits[at].facts] = true;
        if (at == 0) return true;
      }
    }
    if (known != explored_.end()) continue;
    for (char c : kNumberBytes) {
      const uint8_t byte = static_cast<uint8_t>(c);
      if (!spellable_[byte]) continue;
      const std::optional<NumberFacts> next = language_.Step(visits[i].facts, byte);
      if (!next || !language_.Live(*next) || !seen.emplace(*next, true).second) continue;
      visits.push_back({*next, i});
    }
  }
  for (const Visit& visit : visits) explored_[visit.facts] = false;
  return false;
}

std::string NumberAutomaton::ShortestFrom(uint32_t state) const {
  if (accepting(state)) return std::string();
  std::string short_text;
  if (all_spellable_) {
    std::lock_guard<std::mutex> lock(mutex_);
    short_text = language_.Complete(NodeOf(state).facts);
    if (short_text.size() <= kShortText) return short_text;
  }
  const size_t most_visits = all_spellable_ ? kSearchedStates : ~size_t{0};
  struct Visit {
    uint32_t state;
    size_t parent;
    char byte;
  };
  std::vector<Visit> visits{{state, 0, '\0'}};
  std::unordered_map<uint32_t, bool> seen{{state, true}};
  for (size_t i = 0; i < visits.size() && i < most_visits; ++i) {
    if (accepting(visits[i].state)) {
      std::string text;
      for (size_t at = i; at != 0; at = visits[at].parent) text += visits[at].byte;
      std::reverse(text.begin(), text.end());
      return text;
    }
    for (char byte : kNumberBytes) {
      if (!spellable_[static_cast<uint8_t>(byte)]) continue;
      const uint32_t next = Step(visits[i].state, static_cast<uint8_t>(byte));
      if (next == kDead || !seen.emplace(next, true).second) continue;
      visits.push_back({next, i, byte});
    }
  }
  return short_text;
}

uint32_t NumberAutomaton::StateBehind(std::string_view prefix) const {
  uint32_t state = start_;
  for (size_t i = 0; i < prefix.size() && state != kDead; ++i) {
    state = Step(state, static_cast<uint8_t>(prefix[i]));
  }
  return state;
}

std::vector<Decimal> NumberAutomaton::SomeValuesFrom(std::string_view prefix, size_t count) const {
  const uint32_t state = StateBehind(prefix);
  if (state == kDead || !all_spellable_) return {};
  std::lock_guard<std::mutex> lock(mutex_);
  return language_.SomeValues(NodeOf(state).facts, prefix, count);
}

std::optional<std::vector<Decimal>> NumberAutomaton::ValuesFrom(std::string_view prefix,
                                                                size_t limit) const {
  const uint32_t state = StateBehind(prefix);
  if (state == kDead) return std::vector<Decimal>();
  if (!all_spellable_) return EnumerateFrom(state, prefix, limit);
  std::lock_guard<std::mutex> lock(mutex_);
  return language_.Values(NodeOf(state).facts, prefix, limit);
}

std::optional<std::vector<Decimal>> NumberAutomaton::EnumerateFrom(uint32_t state,
                                                                   std::string_view prefix,
                                                                   size_t limit) const {
  struct Visit {
    uint32_t state;
    std::string text;
  };
  std::vector<Visit> visits{{state, std::string(prefix)}};
  std::vector<Decimal> values;
  for (size_t i = 0; i < visits.size(); ++i) {
    if (visits.size() > kEnumeratedTexts) return std::nullopt;
    if (accepting(visits[i].state)) {
      if (const auto value = Decimal::Parse(visits[i].text)) values.push_back(*value);
    }
    for (char byte : kNumberBytes) {
      if (!spellable_[static_cast<uint8_t>(byte)]) continue;
      const uint32_t next = Step(visits[i].state, static_cast<uint8_t>(byte));
      if (next != kDead) visits.push_back({next, visits[i].text + byte});
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() > limit) return std::nullopt;
  return values;
}

}  // namespace maskloom
