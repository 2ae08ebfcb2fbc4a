#include "compiler/text_region.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/liveness.h"
#include "compiler/object_registers.h"
#include "grammar/base/budget.h"

namespace maskloom {
namespace {

// Below this length the search goes on for one that is longer with fewer categories.
constexpr uint32_t kMinLength = 8;
// A length below this covers too few tokens to be worth a row.
constexpr uint32_t kShortLength = 2;
// Few tokens are longer than that; more hold a letter of any kind.
constexpr uint32_t kLongLength = 12;
constexpr uint32_t kMaxStates = 256;
// Classes of keys that are told apart.
constexpr size_t kMaxTold = 64;
// Sets of such classes whose automata are kept; with others there are no regions.
constexpr size_t kMaxEndlessKeys = 64;
constexpr size_t kMaxNumberStates = 16;
constexpr int kMaxAttempts = 6;
// States that are looked at, layer by layer, to tell how long something lasts.
constexpr size_t kMaxLayerStates = 400;

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

// What regions need to know of a state.
struct StateView {
  CategorySet full = 0;     // categories all of whose code points may follow
  CategorySet touched = 0;  // ... some
  // States that follow, and by a character of which categories.
  std::vector<std::pair<uint32_t, CategorySet>> targets;
  uint32_t met = 0;  // the search that met it last
};

StateView ViewOf(const TextAutomaton& automaton, const TextAutomaton& endless, uint32_t state) {
  StateView view;
  view.full = FullCategories(endless, state);
  const std::vector<CategoryRange>& ranges = CategoryRanges();
  size_t first = 0;
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
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
    StateView& view = views_.emplace_back(ViewOf(automaton_, endless_, state));
    view.full &= ~excluded_;
    return view;
  }
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
  const TextAutomaton& automaton_;
  const TextAutomaton& endless_;
  const CategorySet excluded_;
  tsl::robin_map<uint32_t, uint32_t> numbers_;
  std::deque<StateView> views_;
  uint32_t searches_ = 0;
};

// The region of one state of an automaton, found two ways; see the head of text_region.h.
class Finder {
 public:
  explicit Finder(AutomatonView* view) : view_(*view), excluded_(view->excluded()) {}

