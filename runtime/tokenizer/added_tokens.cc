// The tokens are sorted by text, so those that begin with what was read so far are a range. Reading
// a byte more narrows the range by binary search; whenever its first entry is exactly as long as
// what was read, that entry is the longest match so far.
#include "runtime/tokenizer/added_tokens.h"

#include <algorithm>

#include "grammar/base/utf8.h"
#include "runtime/tokenizer/char_class.h"

namespace maskloom {
namespace {

bool IsWordCharacter(uint32_t c) {
  return c != kInvalidCodePoint &&
         (c == '_' || (CharClassOf(c) & (kClassLetter | kClassNumber | kClassMark)) != 0);
}

uint32_t FirstCharacter(std::string_view text) {
  size_t offset = 0;
  return text.empty() ? kInvalidCodePoint : DecodeUtf8(text, &offset);
}

// Returns where the last character of `text` begins. Requires: text is not empty.
size_t LastCharacterBegin(std::string_view text) {
  size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < 4 && (text[begin] & 0xC0) == 0x80) --begin;
  return begin;
}

bool IsSpaceCharacter(uint32_t c) {
  return c != kInvalidCodePoint && (CharClassOf(c) & kClassSpace) != 0;
}

size_t TrailingSpaceBegin(std::string_view text) {
  while (!text.empty()) {
    const size_t begin = LastCharacterBegin(text);
    if (!IsSpaceCharacter(FirstCharacter(text.substr(begin)))) break;
    text = text.substr(0, begin);
  }
  return text.size();
}

size_t LeadingSpaceEnd(std::string_view text) {
  size_t offset = 0;
  while (offset < text.size()) {
    size_t next = offset;
    if (!IsSpaceCharacter(DecodeUtf8(text, &next))) break;
    offset = next;
  }
  return offset;
}

bool StandsAlone(std::string_view text, size_t begin, size_t end) {
  if (begin > 0) {
    const std::string_view before = text.substr(0, begin);
    if (IsWordCharacter(FirstCharacter(before.substr(LastCharacterBegin(before))))) return false;
  }
  return !IsWordCharacter(FirstCharacter(text.substr(end)));
}

bool Overlaps(std::span<const TextRange> ranges, size_t begin, size_t end) {
  const auto range = std::partition_point(ranges.begin(), ranges.end(),
                                          [&](const TextRange& r) { return r.end <= begin; });
  return range != ranges.end() && range->begin < end;
}

}  // namespace

AddedTokenMatcher::AddedTokenMatcher(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.text.empty(); });
  std::stable_sort(tokens_.begin(), tokens_.end(),
                   [](const AddedToken& a, const AddedToken& b) { return a.text < b.text; });
  first_of_byte_.assign(257, 0);
  for (const AddedToken& token : tokens_) {
    ++first_of_byte_[static_cast<uint8_t>(token.text[0]) + 1];
  }
  for (size_t byte = 1; byte < first_of_byte_.size(); ++byte) {
    first_of_byte_[byte] += first_of_byte_[byte - 1];
  }
}

const AddedToken* AddedTokenMatcher::LongestAt(std::string_view text) const {
  const auto first = static_cast<uint8_t>(text[0]);
  auto low = tokens_.begin() + first_of_byte_[first];
  auto high = tokens_.begin() + first_of_byte_[first + 1];
  const AddedToken* longest = nullptr;
  for (size_t depth = 1; low != high; ++depth) {
    if (low->text.size() == depth) longest = &*low++;
    while (low != high && low->text.size() <= depth) ++low;  // a second token of the same text
    if (depth == text.size()) break;
    const auto byte = static_cast<uint8_t>(text[depth]);
    const auto at = [depth](const AddedToken& t) { return static_cast<uint8_t>(t.text[depth]); };
    low = std::partition_point(low, high, [&](const AddedToken& t) { return at(t) < byte; });
    high = std::partition_point(low, high, [&](const AddedToken& t) { return at(t) == byte; });
  }
  return longest;
}

void AddedTokenMatcher::Cut(std::string_view text, const CutOptions& options,
                            std::vector<TextSegment>* segments) const {
  size_t done = 0;  // everything before is in `segments`
  for (size_t at = 0; !tokens_.empty() && at < text.size();) {
    const auto first = static_cast<uint8_t>(text[at]);
    const bool possible = first_of_byte_[first] != first_of_byte_[first + 1];
    const AddedToken* token = possible ? LongestAt(text.substr(at)) : nullptr;
    if (token == nullptr) {
      ++at;
      continue;
    }
    size_t begin = at;
    size_t end = at + token->text.size();
    at = end;
    if (token->special && (!options.parse_special || Overlaps(options.literal, begin, end))) {
      continue;
    }
    if (token->single_word && !StandsAlone(text, begin, end)) continue;
    if (token->strips_left) {
      begin = done + TrailingSpaceBegin(text.substr(done, begin - done));
    }
    if (token->strips_right) end += LeadingSpaceEnd(text.substr(end));
    if (done < begin) segments->push_back({text.substr(done, begin - done)});
    segments->push_back({text.substr(begin, end - begin), token->id});
    at = done = end;
  }
  if (done < text.size()) segments->push_back({text.substr(done)});
}

}  // namespace maskloom
