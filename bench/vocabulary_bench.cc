#include "bench/vocabulary_bench.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "compiler/vocabulary_file.h"

namespace maskloom::bench {
namespace {

// A file that ends with its last user.
struct TemporaryFile {
  TemporaryFile()
      : path((std::filesystem::temp_directory_path() /
              ("maskloom_bench-" + std::to_string(::getpid()) + ".index"))
                 .string()) {}
  ~TemporaryFile() {
    std::error_code error;
    std::filesystem::remove(path, error);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string path;
};

}  // namespace

Status RegisterVocabularyFile(std::shared_ptr<const BenchVocabulary> vocabulary) {
  const auto file = std::make_shared<TemporaryFile>();
  const VocabularyIndex& index = *vocabulary->index;
  if (Status saved = SaveVocabularyIndex(index, file->path); !saved.ok()) return saved;
  const auto loaded = LoadVocabularyIndex(file->path, index.identity());
  if (!loaded.ok()) return loaded.status();
  if (WriteVocabularyIndex(**loaded) != WriteVocabularyIndex(index)) {
    return Status(StatusCode::kInternal, "the index that is loaded is not the one that was saved");
  }
  benchmark::RegisterBenchmark(("VocabularyFile/save/" + vocabulary->name).c_str(),
                               [vocabulary, file](benchmark::State& state) {
                                 for (auto _ : state) {
                                   if (!SaveVocabularyIndex(*vocabulary->index, file->path).ok()) {
                                     state.SkipWithError("not saved");
                                   }
                                 }
                               })
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(
      ("VocabularyFile/load/" + vocabulary->name).c_str(),
      [vocabulary, file](benchmark::State& state) {
        for (auto _ : state) {
          benchmark::DoNotOptimize(LoadVocabularyIndex(file->path, vocabulary->index->identity()));
        }
        state.counters["file_bytes"] = static_cast<double>(std::filesystem::file_size(file->path));
      })
      ->Unit(benchmark::kMillisecond);
  return Status::Ok();
}

}  // namespace maskloom::bench
