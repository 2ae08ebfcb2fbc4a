// The bytes of JSON numbers that satisfy a number node, as a lazily built automaton.
//
// A state is a number (the start is 1); it stands for the canonical facts of a prefix
// (number_language.h), so prefixes with equal futures share it. Invariants:
//  1. every state that Step returns is live: some completion of spellable bytes is accepted;
//  2. equal facts have equal state numbers, and a state number never changes its meaning;
//  3. the number of states is bounded by the digits that the policy allows, not by texts; divisors
//     multiply it by their remainders, but states are made only where they are met. Where
//     max_digits is unbounded, a number without conditions has nine states; integrality, bounds,
//     divisors and listed values then need the exact count of digits (the language is not
//     regular), one state a length that is met.
//
// The style policy: at most `max_digits` digits in the integer part and in the fraction, exponents
// of at most three digits. The policy widens by itself where it would lose values: to as many
// digits as a value of one_of needs, and, if no number that satisfies the node fits, to as many as
// some number needs that does. So only a node that no number satisfies is empty.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/number_language.h"
#include "grammar/base/decimal.h"
#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

// How a state came to be: `byte` led to it from a state that was there before.
struct NumberOrigin {
  uint32_t from;
  uint32_t byte;
};

// Thread safety: all const calls from any thread. Known transitions are read without a lock; a
// mutex guards the making of new states.
class NumberAutomaton {
 public:
  static constexpr uint32_t kDead = 0xFFFFFFFF;

  // `max_digits` as StylePolicy has it; `spellable` are the bytes that completions may use.
  // On error: kResourceLimit for bounds, values, divisors or common multiples of divisors of more
  // than NumberLanguage::kMaxDigits digits, and where the policy allows so many digits, and no
  // exponents to shorten them, that some texts would take more than kMaxSolvedDigits.
  // Cost: microseconds; n log n in the values of one_of and none_of.
  static Result<std::unique_ptr<NumberAutomaton>> Create(const NumberNode& node,
                                                         uint32_t max_digits,
                                                         const std::bitset<256>& spellable);
  // As above with a policy of the caller's.
  static Result<std::unique_ptr<NumberAutomaton>> CreateWithPolicy(
      const NumberNode& node, NumberPolicy policy, const std::bitset<256>& spellable);

  // An automaton of the same numbers as `model`, which never changes again: what that knows of its
  // states need not be found out once more, and they have the same numbers. Cost: no states.
  static std::unique_ptr<NumberAutomaton> From(std::shared_ptr<const NumberAutomaton> model);
  // Makes this a model: its first states by length, or all if there are no more than about
  // `state_count`. Always the same ones. Requires: nobody else uses it yet.
  void Explore(uint32_t state_count);

  ~NumberAutomaton();
  NumberAutomaton(const NumberAutomaton&) = delete;
  NumberAutomaton& operator=(const NumberAutomaton&) = delete;

  // Can `byte` be part of a number?
  static bool IsNumberByte(uint8_t byte) { return kColumns[byte] != kNoColumn; }

  // Returns the state of the empty prefix, or kDead if empty().
  uint32_t start() const { return start_; }
  bool empty() const { return start_ == kDead; }

  // Returns the state behind `byte`, or kDead if no completion of spellable bytes is left.
  // Requires: `state` is start() or was returned by Step, and is not kDead.
  // Cost: two loads once the transition is known, else around a microsecond.
  uint32_t Step(uint32_t state, uint8_t byte) const {
    const uint8_t column = kColumns[byte];
    if (column == kNoColumn) return kDead;
    const uint32_t next = NodeOf(state).next[column].load(std::memory_order_acquire);
    return next != kUnknown ? next : Resolve(state, byte);
  }
  bool accepting(uint32_t state) const { return NodeOf(state).accepting; }

  // Returns how many digits the policy leaves to the part that `state` is in, if that is an integer
  // part (not "0") or a fraction, else 0. Conditions may leave fewer.
  int64_t DigitsLeft(uint32_t state) const {
    const NumberFacts& facts = NodeOf(state).facts;
    const bool in_digits =
        facts.phase == NumberPhase::kInteger || facts.phase == NumberPhase::kFraction;
    return in_digits ? facts.digits_left : 0;
  }
  bool InFraction(uint32_t state) const {
    return NodeOf(state).facts.phase == NumberPhase::kFraction;
  }

  // Returns a short completion of spellable bytes, "" if accepting(state): where few states lead
  // there, no other is much shorter. Requires: as for Step.
  // Cost: breadth-first over at most kSearchedStates states behind `state`, else arithmetic.
  std::string ShortestFrom(uint32_t state) const;
  static constexpr size_t kSearchedStates = 64;

