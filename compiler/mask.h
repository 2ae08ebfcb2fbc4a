// The mask of one item: a base row that many states share, and the tokens it lacks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler/vocabulary.h"

namespace maskloom {

// Has `row`, of one bit a token, that of `id`?
inline bool HasBit(const uint32_t* row, TokenId id) { return (row[id / 32] >> (id % 32) & 1) != 0; }

// A row that many masks begin with.
struct MaskBase {
  uint32_t id = 0;                              // for MaskInfo; 0: the empty row
  const uint32_t* row = nullptr;                // null if empty
  uint32_t count = 0;                           // tokens in it
  std::shared_ptr<const void> owner = nullptr;  // keeps the row; null: the vocabulary index does
};

// Immutable. The base is a subset of the mask, so masks of several items unite by OR.
struct ItemMask {
  uint64_t id = 0;                 // no other mask of this process has it; 0 before it is kept
  uint32_t base_id = 0;            // 0: the empty row
  const uint32_t* base = nullptr;  // owned by the vocabulary index, `base_owner` or `own_row`; null
                                   // if empty
  std::shared_ptr<const void> base_owner;
  // Tokens of the mask that the base lacks: while it is made `additions`; those of a mask in a
  // cache are `shared`, which the cache owns (token_lists.h).
  std::vector<TokenId> additions;
  std::span<const TokenId> shared;
  std::vector<uint32_t> own_row;  // where a list would be longer than a row
  uint32_t allowed_count = 0;     // end tokens are not counted
  uint32_t depth = 0;             // levels of the stack that the mask depends on

  // The tokens that the base lacks.
  std::span<const TokenId> exceptions() const {
    return additions.empty() ? shared : std::span<const TokenId>(additions);
  }
};

}  // namespace maskloom
