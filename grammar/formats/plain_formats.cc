// Formats of one short rule each: `uuid`, `json-pointer`, `relative-json-pointer`, `color`, base64.
#include "grammar/formats/definitions.h"

namespace maskloom {
namespace {

// Source: RFC 9562, section 4 (RFC 4122, section 3, alike).
constexpr std::string_view kUuidRules = R"abnf(
UUID = 8HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 12HEXDIG
)abnf";

// Source: RFC 6901, section 3; draft-bhutton-relative-json-pointer-00, section 3.
constexpr std::string_view kPointerRules = R"abnf(
json-pointer          = *( "/" reference-token )
reference-token       = *( unescaped / escaped )
unescaped             = %x00-2E / %x30-7D / %x7F-10FFFF
escaped               = "~" ( "0" / "1" )
relative-json-pointer = origin-specification ( "#" / json-pointer )
origin-specification  = non-negative-integer [ index-manipulation ]
index-manipulation    = ( "+" / "-" ) positive-integer
non-negative-integer  = "0" / positive-integer
positive-integer      = %x31-39 *DIGIT
)abnf";

// Source: RFC 4648, section 4. Bits behind the last octet may be any: section 3.5 leaves that to
// the decoder.
constexpr std::string_view kBase64Rules = R"abnf(
base64 = *( 4digit ) [ 2digit "==" / 3digit "=" ]
digit  = ALPHA / DIGIT / "+" / "/"
)abnf";

// Source: CSS 2.1, section 4.3.6; draft-03 of JSON Schema, section 5.23.
constexpr std::string_view kColorRules = R"abnf(
color   = name / "#" 3HEXDIG / "#" 6HEXDIG / rgb
rgb     = "rgb(" blanks number 2( blanks "," blanks number ) blanks ")"
        / "rgb(" blanks percent 2( blanks "," blanks percent ) blanks ")"
number  = [ "+" / "-" ] 1*DIGIT
percent = [ "+" / "-" ] ( 1*DIGIT / *DIGIT "." 1*DIGIT ) "%"
blanks  = *( %x20 / %x09 / %x0A / %x0C / %x0D )
name    = "aqua" / "black" / "blue" / "fuchsia" / "gray" / "green" / "lime" / "maroon" / "navy"
        / "olive" / "orange" / "purple" / "red" / "silver" / "teal" / "white" / "yellow"
)abnf";

}  // namespace

Result<TextAutomaton> BuildUuid() { return AutomatonOfAbnf(kUuidRules, "UUID"); }
Result<TextAutomaton> BuildJsonPointer() { return AutomatonOfAbnf(kPointerRules, "json-pointer"); }
Result<TextAutomaton> BuildRelativeJsonPointer() {
  return AutomatonOfAbnf(kPointerRules, "relative-json-pointer");
}
Result<TextAutomaton> BuildBase64() { return AutomatonOfAbnf(kBase64Rules, "base64"); }
Result<TextAutomaton> BuildCssColor() { return AutomatonOfAbnf(kColorRules, "color"); }

}  // namespace maskloom
