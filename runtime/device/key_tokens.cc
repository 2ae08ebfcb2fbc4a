#include "runtime/device/key_tokens.h"

#include <algorithm>
#include <string_view>

namespace maskloom {
namespace {

// Adds the first code points of the keys that `bytes` may begin.
void AddFirst(const VocabularyIndex& vocabulary, TextCoding coding, std::string_view bytes,
              CodePointSet* set) {
  Partial partial = kBoundary;
  for (const char c : bytes) {
    const CodingStep step = StepCoding(coding, partial, static_cast<uint8_t>(c));
    if (step.outcome == CodingStep::Outcome::kCodePoint) {
      return set->Add(step.code_point, step.code_point);
    }
    if (step.outcome != CodingStep::Outcome::kPartial) return;
    partial = step.partial;
  }
  if (partial == kBoundary) return;
  const PartialRanges ranges = RangesOf(partial);
  const bool is_all = ranges.ranges[0].first == 0 && ranges.ranges[0].last == 0x10FFFF;
  if (is_all && vocabulary.spelling(coding).FinishesAll(partial)) return;
  for (uint32_t i = 0; i < ranges.count; ++i) {
    set->Add(ranges.ranges[i].first, ranges.ranges[i].last);
  }
}

// Does only white space stand between `bytes` and a comma before it?
bool IsBehindComma(std::string_view bytes) {
  const size_t last = bytes.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && bytes[last] == ',';
}

}  // namespace

KeyTokens::KeyTokens(const VocabularyIndex& vocabulary, TextCoding coding) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.vocabulary().kind(id) != TokenKind::kNormal) continue;
    const std::string_view bytes = vocabulary.vocabulary().bytes(id);
    for (size_t quote = bytes.find('"'); quote != std::string_view::npos;
         quote = bytes.find('"', quote + 1)) {
      AddFirst(vocabulary, coding, bytes.substr(quote + 1), &begun);
      if (!IsBehindComma(bytes.substr(0, quote))) continue;
      AddFirst(vocabulary, coding, bytes.substr(quote + 1), &begun_behind_comma);
    }
    if (bytes.find('"') == std::string_view::npos) continue;
    std::u32string text;
    Partial partial = kBoundary;
    for (const char c : bytes) {
      const CodingStep step = StepCoding(coding, partial, static_cast<uint8_t>(c));
      if (step.outcome == CodingStep::Outcome::kQuote) ends.push_back(text);
      if (step.outcome == CodingStep::Outcome::kCodePoint) text.push_back(step.code_point);
      partial = step.partial;
      const bool goes_on = step.outcome == CodingStep::Outcome::kCodePoint ||
                           step.outcome == CodingStep::Outcome::kPartial;
      if (!goes_on) break;
    }
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
}

}  // namespace maskloom
