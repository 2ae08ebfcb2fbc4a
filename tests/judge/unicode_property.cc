// Asks RE2 about every code point, once a property.
#include "tests/judge/unicode_property.h"

#include <re2/re2.h>

#include <array>
#include <map>

namespace maskloom::judge {
namespace {

// Long names of general categories, and the few short script names that patterns use.
const std::map<std::string, std::string>& ShortNames() {
  static const std::map<std::string, std::string> kNames = {
      {"Letter", "L"},
      {"Uppercase_Letter", "Lu"},
      {"Lowercase_Letter", "Ll"},
      {"Titlecase_Letter", "Lt"},
      {"Modifier_Letter", "Lm"},
      {"Other_Letter", "Lo"},
      {"Mark", "M"},
      {"Combining_Mark", "M"},
      {"Nonspacing_Mark", "Mn"},
      {"Spacing_Mark", "Mc"},
      {"Enclosing_Mark", "Me"},
      {"Number", "N"},
      {"Decimal_Number", "Nd"},
      {"digit", "Nd"},
      {"Letter_Number", "Nl"},
      {"Other_Number", "No"},
      {"Punctuation", "P"},
      {"punct", "P"},
      {"Connector_Punctuation", "Pc"},
      {"Dash_Punctuation", "Pd"},
      {"Open_Punctuation", "Ps"},
      {"Close_Punctuation", "Pe"},
      {"Initial_Punctuation", "Pi"},
      {"Final_Punctuation", "Pf"},
      {"Other_Punctuation", "Po"},
      {"Symbol", "S"},
      {"Math_Symbol", "Sm"},
      {"Currency_Symbol", "Sc"},
      {"Modifier_Symbol", "Sk"},
      {"Other_Symbol", "So"},
      {"Separator", "Z"},
      {"Space_Separator", "Zs"},
      {"Line_Separator", "Zl"},
      {"Paragraph_Separator", "Zp"},
      {"Control", "Cc"},
      {"cntrl", "Cc"},
      {"Format", "Cf"},
      {"Private_Use", "Co"},
  };
  return kNames;
}

const std::map<std::string, std::string>& ScriptNames() {
  static const std::map<std::string, std::string> kNames = {
      {"Latn", "Latin"},    {"Grek", "Greek"},      {"Cyrl", "Cyrillic"}, {"Hani", "Han"},
      {"Hira", "Hiragana"}, {"Kana", "Katakana"},   {"Hang", "Hangul"},   {"Arab", "Arabic"},
      {"Hebr", "Hebrew"},   {"Deva", "Devanagari"}, {"Thai", "Thai"},     {"Zyyy", "Common"},
  };
  return kNames;
}

std::optional<CodePoints> AskRe2(const std::string& name) {
  for (char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return std::nullopt;
  }
  RE2::Options options;
  options.set_log_errors(false);
  RE2 expression("\\p{" + name + "}", options);
  if (!expression.ok()) return std::nullopt;
  CodePoints set;
  uint32_t begin = 0;
  bool inside = false;
  for (uint32_t c = 0; c <= kLastCodePoint + 1; ++c) {
    bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    bool member = c <= kLastCodePoint && !surrogate && RE2::FullMatch(EncodeUtf8(c), expression);
    if (member && !inside) begin = c;
    if (!member && inside) set.Add(begin, c - 1);
    inside = member;
  }
  return set;
}

std::optional<CodePoints> Compute(const std::string& name) {
  if (name == "Any") return CodePoints::All();
  if (name == "ASCII") return CodePoints::Range(0, 0x7F);
  if (name == "ASCII_Hex_Digit" || name == "AHex") {
    CodePoints set = CodePoints::Range('0', '9');
    set.Add('a', 'f');
    set.Add('A', 'F');
    return set;
  }
  size_t equals = name.find('=');
  if (equals == std::string::npos) {
    auto longer = ShortNames().find(name);
    if (longer != ShortNames().end()) return AskRe2(longer->second);
    // A bare script name is no property of ECMA-262; categories have one or two letters.
    return name.size() <= 2 ? AskRe2(name) : std::nullopt;
  }
  std::string kind = name.substr(0, equals);
  std::string value = name.substr(equals + 1);
  if (kind == "gc" || kind == "General_Category") return Compute(value);
  if (kind != "sc" && kind != "Script") return std::nullopt;
  auto known = ScriptNames().find(value);
  return AskRe2(known == ScriptNames().end() ? value : known->second);
}

}  // namespace

std::optional<CodePoints> UnicodeProperty(const std::string& name) {
  static std::map<std::string, std::optional<CodePoints>> known;
  auto found = known.find(name);
  if (found == known.end()) found = known.emplace(name, Compute(name)).first;
  return found->second;
}

}  // namespace maskloom::judge
