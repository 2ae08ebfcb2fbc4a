#include "compiler/region_finder.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "grammar/base/budget.h"

namespace maskloom {
namespace {

// Below this length the search goes on for one that is longer with fewer categories.
constexpr uint32_t kMinLength = 8;
// A length below this covers too few tokens to be worth a row.
constexpr uint32_t kShortLength = 2;
constexpr uint32_t kMaxStates = 256;
constexpr int kMaxAttempts = 6;

// Few tokens are longer than that; more hold a letter of any kind.
constexpr uint32_t kLongLength = 12;
// With fewer ASCII characters a walk is short.
constexpr uint32_t kMinWithGaps = 20;

// Categories of characters beyond ASCII.
CategorySet CategoriesBeyond() { return ~(AsciiCategories() | ContinuationCategory()); }

CategorySet LetterCategories() {
  return CategoryBit('a') | CategoryBit('z') | CategoryBit('A') | CategoryBit('Z');
}

// Categories of ASCII that are neither letters nor digits.
CategorySet MarkCategories() { return AsciiCategories() & ~(WideCategories() | HexCategories()); }

// Categories all of whose code points have an edge from `state`.
CategorySet FullCategories(const TextAutomaton& automaton, uint32_t state) {
  CategorySet seen = 0, missing = 0;
  const auto edges = automaton.EdgesOf(state);
  size_t i = 0;
  for (const CategoryRange& category : CategoryRanges()) {
    while (i < edges.size() && edges[i].last < category.range.first) ++i;
    // Edges that touch or follow each other cover the range together; surrogates lie in no range.
    uint32_t next = category.range.first;
    for (size_t j = i; j < edges.size() && edges[j].first <= next; ++j) {
      next = std::max(next, edges[j].last + 1);
    }
    (next > category.range.last ? seen : missing) |= category.bit;
  }
  return seen & ~missing;
}

// Do `a` and `b`, ascending ranges from places `*i` and `*j` on, have the same code points of
// `within`? Moves the places to what lies behind it.
bool AreSameWithin(const CodePointRange& within, std::span<const CodePointRange> a, size_t* i,
                   std::span<const CodePointRange> b, size_t* j) {
  const auto clipped = [&](std::span<const CodePointRange> ranges, size_t* place) {
    while (*place < ranges.size() && ranges[*place].last < within.first) ++*place;
    if (*place == ranges.size() || ranges[*place].first > within.last) {
      return CodePointRange{1, 0};
    }
    return CodePointRange{std::max(ranges[*place].first, within.first),
                          std::min(ranges[*place].last, within.last)};
  };
  for (;;) {
    const CodePointRange one = clipped(a, i), other = clipped(b, j);
    if (one != other) return false;
    if (one.first > one.last || one.last == within.last) return true;
    ++*i;
    ++*j;
  }
}

}  // namespace

const std::vector<CodePointRange>& AutomatonView::CoveredBy(uint32_t state) {
  std::vector<CodePointRange>& covered = Of(state).covered;
  if (!covered.empty()) return covered;
  for (const TextAutomaton::Edge& edge : automaton_.EdgesOf(state)) {
    if (!covered.empty() && covered.back().last + 1 == edge.first) {
      covered.back().last = edge.last;
    } else {
      covered.push_back({edge.first, edge.last});
    }
  }
  return covered;
}

CategorySet AutomatonView::SameCategories(uint32_t state, uint32_t other) {
  StateView& view = Of(state);
  if (state == other) return view.touched;
  if (view.compared == other) return view.same;
  const std::vector<CodePointRange>& a = CoveredBy(state);
  const std::vector<CodePointRange>& b = CoveredBy(other);
  view.compared = other;
  view.same = view.touched;
  size_t i = 0, j = 0;
  for (const CategoryRange& category : CategoryRanges()) {
    if (!AreSameWithin(category.range, a, &i, b, &j)) view.same &= ~category.bit;
  }
  return view.same;
}

StateView AutomatonView::MakeView(uint32_t state) const {
  StateView view;
  view.full = FullCategories(endless_, state);
  const std::vector<CategoryRange>& ranges = CategoryRanges();
  size_t first = 0;
  for (const TextAutomaton::Edge& edge : automaton_.EdgesOf(state)) {
    while (first < ranges.size() && ranges[first].range.last < edge.first) ++first;
    CategorySet categories = 0;
    for (size_t i = first; i < ranges.size() && ranges[i].range.first <= edge.last; ++i) {
      categories |= ranges[i].bit;
    }
    view.touched |= categories;
    const auto known = std::find_if(view.targets.begin(), view.targets.end(),
                                    [&](const auto& one) { return one.first == edge.target; });
    if (known == view.targets.end()) {
      view.targets.push_back({edge.target, categories});
    } else {
      known->second |= categories;
    }
  }
  return view;
}

bool RegionFinder::HasMore(uint32_t state, CategorySet categories) {
  const StateView& view = view_.Of(state);
  const CategorySet more = view.full & ~categories;
  if ((more & (WideCategories() | CategoryBit(' '))) != 0) return true;
  return more != 0 && std::all_of(view.targets.begin(), view.targets.end(), [&](const auto& one) {
           return (one.second & more) == 0 || view_.Of(one.first).met == search_;
         });
}

bool RegionFinder::Outlasts(uint32_t start, CategorySet categories, uint32_t length) {
  // Few tokens are.
  if (length > CategoryIndex::kMaxLengthRow) return true;
  std::vector<uint32_t> layer{start}, next;
  size_t visited = 0;
  for (uint32_t behind = 0; behind <= length; ++behind) {
    visited += layer.size();
    if (visited > kMaxLayerStates) return true;
    next.clear();
    const uint32_t search = view_.BeginSearch();
    for (const uint32_t state : layer) view_.AppendTargets(state, categories, search, &next);
    if (next.empty()) return false;
    layer.swap(next);
  }
  return true;
}

bool RegionFinder::IsAlike(char mark, std::span<const uint32_t> states) const {
  const auto behind = [&](uint32_t state) {
    return mark == '"' ? view_.automaton().labels[state]
                       : view_.automaton().Step(state, static_cast<uint8_t>(mark));
  };
  return std::all_of(states.begin(), states.end(),
                     [&](uint32_t state) { return behind(state) == behind(states[0]); });
}

CategorySet RegionFinder::AlikeMarks(CategorySet categories) {
  const auto states = std::span(states_).subspan(1);
  const CategorySet marks = (ExitsOf(categories) | excluded_) & ~categories;
  if (states.size() <= 1) return marks;
  CategorySet alike = 0;
  // An escape can spell any character.
  for (CategorySet rest = marks & ~CategoryBit('\\'); rest != 0; rest &= rest - 1) {
    const std::optional<char> mark = MarkOf(static_cast<uint8_t>(std::countr_zero(rest)));
    if (mark && IsAlike(*mark, states)) alike |= rest & -rest;
  }
  return alike;
}

CategorySet RegionFinder::ExitsOf(CategorySet categories) {
  CategorySet found = 0;
  for (const uint32_t state : states_) found |= view_.Of(state).touched;
  return found & ~categories & ~excluded_;
}

TextRegion RegionFinder::FindBounded(uint32_t start) {
  CategorySet categories = FullAt(start);
  TextRegion shorter;  // what is found if nothing else is
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if ((categories & WideCategories()) == 0) break;
    Begin(start);
    size_t layer = 0;
    CategorySet lacking = 0;
    uint32_t length = 0;
    for (;; ++length) {
      const size_t layer_end = states_.size();
      if (layer == layer_end) return Found(categories, CategoryIndex::kAnyLength);
      for (size_t i = layer; i < layer_end; ++i) lacking |= categories & ~FullAt(states_[i]);
      if (lacking != 0 || layer_end > Budget(kMaxStates)) break;
      for (size_t i = layer; i < layer_end; ++i) AppendTargets(states_[i], categories);
      layer = layer_end;
    }
    TextRegion found = Found(categories, length);
    found.is_whole = !Outlasts(start, categories, length);
    if (length >= kMinLength || lacking == 0) return found;
    if (length >= kShortLength && length > shorter.length) shorter = found;
    categories &= ~lacking;
  }
  return shorter;
}

