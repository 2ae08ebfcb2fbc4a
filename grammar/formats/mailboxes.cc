// Mailboxes: `email` and `idn-email`.
//
// JSON Schema cites the rule `Mailbox` of the RFCs, and that rule is what is enforced. Limits that
// the RFCs set beside the grammar (64 octets before the `@`, 254 in all) are not part of it. Of
// address literals only the registered tags exist: there is one, `IPv6`. A U-label of `idn-email`
// is one of the code points that RFC 5892 allows without a condition, a mark not being the first.
#include <utility>

#include "grammar/formats/definitions.h"
#include "grammar/formats/idn_labels.h"

namespace maskloom {
namespace {

// Source: RFC 5321, sections 4.1.2 and 4.1.3; with non-ascii, RFC 6531, section 3.3. IPv6-comp and
// IPv6v4-comp are written out for the numbers of groups that the comments there allow.
constexpr std::string_view kMailboxRules = R"abnf(
Mailbox         = Local-part "@" ( Domain / address-literal )
Local-part      = Dot-string / Quoted-string
Dot-string      = Atom *("." Atom)
Atom            = 1*atext
atext           = ALPHA / DIGIT / "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "/"
                / "=" / "?" / "^" / "_" / "`" / "{" / "|" / "}" / "~" / non-ascii
Quoted-string   = DQUOTE *QcontentSMTP DQUOTE
QcontentSMTP    = qtextSMTP / quoted-pairSMTP
quoted-pairSMTP = %d92 %d32-126
qtextSMTP       = %d32-33 / %d35-91 / %d93-126 / non-ascii
Domain          = sub-domain *("." sub-domain)
sub-domain      = Let-dig *( *"-" ( Let-dig / idn-mark ) )
Let-dig         = ALPHA / DIGIT / idn-letter
address-literal = "[" ( IPv4 / "IPv6:" IPv6 ) "]"
IPv4            = Snum 3("."  Snum)
Snum            = *1"0" DIGIT / "00" DIGIT / [ "0" ] %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT
                / "25" %x30-35
IPv6            = hex 7(":" hex) / hex 5(":" hex) ":" IPv4
                / "::" [ hex *5(":" hex) ]
                / hex "::" [ hex *4(":" hex) ]
                / hex 1(":" hex) "::" [ hex *3(":" hex) ]
                / hex 2(":" hex) "::" [ hex *2(":" hex) ]
                / hex 3(":" hex) "::" [ hex *1(":" hex) ]
                / hex 4(":" hex) "::" [ hex ]
                / hex 5(":" hex) "::"
                / "::" *4( hex ":" ) IPv4
                / hex "::" *3( hex ":" ) IPv4
                / hex 1(":" hex) "::" *2( hex ":" ) IPv4
                / hex 2(":" hex) "::" *1( hex ":" ) IPv4
                / hex 3(":" hex) "::" IPv4
hex             = 1*4HEXDIG
)abnf";

}  // namespace

Result<TextAutomaton> BuildEmail() {
  return AutomatonOfAbnf(kMailboxRules, "Mailbox",
                         {{"non-ascii", {}}, {"idn-letter", {}}, {"idn-mark", {}}});
}

Result<TextAutomaton> BuildIdnEmail() {
  CodePointSet letters, marks;
  for (const IdnRange& range : IdnRanges()) {
    const bool is_mark = range.kind >= IdnKind::kSpacingMark && range.kind <= IdnKind::kVirama;
    (is_mark ? marks : letters).Add(range.first, range.last);
  }
  return AutomatonOfAbnf(kMailboxRules, "Mailbox",
                         {{"non-ascii", {{0x80, 0x10FFFF}}},
                          {"idn-letter", std::move(letters)},
                          {"idn-mark", std::move(marks)}});
}

}  // namespace maskloom
