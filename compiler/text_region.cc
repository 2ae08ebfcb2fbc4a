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
// Few tokens are longer than that; more hold a letter of any kind.
constexpr uint32_t kLongLength = 12;
// Classes of keys that are told apart.
constexpr size_t kMaxTold = 64;
// Sets of such classes whose automata are kept; with others there are no regions.
constexpr size_t kMaxEndlessKeys = 64;
constexpr size_t kMaxNumberStates = 16;

CategorySet LetterCategories() {
  return CategoryBit('a') | CategoryBit('z') | CategoryBit('A') | CategoryBit('Z');
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
  RegionFinder finder(&known_->View(automaton, endless, excluded));
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
