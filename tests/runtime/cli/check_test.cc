// `maskloom check`: reports, rejections that say where and what, batches.
#include <gtest/gtest.h>

#include "tests/runtime/cli/run_command.h"

namespace maskloom {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

CommandResult CheckText(std::vector<std::string> arguments, const std::string& text) {
  CommandInput input;
  input.text = text;
  arguments.insert(arguments.begin(), "check");
  arguments.push_back("-");
  return RunMaskloom(arguments, input);
}

TEST(Check, ReportsWhatCompiles) {
  std::string schema = WriteTestFile(
      "schema.json", R"({"type":"object","properties":{"a":{"maxLength":3}},"x-note":1})");
  CommandResult result = RunMaskloom({"check", "--schema", schema});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(Contains(result.out, "json_schema")) << result.out;
  EXPECT_TRUE(Contains(result.out, "enforced    /properties/a/maxLength")) << result.out;
  EXPECT_TRUE(Contains(result.out, "annotation  /x-note")) << result.out;
}

TEST(Check, RefusedDefinitionExitsWith2AndSaysWhere) {
  std::string schema = WriteTestFile("refused.json", R"({"properties":{"a":{"type":"strin"}}})");
  CommandResult result = RunMaskloom({"check", "--schema", schema});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(Contains(result.err, "/properties/a/type")) << result.err;
  std::string grammar = WriteTestFile("refused.gbnf", "root ::= \"a\" |\n  nowhere\n");
  CommandResult ebnf = RunMaskloom({"check", "--grammar", grammar});
  EXPECT_EQ(ebnf.exit_status, 2);
  EXPECT_TRUE(Contains(ebnf.err, "line 2, column 3")) << ebnf.err;
  EXPECT_TRUE(Contains(ebnf.err, "\n  ^")) << ebnf.err;
  EXPECT_EQ(RunMaskloom({"check", "--regex", "(a"}).exit_status, 2);
}

TEST(Check, AcceptsAndTrims) {
  EXPECT_EQ(CheckText({"--regex", "\\d{4}"}, "2024").out, "accepted\n");
  EXPECT_EQ(CheckText({"--regex", "\\d{4}", "--trim"}, "2024\n").exit_status, 0);
  CommandResult untrimmed = CheckText({"--regex", "\\d{4}"}, "2024\n");
  EXPECT_EQ(untrimmed.exit_status, 1);
  EXPECT_TRUE(Contains(untrimmed.out, "expected there: end of text")) << untrimmed.out;
  EXPECT_TRUE(Contains(untrimmed.err, "--trim")) << untrimmed.err;
}

TEST(Check, RejectionSaysWhereAndWhatWasExpected) {
  CommandResult middle = CheckText({"--regex", "a+\\nb[0-9x]"}, "aa\nbc");
  EXPECT_EQ(middle.exit_status, 1);
  EXPECT_EQ(middle.out,
            "rejected at byte 4 (line 2, column 2)\nbc\n ^\nexpected there: '0'-'9', 'x'\n");
  CommandResult early = CheckText({"--regex", "yes|no"}, "ye");
  EXPECT_EQ(early.exit_status, 1);
  EXPECT_TRUE(Contains(early.out, "ends too early, at byte 2")) << early.out;
  EXPECT_TRUE(Contains(early.out, "expected there: 's'")) << early.out;
}

TEST(CheckBatch, AnswersEveryLineInPlace) {
  CommandInput input;
  input.text =
      R"({"id":1,"kind":"regex","definition":"a+","texts":["aa","b",{"hex":"6161"},""]})"
      "\nnot json\n"
      R"({"id":"two","kind":"json_schema","definition":{"type":"strin"},"texts":["1"]})"
      "\n"
      R"({"id":{"n":3},"kind":"json_schema","definition":"true","options":{"whitespace":"any","max_digits":"any"},"texts":[" 1 "]})"
      "\n"
      R"({"id":4,"kind":"gbnf","definition":"root ::= \"x\"","texts":[]})"
      "\n"
      R"({"id":5,"kind":"yaml","definition":"","texts":[]})";
  CommandResult result = RunMaskloom({"check", "--batch", "-"}, input);
  EXPECT_EQ(result.exit_status, 0);
  std::vector<std::string> lines;
  for (size_t begin = 0, end; (end = result.out.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    lines.push_back(result.out.substr(begin, end - begin));
  }
  ASSERT_EQ(lines.size(), 6u) << result.out;
  EXPECT_EQ(lines[0], R"({"id":1,"status":"ok","message":"","accepted":[true,false,true,false]})");
  EXPECT_TRUE(lines[1].starts_with(R"({"id":null,"status":"error","line":2,"message":")"));
  EXPECT_TRUE(lines[2].starts_with(R"({"id":"two","status":"refused","message":")"));
  EXPECT_TRUE(Contains(lines[2], "(at /type) (line 1, column 9)\",\"accepted\":[]}")) << lines[2];
  EXPECT_EQ(lines[3], R"({"id":{"n":3},"status":"ok","message":"","accepted":[true]})");
  EXPECT_EQ(lines[4], R"({"id":4,"status":"ok","message":"","accepted":[]})");
  EXPECT_TRUE(lines[5].starts_with(R"({"id":5,"status":"error","line":6)")) << lines[5];
}

TEST(CheckBatch, LinesThatCannotBeReadKeepTheirId) {
  CommandInput input;
  input.text = R"({"id":1,"kind":"regex","definition":"a","texts":[{"hex":"3"}]})"
               "\n"
               R"({"kind":"regex","definition":"a","id":"b"})"
               "\n"
               R"({"id":[3],"kind":"regex","definition":"a","texts":[},"id":4)"
               "\n"
               R"({"id":5,"note":0})"
               "\n"
               R"({"kind":"regex","id":)";
  const std::string out = RunMaskloom({"check", "--batch", "-"}, input).out;
  EXPECT_TRUE(Contains(out, R"({"id":1,"status":"error","line":1,"message":"text 0: \"hex\" is)"))
      << out;
  EXPECT_TRUE(Contains(out, R"({"id":"b","status":"error","line":2,"message":"\"texts\" is)"))
      << out;
  EXPECT_TRUE(Contains(out, R"({"id":[3],"status":"error","line":3,)")) << out;
  EXPECT_TRUE(Contains(out, R"({"id":5,"status":"error","line":4,"message":"unknown member)"))
      << out;
  EXPECT_TRUE(Contains(out, R"({"id":null,"status":"error","line":5,)")) << out;
}

TEST(CheckBatch, AnUnknownKindIsToldBeforeWhatIsMissing) {
  CommandInput input;
  input.text = R"({"id":2,"kind":"foo"})";
  const std::string out = RunMaskloom({"check", "--batch", "-"}, input).out;
  EXPECT_TRUE(Contains(out, R"({"id":2,"status":"error","line":1,"message":"\"kind\" is none of)"))
      << out;
}

TEST(CheckBatch, FullDiskStopsWith4) {
  CommandInput input;
  input.text = R"({"id":1,"kind":"regex","definition":"a+","texts":[]})";
  input.stdout_path = "/dev/full";
  EXPECT_EQ(RunMaskloom({"check", "--batch", "-"}, input).exit_status, 4);
}

}  // namespace
}  // namespace maskloom
