// The values of the keyword `format`: which exist, what they mean, and the languages of their
// texts.
//
// A format of strings is an exact regular language over the decoded text (with bounds on its
// length, which the caller keeps in registers, see StringNode); a format of numbers is a condition.
// What a format leaves to the annotations, and what is not regular, its row and README.md say.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "grammar/base/decimal.h"
#include "grammar/base/status.h"
#include "grammar/base/text_automaton.h"

namespace maskloom {

enum class FormatKind : uint8_t {
  kString,      // the texts of FormatAutomaton; other types than strings are unaffected
  kNumber,      // the numbers of FormatNumbers; other types are unaffected
  kAnnotation,  // has a documented meaning that is not asserted: see `note`
};

struct Format {
  std::string_view name;
  FormatKind kind = FormatKind::kAnnotation;
  // First and last draft of JSON Schema that defines it: 3, 4, 6, 7, 2019, 2020; 0: none does, it
  // is in common use. kLastDraft: still defined.
  uint16_t since = 0;
  uint16_t until = 0;
  std::string_view source;  // the clause that defines it
  std::string_view note;    // what is not asserted, and why; may be empty
  // Bounds on the length of the text in code points, beyond its automaton.
  uint64_t min_length = 0;
  uint64_t max_length = std::numeric_limits<uint64_t>::max();

  static constexpr uint16_t kLastDraft = 2020;
  bool IsStandard() const { return since >= 4 || until >= 4; }
};

// What a format of numbers asks for.
struct FormatNumberCondition {
  bool integer = false;          // a mathematical integer, however spelled
  std::optional<Decimal> lower;  // inclusive
  std::optional<Decimal> upper;  // inclusive
};

// All known formats, sorted by name.
std::span<const Format> AllFormats();

// Returns the format with this name (case matters), or null: the format is unknown.
const Format* FindFormat(std::string_view name);

// Returns the texts of `format`, minimal and canonical. Requires: `format` is an element of
// AllFormats() of kind kString. Cost: built at the first call in the process (README.md lists
// times), later calls copy a pointer. Thread-safe.
Result<std::shared_ptr<const TextAutomaton>> FormatAutomaton(const Format& format);

// Returns the condition of `format`. Requires: its kind is kNumber.
FormatNumberCondition FormatNumbers(const Format& format);

// Returns the texts of `contentEncoding: base64`: RFC 4648 section 4, padded, without white space.
// Thread-safe; cost as FormatAutomaton.
Result<std::shared_ptr<const TextAutomaton>> Base64Automaton();

}  // namespace maskloom
