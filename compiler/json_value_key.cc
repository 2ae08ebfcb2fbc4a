#include "compiler/json_value_key.h"

#include <algorithm>
#include <optional>

#include "compiler/text_coding.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Reads the string or key whose quote is behind `*position`; returns whether it ended.
bool ReadString(std::string_view text, size_t* position, std::u32string* decoded) {
  decoded->clear();
  Partial partial = kBoundary;
  while (*position < text.size()) {
    const uint8_t byte = static_cast<uint8_t>(text[(*position)++]);
    const CodingStep step = StepCoding(TextCoding::kJsonString, partial, byte);
    switch (step.outcome) {
      case CodingStep::Outcome::kQuote:
        return true;
      case CodingStep::Outcome::kCodePoint:
        decoded->push_back(static_cast<char32_t>(step.code_point));
        partial = kBoundary;
        break;
      case CodingStep::Outcome::kPartial:
        partial = step.partial;
        break;
      case CodingStep::Outcome::kDead:
        return false;
    }
  }
  return false;
}

// Puts the finished value `key` where it belongs.
void Finish(ReadValue* value, ValueKey key) {
  if (value->open.empty()) {
    value->key = std::move(key);
    return;
  }
  OpenContainer& container = value->open.back();
  if (container.is_object) {
    container.members.push_back({std::move(container.pending), std::move(key)});
    container.pending.clear();
  } else {
    container.items.push_back(std::move(key));
  }
}

}  // namespace

ValueKey LiteralKey(uint32_t literal) { return std::string(1, "ztf"[literal]); }

ValueKey StringKey(std::string_view text) {
  return "s" + std::to_string(text.size()) + ":" + std::string(text);
}

ValueKey StringKey(std::u32string_view text) {
  std::string bytes;
  for (const char32_t c : text) AppendUtf8(c, &bytes);
  return StringKey(bytes);
}

ValueKey NumberKey(const Decimal& value) {
  if (value.IsZero()) return "n0;";
  return (value.negative() ? "n-" : "n") + value.digits() + "e" + std::to_string(value.exponent()) +
         ";";
}

ValueKey ArrayKey(const std::vector<ValueKey>& items) {
  ValueKey key = "[";
  for (const ValueKey& item : items) key += item;
  return key + "]";
}

ValueKey ObjectKey(std::vector<MemberKey> members) {
  std::sort(members.begin(), members.end());
  ValueKey key = "{";
  for (const auto& [name, value] : members) key += name + value;
  return key + "}";
}

ReadValue ReadJsonValue(std::string_view text) {
  ReadValue result;
  std::u32string decoded;
  for (size_t position = 0; position < text.size();) {
    const char c = text[position];
    if (IsSpace(c) || c == ',' || c == ':') {
      ++position;
      continue;
    }
    switch (c) {
      case '[':
      case '{':
        ++position;
        result.open.push_back({});
        result.open.back().is_object = c == '{';
        break;
      case ']':
      case '}': {
        ++position;
        OpenContainer container = std::move(result.open.back());
        result.open.pop_back();
        Finish(&result,
               c == ']' ? ArrayKey(container.items) : ObjectKey(std::move(container.members)));
        break;
      }
      case '"': {
        ++position;
        if (!ReadString(text, &position, &decoded)) {
          result.text = std::move(decoded);
          return result;
        }
        const bool is_key = !result.open.empty() && result.open.back().is_object &&
                            result.open.back().pending.empty();
        if (is_key) {
          result.open.back().pending = StringKey(decoded);
        } else {
          Finish(&result, StringKey(decoded));
        }
        break;
      }
      case 'n':
      case 't':
      case 'f': {
        const size_t length = c == 'f' ? 5 : 4;
        if (text.size() - position < length) return result;
        position += length;
        Finish(&result, LiteralKey(c == 'n' ? 0 : c == 't' ? 1 : 2));
        break;
      }
      default: {
        const size_t begin = position;
        while (position < text.size() &&
               std::string_view("-+.eE0123456789").find(text[position]) != std::string_view::npos) {
          ++position;
        }
        if (position == begin) return result;  // not JSON
        const std::optional<Decimal> value = Decimal::Parse(text.substr(begin, position - begin));
        if (!value) return result;
        Finish(&result, NumberKey(*value));
      }
    }
  }
  return result;
}

}  // namespace maskloom
