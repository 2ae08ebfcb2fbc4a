// A deterministic automaton over Unicode scalar values, with optional calls.
//
// Edges are sorted code point ranges, so a wide class costs one edge and an enumeration of
// thousands of values stays sparse. Invariants (checked by Validate):
//  1. state 0 is the start; an automaton of the empty language has no states;
//  2. the edges of a state are sorted by `first`, disjoint, and hold no surrogates;
//  3. every state can reach an accepting one (calls are taken to succeed), and is reachable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "grammar/base/editable_array.h"

namespace maskloom {

struct TextAutomaton {
  static constexpr uint32_t kDead = 0xFFFFFFFF;
  static constexpr uint32_t kNotAccepting = 0;

  struct Edge {
    uint32_t first;
    uint32_t last;  // inclusive
    uint32_t target;
    bool operator==(const Edge&) const = default;
  };
  // Before `target` the callee must be matched: an ExprId of kind kRule, kToken, kValue or of a
  // kRepeat that is counted at run time.
  struct Call {
    uint32_t expr;
    uint32_t target;
    bool operator==(const Call&) const = default;
  };

  // Own, or views of a file.
  EditableArray<uint32_t> edge_begins{0};  // state_count() + 1
  EditableArray<Edge> edges;
  EditableArray<uint32_t> labels;       // kNotAccepting, or what is accepted here (1 if plain)
  EditableArray<uint32_t> call_begins;  // empty when there are no calls, else state_count() + 1
  EditableArray<Call> calls;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.edge_begins);
    archive.Array(self.edges);
    archive.Array(self.labels);
    archive.Array(self.call_begins);
    archive.Array(self.calls);
  }

  uint32_t state_count() const { return static_cast<uint32_t>(labels.size()); }
  bool empty() const { return labels.empty(); }
  bool has_calls() const { return !calls.empty(); }
  std::span<const Edge> EdgesOf(uint32_t state) const {
    return std::span(edges).subspan(edge_begins[state],
                                    edge_begins[state + 1] - edge_begins[state]);
  }
  std::span<const Call> CallsOf(uint32_t state) const {
    if (calls.empty()) return {};
    return std::span(calls).subspan(call_begins[state],
                                    call_begins[state + 1] - call_begins[state]);
  }
  // Returns the state behind `code_point`, or kDead. Cost: logarithmic in the state's edges.
  uint32_t Step(uint32_t state, uint32_t code_point) const;
  // Returns the label of the state behind the whole text, or kNotAccepting. Ignores calls.
  uint32_t Match(std::u32string_view text) const;
  // Returns the broken invariant, or "".
  std::string Validate() const;

  bool operator==(const TextAutomaton&) const = default;
};

}  // namespace maskloom
