// Resolution of URI references: the examples of RFC 3986 section 5.4, and what schemas add.
#include "grammar/schema/uri.h"

#include <gtest/gtest.h>

namespace maskloom {
namespace {

TEST(Uri, ResolvesTheExamplesOfTheRfc) {
  const std::string base = "http://a/b/c/d;p?q";
  const std::pair<const char*, const char*> kExamples[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
  };
  for (const auto& [reference, expected] : kExamples) {
    EXPECT_EQ(ResolveUri(base, reference), expected) << reference;
  }
}

TEST(Uri, KeepsRelativeWhatHasNoAbsoluteBase) {
  EXPECT_EQ(ResolveUri("", "other.json"), "other.json");
  EXPECT_EQ(ResolveUri("dir/a.json", "b.json"), "dir/b.json");
  EXPECT_EQ(ResolveUri("dir/a.json", "../b.json"), "b.json");
  EXPECT_EQ(ResolveUri("a.json", "../b.json"), "../b.json");
  EXPECT_EQ(ResolveUri("http://host", "b.json"), "http://host/b.json");
  EXPECT_EQ(ResolveUri("file:///c:/dir/a.json", "b.json"), "file:///c:/dir/b.json");
  EXPECT_EQ(ResolveUri("http://x/y", "urn:uuid:1-2"), "urn:uuid:1-2");
}

TEST(Uri, SplitsAndDecodesFragments) {
  EXPECT_EQ(SplitFragment("a#b#c").uri, "a");
  EXPECT_EQ(SplitFragment("a#b").fragment, "b");
  EXPECT_FALSE(SplitFragment("a").fragment.has_value());
  EXPECT_EQ(PercentDecode("%25%7e%C3%A4"), "%~\xC3\xA4");
  for (const char* malformed : {"%", "%2", "%2g", "%ff"}) {
    EXPECT_FALSE(PercentDecode(malformed).has_value()) << malformed;
  }
}

}  // namespace
}  // namespace maskloom
