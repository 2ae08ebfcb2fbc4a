// Partition refinement over intervals.
//
// The bounds of all ranges cut the code points into intervals; no set can tell the code points of
// an interval apart. All intervals start in block 0; each set in turn moves its intervals into
// fresh blocks, one for each block that it meets. What then shares a block is in the same sets.
// Example: [a-z] and [f] cut a-e, f, g-z; the first set moves all three to block 1, the second
// moves f to block 2: two symbols, {a-e, g-z} and {f}. Cost: each set visits its own intervals.
#include "grammar/regular/alphabet.h"

#include <algorithm>

namespace maskloom {

Alphabet::Alphabet(const std::vector<CodePointSet>& sets) {
  std::vector<uint32_t> cuts;
  for (const CodePointSet& set : sets) {
    for (const CodePointRange& range : set.ranges()) {
      cuts.push_back(range.first);
      cuts.push_back(range.last + 1);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  const auto index_of = [&cuts](uint32_t cut) {
    return static_cast<uint32_t>(std::lower_bound(cuts.begin(), cuts.end(), cut) - cuts.begin());
  };

  // Calls `visit` with each interval of a set; interval i is cuts[i] .. cuts[i + 1] - 1.
  const auto for_intervals = [&](const CodePointSet& set, const auto& visit) {
    for (const CodePointRange& range : set.ranges()) {
      for (uint32_t i = index_of(range.first); cuts[i] <= range.last; ++i) visit(i);
    }
  };

  std::vector<uint32_t> block_of(cuts.size(), 0);
  std::vector<uint32_t> moved_to{0};
  std::vector<uint32_t> moved_by{0};  // 1 + the set that last moved intervals of this block
  for (uint32_t set = 0; set < sets.size(); ++set) {
    for_intervals(sets[set], [&](uint32_t i) {
      uint32_t block = block_of[i];
      if (moved_by[block] != set + 1) {
        moved_by[block] = set + 1;
        moved_to[block] = static_cast<uint32_t>(moved_to.size());
        moved_to.push_back(0);
        moved_by.push_back(0);
      }
      block_of[i] = moved_to[block];
    });
  }

  // Blocks in use become symbols, in the order of their least code point.
  constexpr uint32_t kNoSymbol = 0xFFFFFFFF;
  std::vector<uint32_t> symbol_of(moved_to.size(), kNoSymbol);
  uint32_t symbol_count = 0;
  std::vector<uint32_t> sizes;
  for (uint32_t i = 0; i + 1 < cuts.size(); ++i) {
    uint32_t block = block_of[i];
    if (block == 0) continue;
    if (symbol_of[block] == kNoSymbol) symbol_of[block] = symbol_count++, sizes.push_back(0);
    ++sizes[symbol_of[block]];
  }
  range_begins_.assign(symbol_count + 1, 0);
  for (uint32_t s = 0; s < symbol_count; ++s) range_begins_[s + 1] = range_begins_[s] + sizes[s];
  ranges_.resize(range_begins_.back());
  std::vector<uint32_t> fill(range_begins_.begin(), range_begins_.end() - 1);
  for (uint32_t i = 0; i + 1 < cuts.size(); ++i) {
    if (block_of[i] == 0) continue;
    ranges_[fill[symbol_of[block_of[i]]]++] = {cuts[i], cuts[i + 1] - 1};
  }

  symbol_begins_.push_back(0);
  std::vector<uint32_t> seen_by(symbol_count, kNoSymbol);
  for (uint32_t set = 0; set < sets.size(); ++set) {
    for_intervals(sets[set], [&](uint32_t i) {
      uint32_t symbol = symbol_of[block_of[i]];
      if (seen_by[symbol] == set) return;
      seen_by[symbol] = set;
      symbols_.push_back(symbol);
    });
    symbol_begins_.push_back(static_cast<uint32_t>(symbols_.size()));
  }
}

}  // namespace maskloom
