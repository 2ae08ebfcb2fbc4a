#include "compiler/text_region.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/liveness.h"
#include "compiler/object_registers.h"
#include "compiler/region_finder.h"

namespace maskloom {
namespace {

// A region that a bound leaves below this length is cut with more care.
constexpr uint32_t kMinLength = 8;
// A length below this covers too few tokens to be worth a row.
constexpr uint32_t kShortLength = 2;
// Automata of more states are not looked through for lengths that no text has.
constexpr uint32_t kMaxGapStates = 16;
// Classes of keys that are told apart.
constexpr size_t kMaxTold = 64;
// Sets of such classes whose automata are kept; with others there are no regions.
constexpr size_t kMaxEndlessKeys = 64;
constexpr size_t kMaxNumberStates = 16;

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

  using Regions = tsl::robin_map<std::pair<const void*, uint32_t>, TextRegion, HashState>;
  Regions regions;
  Regions regions_with_gaps;
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
  RegionFinder finder(&known_->View(automaton, endless, excluded));
  TextRegion region = finder.FindWide(state);
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

TextRegion TextRegions::FindWithGaps(const Machine& machine, const Frame& frame) {
  const TextAutomaton& automaton = *machine.string(frame.node).automaton;
  TextRegion region;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [known, added] = known_->regions_with_gaps.insert({{&automaton, frame.state}, {}});
    if (added && !automaton.has_calls()) {
      RegionFinder finder(&known_->View(automaton, automaton, JsonExcluded()));
      known.value() = finder.FindWithGaps(frame.state);
    }
    region = known->second;
  }
  Cut(machine, frame, &region);
  return region;
}

std::optional<CategorySet> TextRegions::FreeingCategories(const Machine& machine,
                                                          const Frame& frame,
                                                          const TextRegion& region) {
  const StringTable& table = machine.string(frame.node);
  const TextAutomaton& automaton = *table.automaton;
  if (automaton.state_count() > kMaxGapStates) return std::nullopt;
  const TextRegion uncut = OfState(automaton, automaton, frame.state, JsonExcluded());
  if (uncut.length != CategoryIndex::kAnyLength) return std::nullopt;
  CategorySet freeing = region.categories;
  // Those that lengths may be missing from.
  std::vector<uint32_t> states{frame.state};
  std::vector<std::pair<uint32_t, CategorySet>> targets;
  for (size_t i = 0; i < states.size(); ++i) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      targets = known_->View(automaton, automaton, JsonExcluded()).Of(states[i]).targets;
    }
    for (const auto& [target, by] : targets) {
      const bool has_gap = table.lengths->AllFrom(target) > 0 || GapBehind(table, target) > 0;
      if ((by & region.categories) == 0 || !has_gap) continue;
      freeing &= ~by;
      if (std::find(states.begin(), states.end(), target) == states.end()) {
        states.push_back(target);
      }
    }
  }
  return freeing;
}

bool TextRegions::IsWide(const Machine& machine, const Frame& frame) {
  const TextAutomaton& automaton = *machine.string(frame.node).automaton;
  const TextRegion region = OfState(automaton, automaton, frame.state, JsonExcluded());
  if (region.categories == 0) return (region.exits & CategoryBit(' ')) != 0;
  return region.length >= kShortLength && (region.categories & ~CategoryBit('0')) != 0;
}

uint64_t TextRegions::GapBehind(const StringTable& table, uint32_t state) {
  if (table.longest_gap == 0 || table.automaton->state_count() > kMaxGapStates) {
    return table.longest_gap;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  AutomatonView& view = known_->View(*table.automaton, *table.automaton, JsonExcluded());
  std::vector<uint32_t>& states = known_->layer;
  states.clear();
  const uint32_t search = view.BeginSearch();
  view.AppendTargets(state, ~CategorySet{0}, search, &states);
  uint64_t gap = 0;
  for (size_t i = 0; i < states.size(); ++i) {
    gap = std::max(gap, table.lengths->AllFrom(states[i]));
    view.AppendTargets(states[i], ~CategorySet{0}, search, &states);
  }
  return gap;
}

TextRegions::FreeLength TextRegions::FreeLengthOf(const Machine& machine, const Frame& frame) {
  const StringTable& table = machine.string(frame.node);
  if (!table.bounded) return {};
  const uint32_t left = table.max == kNoLimit ? kNoLimit : table.max - frame.count;
  const auto is_far = [&](uint64_t gap) {
    // No token has more code points than bytes; behind them the way to acceptance must stay free.
    return gap <= left && (left == kNoLimit || left - gap >= machine.max_token_bytes());
  };
  if (is_far(table.longest_gap)) return {};
  const uint64_t gap = GapBehind(table, frame.state);
  if (is_far(gap)) return {};
  if (gap > left) return {0, false};
  return {static_cast<uint32_t>(left - gap), gap == 0};
}

void TextRegions::Cut(const Machine& machine, const Frame& frame, TextRegion* region) {
  const FreeLength free = FreeLengthOf(machine, frame);
  if (free.length == CategoryIndex::kAnyLength || region->categories == 0) return;
  if (free.is_whole || free.length >= kMinLength) {
    if (free.length >= region->length) return;
    region->length = free.length;
    region->is_whole = free.is_whole;
  } else {
    CutToLength(machine, frame, region);
  }
}

TextRegion TextRegions::OfString(const Machine& machine, const Frame& frame) {
  const StringTable& table = machine.string(frame.node);
  TextRegion region = AnyRegion();
  if (table.automaton != nullptr) {
    region = OfState(*table.automaton, *table.automaton, frame.state, JsonExcluded());
  }
  Cut(machine, frame, &region);
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
      return OfString(machine, frame);
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
