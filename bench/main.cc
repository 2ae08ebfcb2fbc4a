// maskloom_bench: micro-benchmarks of compilation, masks and matchers over schemas/.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <utility>

#include "bench/batch_bench.h"
#include "bench/block_bench.h"
#include "bench/grammar_file_bench.h"
#include "bench/matcher_bench.h"
#include "bench/vocabulary_bench.h"
#include "runtime/version.h"

int main(int argc, char** argv) {
  using maskloom::bench::BenchVocabulary;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 3;
  auto vocabulary = maskloom::bench::MakeBenchVocabulary();
  if (!vocabulary.ok()) {
    std::fprintf(stderr, "maskloom_bench: %s\n", vocabulary.status().ToString().c_str());
    return 4;
  }
  auto shared = std::make_shared<const BenchVocabulary>(std::move(*vocabulary));
  benchmark::AddCustomContext("maskloom", std::string(maskloom::VersionString()));
  benchmark::AddCustomContext("commit", MASKLOOM_COMMIT);
  benchmark::AddCustomContext("compiler", MASKLOOM_BUILD);
  benchmark::AddCustomContext("vocabulary", shared->name);
  int status = 0;
  const auto note = [&status](const maskloom::Status& answer) {
    if (answer.ok()) return;
    std::fprintf(stderr, "maskloom_bench: wrong answer, not timed: %s\n",
                 answer.ToString().c_str());
    status = 1;
  };
  for (const maskloom::bench::Case& each : maskloom::bench::Cases()) {
    note(maskloom::bench::RegisterCase(each, shared));
  }
  note(maskloom::bench::RegisterBlocks(shared));
  note(maskloom::bench::RegisterVocabularyFile(shared));
  note(maskloom::bench::RegisterGrammarFiles(shared));
  note(maskloom::bench::RegisterBatches(shared));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return status;
}
