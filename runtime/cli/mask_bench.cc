#include "runtime/cli/mask_bench.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <optional>

#include "runtime/cli/files.h"
#include "runtime/cli/json_reader.h"
#include "runtime/cli/python_json.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"

namespace maskloom::cli {
namespace {

constexpr int64_t kStolenLimitNs = 500000;

int64_t ReadClock(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}

int64_t WallNs() { return ReadClock(CLOCK_MONOTONIC); }
int64_t CpuNs() { return ReadClock(CLOCK_PROCESS_CPUTIME_ID); }

// Takes out of a measurement the time in which the processor ran something else.
class Stopwatch {
 public:
  double SettleUs(int64_t wall_ns, int64_t cpu_begin_ns) {
    if (wall_ns >= kStolenLimitNs) {
      int64_t used = CpuNs() - cpu_begin_ns;
      if (wall_ns - used >= kStolenLimitNs) {
        stolen_ns_ += wall_ns - used;
        wall_ns = used;
      }
    }
    return static_cast<double>(wall_ns) / 1000;
  }
  double stolen_us() const { return static_cast<double>(stolen_ns_) / 1000; }

 private:
  int64_t stolen_ns_ = 0;
};

// A text of the file, ready to walk along.
struct Text {
  bool valid = false;
  std::vector<TokenId> tokens;
};

struct Case {
  std::string schema;
  std::vector<Text> texts;
};

bool IsSet(const std::vector<uint32_t>& row, TokenId token) {
  return (row[token >> 5] >> (token & 31) & 1) != 0;
}

Result<Case> ReadCase(const std::string& path, const Tokenizer& tokenizer) {
  Result<std::string> text = ReadInput(path);
  if (!text.ok()) return text.status();
  Result<std::vector<JsonMember>> members = ReadJsonObject(*text);
  if (!members.ok()) return members.status();
  Case result;
  bool has_schema = false;
  bool has_tests = false;
  std::vector<std::string_view> tests;
  for (const JsonMember& member : *members) {
    if (member.key == "schema") {
      Result<std::string> schema = PythonJson(member.raw);
      if (!schema.ok()) return schema.status();
      result.schema = std::move(*schema);
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
  if (!has_schema) {  // the file is a schema itself
    Result<std::string> schema = PythonJson(*text);
    if (!schema.ok()) return schema.status();
    result.schema = std::move(*schema);
  }
  for (std::string_view test : tests) {
    Result<std::vector<JsonMember>> fields = ReadJsonObject(test);
    if (!fields.ok()) return fields.status();
    Text walk;
    for (const JsonMember& field : *fields) {
      if (field.key == "valid") walk.valid = field.raw == "true";
      if (field.key != "data") continue;
      Result<std::string> data = PythonJson(field.raw);
      if (!data.ok()) return data.status();
      walk.tokens = tokenizer.Encode(*data);
    }
    result.texts.push_back(std::move(walk));
  }
  return result;
}

class Walker {
 public:
  Walker(MaskBenchRow* row, std::shared_ptr<const CompiledGrammar> grammar, Stopwatch* watch)
      : row_(row),
        watch_(watch),
        matcher_(std::move(grammar)),
        mask_(matcher_.grammar().vocabulary().row_words()) {}

  // Fills one mask; returns its time in microseconds.
  double TimedFill() {
    int64_t cpu = CpuNs();
    int64_t begin = WallNs();
    matcher_.FillMask(mask_.data());
    return watch_->SettleUs(WallNs() - begin, cpu);
  }

  // Walks along a text from the start, appending times and the outcome to the row.
  void Walk(const Text& text) {
    matcher_.Reset();
    MaskBenchRow::Test test{text.valid, true, 0};
    for (TokenId token : text.tokens) {
      int64_t cpu = CpuNs();
      int64_t t0 = WallNs();
      matcher_.FillMask(mask_.data());
      int64_t t1 = WallNs();
      if (!first_fill_us_) first_fill_us_ = watch_->SettleUs(t1 - t0, cpu);
      if (!IsSet(mask_, token)) {
        row_->tbm_us.push_back(watch_->SettleUs(t1 - t0, cpu));
        test.accepted = false;
        break;
      }
      int64_t t2 = WallNs();
      bool taken = matcher_.Accept(token);
      int64_t t3 = WallNs();
      row_->tbm_us.push_back(watch_->SettleUs(t1 - t0 + t3 - t2, cpu));
      if (!taken) {
        row_->message = fmt::format("the mask allowed token {} but accept refused it", token);
        test.accepted = false;
        break;
      }
      ++test.tokens;
    }
    if (test.accepted) test.accepted = MayEnd();
    row_->tests.push_back(test);
  }

  // The same walk once more; only fills are timed.
  void WalkAgain(const Text& text) {
    matcher_.Reset();
    for (TokenId token : text.tokens) {
      row_->seen_us.push_back(TimedFill());
      if (!IsSet(mask_, token) || !matcher_.Accept(token)) return;
    }
  }

  std::optional<double> first_fill_us() const { return first_fill_us_; }

 private:
  bool MayEnd() {
    matcher_.FillMask(mask_.data());
    for (TokenId token : matcher_.grammar().vocabulary().vocabulary().end_tokens()) {
      if (IsSet(mask_, token)) return true;
    }
    return false;
  }

  MaskBenchRow* row_;
  Stopwatch* watch_;
  Matcher matcher_;
  std::vector<uint32_t> mask_;
  std::optional<double> first_fill_us_;
};

std::string Times(const std::vector<double>& times) {
  std::string text = "[";
  for (size_t i = 0; i < times.size(); ++i) {
    if (i > 0) text += ',';
    text += fmt::format("{:.3f}", times[i]);
  }
  return text + "]";
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
    line += fmt::format("{}{{\"valid\":{},\"accepted\":{},\"tokens\":{}}}", i == 0 ? "" : ",",
                        tests[i].valid, tests[i].accepted, tests[i].tokens);
  }
  line += ']';
  if (status == "ok") {
    line += ",\"seen_us\":" + Times(seen_us) + fmt::format(",\"mem_bytes\":{}", mem_bytes);
  }
  if (stolen_us > 0) line += fmt::format(",\"stolen_us\":{:.1f}", stolen_us);
  return line + "}";
}

Result<MaskBenchRow> RunMaskBench(const std::string& path, const MaskBenchSetup& setup) {
  Result<Case> read = ReadCase(path, *setup.tokenizer);
  if (!read.ok()) return read.status();
  MaskBenchRow row;
  row.file = path.substr(path.find_last_of('/') + 1);
  Stopwatch watch;
  int64_t cpu = CpuNs();
  int64_t begin = WallNs();
  auto compiled =
      CompileDefinition(DefinitionKind::kJsonSchema, read->schema, {}, setup.vocabulary);
  row.compile_us = watch.SettleUs(WallNs() - begin, cpu);
  setup.stage->compile_us = row.compile_us;
  if (!compiled.ok()) {
    row.status = "refused";
    row.message = compiled.status().message();
    if (compiled.status().pointer()) row.message += " (at " + *compiled.status().pointer() + ")";
    row.stolen_us = watch.stolen_us();
    return row;
  }
  setup.stage->walking = true;
  row.status = "ok";
  begin = WallNs();
  Walker walker(&row, compiled->grammar, &watch);
  double start_us = static_cast<double>(WallNs() - begin) / 1000;
  for (const Text& text : read->texts) walker.Walk(text);
  double first_us = walker.first_fill_us() ? *walker.first_fill_us() : walker.TimedFill();
  row.ttfm_us = row.compile_us + start_us + first_us;
  for (const Text& text : read->texts) walker.WalkAgain(text);
  row.mem_bytes = compiled->grammar->MemoryBytes();
  row.stolen_us = watch.stolen_us();
  return row;
}

double ClockOverheadUs() {
  std::vector<int64_t> times(20001);
  for (int64_t& time : times) {
    int64_t begin = WallNs();
    time = WallNs() - begin;
  }
  std::nth_element(times.begin(), times.begin() + 10000, times.end());
  return static_cast<double>(times[10000]) / 1000;
}

}  // namespace maskloom::cli
