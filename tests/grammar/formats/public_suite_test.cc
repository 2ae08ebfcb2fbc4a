// The optional format tests of the official JSON-Schema-Test-Suite, every draft, against a list of
// exceptions that must be neither longer nor shorter than what differs.
#include <rapidjson/document.h>

#include <map>
#include <set>

#include "tests/grammar/formats/format_cases.h"
#include "tests/suites/data_folder.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

namespace fs = std::filesystem;

// Texts that are judged otherwise than the suite says, with the reason.
const std::map<std::string, const char*>& Exceptions() {
  constexpr const char* kPunycode =
      "a host name by RFC 1123, section 2.1; which A-labels decode to valid U-labels (RFC 5891, "
      "section 5.4) is not regular in any automaton of use";
  constexpr const char* kLength =
      "the 63 octets of a label, as an A-label, RFC 5890, section 2.3.2.1, are not counted";
  static const auto* exceptions = new std::map<std::string, const char*>{
      {"hostname xn--X", kPunycode},
      {"hostname xn--07jt112bpxg.xn--9t4b11yi5a", kPunycode},
      {"hostname xn--hello-txk", kPunycode},
      {"hostname xn--hello-zed", kPunycode},
      {"hostname xn--hello-6bf", kPunycode},
      {"hostname xn--chb89f", kPunycode},
      {"hostname xn--07jceefgh4c", kPunycode},
      {"hostname xn--al-0ea", kPunycode},
      {"hostname xn--l-fda", kPunycode},
      {"hostname xn--la-0ea", kPunycode},
      {"hostname xn--l-gda", kPunycode},
      {"hostname xn--S-jib3p", kPunycode},
      {"hostname xn--wva3j", kPunycode},
      {"hostname xn--A-2hc5h", kPunycode},
      {"hostname xn--5db1e", kPunycode},
      {"hostname xn--A-2hc8h", kPunycode},
      {"hostname xn--5db3e", kPunycode},
      {"hostname xn--defabc-k64e", kPunycode},
      {"hostname xn--vek", kPunycode},
      {"hostname xn--ngb6iyr", kPunycode},
      {"hostname xn--11b2er09f", kPunycode},
      {"hostname xn--02b508i", kPunycode},
      {"hostname XN--aa---o47jg78q", kPunycode},
      {"idn-hostname xn--0ca24w", kPunycode},
      {"idn-hostname aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", kLength},
      {"idn-hostname üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü", kLength},
      {"regex (?<n>a)\\k<n>", "that \\k names a group of the pattern is not regular"},
  };
  return *exceptions;
}

class PublicSuite : public ::testing::Test {
 protected:
  // Judges each text of `file` of the suite; draft-03 had times without offsets.
  void JudgeFile(const fs::path& path) {
    const bool is_draft3 = path.string().find("draft3") != std::string::npos;
    const auto text = ReadWholeFile(path.string());
    ASSERT_TRUE(text) << path;
    rapidjson::Document groups;
    // A text that is no Unicode (lone surrogates) is no text of ours.
    groups.Parse(text->data(), text->size());
    ASSERT_FALSE(groups.HasParseError()) << path;
    for (const auto& group : groups.GetArray()) {
      const auto& schema = group["schema"];
      if (!schema.IsObject() || !schema.HasMember("format")) continue;
      const std::string name = schema["format"].GetString();
      if (is_draft3 && name == "time") continue;
      const Format* format = FindFormat(name);
      if (format == nullptr) {
        EXPECT_EQ(name, "unknown") << path;
        continue;
      }
      ASSERT_EQ(format->kind, FormatKind::kString) << name;
      for (const auto& test : group["tests"].GetArray()) {
        const auto& data = test["data"];
        if (!data.IsString()) continue;
        Judge(name, {data.GetString(), data.GetStringLength()}, test["valid"].GetBool(), path);
      }
    }
  }

  void Judge(const std::string& name, const std::string& text, bool is_valid,
             const fs::path& path) {
    ++judged_;
    const bool agrees = HasFormat(name, text) == is_valid;
    const auto exception = Exceptions().find(name + " " + text);
    if (exception == Exceptions().end()) {
      EXPECT_TRUE(agrees) << path << ": " << name << (is_valid ? " rejects " : " accepts ") << text;
      return;
    }
    EXPECT_FALSE(agrees) << "no exception any more: " << exception->first;
    met_.insert(exception->first);
  }

  int judged_ = 0;
  std::set<std::string> met_;
};

TEST_F(PublicSuite, AgreesOnEveryFormatOfEveryDraft) {
  suites::TemporaryFolder folder;
  const Status unpacked = suites::UnpackSuite("json-schema-test-suite", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.message();
  for (const fs::path& path : suites::JsonFilesBelow(folder.path())) {
    const std::string name = path.string();
    if (name.find("/optional/format/") == std::string::npos) continue;
    JudgeFile(path);
  }
  EXPECT_GT(judged_, 2000);
  for (const auto& [name, reason] : Exceptions()) {
    EXPECT_TRUE(met_.contains(name)) << "an exception for nothing: " << name;
  }
}

}  // namespace
}  // namespace maskloom
