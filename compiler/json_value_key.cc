#include "compiler/json_value_key.h"

#include <algorithm>
#include <array>
#include <optional>

#include "compiler/text_coding.h"
#include "compiler/white_space.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// Is `c` one of the characters that stand for themselves in a string, in one byte?
bool IsPlainByte(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

// Reads the string or key whose quote is behind `*position`, to UTF-8; returns whether it ended.
bool ReadString(std::string_view text, size_t* position, std::string* decoded) {
  decoded->clear();
  Partial partial = kBoundary;
  while (*position < text.size()) {
    if (partial == kBoundary) {
      const size_t begin = *position;
      while (*position < text.size() && IsPlainByte(text[*position])) ++*position;
      decoded->append(text.substr(begin, *position - begin));
      if (*position == text.size()) return false;
    }
    const uint8_t byte = static_cast<uint8_t>(text[(*position)++]);
    const CodingStep step = StepCoding(TextCoding::kJsonString, partial, byte);
    switch (step.outcome) {
      case CodingStep::Outcome::kQuote:
        return true;
      case CodingStep::Outcome::kCodePoint:
        AppendUtf8(step.code_point, decoded);
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

// The keys of what was read, one behind the other in one text, so that nothing is copied again for
// each container around it. A container's begins with its bracket.
class KeyWriter {
 public:
  bool is_open() const { return !open_.empty(); }
  void Open(bool is_object) {
    BeginPart();
    keys_ += is_object ? '{' : '[';
    open_.push_back({is_object, parts_.size()});
  }
  void Close() {
    const Level level = open_.back();
    if (level.is_object) SortMembers(level.first);
    keys_ += level.is_object ? '}' : ']';
    parts_.resize(level.first);
    open_.pop_back();
  }
  // A name or a value without parts.
  void Add(const ValueKey& key) {
    BeginPart();
    keys_ += key;
  }
  void TakeInto(ReadValue* value) {
    if (!is_open()) {
      value->key = std::move(keys_);
      return;
    }
    parts_.push_back(keys_.size());
    for (size_t i = 0; i < open_.size(); ++i) {
      const size_t first = open_[i].first;
      const bool is_last = i + 1 == open_.size();
      // What the next container is has not ended.
      const size_t end = is_last ? parts_.size() - 1 : open_[i + 1].first - 1;
      OpenContainer container;
      container.is_object = open_[i].is_object;
      for (size_t part = first; part < end; ++part) {
        if (!container.is_object) {
          container.items.push_back(Part(part));
        } else if (part + 1 < end) {
          container.members.push_back({Part(part), Part(part + 1)});
          ++part;
        } else {
          container.pending = Part(part);
        }
      }
      value->open.push_back(std::move(container));
    }
  }

 private:
  struct Level {
    bool is_object;
    size_t first;  // of its parts
  };

  void BeginPart() {
    if (is_open()) parts_.push_back(keys_.size());
  }
  // Requires: another part follows, or the end was pushed as one.
  ValueKey Part(size_t part) const {
    return keys_.substr(parts_[part], parts_[part + 1] - parts_[part]);
  }
  void SortMembers(size_t first) {
    parts_.push_back(keys_.size());
    std::vector<std::array<size_t, 3>> members;  // where name, value and end are
    for (size_t i = first; i + 2 < parts_.size(); i += 2) {
      members.push_back({parts_[i], parts_[i + 1], parts_[i + 2]});
    }
    const auto text = [&](size_t begin, size_t end) {
      return std::string_view(keys_).substr(begin, end - begin);
    };
    const auto is_before = [&](const std::array<size_t, 3>& a, const std::array<size_t, 3>& b) {
      const int order = text(a[0], a[1]).compare(text(b[0], b[1]));
      return order != 0 ? order < 0 : text(a[1], a[2]) < text(b[1], b[2]);
    };
    if (std::is_sorted(members.begin(), members.end(), is_before)) return;
    std::sort(members.begin(), members.end(), is_before);
    std::string sorted;
    for (const auto& member : members) sorted += text(member[0], member[2]);
    keys_.replace(parts_[first], std::string::npos, sorted);
  }

  std::string keys_;
  std::vector<size_t> parts_;  // where those of open containers begin, names and values one by one
  std::vector<Level> open_;
};

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
  KeyWriter keys;
  std::string decoded;
  bool goes_on = true;
  for (size_t position = 0; position < text.size() && goes_on;) {
    const char c = text[position];
    if (IsJsonSpace(c) || c == ',' || c == ':') {
      ++position;
      continue;
    }
    switch (c) {
      case '[':
      case '{':
        ++position;
        keys.Open(c == '{');
        break;
      case ']':
      case '}':
        ++position;
        keys.Close();
        break;
      case '"':
        ++position;
        goes_on = ReadString(text, &position, &decoded);
        if (goes_on) {
          keys.Add(StringKey(decoded));
        } else {
          result.text = ToUtf32(decoded);
        }
        break;
      case 'n':
      case 't':
      case 'f': {
        const size_t length = c == 'f' ? 5 : 4;
        goes_on = text.size() - position >= length;
        position += length;
        if (goes_on) keys.Add(LiteralKey(c == 'n' ? 0 : c == 't' ? 1 : 2));
        break;
      }
      default: {
        const size_t begin = position;
        while (position < text.size() &&
               std::string_view("-+.eE0123456789").find(text[position]) != std::string_view::npos) {
          ++position;
        }
        const std::optional<Decimal> value = Decimal::Parse(text.substr(begin, position - begin));
        goes_on = value.has_value();  // else it is not JSON
        if (goes_on) keys.Add(NumberKey(*value));
      }
    }
  }
  keys.TakeInto(&result);
  return result;
}

}  // namespace maskloom
