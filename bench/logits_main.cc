// bench_logits: from logits to a token, a line of JSON a case.
//
//   {"backend","vocab","batch","dtype","mask","filters","bytes","floor_bytes","ratio","us"}
//
// `us` is the least time for the whole batch in microseconds; null where a backend measures bytes.
// `bytes` are those that a kernel moved, `floor_bytes` the allowed logits and the mask once, `ratio`
// their quotient; null where a backend measures time. Tokens are held against the judge before a
// case is timed; a wrong one is named and the exit status is 1.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "bench/logits_cases.h"
#include "kernels/sampling/row_ops.h"

namespace maskloom::bench {
namespace {

using kernels::ChooseToken;
using kernels::SampleBuffers;
using kernels::SampleResult;
using kernels::SampleStatus;

struct Options {
  std::string backend = "cpu";
  std::vector<uint32_t> vocabs = {49152, 128256, 262144};
  std::vector<uint32_t> batches = {1};
  std::string filter;
  bool flat = false;
  bool logprobs = false;
  bool json = false;
  double seconds = 0.05;
};

struct FreeAligned {
  void operator()(void* memory) const { ::operator delete(memory, std::align_val_t{64}); }
};

// Samples a case on one thread of the CPU.
class CpuCase {
 public:
  CpuCase(const LogitsCase& what, const Options& options)
      : rows_(MakeRows(what, options.flat ? Spread::kFlat : Spread::kTrained)),
        settings_(SettingsOf(what)),
        scratch_(::operator new(kernels::SampleScratchBytes(what.vocab), std::align_val_t{64})) {
    if (options.logprobs) settings_.outputs = kernels::kOutputLogprobs;
  }

  const LogitsRows& rows() const { return rows_; }

  // Whether all rows give the token of the judge.
  bool IsRight() {
    for (size_t i = 0; i < rows_.logits.size(); ++i) {
      SampleResult want;
      SampleResult got = Sample(i);
      const SampleBuffers buffers = {scratch_.get(), nullptr};
      ChooseTokenReference(rows_.View(i), settings_, buffers, &want);
      if (want.token != got.token) return false;
    }
    return true;
  }

  // Returns the least time of a batch in microseconds. Every turn draws other noise.
  double LeastTime(double seconds) {
    using Clock = std::chrono::steady_clock;
    double least = 1e30;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (int turn = 0; turn < 5 || Clock::now() < end; ++turn) {
      settings_.position = static_cast<uint64_t>(turn);
      const auto begin = Clock::now();
      for (size_t i = 0; i < rows_.logits.size(); ++i) Sample(i);
      least = std::min(least,
                       std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
    return least;
  }

 private:
  SampleResult Sample(size_t i) {
    SampleResult result;
    ChooseToken(rows_.View(i), settings_, {scratch_.get(), nullptr}, &result);
    return result;
  }

  LogitsRows rows_;
  kernels::SampleSettings settings_;
  std::unique_ptr<void, FreeAligned> scratch_;
};

bool RunCpuCase(const LogitsCase& what, const Options& options) {
  CpuCase cpu(what, options);
  if (!cpu.IsRight()) {
    std::fprintf(stderr, "bench_logits: wrong token: vocab %u, mask %s, filters %s\n", what.vocab,
                 what.mask.c_str(), what.filters.c_str());
    return false;
  }
  const double us = cpu.LeastTime(options.seconds);
  const auto floor_bytes =
      static_cast<unsigned long long>(FloorBytes(what, cpu.rows(), sizeof(float)));
  if (options.json) {
    std::printf(
        "{\"backend\":\"cpu\",\"vocab\":%u,\"batch\":%u,\"dtype\":\"f32\",\"mask\":\"%s\","
        "\"filters\":\"%s\",\"bytes\":null,\"floor_bytes\":%llu,\"ratio\":null,\"us\":%.2f}\n",
        what.vocab, what.batch, what.mask.c_str(), what.filters.c_str(), floor_bytes, us);
  } else {
    std::printf("%-5s %7u x %-3u f32 %-6s %-7s %9.2f us\n", "cpu", what.vocab, what.batch,
                what.mask.c_str(), what.filters.c_str(), us);
  }
  return true;
}

int Run(const Options& options) {
  std::fprintf(stderr, "bench_logits: %s (%s), %s logits%s, commit %s, %s\n",
               options.backend.c_str(), kernels::DefaultRowOps().name,
               options.flat ? "flat" : "trained-like", options.logprobs ? ", log-probabilities" : "",
               MASKLOOM_COMMIT, MASKLOOM_BUILD);
  bool right = true;
  for (const LogitsCase& what : AllLogitsCases(options.vocabs, options.batches)) {
    if (!options.filter.empty() && what.mask + "/" + what.filters != options.filter) continue;
    right = RunCpuCase(what, options) && right;
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace maskloom::bench

int main(int argc, char** argv) {
  maskloom::bench::Options options;
  CLI::App app("From logits to a token: time on a CPU.");
  app.add_option("--backend", options.backend, "What runs the cases")->check(CLI::IsMember({"cpu"}));
  app.add_option("--vocab", options.vocabs, "Vocabulary sizes")->check(CLI::Range(1, 1 << 22));
  app.add_option("--batch", options.batches, "Rows of a batch")->check(CLI::Range(1, 256));
  app.add_option("--case", options.filter, "Only this case, as MASK/FILTERS");
  app.add_option("--seconds", options.seconds, "Time for a case")->check(CLI::PositiveNumber);
  app.add_flag("--flat", options.flat, "Logits of which none stands out");
  app.add_flag("--logprobs", options.logprobs, "Ask for log-probabilities too");
  app.add_flag("--json", options.json, "A line of JSON a case");
  CLI11_PARSE(app, argc, argv);
  return maskloom::bench::Run(options);
}
