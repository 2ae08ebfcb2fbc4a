// What the mask of an item depends on, as a sequence of words: the key under which it is cached.
//
// A mask reads the item's frame and as many levels of the stack below as some token can return
// through. Registers enter the key only as far as one token can tell: counters saturate, keys that
// were seen count only if a token could spell them.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/apart_items.h"
#include "compiler/frame.h"
#include "compiler/machine.h"
#include "compiler/vocabulary_index.h"

namespace maskloom {

class MaskKey {
 public:
  // Begins the key of `item`: its frame alone.
  void Start(const Machine& machine, const VocabularyIndex& vocabulary, const Item& item);
  // Begins the key of the union of `items`, none of which has a trace: their frames alone.
  void StartUnion(const Machine& machine, const VocabularyIndex& vocabulary, Items items);
  // Makes the key what Start made it. Requires: nothing else was started since.
  void Restart();
  // Of the item: what FindNearness says, where arrays compare their items.
  const Nearness& near() const { return near_; }
  // Extends the key by one more level of the stack. Returns false if there is none.
  bool Deepen();
  // Does the key hold the whole stack? A stack of recursive calls has a cycle, so that a walk can
  // return through more levels than there are.
  bool IsWhole() const { return level_begin_ == nodes_.size(); }

  const std::vector<uint64_t>& words() const { return words_; }
  // The lengths that a string has left behind `count` code points, as far as a token can tell.
  static uint64_t RoomOf(const Machine& machine, const StringTable& table, uint32_t count);
  // The white space state of the item, as the first word of its key says it.
  static uint16_t SpaceOf(uint64_t first_word) { return static_cast<uint16_t>(first_word >> 16); }
  uint64_t hash() const { return hash_; }

 private:
  class CloseCursor;

  void Reset(const Machine& machine, const VocabularyIndex& vocabulary);
  void Append(uint64_t word);
  // Appends which node of the next level `node` is, or that there is none.
  void AppendNode(const StackNode* node);
  void AppendFrame(const Frame& frame);
  void AppendSeenKeys(const Frame& frame);
  void AppendArray(const Frame& frame);
  // Does it matter to items that begin in a token whether `key` was seen?
  bool MattersWhole(const ArrayTable& table, std::string_view key) const;
  // May the item that begins behind `begin` bytes of the trace become a value that a token holds
  // whole, or begins where that tells? Such a token can end the item and bring in its equal.
  bool MayRecur(const ArrayTable& table, uint32_t begin) const;
  // How many values the array in `frame` has not seen, as far as a token can tell, where no more of
  // those that an item cannot become matters to whether others follow. Nothing if it does.
  std::optional<uint64_t> ValuesLeft(const ArrayTable& table, const Frame& frame) const;
  void AppendSeenValues(const ArrayTable& table, const Frame& frame);
  void AppendKeyText(const KeyText* text);
  // Distances to a lower and an upper bound, each as far as a token can reach.
  uint64_t Saturated(uint32_t count, uint32_t min, uint32_t max) const;

  void FindHeldBegins();
  // May every character be escaped? Then a token that begins an escape tells nothing of what it
  // begins.
  bool EscapesAny() const;

  const Machine* machine_ = nullptr;
  const VocabularyIndex* vocabulary_ = nullptr;
  std::vector<uint64_t> words_;
  const TraceByte* trace_ = nullptr;  // of the item
  Nearness near_;                     // of the item
  bool in_item_ = false;              // is the frame below the item's own, which has a trace?
  bool is_apart_ = false;             // has the item parted from all values seen around it?
  // Bytes with which strings begin that tokens of the vocabulary `begins_of_` hold, or may.
  std::bitset<256> held_begins_;
  uint64_t begins_of_ = 0;
  size_t longest_quoted_ = 0;  // bytes that such a whole string can take, quotes included
  std::u32string text_;        // of a seen key; kept for its memory
  uint64_t hash_ = 0;
  size_t first_words_ = 0;  // of the frame alone, with their hash
  uint64_t first_hash_ = 0;
  // Nodes in the order they were met; [level_begin_, size) is the next level.
  std::vector<const StackNode*> nodes_;
  size_t level_begin_ = 0;
};

}  // namespace maskloom
