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
// One of each column of transitions.
constexpr std::string_view kColumnBytes = "0123456789-+.e";
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
      definition_(std::make_shared<Definition>(std::move(language))) {
  const NumberFacts facts = definition_->language.Start();
  if (IsLive(facts)) start_ = Add(facts);
}

NumberAutomaton::NumberAutomaton(std::shared_ptr<const NumberAutomaton> model)
    : spellable_(model->spellable_),
      all_spellable_(model->all_spellable_),
      start_(model->start_),
      definition_(model->definition_),
      model_(std::move(model)),
      model_states_(model_->state_count_),
      own_chunks_(ChunkOf(model_states_) + 1),
      state_count_(model_states_) {
  for (size_t chunk = 0; chunk < own_chunks_; ++chunk) {
    chunks_[chunk].store(model_->chunks_[chunk].load(std::memory_order_acquire));
  }
}

NumberAutomaton::~NumberAutomaton() {
  for (size_t chunk = own_chunks_; chunk < kChunkCount; ++chunk) {
    delete[] chunks_[chunk].load(std::memory_order_relaxed);
  }
}

std::unique_ptr<NumberAutomaton> NumberAutomaton::From(
    std::shared_ptr<const NumberAutomaton> model) {
  return std::unique_ptr<NumberAutomaton>(new NumberAutomaton(std::move(model)));
}

void NumberAutomaton::Explore(uint32_t state_count) {
  // The last chunk is filled, so that none is shared by a model and who comes from it.
  const uint32_t most_states = FirstOf(ChunkOf(state_count) + 1) - 1;
  const std::lock_guard<std::mutex> lock(definition_->mutex);
  for (uint32_t state = 1; state <= state_count_; ++state) {
    for (size_t column = 0; column < kColumnCount; ++column) {
      const std::optional<NumberFacts> facts =
          LiveFacts(NodeOf(state), static_cast<uint8_t>(kColumnBytes[column]));
      uint32_t next = facts ? Find(*facts) : kDead;
      if (next == kUnknown && state_count_ < most_states) next = Add(*facts);
      NodeOf(state).next[column].store(next, std::memory_order_release);
    }
  }
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
  const std::lock_guard<std::mutex> lock(definition_->mutex);
  return origins_;
}

void NumberAutomaton::Retrace(std::span<const NumberOrigin> origins) const {
  for (const NumberOrigin& origin : origins) {
    // A file that nobody forged names states that are there.
    if (origin.from == kUnknown || origin.from > state_count()) return;
    Step(origin.from, static_cast<uint8_t>(origin.byte));
  }
}

uint32_t NumberAutomaton::state_count() const {
  const std::lock_guard<std::mutex> lock(definition_->mutex);
  return state_count_;
}

size_t NumberAutomaton::memory_bytes() const {
  const std::lock_guard<std::mutex> lock(definition_->mutex);
  size_t nodes = 0;
  for (size_t chunk = own_chunks_; chunk < kChunkCount; ++chunk) {
    if (chunks_[chunk].load(std::memory_order_relaxed) != nullptr) {
      nodes += size_t{kFirstChunk} << chunk;
    }
  }
  // A map's entry has two words besides its value, and one in the table.
  constexpr size_t kEntry = sizeof(NumberFacts) + 4 * sizeof(void*);
  return sizeof(*this) + nodes * sizeof(Node) + origins_.capacity() * sizeof(NumberOrigin) +
         (states_.size() + explored_.size()) * kEntry + beyond_model_.size() * 6 * sizeof(void*);
}

std::optional<NumberFacts> NumberAutomaton::LiveFacts(const Node& node, uint8_t byte) const {
  std::optional<NumberFacts> facts = definition_->language.Step(node.facts, byte);
  if (facts && !IsLive(*facts)) facts.reset();
  return facts;
}

uint32_t NumberAutomaton::Find(const NumberFacts& facts) const {
  const auto own = states_.find(facts);
  if (own != states_.end()) return own->second;
  return model_ == nullptr ? kUnknown : model_->Find(facts);
}

uint32_t NumberAutomaton::Add(const NumberFacts& facts) const {
  const uint32_t state = ++state_count_;
  states_.emplace(facts, state);
  const size_t chunk = ChunkOf(state);
  if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
    chunks_[chunk].store(new Node[size_t{kFirstChunk} << chunk], std::memory_order_release);
  }
  Node& node = NodeOf(state);
  node.accepting = definition_->language.Accepting(facts);
  node.facts = facts;
  return state;
}

uint32_t NumberAutomaton::Resolve(uint32_t state, uint8_t byte) const {
  const std::lock_guard<std::mutex> lock(definition_->mutex);
  const uint8_t column = kColumns[byte];
  const bool is_models = state <= model_states_;
  const uint64_t edge = state * kColumnCount + column;
  if (is_models) {
    const auto known = beyond_model_.find(edge);
    if (known != beyond_model_.end()) return known->second;
  }
  const std::optional<NumberFacts> facts = LiveFacts(NodeOf(state), byte);
  uint32_t next = facts ? Find(*facts) : kDead;
  if (next == kUnknown) {
    next = Add(*facts);
    origins_.push_back({state, static_cast<uint8_t>(kColumnBytes[column])});
  }
  if (is_models) {
    beyond_model_.emplace(edge, next);
  } else {
    NodeOf(state).next[column].store(next, std::memory_order_release);
  }
  return next;
}

bool NumberAutomaton::IsLive(const NumberFacts& facts) const {
  if (!definition_->language.Live(facts)) return false;
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
    if (known != explored_.end() ? known->second
                                 : definition_->language.Accepting(visits[i].facts)) {
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
      const std::optional<NumberFacts> next = definition_->language.Step(visits[i].facts, byte);
      if (!next || !definition_->language.Live(*next) || !seen.emplace(*next, true).second)
        continue;
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
    const std::lock_guard<std::mutex> lock(definition_->mutex);
    short_text = definition_->language.Complete(NodeOf(state).facts);
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
  const std::lock_guard<std::mutex> lock(definition_->mutex);
  return definition_->language.SomeValues(NodeOf(state).facts, prefix, count);
}

std::optional<std::vector<Decimal>> NumberAutomaton::ValuesFrom(std::string_view prefix,
                                                                size_t limit) const {
  const uint32_t state = StateBehind(prefix);
  if (state == kDead) return std::vector<Decimal>();
  if (!all_spellable_) return EnumerateFrom(state, prefix, limit);
  const std::lock_guard<std::mutex> lock(definition_->mutex);
  return definition_->language.Values(NodeOf(state).facts, prefix, limit);
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
