// An automaton counts by states, and the counts of a look-ahead multiply with those of the rest:
// `^(?=.{1,253}$)([a-z]{1,63}\.)+$` has 253 times 64 of them. Bounds on the length of a text cost
// no states (a caller counts at run time), so it pays to have them apart.
//
// At the begin of the text, `(?=C{a,b}$)` says two things: all code points are in C, and there are
// a to b of them. Only looks and begins may stand before it, since they read nothing.
#include "grammar/regular/length_looks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "grammar/base/budget.h"

namespace maskloom {
namespace {

constexpr size_t kMaxParts = 1000;
constexpr uint32_t kMinRounds = 16;  // shorter counts are as well left to states

// Appends the parts of `expr`, with sequences laid flat. Returns false beyond kMaxParts.
bool AppendParts(const ExprPool& pool, ExprId expr, std::vector<ExprId>* parts) {
  std::vector<ExprId> stack{expr};
  while (!stack.empty()) {
    const ExprId top = stack.back();
    stack.pop_back();
    if (pool.kind(top) == ExprKind::kSequence) {
      const auto children = pool.children(top);
      stack.insert(stack.end(), children.rbegin(), children.rend());
    } else {
      parts->push_back(top);
    }
    if (parts->size() + stack.size() > Budget(kMaxParts)) return false;
  }
  return true;
}

// Returns the counted class of `(?=C{a,b}$)`, if `look` is such a look-ahead.
std::optional<ExprId> CountedClass(const ExprPool& pool, ExprId look) {
  std::vector<ExprId> parts;
  if (pool.look(look) != Look::kAhead || !AppendParts(pool, pool.children(look)[0], &parts)) {
    return std::nullopt;
  }
  std::erase_if(parts, [&pool](ExprId part) { return pool.kind(part) == ExprKind::kAssertBegin; });
  if (parts.size() != 2 || pool.kind(parts[0]) != ExprKind::kRepeat ||
      pool.kind(parts[1]) != ExprKind::kAssertEnd || pool.max(parts[0]) == kUnbounded ||
      pool.max(parts[0]) < kMinRounds ||
      pool.kind(pool.children(parts[0])[0]) != ExprKind::kClass) {
    return std::nullopt;
  }
  return parts[0];
}

}  // namespace

std::optional<LengthLooks> TakeLengthLooks(ExprId expr, ExprPool* pool) {
  std::vector<ExprId> parts;
  if (!AppendParts(*pool, expr, &parts)) return std::nullopt;
  if (parts.empty() || pool->kind(parts[0]) != ExprKind::kAssertBegin) return std::nullopt;
  LengthLooks result{expr, 0, kUnbounded};
  for (ExprId& part : parts) {
    if (pool->kind(part) == ExprKind::kAssertBegin) continue;
    if (pool->kind(part) != ExprKind::kLook) break;
    const std::optional<ExprId> counted = CountedClass(*pool, part);
    if (!counted) continue;
    result.min_length = std::max<uint64_t>(result.min_length, pool->min(*counted));
    result.max_length = std::min<uint64_t>(result.max_length, pool->max(*counted));
    const ExprId loop = pool->Repeat(pool->children(*counted)[0], 0, kUnbounded);
    part = pool->LookAround(Look::kAhead, pool->Sequence({loop, pool->AssertEnd()}));
  }
  if (result.max_length == kUnbounded || result.min_length > result.max_length) return std::nullopt;
  result.expr = pool->Sequence(std::move(parts));
  return result;
}

}  // namespace maskloom
