// Where inside an automaton text can go on freely.
//
// The region of a state is a set of categories and a number of code points such that every text of
// only these categories and at most that long keeps the state live. It is looked for twice. First
// with all categories that the state has, breadth first: all states of a layer must have them too,
// else the layer's depth is the length; when that is too short, the categories that were missing
// are given up and the search begins again. Example: `(\S+\s+){0,49}\S+` behind its first word:
// any category, 97 code points. Then without end: letters, and one after the other what can be
// added so that every state which is met has all of them. Example: a URI behind `//`: `:` may be
// added, but not `/`, which the password that may follow cannot have. Where there are no letters at
// all, or those of hexadecimal numbers only, digits may be a region. Example: a date. Where a mark
// may come at once, behind which all else is missing, letters and digits are a region if no longer
// text of them may follow. Example: a language tag behind its first letter. Where nothing is, it is
// the empty text, with the characters that may follow as its exits.
//
// Where letters are missing that may nowhere follow, as in `[^e]*`, or most of Unicode's blocks are
// there in part, there is a region with gaps: the same search, but categories of which the same
// characters may follow in all its states count as if all might. Where its first state has fewer of
// them than what is behind, these count. Example: a label of a host's name, which begins with no
// combining mark.
//
// Bounds on the length of a string cut its region where some text of it could no longer be
// finished; so do keys that may run out, where single ones begin to matter.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "compiler/category_index.h"
#include "compiler/frame.h"
#include "compiler/machine.h"

namespace maskloom {

struct TextRegion {
  CategorySet categories = 0;  // 0: none worth having but the empty text
  uint32_t length = 0;         // code points, or CategoryIndex::kAnyLength
  // Is no text of the categories that is longer live?
  bool is_whole = false;
  // Other categories of which a character may follow a text of the region.
  CategorySet exits = 0;
  // Of these and of what JSON has other spellings for, those behind which it does not matter which
  // text of the region was read, unless it is empty or its length counts.
  CategorySet alike = 0;
  // May some characters of the categories not follow, the same ones wherever a text of it is?
  bool has_gaps = false;
  // Then the state whose characters are those of the region; its first state may have fewer.
  uint32_t gaps_of = 0;
};

// The regions of a grammar's states, remembered. Thread safety: any thread.
class TextRegions {
 public:
  // `longest_digits`: of the vocabulary, see CategoryIndex.
  explicit TextRegions(uint32_t longest_digits);
  ~TextRegions();

  // Returns the region of `item`, which is in a string, a key with undeclared names or a rule, at a
  // boundary, or in a number where any digits may follow; else none.
  TextRegion Find(const Machine& machine, const Item& item);
  // The same of a string with an automaton, where characters that no text of the region has before
  // it is left may be missing from its categories (has_gaps); none if few others are left.
  TextRegion FindWithGaps(const Machine& machine, const Frame& frame);
  // How many code points may follow `frame`, of a string with an automaton, whichever that reads:
  // CategoryIndex::kAnyLength if no token has more.
  struct FreeLength {
    uint32_t length = CategoryIndex::kAnyLength;
    bool is_whole = false;  // is no longer text live?
  };
  FreeLength FreeLengthOf(const Machine& machine, const Frame& frame);
  // Categories of which a character makes every text of those of `region` live, as long as the
  // string's length lets it, where the bounds on that have cut `region`. Nothing if that is not
  // known, or if the automaton ends `region` too.
  std::optional<CategorySet> FreeingCategories(const Machine& machine, const Frame& frame,
                                               const TextRegion& region);
  // Is there a region, of more than digits, where `frame` is in a string with an automaton, or
  // behind a space, whatever its length may be?
  bool IsWide(const Machine& machine, const Frame& frame);
  // The undeclared keys of `frame` less the states from which too few keys are left, where
  // endlessly many may come; all of them where none was seen and no name is read. Nothing if there
  // are too many classes of keys to tell.
  const TextAutomaton* EndlessKeysOf(const Machine& machine, const Frame& frame);

 private:
  class Known;

  // The region of `state`, whatever the bounds on lengths; no text in it leads to a state to which
  // `endless`, the same automaton or a part of it, has no edge.
  TextRegion OfState(const TextAutomaton& automaton, const TextAutomaton& endless, uint32_t state,
                     CategorySet excluded);
  // The undeclared keys of `table` less the states from which only few keys are left of those
  // classes that are in `classes`, a bit each.
  const TextAutomaton& EndlessKeys(const ObjectTable& table, uint64_t classes);
  TextRegion OfString(const Machine& machine, const Frame& frame);
  // The longest length that has no text among those of the states behind `state`, of `table`: they
  // have texts of all lengths from the next on.
  uint64_t GapBehind(const StringTable& table, uint32_t state);
  // Cuts `region` to what the bounds of the string `frame` leave.
  void Cut(const Machine& machine, const Frame& frame, TextRegion* region);
  // Cuts `region` to what the bounds of the string `frame` leave, whichever text it is.
  void CutToLength(const Machine& machine, const Frame& frame, TextRegion* region);
  // Digits, as many as may follow whichever they are; any number if a token has no more.
  TextRegion OfDigits(const Machine& machine, const Frame& frame) const;

  const uint32_t longest_digits_;
  std::mutex mutex_;
  std::unique_ptr<Known> known_;
};

}  // namespace maskloom
