#include "compiler/vocabulary.h"

#include <algorithm>

#include "compiler/checksum.h"

namespace maskloom {

Result<Vocabulary> Vocabulary::Create(std::vector<Token> tokens, std::vector<TokenId> end_tokens,
                                      uint32_t row_size) {
  if (row_size == 0) row_size = static_cast<uint32_t>(tokens.size());
  if (row_size < tokens.size()) {
    return Status(StatusCode::kInvalidArgument,
                  "the vocabulary has " + std::to_string(tokens.size()) +
                      " tokens but a row holds only " + std::to_string(row_size) + " logits");
  }
  bool any_normal = false;
  std::string text;
  std::vector<uint32_t> begins{0};
  std::vector<TokenKind> kinds;
  begins.reserve(row_size + 1);
  kinds.reserve(row_size);
  for (const Token& token : tokens) {
    text += token.bytes;
    begins.push_back(static_cast<uint32_t>(text.size()));
    kinds.push_back(token.bytes.empty() ? TokenKind::kUnused : token.kind);
    any_normal |= kinds.back() == TokenKind::kNormal;
  }
  begins.resize(row_size + 1, static_cast<uint32_t>(text.size()));
  kinds.resize(row_size, TokenKind::kUnused);
  if (!any_normal) {
    return Status(StatusCode::kInvalidArgument, "the vocabulary has no token with bytes");
  }
  std::sort(end_tokens.begin(), end_tokens.end());
  end_tokens.erase(std::unique(end_tokens.begin(), end_tokens.end()), end_tokens.end());
  if (!end_tokens.empty() && end_tokens.back() >= tokens.size()) {
    return Status(StatusCode::kInvalidArgument, "end token " + std::to_string(end_tokens.back()) +
                                                    " is not in the vocabulary of " +
                                                    std::to_string(tokens.size()) + " tokens");
  }
  // An end token ends the text; it never stands for its bytes.
  for (TokenId id : end_tokens) kinds[id] = TokenKind::kControl;
  Vocabulary vocabulary;
  vocabulary.text_ = std::vector<char>(text.begin(), text.end());
  vocabulary.begins_ = std::move(begins);
  vocabulary.kinds_ = std::move(kinds);
  vocabulary.end_tokens_ = std::move(end_tokens);
  vocabulary.identity_ = vocabulary.FindIdentity();
  return vocabulary;
}

// Where tokens begin tells them apart; each part goes into the next as its seed.
uint64_t Vocabulary::FindIdentity() const {
  uint64_t identity = Checksum(std::as_bytes(std::span<const char>(text_)));
  identity = Checksum(std::as_bytes(std::span<const uint32_t>(begins_)), identity);
  identity = Checksum(std::as_bytes(std::span<const TokenKind>(kinds_)), identity);
  return Checksum(std::as_bytes(std::span(end_tokens_)), identity);
}

bool Vocabulary::IsEndToken(TokenId id) const {
  return std::binary_search(end_tokens_.begin(), end_tokens_.end(), id);
}

Vocabulary Vocabulary::WithUnused(const std::vector<TokenId>& ids) const {
  Vocabulary vocabulary = *this;
  std::vector<TokenKind> kinds(kinds_.begin(), kinds_.end());
  for (const TokenId id : ids) kinds[id] = TokenKind::kUnused;
  vocabulary.kinds_ = std::move(kinds);
  return vocabulary;
}

}  // namespace maskloom
