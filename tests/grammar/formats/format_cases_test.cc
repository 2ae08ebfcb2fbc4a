// Own cases of each format, and what the table promises.
#include "tests/grammar/formats/format_cases.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "grammar/regular/minimize.h"

namespace maskloom {
namespace {

struct Cases {
  const char* format;
  std::vector<std::string> valid;
  std::vector<std::string> invalid;
};

std::string Times(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

const std::vector<Cases>& AllCases() {
  static const auto* cases = new std::vector<Cases>{
      {"date",
       {"0000-02-29", "2000-02-29", "2024-12-31", "9999-12-31"},
       {"1900-02-29", "2023-02-29", "2024-02-30", "2024-04-31", "2024-00-01", "24-01-01", ""}},
      {"time",
       {"00:00:00Z", "23:59:59.999z", "12:30:00+05:45", "23:59:60Z", "23:59:60.5-00:00",
        "15:59:60-08:00", "01:29:60+01:30", "05:44:60+05:45"},
       {"22:59:60Z", "23:59:60+01:00", "12:00:00", "12:00Z", "12:00:00.Z", "12:00:00+5:45",
        "24:00:00Z", "12:00:60Z", "23:59:61Z"}},
      {"date-time",
       {"2024-02-29T12:00:00Z", "1985-04-12t23:20:50.52z", "1998-12-31T23:59:60Z",
        "1998-12-31T15:59:60-08:00", "1999-01-01T01:29:60+01:30", "1997-06-30T23:59:60Z"},
       {"2023-02-29T12:00:00Z", "2024-02-29 12:00:00Z", "2024-02-29T12:00:00", "2024-02-29",
        "1998-12-31T22:59:60Z", "1998-03-15T23:59:60Z", "1998-12-31T01:29:60+01:30",
        "1999-01-01T15:59:60-08:00"}},
      {"duration",
       {"P3Y6M4DT12H30M5S", "P1W", "PT0S", "P1Y", "PT36H", "P1M2DT1M"},
       {"P", "PT", "P1Y2D", "PT1H2S", "P1W1D", "P1.5D", "1Y", "P1YT"}},
      {"email",
       {"a@b", "john.doe+tag@example.com", "\"quoted @ local\"@example.org", "x@[127.0.0.1]",
        "x@[IPv6:2001:db8::1]", "x@[IPv6:::]", "x@[IPv6:1:2:3:4:5:6:7:8]",
        "x@[IPv6:::ffff:1.2.3.4]", "!#$%&'*+-/=?^_`{|}~@example.com"},
       {"", "a", "@b", "a@", "a@b@c", "a..b@c", ".a@c", "a.@c", "a@-b", "a@b-", "a@b..c", "a b@c",
        "x@[256.0.0.1]", "x@[IPv6:1::2::3]", "x@[1:2:3]", "ü@example.com",
        "x@[IPv6:1:2:3:4:5:6:7::8]"}},
      {"idn-email",
       {"用户@例子.广告", "ü@example.com", "a@bücher.example", "\"ü\"@x"},
       {"ü", "@ü", "a@ü!", "a@\xEF\xBC\xA0", "a@"}},
      {"hostname",
       {"example.com", "a", "1.2.3.4", "xn--bcher-kva.example", "A-b.C", Times("a", 63),
        Times(Times("a", 62) + ".", 4) + "a"},
       {"", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "ü", Times("a", 64),
        Times(Times("a", 62) + ".", 4) + "ab"}},
      {"idn-hostname",
       {"example.com", "bücher.example", "例え.テスト", "παράδειγμα", "l·l", "ア・イ",
        "xn--bcher-kva.example", "שלום.com"},
       {"", "a..b", "-ü", "ü-", "a·b", "ü b", "Ü", "\u0301a", "שa", "1a.שלום", "xn--a", "a--ü"}},
      {"ipv4",
       {"0.0.0.0", "255.255.255.255", "192.168.0.1"},
       {"256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4 ", ""}},
      {"ipv6",
       {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4",
        "fe80::AbCd", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8"},
       {":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "::1.2.3",
        "fe80::1%eth0", "1:2:3:4:5:6:7:8::", ""}},
      {"uri",
       {"http://example.com/a?b=c#d", "urn:isbn:0451450523", "mailto:a@b.c", "file:///etc/hosts",
        "http://[2001:db8::1]:80/", "http://[v7.a:b]", "a:", "http://u:p@h:1/%41"},
       {"", "/a", "a b:c", "http://a b", "http://a/%4", "http://[::1", "1a:b", "http://a/{b}",
        "http://a@b@c/", "http://ü/", "http://a:b"}},
      {"uri-reference",
       {"", "/a", "../b", "#f", "?q", "//host/p", "a/b:c", "http://a"},
       {"a b", "1:2", "%", "a#b#c", "\\", "//a:b"}},
      {"iri", {"http://ü/ß?π#ж", "urn:x:例"}, {"ü", "http://ü /", "", "http://a#\uE000"}},
      {"iri-reference", {"", "ü", "/ß", "#ж", "?\uE000"}, {" ", "<ü>", "#\uE000"}},
      {"uri-template",
       {"", "http://a/{b}", "{+a,b*,c:3}", "{?q}", "ü{x.y}", "a'b"},
       {"{", "}", "{}", "{a,}", "{a:0}", "{a:12345}", "a b", "{a b}", "<"}},
      {"uuid",
       {"123e4567-e89b-12d3-a456-426614174000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"},
       {"", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"}},
      {"json-pointer", {"", "/", "/a~0b~1c", "//", "/ü"}, {"a", "/~", "/~2", "#/a"}},
      {"relative-json-pointer",
       {"0", "1/a", "0#", "10/~0", "0+1/a", "2-1#"},
       {"", "/a", "01", "-1", "0##", "1a", "0+0", "0/~"}},
      {"regex",
       {"", "^[a-z]+$", "(a|b)*?c{2,3}", "\\d\\p{Lu}\\u{1F600}\\x41", "[^\\w-]", "(?:a(b(c(d))))",
        "^(?<year>\\d{4})", "(?=a)b", "(?<!a(b))c", "[]", "[\\u4e00-\\u9fa5]", "a{10,20}", "\\0",
        "[а-я]", "[À-ÿ]", "\\bword\\B", "[+-]", "x{1,}"},
       {"(", ")", "[", "a**", "*", "\\", "\\a", "[z-a]", "a{3,2}", "(?P<n>a)", "(?i)a", "\\x4",
        "\\u{110000}", "^*", "[\\w-a]", "(?=a)*", "\\p{Xx}", "\\p{}", "\\01"}},
      {"color",
       {"red", "Fuchsia", "#abc", "#A1B2C3", "rgb(1, 2,3)", "rgb(10%,20%,30.5%)"},
       {"", "puce", "#abcd", "abc", "#ggg", "rgb(1,2)", "rgb(1,2%,3)"}},
      {"url", {"https://example.com"}, {"example.com", "//a"}},
      {"host-name", {"example.com"}, {"a_b"}},
      {"ip-address", {"127.0.0.1"}, {"::1"}},
  };
  return *cases;
}

TEST(FormatCases, AreJudgedAsTheySay) {
  for (const Cases& cases : AllCases()) {
    for (const std::string& text : cases.valid) {
      EXPECT_TRUE(HasFormat(cases.format, text)) << cases.format << " rejects " << text;
    }
    for (const std::string& text : cases.invalid) {
      EXPECT_FALSE(HasFormat(cases.format, text)) << cases.format << " accepts " << text;
    }
  }
}

TEST(FormatCases, CoverEveryFormatOfStrings) {
  for (const Format& format : AllFormats()) {
    if (format.kind != FormatKind::kString) continue;
    const bool has_cases =
        std::any_of(AllCases().begin(), AllCases().end(),
                    [&](const Cases& cases) { return cases.format == format.name; });
    EXPECT_TRUE(has_cases) << format.name;
  }
}

TEST(FormatTable, IsSortedAndFoundByName) {
  std::string_view previous;
  for (const Format& format : AllFormats()) {
    EXPECT_LT(previous, format.name);
    previous = format.name;
    EXPECT_EQ(FindFormat(format.name), &format);
    EXPECT_FALSE(format.source.empty()) << format.name;
    EXPECT_LE(format.since, format.until) << format.name;
    EXPECT_EQ(format.kind == FormatKind::kAnnotation && format.note.empty(), false) << format.name;
  }
  for (const char* name : {"", "Date", "grid", "zzz", "date-tim", "date-time "}) {
    EXPECT_EQ(FindFormat(name), nullptr) << name;
  }
}

TEST(FormatTable, HoldsMinimalAutomata) {
  for (const Format& format : AllFormats()) {
    if (format.kind != FormatKind::kString) {
      EXPECT_EQ(FormatAutomaton(format).status().code(), StatusCode::kInvalidArgument);
      continue;
    }
    const TextAutomaton& automaton = AutomatonOf(format.name);
    EXPECT_EQ(automaton.Validate(), "") << format.name;
    EXPECT_EQ(Minimize(automaton), automaton) << format.name;
    EXPECT_FALSE(automaton.empty()) << format.name;
  }
}

TEST(FormatTable, BoundsNumbers) {
  const FormatNumberCondition int32 = FormatNumbers(*FindFormat("int32"));
  EXPECT_TRUE(int32.integer);
  EXPECT_EQ(int32.lower, Decimal::FromInteger(-2147483648));
  EXPECT_EQ(int32.upper, Decimal::FromInteger(2147483647));
  EXPECT_EQ(FormatNumbers(*FindFormat("int64")).lower, Decimal::FromInteger(INT64_MIN));
  EXPECT_EQ(FormatNumbers(*FindFormat("uint64")).upper, Decimal::Parse("18446744073709551615"));
  for (const Format& format : AllFormats()) {
    if (format.kind != FormatKind::kNumber) continue;
    const FormatNumberCondition condition = FormatNumbers(format);
    ASSERT_TRUE(condition.lower && condition.upper) << format.name;
    EXPECT_LT(*condition.lower, *condition.upper) << format.name;
  }
}

TEST(FormatTable, BuildsAnAutomatonOnceForAllThreads) {
  std::vector<const TextAutomaton*> seen(8);
  std::vector<std::thread> threads;
  for (const TextAutomaton*& automaton : seen) {
    threads.emplace_back([&automaton] { automaton = FormatAutomaton(*FindFormat("iri"))->get(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const TextAutomaton* automaton : seen) EXPECT_EQ(automaton, seen[0]);
  EXPECT_EQ(FormatAutomaton(*FindFormat("host-name"))->get(),
            FormatAutomaton(*FindFormat("hostname"))->get());
}

TEST(Base64, IsPaddedAndWithoutWhiteSpace) {
  const TextAutomaton& automaton = **Base64Automaton();
  for (const char* text : {"", "QQ==", "QUI=", "QUJD", "eyJmb28iOiAiYmFyIn0K", "+/+/"}) {
    EXPECT_TRUE(automaton.Match(ToUtf32(text))) << text;
  }
  for (const char* text : {"Q", "QQ", "QQ=", "QUJ", "=", "QUJD=", "Q Q=", "QUJ-", "eyJmb28iOi%i"}) {
    EXPECT_FALSE(automaton.Match(ToUtf32(text))) << text;
  }
}

}  // namespace
}  // namespace maskloom
