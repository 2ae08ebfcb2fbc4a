// What the mask of an item depends on, as a sequence of words: the key under which it is cached.
//
// A mask reads the item's frame and as many levels of the stack below as some token can return
// through. Registers enter the key only as far as one token can tell: counters saturate, keys that
// were seen count only if a token could spell them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  void Reset(const Machine& machine, const VocabularyIndex& vocabulary);
  void Append(uint64_t word);
  // Appends which node of the next level `node` is, or that there is none.
  void AppendNode(const StackNode* node);
  void AppendFrame(const Frame& frame);
  void AppendSeenKeys(const Frame& frame);
  void AppendArray(const Frame& frame);
  bool MattersWhole(const ArrayTable& table, std::string_view key);
  // May an item that is `text` so far become a value that a token holds whole? Such a token can end
  // the item and bring in its equal.
  bool MayRecur(const std::string& text) const;
  void AppendSeenValues(const ArrayTable& table, const Frame& frame);
  void AppendKeyText(const KeyText* text);
  // Distances to a lower and an upper bound, each as far as a token can reach.
  uint64_t Saturated(uint32_t count, uint32_t min, uint32_t max) const;

  const Machine* machine_ = nullptr;
  const VocabularyIndex* vocabulary_ = nullptr;
  std::vector<uint64_t> words_;
  const TraceByte* trace_ = nullptr;  // of the item
  bool in_item_ = false;              // is the frame below the item's own?
  std::u32string text_;               // of a seen key; kept for its memory
  uint64_t hash_ = 0;
  // Nodes in the order they were met; [level_begin_, size) is the next level.
  std::vector<const StackNode*> nodes_;
  size_t level_begin_ = 0;
};

}  // namespace maskloom
