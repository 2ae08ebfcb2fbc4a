#include "runtime/cli/json_reader.h"

#include <fmt/format.h>

#include "grammar/base/utf8.h"

namespace maskloom::cli {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

uint32_t HexUnit(std::string_view four) {
  uint32_t value = 0;
  for (char c : four) value = value * 16 + static_cast<uint32_t>(HexDigit(c));
  return value;
}

}  // namespace

JsonReader::Token JsonReader::Fail(const char* message) {
  status_ = Status(StatusCode::kInvalidArgument,
                   fmt::format("malformed JSON: {} at byte {}", message, end_));
  return Token::kError;
}

JsonReader::Token JsonReader::Finish(Token token) {
  after_value_ = true;
  fresh_ = false;
  return token;
}

void JsonReader::SkipBlanks() {
  while (end_ < text_.size() && (text_[end_] == ' ' || text_[end_] == '\n' || text_[end_] == '\t' ||
                                 text_[end_] == '\r')) {
    ++end_;
  }
  begin_ = end_;
}

JsonReader::Token JsonReader::Next() {
  if (!status_.ok()) return Token::kError;
  SkipBlanks();
  if (stack_.empty()) {
    if (!after_value_) return Value();
    return end_ == text_.size() ? Token::kEnd : Fail("unexpected text behind the value");
  }
  bool in_object = stack_.back() == '{';
  if (after_key_) {
    if (Peek() != ':') return Fail("expected ':'");
    ++end_;
    SkipBlanks();
    after_key_ = false;
    return Value();
  }
  if ((after_value_ || fresh_) && Peek() == (in_object ? '}' : ']')) {
    ++end_;
    stack_.pop_back();
    return Finish(in_object ? Token::kEndObject : Token::kEndArray);
  }
  if (after_value_) {
    if (Peek() != ',') return Fail(in_object ? "expected ',' or '}'" : "expected ',' or ']'");
    ++end_;
    SkipBlanks();
  }
  if (!in_object) return Value();
  if (Peek() != '"') return Fail("expected a key");
  if (!SkipString()) return Token::kError;
  after_key_ = true;
  after_value_ = fresh_ = false;
  return Token::kKey;
}

JsonReader::Token JsonReader::Value() {
  switch (Peek()) {
    case '{':
    case '[': {
      bool object = Peek() == '{';
      stack_.push_back(text_[end_++]);
      after_value_ = false;
      fresh_ = true;
      return object ? Token::kBeginObject : Token::kBeginArray;
    }
    case '"':
      return SkipString() ? Finish(Token::kString) : Token::kError;
    case 't':
    case 'f':
    case 'n':
      for (auto [word, token] : {std::pair{std::string_view("true"), Token::kTrue},
                                 std::pair{std::string_view("false"), Token::kFalse},
                                 std::pair{std::string_view("null"), Token::kNull}}) {
        if (text_.substr(end_).starts_with(word)) {
          end_ += word.size();
          return Finish(token);
        }
      }
      return Fail("expected a value");
    default:
      break;
  }
  if (end_ == text_.size()) return Fail("the text ends too early");
  if (Peek() != '-' && !IsDigit(Peek())) return Fail("expected a value");
  return SkipNumber() ? Finish(Token::kNumber) : Token::kError;
}

bool JsonReader::SkipDigits() {
  if (!IsDigit(Peek())) {
    Fail("expected a digit");
    return false;
  }
  while (IsDigit(Peek())) ++end_;
  return true;
}

bool JsonReader::SkipNumber() {
  if (Peek() == '-') ++end_;
  if (Peek() == '0') {
    ++end_;
  } else if (!SkipDigits()) {
    return false;
  }
  if (Peek() == '.') {
    ++end_;
    if (!SkipDigits()) return false;
  }
  if (Peek() == 'e' || Peek() == 'E') {
    ++end_;
    if (Peek() == '+' || Peek() == '-') ++end_;
    if (!SkipDigits()) return false;
  }
  return true;
}

bool JsonReader::SkipString() {
  ++end_;
  while (end_ < text_.size()) {
    unsigned char c = static_cast<unsigned char>(text_[end_]);
    if (c == '"') {
      ++end_;
      return true;
    }
    if (c < 0x20) {
      Fail("control character in a string");
      return false;
    }
    if (c >= 0x80) {
      if (DecodeUtf8(text_, &end_) == kInvalidCodePoint) {
        Fail("malformed UTF-8");
        return false;
      }
      continue;
    }
    ++end_;
    if (c != '\\') continue;
    char escape = Peek();
    size_t digits = escape == 'u' ? 4 : 0;
    if (std::string_view("\"\\/bfnrtu").find(escape) == std::string_view::npos) {
      Fail("unknown escape in a string");
      return false;
    }
    ++end_;
    for (; digits > 0; --digits, ++end_) {
      if (HexDigit(Peek()) < 0) {
        Fail("expected four hexadecimal digits");
        return false;
      }
    }
  }
  Fail("a string has no end");
  return false;
}

