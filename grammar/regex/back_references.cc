// Writes back-references out: `(["'])a*\1` is `"a*"|'a*'`.
//
// A group is bound in the outermost sequence that surely passes it: the way down to it leads
// through sequences only, not through choices, repeats or look-arounds. Behind it, in that
// sequence, every reference reads what it matched. Of several such groups the last is bound first,
// so that a group inside another is known before the other's texts are listed. A reference outside
// of such a sequence might find its group unset, or set by any round of a repeat: it stays
// unresolved.
#include "grammar/regex/back_references.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

constexpr uint32_t kMark = 0x80000000;       // payload of a mark: this and the group
constexpr uint32_t kReference = 0xC0000000;  // payload of a reference: likewise
constexpr uint32_t kGroupBits = 0x3FFFFFFF;
constexpr uint32_t kMaxTexts = 4;
constexpr uint32_t kMaxNewExprs = 100000;
constexpr int kMaxDepth = 500;

class Resolver {
 public:
  Resolver(ExprPool* pool, ExprId* unresolved)
      : pool_(*pool), unresolved_(*unresolved), max_size_(pool->size() + kMaxNewExprs) {}

  std::optional<ExprId> Rewrite(ExprId expr, int depth);

 private:
  std::optional<ExprId> RewriteSequence(ExprId expr, int depth);
  std::optional<ExprId> Bind(ExprId sequence, uint32_t group, ExprId body, int depth);
  bool IsMark(ExprId expr) const {
    return pool_.kind(expr) == ExprKind::kSequence &&
           pool_.kind(pool_.children(expr)[0]) == ExprKind::kRule &&
           (pool_.payload(pool_.children(expr)[0]) & kReference) == kMark;
  }
  uint32_t GroupOf(ExprId mark) const {
    return pool_.payload(pool_.children(mark)[0]) & kGroupBits;
  }
  // Calls `visit` with all expressions under `root` and itself; `enter` says whose children.
  template <typename Visit, typename Enter>
  void Walk(ExprId root, Visit visit, Enter enter) const;

  ExprPool& pool_;
  ExprId& unresolved_;
  const uint32_t max_size_;
  std::map<uint32_t, std::u32string> texts_;  // by bound group
};

template <typename Visit, typename Enter>
void Resolver::Walk(ExprId root, Visit visit, Enter enter) const {
  std::vector<ExprId> stack{root};
  while (!stack.empty()) {
    const ExprId expr = stack.back();
    stack.pop_back();
    visit(expr);
    if (!enter(pool_.kind(expr))) continue;
    const auto children = pool_.children(expr);
    stack.insert(stack.end(), children.begin(), children.end());
  }
}

bool HasChildren(ExprKind kind) {
  return kind == ExprKind::kSequence || kind == ExprKind::kChoice || kind == ExprKind::kRepeat ||
         kind == ExprKind::kLook;
}

std::optional<ExprId> Resolver::Bind(ExprId sequence, uint32_t group, ExprId body, int depth) {
  bool has_assertion = false;
  Walk(
      body,
      [&](ExprId expr) {
        const ExprKind kind = pool_.kind(expr);
        has_assertion |= kind == ExprKind::kAssertBegin || kind == ExprKind::kAssertEnd ||
                         kind == ExprKind::kLook;
      },
      HasChildren);
  if (has_assertion) return std::nullopt;  // what it matches hangs on where it stands
  const std::optional<ExprId> plain = Rewrite(body, depth + 1);
  if (!plain) return std::nullopt;
  const auto automaton = BuildAutomaton(pool_, *plain, {.max_states = 2000});
  if (!automaton.ok()) return std::nullopt;
  const auto texts = EnumerateTexts(*automaton, kMaxTexts);
  if (!texts) return std::nullopt;
  std::vector<ExprId> alternatives;
  for (const auto& [text, label] : *texts) {
    texts_[group] = text;
    const std::optional<ExprId> alternative = Rewrite(sequence, depth + 1);
    texts_.erase(group);
    if (!alternative) return std::nullopt;
    alternatives.push_back(*alternative);
  }
  return pool_.Choice(std::move(alternatives));
}

std::optional<ExprId> Resolver::RewriteSequence(ExprId expr, int depth) {
  uint32_t last = 0;
  ExprId body = 0;
  std::map<uint32_t, ExprId> references;
  Walk(
      expr,
      [&](ExprId part) {
        if (pool_.kind(part) != ExprKind::kRule) return;
        const uint32_t payload = pool_.payload(part);
        if ((payload & kReference) == kReference) references[payload & kGroupBits] = part;
      },
      HasChildren);
  Walk(
      expr,
      [&](ExprId part) {
        if (!IsMark(part) || GroupOf(part) <= last || texts_.count(GroupOf(part)) > 0) return;
        if (references.count(GroupOf(part)) == 0) return;
        last = GroupOf(part);
        body = pool_.children(part)[1];
      },
      [](ExprKind kind) { return kind == ExprKind::kSequence; });
  if (last != 0) {
    unresolved_ = references[last];
    return Bind(expr, last, body, depth);
  }
  if (IsMark(expr)) {
    if (auto text = texts_.find(GroupOf(expr)); text != texts_.end()) {
      return pool_.Text(text->second);
    }
    return Rewrite(pool_.children(expr)[1], depth + 1);
  }
  std::vector<ExprId> children(pool_.children(expr).begin(), pool_.children(expr).end());
  for (ExprId& child : children) {
    const std::optional<ExprId> part = Rewrite(child, depth + 1);
    if (!part) return std::nullopt;
    child = *part;
  }
  return pool_.Sequence(std::move(children));
}

std::optional<ExprId> Resolver::Rewrite(ExprId expr, int depth) {
  if (depth > kMaxDepth || pool_.size() > max_size_) return std::nullopt;
  switch (pool_.kind(expr)) {
    case ExprKind::kRule: {
      unresolved_ = expr;
      auto text = texts_.find(pool_.payload(expr) & kGroupBits);
      if (text == texts_.end()) return std::nullopt;
      return pool_.Text(text->second);
    }
    case ExprKind::kSequence:
      return RewriteSequence(expr, depth);
    case ExprKind::kChoice: {
      std::vector<ExprId> children(pool_.children(expr).begin(), pool_.children(expr).end());
      for (ExprId& child : children) {
        const std::optional<ExprId> part = Rewrite(child, depth + 1);
        if (!part) return std::nullopt;
        child = *part;
      }
      return pool_.Choice(std::move(children));
    }
    case ExprKind::kRepeat:
    case ExprKind::kLook: {
      const std::optional<ExprId> child = Rewrite(pool_.children(expr)[0], depth + 1);
      if (!child) return std::nullopt;
      if (pool_.kind(expr) == ExprKind::kLook) return pool_.LookAround(pool_.look(expr), *child);
      return pool_.Repeat(*child, pool_.min(expr), pool_.max(expr));
    }
    default:
      return expr;
  }
}

}  // namespace

ExprId MarkGroup(uint32_t group, ExprId expr, ExprPool* pool) {
  return pool->Sequence({pool->Rule(kMark | group), expr});
}

ExprId ReferTo(uint32_t group, ExprPool* pool) { return pool->Rule(kReference | group); }

std::optional<ExprId> ResolveBackReferences(ExprId root, ExprPool* pool, ExprId* unresolved) {
  return Resolver(pool, unresolved).Rewrite(root, 0);
}

}  // namespace maskloom
