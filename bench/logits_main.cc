// bench_logits: from logits to a token, a line of JSON a case.
//
//   {"backend","vocab","batch","dtype","mask","filters","bytes","floor_bytes","ratio","us"}
//
// `us` is the least time for the whole batch in microseconds; null where a backend measures bytes.
// `bytes` are those that a kernel moved, `floor_bytes` the allowed logits and the mask once,
// `ratio` their quotient; null where a backend measures time. Tokens are held against the judge
// before a case is timed; a wrong one is named and the exit status is 1.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "bench/logits_backends.h"
#include "bench/logits_cases.h"
#include "kernels/sampling/row_ops.h"

namespace maskloom::bench {
namespace {

std::vector<std::string> Backends() {
#ifdef MASKLOOM_HAS_SIMT
  return {"cpu", "simt"};
#else
  return {"cpu"};
#endif
}

struct Options {
  std::string backend = "cpu";
  std::string dtype = "f32";
  std::vector<uint32_t> vocabs = {49152, 128256, 262144};
  std::vector<uint32_t> batches = {1};
  std::string filter;
  bool flat = false;
  bool logprobs = false;
  bool json = false;
  bool usual = false;
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
#ifdef MASKLOOM_HAS_SIMT
  if (options.usual) return MeasureUsualPipeline(rows, settings);
  if (options.backend == "simt")
    return MeasureInStandIn(rows, settings, Dtypes().at(options.dtype));
#endif
  return MeasureOnCpu(rows, settings, options.seconds);
}

std::string OrNull(bool known, const std::string& text) { return known ? text : "null"; }

void Print(const LogitsCase& what, const Measured& measured, uint64_t floor_bytes,
           const Options& options) {
  char us[32], ratio[32];
  std::snprintf(us, sizeof(us), "%.2f", measured.us);
  std::snprintf(ratio, sizeof(ratio), "%.3f",
                static_cast<double>(measured.bytes) / static_cast<double>(floor_bytes));
  const bool has_bytes = measured.bytes != 0;
  const std::string bytes = OrNull(has_bytes, std::to_string(measured.bytes));
  if (options.json) {
    std::printf(
        "{\"backend\":\"%s\",\"vocab\":%u,\"batch\":%u,\"dtype\":\"%s\",\"mask\":\"%s\","
        "\"filters\":\"%s\",\"bytes\":%s,\"floor_bytes\":%llu,\"ratio\":%s,\"us\":%s}\n",
        options.backend.c_str(), what.vocab, what.batch, options.dtype.c_str(), what.mask.c_str(),
        what.filters.c_str(), bytes.c_str(), static_cast<unsigned long long>(floor_bytes),
        OrNull(has_bytes, ratio).c_str(), OrNull(measured.us > 0, us).c_str());
  } else {
    std::printf("%-5s %7u x %-3u %-4s %-6s %-7s %12s bytes %8s of the floor %10s us\n",
                options.backend.c_str(), what.vocab, what.batch, options.dtype.c_str(),
                what.mask.c_str(), what.filters.c_str(), bytes.c_str(),
                OrNull(has_bytes, ratio).c_str(), OrNull(measured.us > 0, us).c_str());
  }
  std::fflush(stdout);
}

bool RunCase(const LogitsCase& what, const Options& options) {
  const LogitsRows rows = MakeRows(what, options.flat ? Spread::kFlat : Spread::kTrained);
  const Measured measured = Measure(what, rows, options);
  if (!measured.is_right) {
    std::fprintf(stderr, "bench_logits: wrong token: vocab %u, mask %s, filters %s\n", what.vocab,
                 what.mask.c_str(), what.filters.c_str());
    return false;
  }
  Print(what, measured, FloorBytes(what, rows, BytesOf(Dtypes().at(options.dtype))), options);
  return true;
}

int Run(Options options) {
  if (options.usual && (options.backend != "simt" || options.dtype != "bf16")) {
    std::fprintf(stderr, "bench_logits: --usual needs --backend simt --dtype bf16\n");
    return 1;
  }
  if (options.backend == "cpu" && options.dtype != "f32") {
    std::fprintf(stderr, "bench_logits: the CPU takes f32\n");
    return 1;
  }

  std::fprintf(stderr, "bench_logits: %s%s (%s), %s logits%s, commit %s, %s\n",
               options.backend.c_str(), options.usual ? ", usual pipeline" : "",
               kernels::DefaultRowOps().name, options.flat ? "flat" : "trained-like",
               options.logprobs ? ", log-probabilities" : "", MASKLOOM_COMMIT, MASKLOOM_BUILD);
  bool right = true;
  for (const LogitsCase& what : AllLogitsCases(options.vocabs, options.batches)) {
    if (!options.filter.empty() && what.mask + "/" + what.filters != options.filter) continue;
    right = RunCase(what, options) && right;
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace maskloom::bench

int main(int argc, char** argv) {
  maskloom::bench::Options options;
  CLI::App app("From logits to a token: time on a CPU, bytes in the stand-in for a GPU.");
  app.add_option("--backend", options.backend, "What runs the cases")
      ->check(CLI::IsMember(maskloom::bench::Backends()));
  app.add_option("--dtype", options.dtype, "Type of the logits")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}));
  app.add_option("--vocab", options.vocabs, "Vocabulary sizes")->check(CLI::Range(1, 1 << 22));
  app.add_option("--batch", options.batches, "Rows of a batch")->check(CLI::Range(1, 256));
  app.add_option("--case", options.filter, "Only this case, as MASK/FILTERS");
  app.add_option("--seconds", options.seconds, "Time for a case")->check(CLI::PositiveNumber);
  app.add_flag("--flat", options.flat, "Logits of which none stands out");
  app.add_flag("--usual", options.usual, "The usual pipeline of separate kernels, for comparison");
  app.add_flag("--logprobs", options.logprobs, "Ask for log-probabilities too");
  app.add_flag("--json", options.json, "A line of JSON a case");
  CLI11_PARSE(app, argc, argv);
  return maskloom::bench::Run(options);
}
