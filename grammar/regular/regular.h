// Regular languages over Unicode text: construction and algebra of deterministic automata.
//
// Every result is minimised, trimmed and canonical (states numbered in breadth-first order of
// their edges), so equal languages over equal labels give equal automata. Nothing here recurses
// on the size of the input. All operations take a budget of states and refuse, by kResourceLimit,
// what would exceed it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grammar/base/budget.h"
#include "grammar/base/expr.h"
#include "grammar/base/flat_array.h"
#include "grammar/base/status.h"
#include "grammar/base/text_automaton.h"

namespace maskloom {

inline constexpr uint32_t kDefaultMaxStates = 200000;

struct BuildOptions {
  uint32_t max_states = Budget(kDefaultMaxStates);
  // A kRepeat whose unrolled form would exceed this many positions becomes a call, counted at run
  // time; kUnbounded unrolls all (then max_states is the only limit).
  uint32_t max_unrolled = kUnbounded;
};

// Builds the automaton of `expr`: the whole text must match. kRule, kToken, kValue and repeats
// beyond max_unrolled become calls, unless they hold assertions. kAssertBegin and kAssertEnd hold
// at the ends of the text. Equal calls appear under one ExprId.
// On error: kResourceLimit.
Result<TextAutomaton> BuildAutomaton(const ExprPool& pool, ExprId expr,
                                     const BuildOptions& options = {});

// Builds the automaton of texts that contain a match of `expr` anywhere (ECMA-262 search). Repeats
// are always unrolled.
Result<TextAutomaton> BuildSearchAutomaton(const ExprPool& pool, ExprId expr,
                                           const BuildOptions& options = {});

// The language of finitely many texts; each is accepted with its label (1 where `labels` is empty).
// With equal labels the result is minimal. Duplicates take the first label; texts with surrogates
// or with label kNotAccepting are left out. Cost: linear in the texts, once sorted.
TextAutomaton AutomatonOfTexts(const std::vector<std::u32string>& texts,
                               const std::vector<uint32_t>& labels = {});

// All texts.
TextAutomaton AnyText();

// Runs `parts` side by side and labels a text by `label(labels of the parts)`, where a part that
// does not accept has label kNotAccepting; 0 rejects. The general product: intersection, union,
// difference and key classes are all instances. Intersect and Unite label a text as `a` does, or as
// `b` does where only `b` accepts. Requires: no calls.
using LabelFunction = std::function<uint32_t(const std::vector<uint32_t>& labels)>;
Result<TextAutomaton> Product(const std::vector<const TextAutomaton*>& parts,
                              const LabelFunction& label,
                              uint32_t max_states = Budget(kDefaultMaxStates));
Result<TextAutomaton> Intersect(const TextAutomaton& a, const TextAutomaton& b,
                                uint32_t max_states = Budget(kDefaultMaxStates));
Result<TextAutomaton> Unite(const TextAutomaton& a, const TextAutomaton& b,
                            uint32_t max_states = Budget(kDefaultMaxStates));
TextAutomaton Complement(const TextAutomaton& a);

// Returns true if no text is accepted by both, as shown by at most `*max_pairs` pairs of states,
// from which those that were looked at are taken; false also where that many do not tell. Requires:
// no calls.
bool AreDisjoint(const TextAutomaton& a, const TextAutomaton& b, uint32_t* max_pairs);

// Returns the texts that both accept, each with the label that `join` gives for its labels in `a`
// and `b`; 0 rejects. As a product it may tell |a| * |b| states apart on the way; this one leaves
// out the part that makes no difference any more, so that many patterns of which the strictest
// decides cost little more than their result. `join` may be asked about pairs of labels that no
// text has; an error of it is the result's where a text has them. Requires: no calls; `join` gives
// equal answers to equal questions.
using LabelJoin = std::function<Result<uint32_t>(uint32_t label_a, uint32_t label_b)>;
Result<TextAutomaton> JoinLabels(const TextAutomaton& a, const TextAutomaton& b,
                                 const LabelJoin& join,
                                 uint32_t max_states = Budget(kDefaultMaxStates));

bool IsAnyText(const TextAutomaton& a);
// Returns the number of accepted texts, or kUnbounded if there are more than `limit`.
uint32_t CountTexts(const TextAutomaton& a, uint32_t limit);
// Returns all accepted texts with their labels if there are at most `limit`.
std::optional<std::vector<std::pair<std::u32string, uint32_t>>> EnumerateTexts(
    const TextAutomaton& a, uint32_t limit);
// Returns a shortest accepted text (the least in code point order), or nothing if empty().
std::optional<std::u32string> ShortestText(const TextAutomaton& a);

// For each state the lengths, in code points, of the texts accepted from it, as an ultimately
// periodic set: length n is in the set if bits[min(n, fold(n))]; see Contains.
class LengthSets {
 public:
  // On error: kResourceLimit where threshold and period together exceed a documented bound.
  static Result<LengthSets> Compute(const TextAutomaton& a);
  bool Contains(uint32_t state, uint64_t length) const;
  // Is some length in [min, max] (max may be UINT64_MAX) in the set of `state`?
  bool AnyIn(uint32_t state, uint64_t min, uint64_t max) const;
  // The least length from which on every length is in the set, or UINT64_MAX if there is none.
  uint64_t AllFrom(uint32_t state) const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.threshold_);
    archive.Value(self.period_);
    archive.Value(self.row_words_);
    archive.Array(self.bits_);
  }

 private:
  uint32_t threshold_ = 0;  // lengths >= threshold_ repeat with period_
  uint32_t period_ = 1;
  uint64_t row_words_ = 0;
  FlatArray<uint64_t> bits_;  // by state: row_words_ words with threshold_ + period_ bits
};

}  // namespace maskloom
