#include "bench/batch_bench.h"

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/cases.h"
#include "bench/latencies.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"
#include "runtime/thread_pool.h"

namespace maskloom::bench {
namespace {

constexpr size_t kSequences = 256;
constexpr size_t kGrammars = 64;  // four sequences each, a token apart
constexpr size_t kThreads = 2;
constexpr size_t kDrafts = 8;

using Clock = Latencies::Clock;
using Grammars = std::vector<std::shared_ptr<const CompiledGrammar>>;

struct Texts {
  std::shared_ptr<const BenchVocabulary> vocabulary;
  std::vector<std::string> schemas;          // by case
  std::vector<std::vector<TokenId>> tokens;  // by case
};

// Each schema is compiled several times, so that grammars share no masks.
Grammars CompileAll(const Texts& texts) {
  Grammars grammars;
  for (size_t i = 0; i < kGrammars; ++i) {
    auto compiled =
        CompileDefinition(DefinitionKind::kJsonSchema, texts.schemas[i % texts.schemas.size()], {},
                          texts.vocabulary->index);
    if (compiled.ok()) grammars.push_back(compiled->grammar);
  }
  return grammars;
}

class Batch {
 public:
  Batch(const Texts& texts, const Grammars& grammars)
      : stride_(texts.vocabulary->index->row_words()),
        rows_(kSequences * stride_),
        pool_(kThreads) {
    for (size_t i = 0; i < kSequences; ++i) {
      Sequence one{Matcher(grammars[i % kGrammars]),
                   &texts.tokens[(i % kGrammars) % texts.tokens.size()], 0};
      for (size_t ahead = i / kGrammars; ahead > 0; --ahead) one.Accept();
      sequences_.push_back(std::move(one));
    }
  }

  // One step: every sequence has its row filled and takes the next token of its text, from the
  // start again behind the last one.
  void Step() {
    pool_.ParallelFor(kSequences, 1, [this](size_t begin, size_t end, size_t) {
      for (size_t i = begin; i < end; ++i) {
        sequences_[i].matcher.FillMask(Row(i));
        sequences_[i].Accept();
      }
    });
  }
  // How many steps the longest text has.
  size_t LongestText() const {
    size_t longest = 0;
    for (const Sequence& one : sequences_) longest = std::max(longest, one.tokens->size());
    return longest;
  }

  // Steps along all texts. Returns whether all rows are those of matchers alone, and hold the
  // tokens that come.
  bool IsRight() {
    std::vector<uint32_t> alone(stride_);
    for (size_t step = LongestText(); step > 0; --step) {
      std::vector<Matcher> forks;
      std::vector<TokenId> next;
      for (const Sequence& one : sequences_) {
        forks.push_back(one.matcher.Fork());
        next.push_back((*one.tokens)[one.at]);
      }
      Step();
      for (size_t i = 0; i < kSequences; ++i) {
        forks[i].FillMask(alone.data());
        if (!std::equal(alone.begin(), alone.end(), Row(i))) return false;
        if ((Row(i)[next[i] / 32] >> (next[i] % 32) & 1) == 0) return false;
      }
    }
    return true;
  }

 private:
  struct Sequence {
    Matcher matcher;
    const std::vector<TokenId>* tokens;
    size_t at;

    void Accept() {
      matcher.Accept((*tokens)[at]);
      if (++at < tokens->size()) return;
      matcher.Reset();
      at = 0;
    }
  };

  uint32_t* Row(size_t i) { return rows_.data() + i * stride_; }

  size_t stride_;
  std::vector<uint32_t> rows_;
  ThreadPool pool_;
  std::vector<Sequence> sequences_;
};

// Steps in states that were seen before.
void BenchSteady(benchmark::State& state, const Texts& texts) {
  Batch batch(texts, CompileAll(texts));
  for (size_t step = 2 * batch.LongestText(); step > 0; --step) batch.Step();
  Latencies all;
  for (auto _ : state) {
    const auto begin = Clock::now();
    batch.Step();
    all.Add(begin, Clock::now());
  }
  all.Report(&state);
}

// Steps along new texts of new grammars: in each, the first sequence of a grammar comes to a new
// state, and the others to where one was before.
void BenchCold(benchmark::State& state, const Texts& texts) {
  Latencies all;
  for (auto _ : state) {
    Batch batch(texts, CompileAll(texts));
    Latencies walk;
    for (size_t step = 40; step > 0; --step) {
      const auto begin = Clock::now();
      batch.Step();
      walk.Add(begin, Clock::now());
    }
    state.SetIterationTime(walk.TotalSeconds() / static_cast<double>(walk.size()));
    all.Append(walk);
  }
  all.Report(&state);
}

// Rows of a chain of drafts from the middle of a text.
void BenchDrafts(benchmark::State& state, const Texts& texts) {
  const std::vector<TokenId>& tokens = texts.tokens.front();
  Matcher matcher(CompileAll(texts).front());
  for (size_t i = 0; i < tokens.size() / 2; ++i) matcher.Accept(tokens[i]);
  const size_t stride = texts.vocabulary->index->row_words();
  std::vector<uint32_t> rows(kDrafts * stride);
  const std::span<const TokenId> drafts = std::span(tokens).subspan(tokens.size() / 2, kDrafts);
  std::vector<uint32_t> parents{DraftTree::kNoParent};
  while (parents.size() < drafts.size()) {
    parents.push_back(static_cast<uint32_t>(parents.size() - 1));
  }
  for (auto _ : state) {
    const Status status =
        matcher.FillTreeMasks({drafts, parents}, {rows.data(), stride, nullptr}, nullptr);
    if (!status.ok()) state.SkipWithError("no rows");
  }
}

}  // namespace

Status RegisterBatches(std::shared_ptr<const BenchVocabulary> vocabulary) {
  auto texts = std::make_shared<Texts>();
  for (const Case& each : Cases()) {
    texts->schemas.push_back(ReadSchema(each.schema));
    texts->tokens.push_back(vocabulary->Tokenize(each.text));
  }
  const std::string name = "/256sequences/64schemas/2threads/" + vocabulary->name;
  texts->vocabulary = std::move(vocabulary);
  const Grammars grammars = CompileAll(*texts);
  if (grammars.size() != kGrammars || !Batch(*texts, grammars).IsRight()) {
    return Status(StatusCode::kInternal, "a batch fills other rows than its matchers alone");
  }
  benchmark::RegisterBenchmark(("Batch" + name + "/steady").c_str(),
                               [texts](auto& state) { BenchSteady(state, *texts); })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark(("Batch" + name + "/cold").c_str(),
                               [texts](auto& state) { BenchCold(state, *texts); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(5);
  benchmark::RegisterBenchmark(("Drafts/chain8/" + texts->vocabulary->name).c_str(),
                               [texts](auto& state) { BenchDrafts(state, *texts); });
  return Status::Ok();
}

}  // namespace maskloom::bench
