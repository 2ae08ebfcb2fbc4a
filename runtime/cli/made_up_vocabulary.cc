#include "runtime/cli/made_up_vocabulary.h"

#include <algorithm>
#include <set>
#include <utility>

namespace maskloom::cli {
namespace {

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

}  // namespace

Result<Vocabulary> MakeUpVocabulary(size_t count, const std::vector<std::string>& texts) {
  std::vector<Vocabulary::Token> tokens;
  std::set<std::string> known;
  auto add = [&](std::string bytes) {
    if (known.insert(bytes).second) tokens.push_back({std::move(bytes), TokenKind::kNormal});
  };
  for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
  Random random;
  for (const std::string& text : texts) {
    for (size_t begin = 0; begin < text.size(); ++begin) {
      add(text.substr(begin, 2 + random.Below(kLongestPiece - 1)));
    }
  }
  while (tokens.size() + 1 < count) add(MakeWord(&random));
  tokens.push_back({"<end>", TokenKind::kControl});
  TokenId end = static_cast<TokenId>(tokens.size() - 1);
  return Vocabulary::Create(std::move(tokens), {end});
}

std::vector<TokenId> CutIntoLongest(const VocabularyIndex& vocabulary, std::string_view text) {
  const TokenTrie& trie = vocabulary.trie();
  std::vector<TokenId> ids;
  while (!text.empty()) {
    uint32_t node = TokenTrie::kRoot;
    size_t length = 1;  // to leave out where there is no token
    bool found = false;
    TokenId longest = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const auto children = trie.children(trie.node(node));
      const auto child = std::find_if(
          children.begin(), children.end(),
          [&](const TokenTrie::Node& each) { return each.byte == static_cast<uint8_t>(text[i]); });
      if (child == children.end()) break;
      node = trie.IndexOf(*child);
      if (!child->ends_token()) continue;
      longest = trie.tokens(node).front();
      length = i + 1;
      found = true;
    }
    if (found) ids.push_back(longest);
    text.remove_prefix(length);
  }
  return ids;
}

}  // namespace maskloom::cli
