// Identifiers of resources: `uri`, `uri-reference`, `iri`, `iri-reference`, `uri-template`.
#include <string>

#include "grammar/formats/definitions.h"

namespace maskloom {
namespace {

// Source: RFC 3986, appendix A; with ucschar and iprivate, RFC 3987, section 2.2, whose rules
// differ from these by the `i` before their names. `unreserved` of IPvFuture stays plain in both.
// URI-reference stands for `URI / relative-ref`, written so that an authority appears once.
constexpr std::string_view kResourceRules = R"abnf(
URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]
hier-part     = "//" authority path-abempty / path-absolute / path-rootless / ""
URI-reference = ( [ scheme ":" ] "//" authority path-abempty
                / scheme ":" ( path-absolute / path-rootless / "" )
                / path-absolute / path-noscheme / "" ) [ "?" query ] [ "#" fragment ]
scheme        = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
authority     = [ userinfo "@" ] host [ ":" port ]
userinfo      = *( iunreserved / pct-encoded / sub-delims / ":" )
host          = IP-literal / IPv4address / reg-name
port          = *DIGIT
IP-literal    = "[" ( IPv6address / IPvFuture  ) "]"
IPvFuture     = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
reg-name      = *( iunreserved / pct-encoded / sub-delims )
path-abempty  = *( "/" segment )
path-absolute = "/" [ segment-nz *( "/" segment ) ]
path-noscheme = segment-nz-nc *( "/" segment )
path-rootless = segment-nz *( "/" segment )
segment       = *pchar
segment-nz    = 1*pchar
segment-nz-nc = 1*( iunreserved / pct-encoded / sub-delims / "@" )
pchar         = iunreserved / pct-encoded / sub-delims / ":" / "@"
query         = *( pchar / iprivate / "/" / "?" )
fragment      = *( pchar / "/" / "?" )
pct-encoded   = "%" HEXDIG HEXDIG
iunreserved   = unreserved / ucschar
unreserved    = ALPHA / DIGIT / "-" / "." / "_" / "~"
sub-delims    = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="
)abnf";

// Source: RFC 6570, section 1.5, with its erratum 6937: an apostrophe is a literal.
constexpr std::string_view kTemplateRules = R"abnf(
URI-Template  = *( literals / expression )
literals      = %x21 / %x23-24 / %x26-3B / %x3D / %x3F-5B / %x5D / %x5F / %x61-7A / %x7E
              / ucschar / iprivate / pct-encoded
expression    = "{" [ operator ] variable-list "}"
operator      = "+" / "#" / "." / "/" / ";" / "?" / "&" / "=" / "," / "!" / "@" / "|"
variable-list = varspec *( "," varspec )
varspec       = varname [ prefix / "*" ]
varname       = varchar *( ["."] varchar )
varchar       = ALPHA / DIGIT / "_" / pct-encoded
prefix        = ":" %x31-39 *3DIGIT
pct-encoded   = "%" HEXDIG HEXDIG
)abnf";

// Source: RFC 3987, section 2.2.
AbnfClasses InternationalClasses() {
  CodePointSet ucschar{{0xA0, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFEF}};
  for (uint32_t plane = 0x10000; plane < 0xE0000; plane += 0x10000) {
    ucschar.Add(plane, plane + 0xFFFD);
  }
  ucschar.Add(0xE1000, 0xEFFFD);
  return {{"ucschar", std::move(ucschar)},
          {"iprivate", {{0xE000, 0xF8FF}, {0xF0000, 0xFFFFD}, {0x100000, 0x10FFFD}}}};
}

Result<TextAutomaton> BuildResource(std::string_view root, const AbnfClasses& classes) {
  std::string rules(kResourceRules);
  rules += kAddressRules;
  return AutomatonOfAbnf(rules, root, classes);
}

const AbnfClasses& AsciiClasses() {
  static const auto* classes = new AbnfClasses{{"ucschar", {}}, {"iprivate", {}}};
  return *classes;
}

}  // namespace

Result<TextAutomaton> BuildUri() { return BuildResource("URI", AsciiClasses()); }
Result<TextAutomaton> BuildUriReference() { return BuildResource("URI-reference", AsciiClasses()); }
Result<TextAutomaton> BuildIri() { return BuildResource("URI", InternationalClasses()); }
Result<TextAutomaton> BuildIriReference() {
  return BuildResource("URI-reference", InternationalClasses());
}
Result<TextAutomaton> BuildUriTemplate() {
  return AutomatonOfAbnf(kTemplateRules, "URI-Template", InternationalClasses());
}

}  // namespace maskloom
