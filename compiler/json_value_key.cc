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

std::string JsonTextOf(const ValueKey& key) {
  std::string out;
  struct Open {
    bool is_object;
    size_t parts;  // keys and values of members count one by one
  };
  std::vector<Open> open;
  const auto begin_part = [&] {
    if (open.empty()) return;
    const bool is_value = open.back().is_object && open.back().parts % 2 == 1;
    if (is_value) {
      out += ':';
    } else if (open.back().parts > 0) {
      out += ',';
    }
    ++open.back().parts;
  };
  for (size_t at = 0; at < key.size();) {
    const char kind = key[at++];
    if (kind == ']' || kind == '}') {
      open.pop_back();
      out += kind;
      continue;
    }
    begin_part();
    switch (kind) {
      case '[':
      case '{':
        out += kind;
        open.push_back({kind == '{', 0});
        break;
      case 's': {
        const size_t colon = key.find(':', at);
        const size_t size = std::stoul(key.substr(at, colon - at));
        out += '"';
        for (const char c : std::string_view(key).substr(colon + 1, size)) {
          constexpr char kHex[] = "0123456789abcdef";
          if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
          } else if (static_cast<unsigned char>(c) < 0x20) {
            out += "\\u00";
            out += kHex[c >> 4];
            out += kHex[c & 15];
          } else {
            out += c;
          }
        }
        out += '"';
        at = colon + 1 + size;
        break;
      }
      case 'n': {
        const size_t end = key.find(';', at);
        const size_t exponent = std::min(key.find('e', at), end);
        const bool negative = key[at] == '-';
        const std::string digits = key.substr(at + negative, exponent - at - negative);
        const int64_t power = exponent == end ? 0 : std::stoll(key.substr(exponent + 1));
        out += digits == "0" ? "0" : Decimal::FromParts(negative, digits, power).ToString();
        at = end + 1;
        break;
      }
      default:
        out += kind == 'z' ? "null" : kind == 't' ? "true" : "false";
    }
  }
  return out;
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
