#include "compiler/vocabulary.h"

#include <algorithm>

namespace maskloom {

Result<Vocabulary> Vocabulary::Create(std::vector<Token> tokens, std::vector<TokenId> end_tokens,
                                      uint32_t row_size) {
  if (row_size == 0) row_size = static_cast<uint32_t>(tokens.size());
  if (row_size < tokens.size()) {
    return Status(StatusCode::kInvalidArgument,
                  "the vocabulary has " + std::to_string(tokens.size()) +
                      " tokens but a row holds only " + std::to_string(row_size) + " logits");
  }
  Vocabulary vocabulary;
  bool any_normal = false;
  vocabulary.begins_.reserve(row_size + 1);
  vocabulary.begins_.push_back(0);
  for (const Token& token : tokens) {
    vocabulary.text_ += token.bytes;
    vocabulary.begins_.push_back(static_cast<uint32_t>(vocabulary.text_.size()));
    vocabulary.kinds_.push_back(token.bytes.empty() ? TokenKind::kUnused : token.kind);
    any_normal |= vocabulary.kinds_.back() == TokenKind::kNormal;
  }
  vocabulary.begins_.resize(row_size + 1, static_cast<uint32_t>(vocabulary.text_.size()));
  vocabulary.kinds_.resize(row_size, TokenKind::kUnused);
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
  for (TokenId id : end_tokens) vocabulary.kinds_[id] = TokenKind::kControl;
  vocabulary.end_tokens_ = std::move(end_tokens);
  return vocabulary;
}

bool Vocabulary::IsEndToken(TokenId id) const {
  return std::binary_search(end_tokens_.begin(), end_tokens_.end(), id);
}

}  // namespace maskloom
