#include "bench/bench_vocabulary.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "bench/cases.h"
#include "runtime/tokenizer/tokenizer.h"

namespace maskloom::bench {
namespace {

constexpr size_t kMadeUpTokens = 32768;
constexpr size_t kLongestPiece = 8;

// A reproducible stream of numbers (Knuth's MMIX constants).
class Random {
 public:
  size_t Below(size_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state_ >> 33) % bound;
  }

 private:
  uint64_t state_ = 1;
};

// A word of syllables, often with a space or a capital in front as in real vocabularies.
std::string MakeWord(Random* random) {
  static constexpr std::string_view kConsonants = "bcdfghjklmnprstvwz";
  static constexpr std::string_view kVowels = "aeiou";
  std::string word = random->Below(2) == 0 ? " " : "";
  for (size_t syllables = 1 + random->Below(4); syllables > 0; --syllables) {
    word += kConsonants[random->Below(kConsonants.size())];
    word += kVowels[random->Below(kVowels.size())];
    if (random->Below(3) == 0) word += kConsonants[random->Below(kConsonants.size())];
  }
  return word;
}

Result<Vocabulary> MakeUpVocabulary() {
  std::vector<Vocabulary::Token> tokens;
  std::set<std::string> known;
  auto add = [&](std::string bytes) {
    if (known.insert(bytes).second) tokens.push_back({std::move(bytes), TokenKind::kNormal});
  };
  for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
  Random random;
  for (const Case& each : Cases()) {
    for (size_t begin = 0; begin < each.text.size(); ++begin) {
      add(std::string(each.text.substr(begin, 2 + random.Below(kLongestPiece - 1))));
    }
  }
  while (tokens.size() + 1 < kMadeUpTokens) add(MakeWord(&random));
  tokens.push_back({"<end>", TokenKind::kControl});
  TokenId end = static_cast<TokenId>(tokens.size() - 1);
  return Vocabulary::Create(std::move(tokens), {end});
}

}  // namespace

std::vector<TokenId> BenchVocabulary::Tokenize(std::string_view text) const {
  const Vocabulary& vocabulary = index->vocabulary();
  std::vector<std::pair<std::string_view, TokenId>> sorted;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) == TokenKind::kNormal) sorted.emplace_back(vocabulary.bytes(id), id);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<TokenId> ids;
  while (!text.empty()) {
    size_t length = std::min<size_t>(text.size(), index->max_token_bytes());
    for (; length > 0; --length) {
      std::pair<std::string_view, TokenId> wanted{text.substr(0, length), 0};
      auto at = std::lower_bound(sorted.begin(), sorted.end(), wanted);
      if (at == sorted.end() || at->first != wanted.first) continue;
      ids.push_back(at->second);
      break;
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return ids;
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
  Result<Vocabulary> vocabulary = MakeUpVocabulary();
  if (!vocabulary.ok()) return vocabulary.status();
  result.index = VocabularyIndex::Build(std::move(*vocabulary));
  result.name = "made_up" + std::to_string(result.index->size());
  return result;
}

}  // namespace maskloom::bench
