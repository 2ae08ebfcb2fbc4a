// From an expression to its minimal automaton: NFA, subsets, minimisation.
#include "grammar/regular/minimize.h"
#include "grammar/regular/nfa.h"
#include "grammar/regular/regular.h"
#include "grammar/regular/subset.h"

namespace maskloom {
namespace {

Result<TextAutomaton> Build(const ExprPool& pool, ExprId expr, const BuildOptions& options,
                            MatchMode mode) {
  Result<Nfa> nfa = BuildNfa(pool, expr, options, mode);
  if (!nfa.ok()) return nfa.status();
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
