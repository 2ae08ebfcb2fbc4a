// Which tokens hold items of arrays, whole or begun behind a comma: the few in which an array of
// distinct items can refuse what no item before them told of; see apart_items.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/vocabulary.h"

namespace maskloom {

// Kinds of values, as bits.
enum ItemKinds : uint8_t {
  kLiteralItems = 1,
  kNumberItems = 2,
  kStringItems = 4,
  kArrayItems = 8,
  kObjectItems = 16,
  kItemsOfNewArrays = 32,  // of any kind, of an array that begins in the token
};

// Kinds of items, by whether they begin and end in a token, or only begin in it, behind a comma,
// with more than a quote or bracket, or with that alone.
struct HeldKinds {
  uint8_t whole = 0;
  uint8_t begun = 0;
  uint8_t opened = 0;

  bool IsEmpty() const { return (whole | begun | opened) == 0; }
  bool Has(HeldKinds other) const {
    return (whole & other.whole) != 0 || (begun & other.begun) != 0 || (opened & other.opened) != 0;
  }
};

// What of a token belongs to a string or key that began before it.
enum class HeldBehind : uint8_t {
  kNothing,  // nothing, or it is not known what
  kText,     // what stands before its first quote that is not escaped
};

// Returns what a token with `bytes` may hold. May name more than it does.
HeldKinds FindHeldKinds(std::string_view bytes, HeldBehind behind);
// Does a token with `bytes` begin an object and more of it than its first quote, where an item may
// begin?
bool BeginsMembers(std::string_view bytes);

// The same of all normal tokens of a vocabulary. Immutable.
class HeldItems {
 public:
  HeldItems() = default;
  // Cost: a pass over all tokens.
  explicit HeldItems(const Vocabulary& vocabulary);

  // May token `id` hold what `kinds` has, or any item of an array that begins in it?
  bool MayHold(TokenId id, HeldBehind behind, HeldKinds kinds) const {
    return (row_[id / 32] >> (id % 32) & 1) != 0 && MayHoldAny(id, behind, kinds);
  }
  // The tokens that hold an item whole, and a closing bracket of an array.
  std::span<const TokenId> closing() const { return closing_; }
  // Does some token begin, behind a comma, a string with what `begin` begins with, or goes on as?
  bool BeginsText(std::u32string_view begin) const;
  // Does some token BeginsMembers? If none does, none holds an object whole but `{}`.
  bool begins_members() const { return begins_members_; }
  size_t MemoryBytes() const {
    return row_.size() * 4 + tokens_.size() * sizeof(Token) + closing_.size() * 4;
  }

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.row_);
    archive.Array(self.tokens_);
    archive.Array(self.closing_);
    archive.Value(self.begins_members_);
    archive.Texts(self.begun_texts_);
  }

 private:
  struct Token {
    TokenId id;
    HeldKinds behind_nothing, behind_text;
    uint16_t unused = 0;  // no byte of a file is left open
  };

  void AddBegunTexts(std::string_view bytes);
  bool MayHoldAny(TokenId id, HeldBehind behind, HeldKinds kinds) const;

  std::vector<uint32_t> row_;  // bit id: is it in tokens_?
  std::vector<Token> tokens_;  // by id; those that may hold something
  std::vector<TokenId> closing_;
  bool begins_members_ = false;
  std::vector<std::u32string> begun_texts_;  // of strings that tokens begin behind a comma
};

}  // namespace maskloom
