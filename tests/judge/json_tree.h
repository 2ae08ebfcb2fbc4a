// A JSON value as a plain tree: numbers stay text, strings are decoded, members keep their order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/base/status.h"

namespace maskloom::judge {

struct JsonTree {
  enum class Kind { kNull, kTrue, kFalse, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  std::string number;                                        // the number's text
  std::u32string text;                                       // the decoded string
  std::vector<JsonTree> items;                               // of an array
  std::vector<std::pair<std::u32string, JsonTree>> members;  // of an object

  // The member of that name (the last one, if repeated) or null.
  const JsonTree* Find(std::u32string_view name) const;
  // Equality as JSON Schema defines it: numbers by value, objects without order.
  bool operator==(const JsonTree& other) const;
};

// Writes `value` without white space: numbers as they were read, strings in UTF-8.
std::string ToJsonText(const JsonTree& value);
std::string ToJsonText(const std::u32string& text);  // a string with its quotes

// On error: kInvalidDefinition with the offset.
Result<JsonTree> ParseJsonTree(std::string_view text);

}  // namespace maskloom::judge
