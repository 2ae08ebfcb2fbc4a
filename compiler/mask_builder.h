// Computes the mask of an item by walking token tries with the machine.
//
// Dense states are not walked token by token. Three shortcuts, each exact:
//  * a string or key that may go on with any text: the tokens that stay inside are a row of the
//    StringIndex, and only tokens with a quote are walked;
//  * an automaton with a region (text_region.h): the tokens of its categories and length are a row,
//    and the walk leaves out what that row holds; deeper in the walk, a subtree of only such tokens
//    is taken whole;
//  * digits inside a number: only the number's automaton moves, not the configuration.
// Everything else walks the token trie and descends only where the state lives on.
#pragma once

#include <bitset>
#include <vector>

#include "compiler/arena.h"
#include "compiler/base_rows.h"
#include "compiler/mask.h"
#include "compiler/stepper.h"

namespace maskloom {

// Scratch memory for one thread. Not thread-safe.
class MaskBuilder {
 public:
  // Returns the mask of `item`, whose level must be 0. Rows come from `rows`.
  ItemMask Build(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows,
                 const Item& item);

 private:
  struct Level {
    const TokenTrie::Node* next;
    const TokenTrie::Node* end;
    size_t begin_items, end_items;
    Arena::Mark mark;
    // Is the text behind the item, up to here, within the base's region? Then tokens of no more
    // than this many further code points are in the base already.
    bool in_base;
    uint32_t base_length;
    TextRegion take;   // subtrees within are allowed whole
    bool filtered;     // descend by `bytes` only
    bool is_number;    // the first item is a number, and no other can take a digit
    bool must_return;  // the number may end here, and that is not yet among the items
    std::bitset<256> bytes;
  };

  // Appends the tokens of `trie` that the machine accepts from `item`, less those of `base`.
  void Walk(const TokenTrie& trie, const Item& item, const TextRegion& base,
            std::vector<TokenId>* allowed);
  // Chooses the base for `item`, the region it covers, and the trie that holds the other tokens.
  const TokenTrie& ChooseBase(const Item& item, ItemMask* mask, TextRegion* region) const;
  void PushLevel(const TokenTrie& trie, const TokenTrie::Node& node, size_t begin, size_t end);
  bool StepLevel(Level* level, uint8_t byte);

  const Machine* machine_ = nullptr;
  const VocabularyIndex* vocabulary_ = nullptr;
  BaseRows* rows_ = nullptr;
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  std::vector<Level> levels_;
};

// Adds the bytes that may follow `item`, and perhaps some that may not.
void AddNextBytes(const Machine& machine, const Item& item, std::bitset<256>* bytes);

}  // namespace maskloom
