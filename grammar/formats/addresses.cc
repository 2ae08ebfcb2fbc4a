// Internet addresses: `ipv4` and `ipv6`.
#include "grammar/formats/definitions.h"

namespace maskloom {

// Source: RFC 3986, appendix A. Its IPv6address says what RFC 4291, section 2.2, says in prose, and
// its dec-octet has no leading zeros, as JSON Schema asks of ipv4 (RFC 2673, section 3.2).
const std::string_view kAddressRules = R"abnf(
IPv6address = 6( h16 ":" ) ls32
            / "::" 5( h16 ":" ) ls32
            / [ h16 ] "::" 4( h16 ":" ) ls32
            / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
            / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
            / [ *3( h16 ":" ) h16 ] "::" h16 ":" ls32
            / [ *4( h16 ":" ) h16 ] "::" ls32
            / [ *5( h16 ":" ) h16 ] "::" h16
            / [ *6( h16 ":" ) h16 ] "::"
ls32        = ( h16 ":" h16 ) / IPv4address
h16         = 1*4HEXDIG
IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet
dec-octet   = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35
)abnf";

Result<TextAutomaton> BuildIpv4() { return AutomatonOfAbnf(kAddressRules, "IPv4address"); }
Result<TextAutomaton> BuildIpv6() { return AutomatonOfAbnf(kAddressRules, "IPv6address"); }

}  // namespace maskloom
