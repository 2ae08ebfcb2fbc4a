// Recognises patterns whose only freedom of length is one counted loop over a class.
//
// In `^a B{m,n} c$` with a, B, c single code points, a text of the pattern with r rounds has length
// r + 2, and every text of `^a B* c$` of length r + 2 has r rounds. So m <= r <= n exactly when the
// length is within [m + 2, n + 2]. Loops over one class that follow each other are one loop, as in
// `^.....$`, which is `^.{5}$`.
#include <algorithm>
#include <utility>
#include <vector>

#include "grammar/base/budget.h"
#include "grammar/schema/pattern_table.h"

namespace maskloom {
namespace {

constexpr uint32_t kMinRounds = 16;    // a shorter loop is as well unrolled
constexpr uint32_t kMinClassSize = 2;  // with it, more texts than are ever enumerated
constexpr size_t kMaxElements = 64;

// Returns the number of code points that every text of `expr` has, for the simplest expressions.
std::optional<uint64_t> FixedLength(const ExprPool& pool, ExprId expr) {
  switch (pool.kind(expr)) {
    case ExprKind::kEmpty:
    case ExprKind::kLook:  // it asks about positions, which stay the same
      return 0;
    case ExprKind::kText:
      return pool.text(expr).size();
    case ExprKind::kClass:
      return 1;
    case ExprKind::kRepeat: {
      ExprId child = pool.children(expr)[0];
      if (pool.min(expr) != pool.max(expr) || pool.kind(child) != ExprKind::kClass) {
        return std::nullopt;
      }
      return pool.min(expr);
    }
    default:
      return std::nullopt;
  }
}

// A class some number of times.
struct Rounds {
  ExprId of;
  uint64_t min;
  uint64_t max;
};

std::optional<Rounds> RoundsOf(const ExprPool& pool, ExprId expr) {
  if (pool.kind(expr) == ExprKind::kClass) return Rounds{expr, 1, 1};
  if (pool.kind(expr) != ExprKind::kRepeat) return std::nullopt;
  const ExprId child = pool.children(expr)[0];
  if (pool.kind(child) != ExprKind::kClass) return std::nullopt;
  return Rounds{child, pool.min(expr), pool.max(expr)};
}

// Joins neighbours that are the same class some number of times; unbounded ones stay apart.
void JoinRounds(ExprPool* pool, std::vector<ExprId>* elements) {
  std::vector<ExprId> joined;
  std::optional<Rounds> last;  // what joined.back() is
  for (const ExprId element : *elements) {
    const std::optional<Rounds> next = RoundsOf(*pool, element);
    if (last && next && pool->set(last->of) == pool->set(next->of) &&
        last->max + next->max < kUnbounded) {
      last = Rounds{last->of, last->min + next->min, last->max + next->max};
      joined.pop_back();
      joined.push_back(pool->Repeat(last->of, static_cast<uint32_t>(last->min),
                                    static_cast<uint32_t>(last->max)));
    } else {
      last = next;
      joined.push_back(element);
    }
  }
  *elements = std::move(joined);
}

bool IsLongLoop(const ExprPool& pool, ExprId expr) {
  if (pool.kind(expr) != ExprKind::kRepeat) return false;
  ExprId child = pool.children(expr)[0];
  return pool.kind(child) == ExprKind::kClass && pool.set(child).size() >= kMinClassSize &&
         pool.max(expr) != kUnbounded && pool.max(expr) >= kMinRounds;
}

// Returns the index of the long loop to count: one of several lengths, else the longest; 0 where
// there is none. The first element, an assertion, is no loop.
size_t FindLoop(const ExprPool& pool, const std::vector<ExprId>& elements) {
  const auto rank = [&pool](ExprId loop) {
    return std::pair(pool.min(loop) < pool.max(loop), pool.max(loop));
  };
  size_t best = 0;
  for (size_t i = 1; i < elements.size(); ++i) {
    if (!IsLongLoop(pool, elements[i])) continue;
    if (best == 0 || rank(elements[i]) > rank(elements[best])) best = i;
  }
  return best;
}

}  // namespace

std::optional<CountedForm> FindCountedForm(ExprPool* pool, ExprId expr) {
  // Sequences inside sequences are laid flat; nothing else is entered.
  std::vector<ExprId> elements;
  std::vector<ExprId> stack{expr};
  while (!stack.empty()) {
    ExprId top = stack.back();
    stack.pop_back();
    if (pool->kind(top) == ExprKind::kSequence) {
      auto children = pool->children(top);
      stack.insert(stack.end(), children.rbegin(), children.rend());
    } else {
      elements.push_back(top);
    }
    if (elements.size() + stack.size() > Budget(kMaxElements)) return std::nullopt;
  }
  if (elements.size() < 3 || pool->kind(elements.front()) != ExprKind::kAssertBegin ||
      pool->kind(elements.back()) != ExprKind::kAssertEnd) {
    return std::nullopt;
  }
  JoinRounds(pool, &elements);
  const size_t loop = FindLoop(*pool, elements);
  if (loop == 0) return std::nullopt;
  uint64_t fixed_length = 0;
  for (size_t i = 1; i + 1 < elements.size(); ++i) {
    if (i == loop) continue;
    std::optional<uint64_t> length = FixedLength(*pool, elements[i]);
    if (!length) return std::nullopt;
    fixed_length += *length;
  }
  uint64_t min = fixed_length + pool->min(elements[loop]);
  uint64_t max = fixed_length + pool->max(elements[loop]);
  ExprId child = pool->children(elements[loop])[0];
  elements[loop] = pool->Repeat(child, 0, kUnbounded);
  return CountedForm{pool->Sequence(elements), min, max};
}

}  // namespace maskloom
