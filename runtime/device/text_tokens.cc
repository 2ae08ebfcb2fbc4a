#include "runtime/device/text_tokens.h"

#include <limits>

namespace maskloom {

std::optional<uint32_t> CountText(TextCoding coding, std::string_view bytes, Partial* partial) {
  uint32_t count = 0;
  for (const char c : bytes) {
    const CodingStep step = StepCoding(coding, *partial, static_cast<uint8_t>(c));
    if (step.outcome == CodingStep::Outcome::kDead || step.outcome == CodingStep::Outcome::kQuote) {
      return std::nullopt;
    }
    const bool is_whole = step.outcome == CodingStep::Outcome::kCodePoint;
    count += is_whole;
    *partial = is_whole ? kBoundary : step.partial;
  }
  return count;
}

TextTokens::TextTokens(const VocabularyIndex& vocabulary, TextCoding coding)
    : lengths(vocabulary.size()), keys(vocabulary, coding) {
  const MaskBase stay = vocabulary.strings(coding).Stay();
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (stay.row == nullptr || (stay.row[id / 32] >> (id % 32) & 1) == 0) continue;
    Partial partial = kBoundary;
    const auto count = CountText(coding, vocabulary.vocabulary().bytes(id), &partial);
    if (!count || partial != kBoundary || *count >= std::numeric_limits<uint8_t>::max()) continue;
    lengths[id] = static_cast<uint8_t>(*count + 1);
  }
}

}  // namespace maskloom
