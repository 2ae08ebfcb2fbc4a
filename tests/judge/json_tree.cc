// A strict reader of RFC 8259 that keeps numbers as they are written, and the writer.
#include "tests/judge/json_tree.h"

#include <algorithm>

#include "tests/judge/code_points.h"
#include "tests/judge/number_prefix.h"

namespace maskloom::judge {
namespace {

bool IsDigit(char32_t c) { return c >= U'0' && c <= U'9'; }

// Reads RFC 8259 without recursion: `open_` holds the arrays and objects around the place.
class Parser {
 public:
  explicit Parser(std::u32string_view text) : text_(text) {}

  // Returns whether the text is one JSON value; else at() is where it stops being one.
  bool Parse() {
    if (!ReadValue()) return false;
    while (!open_.empty()) {
      JsonTree* parent = open_.back();
      bool array = parent->kind == JsonTree::Kind::kArray;
      SkipBlanks();
      if (Take(array ? U"]" : U"}")) {
        open_.pop_back();
        continue;
      }
      bool first = array ? parent->items.empty() : parent->members.empty();
      if (!first && !Take(U",")) return false;
      if (!array && !ReadKey(parent)) return false;
      if (!ReadValue()) return false;
    }
    SkipBlanks();
    return at_ == text_.size();
  }

  size_t at() const { return at_; }
  JsonTree root;

