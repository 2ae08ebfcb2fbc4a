// Registers of objects and arrays that rows hold beside their words: which frames have them, where
// their cells lie, and how much of them matters to masks.
//
// Of the frames that have registers the machine asks nothing but whether a byte may come: what it
// leads to is the same for all registers that let it come (stepper_json.cc). So they may be left
// out of words. That is not so for objects with conditions, or bounds that leave too little room
// for other keys, or whose other keys are counted, nor for arrays that compare their items or whose
// items have values of their own by position: these stay in the word.
//
// Masks ask more: every token that may come next is told apart. Of the names of an object only
// those matter that some token can begin or end from there; of all but those that it can end just
// whether a required one is missing, so that the object may not close, and whether any may still
// come, so that a comma may follow. Where no other key may come, all names count below the text of
// a key that is read.
//
// Keys that are not declared are a cell of bits, one for each class of first letters. They matter
// to the machine only in that none may come twice. While such a key is read, its text is no part of
// the word: a row does not go on by tables where another of the same class was seen, and such a key
// is all in the word (the piece has no cells). So no seen key begins like one whose text is not.
// But a text stays in the word as long as it can still become one of the few that a single token
// ends or holds whole, mostly a mark or two: where such a key was seen, masks of other places
// depend on it, and so the cell has a bit for them.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "compiler/frame.h"
#include "compiler/machine.h"
#include "compiler/vocabulary_index.h"
#include "kernels/steps/step_row.h"
#include "runtime/device/key_tokens.h"

namespace maskloom {

// Not thread-safe.
class FrameRegisters {
 public:
  // All must outlive this.
  FrameRegisters(const Machine& machine, const VocabularyIndex& vocabulary,
                 const KeyTokens& key_tokens);

  // Returns which of tables() describes the registers of `frame`, or 0 if it has none.
  uint32_t Find(const Frame& frame);
  const std::vector<kernels::WordRegisters>& tables() const { return tables_; }

  // Appends the cells of `frame`. Returns false where they cannot say what it has seen. Requires:
  // Find did not return 0.
  bool AppendCells(const Frame& frame, std::vector<uint32_t>* cells) const;
  // Returns `frame` with other cells, but with its own keys that are not declared.
  Frame WithCells(const Frame& frame, const uint32_t* cells) const;
  // Cells that the container of `frame` is likely to have: few names in any order, more in declared
  // order, all or those that are required; any number of items up to a few.
  std::vector<std::vector<uint32_t>> LikelyCells(const Frame& frame) const;
  // Can a text go on from `frame`, which may be made up?
  bool IsLive(const Frame& frame) const;
  // Returns the bits of `names` that are in a cell.
  static uint32_t NamesIn(uint64_t names, uint32_t cell);
  // Returns the names of the object of `frame` that may come at all.
  uint64_t AllowedNames(const Frame& frame) const;
  // Does nothing but the names that it has tell masks of `frame` apart? Requires: it is before or
  // in a key.
  bool IsByNames(const Frame& frame) const;
  // Of a key that is not declared: its class, and whether a token can end it or hold it whole.
  uint32_t KeyBits(const KeyText* text) const;
  // The class of the key that is read; 0 where none is, or a declared one may be.
  static uint32_t OpenKeyBit(const Frame& frame);
  // Is the text of the key that is read, which is not declared, a part of the word?
  bool KeepsText(const Frame& frame) const;
  // What the count of `frame` is at least, and at most.
  uint32_t LeastCount(const Frame& frame) const;
  uint32_t MostCount(const Frame& frame) const;

 private:
  bool HasRegisters(const ObjectTable& table) const;
  kernels::WordRegisters OfObject(const Frame& frame) const;
  kernels::WordRegisters OfArray(const ArrayTable& table) const;
  // May a token that comes at `frame` end the key that is name `index`?
  bool MayEnd(const ObjectTable& table, const Frame& frame, uint32_t index) const;
  // May one tell by other means whether it was seen?
  bool IsTold(const ObjectTable& table, const Frame& frame, uint32_t index) const;
  uint32_t BlindBits(const Frame& frame, const ObjectTable& table) const;
  bool IsWhole(std::u32string_view key) const;
  bool IsEnd(std::u32string_view key) const;

  const Machine& machine_;
  const VocabularyIndex& vocabulary_;
  const KeyTokens& key_tokens_;
  std::vector<kernels::WordRegisters> tables_;
  std::map<std::tuple<FrameKind, uint32_t, Phase, uint32_t, bool>, uint32_t> known_;
};

}  // namespace maskloom
