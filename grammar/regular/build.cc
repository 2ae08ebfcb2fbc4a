// From an expression to its minimal automaton: NFA, subsets, minimisation. Look-arounds take a
// subset construction of their own; all else stays on the plain one.
#include <utility>

#include "grammar/regular/look_machines.h"
#include "grammar/regular/look_subset.h"
#include "grammar/regular/minimize.h"
#include "grammar/regular/nfa.h"
#include "grammar/regular/regular.h"
#include "grammar/regular/subset.h"

namespace maskloom {
namespace {

// Look-arounds see into repeats, so these are unrolled.
Result<TextAutomaton> BuildWithLooks(const ExprPool& pool, ExprId expr, const BuildOptions& options,
                                     MatchMode mode) {
  BuildOptions unrolled = options;
  unrolled.max_unrolled = kUnbounded;
  Result<Nfa> nfa = BuildNfa(pool, expr, unrolled, mode);
  if (!nfa.ok()) return nfa.status();
  Result<LookMachines> machines = LookMachines::Collect(pool, std::move(*nfa), unrolled);
  if (!machines.ok()) return machines.status();
  Result<TextAutomaton> raw = DeterminizeLooks(*machines, mode, options.max_states);
  if (!raw.ok()) return raw.status();
  return Minimize(*raw);
}

Result<TextAutomaton> Build(const ExprPool& pool, ExprId expr, const BuildOptions& options,
                            MatchMode mode) {
  Result<Nfa> nfa = BuildNfa(pool, expr, options, mode);
  if (!nfa.ok()) return nfa.status();
  if (!nfa->looks.empty()) return BuildWithLooks(pool, expr, options, mode);
  Result<TextAutomaton> raw = Determinize(*nfa, mode, options.max_states);
  if (!raw.ok()) return raw.status();
  return Minimize(*raw);
}

}  // namespace

Result<TextAutomaton> BuildAutomaton(const ExprPool& pool, ExprId expr,
                                     const BuildOptions& options) {
  return Build(pool, expr, options, MatchMode::kFull);
}

Result<TextAutomaton> BuildSearchAutomaton(const ExprPool& pool, ExprId expr,
                                           const BuildOptions& options) {
  BuildOptions unrolled = options;
  unrolled.max_unrolled = kUnbounded;  // a match begins anywhere, so it cannot be one call
  return Build(pool, expr, unrolled, MatchMode::kSearch);
}

}  // namespace maskloom
