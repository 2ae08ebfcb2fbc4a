// How code points are spelled in bytes, followed byte by byte.
//
// Automata read code points; tokens are bytes and may end inside a character or an escape. A
// Partial is what was read of a code point so far, packed into 32 bits: 0 at a boundary, else a
// form and its payload. Three codings exist: UTF-8, the inside of a JSON string (UTF-8 without
// controls, the short escapes, \uXXXX and surrogate pairs in either hex case), and its plain form,
// in which every code point has one spelling: itself, but \" and \\ for these two and for controls
// the short escape or \u00xx in lower case. A text in the plain form means the same in the full
// one.
//
// A partial stands for at most three ranges of code points that it can still become; automata use
// them to tell whether a partial is live.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "grammar/base/code_point_set.h"

namespace maskloom {

// Is `byte` no continuation byte of UTF-8?
inline bool BeginsCodePoint(uint8_t byte) { return (byte & 0xC0) != 0x80; }

enum class TextCoding : uint8_t { kUtf8, kJsonString, kPlainString };

using Partial = uint32_t;
inline constexpr Partial kBoundary = 0;

struct CodingStep {
  enum class Outcome : uint8_t {
    kDead,       // the byte cannot follow
    kPartial,    // more bytes are needed: `partial`
    kCodePoint,  // `code_point` is complete
    kQuote,      // an unescaped quote ends the JSON string
  };
  Outcome outcome = Outcome::kDead;
  Partial partial = kBoundary;
  uint32_t code_point = 0;
};

// Reads `byte` behind `partial`.
CodingStep StepCoding(TextCoding coding, Partial partial, uint8_t byte);

// The code points that `partial` can become; `count` is 1 to 3. At a boundary: all.
struct PartialRanges {
  CodePointRange ranges[3];
  uint32_t count = 0;
};
PartialRanges RangesOf(Partial partial);

// Bytes that can follow `partial` in `coding`, before any automaton is asked.
const std::bitset<256>& BytesAfter(TextCoding coding, Partial partial);

// Which code points can be written using `spellable` bytes only, and from which partials onwards
// every code point of RangesOf can be finished.
class Spelling {
 public:
  Spelling() = default;
  Spelling(TextCoding coding, const std::bitset<256>& spellable);

  // Code points that can be spelled from a boundary.
  const CodePointSet& code_points() const { return code_points_; }
  // Can every scalar value be spelled, from any partial that stands for it?
  bool complete() const { return complete_; }
  // Can `partial`, not a boundary, become every code point of RangesOf(partial)?
  bool FinishesAll(Partial partial) const;
  // Can `partial` become some code point, or is it a boundary?
  bool CanBeFinished(Partial partial) const;
  // Code points that `partial` can become by spellable bytes. Only for vocabularies whose spelling
  // is not complete(). Thread safe. Cost: linear in their number at the first call for a partial;
  // later a look-up under a lock.
  std::shared_ptr<const CodePointSet> FinishableFrom(Partial partial) const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.coding_);
    archive.Value(self.spellable_);
    archive.Part(self.code_points_);
    archive.Value(self.continuations_);
    archive.Value(self.escapes_);
    archive.Value(self.complete_);
    if constexpr (!std::is_const_v<Self>) self.memo_ = MakeMemo();
  }

 private:
  TextCoding coding_ = TextCoding::kUtf8;
  struct Memo;

  static std::shared_ptr<Memo> MakeMemo();
  CodePointSet FindFinishable(Partial partial) const;

  std::bitset<256> spellable_;
  CodePointSet code_points_;
  bool continuations_ = false;  // are all continuation bytes of UTF-8 spellable?
  bool escapes_ = false;        // is every \uXXXX? In plain strings: is every escape they have?
  bool complete_ = false;
  std::shared_ptr<Memo> memo_;  // of FinishableFrom
};

}  // namespace maskloom
