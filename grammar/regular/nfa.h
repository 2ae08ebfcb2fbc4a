// Nondeterministic automata of expressions, by Thompson's construction.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/base/code_point_set.h"
#include "grammar/base/expr.h"
#include "grammar/base/status.h"
#include "grammar/regular/regular.h"

namespace maskloom {

struct Nfa {
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  enum class EdgeKind : uint8_t {
    kEpsilon,  // free
    kBegin,    // free before the first code point
    kEnd,      // free behind the last code point
    kSet,      // reads a code point of sets[payload]
    kCall,     // matches calls[payload]
    kLook,     // free where the look-around looks[payload] holds
  };
  struct Edge {
    EdgeKind kind;
    uint32_t payload;
    uint32_t target;
    uint32_t next;  // the next edge of the same state, or kNone
  };

  // The place of a state in a counted repeat. Of states with one key, those of lower rank accept
  // whatever those of higher rank do.
  struct Place {
    uint32_t key;
    uint32_t rank;
    uint32_t next;  // the next place of the same state, or kNone
  };

  std::vector<uint32_t> first_edges;  // by state
  std::vector<Edge> edges;
  std::vector<CodePointSet> sets;
  std::vector<ExprId> calls;  // one ExprId stands for all equal calls
  std::vector<ExprId> looks;
  std::vector<uint32_t> first_places;  // by state; empty if there are no places
  std::vector<Place> places;
  uint32_t key_count = 0;
  uint32_t start = 0;
  uint32_t accept = 0;
  bool has_begin = false;  // is there an edge of kind kBegin?

  uint32_t state_count() const { return static_cast<uint32_t>(first_edges.size()); }
};

enum class MatchMode : uint8_t {
  kFull,    // the whole text is a match
  kSearch,  // the text contains a match
  kSuffix,  // the text ends in a match
};

// Builds the NFA of `expr`; calls and budgets as BuildAutomaton says. In mode kSearch the accepting
// state reads any text, so a set of states that holds it accepts whatever follows. What a
// look-around looks for is not part of the NFA: its expression is listed.
// On error: kResourceLimit.
Result<Nfa> BuildNfa(const ExprPool& pool, ExprId expr, const BuildOptions& options,
                     MatchMode mode);

}  // namespace maskloom
