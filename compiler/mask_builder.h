// Computes the mask of an item: a base row that holds most of it, and a walk for the rest.
//
// Dense states are not walked token by token. Bases, each exact:
//  * a string or key that may go on with any text: the tokens that stay inside are a row of the
//    StringIndex, and only what follows the quote in tokens that have one is walked, whatever
//    stands before it; where lengths are bounded, those with too much or too little there are
//    dropped; for all keys of an object once, but for declared ones that could end inside such a
//    token, and seen ones; so also of keys whose automaton is in one state;
//  * white space between JSON tokens: its tokens are a row of SpaceRows;
//  * an automaton with a region (text_region.h): the tokens of its categories and length are a row,
//    and the walk leaves out what that row holds. Where a space leaves the region, which most words
//    begin with, and leads to a region again, tokens of the two are one row. Example: `\S+( \S+)*`;
//  * the same with gaps, where some characters of the categories may follow nowhere, or not at
//    once: those with one of these, or that begin with it, are taken from the row;
//  * an automaton that refuses few words (refused_words.h): the tokens that stay in a string, less
//    those.
// The mask of a string with an automaton is put together of the tokens that end inside of it, known
// by its state alone (text_insides.h), and those that a string may end with where it stands. What
// is inside is made from that of a state which few texts tell from it (sibling_states.h), if there
// is one: only such tokens are read again. Everything else is walked; mask_walk.h says how.
#pragma once

#include <array>
#include <bitset>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "compiler/base_rows.h"
#include "compiler/mask.h"
#include "compiler/mask_walk.h"

namespace maskloom {

// Tokens of a list, marked: a hash table as small as the list, with some bits before it, so that
// most questions need not look at the table. A row of all tokens would be too far from the
// processor.
class MarkedTokens {
 public:
  // Requires: nothing is marked.
  void Mark(std::span<const TokenId> tokens);
  bool Has(TokenId id) const {
    return (bits_[id % kBits / 64] >> (id % 64) & 1) != 0 && slots_[SlotOf(id)] == id;
  }
  void Clear() { bits_ = {}; }

 private:
  static constexpr size_t kBits = 1024;
  static constexpr TokenId kFree = 0xFFFFFFFF;

  // Where `id` is, or a free slot if it is nowhere.
  size_t SlotOf(TokenId id) const {
    size_t slot = (id * 0x9E3779B1u >> 8) & mask_;
    while (slots_[slot] != id && slots_[slot] != kFree) slot = (slot + 1) & mask_;
    return slot;
  }

  std::vector<TokenId> slots_;  // those up to mask_ are in use, half of them free or more
  size_t mask_ = 0;
  std::array<uint64_t, kBits / 64> bits_{};
};

// Scratch memory for one thread. Not thread-safe.
class MaskBuilder {
 public:
  // Returns the mask of `item`, whose level must be 0. Rows come from `rows`. `near`: what
  // FindNearness says of it.
  ItemMask Build(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows,
                 const Item& item, const Nearness& near);

  // Is `item` between JSON tokens, and does BuildBetween take such items at all?
  static bool IsBetween(const Machine& machine, const VocabularyIndex& vocabulary,
                        const Item& item);
  // Returns the union of the masks of `items`. Requires: IsBetween each; they read the same white
  // space.
  ItemMask BuildBetween(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows,
                        Items items);

  // Of a key that may be an undeclared one: the same as if nothing of it had been read, no name
  // were declared and no key were seen. The masks of the object's keys differ from the mask of that
  // in few tokens. Nothing if `item` is no such key, or is that itself.
  static std::optional<Item> PlainKeyOf(const Machine& machine, const VocabularyIndex& vocabulary,
                                        const Item& item);
  // As Build, from the mask of PlainKeyOf(item).
  ItemMask BuildKey(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows,
                    const Item& item, const ItemMask& plain);

