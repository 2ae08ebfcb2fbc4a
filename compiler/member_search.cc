#include "compiler/member_search.h"

#include <tsl/robin_set.h>

#include <algorithm>
#include <bit>
#include <map>

namespace maskloom {
namespace {

constexpr int64_t kInfinite = int64_t{1} << 50;  // more than any count, sums of few stay in range
constexpr size_t kFirstBuckets = 16;

int64_t Clamped(uint64_t value) {
  return value >= static_cast<uint64_t>(kInfinite) ? kInfinite : static_cast<int64_t>(value);
}

// Adds a range to ascending ranges that stay apart.
void AddRange(std::vector<std::pair<int64_t, int64_t>>* ranges, std::pair<int64_t, int64_t> range) {
  if (range.first > range.second) return;
  size_t i = 0;
  while (i < ranges->size() && (*ranges)[i].second + 1 < range.first) ++i;
  size_t j = i;
  for (; j < ranges->size() && (*ranges)[j].first <= range.second + 1; ++j) {
    range.first = std::min(range.first, (*ranges)[j].first);
    range.second = std::max(range.second, (*ranges)[j].second);
  }
  const auto at = ranges->begin() + static_cast<ptrdiff_t>(i);
  ranges->insert(ranges->erase(at, ranges->begin() + static_cast<ptrdiff_t>(j)), range);
}

// Ors `source`, moved up by `shift` places (0 or 1), into `target`.
void OrShifted(const uint64_t* source, uint32_t shift, size_t words, uint64_t* target) {
  uint64_t carry = 0;
  for (size_t i = 0; i < words; ++i) {
    target[i] |= shift == 0 ? source[i] : source[i] << 1 | carry;
    carry = source[i] >> 63;
  }
}

// Ors `source`, moved down by `shift` places (0 or 1), into `target`.
void OrShiftedDown(const uint64_t* source, uint32_t shift, size_t words, uint64_t* target) {
  for (size_t i = 0; i < words; ++i) {
    const uint64_t carry = i + 1 < words ? source[i + 1] << 63 : 0;
    target[i] |= shift == 0 ? source[i] : source[i] >> 1 | carry;
  }
}

// Does `source`, moved up by `shift` places, share a bit with `other`?
bool MeetsShifted(const uint64_t* source, uint32_t shift, size_t words, const uint64_t* other) {
  uint64_t carry = 0;
  for (size_t i = 0; i < words; ++i) {
    if (other[i] & (shift == 0 ? source[i] : source[i] << 1 | carry)) return true;
    carry = source[i] >> 63;
  }
  return false;
}

// Is more better for all counters of `counts`, or less?
bool AreAll(const MarkLayout& layout, uint64_t counts, bool at_least) {
  for (; counts != 0; counts &= counts - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(counts));
    if (layout.fields()[index].at_least != at_least) return false;
  }
  return true;
}

// Is adding the counters of `a` always at least as good as adding those of `b`?
bool AddsAsGood(const MarkLayout& layout, uint64_t a, uint64_t b) {
  return AreAll(layout, a & ~b, true) && AreAll(layout, b & ~a, false);
}

void SetBits(uint64_t* bits, int64_t first, int64_t last) {
  for (int64_t i = first; i <= last; ++i) bits[i / 64] |= uint64_t{1} << (i % 64);
}

}  // namespace

bool MemberSearch::IsOpen(uint32_t name) const {
  if (Seen(name) || table_->order[name] < state_->last) return false;
  const std::vector<MemberChoice>& choices = table_->choices[name];
  return std::any_of(choices.begin(), choices.end(),
                     [&](const MemberChoice& choice) { return Fits(choice); });
}

// Counts the names that may come whatever the condition says. Returns whether none that is
// required is missing for good.
bool MemberSearch::CountFreeNames() {
  free_required_ = free_optional_ = 0;
  places_ = 1;
  for (uint32_t i = 0; i < table_->names.size(); ++i) {
    const bool open = IsOpen(i);
    places_ += open;
    if (!table_->is_free[i]) continue;
    if (IsRequired(i) && !Seen(i)) {
      if (!open) return false;
      ++free_required_;
    } else {
      free_optional_ += open;
    }
  }
  return true;
}

