#include "bench/matcher_bench.h"

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/latencies.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"

namespace maskloom::bench {
namespace {

using Clock = Latencies::Clock;

// A case with all that its benchmarks need.
struct Prepared {
  std::string schema;
  std::shared_ptr<const BenchVocabulary> vocabulary;
  std::vector<TokenId> tokens;  // of the text
};

Result<std::shared_ptr<const CompiledGrammar>> Compile(const Prepared& prepared) {
  auto compiled = CompileDefinition(DefinitionKind::kJsonSchema, prepared.schema, {},
                                    prepared.vocabulary->index);
  if (!compiled.ok()) return compiled.status();
  return compiled->grammar;
}

std::vector<uint32_t> MakeRow(const Prepared& prepared) {
  return std::vector<uint32_t>(prepared.vocabulary->index->row_words());
}

bool IsSet(const std::vector<uint32_t>& row, TokenId id) { return (row[id / 32] >> (id % 32)) & 1; }

// Is the answer right? Timing a wrong one is worthless.
Status CheckAnswer(const Case& each, const Prepared& prepared) {
  auto wrong = [&each](const std::string& what) {
    return Status(StatusCode::kInternal, std::string(each.schema) + ": " + what);
  };
  if (prepared.schema.empty()) return wrong("the schema cannot be read");
  auto grammar = Compile(prepared);
  if (!grammar.ok()) return wrong(grammar.status().ToString());
  Matcher matcher(*grammar);
  std::vector<uint32_t> row = MakeRow(prepared);
  for (size_t i = 0; i < prepared.tokens.size(); ++i) {
    TokenId token = prepared.tokens[i];
    std::string place = "token " + std::to_string(i);
    if (matcher.IsAccepting()) return wrong("the text may end before " + place);
    matcher.FillMask(row.data());
    if (!IsSet(row, token)) return wrong(place + " has no bit");
    if (!matcher.Accept(token)) return wrong(place + " is rejected");
  }
  return matcher.IsAccepting() ? Status::Ok() : wrong("the text is not accepted");
}

// From the text of the schema to a grammar.
void BenchCompile(benchmark::State& state, const Prepared& prepared) {
  for (auto _ : state) benchmark::DoNotOptimize(Compile(prepared));
}

// From the text of the schema to the mask of the first token.
void BenchFirstMask(benchmark::State& state, const Prepared& prepared) {
  std::vector<uint32_t> row = MakeRow(prepared);
  for (auto _ : state) {
    Matcher matcher(*Compile(prepared));
    matcher.FillMask(row.data());
    benchmark::DoNotOptimize(row.data());
  }
}

// Every mask along the text, none of which was made before. Time is per mask.
void BenchFillMaskCold(benchmark::State& state, const Prepared& prepared) {
  std::vector<uint32_t> row = MakeRow(prepared);
  Latencies all;
  for (auto _ : state) {
    Matcher matcher(*Compile(prepared));
    Latencies walk;
    for (TokenId token : prepared.tokens) {
      auto begin = Clock::now();
      matcher.FillMask(row.data());
      walk.Add(begin, Clock::now());
      matcher.Accept(token);
    }
    state.SetIterationTime(walk.TotalSeconds() / static_cast<double>(walk.size()));
    all.Append(walk);
  }
  all.Report(&state);
}

// The states along the text, one matcher each, with their masks made.
std::vector<Matcher> StatesAlong(const Prepared& prepared) {
  std::vector<uint32_t> row = MakeRow(prepared);
  Matcher matcher(*Compile(prepared));
  std::vector<Matcher> states;
  for (TokenId token : prepared.tokens) {
    matcher.FillMask(row.data());
    states.push_back(matcher.Fork());
    matcher.Accept(token);
  }
  return states;
}

// Masks that were made before, in turn.
void BenchFillMaskSteady(benchmark::State& state, const Prepared& prepared) {
  std::vector<uint32_t> row = MakeRow(prepared);
  std::vector<Matcher> states = StatesAlong(prepared);
  size_t next = 0;
  for (auto _ : state) {
    states[next].FillMask(row.data());
    benchmark::DoNotOptimize(row.data());
    if (++next == states.size()) next = 0;
  }
}

// One token after another; the text begins anew at its end.
void BenchAccept(benchmark::State& state, const Prepared& prepared) {
  Matcher matcher(*Compile(prepared));
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(matcher.Accept(prepared.tokens[next]));
    if (++next < prepared.tokens.size()) continue;
    matcher.Reset();
    next = 0;
  }
}

// A copy of a matcher in the middle of the text, and its end.
void BenchFork(benchmark::State& state, const Prepared& prepared) {
  Matcher matcher(*Compile(prepared));
  for (size_t i = 0; i < prepared.tokens.size() / 2; ++i) matcher.Accept(prepared.tokens[i]);
  for (auto _ : state) benchmark::DoNotOptimize(matcher.Fork());
}

// Four tokens accepted and taken back, as when a draft is refused.
void BenchRollback(benchmark::State& state, const Prepared& prepared) {
  constexpr uint32_t kDraft = 4;
  Matcher matcher(*Compile(prepared));
  for (auto _ : state) {
    for (uint32_t i = 0; i < kDraft; ++i) matcher.Accept(prepared.tokens[i]);
    if (!matcher.Rollback(kDraft).ok()) state.SkipWithError("rollback failed");
  }
}

using Body = void (*)(benchmark::State&, const Prepared&);

benchmark::internal::Benchmark* Register(const std::string& name, Body body,
                                         const std::shared_ptr<const Prepared>& prepared) {
  return benchmark::RegisterBenchmark(
      name.c_str(), [body, prepared](benchmark::State& state) { body(state, *prepared); });
}

}  // namespace

Status RegisterCase(const Case& each, std::shared_ptr<const BenchVocabulary> vocabulary) {
  auto prepared = std::make_shared<Prepared>();
  prepared->schema = ReadSchema(each.schema);
  prepared->tokens = vocabulary->Tokenize(each.text);
  prepared->vocabulary = std::move(vocabulary);
  if (Status status = CheckAnswer(each, *prepared); !status.ok()) return status;
  const std::string name = "/" + std::string(each.schema) + "/" + prepared->vocabulary->name;
  Register("Compile" + name, BenchCompile, prepared)->Unit(benchmark::kMicrosecond);
  Register("FirstMask" + name, BenchFirstMask, prepared)->Unit(benchmark::kMicrosecond);
  Register("FillMask" + name + "/cold", BenchFillMaskCold, prepared)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(20);
  Register("FillMask" + name + "/steady", BenchFillMaskSteady, prepared);
  Register("Accept" + name, BenchAccept, prepared);
  Register("Fork" + name, BenchFork, prepared);
  Register("Rollback" + name + "/draft4", BenchRollback, prepared);
  return Status::Ok();
}

}  // namespace maskloom::bench
