#include "compiler/member_solver.h"

#include <algorithm>

#include "compiler/member_search.h"

namespace maskloom {

struct MemberSolver::Answer {
  std::vector<uint64_t> key;
  uint64_t hash = 0;
  bool may_finish = false;
  bool has_options = false;     // are the following known?
  std::vector<uint64_t> names;  // may come next; empty in declared order
  std::vector<bool> classes;
};

namespace {

// Enough for the objects of a union of hundreds, each of which is asked at a few places of a step.
constexpr size_t kAnswers = 4096;
constexpr TextCost kAnyCost = kNoText - 1;

}  // namespace

// Returns the kept answer for `state`, which may have been forgotten by the next call.
MemberSolver::Answer& MemberSolver::Find(const MemberState& state) const {
  struct Scratch {
    std::vector<Answer> answers = std::vector<Answer>(kAnswers);
    std::vector<uint64_t> key;
    MemberSearch search;
  };
  static thread_local Scratch scratch;
  std::vector<uint64_t>& key = scratch.key;
  key.assign({table_.id, state.marks, state.count | uint64_t{state.last} << 32});
  key.insert(key.end(), state.seen.begin(), state.seen.end());
  key.insert(key.end(), state.class_left.begin(), state.class_left.end());
  uint64_t hash = 0x243F6A8885A308D3u;
  for (const uint64_t word : key) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  Answer& answer = scratch.answers[hash % kAnswers];
  if (answer.hash == hash && answer.key == key) return answer;
  answer.key = key;
  answer.hash = hash;
  answer.may_finish = scratch.search.Run(table_, state, kAnyCost);
  answer.has_options = false;
  return answer;
}

bool MemberSolver::MayFinish(const MemberState& state) const { return Find(state).may_finish; }

namespace {

// The state behind one more key of class `index`, taken by `choice`. `left` is its memory.
MemberState WithClass(const ObjectTable& table, const MemberState& state, uint32_t index,
                      const MemberChoice& choice, std::vector<uint32_t>* left) {
  left->assign(state.class_left.begin(), state.class_left.end());
  if ((*left)[index] != kNoLimit) --(*left)[index];
  MemberState next = state;
  next.class_left = *left;
  next.marks = table.marks.Add(state.marks, choice.counts);
  next.count = table.NextCount(state.count);
  if (state.declared_order) next.last = table.names.size();
  return next;
}

}  // namespace

const MemberSolver::Answer& MemberSolver::FindOptions(const MemberState& state) const {
  Answer* answer = &Find(state);
  if (answer->has_options) return *answer;
  std::vector<bool> classes(state.class_left.size());
  std::vector<uint32_t> left;
  for (uint32_t k = 0; k < classes.size(); ++k) {
    if (state.class_left[k] == 0 || state.count >= table_.max) continue;
    for (const MemberChoice& choice : table_.choices[table_.names.size() + k]) {
      classes[k] = MayFinish(WithClass(table_, state, k, choice, &left));
      if (classes[k]) break;
    }
  }
  answer = &Find(state);  // the questions above may have taken its place
  answer->classes = std::move(classes);
  answer->has_options = true;
  answer->names.clear();
  if (state.declared_order) return *answer;
  static thread_local MemberSearch search;
  if (answer->may_finish && search.Run(table_, state, kAnyCost)) {
    search.FindNames(&answer->names);
  } else {
    answer->names.assign(table_.word_count(), 0);
  }
  return *answer;
}

bool MemberSolver::MayAddName(const MemberState& state, uint32_t index) const {
  // In any order, what comes at some time may come next.
  if (!state.declared_order) return FindOptions(state).names[index / 64] >> (index % 64) & 1;
  if (table_.order[index] < state.last || state.count >= table_.max) return false;
  std::vector<uint64_t> seen(state.seen.begin(), state.seen.end());
  if (seen[index / 64] >> (index % 64) & 1) return false;
  seen[index / 64] |= uint64_t{1} << (index % 64);
  MemberState next = state;
  next.seen = seen;
  next.count = table_.NextCount(state.count);
  next.last = table_.order[index] + 1;
  for (const MemberChoice& choice : table_.choices[index]) {
    next.marks = table_.marks.Add(state.marks, choice.counts);
    if (MayFinish(next)) return true;
  }
  return false;
}

bool MemberSolver::MayAddNameIn(const MemberState& state, uint32_t begin, uint32_t end) const {
  if (state.declared_order) {
    while (begin < end && !MayAddName(state, begin)) ++begin;
    return begin < end;
  }
  const std::vector<uint64_t>& names = FindOptions(state).names;
  while (begin < end && (names[begin / 64] >> (begin % 64) & 1) == 0) ++begin;
  return begin < end;
}

bool MemberSolver::MayAddClass(const MemberState& state, uint32_t index) const {
  return FindOptions(state).classes[index];
}

std::optional<std::vector<PlannedMember>> MemberSolver::Plan(const MemberState& state) const {
  std::vector<TextCost> costs{0};
  for (const std::vector<MemberChoice>& choices : table_.choices) {
    for (const MemberChoice& choice : choices) {
      if (choice.cost != kNoText) costs.push_back(choice.cost);
    }
  }
  std::sort(costs.begin(), costs.end());
  costs.erase(std::unique(costs.begin(), costs.end()), costs.end());
  // Small costs do for most objects, and with them few choices are looked at.
  static thread_local MemberSearch search;
  size_t low = 0;   // what is less is not enough
  size_t high = 0;  // this is
  while (!search.Run(table_, state, costs[high])) {
    if (high + 1 == costs.size()) return std::nullopt;
    low = high + 1;
    high = std::min(2 * high + 1, costs.size() - 1);
  }
  size_t searched = high;
  while (low < high) {
    searched = (low + high) / 2;
    if (search.Run(table_, state, costs[searched])) {
      high = searched;
    } else {
      low = searched + 1;
    }
  }
  if (searched != high) search.Run(table_, state, costs[high]);
  return search.MakePlan();
}

}  // namespace maskloom