uint32_t MemberSearch::EntryAt(size_t level_begin, uint32_t node, uint64_t marks) {
  const size_t count = entries_.size() - level_begin;
  const auto bucket_of = [&](uint32_t n, uint64_t m) {
    const uint64_t hash = (m ^ uint64_t{n} << 32) * 0x9E3779B97F4A7C15u + n;
    return (hash * 0x9E3779B97F4A7C15u >> 32) & bucket_mask_;
  };
  if (count == 0 || 2 * (count + 1) > bucket_mask_) {
    bucket_mask_ = count == 0 ? kFirstBuckets - 1 : 2 * bucket_mask_ + 1;
    buckets_.assign(bucket_mask_ + 1, 0);
    for (size_t i = level_begin; i < entries_.size(); ++i) {
      size_t bucket = bucket_of(entries_[i].node, entries_[i].marks);
      while (buckets_[bucket] != 0) bucket = (bucket + 1) & bucket_mask_;
      buckets_[bucket] = static_cast<uint32_t>(i) + 1;
    }
  }
  size_t bucket = bucket_of(node, marks);
  for (; buckets_[bucket] != 0; bucket = (bucket + 1) & bucket_mask_) {
    const Entry& entry = entries_[buckets_[bucket] - 1];
    if (entry.node == node && entry.marks == marks) return buckets_[bucket] - 1;
  }
  entries_.push_back({node, marks, 0, 0});
  buckets_[bucket] = static_cast<uint32_t>(entries_.size());
  return buckets_[bucket] - 1;
}

void MemberSearch::AddMove(size_t level_begin, uint32_t node, uint64_t marks, uint32_t choice) {
  if (node == ConditionDiagram::kDead) return;
  moves_.push_back({EntryAt(level_begin, node, marks), choice});
}

void MemberSearch::ExpandLevel(const ConditionDiagram::Level& level, size_t begin, size_t end) {
  const ConditionDiagram& diagram = *table_->diagram;
  for (size_t e = begin; e < end; ++e) {
    const uint32_t node = entries_[e].node;
    const uint64_t marks = entries_[e].marks;
    entries_[e].moves_begin = static_cast<uint32_t>(moves_.size());
    if (level.reads == ConditionDiagram::Reads::kCounter) {
      AddMove(end, diagram.Child(node, table_->marks.Get(marks, level.index)),
              marks & ~table_->marks.fields()[level.index].mask, 0);
    } else if (Seen(level.index)) {
      AddMove(end, diagram.Child(node, 1), marks, 0);
    } else {
      AddMove(end, diagram.Child(node, 0), marks, 0);  // of required names there is none
      if (IsOpen(level.index)) {
        const uint32_t present = diagram.Child(node, 1);
        const std::vector<MemberChoice>& choices = table_->choices[level.index];
        for (uint32_t c = 0; c < choices.size(); ++c) {
          if (!Fits(choices[c])) continue;
          AddMove(end, present, table_->marks.Add(marks, choices[c].counts), c + 1);
        }
      }
    }
    entries_[e].moves_end = static_cast<uint32_t>(moves_.size());
  }
}

const std::vector<uint64_t>& MemberSearch::BestCounts(size_t k) {
  while (best_counts_.size() <= k) {
    const size_t slot = table_->names.size() + best_counts_.size();
    std::vector<uint64_t>& best = best_counts_.emplace_back();
    for (const MemberChoice& choice : table_->choices[slot]) {
      const auto is_idle = [&](uint64_t other) {
        return AddsAsGood(table_->marks, other, choice.counts);
      };
      if (!Fits(choice) || std::any_of(best.begin(), best.end(), is_idle)) continue;
      std::erase_if(
          best, [&](uint64_t other) { return AddsAsGood(table_->marks, choice.counts, other); });
      best.push_back(choice.counts);
    }
  }
  return best_counts_[k];
}

MemberSearch::Outcomes MemberSearch::OutcomesOf(uint64_t marks,
                                                const std::vector<uint32_t>& class_left) {
  Outcomes outcomes{{marks, {{0, 0}}}};
  for (size_t k = 0; k < class_left.size(); ++k) {
    const std::vector<uint64_t>& choices = BestCounts(k);
    const int64_t left = class_left[k] == kNoLimit ? kInfinite : int64_t{class_left[k]};
    if (left == 0 || choices.empty()) continue;
    std::map<uint64_t, SizeRanges> merged;
    for (const auto& [from, before] : outcomes) {
      // Adding raises the packed marks or leaves them, so each is done when its turn comes.
      std::map<uint64_t, SizeRanges> used{{from, {{0, 0}}}};
      for (auto it = used.begin(); it != used.end(); ++it) {
        if (it->second.empty()) continue;  // too few keys are left for these
        for (const uint64_t counts : choices) {
          if (table_->marks.Add(it->first, counts) == it->first) {
            AddRange(&it->second, {it->second.front().first, left});
          }
        }
        for (const uint64_t counts : choices) {
          const uint64_t next = table_->marks.Add(it->first, counts);
          if (next == it->first) continue;
          SizeRanges& ranges = used[next];
          for (const auto& [first, last] : it->second) {
            AddRange(&ranges, {first + 1, std::min(last + 1, left)});
          }
        }
        SizeRanges& sum = merged[it->first];
        for (const auto& [first, last] : it->second) {
          for (const auto& [earliest, latest] : before) {
            AddRange(&sum, {first + earliest, std::min(last + latest, kInfinite)});
          }
        }
      }
    }
    outcomes.assign(merged.begin(), merged.end());
  }
  return outcomes;
}

