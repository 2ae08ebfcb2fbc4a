#include "compiler/text_region.h"

#include <algorithm>
#include <vector>

#include "compiler/object_registers.h"
#include "grammar/base/budget.h"

namespace maskloom {
namespace {

// Below this length the search goes on for one that is longer with fewer categories.
constexpr uint32_t kMinLength = 8;
// A length below this covers too few tokens to be worth a row.
constexpr uint32_t kShortLength = 2;
constexpr uint32_t kMaxStates = 256;
constexpr size_t kMaxNumberStates = 16;
constexpr int kMaxAttempts = 6;

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

// The region of one state of an automaton, found two ways; see the head of text_region.h.
class Finder {
 public:
  Finder(const TextAutomaton& automaton, CategorySet excluded)
      : automaton_(automaton), excluded_(excluded) {}

  // All of the start's categories, but those that are soon missing, for as long as they last.
  TextRegion FindBounded(uint32_t start);
  // Digits, for as long as any may follow.
  TextRegion FindDigits(uint32_t start);
  // Letters, and what can be added to them, for ever.
  TextRegion FindClosed(uint32_t start);
  // Has `state` letters or blanks that are not of `categories`?
  bool HasMore(uint32_t state, CategorySet categories) {
    return (FullAt(state) & ~categories & (WideCategories() | CategoryBit(' '))) != 0;
  }
  // The states that were met by the one of these that was called last.
  const std::vector<uint32_t>& states() const { return states_; }

 private:
  CategorySet FullAt(uint32_t state);
  // Appends to states_ those behind `state` by a character of `categories` that are not in it yet.
  void AppendTargets(uint32_t state, CategorySet categories);
  // Appends to states_, which are closed, what is met where `added` is allowed too. Returns whether
  // all have every character of `categories`, which has `added`.
  bool Close(CategorySet added, CategorySet categories);
  // Categories other than `categories` of which some state met has a character that may be spelled
  // as itself.
  CategorySet ExitsOf(CategorySet categories) const;

  const TextAutomaton& automaton_;
  const CategorySet excluded_;
  tsl::robin_map<uint32_t, CategorySet> full_;
  std::vector<uint32_t> states_;
};

CategorySet Finder::FullAt(uint32_t state) {
  const auto [it, added] = full_.try_emplace(state, 0);
  if (added) it.value() = FullCategories(automaton_, state) & ~excluded_;
  return it->second;
}

void Finder::AppendTargets(uint32_t state, CategorySet categories) {
  const std::vector<CategoryRange>& ranges = CategoryRanges();
  size_t first = 0;
  for (const TextAutomaton::Edge& edge : automaton_.EdgesOf(state)) {
    while (first < ranges.size() && ranges[first].range.last < edge.first) ++first;
    bool touches = false;
    for (size_t i = first; i < ranges.size() && ranges[i].range.first <= edge.last && !touches;
         ++i) {
      touches = (ranges[i].bit & categories) != 0;
    }
    if (touches && std::find(states_.begin(), states_.end(), edge.target) == states_.end()) {
      states_.push_back(edge.target);
    }
  }
}

CategorySet Finder::ExitsOf(CategorySet categories) const {
  CategorySet found = 0;
  for (const uint32_t state : states_) {
    const auto edges = automaton_.EdgesOf(state);
    size_t i = 0;
    for (const CategoryRange& category : CategoryRanges()) {
      while (i < edges.size() && edges[i].last < category.range.first) ++i;
      if (i < edges.size() && edges[i].first <= category.range.last) found |= category.bit;
    }
  }
  return found & ~categories & ~excluded_;
}

TextRegion Finder::FindBounded(uint32_t start) {
  CategorySet categories = FullAt(start);
  TextRegion shorter;  // what is found if nothing else is
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if ((categories & WideCategories()) == 0) break;
    states_.assign(1, start);
    size_t layer = 0;
    CategorySet lacking = 0;
    uint32_t length = 0;
    for (;; ++length) {
      const size_t layer_end = states_.size();
      if (layer == layer_end) {
        return {categories, CategoryIndex::kAnyLength, ExitsOf(categories)};
      }
      for (size_t i = layer; i < layer_end; ++i) lacking |= categories & ~FullAt(states_[i]);
      if (lacking != 0 || layer_end > Budget(kMaxStates)) break;
      for (size_t i = layer; i < layer_end; ++i) AppendTargets(states_[i], categories);
      layer = layer_end;
    }
    const TextRegion found{categories, length, ExitsOf(categories)};
    if (length >= kMinLength || lacking == 0) return found;
    if (length >= kShortLength && length > shorter.length) shorter = found;
    categories &= ~lacking;
  }
  return shorter;
}

TextRegion Finder::FindDigits(uint32_t start) {
  const CategorySet digits = CategoryBit('0');
  states_.assign(1, start);
  size_t layer = 0;
  for (uint32_t length = 0;; ++length) {
    const size_t layer_end = states_.size();
    if (layer == layer_end) return {digits, CategoryIndex::kAnyLength, ExitsOf(digits)};
    for (size_t i = layer; i < layer_end; ++i) {
      if ((FullAt(states_[i]) & digits) == 0 || layer_end > Budget(kMaxStates)) {
        return length < kShortLength ? TextRegion{} : TextRegion{digits, length, ExitsOf(digits)};
      }
    }
    for (size_t i = layer; i < layer_end; ++i) AppendTargets(states_[i], digits);
    layer = layer_end;
  }
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
  states_.assign(1, start);
  CategorySet categories = FullAt(start) & WideCategories();
  if (categories == 0 || !Close(categories, categories)) return {};
  for (CategorySet rest = FullAt(start) & ~categories; rest != 0; rest &= rest - 1) {
    const CategorySet added = rest & -rest;
    const size_t closed = states_.size();
    if (Close(added, categories | added)) {
      categories |= added;
    } else {
      states_.resize(closed);
    }
  }
  return {categories, CategoryIndex::kAnyLength, ExitsOf(categories)};
}

// In a JSON string these are not spelled as themselves.
CategorySet JsonExcluded() {
  return CategoryBit('"') | CategoryBit('\\') | CategoryBit('\0') | CategoryBit('\t') |
         CategoryBit('\n') | CategoryBit('\r');
}

TextRegion AnyRegion() { return {~JsonExcluded(), CategoryIndex::kAnyLength}; }

}  // namespace

