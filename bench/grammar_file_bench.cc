#include "bench/grammar_file_bench.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "bench/cases.h"
#include "compiler/grammar_file.h"
#include "compiler/mask_cache.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"

namespace maskloom::bench {
namespace {

using GrammarPtr = std::shared_ptr<const CompiledGrammar>;

std::string BytesOf(const CompiledGrammar& grammar) {
  return GrammarFileBytes(grammar, [](GrammarWriter&) {});
}

Result<GrammarPtr> Load(const std::shared_ptr<std::vector<uint64_t>>& file,
                        const std::shared_ptr<const VocabularyIndex>& index) {
  return ReadGrammarFile(file, std::as_bytes(std::span(*file)), index, {}, [](GrammarReader&) {});
}

// Fills the mask before each byte of `text`. Returns whether the text is accepted.
bool Walk(const GrammarPtr& grammar, std::string_view text) {
  Matcher matcher(grammar);
  std::vector<uint32_t> row(grammar->vocabulary().row_words());
  for (size_t i = 0; i < text.size(); ++i) {
    matcher.FillMask(row.data());
    if (matcher.AcceptBytes(text.substr(i, 1)) != 1) return false;
  }
  return matcher.IsAccepting();
}

}  // namespace

Status RegisterGrammarFiles(std::shared_ptr<const BenchVocabulary> vocabulary) {
  for (const Case& one : Cases()) {
    auto compiled = CompileDefinition(DefinitionKind::kJsonSchema, ReadSchema(one.schema), {},
                                      vocabulary->index);
    if (!compiled.ok()) return compiled.status();
    const GrammarPtr grammar = compiled->grammar;
    const bool accepted = Walk(grammar, one.text);
    const std::string bytes = BytesOf(*grammar);
    const auto file = std::make_shared<std::vector<uint64_t>>(bytes.size() / 8);
    std::memcpy(file->data(), bytes.data(), bytes.size());
    auto loaded = Load(file, vocabulary->index);
    if (!loaded.ok()) return loaded.status();
    if (!accepted || !Walk(*loaded, one.text) || (*loaded)->masks().built_count() != 0) {
      return Status(StatusCode::kInternal,
                    "a grammar that is loaded is not the one that was saved");
    }
    const std::string name =
        "GrammarFile/" + std::string(one.schema) + "/" + vocabulary->name + "/";
    benchmark::RegisterBenchmark((name + "save").c_str(), [grammar](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(BytesOf(*grammar));
    })->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark((name + "load").c_str(), [vocabulary,
                                                           file](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(Load(file, vocabulary->index));
      state.counters["file_bytes"] = static_cast<double>(file->size() * 8);
    })->Unit(benchmark::kMicrosecond);
  }
  return Status::Ok();
}

}  // namespace maskloom::bench
