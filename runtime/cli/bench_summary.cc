#include "runtime/cli/bench_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "runtime/cli/files.h"
#include "runtime/cli/json_reader.h"

namespace maskloom::cli {
namespace {

struct Totals {
  std::map<std::string, size_t> outcomes;
  size_t valid_rejected = 0;
  size_t invalid_accepted = 0;
  std::vector<double> compile_us, ttfm_us, tbm_us, seen_us;
};

void AppendNumber(std::string_view raw, std::vector<double>* out) {
  if (raw != "null") out->push_back(std::strtod(std::string(raw).c_str(), nullptr));
}

Status AppendNumbers(std::string_view raw, std::vector<double>* out) {
  Result<std::vector<std::string_view>> elements = ReadJsonArray(raw);
  if (!elements.ok()) return elements.status();
  for (std::string_view element : *elements) AppendNumber(element, out);
  return Status::Ok();
}

Status CountTests(std::string_view raw, Totals* totals) {
  Result<std::vector<std::string_view>> tests = ReadJsonArray(raw);
  if (!tests.ok()) return tests.status();
  for (std::string_view test : *tests) {
    Result<std::vector<JsonMember>> members = ReadJsonObject(test);
    if (!members.ok()) return members.status();
    bool valid = false;
    bool accepted = false;
    for (const JsonMember& member : *members) {
      if (member.key == "valid") valid = member.raw == "true";
      if (member.key == "accepted") accepted = member.raw == "true";
    }
    totals->valid_rejected += valid && !accepted;
    totals->invalid_accepted += !valid && accepted;
  }
  return Status::Ok();
}

Status AddRow(std::string_view line, Totals* totals) {
  Result<std::vector<JsonMember>> members = ReadJsonObject(line);
  if (!members.ok()) return members.status();
  if (!members->empty() && members->front().key == "header") return Status::Ok();
  bool ok = false;
  for (const JsonMember& member : *members) {
    Status status;
    if (member.key == "status") {
      Result<std::string> outcome = ReadJsonString(member.raw);
      if (!outcome.ok()) return outcome.status();
      ok = *outcome == "ok";
      ++totals->outcomes[*outcome];
    } else if (member.key == "compile_us" && ok) {
      AppendNumber(member.raw, &totals->compile_us);
    } else if (member.key == "ttfm_us") {
      AppendNumber(member.raw, &totals->ttfm_us);
    } else if (member.key == "tbm_us") {
      status = AppendNumbers(member.raw, &totals->tbm_us);
    } else if (member.key == "seen_us") {
      status = AppendNumbers(member.raw, &totals->seen_us);
    } else if (member.key == "tests") {
      status = CountTests(member.raw, totals);
    }
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

std::string Line(std::string_view name, std::vector<double> times) {
  if (times.empty()) return "";
  std::sort(times.begin(), times.end());
  auto at = [&times](double share) {
    size_t rank = static_cast<size_t>(std::ceil(share * static_cast<double>(times.size())));
    return times[std::max<size_t>(rank, 1) - 1];
  };
  return fmt::format("{:<22}{:>9}{:>11.2f}{:>11.2f}{:>11.2f}{:>12.2f}{:>12.2f}\n", name,
                     times.size(), at(0.5), at(0.9), at(0.99), at(0.999), times.back());
}

}  // namespace

Result<std::string> SummarizeMaskBench(const std::string& path) {
  Result<LineReader> reader = LineReader::Open(path);
  if (!reader.ok()) return reader.status();
  Totals totals;
  std::string line;
  for (;;) {
    Result<bool> more = reader->Next(&line);
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (Status status = AddRow(line, &totals); !status.ok()) return status;
  }
  std::string text = "files:";
  for (const auto& [outcome, count] : totals.outcomes)
    text += fmt::format(" {} {}", count, outcome);
  text += fmt::format("; valid texts rejected {}, invalid texts accepted {}\n",
                      totals.valid_rejected, totals.invalid_accepted);
  text += fmt::format("{:<22}{:>9}{:>11}{:>11}{:>11}{:>12}{:>12}\n", "microseconds", "n", "p50",
                      "p90", "p99", "p99.9", "max");
  text += Line("compile", totals.compile_us);
  text += Line("time to first mask", totals.ttfm_us);
  text += Line("mask, cold", totals.tbm_us);
  text += Line("mask, seen before", totals.seen_us);
  return text;
}

}  // namespace maskloom::cli