MemberSearch::Outcomes MemberSearch::ReachedFrom(uint64_t marks) {
  std::vector<uint64_t> counts;
  for (size_t k = 0; table_->names.size() + k < table_->choices.size(); ++k) {
    for (const uint64_t one : BestCounts(k)) counts.push_back(one);
  }
  // What only makes marks better is taken first, as often as it helps.
  std::erase_if(counts, [&](uint64_t more) {
    if (!AreAll(table_->marks, more, true)) return false;
    for (uint64_t before = ~marks; before != marks;) {
      before = marks;
      marks = table_->marks.Add(marks, more);
    }
    return true;
  });
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  Outcomes outcomes{{marks, {{0, kInfinite}}}};
  tsl::robin_set<uint64_t> reached{marks};
  for (size_t i = 0; i < outcomes.size(); ++i) {
    for (const uint64_t more : counts) {
      const uint64_t next = table_->marks.Add(outcomes[i].first, more);
      if (reached.insert(next).second) outcomes.push_back({next, {{0, kInfinite}}});
    }
  }
  return outcomes;
}

const MemberSearch::Outcomes& MemberSearch::FirstOutcomesOf(uint64_t marks) {
  auto it = first_outcomes_.find(marks);
  if (it == first_outcomes_.end()) {
    const std::vector<uint32_t> left(state_->class_left.begin(), state_->class_left.end());
    const bool endless =
        std::all_of(left.begin(), left.end(), [](uint32_t number) { return number == kNoLimit; });
    it = first_outcomes_
             .insert({marks, endless && !sized_ ? ReachedFrom(marks) : OutcomesOf(marks, left)})
             .first;
  }
  return it->second;
}

template <typename Visit>
void MemberSearch::VisitSizes(const Tail& tail, const Outcomes& outcomes, Visit visit) const {
  const ConditionDiagram& diagram = *table_->diagram;
  const int64_t count = int64_t{state_->count} + tail.added;
  const int64_t min = table_->min;
  const int64_t max = table_->max == kNoLimit ? kInfinite : int64_t{table_->max};
  for (const auto& [marks, others] : outcomes) {
    uint32_t node = tail.node;
    for (size_t i = diagram.others_level(); i < diagram.levels().size(); ++i) {
      node = diagram.Child(node, table_->marks.Get(marks, diagram.levels()[i].index));
      if (node == ConditionDiagram::kDead) break;
    }
    if (node == ConditionDiagram::kDead) continue;
    for (const auto& [first, last] : others) {
      const int64_t least = first + tail.free_least;
      const int64_t most = last + tail.free_most;
      if (!sized_) {
        if (!diagram.Sizes(node).empty()) visit(least, most, -kInfinite, kInfinite);
        continue;
      }
      for (const ConditionDiagram::SizeRange& fine : diagram.Sizes(node)) {
        const int64_t low = std::max(Clamped(fine.first), min) - count;
        const int64_t high = std::min(Clamped(fine.last), max);
        if (low + count <= high) {
          visit(least, most, low, high == kInfinite ? kInfinite : high - count);
        }
      }
    }
  }
}

int64_t MemberSearch::FewestOf(const Tail& tail) {
  int64_t fewest = -1;
  const auto take = [&](int64_t least, int64_t most, int64_t low, int64_t high) {
    const int64_t needed = std::max(least, low);
    if (needed > std::min(most, high)) return;
    if (fewest < 0 || needed < fewest) fewest = needed;
  };
  // Mostly no undeclared key is needed, and then it need not be known what these lead to.
  VisitSizes(tail, {{tail.marks, {{0, 0}}}}, take);
  if (fewest != 0) VisitSizes(tail, OutcomesOf(tail.marks, tail.class_left), take);
  return fewest;
}

