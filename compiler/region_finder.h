// Searches for the region of one state of an automaton; see text_region.h.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/category_index.h"
#include "compiler/text_region.h"
#include "grammar/base/code_point_set.h"
#include "grammar/base/text_automaton.h"

namespace maskloom {

// States that are looked at, layer by layer, to tell how long something lasts.
inline constexpr size_t kMaxLayerStates = 400;

// What regions need to know of a state.
struct StateView {
  CategorySet full = 0;     // categories all of whose code points may follow
  CategorySet touched = 0;  // ... some
  // States that follow, and by a character of which categories.
  std::vector<std::pair<uint32_t, CategorySet>> targets;
  uint32_t met = 0;                          // the search that met it last
  std::vector<CodePointRange> covered;       // AutomatonView::CoveredBy, once that was asked for
  uint32_t compared = TextAutomaton::kDead;  // what SameCategories was asked about last
  CategorySet same = 0;                      // what it found
};

// The views of an automaton's states, made when they are asked for.
class AutomatonView {
 public:
  // States are full only of what `endless`, the same automaton or a part of it, has edges for.
  AutomatonView(const TextAutomaton& automaton, const TextAutomaton& endless, CategorySet excluded)
      : automaton_(automaton), endless_(endless), excluded_(excluded) {}

  const TextAutomaton& automaton() const { return automaton_; }
  CategorySet excluded() const { return excluded_; }
  // What it returns stays where it is.
  StateView& Of(uint32_t state) {
    const auto [it, added] = numbers_.try_emplace(state, static_cast<uint32_t>(views_.size()));
    if (!added) return views_[it->second];
    StateView& view = views_.emplace_back(MakeView(state));
    view.full &= ~excluded_;
    return view;
  }
  // The code points that may follow `state`, of `automaton`; ranges that touch are one.
  const std::vector<CodePointRange>& CoveredBy(uint32_t state);
  // Categories of which some characters may follow `state`, and the same ones follow `other`.
  CategorySet SameCategories(uint32_t state, uint32_t other);
  uint32_t BeginSearch() { return ++searches_; }
  // Appends to `states` those behind `state` by a character of `categories` that were not met in
  // `search`.
  void AppendTargets(uint32_t state, CategorySet categories, uint32_t search,
                     std::vector<uint32_t>* states) {
    for (const auto& [target, by] : Of(state).targets) {
      if ((by & categories) == 0) continue;
      StateView& view = Of(target);
      if (view.met == search) continue;
      view.met = search;
      states->push_back(target);
    }
  }

 private:
  StateView MakeView(uint32_t state) const;

  const TextAutomaton& automaton_;
  const TextAutomaton& endless_;
  const CategorySet excluded_;
  tsl::robin_map<uint32_t, uint32_t> numbers_;
  std::deque<StateView> views_;
  uint32_t searches_ = 0;
};

// The region of one state of an automaton, found two ways; see the head of text_region.h.
class RegionFinder {
 public:
  explicit RegionFinder(AutomatonView* view) : view_(*view), excluded_(view->excluded()) {}

  // All of the start's categories, but those that are soon missing, for as long as they last.
  TextRegion FindBounded(uint32_t start);
  // What of the bounded and the closed one covers more.
  TextRegion FindWide(uint32_t start);
  // The same with gaps, if characters beyond ASCII are no exits and many characters may follow;
  // else those of what follows `start`, if only some of their characters may come first.
  TextRegion FindWithGaps(uint32_t start);
  // The digits of numbers to the base of 16, or else of 10, for as long as any may follow.
  TextRegion FindDigits(uint32_t start);
  // `categories`, for as long as any of them may follow.
  TextRegion FindOnly(CategorySet categories, uint32_t start);
  // Letters, and what can be added to them, for ever.
  TextRegion FindClosed(uint32_t start);
  // Letters and digits, if no text of them that is longer may follow.
  TextRegion FindWord(uint32_t start);
  // No text but the empty one.
  TextRegion FindEmpty(uint32_t start);
  // Has `state`, which was met, whole categories that are not of `categories` and make its region
  // better: letters or blanks, or such that lead to states which were met too?
  bool HasMore(uint32_t state, CategorySet categories);
  // The states that were met by the one of these that was called last.
  const std::vector<uint32_t>& states() const { return states_; }

 private:
  // What of a state counts as whole: of what has gaps at gaps_of_, where that is set, what has the
  // same ones. A character that is missing there alone would be one everywhere in the row.
  CategorySet FullAt(uint32_t state) {
    const CategorySet full = view_.Of(state).full;
    if (!gaps_of_) return full;
    const CategorySet gapless = view_.Of(*gaps_of_).full;
    const CategorySet same = view_.SameCategories(state, *gaps_of_) & ~excluded_;
    return (full & gapless) | (same & ~gapless);
  }
  // May FindWithGaps find something?
  bool MayHaveGaps(uint32_t start);
  // The region whose states all have the characters of `start`.
  TextRegion FindWithSameGaps(uint32_t start);
  // The region of the state behind letters, if that has all that leads `start` there.
  TextRegion FindWithGapsBehindFirst(uint32_t start);
  void Begin(uint32_t start) {
    states_.assign(1, start);
    search_ = view_.BeginSearch();
  }
  // Makes states_ as if only the first `count` had been met.
  void Forget(size_t count) {
    states_.resize(count);
    search_ = view_.BeginSearch();
    for (size_t i = 1; i < count; ++i) view_.Of(states_[i]).met = search_;
  }
  // Appends to states_ those behind `state` by a character of `categories` that are not in it yet.
  void AppendTargets(uint32_t state, CategorySet categories) {
    view_.AppendTargets(state, categories, search_, &states_);
  }
  // Appends to states_, which are closed, what is met where `added` is allowed too. Returns whether
  // all have every character of `categories`, which has `added`.
  bool Close(CategorySet added, CategorySet categories);
  // Categories other than `categories` of which some state met has a character that may be spelled
  // as itself.
  CategorySet ExitsOf(CategorySet categories);
  // Of what is not in `categories`, the marks behind which all states are alike that were met
  // behind a character; all if there is but one.
  CategorySet AlikeMarks(CategorySet categories);
  bool IsAlike(char mark, std::span<const uint32_t> states) const;
  // May more than `length` characters of `categories` follow `start`? Perhaps, if that is long to
  // tell.
  bool Outlasts(uint32_t start, CategorySet categories, uint32_t length);
  TextRegion Found(CategorySet categories, uint32_t length) {
    return {categories, length, false, ExitsOf(categories), AlikeMarks(categories)};
  }

  AutomatonView& view_;
  const CategorySet excluded_;
  // The first is where the search began; it is there again if it was met.
  std::vector<uint32_t> states_;
  uint32_t search_ = 0;
  std::optional<uint32_t> gaps_of_;
};

}  // namespace maskloom
