#include "runtime/cli/bench_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "runtime/cli/json_reader.h"
#include "runtime/cli/state_kind.h"

namespace maskloom::cli {
namespace {

constexpr size_t kWorstShown = 10;
constexpr size_t kFewestMasksRetimed = 50;
constexpr size_t kFewestStartsRetimed = 10;

using MaskPlace = std::tuple<std::string, size_t, size_t>;  // file, test, token

// Calls `visit(test, token, index)` for each mask of the row.
template <typename Visit>
void ForEachMask(const MaskBenchRow& row, Visit visit) {
  size_t index = 0;
  for (size_t test = 0; test < row.tests.size(); ++test) {
    for (size_t token = 0; token < row.tests[test].masks && index < row.tbm_us.size(); ++token) {
      visit(test, token, index++);
    }
  }
}

// Replaces in `rows` the times of what was timed again by the best of them.
void TakeBest(const std::vector<RetimedMask>& retimed, std::vector<MaskBenchRow>* rows) {
  std::map<MaskPlace, double> best;
  std::map<std::string, double> best_start;
  for (const RetimedMask& mask : retimed) {
    if (mask.kind == 0) {
      best_start[mask.file] = mask.best_us();
    } else {
      best[{mask.file, mask.test, mask.token}] = mask.best_us();
    }
  }
  for (MaskBenchRow& row : *rows) {
    if (const auto at = best_start.find(row.file); at != best_start.end()) row.ttfm_us = at->second;
    const auto first = best.lower_bound({row.file, 0, 0});
    if (first == best.end() || std::get<0>(first->first) != row.file) continue;
    ForEachMask(row, [&](size_t test, size_t token, size_t index) {
      const auto at = best.find({row.file, test, token});
      if (at != best.end()) row.tbm_us[index] = at->second;
    });
  }
}

// A file's name up to "---", or without its ending and number.
std::string FamilyOf(const std::string& file) {
  const size_t dashes = file.find("---");
  if (dashes != std::string::npos) return file.substr(0, dashes);
  std::string family = file.substr(0, file.rfind('.'));
  const size_t number = family.find_last_not_of("0123456789");
  if (number != std::string::npos && number > 0 && family[number] == '_') family.resize(number);
  return family;
}

void Append(const std::vector<double>& from, std::vector<double>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

void AddFigure(const char* name, std::vector<double> values, std::vector<Percentiles>* figures) {
  if (!values.empty()) figures->push_back(PercentilesOf(name, std::move(values)));
}

// The named lists of values as percentiles, worst p99 first.
std::vector<Percentiles> Ranked(const std::map<std::string, std::vector<double>>& lists) {
  std::vector<Percentiles> result;
  for (const auto& [name, values] : lists) {
    if (!values.empty()) result.push_back(PercentilesOf(name, values));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Percentiles& a, const Percentiles& b) { return a.p99 > b.p99; });
  return result;
}

std::string TextOf(const RetimedMask& mask) {
  std::string times;
  for (const double us : mask.us) times += fmt::format("{}{:.1f}", times.empty() ? "" : " ", us);
  return fmt::format(
      "{:>10.1f}  {}, test {}, token {} (byte {}): {}; {}; base: {}, exceptions {}, allowed {}, "
      "items {}; times {}\n",
      mask.best_us(), mask.file, mask.test, mask.token, mask.byte, StateKindName(mask.kind),
      std::isupper(static_cast<unsigned char>(mask.kind)) != 0 ? "made" : "found", mask.base,
      mask.exceptions, mask.allowed, mask.items, times);
}

void AppendTable(const char* title, const std::vector<Percentiles>& rows, std::string* text) {
  if (rows.empty()) return;
  *text += "\n" + Percentiles::TextHead(title);
  for (const Percentiles& row : rows) *text += row.ToText();
}

void AppendJsonRows(const char* name, const std::vector<Percentiles>& rows, std::string* line) {
  *line += fmt::format(",\"{}\":[", name);
  for (size_t i = 0; i < rows.size(); ++i) *line += (i == 0 ? "" : ",") + rows[i].ToJson();
  *line += ']';
}

}  // namespace

BenchSummary Summarize(const MaskBenchResults& results) {
  BenchSummary summary;
  std::vector<MaskBenchRow> rows = results.rows;
  TakeBest(results.retimed, &rows);
  std::vector<double> compile, first, cold, made, found, seen, accept, view, rollback, fork, memory;
  std::map<std::string, std::vector<double>> kinds, families;
  for (const MaskBenchRow& row : rows) {
    ++summary.outcomes[row.status];
    for (const MaskBenchRow::Test& test : row.tests) {
      summary.valid_rejected += test.valid && !test.accepted;
      summary.invalid_accepted += !test.valid && test.accepted;
    }
    if (row.status != "ok") continue;
    summary.masks_made += row.masks_made;
    if (row.compile_us >= 0) compile.push_back(row.compile_us);
    if (row.ttfm_us >= 0) first.push_back(row.ttfm_us);
    Append(row.tbm_us, &cold);
    Append(row.tbm_us, &families[FamilyOf(row.file)]);
    for (size_t i = 0; i < row.kinds.size() && i < row.tbm_us.size(); ++i) {
      const bool is_made = std::isupper(static_cast<unsigned char>(row.kinds[i])) != 0;
      (is_made ? made : found).push_back(row.tbm_us[i]);
      kinds[StateKindName(row.kinds[i])].push_back(row.tbm_us[i]);
    }
    Append(row.seen_us, &seen);
    Append(row.accept_us, &accept);
    Append(row.view_us, &view);
    Append(row.rollback_us, &rollback);
    Append(row.fork_us, &fork);
    if (row.mem_bytes > 0) memory.push_back(static_cast<double>(row.mem_bytes) / 1024);
  }
  AddFigure("compile", std::move(compile), &summary.figures);
  AddFigure("time to first mask", std::move(first), &summary.figures);
  AddFigure("mask and accept, cold", std::move(cold), &summary.figures);
  AddFigure("  a mask was made", std::move(made), &summary.figures);
  AddFigure("  its mask was there", std::move(found), &summary.figures);
  AddFigure("mask, state seen before", std::move(seen), &summary.figures);
  AddFigure("  as base and exceptions", std::move(view), &summary.figures);
  AddFigure("accept, steady", std::move(accept), &summary.figures);
  AddFigure("rollback of a token", std::move(rollback), &summary.figures);
  AddFigure("fork and its end", std::move(fork), &summary.figures);
  AddFigure("grammar and its masks", std::move(memory), &summary.memory);
  summary.kinds = Ranked(kinds);
  summary.families = Ranked(families);
  for (const RetimedMask& mask : results.retimed) {
    if (mask.kind != 0) summary.worst.push_back(mask);
  }
  std::stable_sort(
      summary.worst.begin(), summary.worst.end(),
      [](const RetimedMask& a, const RetimedMask& b) { return a.best_us() > b.best_us(); });
  if (summary.worst.size() > kWorstShown) summary.worst.resize(kWorstShown);
  return summary;
}

std::string BenchSummary::ToText() const {
  std::string text = "files:";
  for (const auto& [outcome, count] : outcomes) text += fmt::format(" {} {}", count, outcome);
  text += fmt::format("; valid texts rejected {}, invalid texts accepted {}; masks made {}\n",
                      valid_rejected, invalid_accepted, masks_made);
  AppendTable("microseconds", figures, &text);
  AppendTable("KiB", memory, &text);
  AppendTable("cold mask, by kind of state", kinds, &text);
  AppendTable("cold mask, by family", families, &text);
  if (!worst.empty()) text += "\nworst masks, best of three, microseconds\n";
  for (const RetimedMask& mask : worst) text += TextOf(mask);
  return text;
}

std::string BenchSummary::ToJson() const {
  std::string line = "{\"header\":true,\"engine\":\"maskloom\",\"summary\":{\"files\":{";
  bool first = true;
  for (const auto& [outcome, count] : outcomes) {
    line += fmt::format("{}\"{}\":{}", first ? "" : ",", outcome, count);
    first = false;
  }
  line += fmt::format("}},\"valid_rejected\":{},\"invalid_accepted\":{},\"masks_made\":{}",
                      valid_rejected, invalid_accepted, masks_made);
  AppendJsonRows("us", figures, &line);
  AppendJsonRows("kib", memory, &line);
  AppendJsonRows("kinds_us", kinds, &line);
  AppendJsonRows("families_us", families, &line);
  return line + "}}";
}

std::vector<RetimeRequest> SelectWorst(const MaskBenchResults& results,
                                       const std::vector<std::string>& paths) {
  std::vector<double> masks, starts;
  for (const MaskBenchRow& row : results.rows) {
    if (row.status != "ok") continue;
    Append(row.tbm_us, &masks);
    if (row.ttfm_us >= 0) starts.push_back(row.ttfm_us);
  }
  const auto limit_of = [](std::vector<double> values, double share, size_t fewest) {
    if (values.size() <= fewest) return 0.0;
    std::sort(values.begin(), values.end());
    return std::min(AtRank(values, share), values[values.size() - fewest - 1]);
  };
  const double mask_limit = limit_of(std::move(masks), 0.999, kFewestMasksRetimed);
  const double start_limit = limit_of(std::move(starts), 0.99, kFewestStartsRetimed);
  std::map<std::string, std::string> path_of;
  for (const std::string& path : paths) {
    path_of[path.substr(path.find_last_of('/') + 1)] = path;
  }
  std::vector<RetimeRequest> requests;
  for (const MaskBenchRow& row : results.rows) {
    if (row.status != "ok") continue;
    RetimeRequest request;
    ForEachMask(row, [&](size_t test, size_t token, size_t index) {
      if (row.tbm_us[index] <= mask_limit) return;
      RetimedMask& mask = request.masks.emplace_back();
      mask.file = row.file;
      mask.test = test;
      mask.token = token;
      mask.us.push_back(row.tbm_us[index]);
    });
    if (row.ttfm_us > start_limit) request.first_us.push_back(row.ttfm_us);
    if (request.masks.empty() && request.first_us.empty()) continue;
    request.path = path_of[row.file];
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace maskloom::cli
