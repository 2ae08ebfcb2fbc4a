// The worker thread is played by this one, so that results do not depend on what else the machine
// does: before each token, completion has as much processor time as a model takes for one, or until
// it is done. A mask was ready if filling it built none. A second grammar, which nothing completes,
// says which masks were new, so that repeated ones do not count as successes.
#include "runtime/cli/bench_ahead.h"

#include <fmt/format.h>

#include <chrono>

#include "compiler/mask_cache.h"
#include "compiler/mask_completion.h"
#include "runtime/cli/bench_case.h"
#include "runtime/cli/bench_clock.h"
#include "runtime/cli/bench_percentiles.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/model_files.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"

namespace maskloom::cli {
namespace {

struct AheadCounts {
  size_t files = 0, refused = 0;
  size_t masks = 0, ready = 0;          // all masks along the texts
  size_t new_masks = 0, new_ready = 0;  // those in states that were not met before
  size_t done = 0, full = 0;            // grammars completed, or as far as their cache allows
  std::vector<double> done_us;          // how long that took
  std::vector<double> done_masks;
  std::vector<double> late_us;  // fill of a new mask that was not ready
  std::vector<double> cold_us;  // fill of a new mask without completion
};

struct Setup {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const VocabularyIndex> vocabulary;
  AheadBenchOptions options;
};

std::shared_ptr<const CompiledGrammar> Compile(const BenchCase& one, const Setup& setup) {
  auto compiled = CompileDefinition(DefinitionKind::kJsonSchema, one.schema, {}, setup.vocabulary);
  return compiled.ok() ? compiled->grammar : nullptr;
}

// Runs completion for `us` microseconds of processor time.
CompletionEnd RunFor(double us, CompletionBudget slice, MaskCompletion* completion) {
  constexpr std::chrono::microseconds kSlice(200);
  slice.time = kSlice;
  const int64_t begin = CpuNs();
  for (;;) {
    const CompletionEnd end = completion->Run(slice);
    if (end != CompletionEnd::kBudget) return end;
    if (static_cast<double>(CpuNs() - begin) / 1000 >= us) return end;
  }
}

// A matcher whose fills are timed and watched.
class Watched {
 public:
  explicit Watched(std::shared_ptr<const CompiledGrammar> grammar)
      : matcher_(std::move(grammar)), row_(matcher_.grammar().vocabulary().row_words()) {}

  // Returns whether a mask had to be built.
  bool Fill() {
    const uint64_t built = matcher_.grammar().masks().built_count();
    const int64_t begin = WallNs();
    matcher_.FillMask(row_.data());
    last_us_ = static_cast<double>(WallNs() - begin) / 1000;
    return matcher_.grammar().masks().built_count() != built;
  }
  double last_us() const { return last_us_; }
  Matcher& matcher() { return matcher_; }

 private:
  Matcher matcher_;
  std::vector<uint32_t> row_;
  double last_us_ = 0;
};

void Walk(const BenchCase& one, const Setup& setup, AheadCounts* counts) {
  const auto ahead = Compile(one, setup);
  const auto cold = Compile(one, setup);
  if (ahead == nullptr || cold == nullptr) {
    ++counts->refused;
    return;
  }
  ++counts->files;
  MaskCompletion& completion = ahead->completion();
  completion.set_follows();
  Watched first(ahead), second(cold);
  bool is_done = false;
  for (const BenchText& text : one.texts) {
    first.matcher().Reset();
    second.matcher().Reset();
    for (const TokenId token : text.tokens) {
      if (!is_done || completion.HasFollowed()) {
        is_done = RunFor(setup.options.pace_us, CompletionBudget::OfBackground({}), &completion) !=
                  CompletionEnd::kBudget;
      }
      const bool is_late = first.Fill();
      const bool is_new = second.Fill();
      ++counts->masks;
      counts->ready += !is_late;
      counts->new_masks += is_new;
      counts->new_ready += is_new && !is_late;
      if (is_new) counts->cold_us.push_back(second.last_us());
      if (is_new && is_late) counts->late_us.push_back(first.last_us());
      if (!first.matcher().Accept(token) || !second.matcher().Accept(token)) break;
    }
  }
}

void Complete(const BenchCase& one, const Setup& setup, AheadCounts* counts) {
  const auto grammar = Compile(one, setup);
  if (grammar == nullptr) return;
  const int64_t begin = CpuNs();
  const CompletionEnd end = RunFor(1000.0 * setup.options.limit_ms, {}, &grammar->completion());
  const double us = static_cast<double>(CpuNs() - begin) / 1000;
  counts->done += end == CompletionEnd::kDone;
  counts->full += end == CompletionEnd::kFull;
  counts->done_us.push_back(us);
  counts->done_masks.push_back(static_cast<double>(grammar->masks().size()));
}

double Percent(size_t part, size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

int RunAheadBench(const AheadBenchOptions& options) {
  auto tokenizer = ReadTokenizer(options.tokenizer);
  if (!tokenizer.ok()) return ReportModelFailure(tokenizer.status());
  Setup setup{*tokenizer, VocabularyIndex::Build(Vocabulary((*tokenizer)->vocabulary())), options};
  AheadCounts counts;
  for (const std::string& path : options.files) {
    Result<BenchCase> one = ReadBenchCase(path, *setup.tokenizer);
    if (!one.ok()) return ReportFailure(one.status());
    Walk(*one, setup, &counts);
    Complete(*one, setup, &counts);
  }
  fmt::print("{} schemas, {} refused; {} us of decoding a token\n", counts.files, counts.refused,
             options.pace_us);
  fmt::print("masks ready when the decoder came: {} of {} ({:.3f} %)\n", counts.ready, counts.masks,
             Percent(counts.ready, counts.masks));
  fmt::print("of those in states not met before:  {} of {} ({:.3f} %)\n", counts.new_ready,
             counts.new_masks, Percent(counts.new_ready, counts.new_masks));
  fmt::print("completed within {} ms: {}; cache full before: {}\n", options.limit_ms, counts.done,
             counts.full);
  fmt::print("{}", Percentiles::TextHead("microseconds"));
  fmt::print("{}", PercentilesOf("to completion or limit", counts.done_us).ToText());
  fmt::print("{}", PercentilesOf("new mask, not ahead", counts.cold_us).ToText());
  fmt::print("{}", PercentilesOf("new mask, not ready", counts.late_us).ToText());
  fmt::print("{}", Percentiles::TextHead("masks"));
  fmt::print("{}", PercentilesOf("made by then", counts.done_masks).ToText());
  return kExitDone;
}

}  // namespace maskloom::cli
