// The texts that an automaton accepts, one at a time, where it accepts finitely many.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grammar/base/text_automaton.h"

namespace maskloom {

// Tells the last first, in the order of code points: lists of names are mostly taken in order, so
// the last are those that an array of distinct items has not seen yet.
class FiniteTexts {
 public:
  // `begin`: what was read up to `state`, in UTF-8. Requires: only finitely many texts are accepted
  // from `state` on, and from every state behind it at least one. `automaton` outlives this.
  FiniteTexts(const TextAutomaton& automaton, uint32_t state, std::string begin)
      : automaton_(automaton), text_(std::move(begin)) {
    Enter(state);
  }
  // The same where the next character is one of those of `first`.
  FiniteTexts(const TextAutomaton& automaton, std::vector<TextAutomaton::Edge> first,
              std::string begin)
      : automaton_(automaton), first_(std::move(first)), text_(std::move(begin)) {
    levels_.push_back({first_, 0, text_.size(), false});
  }
  FiniteTexts(const FiniteTexts&) = delete;
  FiniteTexts& operator=(const FiniteTexts&) = delete;

  // Returns the next text in UTF-8, valid until the next call, or null behind the last. Cost:
  // linear in the text, allocations aside.
  const std::string* Next();

 private:
  // A state on the way.
  struct Level {
    std::span<const TextAutomaton::Edge> edges;  // those that are left
    uint32_t taken;                              // code points of the last of them
    size_t size;                                 // of the text up to here
    bool accepts;
  };

  void Enter(uint32_t state) {
    levels_.push_back({automaton_.EdgesOf(state), 0, text_.size(),
                       automaton_.labels[state] != TextAutomaton::kNotAccepting});
  }

  const TextAutomaton& automaton_;
  const std::vector<TextAutomaton::Edge> first_;
  std::string text_;
  std::vector<Level> levels_;
};

}  // namespace maskloom
