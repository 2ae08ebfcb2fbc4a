// Reads the lexemes of a grammar's text: names, literals, classes and counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "grammar/base/code_point_set.h"
#include "grammar/base/status.h"

namespace maskloom {

// A position in a text of well-formed UTF-8. The Read functions expect to stand on the first
// character of what they read, and move behind it unless they fail.
class EbnfReader {
 public:
  explicit EbnfReader(std::string text) : text_(std::move(text)) {}

  size_t offset() const { return at_; }
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool Looking(std::string_view prefix) const {
    return text_.compare(at_, prefix.size(), prefix) == 0;
  }
  void Advance(size_t bytes) { at_ += bytes; }

  // Skips white space, line breaks and comments.
  void SkipSpace();
  bool AtName() const;
  std::string ReadName();
  Result<std::u32string> ReadLiteral();
  Result<CodePointSet> ReadClass();
  // Reads `{m}`, `{m,}`, `{m,n}` or `{,n}`; the second may be kUnbounded.
  Result<std::pair<uint32_t, uint32_t>> ReadCounts();

  // Describes what stands at the position, for messages: a quoted character or "the end".
  std::string Describe() const;
  Status Error(StatusCode code, std::string message, size_t offset) const;
  Status Invalid(std::string message, size_t offset) const {
    return Error(StatusCode::kInvalidDefinition, std::move(message), offset);
  }

 private:
  uint32_t NextCodePoint();
  Result<uint32_t> ReadEscape();
  Result<uint32_t> ReadCharacter() { return Peek() == '\\' ? ReadEscape() : NextCodePoint(); }
  std::optional<uint32_t> ReadHex(size_t digits);
  Result<std::optional<uint32_t>> ReadCount();

  std::string text_;
  size_t at_ = 0;
};

}  // namespace maskloom
