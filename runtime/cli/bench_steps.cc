// Each text is followed twice at once, by the matcher and by the tables of its grammar. Where the
// tables do not know a step or a mask, the host teaches them, as it would a device, and the row
// goes on from where the matcher is. A step needs no host if the mask was known before it and the
// token led, by tables, to the state in which the matcher is; both are compared every time.
//
// Rounds: all texts of a file in turn, the first one, the others of the first half, and the second
// half; then the same texts again.
#include "runtime/cli/bench_steps.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "runtime/cli/bench_case.h"
#include "runtime/cli/bench_clock.h"
#include "runtime/cli/bench_percentiles.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/model_files.h"
#include "runtime/cli/state_kind.h"
#include "runtime/cli/step_walk.h"
#include "runtime/engine/compile_definition.h"

namespace maskloom::cli {
namespace {

enum Round { kFirst, kFirstHalf, kSecondHalf, kAgain, kRounds };
constexpr const char* kRoundNames[] = {"first text", "first half", "second half", "again"};

struct StepsCounts {
  size_t files = 0, refused = 0, wrong = 0;
  StepTally rounds[kRounds];
  StepBytes bytes;  // in the round "again"
  std::vector<double> words, steps, masks, table_bytes, host_bytes, ahead_us;
  double table_ns = 0, matcher_ns = 0;
  size_t timed_steps = 0;
};

double Percent(size_t part, size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void Print(const StepsCounts& counts, const StepsBenchOptions& options, const MaskPool& pool) {
  fmt::print("{} schemas, {} refused, {} with a wrong answer; at most {} states and {} ms ahead\n",
             counts.files, counts.refused, counts.wrong, options.ahead.states,
             std::chrono::duration_cast<std::chrono::milliseconds>(options.ahead.time).count());
  for (int round = 0; round < kRounds; ++round) {
    const StepTally& one = counts.rounds[round];
    fmt::print("{}: {} steps, {} need no host ({:.2f} %); no state {}, no mask {}, no step {};",
               kRoundNames[round], one.steps, one.alone, Percent(one.alone, one.steps),
               one.no_state, one.no_mask, one.no_step);
    for (const auto& [kind, count] : one.kinds) fmt::print(" {} {},", StateKindName(kind), count);
    fmt::print("\n");
  }
  if (counts.timed_steps > 0) {
    const auto steps = static_cast<double>(counts.timed_steps);
    fmt::print("mask and step of what tables know: {:.1f} ns, by the matcher {:.1f} ns\n",
               counts.table_ns / steps, counts.matcher_ns / steps);
  }
  fmt::print("pool: {} bytes uploaded in all\n", pool.traffic().uploaded_bytes);
  fmt::print("{}", Percentiles::TextHead("bytes by row and step"));
  fmt::print("{}", PercentilesOf("sent", counts.bytes.sent).ToText());
  fmt::print("{}", PercentilesOf("uploaded", counts.bytes.uploaded).ToText());
  fmt::print("{}", Percentiles::TextHead("by schema"));
  fmt::print("{}", PercentilesOf("words", counts.words).ToText());
  fmt::print("{}", PercentilesOf("steps", counts.steps).ToText());
  fmt::print("{}", PercentilesOf("masks", counts.masks).ToText());
  fmt::print("{}", PercentilesOf("bytes of tables", counts.table_bytes).ToText());
  fmt::print("{}", PercentilesOf("bytes of the host", counts.host_bytes).ToText());
  fmt::print("{}", PercentilesOf("us ahead", counts.ahead_us).ToText());
}

void Walk(const BenchCase& one, const std::string& path, StepWalk* walk, StepsCounts* counts,
          const StepsBenchOptions& options) {
  if (options.ahead.states > 0) {
    const int64_t begin = CpuNs();
    walk->table().Explore(options.ahead);
    counts->ahead_us.push_back(static_cast<double>(CpuNs() - begin) / 1000);
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i = 0; i < one.texts.size(); ++i) {
      const bool is_late = 2 * i >= one.texts.size();
      const Round round = pass == 1 ? kAgain : i == 0 ? kFirst : is_late ? kSecondHalf : kFirstHalf;
      StepBytes* bytes = round == kAgain ? &counts->bytes : nullptr;
      const std::string wrong = walk->Follow(one.texts[i].tokens, &counts->rounds[round], bytes);
      if (wrong.empty()) continue;
      fmt::print(stderr, "{}: test {}: {}\n", path, i, wrong);
      ++counts->wrong;
      return;
    }
  }
  for (const BenchText& text : one.texts) {
    counts->timed_steps += walk->Time(text.tokens, &counts->table_ns, &counts->matcher_ns);
  }
  const StepTableCounts table = walk->table().counts();
  counts->words.push_back(static_cast<double>(table.words));
  counts->steps.push_back(static_cast<double>(table.steps));
  counts->masks.push_back(static_cast<double>(table.masks));
  counts->table_bytes.push_back(static_cast<double>(table.table_bytes));
  counts->host_bytes.push_back(static_cast<double>(table.host_bytes));
}

}  // namespace

int RunStepsBench(const StepsBenchOptions& options) {
  Result<std::vector<std::string>> files = CollectFiles(options.files, options.list, options.root);
  if (!files.ok()) return ReportFailure(files.status());
  auto tokenizer = ReadTokenizer(options.tokenizer);
  if (!tokenizer.ok()) return ReportModelFailure(tokenizer.status());
  const auto vocabulary = VocabularyIndex::Build(Vocabulary((*tokenizer)->vocabulary()));
  const auto text_tokens = std::make_shared<const TextTokens>(*vocabulary, TextCoding::kJsonString);
  PlainMemory memory;
  auto pool = MaskPool::Create(*vocabulary, &memory, options.pool_bytes);
  if (!pool.ok()) return ReportFailure(pool.status());
  StepsCounts counts;
  for (const std::string& path : *files) {
    Result<BenchCase> one = ReadBenchCase(path, **tokenizer);
    if (!one.ok()) return ReportFailure(one.status());
    auto compiled = CompileDefinition(DefinitionKind::kJsonSchema, one->schema, {}, vocabulary);
    if (!compiled.ok()) {
      ++counts.refused;
      continue;
    }
    ++counts.files;
    (*pool)->FinishSteps((*pool)->BeginStep() - 1);
    StepWalk walk(compiled->grammar, text_tokens, pool->get(), options.limits);
    Walk(*one, path, &walk, &counts, options);
  }
  Print(counts, options, **pool);
  return counts.wrong > 0 ? kExitRejected : kExitDone;
}

}  // namespace maskloom::cli
