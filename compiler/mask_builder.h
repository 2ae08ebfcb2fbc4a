// Computes the mask of an item: a base row that holds most of it, and a walk for the rest.
//
// Dense states are not walked token by token. Bases, each exact:
//  * a string or key that may go on with any text: the tokens that stay inside are a row of the
//    StringIndex, and only what follows the quote in tokens that have one is walked; for all keys
//    of an object once, but for declared ones that could end inside such a token, and seen ones;
//    so also of keys whose automaton is in one state;
//  * white space between JSON tokens: its tokens are a row of SpaceRows;
//  * an automaton with a region (text_region.h): the tokens of its categories and length are a row,
//    and the walk leaves out what that row holds.
// Everything else is walked; mask_walk.h says how.
#pragma once

#include <optional>
#include <vector>

#include "compiler/base_rows.h"
#include "compiler/mask.h"
#include "compiler/mask_walk.h"

namespace maskloom {

// Scratch memory for one thread. Not thread-safe.
class MaskBuilder {
 public:
  // Returns the mask of `item`, whose level must be 0. Rows come from `rows`.
  ItemMask Build(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows,
                 const Item& item);

  // Of a key that may be an undeclared one: the same as if nothing of it had been read, no name
  // were declared and no key were seen. The masks of the object's keys differ from the mask of that
  // in few tokens. Nothing if `item` is no such key, or is that itself.
  static std::optional<Item> PlainKeyOf(const Machine& machine, const VocabularyIndex& vocabulary,
                                        const Item& item);
  // As Build, from the mask of PlainKeyOf(item).
  ItemMask BuildKey(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows,
                    const Item& item, const ItemMask& plain);

 private:
  // How the tokens outside of a base are found.
  struct Plan {
    const TokenTrie* trie = nullptr;
    TextRegion base;          // what of `trie` the base holds
    bool before_any = false;  // the base is StandardWalks::member_row
    bool between = false;     // the base is a row of white space, of which none was read
    bool by_exits = false;    // tokens leave the base by single marks alone, or are longer: `trie`
                              // is not walked
  };

  // Chooses the base for `item`, which goes into `mask`, and the plan for the rest.
  Plan ChooseBase(const Item& item, ItemMask* mask) const;
  void Bind(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows);
  // Where values that arrays around `item` have seen hardly matter (apart_items.h), takes its trace
  // and makes the walker ignore them. Returns how near it is to them.
  Nearness IgnoreSeenValues(Item* item);
  // Drops from `mask` what the walk for it, which ignored seen values, should not have accepted.
  // `between`: its base holds what is only white space.
  void DropEqualItems(const Item& item, const Nearness& near, bool between, ItemMask* mask);
  // Takes the tokens of refused_ out of `mask`.
  void Refuse(ItemMask* mask);
  // Makes a row of `mask` where its list is longer.
  void Finish(ItemMask* mask) const;
  // Appends to ends_ the tokens that end the key with `rest`, however that is spelled.
  void AppendEnds(const std::u32string& rest);

  const Machine* machine_ = nullptr;
  const VocabularyIndex* vocabulary_ = nullptr;
  BaseRows* rows_ = nullptr;
  MaskWalker walker_;
  struct Place {
    uint32_t node;
    Partial partial;
    uint32_t read;  // code points
  };
  std::vector<Place> places_;
  std::vector<TokenId> names_, ends_, refused_;
  std::vector<uint32_t> marked_;  // a row of zeros between calls
  std::u32string rest_;           // of a seen key; kept for its memory
};

}  // namespace maskloom