  // Is the mask of `item`, in a string, put together of its inside and of what follows the string?
  static bool HasInside(const Machine& machine, BaseRows* rows, const Item& item);
  // An item that stands for `item`, in a string, where that ends: its mask is of the tokens with an
  // unescaped quote that any of the strings may end with there, whatever stands before the quote.
  static Item BehindOf(const Item& item);
  static bool IsBehind(const Item& item);
  ItemMask BuildBehind(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows,
                       const Item& item);
  // What is known of the string `item` whatever follows it, or is found now. Requires:
  // HasInside(item).
  std::shared_ptr<const TextInside> InsideOf(const Machine& machine,
                                             const VocabularyIndex& vocabulary, BaseRows* rows,
                                             const Item& item);
  // As Build, from InsideOf(item) and the mask of BehindOf(item); that may be null where the string
  // may end behind no token's text.
  ItemMask BuildText(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows,
                     const TextInside& inside, const ItemMask* behind);

 private:
  // How the tokens outside of a base are found.
  struct Plan {
    const TokenTrie* trie = nullptr;
    TextRegion base;          // what of `trie` the base holds
    bool before_any = false;  // the base is StandardWalks::member_row
    bool between = false;     // the base is a row of white space; see MaskWalker::WalkBetween
    bool counted = false;     // in a string of any text with a bounded length: `trie` is not walked
    bool by_exits = false;    // tokens leave the base by single marks alone, or are longer: `trie`
                              // is not walked
    // Where a space leaves the base: what it leads to, and what of the tokens that begin with it
    // the row holds, too; if nothing, they are walked.
    std::optional<Item> behind_space = std::nullopt;
    TextRegion spaced_base = {};
    // What of the base is refused after all.
    std::shared_ptr<const RefusedWords> refused = nullptr;
  };

  // Chooses the base for `item`, which goes into `mask`, and the plan for the rest.
  Plan ChooseBase(const Item& item, ItemMask* mask) const;
  // The same for `item`, whose region is `region`, where any text may follow but for few words, if
  // that serves better.
  std::optional<Plan> PlanWords(const Item& item, const TextRegion& region, ItemMask* mask) const;
  // The same for a string whose `region` is not left by marks alone, but is with gaps.
  std::optional<Plan> PlanWithGaps(const Item& item, const TextRegion& region,
                                   ItemMask* mask) const;
  // Makes the own row of `mask` its base.
  void UseOwnRow(ItemMask* mask) const;
  // The same where `region` is digits and letters of hexadecimal numbers and left by marks alone.
  std::optional<Plan> PlanHex(const Item& item, const TextRegion& region, ItemMask* mask) const;
  // The same for `item` where `region` is around it.
  Plan PlanRegion(const Item& item, const TextRegion& region) const;
  // Is `frame`, of a key, as PlainKeyOf makes it?
  static bool IsPlainKey(const Frame& frame);
  // Does what leaves a region of `item` not depend on more than its automaton? Names that are
  // declared may leave it in any way; where keys may run out their text matters, unless endless
  // ones may follow whichever this is.
  bool IsAlone(const Item& item) const;
  // Adds to the exits of `region`, around `item`, those of JSON. Can tokens that leave it be told
  // by single marks?
  bool IsLeftByMarks(const Item& item, TextRegion* region) const;
  void Bind(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows);
  // Drops from `mask` what the walk for it, which ignored seen values, should not have accepted.
  // `between`: its base holds what is only white space.
  void DropEqualItems(const Item& item, const Nearness& near, bool between, ItemMask* mask);
  // Appends to near_.refused those of near_.doubted that `mask` has and the machine does not
  // accept.
  void AskDoubted(const Item& item, const ItemMask& mask);
  // Adds to `mask` what the walk for it, which took no two items to be equal, should have accepted.
  void AddRepeated(const Item& item, ItemMask* mask);
  // Takes `refused` out of `mask`; those that are not in it may be dropped from `refused`.
  void Refuse(std::vector<TokenId>* refused, ItemMask* mask);
  // Appends to `mask`, whose base has the tokens that stay in `region` behind `lead`, those that
  // leave that or are longer.
  void WalkExits(MaskWalker::Lead lead, const Item& item, const TextRegion& region, ItemMask* mask);
  // What tells which texts of more characters than `region` has live, where the bounds on the
  // length of the string `item` have cut it.
  struct LongerTexts {
    std::bitset<128> leaving;  // characters by which texts leave the state
    bool by_blanks = false;    // ... and special spaces?
    CategorySet freeing = 0;   // see TextRegions::FreeingCategories
  };
  std::optional<LongerTexts> LongerTextsOf(const Item& item, const TextRegion& region) const;
  // Appends the tokens of such texts. Returns whether few had to be read for it: if not, nothing is
  // appended.
  bool AppendLonger(const Item& item, const TextRegion& region, std::vector<TokenId>* tokens);
  // Appends the tokens that end the string of any text `item`, whose length is bounded.
  void AppendCountedExits(const Item& item, std::vector<TokenId>* tokens);
  // As Build, and as BuildKey, but for Finish. Require: Bind.
  ItemMask Make(const Item& item, const Nearness& near);
  ItemMask MakeKey(const Item& item, const ItemMask& plain);
  // The base of the mask and what the walk for `item` accepts. `between`: does the base hold what
  // is only white space?
  ItemMask Walk(const Item& item, bool* between);
  // Makes a row of `mask` where its list is longer.
  void Finish(ItemMask* mask);