std::optional<std::string> DecodeJsonString(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  for (size_t i = 1; i + 1 < raw.size(); ++i) {
    if (raw[i] != '\\') {
      text += raw[i];
      continue;
    }
    char escape = raw[++i];
    if (size_t at = std::string_view("bfnrt").find(escape); at != std::string_view::npos) {
      text += "\b\f\n\r\t"[at];
    } else if (escape != 'u') {
      text += escape;
    } else {
      uint32_t unit = HexUnit(raw.substr(i + 1, 4));
      i += 4;
      if (unit >= 0xD800 && unit < 0xDC00 && raw.substr(i + 1, 2) == "\\u") {
        uint32_t low = HexUnit(raw.substr(i + 3, 4));
        if (low >= 0xDC00 && low < 0xE000) {
          unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
          i += 6;
        }
      }
      if (!IsScalarValue(unit)) return std::nullopt;
      AppendUtf8(unit, &text);
    }
  }
  return text;
}

Status ReadJsonMembers(std::string_view text, std::vector<JsonMember>* members) {
  using Token = JsonReader::Token;
  JsonReader reader(text);
  Token token = reader.Next();
  if (token == Token::kError) return reader.status();
  if (token != Token::kBeginObject) {
    return Status(StatusCode::kInvalidArgument, "expected a JSON object");
  }
  size_t begin = 0;
  std::string key;
  while ((token = reader.Next()) != Token::kEnd) {
    if (token == Token::kError) return reader.status();
    if (token == Token::kKey && reader.depth() == 1) {
      std::optional<std::string> decoded = DecodeJsonString(reader.raw());
      if (!decoded) return Status(StatusCode::kInvalidArgument, "a key is not well-formed Unicode");
      key = std::move(*decoded);
      continue;
    }
    bool opens = token == Token::kBeginObject || token == Token::kBeginArray;
    if (opens && reader.depth() == 2) begin = reader.begin();
    if (reader.depth() == 1 && !opens) {
      bool closes = token == Token::kEndObject || token == Token::kEndArray;
      if (!closes) begin = reader.begin();
      members->push_back({std::move(key), text.substr(begin, reader.end() - begin)});
    }
  }
  return Status::Ok();
}

Result<std::vector<JsonMember>> ReadJsonObject(std::string_view text) {
  std::vector<JsonMember> members;
  if (Status status = ReadJsonMembers(text, &members); !status.ok()) return status;
  return members;
}

Result<std::vector<std::string_view>> ReadJsonArray(std::string_view text) {
  using Token = JsonReader::Token;
  JsonReader reader(text);
  Token token = reader.Next();
  if (token == Token::kError) return reader.status();
  if (token != Token::kBeginArray) {
    return Status(StatusCode::kInvalidArgument, "expected a JSON array");
  }
  std::vector<std::string_view> elements;
  size_t begin = 0;
  while ((token = reader.Next()) != Token::kEnd) {
    if (token == Token::kError) return reader.status();
    bool opens = token == Token::kBeginObject || token == Token::kBeginArray;
    if (opens && reader.depth() == 2) begin = reader.begin();
    if (reader.depth() == 1 && !opens) {
      bool closes = token == Token::kEndObject || token == Token::kEndArray;
      if (!closes) begin = reader.begin();
      elements.push_back(text.substr(begin, reader.end() - begin));
    }
  }
  return elements;
}

Result<std::string> ReadJsonString(std::string_view text) {
  JsonReader reader(text);
  JsonReader::Token token = reader.Next();
  if (token == JsonReader::Token::kError) return reader.status();
  if (token != JsonReader::Token::kString) {
    return Status(StatusCode::kInvalidArgument, "expected a JSON string");
  }
  std::optional<std::string> value = DecodeJsonString(reader.raw());
  if (reader.Next() == JsonReader::Token::kError) return reader.status();
  if (!value) return Status(StatusCode::kInvalidArgument, "a string is not well-formed Unicode");
  return *value;
}

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  for (size_t i = 0; i < text.size();) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      size_t begin = i;
      if (DecodeUtf8(text, &i) == kInvalidCodePoint) {
        *out += "\xEF\xBF\xBD";
        ++i;
      } else {
        out->append(text, begin, i - begin);
      }
      continue;
    }
    ++i;
    size_t at = std::string_view("\"\\\b\f\n\r\t").find(static_cast<char>(c));
    if (at != std::string_view::npos) {
      *out += '\\';
      *out += "\"\\bfnrt"[at];
    } else if (c < 0x20) {
      *out += fmt::format("\\u{:04x}", c);
    } else {
      *out += static_cast<char>(c);
    }
  }
  *out += '"';
}

void AppendHex(std::string_view bytes, std::string* out) {
  for (char byte : bytes) {
    unsigned value = static_cast<unsigned char>(byte);
    *out += "0123456789abcdef"[value >> 4];
    *out += "0123456789abcdef"[value & 15];
  }
}

}  // namespace maskloom::cli
