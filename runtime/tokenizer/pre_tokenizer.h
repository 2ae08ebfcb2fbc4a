// Cuts text into the pieces inside which byte-level BPE merges.
//
// The published tokenizers state their cuts as regular expressions with look-ahead and Unicode
// classes. Each known expression is a hand-written scanner here (see pre_tokenizer.cc); an
// expression that is not known is refused by the loaders rather than approximated.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace maskloom {

// One way to cut. The pieces of a rule, put together, are its input.
enum class SplitRule : uint8_t {
  kSingleNumbers,  // every \p{N} is a piece of its own; the text between is a piece
  kNumberRuns,     // maximal runs of \p{N} are pieces; the text between is a piece
  kGpt2,           // the pattern of GPT-2, also SmolLM2 behind kSingleNumbers
  kLlama3,         // Llama 3: numbers in groups of three, any one sign before a word
  kQwen2,          // Qwen 2 and 3: as Llama 3, but numbers one by one
  kO200k,          // GPT-4o: words also break where lower case is followed by upper case
};

// Returns the rule whose regular expression is exactly `pattern` as tokenizer.json files write it.
std::optional<SplitRule> FindSplitRule(std::string_view pattern);

// Rules applied one after the other, each to the pieces of the one before.
class PreTokenizer {
 public:
  PreTokenizer() = default;
  explicit PreTokenizer(std::vector<SplitRule> rules) : rules_(std::move(rules)) {}

  // Appends the pieces of `text` to `*pieces` as views into it. A byte that is not part of
  // well-formed UTF-8 counts as a character that is neither letter, number nor space.
  // Cost: linear; about 20 bytes of scratch memory per character.
  void Split(std::string_view text, std::vector<std::string_view>* pieces) const;

  const std::vector<SplitRule>& rules() const { return rules_; }

 private:
  std::vector<SplitRule> rules_;
};

}  // namespace maskloom
