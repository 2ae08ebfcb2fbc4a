// A tokenizer's vocabulary as the automata see it: byte strings by token id.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "grammar/base/flat_array.h"
#include "grammar/base/status.h"

namespace maskloom {

using TokenId = uint32_t;

enum class TokenKind : uint8_t {
  kNormal,   // matched by its bytes (also user-defined, byte-fallback and partial UTF-8 tokens)
  kControl,  // special: never matched by its text; only a grammar's token edges allow it
  kUnused,   // padding or unused id: never allowed
};

// Immutable once built. Thread safety: const calls from any thread.
class Vocabulary {
 public:
  struct Token {
    std::string bytes;  // what the token decodes to; for control tokens their text
    TokenKind kind = TokenKind::kNormal;
  };

  // Requires nothing of `tokens` (empty byte strings are treated as unused). `row_size` is the
  // number of logits a row has; ids from tokens.size() to row_size - 1 are unused. 0 =
  // tokens.size(). On error: kInvalidArgument for an end token beyond the vocabulary or when no
  // token is normal.
  static Result<Vocabulary> Create(std::vector<Token> tokens, std::vector<TokenId> end_tokens,
                                   uint32_t row_size = 0);

  // Number of ids a mask row covers, padding included.
  uint32_t size() const { return static_cast<uint32_t>(kinds_.size()); }
  std::string_view bytes(TokenId id) const {
    return {text_.data() + begins_[id], begins_[id + 1] - begins_[id]};
  }
  TokenKind kind(TokenId id) const { return kinds_[id]; }
  // Ids that end a generation, ascending; allowed exactly in accepting states.
  const std::vector<TokenId>& end_tokens() const { return end_tokens_; }
  bool IsEndToken(TokenId id) const;
  // Returns the same vocabulary in which `ids` are unused. Its identity is this one's.
  Vocabulary WithUnused(const std::vector<TokenId>& ids) const;
  // A hash of all of the above, the same on every machine: files that depend on a vocabulary carry
  // it.
  uint64_t identity() const { return identity_; }
  size_t MemoryBytes() const { return text_.size() + begins_.size() * 4 + kinds_.size(); }

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.text_);
    archive.Array(self.begins_);
    archive.Array(self.kinds_);
    archive.Array(self.end_tokens_);
    archive.Value(self.identity_);
    if constexpr (!std::is_const_v<Self>) self.keep_ = archive.keep();
  }

 private:
  uint64_t FindIdentity() const;

  FlatArray<char> text_;        // all token bytes, in id order
  FlatArray<uint32_t> begins_;  // size() + 1 offsets into text_
  FlatArray<TokenKind> kinds_;
  std::vector<TokenId> end_tokens_;
  uint64_t identity_ = 0;
  std::shared_ptr<const void> keep_;  // the file that the arrays are views of, if they are
};

}  // namespace maskloom
