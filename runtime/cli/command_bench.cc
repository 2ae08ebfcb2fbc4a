// `maskloom bench masks`: times masks along the texts of MaskBench files.
//
// A worker process, forked once the vocabulary is built, runs the files and writes the rows; this
// process sleeps until the worker ends or a file has had its time, so that it does not disturb the
// measurement. After a timeout or a crash it writes that file's row itself and forks another worker
// for the files that are left.
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "runtime/cli/bench_summary.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/mask_bench.h"
#include "runtime/cli/model_files.h"
#include "runtime/version.h"

namespace maskloom::cli {
namespace {

[[maybe_unused]] constexpr size_t kMemoryLimitBytes = size_t{16} << 30;

struct BenchFlags {
  std::string tokenizer;
  std::string out;
  std::string list;
  std::string root;
  std::vector<std::string> files;
  unsigned timeout_s = 30;
};

// What the two processes share.
struct Shared {
  volatile size_t next = 0;       // the file that is running, or the first not run
  volatile int64_t begin_ns = 0;  // when it was begun
  volatile bool write_failed = false;
  volatile bool read_failed = false;
  MaskBenchStage stage;
};

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Result<std::vector<std::string>> CollectFiles(const BenchFlags& flags) {
  std::string root = flags.root.empty() ? "" : flags.root + "/";
  std::vector<std::string> files;
  for (const std::string& file : flags.files) files.push_back(file);
  if (!flags.list.empty()) {
    Result<LineReader> reader = LineReader::Open(flags.list);
    if (!reader.ok()) return reader.status();
    std::string line;
    for (;;) {
      Result<bool> more = reader->Next(&line);
      if (!more.ok()) return more.status();
      if (!*more) break;
      if (!line.empty()) files.push_back(root + line);
    }
  }
  if (files.empty()) {
    return Status(StatusCode::kInvalidArgument, "give FILEs, or --list LIST (and --root DIR)");
  }
  return files;
}

void PinToThisProcessor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cpu = ::sched_getcpu();
  if (cpu < 0) return;
  CPU_SET(static_cast<size_t>(cpu), &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

// Address and thread sanitizers reserve more address space than any limit allows.
void LimitMemory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit{kMemoryLimitBytes, kMemoryLimitBytes};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

// The worker: runs files from shared->next on. Never returns.
[[noreturn]] void RunWorker(const std::vector<std::string>& files, const MaskBenchSetup& setup,
                            Shared* shared, OutputFile* out) {
  LimitMemory();
  ::signal(SIGINT, SIG_IGN);
  while (shared->next < files.size()) {
    shared->stage.compile_us = -1;
    shared->stage.walking = false;
    shared->begin_ns = NowNs();
    const std::string& path = files[shared->next];
    Result<MaskBenchRow> row = RunMaskBench(path, setup);
    if (!row.ok()) {
      std::string reason = OneLine(row.status());
      row = MaskBenchRow();
      row->file = path.substr(path.find_last_of('/') + 1);
      row->status = "crash";
      row->message = reason;
      PrintError(fmt::format("{}: {}", path, reason));
      shared->read_failed = true;
    }
    Status status = out->Write(row->ToJson() + "\n");
    if (status.ok()) status = out->Flush();
    if (!status.ok()) {
      ReportFailure(status);
      shared->write_failed = true;
      ::_exit(kExitFile);
    }
    shared->next = shared->next + 1;
  }
  ::_exit(kExitDone);
}

// Sleeps until the worker closes `pipe`, or the running file has had its time, or SIGINT.
// Returns true if the file's time is over.
bool AwaitWorker(int pipe, const Shared& shared, unsigned timeout_s) {
  int64_t limit_ns = int64_t{timeout_s} * 1000000000;
  for (;;) {
    int64_t left_ns = shared.begin_ns + limit_ns - NowNs();
    if (left_ns <= 0) return true;
    pollfd entry{pipe, POLLIN, 0};
    int ready = ::poll(&entry, 1, static_cast<int>(left_ns / 1000000) + 1);
    if (ready > 0 || Interrupted()) return false;
  }
}

// Runs all files. Returns the exit status.
int RunFiles(const std::vector<std::string>& files, const MaskBenchSetup& setup, Shared* shared,
             unsigned timeout_s, OutputFile* out) {
  while (shared->next < files.size()) {
    int ends[2];
    if (::pipe(ends) != 0) return ReportFailure(Status(StatusCode::kIo, "cannot make a pipe"));
    shared->begin_ns = NowNs();
    pid_t worker = ::fork();
    if (worker < 0) return ReportFailure(Status(StatusCode::kIo, "cannot start a process"));
    if (worker == 0) {
      ::close(ends[0]);
      RunWorker(files, setup, shared, out);
    }
    ::close(ends[1]);
    bool late = AwaitWorker(ends[0], *shared, timeout_s);
    if (late || Interrupted()) ::kill(worker, SIGKILL);
    int wait_status = 0;
    while (::waitpid(worker, &wait_status, 0) < 0 && errno == EINTR) {
    }
    ::close(ends[0]);
    if (Interrupted()) {
      PrintError(
          fmt::format("interrupted after {} of {} files", size_t{shared->next}, files.size()));
      return kExitInterrupted;
    }
    if (shared->write_failed) return kExitFile;
    if (shared->next >= files.size()) break;
    MaskBenchRow row;
    const std::string& path = files[shared->next];
    row.file = path.substr(path.find_last_of('/') + 1);
    row.status = late ? "timeout" : "crash";
    row.message = late ? (shared->stage.walking ? "in walk" : "in compile")
                       : fmt::format("worker ended by signal {}",
                                     WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0);
    row.compile_us = shared->stage.compile_us;
    Status status = out->Write(row.ToJson() + "\n");
    if (status.ok()) status = out->Flush();
    if (!status.ok()) return ReportFailure(status);
    shared->next = shared->next + 1;
  }
  return shared->read_failed ? kExitFile : kExitDone;
}

std::string HeaderJson(const BenchFlags& flags, const Tokenizer& tokenizer, double setup_us) {
  double clock_us = ClockOverheadUs();
  return fmt::format(
      "{{\"header\":true,\"engine\":\"maskloom\",\"version\":\"{}\",\"options\":{{\"whitespace\":"
      "\"flexible\"}},\"vocab_size\":{},\"vocab_setup_us\":{:.1f},\"clock_us\":{:.3f},"
      "\"overhead_us_per_token\":{:.3f},\"timeout_s\":{}}}\n",
      VersionString(), tokenizer.vocabulary().size(), setup_us, clock_us, 2 * clock_us,
      flags.timeout_s);
}

int RunBench(const BenchFlags& flags) {
  Result<std::vector<std::string>> files = CollectFiles(flags);
  if (!files.ok()) return ReportFailure(files.status());
  auto tokenizer = ReadTokenizer(flags.tokenizer);
  if (!tokenizer.ok()) return ReportModelFailure(tokenizer.status());
  Result<OutputFile> out = OutputFile::Create(flags.out);
  if (!out.ok()) return ReportFailure(out.status());
  CatchInterrupts();
  PinToThisProcessor();
  MaskBenchSetup setup;
  setup.tokenizer = *tokenizer;
  int64_t begin = NowNs();
  setup.vocabulary = VocabularyIndex::Build(Vocabulary((*tokenizer)->vocabulary()));
  double setup_us = static_cast<double>(NowNs() - begin) / 1000;
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return ReportFailure(Status(StatusCode::kIo, "out of memory"));
  Shared* shared = new (memory) Shared;
  setup.stage = &shared->stage;
  Status status = out->Write(HeaderJson(flags, **tokenizer, setup_us));
  if (status.ok()) status = out->Flush();
  if (!status.ok()) return ReportFailure(status);
  int exit_status = RunFiles(*files, setup, shared, flags.timeout_s, &*out);
  status = out->Close();
  if (!status.ok() && exit_status == kExitDone) return ReportFailure(status);
  Result<std::string> summary = SummarizeMaskBench(flags.out);
  if (summary.ok()) fmt::print(stderr, "{}", *summary);
  return exit_status;
}

}  // namespace

void AddBenchCommand(CLI::App* app, Action* action) {
  CLI::App* bench = app->add_subcommand("bench", "Measure this build on this machine");
  bench->require_subcommand(1);
  CLI::App* command = bench->add_subcommand(
      "masks", "Time compilation and masks along the texts of MaskBench files");
  auto flags = std::make_shared<BenchFlags>();
  command->add_option("--tokenizer", flags->tokenizer, "a tokenizer.json, or a GGUF model")
      ->type_name("FILE")
      ->required();
  command->add_option("--out", flags->out, "where the JSON lines go")
      ->type_name("OUT.jsonl")
      ->required();
  CLI::Option* list =
      command->add_option("--list", flags->list, "file names, one a line")->type_name("LIST");
  command->add_option("--root", flags->root, "folder of the names in --list")
      ->type_name("DIR")
      ->needs(list);
  command->add_option("--timeout", flags->timeout_s, "seconds for one file, all of it")
      ->type_name("S")
      ->check(CLI::Range(1u, 86400u))
      ->capture_default_str();
  command
      ->add_option("files", flags->files,
                   "MaskBench files, or schemas: these are compiled and give one mask")
      ->type_name("FILE");
  command->footer(fmt::format(
      "One thread, pinned; each schema once, cold. A summary goes to stderr.\n\n"
      "Examples:\n"
      "  maskloom bench masks --tokenizer tokenizer.json --out out.jsonl a.json b.json\n"
      "  maskloom bench masks --tokenizer tokenizer.json --out out.jsonl \\\n"
      "      --list sample-dev-1000.txt --root maskbench\n\n{}",
      kExitStatusHelp));
  command->callback([flags, action] { *action = [flags] { return RunBench(*flags); }; });
}

}  // namespace maskloom::cli
