// Looks names up in tables generated from the Unicode database. The tables are kept as text
// (make_unicode_tables.py says how they are written) and decoded when asked for: a pattern names
// few properties, and most name none.
#include "grammar/regex/unicode_properties.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace maskloom {
namespace {

struct UnicodeSet {
  std::string_view names;  // separated by spaces
  std::string_view members;
};

#include "grammar/regex/unicode_tables.inc"

// General categories that join others.
constexpr UnicodeSet kCategoryGroups[] = {
    {"C Other", "Cc Cf Cn Co"},  // and Cs, of which no text has any
    {"L Letter", "Ll Lm Lo Lt Lu"},
    {"LC Cased_Letter", "Ll Lt Lu"},
    {"M Mark Combining_Mark", "Mc Me Mn"},
    {"N Number", "Nd Nl No"},
    {"P Punctuation punct", "Pc Pd Pe Pf Pi Po Ps"},
    {"S Symbol", "Sc Sk Sm So"},
    {"Z Separator", "Zl Zp Zs"},
};

constexpr std::array<uint8_t, 128> MakeDigitValues() {
  std::array<uint8_t, 128> values{};
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kDigits.size(); ++i) values[kDigits[i]] = static_cast<uint8_t>(i);
  return values;
}
constexpr std::array<uint8_t, 128> kDigitValues = MakeDigitValues();

CodePointSet Decode(std::string_view members) {
  CodePointSet set;
  uint32_t at = 0;
  size_t i = 0;
  const auto number = [&] {
    uint32_t value = 0;
    for (uint32_t shift = 0; i < members.size(); shift += 5) {
      const uint32_t digit = kDigitValues[static_cast<unsigned char>(members[i++]) & 127];
      value |= (digit & 31) << shift;
      if (digit < 32) break;
    }
    return value;
  };
  while (i < members.size()) {
    const uint32_t first = at + number();
    at = first + number();
    set.Add(first, at - 1);
  }
  return set;
}

// Calls `visit` with each word of `words` until it returns true; returns whether it did.
template <typename Visit>
bool AnyWord(std::string_view words, Visit visit) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (visit(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

const UnicodeSet* Find(std::span<const UnicodeSet> table, std::string_view name) {
  for (const UnicodeSet& set : table) {
    if (AnyWord(set.names, [name](std::string_view word) { return word == name; })) return &set;
  }
  return nullptr;
}

CodePointSet Assigned() {
  CodePointSet set;
  for (const UnicodeSet& category : kGeneralCategories) set.Add(Decode(category.members));
  return set;
}

std::optional<CodePointSet> FindCategory(std::string_view name) {
  if (const UnicodeSet* set = Find(kGeneralCategories, name)) return Decode(set->members);
  if (name == "Cn" || name == "Unassigned") return Assigned().Complement();
  if (name == "Cs" || name == "Surrogate") return CodePointSet();
  const UnicodeSet* group = Find(kCategoryGroups, name);
  if (group == nullptr) return std::nullopt;
  CodePointSet set;
  AnyWord(group->members, [&set](std::string_view category) {
    set.Add(*FindCategory(category));
    return false;
  });
  return set;
}

std::optional<CodePointSet> FindScript(std::string_view name, bool with_extensions) {
  const UnicodeSet* script = Find(kScripts, name);
  if (script == nullptr) return std::nullopt;
  CodePointSet set = Decode(script->members);
  if (!with_extensions) return set;
  if (const UnicodeSet* found = Find(kScriptExtensions, name)) {
    const CodePointSet change = Decode(found->members);
    CodePointSet added = change.Intersect(set.Complement());
    set = set.Intersect(change.Complement());
    set.Add(added);
  }
  return set;
}

}  // namespace

std::optional<CodePointSet> FindUnicodeProperty(std::string_view name, std::string_view value) {
  if (!value.empty()) {
    if (name == "General_Category" || name == "gc") return FindCategory(value);
    if (name == "Script" || name == "sc") return FindScript(value, false);
    if (name == "Script_Extensions" || name == "scx") return FindScript(value, true);
    return std::nullopt;
  }
  if (name == "Any") return CodePointSet::All();
  if (name == "ASCII") return CodePointSet{{0, 0x7F}};
  if (name == "Assigned") return Assigned();
  if (const UnicodeSet* set = Find(kBinaryProperties, name)) return Decode(set->members);
  return FindCategory(name);
}

}  // namespace maskloom