  // Returns the distinct values, ascending, of all numbers that begin with `prefix` and are
  // accepted, if there are at most `limit`; else nothing. Spellings of one value count once: 1,
  // 1.0, 1e0. (States do not tell values: prefixes whose futures are alike share one.)
  // Example: integers from -1 up, prefix "-": {-1, 0}.
  // A prefix that is not live has no values. Where some bytes of numbers are not spellable, the
  // texts are enumerated, and nothing is returned when there are more than kEnumeratedTexts.
  // Cost: linear in `limit` and in the digits of the conditions, not in those that the policy
  // allows.
  std::optional<std::vector<Decimal>> ValuesFrom(std::string_view prefix, size_t limit) const;
  static constexpr size_t kEnumeratedTexts = 20000;
  // Returns some of these values, at most `count`; perhaps none. Cost: linear in `count`.
  std::vector<Decimal> SomeValuesFrom(std::string_view prefix, size_t count) const;

  // Returns the origins of all states but the first, and those of the model, in their order.
  std::vector<NumberOrigin> Origins() const;
  // Makes the states of `origins`. Requires: they are of an automaton of the same node, policy,
  // bytes and model, and this one has no states yet that need an origin.
  void Retrace(std::span<const NumberOrigin> origins) const;

  // Number of states made so far.
  uint32_t state_count() const;
  // Bytes of this object and of what it has made so far, but for lists in its definition and for
  // its model.
  size_t memory_bytes() const;

 private:
  static constexpr uint32_t kUnknown = 0;
  static constexpr uint8_t kNoColumn = 0xFF;
  static constexpr size_t kColumnCount = 14;  // ten digits, '-', '+', '.', 'e' with 'E'
  static constexpr std::array<uint8_t, 256> kColumns = [] {
    std::array<uint8_t, 256> columns{};
    columns.fill(kNoColumn);
    for (int digit = 0; digit < 10; ++digit) columns['0' + digit] = static_cast<uint8_t>(digit);
    columns['-'] = 10;
    columns['+'] = 11;
    columns['.'] = 12;
    columns['e'] = columns['E'] = 13;
    return columns;
  }();
  // Chunk i holds kFirstChunk << i nodes and never moves.
  static constexpr uint32_t kFirstChunk = 4;
  static constexpr size_t kChunkCount = 29;

  struct Node {
    std::array<std::atomic<uint32_t>, kColumnCount> next{};
    bool accepting = false;
    NumberFacts facts;
  };
  struct HashFacts {
    size_t operator()(const NumberFacts& facts) const { return facts.Hash(); }
  };

  static Result<std::unique_ptr<NumberAutomaton>> Make(const NumberNode& node,
                                                       const NumberPolicy& policy,
                                                       const std::bitset<256>& spellable);
  // What decides about prefixes; it finds out more when it is asked. Shared with the model.
  struct Definition {
    explicit Definition(NumberLanguage numbers) : language(std::move(numbers)) {}
    std::mutex mutex;  // also of those who make states by it
    NumberLanguage language;
  };

  NumberAutomaton(NumberLanguage language, const std::bitset<256>& spellable);
  explicit NumberAutomaton(std::shared_ptr<const NumberAutomaton> model);
  static size_t ChunkOf(uint32_t state) {
    return static_cast<size_t>(31 - __builtin_clz(state / kFirstChunk + 1));
  }
  static uint32_t FirstOf(size_t chunk) { return ((1u << chunk) - 1) * kFirstChunk; }
  Node& NodeOf(uint32_t state) const {
    const size_t chunk = ChunkOf(state);
    return chunks_[chunk].load(std::memory_order_acquire)[state - FirstOf(chunk)];
  }
  uint32_t Resolve(uint32_t state, uint8_t byte) const;
  uint32_t StateBehind(std::string_view prefix) const;
  // The rest requires: the definition's mutex is held.
  // The facts behind `byte`, if they are live.
  std::optional<NumberFacts> LiveFacts(const Node& node, uint8_t byte) const;
  // The state of `facts`, or kUnknown.
  uint32_t Find(const NumberFacts& facts) const;
  uint32_t Add(const NumberFacts& facts) const;
  bool IsLive(const NumberFacts& facts) const;
  bool ExploreLive(const NumberFacts& facts) const;
  std::optional<std::vector<Decimal>> EnumerateFrom(uint32_t state, std::string_view prefix,
                                                    size_t limit) const;

  const std::bitset<256> spellable_;
  bool all_spellable_ = false;  // of the bytes that completions need
  uint32_t start_ = kDead;

  const std::shared_ptr<Definition> definition_;
  const std::shared_ptr<const NumberAutomaton> model_;  // null: none
  const uint32_t model_states_ = 0;
  const size_t own_chunks_ = 0;  // from this one on; those before are the model's
  mutable std::unordered_map<NumberFacts, uint32_t, HashFacts> states_;  // but for the model's
  mutable std::vector<NumberOrigin> origins_;                            // of these
  // From states of the model to others, by state and column.
  mutable std::unordered_map<uint64_t, uint32_t> beyond_model_;
  mutable std::unordered_map<NumberFacts, bool, HashFacts> explored_;  // live or not
  mutable uint32_t state_count_ = 0;                                   // the model's included
  mutable std::array<std::atomic<Node*>, kChunkCount> chunks_{};
};

}  // namespace maskloom
