// The sets that `\p{..}` names: members, counts of Unicode 15, aliases, and how sets relate.
#include "grammar/regex/unicode_properties.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <string>

namespace maskloom {
namespace {

CodePointSet Set(std::string_view name, std::string_view value = "") {
  auto set = FindUnicodeProperty(name, value);
  EXPECT_TRUE(set.has_value()) << name << '=' << value;
  return set.value_or(CodePointSet());
}

TEST(UnicodeProperties, HaveTheMembersOfUnicode15) {
  EXPECT_EQ(Set("Lu").size(), 1831u);
  EXPECT_EQ(Set("Nd").size(), 680u);
  EXPECT_EQ(Set("Script", "Greek").size(), 518u);
  EXPECT_EQ(Set("White_Space").size(), 25u);
  EXPECT_EQ(Set("ASCII_Hex_Digit").size(), 22u);
  EXPECT_EQ(Set("ASCII").size(), 128u);
  EXPECT_TRUE(Set("Emoji").Contains(0x1F600));
  EXPECT_TRUE(Set("ID_Start").Contains(0x3B1));
  EXPECT_FALSE(Set("ID_Start").Contains('_'));
  EXPECT_TRUE(Set("ID_Continue").Contains('_'));
  EXPECT_TRUE(Set("Script_Extensions", "Deva").Contains(0x0964));
  EXPECT_FALSE(Set("Script", "Deva").Contains(0x0964));
  EXPECT_FALSE(Set("scx", "Zyyy").Contains(0x0964));
  EXPECT_TRUE(Set("sc", "Common").Contains(0x0964));
}

TEST(UnicodeProperties, HaveAliases) {
  EXPECT_EQ(Set("L"), Set("General_Category", "Letter"));
  EXPECT_EQ(Set("Nd"), Set("gc", "digit"));
  EXPECT_EQ(Set("punct"), Set("Punctuation"));
  EXPECT_EQ(Set("sc", "Grek"), Set("Script", "Greek"));
  EXPECT_EQ(Set("scx", "Qaac"), Set("Script_Extensions", "Coptic"));
  EXPECT_EQ(Set("Alpha"), Set("Alphabetic"));
  EXPECT_EQ(Set("space"), Set("White_Space"));
  for (const char* name : {"letter", "LU", "Grek", "Script", "WSpace", "InBasicLatin", "", "L&"}) {
    EXPECT_FALSE(FindUnicodeProperty(name, "").has_value()) << name;
  }
  EXPECT_FALSE(FindUnicodeProperty("Alphabetic", "Yes").has_value());
  EXPECT_FALSE(FindUnicodeProperty("Script", "greek").has_value());
}

TEST(UnicodeProperties, PartitionTheCodePoints) {
  CodePointSet all;
  uint32_t total = 0;
  for (const char* group : {"L", "M", "N", "P", "S", "Z", "C"}) {
    all.Add(Set(group));
    total += Set(group).size();
  }
  EXPECT_EQ(all, CodePointSet::All());
  EXPECT_EQ(total, all.size());
  EXPECT_EQ(Set("Any"), all);
  EXPECT_EQ(Set("Assigned"), Set("Cn").Complement());
  EXPECT_TRUE(Set("Surrogate").empty()) << "no text holds one";
}

// utf8proc may know another version of Unicode; what both call assigned has its category for good.
TEST(UnicodeProperties, AgreeWithUtf8proc) {
  static const char* const kNames[] = {"Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd",
                                       "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm",
                                       "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"};
  uint32_t differences = 0;
  for (int category = 1; category < 30; ++category) {
    const CodePointSet set = Set(kNames[category]);
    for (const CodePointRange& range : set.ranges()) {
      for (uint32_t c = range.first; c <= range.last; ++c) {
        const int known = utf8proc_category(static_cast<utf8proc_int32_t>(c));
        differences += known != 0 && known != category;
      }
    }
  }
  EXPECT_LT(differences, 10u);
}

}  // namespace
}  // namespace maskloom
