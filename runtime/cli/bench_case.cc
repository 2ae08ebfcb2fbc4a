#include "runtime/cli/bench_case.h"

#include <string_view>
#include <utility>

#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/json_reader.h"
#include "runtime/cli/python_json.h"

namespace maskloom::cli {
namespace {

Result<BenchText> ReadTest(std::string_view test, const CutText& cut) {
  Result<std::vector<JsonMember>> fields = ReadJsonObject(test);
  if (!fields.ok()) return fields.status();
  BenchText text;
  for (const JsonMember& field : *fields) {
    if (field.key == "valid") text.valid = field.raw == "true";
    if (field.key != "data") continue;
    Result<std::string> data = PythonJson(field.raw);
    if (!data.ok()) return data.status();
    text.tokens = cut(*data);
  }
  return text;
}

// `text` is that of the file.
Result<BenchCase> ParseBenchCase(std::string_view text, const CutText& cut) {
  Result<std::vector<JsonMember>> members = ReadJsonObject(text);
  if (!members.ok()) return members.status();
  std::string_view whole = text;  // the file is a schema itself, unless it has one
  bool has_schema = false;
  bool has_tests = false;
  std::vector<std::string_view> tests;
  for (const JsonMember& member : *members) {
    if (member.key == "schema") {
      whole = member.raw;
      has_schema = true;
    } else if (member.key == "tests") {
      Result<std::vector<std::string_view>> elements = ReadJsonArray(member.raw);
      if (!elements.ok()) return elements.status();
      tests = std::move(*elements);
      has_tests = true;
    }
  }
  if (!has_schema && has_tests) {
    return Status(StatusCode::kInvalidArgument, "the file has \"tests\" and no \"schema\"");
  }
  BenchCase result;
  Result<std::string> schema = PythonJson(whole);
  if (!schema.ok()) return schema.status();
  result.schema = std::move(*schema);
  for (std::string_view test : tests) {
    Result<BenchText> read = ReadTest(test, cut);
    if (!read.ok()) return read.status();
    result.texts.push_back(std::move(*read));
  }
  return result;
}

}  // namespace

Result<BenchCase> ReadBenchCase(const std::string& path, const CutText& cut) {
  Result<std::string> text = ReadInput(path);
  if (!text.ok()) return text.status();
  Result<BenchCase> read = ParseBenchCase(*text, cut);
  if (read.ok()) return read;
  return Status(StatusCode::kIo, path + ": " + OneLine(read.status()));
}

Result<BenchCase> ReadBenchCase(const std::string& path, const Tokenizer& tokenizer) {
  return ReadBenchCase(
      path, CutText([&tokenizer](std::string_view text) { return tokenizer.Encode(text); }));
}

Result<std::vector<std::string>> CollectFiles(const std::vector<std::string>& files,
                                              const std::string& list, const std::string& root) {
  const std::string folder = root.empty() ? "" : root + "/";
  std::vector<std::string> found = files;
  if (!list.empty()) {
    Result<LineReader> reader = LineReader::Open(list);
    if (!reader.ok()) return reader.status();
    std::string line;
    for (;;) {
      Result<bool> more = reader->Next(&line);
      if (!more.ok()) return more.status();
      if (!*more) break;
      if (!line.empty()) found.push_back(folder + line);
    }
  }
  if (found.empty()) {
    return Status(StatusCode::kInvalidArgument, "give FILEs, or --list LIST (and --root DIR)");
  }
  return found;
}

std::string FileNameOf(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace maskloom::cli