TextRegion TextRegions::OfState(const TextAutomaton& automaton, uint32_t state,
                                CategorySet excluded) {
  // An automaton is read in one coding only, so `excluded` need not be part of the key.
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = regions_.find({&automaton, state});
  if (known != regions_.end()) return known->second;
  Finder finder(automaton, excluded);
  TextRegion region = finder.FindBounded(state);
  if (region.length != CategoryIndex::kAnyLength) {
    const TextRegion closed = finder.FindClosed(state);
    // What lasts for ever is better, unless something is left out that matters before long.
    const bool better = closed.categories != 0 && (region.length < CategoryIndex::kMaxLengthRow ||
                                                   (region.categories & ~closed.categories) == 0);
    if (better) region = closed;
  }
  if (region.categories == 0) region = finder.FindDigits(state);
  regions_.insert({{&automaton, state}, region});
  if (region.length == CategoryIndex::kAnyLength) {
    // It is theirs too, if perhaps not the largest; where many more tokens may come they have their
    // own.
    for (const uint32_t other : finder.states()) {
      if (!finder.HasMore(other, region.categories)) {
        regions_.insert({{&automaton, other}, region});
      }
    }
  }
  return region;
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
    return {CategoryBit('0'), CategoryIndex::kAnyLength};
  }
  std::vector<uint32_t> layer{state}, next;
  uint32_t length = 0;
  for (; length < longest_digits_ && layer.size() <= kMaxNumberStates; ++length) {
    next.clear();
    for (const uint32_t from : layer) {
      for (uint8_t digit = '0'; digit <= '9'; ++digit) {
        const uint32_t to = automaton.Step(from, digit);
        if (to == NumberAutomaton::kDead) {
          return length == 0 ? TextRegion{} : TextRegion{CategoryBit('0'), length};
        }
        if (std::find(next.begin(), next.end(), to) == next.end()) next.push_back(to);
      }
    }
    layer.swap(next);
  }
  if (length == 0) return {};
  return {CategoryBit('0'), length < longest_digits_ ? length : CategoryIndex::kAnyLength};
}

const TextAutomaton& TextRegions::EndlessKeys(const ObjectTable& table) {
  const TextAutomaton& keys = *table.other_keys;
  if (table.other_counts.empty() && table.class_counts.empty()) return keys;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const TextAutomaton>& endless = endless_keys_[table.id];
  if (endless != nullptr) return *endless;
  const auto is_endless = [&](uint32_t state) {
    if (table.class_counts.empty()) return table.other_counts[state] == kNoLimit;
    return std::any_of(table.class_counts.begin(), table.class_counts.end(),
                       [&](const auto& counts) { return counts[state] == kNoLimit; });
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

TextRegion TextRegions::Find(const Machine& machine, const Item& item) {
  const Frame& frame = item.frame;
  if (frame.partial != kBoundary) return {};
  switch (frame.kind) {
    case FrameKind::kString: {
      const StringTable& table = machine.string(frame.node);
      const uint32_t left = table.max == kNoLimit ? kNoLimit : table.max - frame.count;
      // Code points that must stay free for the way to acceptance.
      const uint64_t reserve = table.bounded ? table.longest_gap : 0;
      if (reserve > left) return {};
      TextRegion region = table.automaton == nullptr
                              ? AnyRegion()
                              : OfState(*table.automaton, frame.state, JsonExcluded());
      // No token has more code points than bytes.
      if (left != kNoLimit && left - reserve < machine.max_token_bytes()) {
        region.length = std::min<uint64_t>(region.length, left - reserve);
      }
      return region;
    }
    case FrameKind::kNumber:
      return OfDigits(machine, frame);
    case FrameKind::kRule:
      return OfState(*machine.rule(frame.node).automaton, frame.state, 0);
    case FrameKind::kObject: {
      if (frame.phase != Phase::kKey || frame.state2 == TextAutomaton::kDead) return {};
      const ObjectTable& table = machine.object(frame.node);
      const ObjectRegisters registers(table, machine.declared_order(), frame);
      if (!registers.MayAddEndless(frame.state2)) return {};
      if (table.other_keys == nullptr) return AnyRegion();
      // Of several classes some may not come.
      if (table.class_counts.size() > 1) {
        const OtherKeys others(table, registers);
        for (uint32_t k = 0; k < table.class_counts.size(); ++k) {
          if (!others.MayAddClass(k)) return {};
        }
      }
      return OfState(EndlessKeys(table), frame.state2, JsonExcluded());
    }
    default:
      return {};
  }
}

}  // namespace maskloom
