#include "compiler/string_index.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/categories.h"

namespace maskloom {
namespace {

void SetBit(uint32_t* row, TokenId id) { row[id / 32] |= 1u << (id % 32); }

// In any string; a byte of a character beyond ASCII is.
bool IsSpelledAsItself(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte >= 0x20 && byte != '"' && byte != '\\';
}

}  // namespace

StringIndex::StringIndex(const Vocabulary& vocabulary, TextCoding coding, const Spelling& spelling)
    : row_words_((vocabulary.size() + 31) / 32),
      first_base_(coding == TextCoding::kPlainString ? kPlainBases : 0) {
  std::vector<uint32_t> stay(row_words_);
  std::vector<uint32_t> length_rows(size_t{row_words_} * (kMaxLengthRow + 1));
  length_counts_.resize(kMaxLengthRow + 1);
  std::vector<TokenTrie::Entry> exits, tails;
  std::vector<Exit> exit_table;
  std::vector<std::string_view> beginnings;  // of these
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
      exit_table.push_back({id, code_points});
      beginnings.push_back(bytes.substr(0, read + 1));
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
  MakeExitTable(std::move(exit_table), beginnings);
}

void StringIndex::MakeExitTable(std::vector<Exit> exits,
                                std::span<const std::string_view> beginnings) {
  std::vector<std::string_view> texts(beginnings.begin(), beginnings.end());
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::vector<TokenTrie::Entry> plain, coded;
  for (const std::string_view text : texts) {
    const auto number = static_cast<TokenId>(plain.size() + coded.size());
    const std::string_view beginning = text.substr(0, text.size() - 1);
    if (std::all_of(beginning.begin(), beginning.end(), IsSpelledAsItself)) {
      plain.push_back({beginning, number});
    } else {
      coded.push_back({text, number});
    }
    most_exit_runs_ = std::max(most_exit_runs_, PartsOf(text).runs);
  }
  beginnings_ = TokenTrie(std::move(plain));
  coded_beginnings_ = TokenTrie(std::move(coded));
  beginning_count_ = static_cast<uint32_t>(texts.size());
  std::vector<Exit> table(std::bit_ceil(2 * exits.size() + 1));
  for (size_t i = 0; i < exits.size(); ++i) {
    const auto text = std::lower_bound(texts.begin(), texts.end(), beginnings[i]);
    exits[i].beginning = static_cast<uint32_t>(text - texts.begin());
    size_t slot = exits[i].id & (table.size() - 1);
    while (table[slot].id != kFree) slot = (slot + 1) & (table.size() - 1);
    table[slot] = exits[i];
  }
  exit_table_ = std::move(table);
}

size_t StringIndex::SlotOfExit(TokenId id) const {
  const size_t mask = exit_table_.size() - 1;
  size_t slot = id & mask;
  while (exit_table_[slot].id != id && exit_table_[slot].id != kFree) slot = (slot + 1) & mask;
  return slot;
}

MaskBase StringIndex::AtMost(uint32_t count) const {
  count = std::min(count, kMaxLengthRow);
  return {first_base_ + kFirstLengthBase + count, length_rows_.data() + size_t{row_words_} * count,
          length_counts_[count]};
}

size_t StringIndex::MemoryBytes() const {
  return (stay_.size() + length_rows_.size()) * 4 + long_tokens_.size() * sizeof(LongToken) +
         exits_.MemoryBytes() + tails_.MemoryBytes() + exit_table_.size() * sizeof(Exit) +
         beginnings_.MemoryBytes() + coded_beginnings_.MemoryBytes();
}

}  // namespace maskloom