  // An item of which the inside differs in few tokens alone.
  struct Sibling {
    Item item;
    uint32_t left;  // code points that may follow whatever is read
    SiblingStates::Reach reach;
    // Does it differ in no text of so many code points and runs?
    bool Agrees(uint32_t code_points, uint32_t runs) const {
      return code_points <= left && (code_points <= reach.code_points || runs <= reach.runs);
    }
  };
  // Of a string: the same in a state that stands for its own (sibling_states.h), and as if so few
  // characters had been read that its length is far from its maximum. Nothing if `item` is no such
  // string, or is that itself.
  static std::optional<Sibling> SiblingOf(const Machine& machine, BaseRows* rows, const Item& item);
  // Requires: Bind.
  std::shared_ptr<const TextInside> InsideOf(const Item& item);
  TextInside MakeInside(const Item& item);
  // The same from that of a sibling.
  TextInside MakeInsideBeside(const Item& item, const Sibling& sibling, const TextInside& other);
  // Reads the tokens in which `item` may differ from the sibling: into refused_ those of `base`
  // that it refuses, into names_ all others, of which those that it accepts go into ends_, too.
  void ReadFarTokens(const Item& item, const Sibling& sibling, const MaskBase& base);
  // Behind which beginnings of exits may the string `item` end?
  std::vector<uint64_t> EndsOf(const Item& item);
  // `mask`, which is finished, as the tokens of an inside.
  void TakeMask(ItemMask mask, TextInside* inside);
  // Appends to ends_ the tokens that end the key with `rest`, however that is spelled.
  void AppendEnds(const std::u32string& rest);
  // Appends to ends_ the tokens that go on with a part of `rest`, of a seen key, behind `item`, but
  // where too few keys are left.
  void AppendLast(const Item& item, const std::u32string& rest);

  const Machine* machine_ = nullptr;
  const VocabularyIndex* vocabulary_ = nullptr;
  BaseRows* rows_ = nullptr;
  MaskWalker walker_;
  struct Place {
    uint32_t node;
    Partial partial;
    uint32_t read;       // code points
    uint32_t state = 0;  // of the automaton of undeclared keys
  };
  std::vector<Place> places_;
  std::vector<TokenId> names_, ends_, refused_;
  MaskWalker::NearTokens near_;
  MarkedTokens marked_;             // nothing between calls
  std::vector<TokenId> collected_;  // empty; kept for its memory
  std::u32string rest_;             // of a seen key; kept for its memory
};

}  // namespace maskloom
