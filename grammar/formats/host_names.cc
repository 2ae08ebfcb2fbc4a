// Host names in ASCII: `hostname`.
//
// An A-label (xn--...) is what RFC 1123 takes it for, a label of letters, digits and hyphens: which
// of them Punycode decodes to a valid U-label is not regular in any automaton of use. The 253
// octets of the whole are a bound on the length in the table of formats.
#include "grammar/formats/definitions.h"

namespace maskloom {
namespace {

// Source: RFC 952 and RFC 1123, section 2.1; the 63 octets of a label, RFC 1035, section 2.3.4.
constexpr std::string_view kHostRules = R"abnf(
hostname = label *( "." label )
label    = let-dig [ *61( let-dig / "-" ) let-dig ]
let-dig  = ALPHA / DIGIT
)abnf";

}  // namespace

Result<TextAutomaton> BuildHostname() { return AutomatonOfAbnf(kHostRules, "hostname"); }

}  // namespace maskloom
