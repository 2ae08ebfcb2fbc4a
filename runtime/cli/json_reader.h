// A pull parser of JSON that keeps the spelling: numbers of any size, and the raw text of any
// value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/status.h"

namespace maskloom::cli {

// Reads one JSON document (RFC 8259), token by token, without recursion.
class JsonReader {
 public:
  enum class Token {
    kBeginObject,
    kEndObject,
    kBeginArray,
    kEndArray,
    kKey,
    kString,
    kNumber,
    kTrue,
    kFalse,
    kNull,
    kEnd,    // the document is complete and nothing but white space follows
    kError,  // see status(); every further call returns it too
  };

  // `text` must outlive the reader.
  explicit JsonReader(std::string_view text) : text_(text) {}

  Token Next();
  // Text of the last token; strings and keys with their quotes.
  std::string_view raw() const { return text_.substr(begin_, end_ - begin_); }
  // Offsets of the last token.
  size_t begin() const { return begin_; }
  size_t end() const { return end_; }
  // Open objects and arrays behind the last token.
  size_t depth() const { return stack_.size(); }
  const Status& status() const { return status_; }

 private:
  Token Fail(const char* message);
  Token Value();
  Token Finish(Token token);
  bool SkipString();
  bool SkipNumber();
  bool SkipDigits();
  void SkipBlanks();
  char Peek() const { return end_ < text_.size() ? text_[end_] : '\0'; }

  std::string_view text_;
  size_t begin_ = 0;
  size_t end_ = 0;
  std::vector<char> stack_;  // '{' or '['
  bool after_value_ = false;
  bool after_key_ = false;
  bool fresh_ = false;  // a container was just opened
  Status status_;
};

// Returns what a string token means, or nothing where an escape is half a surrogate pair.
// Requires: `raw` is a token that JsonReader gave.
std::optional<std::string> DecodeJsonString(std::string_view raw);

struct JsonMember {
  std::string key;
  std::string_view raw;  // the value as it stands in the text
};

// Splits an object into its members. On error: kInvalidArgument saying what and at which byte.
Result<std::vector<JsonMember>> ReadJsonObject(std::string_view text);
// As ReadJsonObject; on error `members` has those that stand whole before the fault.
Status ReadJsonMembers(std::string_view text, std::vector<JsonMember>* members);
// Splits an array into the texts of its elements. On error: as ReadJsonObject.
Result<std::vector<std::string_view>> ReadJsonArray(std::string_view text);
// Reads a text that is one string. On error: as ReadJsonObject.
Result<std::string> ReadJsonString(std::string_view text);

// Appends `text` as a JSON string, with escapes where JSON demands them. Bytes that are not UTF-8
// become U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

// Appends two lower-case hexadecimal digits a byte.
void AppendHex(std::string_view bytes, std::string* out);

}  // namespace maskloom::cli
