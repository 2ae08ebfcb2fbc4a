// Checked access to the fields of a parsed tokenizer.json. Internal to this folder.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <string_view>

#include "grammar/base/status.h"

namespace maskloom {

using JsonValue = rapidjson::Value;

// Returns the text of a string. Requires: value.IsString().
inline std::string_view JsonText(const JsonValue& value) {
  return std::string_view(value.GetString(), value.GetStringLength());
}

// Returns the member `key`, or nullptr when `value` is no object, has no such member or it is null.
inline const JsonValue* FindField(const JsonValue& value, const char* key) {
  if (!value.IsObject()) return nullptr;
  const auto member = value.FindMember(key);
  if (member == value.MemberEnd() || member->value.IsNull()) return nullptr;
  return &member->value;
}

// Returns the text of the member `key`, or "" when there is no such text.
inline std::string_view FindText(const JsonValue& value, const char* key) {
  const JsonValue* field = FindField(value, key);
  return field != nullptr && field->IsString() ? JsonText(*field) : std::string_view();
}

// Returns the member `key` when it is true or false, else `otherwise`.
inline bool FindFlag(const JsonValue& value, const char* key, bool otherwise) {
  const JsonValue* field = FindField(value, key);
  return field != nullptr && field->IsBool() ? field->GetBool() : otherwise;
}

// Returns `text` in quotes, cut short when it is long, for a message.
inline std::string QuoteShort(std::string_view text) {
  constexpr size_t kMost = 80;
  const bool cut = text.size() > kMost;
  return "\"" + std::string(text.substr(0, kMost)) + (cut ? "...\"" : "\"");
}

}  // namespace maskloom
