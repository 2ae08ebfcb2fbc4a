// `maskloom bench`: rows, checks, cold runs, the worst masks, comparisons, curves.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/cli/bench_row.h"
#include "tests/runtime/cli/run_command.h"

namespace maskloom {
namespace {

using cli::MaskBenchResults;
using cli::MaskBenchRow;
using cli::ReadMaskBenchResults;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A folder of files to measure, and what runs the bench on them.
class BenchFiles {
 public:
  BenchFiles() : tokenizer_(WriteTestFile("tokenizer.json", TinyTokenizerJson())) {
    out_ = WriteTestFile("out.jsonl", "");
    root_ = out_.substr(0, out_.find_last_of('/'));
    Add("arrays.json", R"({"schema":{"type":"array","items":{"type":"boolean"}},"tests":[
        {"valid":true,"data":[true,false,true]},{"valid":false,"data":[1e5]}]})");
    Add("names.json", R"({"schema":{"type":"object","properties":{"name":{"type":"string"},
        "code":{"type":"string","pattern":"^[A-Z]{2}[0-9]+$"}},"required":["name"]},"tests":[
        {"valid":true,"data":{"name":"a b","code":"XY12"}},{"valid":false,"data":{"name":7}}]})");
    Add("numbers.json", R"({"schema":{"type":"integer","minimum":3},"tests":[
        {"valid":true,"data":17},{"valid":false,"data":2}]})");
  }

  void Add(const std::string& name, const std::string& text) {
    WriteTestFile(name, text);
    names_.push_back(name);
  }

  // Runs the bench on the files of `list`, by default all.
  CommandResult Run(const std::vector<std::string>& options = {}, std::string list = "") const {
    if (list.empty()) {
      for (const std::string& name : names_) list += name + "\n";
    }
    std::vector<std::string> arguments = {
        "bench", "masks",  "--tokenizer", tokenizer_, "--out",
        out_,    "--root", root_,         "--list",   WriteTestFile("list.txt", list)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunMaskloom(arguments);
  }

  std::string Rows() const { return ReadTestFile(out_); }
  const std::string& out() const { return out_; }
  MaskBenchResults Results() const {
    auto results = ReadMaskBenchResults(out_);
    EXPECT_TRUE(results.ok());
    return results.ok() ? *results : MaskBenchResults();
  }

 private:
  std::string tokenizer_, out_, root_;
  std::vector<std::string> names_;
};

bool HasCapital(const std::string& kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

TEST(BenchMasks, WritesHeaderRowsAndSummary) {
  std::string tokenizer = WriteTestFile("tokenizer.json", TinyTokenizerJson());
  WriteTestFile("case.json", R"({"schema":{"type":"array","items":{"type":"boolean"}},"tests":[
      {"valid":true,"data":[true,false]},{"valid":false,"data":[1e5]}]})");
  WriteTestFile("bad.json", R"({"schema":{"type":"strin"},"tests":[]})");
  WriteTestFile("plain.json", R"({"type":"integer"})");
  std::string list = WriteTestFile("list.txt", "case.json\nbad.json\nplain.json\n");
  std::string out = WriteTestFile("out.jsonl", "");
  std::string root = list.substr(0, list.find_last_of('/'));
  CommandResult result = RunMaskloom(
      {"bench", "masks", "--tokenizer", tokenizer, "--out", out, "--list", list, "--root", root});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  std::string rows = ReadTestFile(out);
  EXPECT_TRUE(rows.starts_with(R"({"header":true,"engine":"maskloom","version":"0.1.0")")) << rows;
  EXPECT_TRUE(Contains(rows, R"("file":"case.json","status":"ok")")) << rows;
  EXPECT_TRUE(Contains(rows, R"("tests":[{"valid":true,"accepted":true,"tokens":)")) << rows;
  EXPECT_TRUE(Contains(rows, R"({"valid":false,"accepted":false,"tokens":1,"masks":2}])")) << rows;
  EXPECT_TRUE(Contains(rows, R"("file":"bad.json","status":"refused")")) << rows;
  EXPECT_TRUE(Contains(rows, R"("file":"plain.json","status":"ok")")) << rows;
  EXPECT_TRUE(Contains(result.err, "files: 2 ok 1 refused; valid texts rejected 0")) << result.err;
}

