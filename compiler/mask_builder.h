// Computes the mask of an item by walking token tries with the machine.
//
// Dense states are not walked token by token. Shortcuts, each exact:
//  * a string or key that may go on with any text: the tokens that stay inside are a row of the
//    StringIndex, and only what follows the quote in tokens that have one is walked; a declared key
//    that could end inside such a token is looked at by itself;
//  * white space between JSON tokens: its tokens are a row of SpaceRows;
//  * an automaton with a region (text_region.h): the tokens of its categories and length are a row,
//    and the walk leaves out what that row holds; deeper in the walk, a subtree of only such tokens
//    is taken whole;
//  * where a standard part begins (standard_parts.h), the vocabulary knows which tokens end inside
//  of
//    it and where others leave it;
//  * digits inside a number, plain text inside a string: only the automaton moves, not the
//    configuration.
// Everything else walks the token trie and descends only where the state lives on.
#pragma once

#include <bitset>
#include <vector>

#include "compiler/arena.h"
#include "compiler/base_rows.h"
#include "compiler/mask.h"
#include "compiler/standard_walks.h"
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
    bool is_text;      // the only item is a string at a boundary
    bool in_name;      // inside the key that WalkKey began with
    bool must_return;  // the number may end here, and that is not yet among the items
    std::bitset<256> bytes;
  };

  // How the tokens outside of a base are found.
  struct Plan {
    const TokenTrie* trie = nullptr;
    TextRegion base;       // what of `trie` the base holds
    bool by_tail = false;  // the trie holds tails: a declared key must be told apart
  };

  // Chooses the base for `item`, which goes into `mask`, and the plan for the rest.
  Plan ChooseBase(const Item& item, ItemMask* mask) const;
  // Appends the tokens of `trie` that the machine accepts from `item`, less those of `base`.
  void Walk(const TokenTrie& trie, const Item& item, const TextRegion& base,
            std::vector<TokenId>* allowed);
  // Walks tails as of an undeclared key, then the tokens that end a declared one.
  void WalkKey(const Item& item, std::vector<TokenId>* allowed);
  bool EndsDeclaredName(const Level& level) const;
  // Marks `level` as inside a key that may be a declared one, and descends by such names alone.
  void KeepToNames(Level* level) const;
  void PushLevel(const TokenTrie& trie, const TokenTrie::Node& node, size_t begin, size_t end);
  bool StepLevel(Level* level, uint8_t byte);
  // Which part begins with `byte`, behind which the level's configuration is items_[begin, end)?
  StandardPart PartBegun(const Level& level, uint8_t byte, size_t begin) const;
  // Takes the tokens below `node` where a part has begun, and pushes levels for those that leave
  // it. Returns whether that could be told.
  bool TakePart(const TokenTrie& trie, uint32_t node, StandardPart part, size_t begin,
                std::vector<TokenId>* allowed);
  void PushKeyEnds(const TokenTrie& trie, std::span<const StandardWalks::Exit> ends, size_t begin,
                   std::vector<TokenId>* allowed);

  const Machine* machine_ = nullptr;
  const VocabularyIndex* vocabulary_ = nullptr;
  BaseRows* rows_ = nullptr;
  const StandardWalks* standard_walks_ = nullptr;
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  std::vector<Level> levels_;
  uint32_t deepest_level_ = 0;  // of all walks of one mask
  // While a key is walked for its declared names alone: tokens that end one, allowed or not.
  std::vector<TokenId>* name_ends_ = nullptr;
  std::vector<TokenId> ends_, others_;
};

// Adds the bytes that may follow `item`, and perhaps some that may not.
void AddNextBytes(const Machine& machine, const Item& item, std::bitset<256>* bytes);

}  // namespace maskloom
