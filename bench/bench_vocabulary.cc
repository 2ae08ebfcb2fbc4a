#include "bench/bench_vocabulary.h"

#include <cstdlib>
#include <utility>

#include "bench/cases.h"
#include "runtime/cli/made_up_vocabulary.h"
#include "runtime/tokenizer/tokenizer.h"

namespace maskloom::bench {
namespace {

constexpr size_t kMadeUpTokens = 32768;

}  // namespace

std::vector<TokenId> BenchVocabulary::Tokenize(std::string_view text) const {
  return cli::CutIntoLongest(*index, text);
}

Result<BenchVocabulary> MakeBenchVocabulary() {
  BenchVocabulary result;
  const char* path = std::getenv("MASKLOOM_TOKENIZER");
  if (path != nullptr && *path != '\0') {
    auto vocabulary = OpenVocabulary(path);
    if (!vocabulary.ok()) return vocabulary.status();
    result.index = VocabularyIndex::Build(Vocabulary(**vocabulary));
    result.name = "vocab" + std::to_string(result.index->size());
    return result;
  }
  std::vector<std::string> texts;
  for (const Case& each : Cases()) texts.emplace_back(each.text);
  Result<Vocabulary> vocabulary = cli::MakeUpVocabulary(kMadeUpTokens, texts);
  if (!vocabulary.ok()) return vocabulary.status();
  result.index = VocabularyIndex::Build(std::move(*vocabulary));
  result.name = "made_up" + std::to_string(result.index->size());
  return result;
}

}  // namespace maskloom::bench
