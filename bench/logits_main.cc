// bench_logits: from logits to a token, a line of JSON a case.
//
//   {"backend","vocab","batch","dtype","mask","filters","bytes","floor_bytes","ratio","us","table_bytes"}
//
// `us` is the time of the whole batch in microseconds: the least on a CPU, the median on a device;
// null where a backend measures bytes. `bytes` are those that the kernels moved, counted in the
// stand-in, `floor_bytes` the allowed logits and the mask once, `ratio` their quotient; null where
// a backend measures time. `table_bytes` are the tables of penalties once, which the floor leaves
// out. Tokens are held against the judge before a case is timed; a wrong one
// is named and the exit status is 1. What cannot run here has the exit status 77.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "bench/logits_backends.h"
#include "bench/logits_cases.h"
#include "kernels/sampling/row_ops.h"
#ifdef MASKLOOM_HAS_CUDA
#include "kernels/cuda/find_device.h"
#endif

namespace maskloom::bench {
namespace {

constexpr int kExitCannotRun = 77;
constexpr uint32_t kReportedTops = 20;

// Returns what a backend needs and is not here, as a sentence; empty where it can run.
std::string WhatIsMissing(const std::string& backend) {
#ifndef MASKLOOM_HAS_SIMT
  if (backend == "simt") return "no stand-in: this build lacks Boost.Context";
#endif
  if (backend != "cuda") return "";
#ifdef MASKLOOM_HAS_CUDA
  const std::string missing = kernels::cuda::FindDevice().missing;
  return missing.empty() ? "" : "no CUDA device: " + missing;
#else
  return "no CUDA device: this build has no CUDA kernels: nvcc was not found, or MASKLOOM_CUDA is "
         "off";
#endif
}

// Who runs the cases: the form of the row passes, or the device.
std::string Runner(const std::string& backend) {
#ifdef MASKLOOM_HAS_CUDA
  if (backend == "cuda") return kernels::cuda::FindDevice().name;
#endif
  return kernels::DefaultRowOps().name;
}

struct Options {
  std::string backend = "cpu";
  std::string dtype = "f32";
  std::vector<uint32_t> vocabs = {49152, 128256, 262144};
  std::vector<uint32_t> batches = {1};
  std::string filter;
  bool flat = false;
  bool logprobs = false;
  bool report = false;
  bool json = false;
  bool usual = false;
  bool apply = false;
  bool count = false;
  bool by_kernel = false;
  double seconds = 0.05;
};

const std::map<std::string, Dtype>& Dtypes() {
  static const std::map<std::string, Dtype> names = {
      {"f32", Dtype::kF32}, {"f16", Dtype::kF16}, {"bf16", Dtype::kBf16}};
  return names;
}

Measured Measure(const LogitsCase& what, const LogitsRows& rows, const Options& options) {
  kernels::SampleSettings settings = SettingsOf(what);
  if (options.logprobs) settings.outputs = kernels::kOutputLogprobs;
  if (options.report) {
    settings.outputs = kernels::kOutputLogprobs | kernels::kOutputEntropy | kernels::kOutputRaw;
    settings.top_count = kReportedTops;
  }
  [[maybe_unused]] const Dtype dtype = Dtypes().at(options.dtype);
  Measured measured;
#ifdef MASKLOOM_HAS_SIMT
  if (options.usual) return MeasureUsualPipeline(rows, settings);
  if (options.backend == "simt" || options.count) {
    measured = options.apply ? MeasureApply(rows, dtype) : MeasureInStandIn(rows, settings, dtype);
  }
#endif
  if (options.backend == "cpu") return MeasureOnCpu(rows, settings, options.seconds);
#ifdef MASKLOOM_HAS_CUDA
  if (options.backend == "cuda") {
    const Measured counted = measured;
    measured = options.apply ? MeasureApplyOnDevice(rows, dtype, options.seconds)
                             : MeasureOnDevice(rows, settings, dtype, options.seconds);
    measured.bytes = counted.bytes;
    measured.kernel_bytes = counted.kernel_bytes;
  }
#endif
  return measured;
}

// `text` in JSON; null where it is not known.
std::string OrNull(bool known, const std::string& text) { return known ? text : "null"; }

std::string Decimal(double x, int digits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", digits, x);
  return text;
}

// What a case cannot do without.
struct Needed {
  uint64_t floor_bytes;
  uint64_t table_bytes;  // beside the floor
};

// Prints the line of a case, or of one of its kernels.
void PrintLine(const LogitsCase& what, const std::string& kernel, uint64_t bytes, double us,
               const Needed& needed, const Options& options) {
  const double floor = static_cast<double>(needed.floor_bytes);
  const bool counted = bytes != 0;
  const std::string bytes_text = OrNull(counted, std::to_string(bytes));
  const std::string ratio = OrNull(counted, Decimal(static_cast<double>(bytes) / floor, 3));
  const std::string us_text = OrNull(us > 0, Decimal(us, 2));
  if (options.json) {
    const std::string of_kernel = kernel.empty() ? "" : ",\"kernel\":\"" + kernel + "\"";
    std::printf(
        "{\"backend\":\"%s\",\"vocab\":%u,\"batch\":%u,\"dtype\":\"%s\",\"mask\":\"%s\","
        "\"filters\":\"%s\",\"bytes\":%s,\"floor_bytes\":%llu,\"ratio\":%s,\"us\":%s,"
        "\"table_bytes\":%llu%s}\n",
        options.backend.c_str(), what.vocab, what.batch, options.dtype.c_str(), what.mask.c_str(),
        what.filters.c_str(), bytes_text.c_str(),
        static_cast<unsigned long long>(needed.floor_bytes), ratio.c_str(), us_text.c_str(),
        static_cast<unsigned long long>(needed.table_bytes), of_kernel.c_str());
  } else {
    const std::string speed = us > 0 ? Decimal(floor / us / 1000.0, 0) + " GB/s" : "";
    std::printf("%-5s %7u x %-3u %-4s %-6s %-7s %12s bytes %8s of the floor %10s us %s%s\n",
                options.backend.c_str(), what.vocab, what.batch, options.dtype.c_str(),
                what.mask.c_str(), what.filters.c_str(), bytes_text.c_str(), ratio.c_str(),
                us_text.c_str(), speed.c_str(), kernel.c_str());
  }
  std::fflush(stdout);
}

void Print(const LogitsCase& what, const Measured& measured, const Needed& needed,
           const Options& options) {
  PrintLine(what, "", measured.bytes, measured.us, needed, options);
  if (!options.by_kernel) return;
  for (const auto& [kernel, bytes] : measured.kernel_bytes) {
    PrintLine(what, kernel, bytes, 0, needed, options);
  }
}

bool RunCase(const LogitsCase& what, const LogitsRows& rows, const Options& options) {
  const Measured measured = Measure(what, rows, options);
  if (!measured.is_right || !measured.error.empty()) {
    const std::string why = measured.error.empty() ? "wrong result" : measured.error;
    std::fprintf(stderr, "bench_logits: %s: vocab %u, batch %u, mask %s, filters %s\n", why.c_str(),
                 what.vocab, what.batch, what.mask.c_str(), what.filters.c_str());
    return false;
  }
  const size_t element_bytes = BytesOf(Dtypes().at(options.dtype));
  const uint64_t floor_bytes = options.apply ? ApplyFloorBytes(what, rows, element_bytes)
                                             : FloorBytes(what, rows, element_bytes);
  Print(what, measured, {floor_bytes, TableBytes(what, rows)}, options);
  return true;
}

bool IsWanted(const LogitsCase& what, const std::string& filter) {
  return filter.empty() || filter == what.mask || filter == what.mask + "/" + what.filters;
}

int Run(const Options& options) {
  if (options.usual && (options.backend != "simt" || options.dtype != "bf16")) {
    std::fprintf(stderr, "bench_logits: --usual needs --backend simt --dtype bf16\n");
    return 1;
  }
  if (options.apply && options.backend == "cpu") {
    std::fprintf(stderr, "bench_logits: --apply needs --backend simt or cuda\n");
    return 1;
  }
  if (options.backend == "cpu" && options.dtype != "f32") {
    std::fprintf(stderr, "bench_logits: the CPU takes f32\n");
    return 1;
  }
  std::string missing = WhatIsMissing(options.backend);
  if (missing.empty() && options.count) missing = WhatIsMissing("simt");
  if (!missing.empty()) {
    std::fprintf(stderr, "bench_logits: %s\n", missing.c_str());
    return kExitCannotRun;
  }
  std::fprintf(stderr, "bench_logits: %s%s (%s), %s logits%s, commit %s, %s\n",
               options.backend.c_str(),
               options.usual   ? ", usual pipeline"
               : options.apply ? ", masks in place"
                               : "",
               Runner(options.backend).c_str(), options.flat ? "flat" : "trained-like",
               options.report     ? ", all reports"
               : options.logprobs ? ", log-probabilities"
                                  : "",
               MASKLOOM_COMMIT, MASKLOOM_BUILD);
  bool right = true;
  const std::vector<LogitsCase> cases = options.apply
                                            ? AllApplyCases(options.vocabs, options.batches)
                                            : AllLogitsCases(options.vocabs, options.batches);
  std::string made;  // what `rows` are of
  LogitsRows rows;
  for (const LogitsCase& what : cases) {
    if (!IsWanted(what, options.filter)) continue;
    const std::string wanted =
        std::to_string(what.vocab) + "/" + std::to_string(what.batch) + "/" + what.mask;
    if (wanted != made) rows = MakeRows(what, options.flat ? Spread::kFlat : Spread::kTrained);
    made = wanted;
    SetAdjustments(what, &rows);
    right = RunCase(what, rows, options) && right;
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace maskloom::bench

int main(int argc, char** argv) {
  maskloom::bench::Options options;
  CLI::App app("From logits to a token: time on a CPU or GPU, bytes in the stand-in for a GPU.");
  app.add_option("--backend", options.backend, "What runs the cases")
      ->check(CLI::IsMember({"cpu", "simt", "cuda"}));
  app.add_option("--dtype", options.dtype, "Type of the logits")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}));
  app.add_option("--vocab", options.vocabs, "Vocabulary sizes")->check(CLI::Range(1, 1 << 22));
  app.add_option("--batch", options.batches, "Rows of a batch")->check(CLI::Range(1, 256));
  app.add_option("--case", options.filter, "Only this case, as MASK/FILTERS, or MASK");
  app.add_option("--seconds", options.seconds, "Time for a case")->check(CLI::PositiveNumber);
  app.add_flag("--flat", options.flat, "Logits of which none stands out");
  app.add_flag("--usual", options.usual, "The usual pipeline of separate kernels, for comparison");
  app.add_flag("--apply", options.apply, "Masks in place alone, for samplers of others");
  app.add_flag("--logprobs", options.logprobs, "Ask for log-probabilities too");
  app.add_flag("--report", options.report, "Ask for everything that a row can report");
  app.add_flag("--count", options.count, "Beside times on a device, count bytes in the stand-in");
  app.add_flag("--by-kernel", options.by_kernel, "A line more for each kernel");
  app.add_flag("--json", options.json, "A line of JSON a case");
  CLI11_PARSE(app, argc, argv);
  return maskloom::bench::Run(options);
}
