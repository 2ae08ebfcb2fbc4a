// Computes the mask of an item by walking token tries with the machine.
//
// Dense states are not walked: inside a string that may go on with any text, the tokens that stay
// inside are a row of the vocabulary's StringIndex, and only tokens with a quote are walked. All
// other states walk the token trie and descend only where the state lives on.
#pragma once

#include <bitset>
#include <vector>

#include "compiler/arena.h"
#include "compiler/compiled_grammar.h"
#include "compiler/mask.h"
#include "compiler/stepper.h"

namespace maskloom {

// Scratch memory for one thread. Not thread-safe.
class MaskBuilder {
 public:
  // Returns the mask of `item`, whose level must be 0.
  ItemMask Build(const Machine& machine, const VocabularyIndex& vocabulary, const Item& item);

 private:
  // Calls for tokens of `trie` that the machine accepts from `item`; returns nothing else.
  void Walk(const TokenTrie& trie, const Item& item, std::vector<TokenId>* allowed);
  // Chooses the base for `item`, and the trie that holds the tokens outside of it.
  const TokenTrie& ChooseBase(const Item& item, ItemMask* mask) const;

  const Machine* machine_ = nullptr;
  const VocabularyIndex* vocabulary_ = nullptr;
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  struct Level {
    const TokenTrie::Node* next;
    const TokenTrie::Node* end;
    size_t begin_items, end_items;
    Arena::Mark mark;
    bool plain;  // the configuration is one string that may go on with any text
    bool filtered;
    std::bitset<256> bytes;
  };
  std::vector<Level> levels_;
};

// Adds the bytes that may follow `item`, and perhaps some that may not.
void AddNextBytes(const Machine& machine, const Item& item, std::bitset<256>* bytes);

}  // namespace maskloom