TextRegion RegionFinder::FindWide(uint32_t start) {
  const TextRegion region = FindBounded(start);
  if (region.length == CategoryIndex::kAnyLength) return region;
  const TextRegion closed = FindClosed(start);
  // What lasts for ever is better, unless something is left out that matters before long.
  const CategorySet left_out = region.categories & ~closed.categories;
  const bool is_long = region.length >= CategoryIndex::kMaxLengthRow ||
                       (region.length >= kLongLength && (left_out & LetterCategories()) != 0);
  return closed.categories != 0 && (!is_long || left_out == 0) ? closed : region;
}

bool RegionFinder::MayHaveGaps(uint32_t start) {
  uint32_t ascii = 0;
  for (const CodePointRange& range : view_.CoveredBy(start)) {
    if (range.first < 0x80) ascii += std::min(range.last, 0x7Fu) - range.first + 1;
  }
  const CategorySet touched = view_.Of(start).touched & ~excluded_;
  return ascii >= kMinWithGaps && (touched & ~view_.Of(start).full) != 0;
}

TextRegion RegionFinder::FindWithGaps(uint32_t start) {
  if (!MayHaveGaps(start)) return {};
  const TextRegion region = FindWithSameGaps(start);
  return region.length >= kShortLength ? region : FindWithGapsBehindFirst(start);
}