bool MemberSearch::Run(const ObjectTable& table, const MemberState& state, TextCost most) {
  table_ = &table;
  state_ = &state;
  most_ = most;
  entries_.clear();
  moves_.clear();
  level_begins_.clear();
  first_outcomes_.clear();
  best_counts_.clear();
  const ConditionDiagram& diagram = *table.diagram;
  if (diagram.root() == ConditionDiagram::kDead || !CountFreeNames()) return false;
  sized_ = table.counted;
  if (!sized_) places_ = 1;
  words_ = (places_ + 63) / 64;
  EntryAt(0, diagram.root(), state.marks);
  for (size_t i = 0; i < diagram.others_level(); ++i) {
    const size_t begin = level_begins_.empty() ? 0 : level_begins_.back();
    level_begins_.push_back(begin);
    const size_t end = entries_.size();
    ExpandLevel(diagram.levels()[i], begin, end);
    level_begins_.back() = end;
    if (entries_.size() == end) return false;
  }
  backward_.assign(entries_.size() * words_, 0);
  const size_t tails = level_begins_.empty() ? 0 : level_begins_.back();
  Tail tail;
  tail.free_least = free_required_;
  tail.free_most = free_required_ + free_optional_;
  for (size_t e = tails; e < entries_.size(); ++e) {
    tail.node = entries_[e].node;
    tail.marks = entries_[e].marks;
    uint64_t* bits = Bits(&backward_, e);
    const Outcomes& outcomes = FirstOutcomesOf(tail.marks);
    VisitSizes(tail, outcomes, [&](int64_t least, int64_t largest, int64_t low, int64_t high) {
      const int64_t last = static_cast<int64_t>(places_) - 1;
      SetBits(bits, std::max<int64_t>(low - largest, 0), std::min(high - least, last));
    });
  }
  for (size_t e = tails; e-- > 0;) {
    uint64_t* bits = Bits(&backward_, e);
    for (uint32_t m = entries_[e].moves_begin; m < entries_[e].moves_end; ++m) {
      const uint32_t shift = sized_ && moves_[m].choice > 0;
      OrShiftedDown(Bits(&backward_, moves_[m].target), shift, words_, bits);
    }
  }
  return Test(Bits(&backward_, 0), 0);
}

void MemberSearch::FindNames(std::vector<uint64_t>* names) {
  names->assign(table_->word_count(), 0);
  const auto set = [&](uint32_t name) { (*names)[name / 64] |= uint64_t{1} << (name % 64); };
  forward_.assign(entries_.size() * words_, 0);
  forward_[0] = 1;
  const std::vector<ConditionDiagram::Level>& levels = table_->diagram->levels();
  size_t e = 0;
  for (size_t i = 0; i < level_begins_.size(); ++i) {
    for (; e < level_begins_[i]; ++e) {
      const uint64_t* bits = Bits(&forward_, e);
      for (uint32_t m = entries_[e].moves_begin; m < entries_[e].moves_end; ++m) {
        const Move& move = moves_[m];
        const uint32_t shift = sized_ && move.choice > 0;
        if (move.choice > 0 && MeetsShifted(bits, shift, words_, Bits(&backward_, move.target))) {
          set(levels[i].index);
        }
        OrShifted(bits, shift, words_, Bits(&forward_, move.target));
      }
    }
  }
  // Of free names the missing ones must come and further ones may if one more fits.
  bool one_more = !sized_;
  Tail tail;
  tail.free_least = free_required_ + 1;
  tail.free_most = free_required_ + free_optional_;
  for (; e < entries_.size() && !one_more && free_optional_ > 0; ++e) {
    tail.node = entries_[e].node;
    tail.marks = entries_[e].marks;
    const uint64_t* bits = Bits(&forward_, e);
    const Outcomes& outcomes = FirstOutcomesOf(tail.marks);
    VisitSizes(tail, outcomes, [&](int64_t least, int64_t largest, int64_t low, int64_t high) {
      for (int64_t added = 0; added < static_cast<int64_t>(places_) && !one_more; ++added) {
        one_more = Test(bits, static_cast<uint64_t>(added)) && added + least <= high &&
                   added + largest >= low;
      }
    });
  }
  for (uint32_t i = 0; i < table_->names.size(); ++i) {
    if (table_->is_free[i] && IsOpen(i) && (IsRequired(i) || one_more)) set(i);
  }
}

uint32_t MemberSearch::CheapestChoice(uint32_t slot) const {
  const std::vector<MemberChoice>& choices = table_->choices[slot];
  uint32_t best = 0;
  for (uint32_t c = 1; c < choices.size(); ++c) {
    if (choices[c].cost < choices[best].cost) best = c;
  }
  return best;
}

