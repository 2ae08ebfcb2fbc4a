// A cursor over a pattern that reads escapes and classes.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "grammar/base/code_point_set.h"
#include "grammar/base/status.h"

namespace maskloom {

inline bool IsAsciiDigit(uint32_t c) { return c >= '0' && c <= '9'; }
inline bool IsAsciiLetter(uint32_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// What an escape or a class member denotes.
struct EcmaAtom {
  enum class Kind : uint8_t {
    kCodePoint,
    kSet,
    kBoundary,        // \b
    kNotBoundary,     // \B
    kReference,       // \1: `code_point` is the number of the group
    kNamedReference,  // \k<name>
  };
  Kind kind = Kind::kCodePoint;
  uint32_t code_point = 0;
  CodePointSet set;
  std::string name;
};

// Requires: the pattern is valid UTF-8 and outlives the reader.
class EcmaAtomReader {
 public:
  explicit EcmaAtomReader(std::string_view pattern) : pattern_(pattern) {}

  // What is not valid under the `u` flag, and how it was read; empty if nothing was met yet.
  const std::string& widened() const { return widened_; }

 protected:
  bool AtEnd() const { return at_ >= pattern_.size(); }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool Looking(std::string_view prefix) const {
    return pattern_.substr(at_, prefix.size()) == prefix;
  }
  Status Error(StatusCode code, std::string message, size_t offset) const {
    return Status(code, std::move(message)).AtOffset(std::string(pattern_), offset);
  }
  Status Invalid(std::string message, size_t offset) const {
    return Error(StatusCode::kInvalidDefinition, std::move(message), offset);
  }
  Status Unsupported(std::string message, size_t offset) const {
    return Error(StatusCode::kUnsupported, std::move(message), offset);
  }

  // Notes that something is read which is not valid under the `u` flag.
  void Widen(const std::string& reading);
  // Reads an escape outside of classes; the cursor is at its backslash.
  Status ParseEscape(EcmaAtom* atom) { return ParseEscape(false, atom); }
  // Reads a class; the cursor is at its `[`.
  Status ParseClass(CodePointSet* set);
  // Reads a group name and its `>`; the cursor is behind the `<`, `open` where the group begins.
  Status ParseGroupName(size_t open, std::string* name);

  const std::string_view pattern_;
  size_t at_ = 0;

 private:
  Status ParseEscape(bool in_class, EcmaAtom* atom);
  Status ParseUnicodeEscape(size_t start, EcmaAtom* atom);
  Status ParseProperty(size_t start, bool negated, EcmaAtom* atom);
  Status ParseReference(size_t start, EcmaAtom* atom);
  Status ParseClassMember(EcmaAtom* atom);
  bool ReadHex(size_t digits, uint32_t* value);

  std::string widened_;
  std::set<std::string> readings_;  // of which widened_ is made
};

}  // namespace maskloom
