// The plain form of strings: one spelling for each code point, and partials that know what they can
// become.
#include "compiler/text_coding.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

constexpr TextCoding kPlain = TextCoding::kPlainString;

// How Python's json.dumps(ensure_ascii=False) writes `c` inside a string.
std::string Dumped(uint32_t c) {
  static const std::map<uint32_t, std::string> kShort = {
      {'"', "\\\""}, {'\\', "\\\\"}, {'\b', "\\b"}, {'\f', "\\f"},
      {'\n', "\\n"}, {'\r', "\\r"},  {'\t', "\\t"}};
  if (kShort.contains(c)) return kShort.at(c);
  std::string text;
  if (c < 0x20) {
    char digits[8];
    std::snprintf(digits, sizeof(digits), "\\u%04x", c);
    return digits;
  }
  AppendUtf8(c, &text);
  return text;
}

// The code point that `text` spells as a whole, or kInvalidCodePoint.
uint32_t Spelled(TextCoding coding, std::string_view text) {
  Partial partial = kBoundary;
  for (size_t i = 0; i < text.size(); ++i) {
    const CodingStep step = StepCoding(coding, partial, static_cast<uint8_t>(text[i]));
    if (step.outcome == CodingStep::Outcome::kCodePoint) {
      return i + 1 == text.size() ? step.code_point : kInvalidCodePoint;
    }
    if (step.outcome != CodingStep::Outcome::kPartial) return kInvalidCodePoint;
    partial = step.partial;
  }
  return kInvalidCodePoint;
}

TEST(PlainString, EachCodePointHasTheSpellingOfJsonDumpsAlone) {
  for (uint32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 251) {
    if (IsSurrogate(c)) continue;
    std::set<std::string> spellings;
    std::string raw;
    AppendUtf8(c, &raw);
    spellings.insert({raw, "\\" + raw});
    if (c < 0x10000) {
      for (const char* format : {"\\u%04x", "\\u%04X"}) {
        char digits[8];
        std::snprintf(digits, sizeof(digits), format, c);
        spellings.insert(digits);
      }
    } else {
      char digits[16];
      std::snprintf(digits, sizeof(digits), "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10),
                    0xDC00 + ((c - 0x10000) & 0x3FF));
      spellings.insert(digits);
    }
    const std::string dumped = Dumped(c);
    EXPECT_EQ(Spelled(kPlain, dumped), c);
    EXPECT_EQ(Spelled(TextCoding::kJsonString, dumped), c);
    for (const std::string& spelling : spellings) {
      if (spelling != dumped) EXPECT_NE(Spelled(kPlain, spelling), c) << spelling;
    }
  }
}

TEST(PlainString, HasNoOtherEscapes) {
  // All texts of a backslash and up to five of these bytes.
  const std::string bytes = "u019aefABF\"\\/bfnrtx";
  std::set<std::string> found;
  std::vector<std::pair<std::string, Partial>> open = {
      {"\\", StepCoding(kPlain, kBoundary, '\\').partial}};
  while (!open.empty()) {
    const auto [text, partial] = open.back();
    open.pop_back();
    ASSERT_LE(text.size(), 5u);
    for (const char byte : bytes) {
      const CodingStep step = StepCoding(kPlain, partial, static_cast<uint8_t>(byte));
      if (step.outcome == CodingStep::Outcome::kCodePoint) {
        EXPECT_EQ(Dumped(step.code_point), text + byte);
      } else if (step.outcome == CodingStep::Outcome::kPartial) {
        open.push_back({text + byte, step.partial});
      }
    }
  }
}

TEST(PlainString, PartialsKnowWhatTheyCanBecome) {
  std::bitset<256> all;
  all.set();
  // Without one byte the sets are searched, which tells what the ranges must be.
  std::bitset<256> no_tilde = all;
  no_tilde['~'] = false;
  const Spelling searched(kPlain, no_tilde);
  const Spelling complete(kPlain, all);
  EXPECT_TRUE(complete.complete());
  EXPECT_FALSE(searched.complete());
  EXPECT_FALSE(searched.code_points().Contains('~'));
  EXPECT_TRUE(searched.code_points().Contains('}'));
  EXPECT_TRUE(searched.code_points().Contains(0));
  std::set<Partial> seen;
  std::vector<Partial> open = {kBoundary};
  while (!open.empty()) {
    const Partial partial = open.back();
    open.pop_back();
    for (int b = 0; b < 0x80; ++b) {
      const CodingStep step = StepCoding(kPlain, partial, static_cast<uint8_t>(b));
      if (step.outcome != CodingStep::Outcome::kPartial || !seen.insert(step.partial).second) {
        continue;
      }
      open.push_back(step.partial);
      CodePointSet ranges;
      const PartialRanges of = RangesOf(step.partial);
      for (uint32_t i = 0; i < of.count; ++i) ranges.Add(of.ranges[i].first, of.ranges[i].last);
      EXPECT_TRUE(ranges == *searched.FinishableFrom(step.partial)) << step.partial;
      EXPECT_TRUE(complete.FinishesAll(step.partial));
    }
  }
  EXPECT_EQ(seen.size(), 6u);
}

TEST(PlainString, CodePointsThatCannotBeSpelledAreKnown) {
  std::bitset<256> few;
  for (const char c : std::string("abu01\\\"")) few[static_cast<uint8_t>(c)] = true;
  const Spelling spelling(kPlain, few);
  for (uint32_t c = 0; c < 0x200; ++c) {
    const std::string dumped = Dumped(c);
    bool spelled = true;
    for (const char byte : dumped) spelled &= few[static_cast<uint8_t>(byte)];
    EXPECT_EQ(spelling.code_points().Contains(c), spelled) << c;
  }
}

}  // namespace
}  // namespace maskloom
