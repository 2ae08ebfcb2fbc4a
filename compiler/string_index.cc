#include "compiler/string_index.h"

#include <algorithm>
#include <bit>

namespace maskloom {
namespace {

void SetBit(uint32_t* row, TokenId id) { row[id / 32] |= 1u << (id % 32); }

}  // namespace

StringIndex::StringIndex(const Vocabulary& vocabulary, TextCoding coding, const Spelling& spelling)
    : row_words_((vocabulary.size() + 31) / 32),
      first_base_(coding == TextCoding::kPlainString ? kPlainBases : 0) {
  std::vector<uint32_t> stay(row_words_);
  std::vector<uint32_t> length_rows(size_t{row_words_} * (kMaxLengthRow + 1));
  length_counts_.resize(kMaxLengthRow + 1);
  std::vector<TokenTrie::Entry> exits, tails;
  std::vector<ExitLength> exit_lengths;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    Partial partial = kBoundary;
    uint32_t code_points = 0;
    bool stays = true;
    bool exits_string = false;
    const std::string_view bytes = vocabulary.bytes(id);
    size_t read = 0;
    for (const char c : bytes) {
      const CodingStep step = StepCoding(coding, partial, static_cast<uint8_t>(c));
      exits_string = step.outcome == CodingStep::Outcome::kQuote;
      stays = !exits_string && step.outcome != CodingStep::Outcome::kDead;
      if (!stays) break;
      ++read;
      partial = step.partial;
      // No step leads to what cannot be finished, although this token would.
      stays = spelling.CanBeFinished(partial);
      if (!stays) break;
      code_points += step.outcome == CodingStep::Outcome::kCodePoint;
    }
    if (exits_string) {
      exits.push_back({bytes, id});
      tails.push_back({bytes.substr(read), id});
      exit_lengths.push_back({id, code_points});
      longest_exit_ = std::max(longest_exit_, code_points);
    }
    if (!stays) continue;
    if (partial != kBoundary) ++code_points;
    SetBit(stay.data(), id);
    ++stay_count_;
    if (code_points > kMaxLengthRow) {
      long_tokens_.push_back({id, code_points});
    } else {
      SetBit(length_rows.data() + size_t{row_words_} * code_points, id);
      ++length_counts_[code_points];
    }
  }
  for (uint32_t count = 1; count <= kMaxLengthRow; ++count) {
    uint32_t* row = length_rows.data() + size_t{row_words_} * count;
    const uint32_t* previous = row - row_words_;
    for (uint32_t word = 0; word < row_words_; ++word) row[word] |= previous[word];
    length_counts_[count] += length_counts_[count - 1];
  }
  stay_ = std::move(stay);
  length_rows_ = std::move(length_rows);
  exits_ = TokenTrie(std::move(exits));
  tails_ = TokenTrie(std::move(tails));
  MakeExitLengths(exit_lengths);
}

void StringIndex::MakeExitLengths(std::span<const ExitLength> lengths) {
  std::vector<ExitLength> table(std::bit_ceil(2 * lengths.size() + 1));
  for (const ExitLength& one : lengths) {
    size_t slot = one.id & (table.size() - 1);
    while (table[slot].id != kFree) slot = (slot + 1) & (table.size() - 1);
    table[slot] = one;
  }
  exit_lengths_ = std::move(table);
}

uint32_t StringIndex::LengthOfExit(TokenId id) const {
  const size_t mask = exit_lengths_.size() - 1;
  size_t slot = id & mask;
  while (exit_lengths_[slot].id != id) slot = (slot + 1) & mask;
  return exit_lengths_[slot].code_points;
}

MaskBase StringIndex::AtMost(uint32_t count) const {
  count = std::min(count, kMaxLengthRow);
  return {first_base_ + kFirstLengthBase + count, length_rows_.data() + size_t{row_words_} * count,
          length_counts_[count]};
}

size_t StringIndex::MemoryBytes() const {
  return (stay_.size() + length_rows_.size()) * 4 + long_tokens_.size() * sizeof(LongToken) +
         exits_.MemoryBytes() + tails_.MemoryBytes() + exit_lengths_.size() * sizeof(ExitLength);
}

}  // namespace maskloom
