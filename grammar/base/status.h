// Errors as values. Nothing of ours throws: a call that can fail returns a Status or a Result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace maskloom {

enum class StatusCode {
  kOk = 0,
  kInvalidArgument,    // the caller's options or arguments are wrong
  kInvalidDefinition,  // the schema, regex or grammar is malformed
  kUnsupported,        // well-formed, but uses something that cannot be enforced exactly
  kUnsatisfiable,      // no text matches, or none that the vocabulary can spell
  kResourceLimit,      // a documented budget would be exceeded
  kIo,                 // a file cannot be read or written
  kInvalidModel,       // a model or tokenizer file is damaged or does not fit
  kInternal,           // a broken invariant: a bug in Maskloom
};

// Returns a stable lower-case name such as "invalid_definition".
const char* StatusCodeName(StatusCode code);

// Outcome of a fallible call: a code, a message for the user, and where in their input it happened.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return Status(); }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // JSON pointer of the schema location at fault ("" is the root); absent when not about a schema.
  const std::optional<std::string>& pointer() const { return pointer_; }
  // 1-based line and column (in code points); 0 when unknown.
  size_t line() const { return line_; }
  size_t column() const { return column_; }
  // The offending source line with a caret under the column; may be empty.
  const std::string& excerpt() const { return excerpt_; }

  Status& WithPointer(std::string pointer);
  // Sets line, column and excerpt from a byte offset into `source`.
  Status& AtOffset(const std::string& source, size_t byte_offset);

  // Full text for a person: message, where, and the excerpt with its caret on lines of their own.
  std::string ToString() const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
  std::optional<std::string> pointer_;
  size_t line_ = 0;
  size_t column_ = 0;
  std::string excerpt_;
};

// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  // Requires: ok().
  T& value() { return *value_; }
  const T& value() const { return *value_; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace maskloom