void MemberSearch::PlanTail(Tail tail, std::vector<PlannedMember>* plan) {
  std::vector<uint32_t> free;  // optional ones, cheapest last
  for (uint32_t i = 0; i < table_->names.size(); ++i) {
    if (!table_->is_free[i] || !IsOpen(i)) continue;
    if (IsRequired(i)) {
      plan->push_back({i, table_->choices[i][CheapestChoice(i)], 1});
      ++tail.added;
    } else {
      free.push_back(i);
    }
  }
  const auto cost_of = [&](uint32_t name) {
    return table_->choices[name][CheapestChoice(name)].cost;
  };
  std::sort(free.begin(), free.end(),
            [&](uint32_t a, uint32_t b) { return cost_of(a) > cost_of(b); });
  tail.free_least = 0;
  tail.free_most = static_cast<int64_t>(free.size());
  for (int64_t fewest = FewestOf(tail); fewest > 0;) {
    // One member that brings the end one nearer; there is one.
    std::optional<PlannedMember> best;
    const auto consider = [&](const Tail& next, uint32_t slot, const MemberChoice& choice) {
      if (best && best->choice.cost <= choice.cost) return;
      if (FewestOf(next) == fewest - 1) best = PlannedMember{slot, choice, 1};
    };
    Tail next = tail;
    ++next.added;
    if (!free.empty()) {
      --next.free_most;
      consider(next, free.back(), table_->choices[free.back()][CheapestChoice(free.back())]);
      ++next.free_most;
    }
    for (uint32_t k = 0; k < tail.class_left.size(); ++k) {
      if (tail.class_left[k] == 0) continue;
      const uint32_t slot = table_->names.size() + k;
      if (tail.class_left[k] != kNoLimit) --next.class_left[k];
      for (const MemberChoice& choice : table_->choices[slot]) {
        if (!Fits(choice)) continue;
        next.marks = table_->marks.Add(tail.marks, choice.counts);
        consider(next, slot, choice);
      }
      next.class_left[k] = tail.class_left[k];
    }
    if (!best) return;
    int64_t times = 1;
    if (best->slot < table_->names.size()) {
      free.pop_back();
      --tail.free_most;
    } else {
      const uint32_t k = best->slot - table_->names.size();
      const uint64_t marks = table_->marks.Add(tail.marks, best->choice.counts);
      if (tail.class_left[k] != kNoLimit) {
        --tail.class_left[k];
      } else if (marks == tail.marks) {
        // Nothing but the number changes, so many can be taken at once.
        const auto is_near = [&](int64_t number) {
          next = tail;
          next.added += number;
          return FewestOf(next) == fewest - number;
        };
        for (times = fewest; times > 1 && !is_near(times);) times /= 2;
      }
      tail.marks = marks;
    }
    tail.added += times;
    fewest -= times;
    best->times = static_cast<uint64_t>(times);
    if (!plan->empty() && plan->back().slot == best->slot &&
        plan->back().choice.value == best->choice.value) {
      plan->back().times += best->times;
    } else {
      plan->push_back(*best);
    }
  }
}

std::vector<PlannedMember> MemberSearch::MakePlan() {
  std::vector<PlannedMember> plan;
  size_t entry = 0;
  uint64_t added = 0;
  const std::vector<ConditionDiagram::Level>& levels = table_->diagram->levels();
  for (size_t i = 0; i < level_begins_.size(); ++i) {
    const Move* best = nullptr;
    const auto cost_of = [&](const Move& move) {
      return move.choice == 0 ? 0 : table_->choices[levels[i].index][move.choice - 1].cost;
    };
    for (uint32_t m = entries_[entry].moves_begin; m < entries_[entry].moves_end; ++m) {
      const Move& move = moves_[m];
      const uint64_t place = sized_ ? added + (move.choice > 0) : 0;
      if (place >= places_ || !Test(Bits(&backward_, move.target), place)) continue;
      if (best == nullptr || cost_of(move) < cost_of(*best)) best = &move;
    }
    if (best->choice > 0) {
      plan.push_back({levels[i].index, table_->choices[levels[i].index][best->choice - 1], 1});
      ++added;
    }
    entry = best->target;
  }
  Tail tail;
  tail.node = entries_[entry].node;
  tail.marks = entries_[entry].marks;
  tail.added = static_cast<int64_t>(added);
  tail.class_left.assign(state_->class_left.begin(), state_->class_left.end());
  PlanTail(std::move(tail), &plan);
  return plan;
}

}  // namespace maskloom
