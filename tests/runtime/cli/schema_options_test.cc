// Options of schemas, documents in folders, `check --report`, `explain`.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/runtime/cli/run_command.h"

namespace maskloom {
namespace {

namespace fs = std::filesystem;

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

// A fresh folder; the files in it are written by WriteTestFile(name + "/" + file).
std::string MakeFolder(const std::string& name) {
  std::string path = WriteTestFile(name, "");
  fs::remove_all(path);
  fs::create_directories(path);
  return path;
}

TEST(SchemaOptions, ReachTheSchema) {
  std::string schema =
      WriteTestFile("options.json", R"({"properties":{"a":{"type":"string","format":"date",
                                        "nullable":true}}})");
  EXPECT_EQ(CheckText({"--schema", schema}, R"({"b":1})").exit_status, 0);
  EXPECT_EQ(CheckText({"--schema", schema, "--closed"}, R"({"b":1})").exit_status, 1);
  EXPECT_EQ(CheckText({"--schema", schema}, R"({"a":"x"})").exit_status, 1);
  EXPECT_EQ(CheckText({"--schema", schema, "--formats", "annotate"}, R"({"a":"x"})").exit_status,
            0);
  EXPECT_EQ(CheckText({"--schema", schema}, R"({"a":null})").exit_status, 1);
  EXPECT_EQ(CheckText({"--schema", schema, "--nullable"}, R"({"a":null})").exit_status, 0);
  EXPECT_EQ(
      CheckText({"--schema", schema, "--max-blanks", "0"}, R"({ "a":"2024-02-29"})").exit_status,
      1);
  std::string unknown = WriteTestFile("unknown.json", R"({"format":"x-mine"})");
  EXPECT_EQ(RunMaskloom({"check", "--schema", unknown}).exit_status, 0);
  CommandResult refused =
      RunMaskloom({"check", "--schema", unknown, "--unknown-formats", "refuse"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_TRUE(Contains(refused.err, "x-mine")) << refused.err;
}

TEST(SchemaOptions, SayHowTextsAreSpelled) {
  std::string schema = WriteTestFile(
      "spelled.json", R"({"properties":{"a":true,"b":{"type":"string"}},"required":["b"]})");
  const auto check = [&](const char* option, const char* value, const char* text) {
    return CheckText({"--schema", schema, option, value}, text).exit_status;
  };
  EXPECT_EQ(check("--whitespace", "spaced", R"({"a": 1, "b": "x"})"), 0);
  EXPECT_EQ(check("--whitespace", "spaced", R"({"a":1,"b":"x"})"), 1);
  EXPECT_EQ(check("--key-order", "required-first", R"({"b":"x","a":1})"), 0);
  EXPECT_EQ(check("--key-order", "required-first", R"({"a":1,"b":"x"})"), 1);
  EXPECT_EQ(check("--escapes", "plain", R"({"b":"x\n\""})"), 0);
  EXPECT_EQ(check("--escapes", "plain", R"({"b":"\u0078"})"), 1);
  EXPECT_EQ(check("--escapes", "any", R"({"b":"\u0078"})"), 0);
}

TEST(SchemaOptions, WrongValuesSayWhatIsAllowed) {
  CommandResult result = RunMaskloom({"check", "--regex", "a", "--formats", "maybe"});
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_TRUE(Contains(result.err, "formats is \"maybe\"; allowed are assert and annotate"))
      << result.err;
}

TEST(SchemaOptions, ReachTheLinesOfABatchAndCanBeSetThere) {
  CommandInput input;
  input.text =
      R"({"id":1,"kind":"json_schema","definition":{"properties":{"a":true}},"texts":["{\"b\":1}"]})"
      "\n"
      R"({"id":2,"kind":"json_schema","definition":{"properties":{"a":true}},"options":{"closed":false},"texts":["{\"b\":1}"]})"
      "\n"
      R"({"id":3,"kind":"json_schema","definition":true,"options":{"colour":1},"texts":[]})"
      "\n";
  CommandResult result = RunMaskloom({"check", "--closed", "--batch", "-"}, input);
  EXPECT_TRUE(Contains(result.out, R"({"id":1,"status":"ok","message":"","accepted":[false]})"));
  EXPECT_TRUE(Contains(result.out, R"({"id":2,"status":"ok","message":"","accepted":[true]})"))
      << result.out;
  EXPECT_TRUE(Contains(result.out, "unknown option \\\"colour\\\"; allowed are whitespace,"))
      << result.out;
}