TEST(BenchMasks, ExitsWith4WhereAFileCannotBeRead) {
  std::string tokenizer = WriteTestFile("tokenizer.json", TinyTokenizerJson());
  std::string out = WriteTestFile("out.jsonl", "");
  std::string list = WriteTestFile("missing.txt", "nowhere.json\n");
  std::string root = list.substr(0, list.find_last_of('/'));
  CommandResult result = RunMaskloom(
      {"bench", "masks", "--tokenizer", tokenizer, "--out", out, "--list", list, "--root", root});
  EXPECT_EQ(result.exit_status, 4) << result.err;
  EXPECT_TRUE(Contains(result.err, "cannot open " + root + "/nowhere.json: No such file"))
      << result.err;
  EXPECT_EQ(result.err.find("nowhere.json"), result.err.rfind("nowhere.json")) << result.err;
  EXPECT_TRUE(Contains(ReadTestFile(out), R"("file":"nowhere.json","status":"unreadable")"));
}

TEST(BenchMasks, NamesWrongAnswersAndExitsWith1) {
  BenchFiles files;
  files.Add("wrong.json", R"({"schema":{"type":"integer"},"tests":[{"valid":false,"data":5}]})");
  CommandResult result = files.Run();
  EXPECT_EQ(result.exit_status, 1) << result.err;
  EXPECT_TRUE(Contains(result.err, "wrong.json: wrong answer: test 0: an invalid text is accepted"))
      << result.err;
  EXPECT_FALSE(Contains(result.err, "numbers.json: wrong")) << result.err;
  EXPECT_EQ(files.Run({"--no-check"}).exit_status, 0);
}

TEST(BenchMasks, AFileMakesItsMasksAnewWhateverRanBefore) {
  BenchFiles files;
  // Copies, because of files of one name the last row counts.
  const char* text = R"({"schema":{"type":"object","properties":{"a":{"type":"string","pattern":
      "^[a-z]+$"}}},"tests":[{"valid":true,"data":{"a":"xyz","b":[1,2,{"c":null}]}}]})";
  files.Add("copy1.json", text);
  files.Add("copy2.json", text);
  files.Add("copy3.json", text);
  ASSERT_EQ(files.Run({"--no-retime"}).exit_status, 0);
  const MaskBenchResults results = files.Results();
  std::vector<MaskBenchRow> copies;
  for (const MaskBenchRow& row : results.rows) {
    if (row.file.starts_with("copy")) copies.push_back(row);
  }
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_GT(copies[0].masks_made, 5u);
  EXPECT_TRUE(HasCapital(copies[0].kinds)) << copies[0].kinds;
  for (const MaskBenchRow& copy : copies) {
    EXPECT_EQ(copy.masks_made, copies[0].masks_made);
    EXPECT_EQ(copy.kinds, copies[0].kinds);  // capitals: the same fills made a mask
    EXPECT_EQ(copy.mem_bytes, copies[0].mem_bytes);
  }
}

TEST(BenchMasks, TheOrderOfFilesChangesNothing) {
  BenchFiles files;
  const auto rows_by_file = [&files](const std::vector<std::string>& options) {
    EXPECT_EQ(files.Run(options).exit_status, 0);
    MaskBenchResults results = files.Results();
    std::vector<std::string> order;
    for (const MaskBenchRow& row : results.rows) order.push_back(row.file);
    std::sort(results.rows.begin(), results.rows.end(),
              [](const MaskBenchRow& a, const MaskBenchRow& b) { return a.file < b.file; });
    return std::pair(results.rows, order);
  };
  const auto [plain, plain_order] = rows_by_file({});
  ASSERT_EQ(plain.size(), 3u);
  bool other_order = false;
  for (const char* seed : {"1", "2", "3"}) {
    const auto [rows, order] = rows_by_file({"--shuffle", seed});
    other_order |= order != plain_order;
    ASSERT_EQ(rows.size(), plain.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].masks_made, plain[i].masks_made) << rows[i].file;
      EXPECT_EQ(rows[i].kinds, plain[i].kinds) << rows[i].file;
      EXPECT_EQ(rows[i].mem_bytes, plain[i].mem_bytes) << rows[i].file;
      EXPECT_EQ(rows[i].tbm_us.size(), plain[i].tbm_us.size());
    }
  }
  EXPECT_TRUE(other_order);
}

