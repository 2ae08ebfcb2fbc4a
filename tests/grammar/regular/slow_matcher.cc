// See slow_matcher.h. Recursive on the expression: for small expressions only.
#include "tests/grammar/regular/slow_matcher.h"

#include <algorithm>

#include "grammar/regular/regular.h"

namespace maskloom::testing {
namespace {

std::set<size_t> RepeatEnds(const ExprPool& pool, ExprId expr, const std::u32string& text,
                            const std::set<size_t>& begins) {
  std::set<size_t> result;
  std::set<size_t> ends = begins;
  const uint32_t min = pool.min(expr);
  // More copies than these reach no new position.
  const uint32_t enough = min + static_cast<uint32_t>(text.size()) + 2;
  for (uint32_t copy = 0; copy <= std::min(pool.max(expr), enough); ++copy) {
    if (copy >= min) result.insert(ends.begin(), ends.end());
    ends = MatchEnds(pool, pool.children(expr)[0], text, ends);
  }
  return result;
}

// Does the look-around hold at `position`?
bool Holds(const ExprPool& pool, ExprId expr, const std::u32string& text, size_t position) {
  const ExprId body = pool.children(expr)[0];
  switch (pool.look(expr)) {
    case Look::kAhead:
      return !MatchEnds(pool, body, text, {position}).empty();
    case Look::kNotAhead:
      return MatchEnds(pool, body, text, {position}).empty();
    case Look::kBehind:
    case Look::kNotBehind:
      break;
  }
  bool found = false;
  for (size_t begin = 0; begin <= position && !found; ++begin) {
    found = MatchEnds(pool, body, text, {begin}).count(position) > 0;
  }
  return found == (pool.look(expr) == Look::kBehind);
}

}  // namespace

std::set<size_t> MatchEnds(const ExprPool& pool, ExprId expr, const std::u32string& text,
                           const std::set<size_t>& begins) {
  std::set<size_t> result;
  switch (pool.kind(expr)) {
    case ExprKind::kEmpty:
      return begins;
    case ExprKind::kAssertBegin:
      if (begins.count(0)) result.insert(0);
      return result;
    case ExprKind::kAssertEnd:
      if (begins.count(text.size())) result.insert(text.size());
      return result;
    case ExprKind::kLook:
      for (size_t begin : begins) {
        if (Holds(pool, expr, text, begin)) result.insert(begin);
      }
      return result;
    case ExprKind::kText: {
      const std::u32string& literal = pool.text(expr);
      for (size_t begin : begins) {
        if (text.compare(begin, literal.size(), literal) == 0) {
          result.insert(begin + literal.size());
        }
      }
      return result;
    }
    case ExprKind::kClass:
      for (size_t begin : begins) {
        if (begin < text.size() && pool.set(expr).Contains(text[begin])) result.insert(begin + 1);
      }
      return result;
    case ExprKind::kSequence:
      result = begins;
      for (ExprId child : pool.children(expr)) result = MatchEnds(pool, child, text, result);
      return result;
    case ExprKind::kChoice:
      for (ExprId child : pool.children(expr)) {
        result.merge(MatchEnds(pool, child, text, begins));
      }
      return result;
    case ExprKind::kRepeat:
      return RepeatEnds(pool, expr, text, begins);
    default:
      return result;
  }
}

bool MatchesWhole(const ExprPool& pool, ExprId expr, const std::u32string& text) {
  return MatchEnds(pool, expr, text, {0}).count(text.size()) > 0;
}

bool ContainsMatch(const ExprPool& pool, ExprId expr, const std::u32string& text) {
  std::set<size_t> begins;
  for (size_t i = 0; i <= text.size(); ++i) begins.insert(i);
  return !MatchEnds(pool, expr, text, begins).empty();
}

ExprId RandomLookExpr(ExprPool* pool, std::mt19937* random, int depth) {
  const auto pick = [random](uint32_t n) { return static_cast<uint32_t>((*random)() % n); };
  std::vector<ExprId> children;
  for (uint32_t i = 1 + pick(3); i > 0; --i) {
    if (depth == 0 || pick(2) == 0) {
      children.push_back(RandomExpr(pool, random, depth == 0 ? 1 : 2, true));
    } else if (pick(3) == 0) {
      const uint32_t min = pick(2);
      children.push_back(pool->Repeat(RandomLookExpr(pool, random, depth - 1), min,
                                      pick(2) == 0 ? kUnbounded : min + 1));
    } else {
      const Look look = static_cast<Look>(pick(4));
      children.push_back(pool->LookAround(look, RandomLookExpr(pool, random, depth - 1)));
    }
  }
  return pick(4) == 0 ? pool->Choice(children) : pool->Sequence(children);
}

ExprId RandomExpr(ExprPool* pool, std::mt19937* random, int depth, bool with_assertions) {
  const auto pick = [random](uint32_t n) { return static_cast<uint32_t>((*random)() % n); };
  const auto child = [&] { return RandomExpr(pool, random, depth - 1, with_assertions); };
  const uint32_t kind = depth == 0 ? pick(4) : pick(12);
  if (with_assertions && pick(6) == 0) {
    return pick(2) == 0 ? pool->AssertBegin() : pool->AssertEnd();
  }
  switch (kind) {
    case 0: {
      CodePointSet set;
      for (uint32_t c = 'a'; c <= 'c'; ++c) {
        if (pick(2) == 0) set.Add(c, c);
      }
      return pool->Class(set);
    }
    case 1:
    case 2:
    case 3: {
      std::u32string text;
      for (uint32_t i = pick(4); i > 0; --i) text.push_back('a' + pick(3));
      return pool->Text(text);
    }
    case 4:
    case 5:
    case 6: {
      std::vector<ExprId> children;
      for (uint32_t i = pick(4); i > 0; --i) children.push_back(child());
      return pool->Sequence(children);
    }
    case 7:
    case 8: {
      std::vector<ExprId> children;
      for (uint32_t i = pick(4); i > 0; --i) children.push_back(child());
      return pool->Choice(children);
    }
    default: {
      const uint32_t min = pick(5) == 0 ? 3 + pick(2) : pick(3);
      const uint32_t max = pick(2) == 0 ? kUnbounded : min + pick(pick(3) == 0 ? 7 : 3);
      return pool->Repeat(child(), min, max);
    }
  }
}

std::vector<std::u32string> AllTexts(uint32_t letters, size_t max_length) {
  std::vector<std::u32string> texts{U""};
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].size() == max_length) break;
    for (uint32_t letter = 0; letter < letters; ++letter) {
      std::u32string longer = texts[i];
      longer.push_back('a' + letter);
      texts.push_back(longer);
    }
  }
  return texts;
}

TextAutomaton RandomAutomaton(std::mt19937* random, int depth) {
  ExprPool pool;
  ExprId expr = RandomExpr(&pool, random, depth, false);
  return *BuildAutomaton(pool, expr);
}

}  // namespace maskloom::testing
