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

class Splitter {
 public:
  Splitter(FormulaPool* pool, const GroupGuide& guide) : pool_(pool), guide_(guide) {}

  Groups Split(FormulaId formula);

 private:
  Groups SplitEach(const std::vector<FormulaId>& formulas);
  Groups SplitAnd(FormulaId formula);
  // Multiplies unions out as a whole or not at all: a few unions less would be many groups more.
  bool MultiplyAll(const std::vector<std::pair<FormulaId, Groups>>& unions, Groups* groups);
  void MultiplySome(const std::vector<std::pair<FormulaId, Groups>>& unions, Groups* groups);

  FormulaPool* pool_;
  const GroupGuide& guide_;
  bool in_case_ = false;
  bool in_union_ = false;
  size_t allowance_ = Budget(kMaxGroups);  // groups that cases may be split into, all together
};

Groups Splitter::Split(FormulaId formula) {
  if (formula == kFalseFormula) return {};
  if (!pool_->KeepsSomeRule(formula)) return {{{}, formula}};
  if (pool_->IsLiteral(formula)) return {{{formula}, kTrueFormula}};
  if (!pool_->IsOr(formula)) return SplitAnd(formula);
  const bool before = std::exchange(in_union_, true);
  Groups groups = SplitEach(pool_->PartsOf(formula));
  in_union_ = before;
  return groups;
}

Groups Splitter::SplitEach(const std::vector<FormulaId>& formulas) {
  Groups groups;
  for (const FormulaId one : formulas) {
    Groups more = Split(one);
    groups.insert(groups.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  return Merge(pool_, std::move(groups));
}

Groups Splitter::SplitAnd(FormulaId formula) {
  Group common;
  std::vector<FormulaId> rest;
  std::vector<FormulaId> united;
  for (const FormulaId part : pool_->PartsOf(formula)) {
    if (!pool_->KeepsSomeRule(part)) {
      rest.push_back(part);
    } else if (pool_->IsLiteral(part)) {
      common.kept.push_back(part);
    } else {
      united.push_back(part);
    }
  }
  // Inside a union what is around it is not known, and may make the whole of it needless.
  if (united.size() >= kMinUnionsForCases && guide_.cases_of && !in_union_) {
    const size_t most = in_case_ ? allowance_ : Budget(kMaxGroupPairs);
    const std::vector<FormulaId> cases = guide_.cases_of(formula, most);
    if (!cases.empty()) {
      if (in_case_) allowance_ -= cases.size() - 1;
      const bool before = std::exchange(in_case_, true);
      Groups groups = SplitEach(cases);
      in_case_ = before;
      return groups;
    }
  }
  std::vector<std::pair<FormulaId, Groups>> unions;
  for (const FormulaId part : united) unions.push_back({part, Split(part)});
  std::stable_sort(unions.begin(), unions.end(),
                   [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  common.rest = pool_->And(std::move(rest));
  Groups groups;
  groups.push_back(std::move(common));
  if (!MultiplyAll(unions, &groups)) MultiplySome(unions, &groups);
  std::erase_if(groups, [](const Group& group) { return group.rest == kFalseFormula; });
  return groups;
}

bool Splitter::MultiplyAll(const std::vector<std::pair<FormulaId, Groups>>& unions,
                           Groups* groups) {
  Groups whole = *groups;
  const size_t most = in_case_ ? allowance_ : Budget(kMaxGroups);
  for (const auto& [part, branches] : unions) {
    Groups product;
    bool fits = !whole.empty() && whole.size() * branches.size() <= Budget(kMaxGroupPairs);
    for (size_t i = 0; i < whole.size() && fits; ++i) {
      for (const Group& branch : branches) {
        Group joint;
        if (!JoinGroups(pool_, whole[i], branch, &joint)) continue;
        if (joint.kept.size() > 1 && !guide_.is_possible(joint)) continue;
        product.push_back(std::move(joint));
      }
      fits = product.size() <= most || whole.size() == 1 || branches.size() == 1;
    }
    if (!fits) return false;
    whole = Merge(pool_, std::move(product));
    if (whole.empty()) break;
  }
  if (in_case_ && whole.size() > 1) allowance_ -= std::min(allowance_, whole.size() - 1);
  *groups = std::move(whole);
  return true;
}

void Splitter::MultiplySome(const std::vector<std::pair<FormulaId, Groups>>& unions,
                            Groups* groups) {
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
    for (const Group& group : *groups) {
      for (const Group& branch : branches) {
        Group joint;
        if (JoinGroups(pool_, group, branch, &joint)) product.push_back(std::move(joint));
      }
    }
    *groups = Merge(pool_, std::move(product));
  }
  for (Group& group : *groups) {
    std::vector<FormulaId> rest = counted;
    rest.push_back(group.rest);
    group.rest = pool_->And(std::move(rest));
  }
}

}  // namespace

std::vector<Group> SplitByRules(FormulaPool* pool, FormulaId formula, const GroupGuide& guide) {
  return Splitter(pool, guide).Split(formula);
}

}  // namespace maskloom
