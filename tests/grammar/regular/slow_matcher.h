// The judge of the automata: a matcher that follows the expression literally, all positions at
// once, and generators of small random expressions and of all short texts.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "grammar/base/expr.h"
#include "grammar/base/text_automaton.h"

namespace maskloom::testing {

// Returns the ends of the matches of `expr` in `text` that begin at one of `begins`.
std::set<size_t> MatchEnds(const ExprPool& pool, ExprId expr, const std::u32string& text,
                           const std::set<size_t>& begins);
bool MatchesWhole(const ExprPool& pool, ExprId expr, const std::u32string& text);
bool ContainsMatch(const ExprPool& pool, ExprId expr, const std::u32string& text);

// A random expression over a, b, c of at most `depth` levels.
ExprId RandomExpr(ExprPool* pool, std::mt19937* random, int depth, bool with_assertions);

// Likewise, with look-arounds nested at most `depth` deep.
ExprId RandomLookExpr(ExprPool* pool, std::mt19937* random, int depth);

// All texts over the first `letters` of "abc" of at most `max_length` code points.
std::vector<std::u32string> AllTexts(uint32_t letters, size_t max_length);

// A random automaton without assertions, labelled 1.
TextAutomaton RandomAutomaton(std::mt19937* random, int depth);

}  // namespace maskloom::testing