 private:
  char32_t Peek() const { return at_ < text_.size() ? text_[at_] : U'\0'; }
  bool Take(std::u32string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void SkipBlanks() {
    while (Peek() == U' ' || Peek() == U'\t' || Peek() == U'\n' || Peek() == U'\r') ++at_;
  }

  bool ReadKey(JsonTree* parent) {
    SkipBlanks();
    std::u32string key;
    if (!Take(U"\"") || !ReadString(&key)) return false;
    SkipBlanks();
    if (!Take(U":")) return false;
    parent->members.emplace_back(std::move(key), JsonTree());
    return true;
  }

  JsonTree* Place() {
    if (open_.empty()) return &root;
    JsonTree* parent = open_.back();
    if (parent->kind == JsonTree::Kind::kObject) return &parent->members.back().second;
    parent->items.emplace_back();
    return &parent->items.back();
  }

  bool ReadValue() {
    SkipBlanks();
    JsonTree* value = Place();
    bool object = Peek() == U'{';
    if (object || Peek() == U'[') {
      ++at_;
      value->kind = object ? JsonTree::Kind::kObject : JsonTree::Kind::kArray;
      open_.push_back(value);
      return true;
    }
    if (Take(U"\"")) {
      value->kind = JsonTree::Kind::kString;
      return ReadString(&value->text);
    }
    if (Take(U"null")) return true;
    if (Peek() == U't' || Peek() == U'f') {
      value->kind = Peek() == U't' ? JsonTree::Kind::kTrue : JsonTree::Kind::kFalse;
      return Take(U"true") || Take(U"false");
    }
    value->kind = JsonTree::Kind::kNumber;
    return ReadNumber(&value->number);
  }

  bool ReadDigits() {
    size_t begin = at_;
    while (IsDigit(Peek())) ++at_;
    return at_ > begin;
  }
  bool ReadNumber(std::string* number) {
    size_t begin = at_;
    Take(U"-");
    if (!Take(U"0") && !ReadDigits()) return false;
    if (Take(U".") && !ReadDigits()) return false;
    if (Take(U"e") || Take(U"E")) {
      if (!Take(U"+")) Take(U"-");
      if (!ReadDigits()) return false;
    }
    for (char32_t c : text_.substr(begin, at_ - begin)) *number += static_cast<char>(c);
    return true;
  }

  bool ReadString(std::u32string* out) {
    while (at_ < text_.size() && text_[at_] >= 0x20) {
      char32_t c = text_[at_++];
      if (c == U'"') return true;
      if (c == U'\\' && !ReadEscape(&c)) return false;
      *out += c;
    }
    return false;
  }

  bool ReadEscape(char32_t* out) {
    static constexpr std::u32string_view kLetters = U"\"\\/bfnrt";
    static constexpr std::u32string_view kMeanings = U"\"\\/\b\f\n\r\t";
    char32_t letter = Peek();
    ++at_;
    if (letter == U'u') {
      if (!ReadUnit(out)) return false;
      if (*out < 0xD800 || *out > 0xDFFF) return true;
      char32_t low = 0;
      if (*out > 0xDBFF || !Take(U"\\u") || !ReadUnit(&low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return false;
      *out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
      return true;
    }
    size_t index = kLetters.find(letter);
    if (index == kLetters.npos) return false;
    *out = kMeanings[index];
    return true;
  }

  bool ReadUnit(char32_t* unit) {
    *unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      char32_t c = Peek();
      char32_t letter = c | 0x20;
      if (!IsDigit(c) && (letter < U'a' || letter > U'f')) return false;
      *unit = *unit * 16 + (IsDigit(c) ? c - U'0' : letter - U'a' + 10);
    }
    return true;
  }

  std::u32string_view text_;
  size_t at_ = 0;
  // They do not move while they are open.
  std::vector<JsonTree*> open_;
};

}  // namespace

const JsonTree* JsonTree::Find(std::u32string_view name) const {
  for (size_t i = members.size(); i-- > 0;) {
    if (members[i].first == name) return &members[i].second;
  }
  return nullptr;
}

bool JsonTree::operator==(const JsonTree& other) const {
  if (kind != other.kind) return false;
  if (kind == Kind::kNumber) {
    return ExactDecimal::FromText(number).Compare(ExactDecimal::FromText(other.number)) == 0;
  }
  if (kind == Kind::kString) return text == other.text;
  if (kind == Kind::kArray) return items == other.items;
  if (kind == Kind::kObject) {
    if (members.size() != other.members.size()) return false;
    for (const auto& [name, value] : members) {
      const JsonTree* theirs = other.Find(name);
      if (theirs == nullptr || !(value == *theirs)) return false;
    }
  }
  return true;
}

std::string ToJsonText(const std::u32string& text) {
  std::string out = "\"";
  for (char32_t c : text) {
    if (c == U'"' || c == U'\\') {
      out += std::string("\\") + static_cast<char>(c);
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += EncodeUtf8(c);
    }
  }
  return out + "\"";
}

std::string ToJsonText(const JsonTree& value) {
  std::string list;
  switch (value.kind) {
    case JsonTree::Kind::kNull:
      return "null";
    case JsonTree::Kind::kTrue:
      return "true";
    case JsonTree::Kind::kFalse:
      return "false";
    case JsonTree::Kind::kNumber:
      return value.number;
    case JsonTree::Kind::kString:
      return ToJsonText(value.text);
    case JsonTree::Kind::kArray:
      for (const JsonTree& item : value.items) list += (list.empty() ? "" : ",") + ToJsonText(item);
      return "[" + list + "]";
    default:
      for (const auto& [name, member] : value.members) {
        list += (list.empty() ? "" : ",") + ToJsonText(name) + ":" + ToJsonText(member);
      }
      return "{" + list + "}";
  }
}

Result<JsonTree> ParseJsonTree(std::string_view text) {
  auto decoded = DecodeUtf8(text);
  if (!decoded) return Status(StatusCode::kInvalidDefinition, "malformed JSON: not UTF-8");
  Parser parser(*decoded);
  if (parser.Parse()) return std::move(parser.root);
  size_t offset = 0;
  for (char32_t c : decoded->substr(0, parser.at())) offset += EncodeUtf8(c).size();
  Status status(StatusCode::kInvalidDefinition, "malformed JSON");
  status.AtOffset(std::string(text), std::min(offset, text.size()));
  return status;
}

}  // namespace maskloom::judge
