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
#include "runtime/cli/files.h"
#include "runtime/cli/model_files.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"

namespace maskloom::cli {
namespace {

struct AheadCounts {
  size_t files = 0, refused = 0, unreadable = 0;
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

using Grammar = std::shared_ptr<const CompiledGrammar>;

Result<Grammar> Compile(const BenchCase& one, const Setup& setup) {
  auto compiled = CompileDefinition(DefinitionKind::kJsonSchema, one.schema, {}, setup.vocabulary);
  if (!compiled.ok()) return compiled.status();
  return compiled->grammar;
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

// Walks the texts of `one` with a grammar that is completed before each token, and with one that is
// not.
void Walk(const BenchCase& one, const Setup& setup, const Grammar& ahead, const Grammar& cold,
          AheadCounts* counts) {
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

void Complete(const Setup& setup, const CompiledGrammar& grammar, AheadCounts* counts) {
  const int64_t begin = CpuNs();
  const CompletionEnd end = RunFor(1000.0 * setup.options.limit_ms, {}, &grammar.completion());
  const double us = static_cast<double>(CpuNs() - begin) / 1000;
  counts->done += end == CompletionEnd::kDone;
  counts->full += end == CompletionEnd::kFull;
  counts->done_us.push_back(us);
  counts->done_masks.push_back(static_cast<double>(grammar.masks().size()));
}

// Runs one file. What cannot be read or compiled is named and counted.
void RunFile(const std::string& path, const Setup& setup, AheadCounts* counts) {
  const Result<BenchCase> one = ReadBenchCase(path, *setup.tokenizer);
  if (!one.ok()) {
    PrintError(OneLine(one.status()));
    ++counts->unreadable;
    return;
  }
  const Result<Grammar> ahead = Compile(*one, setup);
  if (!ahead.ok()) {
    PrintWarning(fmt::format("{}: refused: {}", path, OneLine(ahead.status())));
    ++counts->refused;
    return;
  }
  ++counts->files;
  // What was compiled once compiles again.
  Walk(*one, setup, *ahead, *Compile(*one, setup), counts);
  Complete(setup, **Compile(*one, setup), counts);
}

// "3 of 4 (75.000 %)"
std::string ShareOf(size_t part, size_t whole) {
  if (whole == 0) return "none";
  return fmt::format("{} of {} ({:.3f} %)", part, whole,
                     100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void Print(const AheadCounts& counts, const AheadBenchOptions& options) {
  fmt::print("{} schemas, {} refused, {} files unreadable; {} us of decoding a token\n",
             counts.files, counts.refused, counts.unreadable, options.pace_us);
  if (counts.files == 0) return;
  fmt::print("masks ready when the decoder came: {}\n", ShareOf(counts.ready, counts.masks));
  fmt::print("of those in states not met before: {}\n",
             ShareOf(counts.new_ready, counts.new_masks));
  fmt::print("completed within {} ms: {}; cache full before: {}\n", options.limit_ms, counts.done,
             counts.full);
  fmt::print("{}", Percentiles::TextHead("microseconds"));
  fmt::print("{}", PercentilesOf("to completion or limit", counts.done_us).ToText());
  fmt::print("{}", PercentilesOf("new mask, not ahead", counts.cold_us).ToText());
  fmt::print("{}", PercentilesOf("new mask, not ready", counts.late_us).ToText());
  fmt::print("{}", Percentiles::TextHead("masks"));
  fmt::print("{}", PercentilesOf("made by then", counts.done_masks).ToText());
}

}  // namespace

int RunAheadBench(const AheadBenchOptions& options) {
  auto tokenizer = ReadTokenizer(options.tokenizer);
  if (!tokenizer.ok()) return ReportModelFailure(tokenizer.status());
  Setup setup{*tokenizer, VocabularyIndex::Build(Vocabulary((*tokenizer)->vocabulary())), options};
  CatchInterrupts();
  AheadCounts counts;
  for (const std::string& path : options.files) {
    if (Interrupted()) break;
    RunFile(path, setup, &counts);
  }
  Print(counts, options);
  if (Interrupted()) return kExitInterrupted;
  if (counts.unreadable > 0) return kExitFile;
  return counts.files == 0 ? kExitRefused : kExitDone;
}

}  // namespace maskloom::cli
