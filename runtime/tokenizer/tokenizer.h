// Byte-level BPE tokenizers: text to token ids and back, exactly as the model's own tokenizer does.
//
// Encoding goes through five steps: cut out added tokens; normalise (where the file says so); cut
// out added tokens that are matched after normalisation; split by the pre-tokenizer; merge bytes by
// rank inside each piece.
#pragma once

#include <tsl/robin_map.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/vocabulary.h"
#include "grammar/base/status.h"
#include "runtime/tokenizer/added_tokens.h"
#include "runtime/tokenizer/bpe_merger.h"
#include "runtime/tokenizer/pre_tokenizer.h"

namespace maskloom {

class GgufFile;
struct TokenizerDefinition;

struct EncodeOptions {
  bool parse_special = false;  // else the text of a special token is ordinary text
  bool add_bos = false;        // put bos() in front where add_bos() says that the model wants it
  // Ranges of the text, ascending and disjoint, where special tokens are not parsed whatever
  // parse_special says: what a user wrote inside a chat prompt.
  std::span<const TextRange> literal;
};

struct DecodeOptions {
  bool skip_special = false;  // leave out special tokens
};

// Invariants: 1. for text of bytes that all have a token, Decode(Encode(text)) is the normalised
// text; 2. ids from Encode are below vocabulary().size(). Thread safety: immutable, const calls
// from any thread.
class Tokenizer {
 public:
  // Requires: `definition` keeps its invariants.
  // On error: kInvalidModel when the vocabulary cannot be built (no token with bytes, ...).
  static Result<std::shared_ptr<const Tokenizer>> Create(TokenizerDefinition definition);

  // Returns the tokens of `text`, any bytes. Bytes that no token writes are left out, or become the
  // unknown token where the file names one, as in the reference.
  // Requires: text.size() < 2^32 - 1.
  // Cost: O(n log n) in the longest piece, else linear.
  std::vector<TokenId> Encode(std::string_view text, const EncodeOptions& options = {}) const;

  // Returns the bytes of the tokens in order, which need not be UTF-8. Ids beyond the vocabulary
  // and unused ids have no bytes.
  std::string Decode(std::span<const TokenId> ids, const DecodeOptions& options = {}) const;

  // Returns the bytes of a token (control tokens: their text), empty for an id beyond the
  // vocabulary.
  std::string_view TokenBytes(TokenId id) const;

  const Vocabulary& vocabulary() const { return *vocabulary_; }
  std::shared_ptr<const Vocabulary> shared_vocabulary() const { return vocabulary_; }

  std::optional<TokenId> bos() const { return bos_; }
  // The end token that closes an assistant's turn; end_tokens() is what ends a generation.
  std::optional<TokenId> eos() const { return eos_; }
  const std::vector<TokenId>& end_tokens() const { return vocabulary_->end_tokens(); }
  // Whether the model expects bos() in front of every prompt.
  bool add_bos() const { return add_bos_; }

  // Returns the id of the special or user-defined token with exactly this text.
  std::optional<TokenId> FindAddedToken(std::string_view text) const;
  bool IsSpecial(TokenId id) const { return id < is_special_.size() && is_special_[id]; }

  // The model's chat template as its file gives it (Jinja); empty when there is none.
  const std::string& chat_template() const { return chat_template_; }

 private:
  explicit Tokenizer(const TokenizerDefinition& definition);

  void EncodeText(std::string_view text, const EncodeOptions& options,
                  std::vector<TokenId>* ids) const;
  void EncodePieces(std::string_view text, BpeMerger::Scratch* scratch,
                    std::vector<TokenId>* ids) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  std::vector<bool> is_special_;          // by id
  AddedTokenMatcher raw_matcher_;         // on the text as it comes
  AddedTokenMatcher normalized_matcher_;  // on normalised text
  std::vector<AddedToken> added_;
  bool normalize_nfc_ = false;
  PreTokenizer pre_tokenizer_;
  BpeMerger merger_;
  tsl::robin_map<std::string_view, TokenId> whole_pieces_;  // views into vocabulary_; may be empty
  std::optional<TokenId> bos_;
  std::optional<TokenId> eos_;
  bool add_bos_ = false;
  std::string chat_template_;
};

// Opens the tokenizer in a file, which is recognised by its content: a GGUF model or a
// tokenizer.json of Hugging Face.
// On error: kIo when it cannot be read; kInvalidModel when it is damaged or neither of the two,
// saying what and where; kUnsupported when it is sound but of a kind that is not read (another
// algorithm, an unknown split pattern, an unknown normaliser), naming it.
Result<std::shared_ptr<const Tokenizer>> OpenTokenizer(const std::string& path);

// Opens only the vocabulary: token bytes, kinds and end tokens, which is all that masks need. Also
// reads SentencePiece-style files, and files whose way of splitting text is not known.
// On error: as OpenTokenizer.
Result<std::shared_ptr<const Vocabulary>> OpenVocabulary(const std::string& path);

// The same for a GGUF file that is open already.
Result<std::shared_ptr<const Tokenizer>> LoadTokenizerFromGguf(const GgufFile& file);
Result<std::shared_ptr<const Vocabulary>> LoadVocabularyFromGguf(const GgufFile& file);

// The same for a tokenizer.json at `path`.
Result<std::shared_ptr<const Tokenizer>> LoadTokenizerFromJson(const std::string& path);
Result<std::shared_ptr<const Vocabulary>> LoadVocabularyFromJson(const std::string& path);

// The same for the text of a tokenizer.json; `name` stands in front of error messages.
Result<std::shared_ptr<const Tokenizer>> ParseTokenizerJson(std::string text,
                                                            const std::string& name);
Result<std::shared_ptr<const Vocabulary>> ParseVocabularyJson(std::string text,
                                                              const std::string& name);

}  // namespace maskloom
