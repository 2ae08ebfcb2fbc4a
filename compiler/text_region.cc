#include "compiler/text_region.h"

#include <algorithm>
#include <vector>

#include "compiler/object_registers.h"
#include "grammar/base/budget.h"

namespace maskloom {
namespace {

// A length below this covers too few tokens to be worth a row.
constexpr uint32_t kMinLength = 8;
constexpr uint32_t kMaxStates = 256;
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

bool Touches(const TextAutomaton::Edge& edge, CategorySet categories) {
  for (const CategoryRange& category : CategoryRanges()) {
    if (category.range.last < edge.first) continue;
    if (category.range.first > edge.last) break;
    if (category.bit & categories) return true;
  }
  return false;
}

TextRegion FindRegion(const TextAutomaton& automaton, uint32_t start, CategorySet excluded) {
  CategorySet categories = FullCategories(automaton, start) & ~excluded;
  std::vector<uint32_t> states;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if ((categories & WideCategories()) == 0) return {};
    states.assign(1, start);
    size_t layer = 0;
    CategorySet lacking = 0;
    uint32_t length = 0;
    for (;; ++length) {
      const size_t layer_end = states.size();
      if (layer == layer_end) return {categories, CategoryIndex::kAnyLength};
      for (size_t i = layer; i < layer_end; ++i) {
        lacking |= categories & ~FullCategories(automaton, states[i]);
      }
      if (lacking != 0 || layer_end > Budget(kMaxStates)) break;
      for (size_t i = layer; i < layer_end; ++i) {
        for (const TextAutomaton::Edge& edge : automaton.EdgesOf(states[i])) {
          if (std::find(states.begin(), states.end(), edge.target) == states.end() &&
              Touches(edge, categories)) {
            states.push_back(edge.target);
          }
        }
      }
      layer = layer_end;
    }
    if (length >= kMinLength || lacking == 0) return {categories, length};
    categories &= ~lacking;
  }
  return {};
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
  const auto [it, is_new] = regions_.try_emplace({&automaton, state});
  if (is_new) it.value() = FindRegion(automaton, state, excluded);
  return it->second;
}

TextRegion TextRegions::OfDigits(const NumberAutomaton& automaton, uint32_t state) const {
  for (uint32_t length = 0; length < longest_digits_; ++length) {
    const uint32_t next = automaton.Step(state, '0');
    for (uint8_t digit = '1'; digit <= '9'; ++digit) {
      if (automaton.Step(state, digit) != next) return {};
    }
    if (next == NumberAutomaton::kDead) return {};
    state = next;
  }
  return longest_digits_ == 0 ? TextRegion{}
                              : TextRegion{CategoryBit('0'), CategoryIndex::kAnyLength};
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
      if (left != kNoLimit) region.length = std::min<uint64_t>(region.length, left - reserve);
      return region;
    }
    case FrameKind::kNumber:
      return OfDigits(*machine.number(frame.node).automaton, frame.state);
    case FrameKind::kRule:
      return OfState(*machine.rule(frame.node).automaton, frame.state, 0);
    case FrameKind::kObject: {
      if (frame.phase != Phase::kKey || frame.state2 == TextAutomaton::kDead) return {};
      const ObjectTable& table = machine.object(frame.node);
      // Single keys may run out, and of several classes some may not come.
      if (table.counts_keys() || !table.class_counts.empty()) return {};
      const ObjectRegisters registers(table, machine.declared_order(), frame);
      if (!registers.MayAddOther(frame.state2, frame.state, frame.key_text)) return {};
      return table.other_keys == nullptr ? AnyRegion()
                                         : OfState(*table.other_keys, frame.state2, JsonExcluded());
    }
    default:
      return {};
  }
}

}  // namespace maskloom
