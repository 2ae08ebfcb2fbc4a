// What the readers of tokenizer files hand to the Tokenizer: a file's content, checked, with ids in
// place of texts. Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/vocabulary.h"
#include "runtime/tokenizer/added_tokens.h"
#include "runtime/tokenizer/bpe_merger.h"
#include "runtime/tokenizer/pre_tokenizer.h"

namespace maskloom {

// Invariants, which the readers establish: 1. every id is below tokens.size(); 2. added tokens have
// distinct ids.
struct TokenizerDefinition {
  std::vector<Vocabulary::Token> tokens;  // by id; holes are unused
  std::vector<AddedToken> added;
  std::vector<TokenId> end_tokens;
  std::optional<TokenId> bos;
  std::optional<TokenId> eos;
  bool add_bos = false;
  std::string chat_template;

  // For encoding; not filled in when only the vocabulary is asked for.
  std::vector<MergeRule> merges;
  ByteSymbols byte_symbols;
  std::vector<SplitRule> split_rules;
  bool normalize_nfc = false;
  bool ignore_merges = false;  // a piece that is a token as a whole is never merged
};

// Which parts of a file are read.
enum class TokenizerParts { kVocabularyOnly, kAll };

// Fills byte_symbols.tokens from the one-byte normal tokens that are not added tokens.
void CollectByteSymbols(TokenizerDefinition* definition);

// Adds to end_tokens every control token whose name is known to end a generation, and chooses eos
// among end_tokens when it is not set.
void CollectEndTokens(TokenizerDefinition* definition);

}  // namespace maskloom
