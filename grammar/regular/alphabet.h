// Splits the code points into symbols: code points that no set of an automaton tells apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/base/code_point_set.h"

namespace maskloom {

// Code points that are in no set belong to no symbol.
class Alphabet {
 public:
  // Cost: n log n in the number of ranges of `sets`.
  explicit Alphabet(const std::vector<CodePointSet>& sets);

  uint32_t symbol_count() const { return static_cast<uint32_t>(range_begins_.size() - 1); }
  // Symbols that make up set number `set`.
  std::span<const uint32_t> SymbolsOf(uint32_t set) const {
    return std::span(symbols_).subspan(symbol_begins_[set],
                                       symbol_begins_[set + 1] - symbol_begins_[set]);
  }
  // Code points of a symbol, sorted and disjoint.
  std::span<const CodePointRange> RangesOf(uint32_t symbol) const {
    return std::span(ranges_).subspan(range_begins_[symbol],
                                      range_begins_[symbol + 1] - range_begins_[symbol]);
  }

 private:
  std::vector<uint32_t> symbol_begins_;  // by set
  std::vector<uint32_t> symbols_;
  std::vector<uint32_t> range_begins_;  // by symbol
  std::vector<CodePointRange> ranges_;
};

}  // namespace maskloom
