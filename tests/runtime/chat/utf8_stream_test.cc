#include "runtime/chat/utf8_stream.h"

#include <gtest/gtest.h>

namespace maskloom {
namespace {

constexpr char kReplacement[] = "\xEF\xBF\xBD";

// Feeds `text` in pieces of `step` bytes.
std::string Stream(std::string_view text, size_t step) {
  Utf8Stream stream;
  std::string out;
  for (size_t i = 0; i < text.size(); i += step) stream.Append(text.substr(i, step), &out);
  stream.Finish(&out);
  return out;
}

TEST(Utf8Stream, WellFormedTextComesOutUnchangedHoweverItIsCut) {
  const std::string text = "a\xC3\xA9\xED\x95\x9C\xF0\x9F\x98\x80z";
  for (size_t step = 1; step <= text.size(); ++step) EXPECT_EQ(Stream(text, step), text);
}

TEST(Utf8Stream, HoldsBackIncompleteCharacters) {
  Utf8Stream stream;
  std::string out;
  stream.Append("a\xF0\x9F", &out);
  EXPECT_EQ(out, "a");
  stream.Append("\x98", &out);
  EXPECT_EQ(out, "a");
  stream.Append("\x80!", &out);
  EXPECT_EQ(out, "a\xF0\x9F\x98\x80!");
}

TEST(Utf8Stream, ReplacesWhatCanNoLongerBeCompleted) {
  const std::string mark = kReplacement;
  for (size_t step = 1; step <= 4; ++step) {
    EXPECT_EQ(Stream("x\xF0\x9Fy", step), "x" + mark + "y");
    EXPECT_EQ(Stream("\xFF\x80z", step), mark + mark + "z");
    EXPECT_EQ(Stream("\xED\xA0\x80", step), mark + mark + mark);  // a surrogate
    EXPECT_EQ(Stream("\xC0\xAF", step), mark + mark);             // not the shortest form
    EXPECT_EQ(Stream("end\xE2\x82", step), "end" + mark);
  }
}

TEST(Utf8Stream, IsAsNewAfterFinish) {
  Utf8Stream stream;
  std::string out;
  stream.Append("\xE2", &out);
  stream.Finish(&out);
  stream.Append("ok", &out);
  stream.Finish(&out);
  EXPECT_EQ(out, std::string(kReplacement) + "ok");
}

}  // namespace
}  // namespace maskloom
