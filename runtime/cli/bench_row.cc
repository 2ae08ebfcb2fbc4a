#include "runtime/cli/bench_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "runtime/cli/files.h"
#include "runtime/cli/json_reader.h"

namespace maskloom::cli {
namespace {

std::string Times(const std::vector<double>& times) {
  std::string text = "[";
  for (size_t i = 0; i < times.size(); ++i) {
    if (i > 0) text += ',';
    text += fmt::format("{:.3f}", times[i]);
  }
  return text + "]";
}

double ReadNumber(std::string_view raw) {
  return raw == "null" ? -1 : std::strtod(std::string(raw).c_str(), nullptr);
}

size_t ReadCount(std::string_view raw) {
  return static_cast<size_t>(std::strtoull(std::string(raw).c_str(), nullptr, 10));
}

Status ReadTimes(std::string_view raw, std::vector<double>* times) {
  Result<std::vector<std::string_view>> elements = ReadJsonArray(raw);
  if (!elements.ok()) return elements.status();
  for (std::string_view element : *elements) {
    if (element != "null") times->push_back(ReadNumber(element));
  }
  return Status::Ok();
}

Status ReadText(std::string_view raw, std::string* text) {
  Result<std::string> read = ReadJsonString(raw);
  if (!read.ok()) return read.status();
  *text = std::move(*read);
  return Status::Ok();
}

Status ReadTests(std::string_view raw, std::vector<MaskBenchRow::Test>* tests) {
  Result<std::vector<std::string_view>> elements = ReadJsonArray(raw);
  if (!elements.ok()) return elements.status();
  for (std::string_view element : *elements) {
    Result<std::vector<JsonMember>> members = ReadJsonObject(element);
    if (!members.ok()) return members.status();
    MaskBenchRow::Test& test = tests->emplace_back();
    for (const JsonMember& member : *members) {
      if (member.key == "valid") test.valid = member.raw == "true";
      if (member.key == "accepted") test.accepted = member.raw == "true";
      if (member.key == "tokens") test.tokens = ReadCount(member.raw);
      if (member.key == "masks") test.masks = ReadCount(member.raw);
    }
  }
  return Status::Ok();
}

Status ReadRow(const std::vector<JsonMember>& members, MaskBenchRow* row) {
  for (const JsonMember& member : members) {
    Status status;
    const std::string_view key = member.key;
    if (key == "file") status = ReadText(member.raw, &row->file);
    if (key == "status") status = ReadText(member.raw, &row->status);
    if (key == "message") status = ReadText(member.raw, &row->message);
    if (key == "kinds") status = ReadText(member.raw, &row->kinds);
    if (key == "compile_us") row->compile_us = ReadNumber(member.raw);
    if (key == "ttfm_us") row->ttfm_us = ReadNumber(member.raw);
    if (key == "tests") status = ReadTests(member.raw, &row->tests);
    if (key == "masks_made") row->masks_made = ReadCount(member.raw);
    if (key == "mem_bytes" && member.raw != "null") row->mem_bytes = ReadCount(member.raw);
    if (key == "stolen_us") row->stolen_us = ReadNumber(member.raw);
    if (key == "tbm_us") status = ReadTimes(member.raw, &row->tbm_us);
    if (key == "seen_us") status = ReadTimes(member.raw, &row->seen_us);
    if (key == "accept_us") status = ReadTimes(member.raw, &row->accept_us);
    if (key == "view_us") status = ReadTimes(member.raw, &row->view_us);
    if (key == "rollback_us") status = ReadTimes(member.raw, &row->rollback_us);
    if (key == "fork_us") status = ReadTimes(member.raw, &row->fork_us);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status ReadRetimed(std::string_view raw, RetimedMask* mask) {
  Result<std::vector<JsonMember>> members = ReadJsonObject(raw);
  if (!members.ok()) return members.status();
  for (const JsonMember& member : *members) {
    Status status;
    std::string kind;
    if (member.key == "file") status = ReadText(member.raw, &mask->file);
    if (member.key == "base") status = ReadText(member.raw, &mask->base);
    if (member.key == "kind") status = ReadText(member.raw, &kind);
    if (!kind.empty()) mask->kind = kind[0];
    if (member.key == "test") mask->test = ReadCount(member.raw);
    if (member.key == "token") mask->token = ReadCount(member.raw);
    if (member.key == "byte") mask->byte = ReadCount(member.raw);
    if (member.key == "items") mask->items = ReadCount(member.raw);
    if (member.key == "allowed") mask->allowed = static_cast<uint32_t>(ReadCount(member.raw));
    if (member.key == "exceptions") mask->exceptions = static_cast<uint32_t>(ReadCount(member.raw));
    if (member.key == "us") status = ReadTimes(member.raw, &mask->us);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// Adds what a line says to `results`; `index` has the rows by file.
Status AddLine(std::string_view line, MaskBenchResults* results,
               std::map<std::string, size_t>* index) {
  Result<std::vector<JsonMember>> members = ReadJsonObject(line);
  if (!members.ok()) return members.status();
  bool is_header = false;
  std::string_view retimed;
  for (const JsonMember& member : *members) {
    if (member.key == "header") is_header = true;
    if (member.key == "retimed") retimed = member.raw;
    if (member.key == "engine" && results->engine.empty()) {
      if (Status status = ReadText(member.raw, &results->engine); !status.ok()) return status;
    }
  }
  if (is_header) {
    if (results->header.empty()) results->header = line;
    return retimed.empty() ? Status::Ok() : ReadRetimed(retimed, &results->retimed.emplace_back());
  }
  MaskBenchRow row;
  if (Status status = ReadRow(*members, &row); !status.ok()) return status;
  if (row.file.empty() || row.status.empty()) {
    return Status(StatusCode::kIo,
                  "this is neither a header nor a row of results, which has \"file\" and "
                  "\"status\"; give what --out of `maskloom bench masks` wrote");
  }
  const auto [at, is_new] = index->emplace(row.file, results->rows.size());
  if (is_new) {
    results->rows.push_back(std::move(row));
  } else {
    results->rows[at->second] = std::move(row);
  }
  return Status::Ok();
}

}  // namespace

std::string MaskBenchRow::ToJson() const {
  std::string line = "{\"engine\":\"maskloom\",\"file\":";
  AppendJsonString(file, &line);
  line += fmt::format(",\"status\":\"{}\",\"message\":", status);
  AppendJsonString(message, &line);
  line += ",\"compile_us\":" + (compile_us < 0 ? "null" : fmt::format("{:.2f}", compile_us));
  line += ",\"ttfm_us\":" + (ttfm_us < 0 ? "null" : fmt::format("{:.2f}", ttfm_us));
  line += ",\"tbm_us\":" + Times(tbm_us) + ",\"tests\":[";
  for (size_t i = 0; i < tests.size(); ++i) {
    line += fmt::format("{}{{\"valid\":{},\"accepted\":{},\"tokens\":{},\"masks\":{}}}",
                        i == 0 ? "" : ",", tests[i].valid, tests[i].accepted, tests[i].tokens,
                        tests[i].masks);
  }
  line += ']';
  if (status == "ok") {
    line += fmt::format(",\"kinds\":\"{}\",\"masks_made\":{},\"mem_bytes\":{}", kinds, masks_made,
                        mem_bytes);
    line += ",\"seen_us\":" + Times(seen_us) + ",\"accept_us\":" + Times(accept_us);
    line += ",\"view_us\":" + Times(view_us) + ",\"rollback_us\":" + Times(rollback_us);
    line += ",\"fork_us\":" + Times(fork_us);
  }
  if (stolen_us > 0) line += fmt::format(",\"stolen_us\":{:.1f}", stolen_us);
  return line + "}";
}

double RetimedMask::best_us() const {
  return us.empty() ? 0 : *std::min_element(us.begin(), us.end());
}

std::string RetimedMask::ToJson() const {
  std::string line = "{\"header\":true,\"engine\":\"maskloom\",\"retimed\":{\"file\":";
  AppendJsonString(file, &line);
  if (kind != 0) {
    line += fmt::format(
        ",\"test\":{},\"token\":{},\"byte\":{},\"kind\":\"{}\",\"base\":\"{}\",\"exceptions\":{},"
        "\"allowed\":{},\"items\":{}",
        test, token, byte, kind, base, exceptions, allowed, items);
  }
  return line + ",\"us\":" + Times(us) + "}}";
}

Result<MaskBenchResults> ReadMaskBenchResults(const std::string& path) {
  Result<LineReader> reader = LineReader::Open(path);
  if (!reader.ok()) return reader.status();
  MaskBenchResults results;
  std::map<std::string, size_t> index;
  std::string line;
  for (size_t number = 1;; ++number) {
    Result<bool> more = reader->Next(&line);
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (line.empty()) continue;
    if (Status status = AddLine(line, &results, &index); !status.ok()) {
      return Status(StatusCode::kIo,
                    fmt::format("{}, line {}: {}", path, number, status.message()));
    }
  }
  return results;
}

Result<MaskBenchResults> ReadMaskBenchRows(const std::string& path) {
  Result<MaskBenchResults> results = ReadMaskBenchResults(path);
  if (!results.ok() || !results->rows.empty()) return results;
  return Status(StatusCode::kIo,
                fmt::format("{}: {}; give what --out of `maskloom bench masks` wrote", path,
                            results->header.empty() ? "the file holds no results"
                                                    : "the file has a header and no row"));
}

double NumberMember(std::string_view object, std::string_view member, double fallback) {
  Result<std::vector<JsonMember>> members = ReadJsonObject(object);
  if (!members.ok()) return fallback;
  for (const JsonMember& each : *members) {
    if (each.key == member && each.raw != "null") return ReadNumber(each.raw);
  }
  return fallback;
}

std::string TextMember(std::string_view object, std::string_view member) {
  std::string text;
  Result<std::vector<JsonMember>> members = ReadJsonObject(object);
  if (!members.ok()) return text;
  for (const JsonMember& each : *members) {
    if (each.key != member) continue;
    if (Status status = ReadText(each.raw, &text); !status.ok()) text.clear();
  }
  return text;
}

}  // namespace maskloom::cli
