// Internet addresses against the C library.
#include <arpa/inet.h>

#include "tests/grammar/formats/format_cases.h"
#include "tests/grammar/formats/text_walk.h"

namespace maskloom {
namespace {

// Texts near the language: walks, changed up to three times.
template <typename Judge>
void CompareOnWalks(std::string_view format, const Judge& judge) {
  const TextAutomaton& automaton = AutomatonOf(format);
  TextWalk walk(automaton, 17);
  int valid = 0;
  for (int i = 0; i < 40000; ++i) {
    std::u32string text = walk.Next();
    for (int change = 0; change < i % 4; ++change) text = walk.Mutate(text);
    const bool expected = judge(ToUtf8(text));
    valid += expected;
    ASSERT_EQ(automaton.Match(text) != 0, expected) << format << ": " << ToUtf8(text);
  }
  EXPECT_GT(valid, 10000);
  EXPECT_LT(valid, 40000);
}

TEST(FormatAddresses, AgreeWithTheCLibrary) {
  CompareOnWalks("ipv4", [](const std::string& text) {
    unsigned char bytes[4];
    return inet_pton(AF_INET, text.c_str(), bytes) == 1;
  });
  CompareOnWalks("ipv6", [](const std::string& text) {
    unsigned char bytes[16];
    return inet_pton(AF_INET6, text.c_str(), bytes) == 1;
  });
}

// RFC 5321, section 4.1.3: in a mailbox `::` stands for two groups or more, so six may be written
// beside it; a dotted quad counts for two.
bool HasRoomForTwoGroups(const std::string& address) {
  if (address.find("::") == std::string::npos) return true;
  int groups = address.find('.') == std::string::npos ? 0 : 1;
  for (size_t i = 0; i < address.size(); ++i) {
    groups += address[i] != ':' && (i == 0 || address[i - 1] == ':');
  }
  return groups <= 6;
}

TEST(FormatAddresses, StandInMailboxesIfTheyLeaveTwoGroupsOut) {
  const TextAutomaton& addresses = AutomatonOf("ipv6");
  const TextAutomaton& mailboxes = AutomatonOf("email");
  TextWalk walk(addresses, 23);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::u32string text = walk.Next();
    if (i % 2 == 1) text = walk.Mutate(text);
    if (text.find(U'.') != std::u32string::npos && addresses.Match(text) == 0) continue;
    const std::string address = ToUtf8(text);
    const bool expected = addresses.Match(text) != 0 && HasRoomForTwoGroups(address);
    accepted += expected;
    ASSERT_EQ(mailboxes.Match(U"a@[IPv6:" + text + U"]") != 0, expected) << address;
  }
  EXPECT_GT(accepted, 5000);
}

}  // namespace
}  // namespace maskloom
