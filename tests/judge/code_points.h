// Sets of code points and the ways to spell a code point in bytes, as the judge understands them.
// Plain sorted interval lists; nothing here is shared with the product's own sets.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maskloom::judge {

using ByteSet = std::bitset<256>;

inline constexpr uint32_t kLastCodePoint = 0x10FFFF;

// A set of Unicode scalar values: sorted, disjoint, non-adjacent closed ranges. Surrogates are
// never members.
class CodePoints {
 public:
  CodePoints() = default;
  static CodePoints All();
  static CodePoints Range(uint32_t first, uint32_t last);

  void Add(uint32_t first, uint32_t last);
  void Add(const CodePoints& other);
  // Requires: no surrogates in `ranges`, unless Intersect() with All() follows.
  void Add(const std::vector<std::pair<uint32_t, uint32_t>>& ranges);
  CodePoints Complement() const;
  CodePoints Intersect(const CodePoints& other) const;
  bool Contains(uint32_t code_point) const;
  bool Intersects(const CodePoints& other) const;
  bool empty() const { return ranges_.empty(); }
  uint64_t Count() const;
  const std::vector<std::pair<uint32_t, uint32_t>>& ranges() const { return ranges_; }
  bool operator<(const CodePoints& other) const { return ranges_ < other.ranges_; }
  bool operator==(const CodePoints& other) const { return ranges_ == other.ranges_; }

 private:
  void Normalise();
  std::vector<std::pair<uint32_t, uint32_t>> ranges_;
};

// Decodes valid UTF-8; nullopt when `text` is not valid.
std::optional<std::u32string> DecodeUtf8(std::string_view text);
std::string EncodeUtf8(uint32_t code_point);

// How code points may be spelled: raw UTF-8, or as characters of a JSON string (raw, short escape,
// \uXXXX, surrogate pairs). Spellings are prefix-free. `spellable` are the bytes that what follows
// may use; bytes that were read already are not asked.
class Speller {
 public:
  enum class Form {
    kRaw,
    kJsonString,
    kPlainString,  // one spelling each: itself, unless JSON wants an escape; then the shortest
  };
  Speller(Form form, const ByteSet& spellable) : form_(form), spellable_(spellable) {}

  // Code points that have a spelling beginning with `prefix` whose other bytes are all spellable.
  const CodePoints& Completions(const std::string& prefix) const;
  // The code point that `spelling` is the whole spelling of.
  std::optional<uint32_t> Decode(std::string_view spelling) const;
  // Whether every code point of `text` from `first` on can be spelled.
  bool CanSpell(std::u32string_view text, size_t first) const;
  bool spellable(uint8_t byte) const { return spellable_[byte]; }

 private:
  CodePoints RawCompletions(std::string_view prefix) const;
  CodePoints EscapeCompletions(std::string_view prefix) const;
  CodePoints PlainEscapeCompletions(std::string_view prefix) const;
  bool UnitCompletes(std::string_view written, uint32_t unit) const;

  Form form_;
  ByteSet spellable_;
  mutable std::map<std::string, CodePoints> completions_;
};

}  // namespace maskloom::judge
