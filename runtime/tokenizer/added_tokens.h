// Tokens that are cut out of the text before anything else: control tokens such as "<|im_end|>" and
// user-defined ones such as "<tool_call>".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/vocabulary.h"

namespace maskloom {

struct AddedToken {
  TokenId id = 0;
  std::string text;
  bool special = false;      // parsed only when asked for, left out when decoding without specials
  bool normalized = false;   // looked for after normalisation instead of in the raw text
  bool strips_left = false;  // takes the spaces in front of it
  bool strips_right = false;
  bool single_word = false;  // only where no letter, number or "_" touches it
};

// A range of bytes, [begin, end).
struct TextRange {
  size_t begin = 0;
  size_t end = 0;
};

// A stretch of text between added tokens, or (id != kTextSegment) one added token.
struct TextSegment {
  static constexpr TokenId kTextSegment = 0xFFFFFFFF;
  std::string_view text;
  TokenId id = kTextSegment;
};

// How Cut treats special tokens.
struct CutOptions {
  bool parse_special = false;
  // Where special tokens are not parsed all the same: ascending, disjoint ranges of the text.
  std::span<const TextRange> literal;
};

// Finds added tokens, at each place the longest, from left to right. Immutable; thread safe.
class AddedTokenMatcher {
 public:
  AddedTokenMatcher() = default;
  // Tokens with empty text are never found.
  explicit AddedTokenMatcher(std::vector<AddedToken> tokens);

  bool empty() const { return tokens_.empty(); }

  // Appends the segments of `text` in order; empty stretches are left out. A special token that is
  // not to be parsed hides what overlaps it and stays text.
  // Cost: linear for texts without the first byte of any token; else a binary search a byte of the
  // longest common beginning.
  void Cut(std::string_view text, const CutOptions& options,
           std::vector<TextSegment>* segments) const;

 private:
  // Returns the longest token at the beginning of `text`, or nullptr.
  const AddedToken* LongestAt(std::string_view text) const;

  std::vector<AddedToken> tokens_;       // ascending by text
  std::vector<uint32_t> first_of_byte_;  // 257 bounds into tokens_, by first byte
};

}  // namespace maskloom
