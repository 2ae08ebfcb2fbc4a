#include "runtime/cli/bench_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "runtime/cli/bench_percentiles.h"

namespace maskloom::cli {
namespace {

std::string Number(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  return value >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

// One engine on the files that count.
struct Column {
  std::string name;
  size_t refused = 0, failed = 0;
  size_t wrong_texts = 0;
  Percentiles first, cold, seen, memory_kib;
};

std::set<std::string> FilesOf(const MaskBenchResults& results, bool only_ok) {
  std::set<std::string> files;
  for (const MaskBenchRow& row : results.rows) {
    if (only_ok ? row.status == "ok" : row.status != "unreadable") files.insert(row.file);
  }
  return files;
}

std::set<std::string> CommonFiles(const std::vector<const MaskBenchResults*>& engines,
                                  bool only_ok) {
  std::set<std::string> common = FilesOf(*engines.front(), only_ok);
  for (const MaskBenchResults* results : engines) {
    const std::set<std::string> own = FilesOf(*results, only_ok);
    std::erase_if(common, [&own](const std::string& file) { return !own.contains(file); });
  }
  return common;
}

Column MakeColumn(const MaskBenchResults& results, const std::set<std::string>& run,
                  const std::set<std::string>& compiled) {
  Column column;
  column.name = results.engine + " " + TextMember(results.header, "version");
  std::vector<double> first, cold, seen, memory;
  for (const MaskBenchRow& row : results.rows) {
    if (!run.contains(row.file)) continue;
    column.refused += row.status == "refused";
    column.failed += row.status == "timeout" || row.status == "crash";
    for (const MaskBenchRow::Test& test : row.tests) {
      column.wrong_texts += test.valid != test.accepted;
    }
    if (!compiled.contains(row.file)) continue;
    if (row.ttfm_us >= 0) first.push_back(row.ttfm_us);
    cold.insert(cold.end(), row.tbm_us.begin(), row.tbm_us.end());
    seen.insert(seen.end(), row.seen_us.begin(), row.seen_us.end());
    if (row.mem_bytes > 0) memory.push_back(static_cast<double>(row.mem_bytes) / 1024);
  }
  column.first = PercentilesOf("", std::move(first));
  column.cold = PercentilesOf("", std::move(cold));
  column.seen = PercentilesOf("", std::move(seen));
  column.memory_kib = PercentilesOf("", std::move(memory));
  return column;
}

}  // namespace

std::string CompareEngines(const std::vector<const MaskBenchResults*>& engines) {
  const std::set<std::string> run = CommonFiles(engines, false);
  const std::set<std::string> compiled = CommonFiles(engines, true);
  std::vector<Column> columns;
  for (const MaskBenchResults* results : engines) {
    columns.push_back(MakeColumn(*results, run, compiled));
  }
  std::string text =
      fmt::format("{} files run by all, {} compiled by all; microseconds, first measurements\n\n",
                  run.size(), compiled.size());
  const auto add = [&](const std::string& name, const std::function<std::string(size_t)>& cell) {
    text += "| " + name + " |";
    for (size_t i = 0; i < columns.size(); ++i) text += " " + cell(i) + " |";
    text += "\n";
  };
  add("", [&](size_t i) { return columns[i].name; });
  text += "|---|";
  for (size_t i = 0; i < columns.size(); ++i) text += "--:|";
  text += "\n";
  add("refused", [&](size_t i) { return std::to_string(columns[i].refused); });
  add("timeout or crash", [&](size_t i) { return std::to_string(columns[i].failed); });
  add("texts judged wrong", [&](size_t i) { return std::to_string(columns[i].wrong_texts); });
  add("vocabulary set-up, ms", [&](size_t i) {
    return Number(NumberMember(engines[i]->header, "vocab_setup_us", 0) / 1000);
  });
  using Figure = Percentiles Column::*;
  const auto add_figure = [&](const std::string& name, Figure figure, bool tail) {
    if (std::all_of(columns.begin(), columns.end(),
                    [figure](const Column& column) { return (column.*figure).count == 0; })) {
      return;
    }
    const auto add_rank = [&](const char* rank, double Percentiles::*at) {
      add(name + " " + rank, [&, at](size_t i) {
        return (columns[i].*figure).count == 0 ? "-" : Number(columns[i].*figure.*at);
      });
    };
    add_rank("p50", &Percentiles::p50);
    if (tail) add_rank("p90", &Percentiles::p90);
    add_rank("p99", &Percentiles::p99);
    if (tail) add_rank("p99.9", &Percentiles::p999);
    if (tail) add_rank("p99.99", &Percentiles::p9999);
    add_rank("max", &Percentiles::max);
  };
  add_figure("time to first mask", &Column::first, false);
  add_figure("mask and accept", &Column::cold, true);
  add_figure("mask, state seen before", &Column::seen, false);
  add_figure("grammar, KiB", &Column::memory_kib, false);
  return text;
}

}  // namespace maskloom::cli
