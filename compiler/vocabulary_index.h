// What masks need to know of a vocabulary, built once and shared by all grammars.
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "compiler/category_index.h"
#include "compiler/held_items.h"
#include "compiler/space_rows.h"
#include "compiler/standard_numbers.h"
#include "compiler/standard_walks.h"
#include "compiler/string_index.h"
#include "compiler/token_trie.h"
#include "compiler/vocabulary.h"

namespace maskloom {

class ArchiveReader;

// Immutable but for rows made on first use. Thread safety: const calls from any thread.
class VocabularyIndex {
 public:
  // Cost: about 0.2 s and 20 MB for 128,256 tokens.
  static std::shared_ptr<const VocabularyIndex> Build(Vocabulary vocabulary);
  // A vocabulary of the 256 single bytes and one end token (id 256), for matching text without a
  // tokenizer.
  static std::shared_ptr<const VocabularyIndex> Bytes();

  // What Describe wrote to an archive. Views of it stay: its keep() must hold the bytes.
  // On error: the archive's status; it is closed.
  static Result<std::shared_ptr<const VocabularyIndex>> Read(ArchiveReader* archive);

  const Vocabulary& vocabulary() const { return vocabulary_; }
  uint32_t size() const { return vocabulary_.size(); }
  // Of the vocabulary; see there.
  uint64_t identity() const { return vocabulary_.identity(); }
  // Number of 32-bit words in a mask row.
  uint32_t row_words() const { return (size() + 31) / 32; }
  const TokenTrie& trie() const { return trie_; }
  // Of strings in `coding`, kJsonString or kPlainString. Cost: that of the latter is made at its
  // first use, by a pass over all tokens.
  const StringIndex& strings(TextCoding coding) const {
    return coding == TextCoding::kPlainString ? plain().strings : strings_;
  }
  const CategoryIndex& categories() const { return categories_; }
  SpaceRows& spaces() const { return *spaces_; }
  // In `style`. Cost: those of the default style are there, others are made at their first use.
  const StandardWalks& standard_walks(const StylePolicy& style) const;
  const StandardNumbers& numbers() const { return *numbers_; }
  // What can be written in `coding` with spellable bytes.
  const Spelling& spelling(TextCoding coding) const {
    if (coding == TextCoding::kPlainString) return plain().spelling;
    return coding == TextCoding::kUtf8 ? utf8_spelling_ : json_spelling_;
  }
  // Texts that stand between two quotes inside one token, sorted: the only keys that a token can
  // bring in whole.
  const std::vector<std::u32string>& quoted_texts() const { return quoted_texts_; }
  // Does some token end one key and bring in another whole, as `":1,"a"` does (and `":1,"a` not)?
  bool has_two_key_tokens() const { return has_two_key_tokens_; }
  // Does some token end one key and begin the text of another, as `":1,"a` does (and `":1,"` not)?
  bool has_next_key_tokens() const { return has_next_key_tokens_; }
  // Values of numbers that begin and end inside one token, as keys of json_value_key.h, sorted.
  const std::vector<std::string>& whole_numbers() const { return whole_numbers_; }
  // Does some token hold a digit with the letter of an exponent behind it?
  bool has_exponent_tokens() const { return has_exponent_tokens_; }
  const HeldItems& held_items() const { return held_items_; }
  size_t MemoryBytes() const;
  // Bytes that some token spells alone.
  const std::bitset<256>& spellable() const { return spellable_; }
  // Length of the longest normal token, in bytes.
  uint32_t max_token_bytes() const { return max_token_bytes_; }

  // Of what is made in the beginning, but for the standard walks, which follow it in an archive.
  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Part(self.vocabulary_);
    archive.Value(self.spellable_);
    archive.Part(self.utf8_spelling_);
    archive.Part(self.json_spelling_);
    archive.Part(self.trie_);
    archive.Part(self.strings_);
    archive.Part(self.categories_);
    archive.Texts(self.quoted_texts_);
    archive.Value(self.has_two_key_tokens_);
    archive.Value(self.has_next_key_tokens_);
    archive.Texts(self.whole_numbers_);
    archive.Value(self.has_exponent_tokens_);
    archive.Part(self.held_items_);
    archive.Value(self.max_token_bytes_);
  }

 private:
  // What only grammars of plain strings need.
  struct PlainStrings {
    Spelling spelling;
    StringIndex strings;
  };

  // The standard walks of a style, and those that were made before.
  struct StyledWalks {
    StylePolicy style;
    std::unique_ptr<const StandardWalks> walks;
    const StyledWalks* previous = nullptr;
  };

  // Base ids of rows of standard walks, by style.
  static constexpr uint32_t kFirstStyleBase = 1u << 22;

  explicit VocabularyIndex(Vocabulary vocabulary);
  explicit VocabularyIndex(ArchiveReader* archive);
  // Makes trie_ and categories_ of the normal tokens of `vocabulary`.
  void ReadTexts(const Vocabulary& vocabulary);
  void MakeSpaces();
  void MakeNumbers() { numbers_ = std::make_unique<const StandardNumbers>(spellable_); }
  void Publish(const StylePolicy& style, std::unique_ptr<const StandardWalks> walks) const;
  const StandardWalks* FindWalks(const StylePolicy& style) const;
  const PlainStrings& plain() const;
  void FindQuotedTexts();
  void FindWholeNumbers();

  Vocabulary vocabulary_;
  std::bitset<256> spellable_;
  Spelling utf8_spelling_;
  Spelling json_spelling_;
  mutable std::once_flag plain_once_;
  mutable std::unique_ptr<const PlainStrings> plain_;
  mutable std::atomic<const PlainStrings*> plain_made_{nullptr};  // plain_ when it is whole
  TokenTrie trie_;
  StringIndex strings_;
  CategoryIndex categories_;
  std::unique_ptr<SpaceRows> spaces_;
  std::unique_ptr<const StandardNumbers> numbers_;
  mutable std::mutex walks_mutex_;  // of makers
  mutable std::vector<std::unique_ptr<const StyledWalks>> walks_;
  mutable std::atomic<const StyledWalks*> latest_walks_{nullptr};
  std::vector<std::u32string> quoted_texts_;
  bool has_two_key_tokens_ = false;
  bool has_next_key_tokens_ = false;
  std::vector<std::string> whole_numbers_;
  bool has_exponent_tokens_ = false;
  HeldItems held_items_;
  uint32_t max_token_bytes_ = 0;
};

}  // namespace maskloom
