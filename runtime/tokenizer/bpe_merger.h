// Byte pair encoding of one piece by ranked merges.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "compiler/vocabulary.h"

namespace maskloom {

inline constexpr TokenId kNoToken = std::numeric_limits<TokenId>::max();

// "Where `left` stands before `right`, put `result`." A merge's rank is its place in the list;
// lower ranks go first.
struct MergeRule {
  TokenId left = kNoToken;
  TokenId right = kNoToken;
  TokenId result = kNoToken;
};

// The symbols that a piece starts from.
struct ByteSymbols {
  std::array<TokenId, 256> tokens;  // kNoToken for a byte that no token writes alone
  TokenId unknown = kNoToken;       // stands for such a byte; kNoToken: the byte is left out
  bool fuse_unknown = false;        // neighbouring unknown bytes share one `unknown`
};

// Immutable once built; const calls from any thread, each with a scratch of its own.
class BpeMerger {
 public:
  // Buffers of Encode, kept between calls so that they are not allocated for each piece.
  class Scratch {
    friend class BpeMerger;
    struct Symbol {
      TokenId id;
      uint32_t previous;
      uint32_t next;
    };
    struct Candidate {
      uint32_t rank;
      uint32_t position;
      TokenId left;
      TokenId right;
      TokenId result;
    };
    std::vector<Symbol> symbols_;
    std::vector<Candidate> heap_;
  };

  // Of two rules for one pair the later one counts.
  BpeMerger(const ByteSymbols& symbols, const std::vector<MergeRule>& rules);

  // Appends the tokens of `piece` to `*ids`.
  // Requires: piece.size() < 2^32 - 1.
  // Cost: O(n log n) for n bytes.
  void Encode(std::string_view piece, Scratch* scratch, std::vector<TokenId>* ids) const;

 private:
  struct PairHash {
    size_t operator()(uint64_t pair) const {
      pair *= 0x9E3779B97F4A7C15u;
      return static_cast<size_t>(pair ^ (pair >> 32));
    }
  };
  struct Merge {
    uint32_t rank;
    TokenId result;
  };

  void StartSymbols(std::string_view piece, Scratch* scratch) const;
  void Offer(uint32_t position, Scratch* scratch) const;

  ByteSymbols symbols_;
  tsl::robin_map<uint64_t, Merge, PairHash> merges_;
};

}  // namespace maskloom