TEST(BenchMasks, TimesTheWorstMasksTwiceMoreAndSaysWhereTheyAre) {
  BenchFiles files;
  CommandResult result = files.Run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(Contains(result.err, "worst masks, best of three")) << result.err;
  EXPECT_TRUE(Contains(result.err, "string, automaton")) << result.err;
  const MaskBenchResults results = files.Results();
  size_t starts = 0;
  for (const cli::RetimedMask& mask : results.retimed) {
    EXPECT_EQ(mask.us.size(), 3u) << mask.ToJson();
    starts += mask.kind == 0;
    EXPECT_TRUE(mask.kind == 0 || !mask.base.empty());
    if (mask.file != "numbers.json" || mask.kind == 0) continue;
    EXPECT_EQ(mask.byte, mask.token) << "digits are tokens of one byte in this vocabulary";
  }
  EXPECT_EQ(starts, 3u);  // few files: all are among the slowest
  EXPECT_TRUE(files.Run({"--no-retime"}).exit_status == 0 && files.Results().retimed.empty());
}

TEST(BenchMasks, HeaderAndSummaryAreInTheFile) {
  BenchFiles files;
  ASSERT_EQ(files.Run().exit_status, 0);
  const std::string rows = files.Rows();
  for (const char* key : {"processor", "compiler", "flags", "commit", "tokenizer", "options"}) {
    EXPECT_TRUE(Contains(rows.substr(0, rows.find('\n')), std::string("\"") + key + "\":")) << key;
  }
  EXPECT_TRUE(Contains(rows, R"("summary":{"files":{"ok":3},"valid_rejected":0)")) << rows;
  EXPECT_TRUE(Contains(rows, R"({"name":"accept, steady","n":)")) << rows;
}

// Of a tokenizer that cuts texts in an unknown way the vocabulary is enough.
TEST(BenchMasks, CutsTextsIntoLongestTokensWhereTheTokenizerIsUnknown) {
  BenchFiles files;
  ASSERT_EQ(files.Run().exit_status, 0);
  EXPECT_TRUE(Contains(files.Rows(), R"("texts":"cut by the tokenizer")"));
  std::string unknown = TinyTokenizerJson();
  const std::string known = R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":true})";
  ASSERT_TRUE(Contains(unknown, known));
  unknown.replace(
      unknown.find(known), known.size(),
      R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"xyz"},)"
      R"("behavior":"Isolated","invert":false},{"type":"ByteLevel",)"
      R"("add_prefix_space":false,"use_regex":false}]})");
  WriteTestFile("tokenizer.json", unknown);
  CommandResult result = files.Run();
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(Contains(files.Rows(), R"("texts":"cut into longest tokens")")) << files.Rows();
  EXPECT_TRUE(Contains(result.err, "valid texts rejected 0, invalid texts accepted 0"));
}