  // All of the start's categories, but those that are soon missing, for as long as they last.
  TextRegion FindBounded(uint32_t start);
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
  CategorySet FullAt(uint32_t state) { return view_.Of(state).full; }
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
};

bool Finder::HasMore(uint32_t state, CategorySet categories) {
  const StateView& view = view_.Of(state);
  const CategorySet more = view.full & ~categories;
  if ((more & (WideCategories() | CategoryBit(' '))) != 0) return true;
  return more != 0 && std::all_of(view.targets.begin(), view.targets.end(), [&](const auto& one) {
           return (one.second & more) == 0 || view_.Of(one.first).met == search_;
         });
}

bool Finder::Outlasts(uint32_t start, CategorySet categories, uint32_t length) {
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

bool Finder::IsAlike(char mark, std::span<const uint32_t> states) const {
  const auto behind = [&](uint32_t state) {
    return mark == '"' ? view_.automaton().labels[state]
                       : view_.automaton().Step(state, static_cast<uint8_t>(mark));
  };
  return std::all_of(states.begin(), states.end(),
                     [&](uint32_t state) { return behind(state) == behind(states[0]); });
}

CategorySet Finder::AlikeMarks(CategorySet categories) {
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

CategorySet Finder::ExitsOf(CategorySet categories) {
  CategorySet found = 0;
  for (const uint32_t state : states_) found |= view_.Of(state).touched;
  return found & ~categories & ~excluded_;
}

TextRegion Finder::FindBounded(uint32_t start) {
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

TextRegion Finder::FindDigits(uint32_t start) {
  const CategorySet digits = CategoryBit('0');
  const CategorySet hex = FullAt(start) & HexCategories();
  if ((hex & digits) != 0 && hex != digits) {
    const TextRegion found = FindOnly(hex, start);
    const bool is_whole = found.is_whole || found.length == CategoryIndex::kAnyLength;
    if (is_whole && (found.exits & ~MarkCategories()) == 0) return found;
  }
  return FindOnly(digits, start);
}

TextRegion Finder::FindOnly(CategorySet categories, uint32_t start) {
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

TextRegion Finder::FindWord(uint32_t start) {
  const CategorySet categories = FullAt(start) & ~MarkCategories();
  if ((categories & WideCategories()) == 0) return {};
  const TextRegion found = FindOnly(categories, start);
  return found.is_whole ? found : TextRegion();
}

bool Finder::Close(CategorySet added, CategorySet categories) {
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

TextRegion Finder::FindClosed(uint32_t start) {
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

TextRegion Finder::FindEmpty(uint32_t start) {
  Begin(start);
  TextRegion found = Found(0, 0);
  found.is_whole = true;
  return found;
}

// In a JSON string these are not spelled as themselves.
CategorySet JsonExcluded() {
  return CategoryBit('"') | CategoryBit('\\') | CategoryBit('\0') | CategoryBit('\t') |
         CategoryBit('\n') | CategoryBit('\r');
}

TextRegion AnyRegion() {
  return {~JsonExcluded(), CategoryIndex::kAnyLength, false, 0, ~CategorySet{0}};
}

struct HashState {
  size_t operator()(const std::pair<const void*, uint32_t>& key) const {
    return (reinterpret_cast<uintptr_t>(key.first) >> 4) * 31 + key.second * 0x9E3779B1u;
  }
};

// May every undeclared key come that extends that of `frame`, if one may? None was seen then.
bool MayAddAnyOther(const ObjectTable& table, const Frame& frame) {
  return !table.is_conditional() && frame.state == NameTrie::kDead && frame.seen_keys == nullptr;
}

}  // namespace

// What was found. An automaton is read in one coding only, so that need not be part of a key; nor
// need the whole automaton where its endless part is.
class TextRegions::Known {
 public:
  AutomatonView& View(const TextAutomaton& automaton, const TextAutomaton& endless,
                      CategorySet excluded) {
    std::unique_ptr<AutomatonView>& view = views_[&endless];
    if (view == nullptr) view = std::make_unique<AutomatonView>(automaton, endless, excluded);
    return *view;
  }

  tsl::robin_map<std::pair<const void*, uint32_t>, TextRegion, HashState> regions;
  // By ObjectTable::id and classes: EndlessKeys.
  std::map<std::pair<uint64_t, uint64_t>, std::shared_ptr<const TextAutomaton>> endless_keys;
  std::vector<uint32_t> layer, next;  // scratch

 private:
  std::unordered_map<const void*, std::unique_ptr<AutomatonView>> views_;
};

TextRegions::TextRegions(uint32_t longest_digits)
    : longest_digits_(longest_digits), known_(std::make_unique<Known>()) {}
TextRegions::~TextRegions() = default;

TextRegion TextRegions::OfState(const TextAutomaton& automaton, const TextAutomaton& endless,
                                uint32_t state, CategorySet excluded) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const TextAutomaton* const key = &endless;
  const auto known = known_->regions.find({key, state});
  if (known != known_->regions.end()) return known->second;
  Finder finder(&known_->View(automaton, endless, excluded));
  TextRegion region = finder.FindBounded(state);
  if (region.length != CategoryIndex::kAnyLength) {
    const TextRegion closed = finder.FindClosed(state);
    // What lasts for ever is better, unless something is left out that matters before long.
    const CategorySet left_out = region.categories & ~closed.categories;
    const bool is_long = region.length >= CategoryIndex::kMaxLengthRow ||
                         (region.length >= kLongLength && (left_out & LetterCategories()) != 0);
    if (closed.categories != 0 && (!is_long || left_out == 0)) region = closed;
  }
  if (region.categories == 0) region = finder.FindDigits(state);
  if (region.categories == 0) region = finder.FindWord(state);
  if (region.categories == 0) region = finder.FindEmpty(state);
  known_->regions.insert({{key, state}, region});
  if (region.length == CategoryIndex::kAnyLength) {
    // It is theirs too, if perhaps not the largest; where many more tokens may come they have their
    // own.
    for (const uint32_t other : finder.states()) {
      if (!finder.HasMore(other, region.categories)) {
        known_->regions.insert({{key, other}, region});
      }
    }
  }
  return region;
}

bool TextRegions::IsWide(const Machine& machine, const Frame& frame) {
  const TextAutomaton& automaton = *machine.string(frame.node).automaton;
  const TextRegion region = OfState(automaton, automaton, frame.state, JsonExcluded());
  if (region.categories == 0) return (region.exits & CategoryBit(' ')) != 0;
  return region.length >= kShortLength && (region.categories & ~CategoryBit('0')) != 0;
}

TextRegion TextRegions::OfString(const Machine& machine, const StringTable& table,
                                 const Frame& frame) {
  TextRegion region = table.automaton == nullptr ? AnyRegion()
                                                 : OfState(*table.automaton, *table.automaton,
                                                           frame.state, JsonExcluded());
  if (!table.bounded) return region;
  const uint32_t left = table.max == kNoLimit ? kNoLimit : table.max - frame.count;
  // No token has more code points than bytes; behind them the way to acceptance must stay free.
  const bool is_far = table.longest_gap <= left &&
                      (left == kNoLimit || left - table.longest_gap >= machine.max_token_bytes());
  if (is_far || region.categories == 0) return region;
  const uint64_t gap = table.longest_gap;
  if (gap <= left && (gap == 0 || left - gap >= kMinLength)) {
    region.is_whole = left - gap < region.length ? gap == 0 : region.is_whole;
    region.length = static_cast<uint32_t>(std::min<uint64_t>(region.length, left - gap));
  } else {
    CutToLength(machine, frame, &region);
  }
  return region;
}

void TextRegions::CutToLength(const Machine& machine, const Frame& frame, TextRegion* region) {
  const StringTable& table = machine.string(frame.node);
  const std::lock_guard<std::mutex> lock(mutex_);
  AutomatonView& view = known_->View(*table.automaton, *table.automaton, JsonExcluded());
  std::vector<uint32_t>& layer = known_->layer;
  std::vector<uint32_t>& next = known_->next;
  layer.assign(1, frame.state);
  size_t visited = 0;
  for (uint32_t length = 0; length < region->length; ++length) {
    next.clear();
    const uint32_t search = view.BeginSearch();
    for (const uint32_t state : layer) {
      view.AppendTargets(state, region->categories, search, &next);
    }
    const uint64_t count = uint64_t{frame.count} + length + 1;
    const auto is_live = [&](uint32_t state) {
      return IsLiveString(table, state, static_cast<uint32_t>(std::min<uint64_t>(count, kNoLimit)));
    };
    const auto live = static_cast<size_t>(std::count_if(next.begin(), next.end(), is_live));
    visited += next.size();
    if (live < next.size() || visited > kMaxLayerStates || length == CategoryIndex::kMaxLengthRow) {
      region->length = length;
      region->is_whole = live == 0;
      return;
    }
    layer.swap(next);
  }
}

TextRegion TextRegions::OfDigits(const Machine& machine, const Frame& frame) const {
  const NumberAutomaton& automaton = *machine.number(frame.node).automaton;
  const uint32_t state = frame.state;
  // Where there are no conditions the digits of the part count alone, but for fractions of
  // integers; no states need be made to see that.
  const StandardPart part = machine.standard_nodes().numbers[frame.node];
  const bool is_free = part == StandardPart::kNumber ||
                       (part == StandardPart::kInteger && !automaton.InFraction(state));
  if (is_free && longest_digits_ > 0 && automaton.DigitsLeft(state) >= longest_digits_) {
    return {.categories = CategoryBit('0'), .length = CategoryIndex::kAnyLength};
  }
  std::vector<uint32_t> layer{state}, next;
  uint32_t length = 0;
  for (; length < longest_digits_ && layer.size() <= kMaxNumberStates; ++length) {
    next.clear();
    for (const uint32_t from : layer) {
      for (uint8_t digit = '0'; digit <= '9'; ++digit) {
        const uint32_t to = automaton.Step(from, digit);
        if (to == NumberAutomaton::kDead) {
          if (length == 0) return {};
          return {.categories = CategoryBit('0'), .length = length};
        }
        if (std::find(next.begin(), next.end(), to) == next.end()) next.push_back(to);
      }
    }
    layer.swap(next);
  }
  if (length == 0) return {};
  return {.categories = CategoryBit('0'),
          .length = length < longest_digits_ ? length : CategoryIndex::kAnyLength};
}

const TextAutomaton& TextRegions::EndlessKeys(const ObjectTable& table, uint64_t classes) {
  const TextAutomaton& keys = *table.other_keys;
  if (table.other_counts.empty() && table.class_counts.empty()) return keys;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const TextAutomaton>& endless = known_->endless_keys[{table.id, classes}];
  if (endless != nullptr) return *endless;
  const auto is_endless = [&](uint32_t state) {
    if (table.class_counts.empty()) return table.other_counts[state] == kNoLimit;
    for (size_t k = 0; k < table.class_counts.size(); ++k) {
      const bool may_come = k >= kMaxTold || (classes >> k & 1) != 0;
      if (may_come && table.class_counts[k][state] == kNoLimit) return true;
    }
    return false;
  };
  // States keep their numbers; no edge leads to those that are left out.
  std::vector<uint32_t> begins{0};
  std::vector<TextAutomaton::Edge> edges;
  for (uint32_t state = 0; state < keys.state_count(); ++state) {
    for (const TextAutomaton::Edge& edge : keys.EdgesOf(state)) {
      if (is_endless(edge.target)) edges.push_back(edge);
    }
    begins.push_back(static_cast<uint32_t>(edges.size()));
  }
  auto made = std::make_shared<TextAutomaton>();
  made->labels = keys.labels;
  made->edge_begins = std::move(begins);
  made->edges = std::move(edges);
  endless = std::move(made);
  return *endless;
}

const TextAutomaton* TextRegions::EndlessKeysOf(const Machine& machine, const Frame& frame) {
  const ObjectTable& table = machine.object(frame.node);
  if (MayAddAnyOther(table, frame)) return table.other_keys.get();
  // Of several classes some may not come.
  uint64_t classes = ~uint64_t{0};
  if (table.class_counts.size() > 1) {
    const ObjectRegisters registers(table, machine.declared_order(), frame);
    const OtherKeys others(table, registers);
    for (uint32_t k = 0; k < table.class_counts.size(); ++k) {
      if (others.MayAddClass(k)) continue;
      if (k >= kMaxTold) return nullptr;
      classes &= ~(uint64_t{1} << k);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool is_known = known_->endless_keys.contains({table.id, classes});
    if (!is_known && known_->endless_keys.size() >= kMaxEndlessKeys) return nullptr;
  }
  return &EndlessKeys(table, classes);
}

TextRegion TextRegions::Find(const Machine& machine, const Item& item) {
  const Frame& frame = item.frame;
  if (frame.partial != kBoundary) return {};
  switch (frame.kind) {
    case FrameKind::kString:
      return OfString(machine, machine.string(frame.node), frame);
    case FrameKind::kNumber:
      return OfDigits(machine, frame);
    case FrameKind::kRule:
      return OfState(*machine.rule(frame.node).automaton, *machine.rule(frame.node).automaton,
                     frame.state, 0);
    case FrameKind::kObject: {
      if (frame.phase != Phase::kKey || frame.state2 == TextAutomaton::kDead) return {};
      const ObjectTable& table = machine.object(frame.node);
      const ObjectRegisters registers(table, machine.declared_order(), frame);
      const bool goes_on = MayAddAnyOther(table, frame)
                               ? registers.MayAddOther(frame.state2, frame.state, frame.key_text)
                               : registers.MayAddEndless(frame.state2);
      if (!goes_on) return {};
      if (table.other_keys == nullptr) return AnyRegion();
      const TextAutomaton* keys = EndlessKeysOf(machine, frame);
      if (keys == nullptr) return {};
      return OfState(*table.other_keys, *keys, frame.state2, JsonExcluded());
    }
    default:
      return {};
  }
}

}  // namespace maskloom
