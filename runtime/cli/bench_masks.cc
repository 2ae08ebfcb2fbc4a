#include "runtime/cli/bench_masks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "runtime/cli/bench_case.h"
#include "runtime/cli/bench_clock.h"
#include "runtime/cli/bench_compare.h"
#include "runtime/cli/bench_machine.h"
#include "runtime/cli/bench_summary.h"
#include "runtime/cli/bench_worker.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/json_reader.h"
#include "runtime/cli/made_up_vocabulary.h"
#include "runtime/cli/model_files.h"
#include "runtime/cli/state_kind.h"
#include "runtime/version.h"

namespace maskloom::cli {
namespace {

// Makes the index and the way to cut texts: the tokenizer's own, or into the longest tokens where
// only its vocabulary can be read.
Result<MaskBenchSetup> MakeSetup(const std::string& path, double* setup_us, bool* is_own_cut) {
  MaskBenchSetup setup;
  auto tokenizer = ReadTokenizer(path);
  *is_own_cut = tokenizer.ok();
  std::shared_ptr<const Vocabulary> vocabulary;
  if (tokenizer.ok()) {
    vocabulary = (*tokenizer)->shared_vocabulary();
  } else {
    if (tokenizer.status().code() != StatusCode::kUnsupported) return tokenizer.status();
    auto read = OpenVocabulary(path);
    if (!read.ok()) return read.status();
    vocabulary = *read;
  }
  const int64_t begin = WallNs();
  setup.vocabulary = VocabularyIndex::Build(Vocabulary(*vocabulary));
  *setup_us = static_cast<double>(WallNs() - begin) / 1000;
  if (tokenizer.ok()) {
    setup.cut = [tokenizer = *tokenizer](std::string_view text) { return tokenizer->Encode(text); };
  } else {
    setup.cut = [index = setup.vocabulary](std::string_view text) {
      return CutIntoLongest(*index, text);
    };
  }
  return setup;
}

std::string HeaderJson(const MasksBenchOptions& options, uint32_t vocabulary_size, double setup_us,
                       bool is_own_cut) {
  double clock_us = ClockOverheadUs();
  std::string line = fmt::format(
      "{{\"header\":true,\"engine\":\"maskloom\",\"version\":\"{}\",\"options\":{{\"whitespace\":"
      "\"flexible\",\"checked\":{},\"shuffle\":{},\"texts\":\"{}\"}},\"tokenizer\":",
      VersionString(), options.check,
      options.shuffle ? std::to_string(*options.shuffle) : std::string("null"),
      is_own_cut ? "cut by the tokenizer" : "cut into longest tokens");
  AppendJsonString(options.tokenizer, &line);
  line += fmt::format(
      ",\"vocab_size\":{},\"vocab_setup_us\":{:.1f},\"clock_us\":{:.3f},"
      "\"overhead_us_per_token\":{:.3f},\"timeout_s\":{},{},\"kinds\":{{",
      vocabulary_size, setup_us, clock_us, 2 * clock_us, options.timeout_s, MachineJson());
  for (const StateKind& kind : StateKinds()) {
    line += fmt::format("{}\"{}\":\"{}\"", line.back() == '{' ? "" : ",", kind.letter, kind.name);
  }
  return line + "}}\n";
}

// Writes a line and sees it through, for another process writes behind it.
Status WriteLine(const std::string& line, OutputFile* out) {
  Status status = out->Write(line + "\n");
  return status.ok() ? out->Flush() : status;
}

MaskBenchRow LostRow(const std::string& path, const std::string& status, std::string message) {
  MaskBenchRow row;
  row.file = FileNameOf(path);
  row.status = status;
  row.message = std::move(message);
  return row;
}

// One run of the bench.
class MasksBench {
 public:
  MasksBench(const MasksBenchOptions& options, std::vector<std::string> files, MaskBenchSetup setup,
             BenchWorkers workers, OutputFile* out)
      : options_(options),
        files_(std::move(files)),
        setup_(std::move(setup)),
        workers_(std::move(workers)),
        out_(out) {
    setup_.stage = &workers_.progress()->stage;
  }

  // Returns an exit status.
  int Run() {
    if (options_.check) {
      if (const int status = Check(); status != kExitDone) return status;
    }
    if (const int status = Time(); status != kExitDone) return status;
    if (options_.retime) {
      if (const int status = Retime(); status != kExitDone) return status;
    }
    if (workers_.progress()->wrong) return kExitRejected;
    return workers_.progress()->read_failed ? kExitFile : kExitDone;
  }

 private:
  int Write(const std::string& line) {
    const Status status = WriteLine(line, out_);
    return status.ok() ? kExitDone : ReportFailure(status);
  }

  // Files that cannot be read or take too long are left to the timing, which reports them.
  int Check() {
    BenchTask task;
    task.run = [this](size_t index) {
      const Result<std::string> wrong = CheckMaskBench(files_[index], setup_);
      if (wrong.ok() && !wrong->empty()) {
        PrintError(fmt::format("{}: wrong answer: {}", files_[index], *wrong));
        workers_.progress()->wrong = true;
      }
      return kExitDone;
    };
    task.lost = [](size_t, bool, int) { return kExitDone; };
    return workers_.Run(files_.size(), task);
  }