TEST(CheckReport, TextNamesOptionsKeywordsAndNotes) {
  std::string schema = WriteTestFile("report.json", R"({"properties":{"a":{"enum":[]},
      "b":{"type":"string","format":"x-mine","minimum":3}}})");
  CommandResult result = RunMaskloom({"check", "--schema", schema, "--report", "--closed"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  for (const char* line :
       {"options   whitespace flexible, max_blanks 64, key_order any, escapes any, max_digits 64, "
        "formats "
        "assert, "
        "unknown_formats annotate, nullable false, closed true",
        "enforced    /properties/a/enum\n", "annotation  /properties/b/format: not a known format",
        "annotation  /properties/b/minimum: constrains only values that `type` excludes",
        "note        /properties/a: the key \"a\" never appears"}) {
    EXPECT_TRUE(Contains(result.out, line)) << line << "\n" << result.out;
  }
}

TEST(CheckReport, JsonIsOneLineAlsoOfARefusedSchema) {
  std::string good = WriteTestFile("good.json", R"({"type":"null"})");
  EXPECT_EQ(
      RunMaskloom({"check", "--report", "json", "--schema", good}).out,
      R"({"kind":"json_schema","status":"ok","draft":"2020-12","options":{"whitespace":"flexible",)"
      R"("max_blanks":"64","key_order":"any","escapes":"any","max_digits":"64","formats":"assert",)"
      R"("unknown_formats":"annotate","nullable":"false","closed":"false"},)"
      R"("keywords":[{"pointer":"/type","outcome":"enforced"}],"notes":[]})"
      "\n");
  std::string bad = WriteTestFile("bad.json", R"({"title":"x","minLength":"three"})");
  CommandResult refused = RunMaskloom({"check", "--schema", bad, "--report=json"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_TRUE(Contains(refused.out, R"("status":"refused","error":{"code":"invalid_definition")"))
      << refused.out;
  EXPECT_TRUE(Contains(refused.out, R"({"pointer":"/minLength","outcome":"refused","note":)"))
      << refused.out;
  EXPECT_TRUE(Contains(refused.err, "/minLength")) << refused.err;
}

TEST(CheckReport, NamesWhatContradicts) {
  std::string schema = WriteTestFile(
      "none.json", R"({"type":"array","maxItems":3,"items":{"maxLength":2,"type":"string"},
                       "contains":{"type":"string","pattern":"^abcde"}})");
  CommandResult result = RunMaskloom({"check", "--schema", schema, "--report"});
  EXPECT_EQ(result.exit_status, 2);
  const char* names = R"("/items/maxLength" together with "/contains")";
  EXPECT_TRUE(Contains(result.out, names)) << result.out;
  EXPECT_TRUE(Contains(result.err, names)) << result.err;
}

TEST(CheckReport, NotesAreWarningsWhereATextIsChecked) {
  std::string schema = WriteTestFile("vain.json", R"({"properties":{"a":{"enum":[]}}})");
  CommandResult result = CheckText({"--schema", schema}, "{}");
  EXPECT_EQ(result.out, "accepted\n");
  EXPECT_TRUE(Contains(result.err, "/properties/a: the key \"a\" never appears")) << result.err;
}

TEST(CheckReport, NotesOfTheRootSayThatTheyAre) {
  const std::string schema = WriteTestFile("envelope.json", R"({"name":"n","schema":{}})");
  const CommandResult report = RunMaskloom({"check", "--schema", schema, "--report"});
  EXPECT_TRUE(Contains(report.out, "note        the root: no keyword of JSON Schema stands here"))
      << report.out;
  const CommandResult checked = CheckText({"--schema", schema}, "1");
  EXPECT_TRUE(Contains(checked.err, "the root: no keyword of JSON Schema")) << checked.err;
}

TEST(CheckReport, ComesBeforeTheVerdictOnAText) {
  std::string schema = WriteTestFile("report.json", R"({"type":"null"})");
  std::string text = WriteTestFile("text.json", "null");
  CommandResult result = RunMaskloom({"check", "--schema", schema, text, "--report"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(result.out.ends_with("enforced    /type\naccepted\n")) << result.out;
  CommandResult wrong = RunMaskloom({"check", "--schema", schema, "--report", text});
  EXPECT_EQ(wrong.exit_status, 3);
  EXPECT_TRUE(Contains(wrong.err, "neither text nor json")) << wrong.err;
}

TEST(SchemaFolders, SupplyDocumentsByPathAndById) {
  std::string folder = MakeFolder("library");
  std::string main = WriteTestFile("library/main.json", R"({"properties":{
      "color":{"$ref":"parts/color.json#/$defs/name"},"size":{"$ref":"https://schemas.test/size"}}})");
  MakeFolder("library/parts");
  WriteTestFile("library/parts/color.json",
                R"({"$defs":{"name":{"anyOf":[{"const":"red"},{"$ref":"more.json"}]}}})");
  WriteTestFile("library/parts/more.json", R"({"const":"blue"})");
  WriteTestFile("library/size.json", R"({"$id":"https://schemas.test/size","type":"integer"})");
  CommandResult result =
      CheckText({"--schema", main, "--schema-dir", folder}, R"({"color":"blue","size":3})");
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(CheckText({"--schema", main, "--schema-dir", folder}, R"({"size":"x"})").exit_status,
            1);
  CommandResult report =
      RunMaskloom({"check", "--schema", main, "--schema-dir", folder, "--report"});
  EXPECT_TRUE(Contains(report.out, "enforced    https://schemas.test/size#/type")) << report.out;
  EXPECT_TRUE(Contains(report.out, "/library/parts/more.json#/const")) << report.out;
}

TEST(SchemaFolders, WarnOfAnIdThatTwoFilesHave) {
  const std::string folder = MakeFolder("twice");
  WriteTestFile("twice/a.json", R"({"$id":"https://schemas.test/x","type":"integer"})");
  WriteTestFile("twice/b.json", R"({"$id":"https://schemas.test/x","type":"string"})");
  WriteTestFile("twice/c.json", R"({"$id":"https://schemas.test/y"})");
  const std::string main = WriteTestFile("twice.json", R"({"$ref":"https://schemas.test/x"})");
  const CommandResult result =
      RunMaskloom({"check", "--schema", main, "--schema-dir", folder, "--report"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(Contains(result.err, "the $id https://schemas.test/x is that of ")) << result.err;
  EXPECT_TRUE(Contains(result.err, "a.json, which is taken, and of ")) << result.err;
  EXPECT_TRUE(Contains(result.err, "b.json")) << result.err;
  const std::string other = WriteTestFile("other.json", R"({"$ref":"https://schemas.test/y"})");
  EXPECT_EQ(RunMaskloom({"check", "--schema", other, "--schema-dir", folder}).err, "");
}

TEST(SchemaFolders, SchemaFromStandardInputIsRelativeToTheFolders) {
  std::string folder = MakeFolder("relative");
  WriteTestFile("relative/item.json", R"({"type":"integer"})");
  CommandInput input;
  input.text = R"({"items":{"$ref":"item.json"}})";
  std::string text = WriteTestFile("text.json", "[1]");
  EXPECT_EQ(
      RunMaskloom({"check", "--schema", "-", "--schema-dir", folder, text}, input).exit_status, 0);
  input.text = R"({"items":{"$ref":"item.json"}})";
  CommandResult other = RunMaskloom({"check", "--schema", "-", "--schema-dir", folder,
                                     "--schema-url", "https://schemas.test/x", text},
                                    input);
  EXPECT_EQ(other.exit_status, 2);
  EXPECT_TRUE(Contains(other.err, "https://schemas.test/item.json")) << other.err;
}

TEST(SchemaFolders, NothingOutsideIsRead) {
  std::string folder = MakeFolder("inside");
  MakeFolder("inside/deep");
  std::string outside = WriteTestFile("outside.json", R"({"type":"integer"})");
  fs::create_symlink(outside, folder + "/link.json");
  for (const std::string& reference :
       {std::string("../outside.json"), "file://" + outside, std::string("link.json"),
        std::string("%2e%2e/outside.json"), std::string("deep/../../outside.json")}) {
    std::string main = WriteTestFile("inside/main.json", "{\"$ref\":\"" + reference + "\"}");
    CommandResult result = RunMaskloom({"check", "--schema", main, "--schema-dir", folder});
    EXPECT_EQ(result.exit_status, 2) << reference << result.out;
    EXPECT_TRUE(Contains(result.err, "in the given folders")) << result.err;
    EXPECT_TRUE(Contains(result.err, "/$ref")) << result.err;
  }
}

TEST(SchemaFolders, WithoutOneTheMessageSaysHow) {
  std::string main = WriteTestFile("alone.json", R"({"$ref":"options.json"})");
  CommandResult result = RunMaskloom({"check", "--schema", main});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_TRUE(Contains(result.err, "--schema-dir DIR")) << result.err;
  CommandResult missing =
      RunMaskloom({"check", "--schema", main, "--schema-dir", "/nonexistent/folder"});
  EXPECT_EQ(missing.exit_status, 4);
  EXPECT_TRUE(Contains(missing.err, "/nonexistent/folder")) << missing.err;
}

TEST(Explain, PrintsTheNormalForm) {
  std::string schema = WriteTestFile("explain.json", R"({"type":"object","properties":{
      "a":{"allOf":[{"minimum":1},{"type":"integer","maximum":9}]}},"required":["a"],
      "additionalProperties":false})");
  CommandResult result = RunMaskloom({"explain", "--schema", schema});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out,
            "/  (the root)\n"
            "  object\n"
            "    \"a\"  required  integer >= 1 and <= 9\n"
            "    other keys  none\n");
  EXPECT_EQ(RunMaskloom({"explain"}).exit_status, 3);
  std::string bad = WriteTestFile("bad.json", R"({"type":"strin"})");
  EXPECT_EQ(RunMaskloom({"explain", "--schema", bad}).exit_status, 2);
}

}  // namespace
}  // namespace maskloom
