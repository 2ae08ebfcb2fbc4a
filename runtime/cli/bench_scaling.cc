#include "runtime/cli/bench_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/mask_cache.h"
#include "runtime/cli/bench_clock.h"
#include "runtime/cli/bench_machine.h"
#include "runtime/cli/bench_percentiles.h"
#include "runtime/cli/bench_worker.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/json_reader.h"
#include "runtime/cli/made_up_vocabulary.h"
#include "runtime/cli/model_files.h"
#include "runtime/matcher.h"
#include "runtime/version.h"

namespace maskloom::cli {
namespace {

constexpr int kRuns = 3;
constexpr size_t kMadeUpSizes[] = {16384, 32768, 65536, 131072, 262144};
constexpr size_t kMadeUpSize = 131072;  // of the vocabulary for the other curves

constexpr size_t kFlushedBytes = size_t{16} << 20;

// Drives what earlier runs left out of the processor's own caches, so that a run from nothing costs
// the same whatever went before.
void FlushCaches() {
  static std::vector<uint64_t> bytes(kFlushedBytes / sizeof(uint64_t));
  for (size_t i = 0; i < bytes.size(); i += 8) ++bytes[i];
}

// Times by token of the text, the best of the runs so far.
struct Times {
  std::vector<double> cold, seen, accept;
};

void KeepBest(size_t index, double us, std::vector<double>* best) {
  if (index == best->size()) {
    best->push_back(us);
  } else {
    (*best)[index] = std::min((*best)[index], us);
  }
}

double Us(int64_t ns) { return static_cast<double>(ns) / 1000; }

// Follows the tokens. Returns false where one is refused or the text may not end at its end.
bool WalkCold(const std::vector<TokenId>& tokens, Matcher* matcher, std::vector<uint32_t>* row,
              Times* times, ScalingPoint* point) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const int64_t begin = WallNs();
    matcher->FillMask(row->data());
    KeepBest(i, Us(WallNs() - begin), &times->cold);
    const TokenId token = tokens[i];
    if (((*row)[token / 32] >> (token % 32) & 1) == 0 || !matcher->Accept(token)) return false;
  }
  point->masks_made = matcher->grammar().masks().built_count();
  point->memory_bytes = matcher->grammar().MemoryBytes();
  return matcher->IsAccepting();
}

void WalkSeen(const std::vector<TokenId>& tokens, Matcher* matcher, std::vector<uint32_t>* row,
              Times* times, ScalingPoint* point) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    int64_t begin = WallNs();
    matcher->FillMask(row->data());
    KeepBest(i, Us(WallNs() - begin), &times->seen);
    point->most_allowed =
        std::max(point->most_allowed, matcher->FillMaskWithInfo(row->data()).allowed_count);
    begin = WallNs();
    matcher->Accept(tokens[i]);
    KeepBest(i, Us(WallNs() - begin), &times->accept);
  }
}

Result<std::shared_ptr<const VocabularyIndex>> MadeUpIndex(size_t size) {
  Result<Vocabulary> vocabulary = MakeUpVocabulary(size, {VocabularyScalingCase().text});
  if (!vocabulary.ok()) return vocabulary.status();
  return VocabularyIndex::Build(std::move(*vocabulary));
}

// One run of the bench.
class ScalingBench {
 public:
  ScalingBench(const ScalingBenchOptions& options, OutputFile* out)
      : options_(options), out_(out) {}

  int Run() {
    auto vocabulary = options_.tokenizers.empty() ? MadeUpIndex(kMadeUpSize)
                                                  : ReadVocabulary(options_.tokenizers.front());
    if (!vocabulary.ok()) return ReportModelFailure(vocabulary.status());
    if (const int status = WriteHeader((*vocabulary)->size()); status != kExitDone) return status;
    for (const ScalingCurve& curve : ScalingCurves()) {
      if (!IsWanted(curve.name)) continue;
      for (const size_t x : curve.xs) {
        if (Interrupted()) return kExitInterrupted;
        const int status = Measure(MakeScalingCase(curve, x), *vocabulary);
        if (status != kExitDone) return status;
      }
    }
    return IsWanted("vocabulary") ? RunVocabularies(*vocabulary) : int{kExitDone};
  }

  bool wrong() const { return wrong_; }

 private:
  bool IsWanted(std::string_view curve) const {
    return options_.curves.empty() ||
           std::count(options_.curves.begin(), options_.curves.end(), std::string(curve)) > 0;
  }

  int WriteHeader(uint32_t vocabulary_size) {
    std::string line =
        fmt::format("{{\"header\":true,\"version\":\"{}\",\"tokenizer\":", VersionString());
    AppendJsonString(options_.tokenizers.empty() ? "made up" : options_.tokenizers.front(), &line);
    line += fmt::format(",\"vocab_size\":{},\"clock_us\":{:.3f},{},\"parameters\":{{",
                        vocabulary_size, ClockOverheadUs(), MachineJson());
    for (const ScalingCurve& curve : ScalingCurves()) {
      line += fmt::format("\"{}\":\"{}\",", curve.name, curve.parameter);
    }
    return Write(line + "\"vocabulary\":\"tokens\"}}");
  }

  int Measure(const ScalingCase& scaling_case,
              const std::shared_ptr<const VocabularyIndex>& vocabulary) {
    Result<ScalingPoint> point = MeasureScaling(scaling_case, vocabulary);
    if (!point.ok()) {
      PrintError(
          fmt::format("{} at {}: {}", scaling_case.curve, scaling_case.x, OneLine(point.status())));
      wrong_ = true;
      return kExitDone;
    }
    fmt::print(stderr,
               "{:<20}{:>8}  masks made {:>6}  first {:>10.1f}  mask {:>8.2f} / {:>9.1f}  seen "
               "{:>7.2f}  accept {:>7.2f}  {:>8} KiB\n",
               point->curve, point->x, point->masks_made, point->first_mask_us, point->mask_p50_us,
               point->mask_max_us, point->seen_p50_us, point->accept_p50_us,
               point->memory_bytes / 1024);
    return Write(point->ToJson());
  }