  int Time() {
    BenchTask task;
    task.run = [this](size_t index) {
      const std::string& path = files_[index];
      Result<MaskBenchRow> row = TimeMaskBench(path, setup_);
      if (row.ok()) return Write(row->ToJson());
      PrintError(OneLine(row.status()));
      workers_.progress()->read_failed = true;
      return Write(LostRow(path, "unreadable", OneLine(row.status())).ToJson());
    };
    task.lost = [this](size_t index, bool late, int signal) {
      const MaskBenchStage& stage = workers_.progress()->stage;
      std::string message = late ? (stage.walking ? "in walk" : "in compile")
                                 : fmt::format("worker ended by signal {}", signal);
      MaskBenchRow row = LostRow(files_[index], late ? "timeout" : "crash", std::move(message));
      row.compile_us = stage.compile_us;
      return Write(row.ToJson());
    };
    return workers_.Run(files_.size(), task);
  }

  // What is lost on the way keeps its first measurement.
  int Retime() {
    Result<MaskBenchResults> results = ReadMaskBenchResults(options_.out);
    if (!results.ok()) return ReportFailure(results.status());
    std::vector<RetimeRequest> requests = SelectWorst(*results, files_);
    BenchTask task;
    task.run = [&](size_t index) {
      RetimeRequest& request = requests[index];
      const Status status = RetimeMaskBench(setup_, &request);
      if (!status.ok()) {
        PrintWarning(fmt::format("{}: not timed again: {}", request.path, OneLine(status)));
        return int{kExitDone};
      }
      std::string lines;
      for (const RetimedMask& mask : request.masks) lines += mask.ToJson() + "\n";
      if (!request.first_us.empty()) {
        RetimedMask start;
        start.file = FileNameOf(request.path);
        start.us = request.first_us;
        lines += start.ToJson() + "\n";
      }
      lines.pop_back();
      return Write(lines);
    };
    task.lost = [](size_t, bool, int) { return kExitDone; };
    return workers_.Run(requests.size(), task);
  }

  const MasksBenchOptions& options_;
  std::vector<std::string> files_;
  MaskBenchSetup setup_;
  BenchWorkers workers_;
  OutputFile* out_;
};

Result<std::vector<MaskBenchResults>> ReadOthers(const std::vector<std::string>& paths) {
  std::vector<MaskBenchResults> others;
  for (const std::string& path : paths) {
    Result<MaskBenchResults> read = ReadMaskBenchRows(path);
    if (!read.ok()) return read.status();
    others.push_back(std::move(*read));
  }
  return others;
}

// Returns results side by side.
std::string CompareWith(const MaskBenchResults& own, const std::vector<MaskBenchResults>& others) {
  std::vector<const MaskBenchResults*> engines = {&own};
  for (const MaskBenchResults& other : others) engines.push_back(&other);
  return CompareEngines(engines);
}

}  // namespace

int RunMasksBench(const MasksBenchOptions& options) {
  if (options.files.empty() && options.list.empty() && !options.compare.empty()) {
    return ReportFailure(
        Status(StatusCode::kInvalidArgument,
               "give FILEs before --compare, which takes all names behind it, or --list LIST"));
  }
  Result<std::vector<std::string>> files = CollectFiles(options.files, options.list, options.root);
  if (!files.ok()) return ReportFailure(files.status());
  if (options.shuffle) {
    std::mt19937_64 random(*options.shuffle);
    std::shuffle(files->begin(), files->end(), random);
  }
  const Result<std::vector<MaskBenchResults>> others = ReadOthers(options.compare);
  if (!others.ok()) return ReportFailure(others.status());
  PinToThisProcessor();
  double setup_us = 0;
  bool is_own_cut = false;
  Result<MaskBenchSetup> setup = MakeSetup(options.tokenizer, &setup_us, &is_own_cut);
  if (!setup.ok()) return ReportModelFailure(setup.status());
  Result<OutputFile> out = OutputFile::Create(options.out);
  if (!out.ok()) return ReportFailure(out.status());
  CatchInterrupts();
  Result<BenchWorkers> workers = BenchWorkers::Create(options.timeout_s);
  if (!workers.ok()) return ReportFailure(workers.status());
  Status status = out->Write(HeaderJson(options, setup->vocabulary->size(), setup_us, is_own_cut));
  if (status.ok()) status = out->Flush();
  if (!status.ok()) return ReportFailure(status);
  MasksBench bench(options, std::move(*files), std::move(*setup), std::move(*workers), &*out);
  const int exit_status = bench.Run();
  Result<MaskBenchResults> results = ReadMaskBenchResults(options.out);
  if (results.ok()) {
    const BenchSummary summary = Summarize(*results);
    fmt::print(stderr, "{}", summary.ToText());
    status = out->Write(summary.ToJson() + "\n");
    if (!others->empty()) fmt::print(stderr, "\n{}", CompareWith(*results, *others));
  }
  const Status closed = out->Close();
  if (status.ok()) status = closed;
  return !status.ok() && exit_status == kExitDone ? ReportFailure(status) : exit_status;
}

int ReportMasksBench(const std::string& path, const std::vector<std::string>& compare) {
  Result<MaskBenchResults> results = ReadMaskBenchRows(path);
  if (!results.ok()) return ReportFailure(results.status());
  const Result<std::vector<MaskBenchResults>> others = ReadOthers(compare);
  if (!others.ok()) return ReportFailure(others.status());
  std::string text = Summarize(*results).ToText();
  if (!others->empty()) text += "\n" + CompareWith(*results, *others);
  OutputFile out = OutputFile::Stdout();
  Status status = out.Write(text);
  const Status closed = out.Close();
  if (status.ok()) status = closed;
  return status.ok() ? kExitDone : ReportFailure(status);
}

}  // namespace maskloom::cli
