#include "grammar/schema/groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "grammar/base/budget.h"

namespace maskloom {
namespace {

using Groups = std::vector<Group>;

// Branches of a union that can be counted well, where it cannot be multiplied out.
constexpr size_t kMaxCounted = 16;

// Makes groups that keep the same one, whose rest is the union of theirs.
Groups Merge(FormulaPool* pool, Groups groups) {
  if (groups.size() < 2) return groups;
  std::map<std::vector<FormulaId>, std::vector<FormulaId>> rests;
  for (Group& group : groups) rests[std::move(group.kept)].push_back(group.rest);
  Groups merged;
  for (auto& [kept, parts] : rests) {
    const FormulaId rest = pool->Or(std::move(parts));
    if (rest != kFalseFormula) merged.push_back({kept, rest});
  }
  return merged;
}

// Joins two groups. Returns false where they contradict.
bool JoinGroups(FormulaPool* pool, const Group& a, const Group& b, Group* joint) {
  joint->kept.clear();
  std::set_union(a.kept.begin(), a.kept.end(), b.kept.begin(), b.kept.end(),
                 std::back_inserter(joint->kept));
  for (size_t i = 1; i < joint->kept.size(); ++i) {
    if (joint->kept[i] == Negation(joint->kept[i - 1])) return false;
  }
  joint->rest = pool->And({a.rest, b.rest});
  return joint->rest != kFalseFormula;
}

using Filter = std::function<bool(const Group&)>;

Groups Split(FormulaPool* pool, FormulaId formula, const Filter& is_possible) {
  if (formula == kFalseFormula) return {};
  if (!pool->KeepsSomeRule(formula)) return {{{}, formula}};
  if (pool->IsLiteral(formula)) return {{{formula}, kTrueFormula}};
  Groups groups;
  if (pool->IsOr(formula)) {
    for (const FormulaId part : pool->PartsOf(formula)) {
      Groups more = Split(pool, part, is_possible);
      groups.insert(groups.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
    }
    return Merge(pool, std::move(groups));
  }
  Group common;
  std::vector<FormulaId> rest;
  std::vector<std::pair<FormulaId, Groups>> unions;
  for (const FormulaId part : pool->PartsOf(formula)) {
    if (!pool->KeepsSomeRule(part)) {
      rest.push_back(part);
    } else if (pool->IsLiteral(part)) {
      common.kept.push_back(part);
    } else {
      unions.push_back({part, Split(pool, part, is_possible)});
    }
  }
  std::stable_sort(unions.begin(), unions.end(),
                   [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  common.rest = pool->And(std::move(rest));
  groups.push_back(std::move(common));
  // Multiplied out as a whole or not at all: a few unions less would be many groups more.
  bool all_fit = true;
  Groups whole = groups;
  for (const auto& [part, branches] : unions) {
    Groups product;
    bool fits = !whole.empty() && whole.size() * branches.size() <= Budget(kMaxGroupPairs);
    for (size_t i = 0; i < whole.size() && fits; ++i) {
      for (const Group& branch : branches) {
        Group joint;
        if (!JoinGroups(pool, whole[i], branch, &joint)) continue;
        if (joint.kept.size() > 1 && !is_possible(joint)) continue;
        product.push_back(std::move(joint));
      }
      fits = product.size() <= Budget(kMaxGroups) || whole.size() == 1 || branches.size() == 1;
    }
    if (!fits) {
      whole.clear();
      all_fit = false;
      break;
    }
    whole = Merge(pool, std::move(product));
    if (whole.empty()) break;
  }
  if (all_fit) {
    groups = std::move(whole);
  } else {
    // The last union is the largest: one alone is multiplied out at no cost.
    std::vector<FormulaId> counted;
    for (size_t i = 0; i < unions.size(); ++i) {
      const auto& [part, branches] = unions[i];
      const bool multiplied =
          branches.size() == 1 || (i + 1 == unions.size() && branches.size() > kMaxCounted);
      if (!multiplied) {
        counted.push_back(part);
        continue;
      }
      Groups product;
      for (const Group& group : groups) {
        for (const Group& branch : branches) {
          Group joint;
          if (JoinGroups(pool, group, branch, &joint)) product.push_back(std::move(joint));
        }
      }
      groups = Merge(pool, std::move(product));
    }
    for (Group& group : groups) {
      std::vector<FormulaId> rest = counted;
      rest.push_back(group.rest);
      group.rest = pool->And(std::move(rest));
    }
  }
  std::erase_if(groups, [](const Group& group) { return group.rest == kFalseFormula; });
  return groups;
}

}  // namespace

std::vector<Group> SplitByRules(FormulaPool* pool, FormulaId formula,
                                const std::function<bool(const Group&)>& is_possible) {
  return Split(pool, formula, is_possible);
}

}  // namespace maskloom
