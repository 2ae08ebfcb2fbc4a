// The languages behind the table of formats; see formats.h. One file for each family of RFCs.
#pragma once

#include <string_view>

#include "grammar/base/status.h"
#include "grammar/base/text_automaton.h"
#include "grammar/formats/abnf.h"

namespace maskloom {

// Returns the minimal automaton of rule `root` of the ABNF `text`.
Result<TextAutomaton> AutomatonOfAbnf(std::string_view text, std::string_view root,
                                      const AbnfClasses& classes = {});

// timestamps.cc
Result<TextAutomaton> BuildDate();
Result<TextAutomaton> BuildTime();
Result<TextAutomaton> BuildDateTime();
Result<TextAutomaton> BuildDuration();

// The rules IPv4address and IPv6address of RFC 3986, with all that they call; addresses.cc.
extern const std::string_view kAddressRules;
Result<TextAutomaton> BuildIpv4();
Result<TextAutomaton> BuildIpv6();

// resources.cc
Result<TextAutomaton> BuildUri();
Result<TextAutomaton> BuildUriReference();
Result<TextAutomaton> BuildIri();
Result<TextAutomaton> BuildIriReference();
Result<TextAutomaton> BuildUriTemplate();

// host_names.cc
Result<TextAutomaton> BuildHostname();
Result<TextAutomaton> BuildIdnHostname();

// mailboxes.cc
Result<TextAutomaton> BuildEmail();
Result<TextAutomaton> BuildIdnEmail();

// plain_formats.cc
Result<TextAutomaton> BuildUuid();
Result<TextAutomaton> BuildJsonPointer();
Result<TextAutomaton> BuildRelativeJsonPointer();
Result<TextAutomaton> BuildBase64();
Result<TextAutomaton> BuildCssColor();

// regex_format.cc
Result<TextAutomaton> BuildRegex();

}  // namespace maskloom
