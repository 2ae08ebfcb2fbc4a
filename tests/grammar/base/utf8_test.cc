// UTF-8 reading and writing, and the places that errors point at.
#include "grammar/base/utf8.h"

#include <gtest/gtest.h>

#include "grammar/base/status.h"

namespace maskloom {
namespace {

TEST(Utf8, ReadsWhatItWritesForEveryScalarValue) {
  for (uint32_t c = 0; c <= kMaxCodePoint; ++c) {
    if (!IsScalarValue(c)) continue;
    std::string bytes;
    AppendUtf8(c, &bytes);
    size_t offset = 0;
    ASSERT_EQ(DecodeUtf8(bytes, &offset), c);
    ASSERT_EQ(offset, bytes.size());
  }
}

TEST(Utf8, RefusesIllFormedBytes) {
  for (const char* bytes : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
                            "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82", "\xC3("}) {
    EXPECT_EQ(FindInvalidUtf8(std::string("ab") + bytes), 2u);
  }
  EXPECT_EQ(FindInvalidUtf8("aé\U0001F600"), std::string_view::npos);
}

TEST(Status, PointsAtColumnsInCodePoints) {
  Status status(StatusCode::kInvalidDefinition, "wrong");
  status.AtOffset("first\nné\U0001F600x\nlast", 13);
  EXPECT_EQ(status.line(), 2u);
  EXPECT_EQ(status.column(), 4u);
  EXPECT_EQ(status.excerpt(), "né\U0001F600x\n   ^");
  EXPECT_EQ(status.ToString(), "wrong (line 2, column 4)\nné\U0001F600x\n   ^");
}

TEST(Status, CutsLongLinesAroundTheFault) {
  std::string line(10000, 'a');
  line[5000] = 'b';
  Status status(StatusCode::kInvalidDefinition, "wrong");
  status.AtOffset(line, 5000);
  EXPECT_EQ(status.column(), 5001u);
  const std::string& excerpt = status.excerpt();
  EXPECT_LT(excerpt.size(), 400u);
  const size_t caret = excerpt.find('^') - excerpt.find('\n') - 1;
  EXPECT_EQ(excerpt[caret], 'b');
}

TEST(Status, ShowsMalformedTextAndControlsAsReplacementCharacters) {
  Status status(StatusCode::kInvalidDefinition, "wrong");
  status.AtOffset("a\t\x1B[2J\xFF\xC3(\xE2\x82", 6);
  EXPECT_EQ(status.excerpt(), "a \uFFFD[2J\uFFFD\uFFFD(\uFFFD\uFFFD\n      ^");
}

}  // namespace
}  // namespace maskloom