TEST(BenchReport, SetsResultFilesSideBySide) {
  BenchFiles files;
  ASSERT_EQ(files.Run().exit_status, 0);
  std::string other = WriteTestFile(
      "other.jsonl",
      R"({"header":true,"engine":"other","version":"9.1","vocab_setup_us":2500})"
      "\n"
      R"({"engine":"other","file":"arrays.json","status":"ok","message":"","compile_us":1.5,)"
      R"("ttfm_us":333,"tbm_us":[4,5,6],"tests":[{"valid":true,"accepted":false,"tokens":2}]})"
      "\n"
      R"({"engine":"other","file":"names.json","status":"refused","message":"no","compile_us":null,)"
      R"("ttfm_us":null,"tbm_us":[],"tests":[]})"
      "\n");
  CommandResult result = RunMaskloom({"bench", "report", files.out(), "--compare", other});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(Contains(result.out, "2 files run by all, 1 compiled by all")) << result.out;
  EXPECT_TRUE(Contains(result.out, "| maskloom 0.1.0 | other 9.1 |")) << result.out;
  EXPECT_TRUE(Contains(result.out, "| refused | 0 | 1 |")) << result.out;
  EXPECT_TRUE(Contains(result.out, "| texts judged wrong | 0 | 1 |")) << result.out;
  EXPECT_TRUE(Contains(result.out, " 333.0 |")) << result.out;
  CommandResult missing = RunMaskloom({"bench", "report", files.out(), "--compare", "nowhere"});
  EXPECT_EQ(missing.exit_status, 4);
  std::string damaged = WriteTestFile("damaged.jsonl", "{\"engine\":\"other\",\"fi");
  const auto refuses = [&](const std::string& path, const std::string& words) {
    for (const bool compared : {false, true}) {
      CommandResult refused = compared
                                  ? RunMaskloom({"bench", "report", files.out(), "--compare", path})
                                  : RunMaskloom({"bench", "report", path});
      EXPECT_EQ(refused.exit_status, 4) << refused.err;
      EXPECT_TRUE(Contains(refused.err, words)) << refused.err;
      EXPECT_TRUE(Contains(refused.err, path)) << refused.err;
    }
  };
  refuses(damaged, "line 1");
  refuses(WriteTestFile("empty.jsonl", ""), "holds no results");
  refuses(WriteTestFile("schema.json", R"({"type":"object"})"),
          "line 1: this is neither a header nor a row of results");
  // Before anything is measured.
  CommandResult early = files.Run({"--compare", damaged});
  EXPECT_EQ(early.exit_status, 4);
  EXPECT_FALSE(Contains(early.err, "microseconds")) << early.err;
  ASSERT_EQ(files.Run().exit_status, 0);
  refuses(WriteTestFile("header.jsonl", R"({"header":true,"engine":"other"})"), "no row");
}

TEST(BenchAhead, NamesWhatItLeavesOut) {
  const std::string tokenizer = WriteTestFile("tokenizer.json", TinyTokenizerJson());
  const std::string good = WriteTestFile("good.json", R"({"schema":{"type":"array","items":
      {"type":"boolean"}},"tests":[{"valid":true,"data":[true,false]}]})");
  const std::string bad = WriteTestFile("bad.json", R"({"schema":{"type":"strin"},"tests":[]})");
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"bench", "ahead", "--tokenizer", tokenizer, "--limit", "50"});
    return RunMaskloom(arguments);
  };
  CommandResult some = run({good, bad});
  EXPECT_EQ(some.exit_status, 0) << some.err;
  EXPECT_TRUE(Contains(some.err, bad + ": refused: ")) << some.err;
  EXPECT_TRUE(Contains(some.out, "1 schemas, 1 refused, 0 files unreadable")) << some.out;
  CommandResult none = run({bad});
  EXPECT_EQ(none.exit_status, 2) << none.err;
  EXPECT_FALSE(Contains(none.out, "%")) << none.out;
  const std::string odd = WriteTestFile("odd.json", "{\"tests\":[]}");
  CommandResult unreadable = run({"nowhere.json", odd, good});
  EXPECT_EQ(unreadable.exit_status, 4);
  EXPECT_TRUE(Contains(unreadable.err, "cannot open nowhere.json")) << unreadable.err;
  EXPECT_TRUE(Contains(unreadable.err, odd + ": the file has")) << unreadable.err;
  EXPECT_TRUE(Contains(unreadable.out, "1 schemas, 0 refused, 2 files unreadable"));
  EXPECT_EQ(run({good, "--limit", "0"}).exit_status, 3);
}

TEST(BenchScaling, WritesOnePointALine) {
  std::string out = WriteTestFile("scaling.jsonl", "");
  std::string tokenizer = WriteTestFile("tokenizer.json", TinyTokenizerJson());
  CommandResult result = RunMaskloom({"bench", "scaling", "--tokenizer", tokenizer, "--out", out,
                                      "--curve", "enum_values", "--curve", "vocabulary"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  std::string lines = ReadTestFile(out);
  EXPECT_TRUE(Contains(lines, R"({"curve":"enum_values","x":10,)")) << lines;
  EXPECT_TRUE(Contains(lines, R"({"curve":"vocabulary","x":)")) << lines;
  EXPECT_FALSE(Contains(lines, R"({"curve":"nested_arrays")")) << lines;
  CommandResult unknown = RunMaskloom({"bench", "scaling", "--out", out, "--curve", "height"});
  EXPECT_EQ(unknown.exit_status, 3);
  EXPECT_TRUE(Contains(unknown.err, "there is no curve height; there are nested_arrays, "))
      << unknown.err;
}

}  // namespace
}  // namespace maskloom
