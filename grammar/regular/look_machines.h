// The NFAs of an expression with look-arounds: one for the expression, one for what each
// look-around looks for, over one alphabet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grammar/base/expr.h"
#include "grammar/base/status.h"
#include "grammar/regular/alphabet.h"
#include "grammar/regular/nfa.h"
#include "grammar/regular/regular.h"

namespace maskloom {

// A look-around as an edge of an NFA asks for it.
struct LookTest {
  uint32_t machine = 0;
  uint32_t tracker = 0;  // if behind
  bool behind = false;
  bool negated = false;
};

struct LookMachine {
  Nfa nfa;
  uint32_t first_set = 0;       // number of nfa.sets[0] in the alphabet
  uint32_t depth = 0;           // of nesting; the whole expression has 0
  std::vector<LookTest> looks;  // by payload of kLook edges
  // By NFA state: the trackers that look-arounds ahead of it read, one bit each.
  std::vector<uint64_t> needs;
  // By NFA state: can the accepting state be reached where the text ends, without reading? All 0
  // where the end of the text makes no difference.
  std::vector<char> waits;
};

// Invariants
//  1. machines()[0] is the whole expression; a machine is never inside itself;
//  2. tracker t only looks behind at trackers below t.
class LookMachines {
 public:
  // On error: kResourceLimit; kUnsupported where rules, tokens or values are called.
  static Result<LookMachines> Collect(const ExprPool& pool, Nfa whole, const BuildOptions& options);

  const std::vector<LookMachine>& machines() const { return machines_; }
  // The machines that run from the begin of the text, for look-behind.
  const std::vector<uint32_t>& trackers() const { return trackers_; }
  const Alphabet& alphabet() const { return *alphabet_; }
  // Is `symbol` in set `set` of `machine`?
  bool Reads(const LookMachine& machine, uint32_t set, uint32_t symbol) const;

 private:
  void NumberTrackers(const std::vector<ExprId>& bodies, const std::vector<char>& behind);
  void FindNeeds(LookMachine* machine);
  static void FindWaiting(LookMachine* machine);

  std::vector<LookMachine> machines_;
  std::vector<uint32_t> trackers_;
  std::optional<Alphabet> alphabet_;
};

}  // namespace maskloom