  int RunVocabularies(const std::shared_ptr<const VocabularyIndex>& first) {
    ScalingCase scaling_case = VocabularyScalingCase();
    const auto run = [&](const std::shared_ptr<const VocabularyIndex>& vocabulary) {
      scaling_case.x = vocabulary->size();
      return Measure(scaling_case, vocabulary);
    };
    if (options_.tokenizers.empty()) {
      for (const size_t size : kMadeUpSizes) {
        auto vocabulary = MadeUpIndex(size);
        if (!vocabulary.ok()) return ReportModelFailure(vocabulary.status());
        if (const int status = run(*vocabulary); status != kExitDone) return status;
      }
      return kExitDone;
    }
    if (const int status = run(first); status != kExitDone) return status;
    for (size_t i = 1; i < options_.tokenizers.size(); ++i) {
      auto vocabulary = ReadVocabulary(options_.tokenizers[i]);
      if (!vocabulary.ok()) return ReportModelFailure(vocabulary.status());
      if (const int status = run(*vocabulary); status != kExitDone) return status;
    }
    return kExitDone;
  }

  int Write(const std::string& line) {
    const Status status = out_->Write(line + "\n");
    return status.ok() ? kExitDone : ReportFailure(status);
  }

  const ScalingBenchOptions& options_;
  OutputFile* out_;
  bool wrong_ = false;
};

}  // namespace

std::string ScalingPoint::ToJson() const {
  return fmt::format(
      "{{\"curve\":\"{}\",\"x\":{},\"tokens\":{},\"masks_made\":{},\"most_allowed\":{},"
      "\"first_mask_us\":{:.2f},\"mask_p50_us\":{:.3f},\"mask_max_us\":{:.3f},\"seen_p50_us\":{:."
      "3f},"
      "\"seen_p99_us\":{:.3f},\"accept_p50_us\":{:.3f},\"accept_p99_us\":{:.3f},"
      "\"memory_bytes\":{}}}",
      curve, x, tokens, masks_made, most_allowed, first_mask_us, mask_p50_us, mask_max_us,
      seen_p50_us, seen_p99_us, accept_p50_us, accept_p99_us, memory_bytes);
}

Result<ScalingPoint> MeasureScaling(const ScalingCase& scaling_case,
                                    const std::shared_ptr<const VocabularyIndex>& vocabulary) {
  const std::vector<TokenId> tokens = CutIntoLongest(*vocabulary, scaling_case.text);
  std::vector<uint32_t> row(vocabulary->row_words());
  ScalingPoint point;
  point.curve = scaling_case.curve;
  point.x = scaling_case.x;
  point.tokens = tokens.size();
  const auto compile = [&] {
    return CompileDefinition(scaling_case.kind, scaling_case.definition, {}, vocabulary);
  };
  for (int run = 0; run < kRuns; ++run) {
    FlushCaches();
    const int64_t begin = WallNs();
    auto compiled = compile();
    if (!compiled.ok()) return compiled.status();
    Matcher matcher(compiled->grammar);
    matcher.FillMask(row.data());
    const double us = Us(WallNs() - begin);
    point.first_mask_us = run == 0 ? us : std::min(point.first_mask_us, us);
  }
  Times times;
  for (int run = 0; run < kRuns; ++run) {
    auto compiled = compile();
    Matcher matcher(compiled->grammar);
    FlushCaches();
    if (!WalkCold(tokens, &matcher, &row, &times, &point)) {
      return Status(StatusCode::kInternal, "a valid text is rejected");
    }
    matcher.Reset();
    WalkSeen(tokens, &matcher, &row, &times, &point);
  }
  const Percentiles cold = PercentilesOf("", std::move(times.cold));
  const Percentiles seen = PercentilesOf("", std::move(times.seen));
  const Percentiles accept = PercentilesOf("", std::move(times.accept));
  point.mask_p50_us = cold.p50;
  point.mask_max_us = cold.max;
  point.seen_p50_us = seen.p50;
  point.seen_p99_us = seen.p99;
  point.accept_p50_us = accept.p50;
  point.accept_p99_us = accept.p99;
  return point;
}

int RunScalingBench(const ScalingBenchOptions& options) {
  for (const std::string& name : options.curves) {
    const auto& curves = ScalingCurves();
    if (name != "vocabulary" && std::none_of(curves.begin(), curves.end(), [&](const auto& curve) {
          return name == curve.name;
        })) {
      std::string known;
      for (const ScalingCurve& curve : curves) known += std::string(curve.name) + ", ";
      return ReportFailure(
          Status(StatusCode::kInvalidArgument,
                 fmt::format("there is no curve {}; there are {}vocabulary", name, known)));
    }
  }
  Result<OutputFile> out = OutputFile::Create(options.out);
  if (!out.ok()) return ReportFailure(out.status());
  CatchInterrupts();
  PinToThisProcessor();
  ScalingBench bench(options, &*out);
  const int exit_status = bench.Run();
  const Status status = out->Close();
  if (exit_status != kExitDone) return exit_status;
  if (!status.ok()) return ReportFailure(status);
  return bench.wrong() ? kExitRejected : kExitDone;
}

}  // namespace maskloom::cli
