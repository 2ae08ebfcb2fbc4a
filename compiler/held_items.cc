#include "compiler/held_items.h"

#include <algorithm>

#include "compiler/machine.h"
#include "compiler/number_automaton.h"
#include "compiler/text_coding.h"
#include "compiler/white_space.h"

namespace maskloom {
namespace {

// The kind of values that begin with `c`.
uint8_t KindBegunBy(char c) {
  switch (c) {
    case '"':
      return kStringItems;
    case '[':
      return kArrayItems;
    case '{':
      return kObjectItems;
    case 'n':
    case 't':
    case 'f':
      return kLiteralItems;
    default:
      return c == '-' || (c >= '0' && c <= '9') ? kNumberItems : 0;
  }
}

// May a value that begins at bytes[begin] end in `bytes`, or be a number from whose exponent on it
// can become but one value, as with 0e and integers with 9e-?
bool MayEnd(std::string_view bytes, size_t begin) {
  const std::string_view rest = bytes.substr(begin + 1);
  switch (bytes[begin]) {
    case '"':
      return rest.find('"') != std::string_view::npos;
    case '[':
      return rest.find(']') != std::string_view::npos;
    case '{':
      return rest.find('}') != std::string_view::npos;
    case 'n':
    case 't':
    case 'f':
      return std::any_of(std::begin(kLiteralTexts), std::end(kLiteralTexts),
                         [&](const char* text) { return bytes.substr(begin).starts_with(text); });
    default:
      return !std::all_of(rest.begin(), rest.end(), [](char c) {
        return c != 'e' && c != 'E' && NumberAutomaton::IsNumberByte(static_cast<uint8_t>(c));
      });
  }
}

// Calls `visit(place, behind_comma, new_array)` for the places in `bytes` at which an item may
// begin.
template <typename Visit>
void VisitBeginnings(std::string_view bytes, bool at_begin, Visit visit) {
  bool begins = at_begin;
  bool behind_comma = false;
  bool new_array = false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (IsJsonSpace(c)) continue;
    if (begins) visit(i, behind_comma, new_array);
    begins = c == ',' || c == '[';
    behind_comma = c == ',';
    new_array |= c == '[';
  }
}

// What of `bytes`, which begin inside a string or key, stands behind its end.
std::string_view BehindText(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '"') return bytes.substr(i + 1);
    if (bytes[i] == '\\') ++i;
  }
  return {};
}

}  // namespace

HeldKinds FindHeldKinds(std::string_view bytes, HeldBehind behind) {
  HeldKinds held;
  const bool in_text = behind == HeldBehind::kText;
  if (in_text) bytes = BehindText(bytes);
  VisitBeginnings(bytes, !in_text, [&](size_t i, bool behind_comma, bool new_array) {
    uint8_t kind = KindBegunBy(bytes[i]);
    if (kind == 0) return;
    const bool opens = kind == kStringItems || kind == kArrayItems || kind == kObjectItems;
    if (new_array) kind = kItemsOfNewArrays;
    if (MayEnd(bytes, i)) held.whole |= kind;
    if (!behind_comma) return;
    (opens && i + 1 == bytes.size() ? held.opened : held.begun) |= kind;
  });
  return held;
}

bool BeginsMembers(std::string_view bytes) {
  bool begins = false;
  VisitBeginnings(bytes, true, [&](size_t i, bool, bool) {
    if (bytes[i] != '{') return;
    const std::string_view rest = bytes.substr(i + 1);
    const size_t quote = rest.find_first_not_of(" \t\n\r");
    begins |= quote != std::string_view::npos && rest[quote] == '"' && quote + 1 < rest.size();
  });
  return begins;
}

HeldItems::HeldItems(const Vocabulary& vocabulary) : row_((vocabulary.size() + 31) / 32) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    const std::string_view bytes = vocabulary.bytes(id);
    const HeldKinds held = FindHeldKinds(bytes, HeldBehind::kNothing);
    begins_members_ |= BeginsMembers(bytes);
    if (held.IsEmpty()) continue;
    const HeldKinds behind_text = FindHeldKinds(bytes, HeldBehind::kText);
    tokens_.push_back({id, held, behind_text});
    const bool holds_whole = (held.whole | behind_text.whole) != 0;
    if (holds_whole && bytes.find(']') != std::string_view::npos) closing_.push_back(id);
    row_[id / 32] |= 1u << (id % 32);
    AddBegunTexts(bytes);
  }
  std::sort(begun_texts_.begin(), begun_texts_.end());
  begun_texts_.erase(std::unique(begun_texts_.begin(), begun_texts_.end()), begun_texts_.end());
}

void HeldItems::AddBegunTexts(std::string_view bytes) {
  VisitBeginnings(bytes, false, [&](size_t i, bool behind_comma, bool) {
    const std::string_view rest = bytes.substr(i + 1);
    // Any character may follow the beginning of an escape.
    if (bytes[i] != '"' || !behind_comma || rest.empty() || rest == "\\") return;
    std::u32string text;
    Partial partial = kBoundary;
    for (const char byte : rest) {
      const CodingStep step =
          StepCoding(TextCoding::kJsonString, partial, static_cast<uint8_t>(byte));
      if (step.outcome == CodingStep::Outcome::kQuote) return;
      if (step.outcome == CodingStep::Outcome::kDead) return;
      partial = step.partial;
      if (step.outcome == CodingStep::Outcome::kCodePoint) text.push_back(step.code_point);
    }
    begun_texts_.push_back(std::move(text));
  });
}

bool HeldItems::BeginsText(std::u32string_view begin) const {
  return std::any_of(begun_texts_.begin(), begun_texts_.end(), [&](std::u32string_view text) {
    return text.starts_with(begin) || begin.starts_with(text);
  });
}

bool HeldItems::MayHoldAny(TokenId id, HeldBehind behind, HeldKinds kinds) const {
  const auto it =
      std::lower_bound(tokens_.begin(), tokens_.end(), id,
                       [](const Token& token, TokenId other) { return token.id < other; });
  const HeldKinds held = behind == HeldBehind::kText ? it->behind_text : it->behind_nothing;
  kinds.whole |= kItemsOfNewArrays;
  kinds.begun |= kItemsOfNewArrays;
  kinds.opened |= kItemsOfNewArrays;
  return held.Has(kinds);
}

}  // namespace maskloom
