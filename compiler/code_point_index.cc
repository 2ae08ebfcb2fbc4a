#include "compiler/code_point_index.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

struct Held {
  uint32_t value;
  TokenId id;
};

// Orders `held` by value, stably, values being below `limit`. Cost: linear.
std::vector<Held> Sorted(const std::vector<Held>& held, uint32_t limit) {
  std::vector<uint32_t> places(limit + 1);
  for (const Held& one : held) ++places[one.value + 1];
  for (uint32_t value = 0; value < limit; ++value) places[value + 1] += places[value];
  std::vector<Held> sorted(held.size());
  for (const Held& one : held) sorted[places[one.value]++] = one;
  return sorted;
}

// Have `ranges` and `set`, ascending ranges, a code point in common?
bool HaveCommon(std::span<const CodePointRange> ranges, std::span<const CodePointRange> set) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const CodePointRange& range) {
    const auto it = std::lower_bound(
        set.begin(), set.end(), range.first,
        [](const CodePointRange& one, uint32_t first) { return one.last < first; });
    return it != set.end() && it->first <= range.last;
  });
}

// May `partial`, of UTF-8, become a code point of `set` if all bytes can be spelled?
bool MayStandFor(Partial partial, std::span<const CodePointRange> set) {
  const PartialRanges ranges = RangesOf(partial);
  return HaveCommon(std::span(ranges.ranges, ranges.count), set);
}

// May `partial`, of UTF-8, become a code point of `kept` with the bytes of `spelling`?
bool MayBecome(Partial partial, std::span<const CodePointRange> kept, const Spelling& spelling) {
  if (spelling.FinishesAll(partial)) return MayStandFor(partial, kept);
  return HaveCommon(spelling.FinishableFrom(partial)->ranges(), kept);
}

// The code points of `ranges` that are not in `removed`, both ascending.
std::vector<CodePointRange> Without(std::span<const CodePointRange> ranges,
                                    std::span<const CodePointRange> removed) {
  std::vector<CodePointRange> left;
  size_t i = 0;
  for (const CodePointRange& range : ranges) {
    uint32_t next = range.first;
    while (i < removed.size() && removed[i].last < next) ++i;
    for (size_t j = i; j < removed.size() && removed[j].first <= range.last; ++j) {
      if (removed[j].first > next) left.push_back({next, removed[j].first - 1});
      next = removed[j].last + 1;
    }
    if (next <= range.last) left.push_back({next, range.last});
  }
  return left;
}

}  // namespace

CodePointIndex::CodePointIndex(const Vocabulary& vocabulary) {
  std::vector<Held> code_points, begun, in_token;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    in_token.clear();
    Partial partial = kBoundary;
    bool is_valid = true;
    for (const char c : vocabulary.bytes(id)) {
      const CodingStep step = StepCoding(TextCoding::kUtf8, partial, static_cast<uint8_t>(c));
      is_valid = step.outcome != CodingStep::Outcome::kDead;
      if (!is_valid) break;
      partial = step.partial;
      const bool is_whole = step.outcome == CodingStep::Outcome::kCodePoint;
      if (is_whole && step.code_point >= 0x80) in_token.push_back({step.code_point, id});
    }
    if (!is_valid) continue;
    code_points.insert(code_points.end(), in_token.begin(), in_token.end());
    if (partial != kBoundary) begun.push_back({partial, id});
  }
  std::vector<Held> held = Sorted(code_points, kMaxCodePoint + 1);
  std::stable_sort(begun.begin(), begun.end(),
                   [](const Held& a, const Held& b) { return a.value < b.value; });
  std::vector<uint32_t> values, begins;
  std::vector<TokenId> tokens;
  const auto append = [&](const std::vector<Held>& some) {
    for (size_t i = 0; i < some.size(); ++i) {
      const bool is_new = i == 0 || some[i].value != some[i - 1].value;
      if (is_new) {
        values.push_back(some[i].value);
        begins.push_back(static_cast<uint32_t>(tokens.size()));
      }
      if (is_new || some[i].id != some[i - 1].id) tokens.push_back(some[i].id);
    }
  };
  append(held);
  code_point_count_ = static_cast<uint32_t>(values.size());
  append(begun);
  begins.push_back(static_cast<uint32_t>(tokens.size()));
  values_ = std::move(values);
  begins_ = std::move(begins);
  tokens_ = std::move(tokens);
}

void CodePointIndex::KeepOnly(std::span<const CodePointRange> kept, const Spelling& spelling,
                              uint32_t* row) const {
  size_t range = 0;
  for (uint32_t i = 0; i < values_.size(); ++i) {
    const uint32_t value = values_[i];
    bool is_kept = false;
    if (i < code_point_count_) {
      while (range < kept.size() && kept[range].last < value) ++range;
      is_kept = range < kept.size() && kept[range].first <= value;
    } else {
      is_kept = MayBecome(value, kept, spelling);
    }
    if (is_kept) continue;
    for (uint32_t j = begins_[i]; j < begins_[i + 1]; ++j) {
      row[tokens_[j] / 32] &= ~(1u << (tokens_[j] % 32));
    }
  }
}

size_t CodePointIndex::MemoryBytes() const {
  return (values_.size() + begins_.size() + tokens_.size()) * 4;
}

void RemoveBeginnings(const TokenTrie& trie, std::span<const CodePointRange> later,
                      std::span<const CodePointRange> first, const Spelling& spelling,
                      uint32_t* row) {
  const std::vector<CodePointRange> removed = Without(later, first);
  const auto remove = [row](std::span<const TokenId> ids) {
    for (const TokenId id : ids) row[id / 32] &= ~(1u << (id % 32));
  };
  std::vector<std::pair<const TokenTrie::Node*, Partial>> places;
  places.push_back({&trie.node(TokenTrie::kRoot), kBoundary});
  while (!places.empty()) {
    const auto [node, partial] = places.back();
    places.pop_back();
    for (const TokenTrie::Node& child : trie.children(*node)) {
      const CodingStep step = StepCoding(TextCoding::kUtf8, partial, child.byte);
      const std::span<const TokenId> here = trie.tokens(trie.IndexOf(child));
      if (step.outcome == CodingStep::Outcome::kCodePoint) {
        const CodePointRange read{step.code_point, step.code_point};
        if (!HaveCommon(std::span(&read, 1), removed)) continue;
        remove(here);
        remove(trie.tokens_below(child));
      } else if (step.outcome == CodingStep::Outcome::kPartial &&
                 MayStandFor(step.partial, removed)) {
        if (!here.empty() && !MayBecome(step.partial, first, spelling)) remove(here);
        places.push_back({&child, step.partial});
      }
    }
  }
}

}  // namespace maskloom