TextRegion RegionFinder::FindWithGapsBehindFirst(uint32_t start) {
  const StateView& view = view_.Of(start);
  const auto by_letters =
      std::find_if(view.targets.begin(), view.targets.end(),
                   [](const auto& one) { return (one.second & LetterCategories()) != 0; });
  if (by_letters == view.targets.end() || by_letters->first == start) return {};
  const uint32_t behind = by_letters->first;
  TextRegion region = FindWithSameGaps(behind);
  if (region.length == 0) return {};
  for (const auto& [target, by] : view.targets) {
    if (target != behind && (by & region.categories) != 0) return {};
  }
  // What comes first may come later, too.
  const std::vector<CodePointRange>& covered = view_.CoveredBy(behind);
  size_t i = 0;
  for (const TextAutomaton::Edge& edge : view_.automaton().EdgesOf(start)) {
    if (edge.target != behind) continue;
    while (i < covered.size() && covered[i].last < edge.last) ++i;
    if (i == covered.size() || covered[i].first > edge.first) return {};
  }
  const CategorySet others = view.touched & ~region.categories & ~excluded_;
  if ((CategoriesBeyond() & others) != 0) return {};
  region.exits |= others;
  if (region.length != CategoryIndex::kAnyLength) ++region.length;
  return region;
}

TextRegion RegionFinder::FindWithSameGaps(uint32_t start) {
  const CategorySet full = view_.Of(start).full;
  const CategorySet touched = view_.Of(start).touched & ~excluded_;
  const CategorySet beyond = CategoriesBeyond();
  gaps_of_ = start;
  // What is beyond ASCII has no exits: marks are to be left out for it.
  TextRegion region = FindClosed(start);
  if ((beyond & touched & ~region.categories) != 0 || region.categories == 0) {
    region = FindWide(start);
  }
  gaps_of_ = std::nullopt;
  if ((region.categories & ~full) == 0 || (beyond & touched & ~region.categories) != 0 ||
      (beyond & region.exits) != 0) {
    return {};
  }
  // Blanks are spelled with the leads of others.
  const CategorySet special = CategorySet{1} << kSpecialSpace;
  if ((region.categories & special) != 0) region.categories |= beyond;
  region.alike = 0;
  region.has_gaps = true;
  region.gaps_of = start;
  return region;
}

TextRegion RegionFinder::FindDigits(uint32_t start) {
  const CategorySet digits = CategoryBit('0');
  const CategorySet hex = FullAt(start) & HexCategories();
  if ((hex & digits) != 0 && hex != digits) {
    const TextRegion found = FindOnly(hex, start);
    const bool is_whole = found.is_whole || found.length == CategoryIndex::kAnyLength;
    if (is_whole && (found.exits & ~MarkCategories()) == 0) return found;
  }
  return FindOnly(digits, start);
}

TextRegion RegionFinder::FindOnly(CategorySet categories, uint32_t start) {
  Begin(start);
  size_t layer = 0;
  for (uint32_t length = 0;; ++length) {
    const size_t layer_end = states_.size();
    if (layer == layer_end) return Found(categories, CategoryIndex::kAnyLength);
    for (size_t i = layer; i < layer_end; ++i) {
      if ((categories & ~FullAt(states_[i])) != 0 || layer_end > Budget(kMaxStates)) {
        if (length < kShortLength) return {};
        TextRegion found = Found(categories, length);
        found.is_whole = !Outlasts(start, categories, length);
        return found;
      }
    }
    for (size_t i = layer; i < layer_end; ++i) AppendTargets(states_[i], categories);
    layer = layer_end;
  }
}

TextRegion RegionFinder::FindWord(uint32_t start) {
  const CategorySet categories = FullAt(start) & ~MarkCategories();
  if ((categories & WideCategories()) == 0) return {};
  const TextRegion found = FindOnly(categories, start);
  return found.is_whole ? found : TextRegion();
}

bool RegionFinder::Close(CategorySet added, CategorySet categories) {
  const size_t closed = states_.size();
  for (size_t i = 0; i < closed; ++i) {
    if ((categories & ~FullAt(states_[i])) != 0) return false;
    AppendTargets(states_[i], added);
  }
  for (size_t i = closed; i < states_.size(); ++i) {
    if ((categories & ~FullAt(states_[i])) != 0 || i > Budget(kMaxStates)) return false;
    AppendTargets(states_[i], categories);
  }
  return true;
}

TextRegion RegionFinder::FindClosed(uint32_t start) {
  Begin(start);
  CategorySet categories = FullAt(start) & WideCategories();
  if (categories == 0 || !Close(categories, categories)) return {};
  for (CategorySet rest = FullAt(start) & ~categories; rest != 0; rest &= rest - 1) {
    const CategorySet added = rest & -rest;
    const size_t closed = states_.size();
    if (Close(added, categories | added)) {
      categories |= added;
    } else {
      Forget(closed);
    }
  }
  return Found(categories, CategoryIndex::kAnyLength);
}

TextRegion RegionFinder::FindEmpty(uint32_t start) {
  Begin(start);
  TextRegion found = Found(0, 0);
  found.is_whole = true;
  return found;
}

}  // namespace maskloom
