// JSON texts as values: equal values have equal keys.
//
// A key is a string of bytes that says what a text means, not how it is spelled: 1, 1.0 and 10e-1
// have one key, so have "a" and "\u0061", and objects whose members come in another order. Keys
// delimit themselves, so a container's key is made of its parts' keys.
//
// A text that stops inside a value is read as far as it goes: the containers that are open, with
// the keys of what they hold already.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/base/decimal.h"

namespace maskloom {

using ValueKey = std::string;
using MemberKey = std::pair<ValueKey, ValueKey>;  // of the member's key, and of its value

ValueKey LiteralKey(uint32_t literal);         // index as in kLiteralTexts
ValueKey StringKey(std::string_view text);     // decoded, UTF-8
ValueKey StringKey(std::u32string_view text);  // decoded
ValueKey NumberKey(const Decimal& value);
ValueKey ArrayKey(const std::vector<ValueKey>& items);
ValueKey ObjectKey(std::vector<MemberKey> members);

// Calls `visit(kind, text)` for the strings ('s') and numbers ('n') in the value that has `key`,
// names of members among them: with what a string holds, and the key of a number.
template <typename Visit>
void VisitTexts(std::string_view key, Visit visit) {
  for (size_t at = 0; at < key.size();) {
    const size_t begin = at;
    const char kind = key[at++];
    if (kind == 'n') {
      at = key.find(';', at) + 1;
      visit(kind, key.substr(begin, at - begin));
    } else if (kind == 's') {
      size_t size = 0;
      for (; key[at] != ':'; ++at) size = 10 * size + static_cast<size_t>(key[at] - '0');
      visit(kind, key.substr(at + 1, size));
      at += 1 + size;
    }
  }
}

// Returns a compact JSON text of the value that has `key`.
std::string JsonTextOf(const ValueKey& key);

struct OpenContainer {
  bool is_object = false;
  std::vector<ValueKey> items;     // arrays: finished items
  std::vector<MemberKey> members;  // objects: finished members
  ValueKey pending;                // objects: the key whose value is not finished, if it is read
};

struct ReadValue {
  std::vector<OpenContainer> open;  // outermost first; empty where the text is one value
  ValueKey key;                     // where nothing is open and the value has ended
  std::u32string text;              // of a string or key that is not finished: what it holds
};

// Reads `text`, a JSON value or a prefix of one. A number at the end counts as finished. What was
// read of a literal, an escape or a character that is not finished is left out. Requires: the text
// is well formed as far as it goes. Cost: linear, sorting aside; no recursion.
ReadValue ReadJsonValue(std::string_view text);

}  // namespace maskloom
