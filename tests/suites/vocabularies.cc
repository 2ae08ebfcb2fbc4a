// Builds and loads vocabularies.
#include "tests/suites/vocabularies.h"

#include <algorithm>

#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

TestVocabulary Finish(std::string name, const Vocabulary& vocabulary,
                      std::shared_ptr<const Tokenizer> tokenizer) {
  TestVocabulary out;
  out.name = std::move(name);
  std::vector<std::string> tokens(vocabulary.size());
  std::vector<uint32_t> special;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    tokens[id] = std::string(vocabulary.bytes(id));
    if (vocabulary.kind(id) != TokenKind::kNormal) special.push_back(id);
  }
  out.trie = std::make_unique<judge::TokenTrie>(tokens, vocabulary.end_tokens(), special);
  out.index = VocabularyIndex::Build(vocabulary);
  out.tokenizer = std::move(tokenizer);
  if (out.tokenizer != nullptr) return out;
  const Vocabulary& kept = out.index->vocabulary();
  for (TokenId id = 0; id < kept.size(); ++id) {
    if (kept.kind(id) == TokenKind::kNormal) out.ids.emplace(kept.bytes(id), id);
  }
  return out;
}

}  // namespace

std::vector<TokenId> TestVocabulary::Split(const std::string& text, std::mt19937_64* random) const {
  if (tokenizer != nullptr) return tokenizer->Encode(text);
  std::vector<TokenId> out;
  for (size_t at = 0; at < text.size();) {
    size_t length = 1 + (*random)() % longest_piece;
    while (length > 1 && !ids.contains(std::string_view(text).substr(at, length))) --length;
    auto found = ids.find(std::string_view(text).substr(at, length));
    if (found == ids.end()) break;
    out.push_back(found->second);
    at += found->first.size();
  }
  return out;
}

namespace {

// Returns all sequences of up to three of `pieces`; "" is the first.
std::vector<std::string> UpToThree(const std::vector<std::string>& pieces) {
  std::vector<std::string> texts = {""};
  std::vector<std::string> longest = {""};
  for (int length = 1; length <= 3; ++length) {
    std::vector<std::string> longer;
    for (const std::string& text : longest) {
      for (const std::string& piece : pieces) longer.push_back(text + piece);
    }
    texts.insert(texts.end(), longer.begin(), longer.end());
    longest = std::move(longer);
  }
  return texts;
}

// An empty text is no token.
TestVocabulary OfTexts(const std::string& name, std::vector<std::string> texts) {
  std::vector<Vocabulary::Token> tokens;
  for (std::string& text : texts) {
    TokenKind kind = text.empty() ? TokenKind::kUnused : TokenKind::kNormal;
    tokens.push_back({std::move(text), kind});
  }
  TokenId end = static_cast<TokenId>(tokens.size());
  tokens.push_back({"<end>", TokenKind::kControl});
  tokens.push_back({"a", TokenKind::kControl});
  auto vocabulary = Vocabulary::Create(std::move(tokens), {end}, end + 37);
  return Finish(name, *vocabulary, nullptr);
}

}  // namespace

TestVocabulary SyntheticVocabulary(bool all_bytes) {
  const std::string& tiny = TinyBytes();
  std::vector<std::string> pieces;
  for (const char c : tiny) pieces.push_back(std::string(1, c));
  std::vector<std::string> texts = UpToThree(pieces);
  for (int byte = 0; all_bytes && byte < 256; ++byte) {
    if (tiny.find(static_cast<char>(byte)) == std::string::npos) {
      texts.push_back(std::string(1, static_cast<char>(byte)));
    }
  }
  return OfTexts(all_bytes ? "synthetic" : "tiny", std::move(texts));
}

TestVocabulary WholeCharacters() {
  return OfTexts("whole characters",
                 UpToThree({"\"", "\\", "a", "b", "u", "0", "1", ",", ":", "{", "}", "[", "]", " ",
                            "\xC3\xA9", "\xE2\x82\xAC", "\\u00e9", "-"}));
}

Result<TestVocabulary> FileVocabulary(const std::string& name, const std::string& path) {
  auto tokenizer = OpenTokenizer(path);
  if (tokenizer.ok()) return Finish(name, (*tokenizer)->vocabulary(), *tokenizer);
  auto vocabulary = OpenVocabulary(path);
  if (!vocabulary.ok()) return vocabulary.status();
  TestVocabulary out = Finish(name, **vocabulary, nullptr);
  out.longest_piece = 12;
  return out;
}

Result<TestVocabulary> RealVocabulary(const std::string& name) {
  if (name == "smollm2") {
    auto model = ModelPath();
    if (!model) return Status(StatusCode::kIo, "no model (set MASKLOOM_MODEL)");
    return FileVocabulary(name, *model);
  }
  TemporaryFolder folder;
  auto path = UnpackTokenizer(name, folder);
  if (!path.ok()) return path.status();
  return FileVocabulary(name, *path);
}

}  // namespace maskloom::suites
