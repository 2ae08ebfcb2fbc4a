// Walks token tries with the machine: which tokens does it accept from an item?
//
// A walk descends only where the configuration lives on. Where it need not look, or not with the
// whole machine, it takes a shorter way; each is exact:
//  * what the base of the mask holds is left out, and a subtree of tokens that all stay in a region
//    (text_region.h) is taken whole;
//  * where a standard part begins (standard_parts.h), the vocabulary knows which tokens end inside
//    of it and where others leave it;
//  * plain text inside a string or key, digits inside a number: the automaton or the trie of names
//    alone walks (text_walk.cc, key_walk.cc, number_walk.cc), and the machine again below what ends
//    or escapes it;
//  * items of arrays of distinct items are followed only where they may come again (near_walk.cc);
//  * where a text leaves a region only by single marks, the tokens that have these are known
//    (exit_walk.cc);
//  * where a text may go on but for few words, what is refused is looked for (word_walk.cc).
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/apart_items.h"
#include "compiler/arena.h"
#include "compiler/liveness.h"
#include "compiler/refused_words.h"
#include "compiler/standard_walks.h"
#include "compiler/stepper.h"
#include "compiler/text_region.h"
#include "compiler/vocabulary_index.h"

namespace maskloom {

// Is `item` at a boundary inside a key that may be one of endless undeclared ones?
bool IsOpenKey(const Machine& machine, const Item& item);
// Is `item` at a boundary inside a string that no automaton restricts, or such a key?
bool IsAnyText(const Machine& machine, const Item& item);

// Is `frame` between JSON tokens, in a style in which white space does not depend on the place?
bool IsBetweenTokens(const Machine& machine, const Frame& frame);

// The value that begins at `item`, of a container, if only one may, and if what the container
// becomes does not depend on it.
std::optional<ValueId> OnlyValueAt(const Machine& machine, const Item& item);

// Scratch memory for one thread. Not thread-safe. Requires: Bind before Walk.
class MaskWalker {
 public:
  // All must outlive the walks.
  void Bind(const Machine& machine, const VocabularyIndex& vocabulary, TextRegions* regions);

  // Makes the walks to come take arrays as in Stepper::IgnoreSeenValues, until Bind.
  void IgnoreSeenValues() { stepper_.IgnoreSeenValues(true); }
  // Does the machine accept `bytes`, of a token, from `item`?
  bool Accepts(const Item& item, std::string_view bytes);
  // The same for an item that is in a string at a boundary, without a trace. Cost: little for runs
  // of one character in which the automaton stays in its state.
  bool AcceptsText(const Item& item, std::string_view bytes);
  // Drops those of `tokens` that may hold items of arrays around `item`, which `near` says, or a
  // comma behind one where their values may run out, and that the machine, which does not ignore
  // seen values, does not accept from `item`.
  void DropEqualItems(const Item& item, const Nearness& near, std::vector<TokenId>* tokens);
  // Appends the tokens that the machine, which does not ignore seen values, refuses on the ways
  // from `item` that stay near to values seen, less those of which all is white space if `between`;
  // see WalkBetween.
  // `near`: what FindNearness says of `item`.
  struct NearTokens {
    std::vector<TokenId> refused;
    // On ways where one of several readings was refused: what is accepted for that alone is to be
    // refused, too.
    std::vector<TokenId> doubted;
    // Accepted behind an item that is equal to one before.
    std::vector<TokenId> repeated;

    void Clear() {
      refused.clear();
      doubted.clear();
      repeated.clear();
    }
  };
  void WalkNear(const Item& item, const Nearness& near, bool between, NearTokens* tokens);

  // Appends the tokens of `trie` that the machine accepts from `item`, whose level must be 0, less
  // those of the region `base` from here. Where `name_ends` is not null, `item` is a key: the walk
  // is for its declared names alone, and tokens that end one, allowed or not, go there.
  void Walk(const TokenTrie& trie, const Item& item, const TextRegion& base,
            std::vector<TokenId>* allowed, std::vector<TokenId>* name_ends = nullptr);
  // What of a token stands before `item`.
  enum class Lead { kNothing, kSpace };
  // The same for tokens of which the first character that is not of `base`, behind `lead`, has
  // category `exit`. Requires: `item` is a string or a key that is no declared name, at a boundary
  // without a trace; the vocabulary has such exits.
  void WalkExits(uint8_t exit, Lead lead, const Item& item, const TextRegion& base,
                 std::vector<TokenId>* allowed);
  // The same for tokens that have more characters of `base` behind `lead` than its length.
  void WalkLonger(Lead lead, const Item& item, const TextRegion& base,
                  std::vector<TokenId>* allowed);
  // Appends the numbers of those beginnings (StringIndex::BeginningOfExit) behind which the string
  // `item`, at a boundary without a trace, may end.
  void AppendEnds(const Item& item, std::vector<uint32_t>* numbers);
  // Appends the tokens that begin with a quote, as StringIndex::tails() spells them, and that the
  // machine accepts where a string of `item`'s stack ends.
  void WalkBehindString(const Item& item, std::vector<TokenId>* allowed);
  // `item`, of a string, as if nothing could follow that, not even its end.
  static Item InsideAlone(const Item& item);
  static bool IsInsideAlone(const Item& item);
  // As WalkLonger for all tokens that begin with a space, which stands before `item`.
  void WalkSpaced(const Item& item, std::vector<TokenId>* allowed);
  // Appends the tokens that the machine refuses from `item`, as in WalkExits, of those in `row`,
  // which are plain text and have no characters that may never follow: what `words` say, which are
  // those of its state.
  void AppendRefused(const Item& item, const RefusedWords& words, const uint32_t* row,
                     std::vector<TokenId>* refused);
  // Moves `item`, as in WalkExits, by a character. Returns whether it lives.
  bool AdvanceText(uint32_t code_point, Item* item) const;
  // Appends the tokens that the machine accepts from `item`, which is before a value of any kind
  // (StandardNodes::IsBeforeAny), less those of StandardWalks::member_row.
  void WalkMember(const Item& item, std::vector<TokenId>* allowed);
  // Appends the tokens that the machine accepts from `item`, which is between JSON tokens, less
  // those that are only white space. Requires: a style with StandardWalks::space_ends; these follow
  // the white space read so far.
  void WalkBetween(const Item& item, std::vector<TokenId>* allowed);
  // The same from each of `items`, which read the same white space.
  void WalkBetween(Items items, std::vector<TokenId>* allowed);
  // The most levels of the stack that a walk looked at since Bind.
  uint32_t deepest_level() const { return deepest_level_; }

 private:
  // Is the text behind the item, up to here, within the base? Then tokens of no more than this many
  // further code points are in it already.
  struct Base {
    bool holds = false;
    uint32_t length = 0;
  };

  // Tokens below a node that have only these categories and no more code points are allowed.
  struct Take {
    CategorySet categories = 0;
    uint32_t length = 0;
  };

  // A node of the trie, with what is to come of its children.
  struct Level {
    const TokenTrie::Node* next = nullptr;
    const TokenTrie::Node* end = nullptr;
    size_t begin_items = 0, end_items = 0;
    Arena::Mark mark;
    Base base;
    Take take;              // subtrees within are allowed whole
    bool filtered = false;  // descend by `bytes` only
    bool in_name =
        false;  // inside a character of the key that a walk for declared names began with
    std::bitset<256> bytes;
  };

  // The same inside a string, of which only the automaton moves.
  struct TextLevel {
    const TokenTrie::Node* next;
    const TokenTrie::Node* end;
    const TextAutomaton::Edge* edge;  // the first that does not lie before `next`
    const TextAutomaton::Edge* end_edges;
    bool has_edges;         // if not, no character follows, or any text
    Partial partial;        // inside a character the edges do not count
    uint32_t state, count;  // as in Frame
    Base base;
    Take take;  // subtrees within are allowed whole
  };

  // The same inside a key, along declared names and the automaton of others.
  struct KeyLevel {
    const TokenTrie::Node* next;
    const TokenTrie::Node* end;
    const TokenTrie::Node* node;
    const NameTrie::Edge* name;  // the first that does not lie before `next`
    const NameTrie::Edge* end_names;
    const TextAutomaton::Edge* edge;  // the same
    const TextAutomaton::Edge* end_edges;
    bool has_names, has_edges, any_text;  // what of these there is
    uint32_t state, state2;               // as in Frame
    Base base;
    Take take;  // subtrees within are allowed whole
  };
  // A node at which an undeclared key ends.
  struct KeyEnd {
    const TokenTrie::Node* node;
    uint32_t label;  // of its class
    uint32_t state2;
    const KeyText* text;  // where it tells the class, else of no key that was seen
  };

  // The same inside a number.
  struct NumberLevel {
    const TokenTrie::Node* next;
    const TokenTrie::Node* end;
    uint32_t state;
    Base base;
    Take take;
  };

  // Sets the trie to walk.
  void UseTrie(const TokenTrie& trie, const CategoriesBelow* below) {
    trie_ = &trie;
    below_ = below;
    spaced_nodes_ = standard_walks_->SpacedNodesOf(trie);
  }
  // Makes `item` all there is to walk from; walks what levels there are.
  void Reset(const Item& item);
  void Finish();
  // Begins a walk of the trie of all tokens from `item`, without a base.
  void Begin(const Item& item, std::vector<TokenId>* allowed);
  // Takes the tokens that are white space and a mark of `bytes`, with what follows in others, and
  // pushes levels for the rest of `bytes`, from items_[begin, end), which are between tokens.
  void WalkMarks(const SpacedMarks& marks, size_t begin, size_t end, std::bitset<256> bytes);
  void TakeSpacedMark(const SpacedMarks::List& list, size_t begin, size_t end);
  void PushBehindSpace(uint32_t node, size_t begin, size_t end, const std::bitset<256>& bytes);
  // What is known below `node`, behind which items_[begin, end) are, or null.
  const SpacedMarks* MarksBelow(const TokenTrie::Node& node, size_t begin, size_t end) const;
  // As PushFiltered, by what is known there; may walk some of it at once. Without a base.
  void PushBehind(const TokenTrie::Node& node, size_t begin, size_t end,
                  const std::bitset<256>& bytes);
  // Of the strings and numbers from items_[begin] on which the walk began, makes one of those that
  // differ in what follows them.
  void MergeBegun(size_t begin);
  // A node with the edges of both. Requires: the walk made them; nothing there has a trace.
  const StackNode* JoinNodes(const StackNode* a, const StackNode* b);
  void WalkRoot(const Item& item, const TextRegion& base);
  // Where an automaton alone can walk below `node` from the configuration from items_[begin] on,
  // does that; see Walk for `for_ends`. Returns whether it could.
  bool WalkByAutomaton(const TokenTrie::Node& node, size_t begin, const Base& base, bool for_ends);
  // Walks below `node` from `item`.
  void WalkBelow(const TokenTrie::Node& node, const Item& item, const Base& base);
  // Walks what the levels above the lowest `floor` ones have to come.
  void RunLevels(size_t floor);
  // Goes on at `child` of the top level.
  void WalkChild(const TokenTrie::Node& child);
  Level* PushLevel(const TokenTrie::Node& node, size_t begin, size_t end);
  // The same where it is known which bytes may come.
  Level* PushFiltered(const TokenTrie::Node& node, size_t begin, size_t end,
                      const std::bitset<256>& bytes);
  // The bytes that may come next, or more.
  std::bitset<256> BytesBehind(size_t begin, size_t end) const;
  // For some children of a node, all of which are tried.
  Level* PushChildren(std::span<const TokenTrie::Node> children, size_t begin, size_t end);
  Base BaseBelow(const TokenTrie::Node& child, const Base& base) const;
  // Does the base hold all that ends at or below `child`, or is all of it allowed, and taken? Then
  // nothing is to be walked.
  bool IsDone(const TokenTrie::Node& child, const Base& base, const Base& below, const Take& take);
  // Is all that stands strictly below `node`, and its byte, within `take`? Then that is allowed.
  bool TakeBelow(const TokenTrie::Node& node, const Take& take);
  // Are there so many tokens below `node` that it is worth finding a region to take subtrees by?
  bool MayTakeBelow(const TokenTrie::Node& node) const;
  // The region to take subtrees by, from `item`.
  Take RegionToTake(const Item& item);
  // The same for a level of the key `item`, of its undeclared keys.
  Take TakeOfKey(const Item& item, const KeyLevel& level);
  // May so many ASCII characters follow that there is a region to take subtrees by?
  static bool IsWide(std::span<const TextAutomaton::Edge> edges);

  // Which part begins with `byte`, behind which the level's configuration is that from
  // items_[begin] on?
  StandardPart PartBegun(const Level& level, uint8_t byte, size_t begin) const;
  // Takes the tokens below `node` where a part has begun, and pushes levels for those that leave
  // it. Returns whether that could be told.
  bool TakePart(const TokenTrie::Node& node, StandardPart part, size_t begin);
  // Takes the tokens of a string's walk that fit `room`.
  void AllowCounted(const StandardWalks::Walk& walk, const LengthRange& room);
  // Appends what `item`, in `part`, becomes where the part ends.
  void AppendBehind(StandardPart part, const Item& item);
  // `room`: of a string.
  void PushExits(const StandardWalks::Walk& walk, StandardPart part, const Item& item,
                 const LengthRange& room);
  void PushKeyEnds(std::span<const StandardWalks::Exit> ends, size_t begin);
  // Takes the tokens that begin with the standard parts of that value or the space before them, and
  // pushes levels for those that leave them. What it did so is taken out of `bytes`.
  void TakeSpacedParts(const Item& item, std::bitset<256>* bytes);
  // Reads the end of a key from items_[begin] and appends what it becomes. Returns whether it
  // lives.
  bool ReadKeyEnd(const StandardWalks::Exit& end, size_t begin);

  // Is the configuration from items_[begin] on a string at a boundary?
  bool IsText(size_t begin) const;
  // Walks below `node` from the string `item`.
  void WalkText(const TokenTrie::Node& node, const Item& item, const Base& base);
  // The first byte from `byte` on with which a text may go on that is not spelled as itself: the
  // end or an escape; a lead if `beyond_ascii()`, which says whether a character beyond ASCII may
  // follow; 0x100 if there is none.
  template <typename BeyondAscii>
  static uint32_t NextMark(uint32_t byte, BeyondAscii beyond_ascii) {
    if (byte <= '"') return '"';
    if (byte <= '\\') return '\\';
    return beyond_ascii() ? std::max(byte, 0x80u) : 0x100;
  }
  // The first byte from `byte` on with which the text of `level` may go on; 0x100 or more if there
  // is none. Passes over edges that lie before it.
  static uint32_t NextTextByte(TextLevel* level, uint32_t byte);
  // The same of a key, by its declared names alone if `names_only`.
  static uint32_t NextKeyByte(KeyLevel* level, uint32_t byte, bool names_only);
  // Moves `next` of `level` to the first child with such a byte.
  static void FindNextKeyByte(KeyLevel* level, bool names_only);
  // May a character beyond ASCII follow?
  static bool MayGoBeyondAscii(const KeyLevel& level, bool names_only);
  // `take`: the region to take subtrees by, where it is known.
  void PushTextLevel(const TokenTrie::Node& node, const Item& item, const Base& base,
                     const Take* take);
  // Reads a byte of the string `frame` that is no character by itself. Returns whether it lives.
  bool ReadCoded(uint8_t byte, Frame* frame) const;
  // Walks below the nodes of ends_ from `first` on, behind which the string or number `item` has
  // ended, and drops them.
  void WalkEnds(const Item& item, size_t first);
  // The same where items_ from `begin` on are what it became; these are dropped too.
  void WalkEndsFrom(size_t begin, size_t first);
  // Walks `child` from `item` with the machine.
  void WalkOtherChild(const TokenTrie::Node& child, const Item& item, const Base& base,
                      bool in_name);

  // Is the configuration from items_[begin] on a key at a boundary, of which no more matters than
  // where its names and its automaton are?
  bool IsKey(size_t begin) const;
  // Walks below `node` from the key `item`; see Walk for `for_ends`.
  void WalkKey(const TokenTrie::Node& node, const Item& item, const Base& base, bool for_ends);
  void PushKeyLevel(const TokenTrie::Node& node, const ObjectTable& table, uint32_t state,
                    uint32_t state2, const Base& base);
  const KeyText* KeyTextBehind(const KeyText* text, size_t floor);
  // May the key go on from `state2` of the others' automaton behind the levels from `floor` on and
  // `byte`, with which it is at `state` of the declared names?
  bool OthersGoOn(const OtherKeys& others, const KeyText* text, size_t floor, uint8_t byte,
                  uint32_t state, uint32_t state2);
  // Walks below the nodes of key_ends_ from `first` on, at which `item` has ended, and drops them.
  void WalkKeyEnds(const Item& item, size_t first);

  // Is the configuration from items_[begin] on a number, at most with what it has returned to,
  // where no byte of a number may follow it?
  bool IsNumber(size_t begin) const;
  // Walks below `node` from the number `item`.
  void WalkNumber(const TokenTrie::Node& node, const Item& item, const Base& base);
  // Takes the numbers below `node`, and appends to ends_ where they may end.
  void TakeNumber(const TokenTrie::Node& node, const Item& item, const Base& base);
  // Takes numbers `id` from where `item`, of a container, may have one next.
  void TakeSpacedNumber(const Item& item, NodeId id);
  // Appends `node` to ends_ if the number may end there and tokens go on with something else.
  void PushNumberLevel(const TokenTrie::Node& node, const Item& item, const Base& base);

  // A node on a way that stays near to values seen.
  struct NearLevel {
    const TokenTrie::Node* next;
    const TokenTrie::Node* end;
    size_t begin_items, end_items;
    Arena::Mark mark;
    size_t begin_values, end_values;  // in near_values_; an empty one: it is not known which
    // Inside of a string or key: of the strings in these values that begin as it does, what is to
    // come, in near_rests_.
    bool in_text;
    size_t begin_rests, end_rests;
    std::bitset<256> bytes;  // that stay near, or may
    size_t value_count;      // in near_values_, for this level and those above
  };
  // The same of such a string, of which only the automaton moves.
  struct NearTextLevel {
    const TokenTrie::Node* next = nullptr;
    const TokenTrie::Node* end = nullptr;
    Frame frame;
    // In near_texts_: those that were seen and begin as was read; the first that does not lie
    // before `next`.
    size_t first_text = 0, next_text = 0, end_texts = 0;
    size_t read = 0;    // bytes of them
    bool dead = false;  // were all that the string can become seen?
  };
  // Pushes a level for the children of `node` and the configuration from `begin` on, which `byte`
  // led to from the level above (null: none); not if it is apart from all values seen.
  void PushNear(const TokenTrie::Node& node, size_t begin, const NearLevel* above, uint8_t byte);
  // For what follows white space behind the item that the walk begins with.
  void PushNearBehindSpace();
  bool StaysNear(const NearLevel& level, uint8_t byte) const;
  // Has an item just ended that is equal to one before, as its array asks, in the configuration
  // from `begin` on?
  bool HasRepeated(size_t begin) const;
  // Appends to `accepted` the tokens below `node` that the machine accepts from there.
  void WalkRepeated(const TokenTrie::Node& node, size_t begin, std::vector<TokenId>* accepted);
  // Walks below the node of `level`, inside a string that can become finitely many texts of which
  // only those that were seen are refused, by counting them (near_text_walk.cc). Returns whether it
  // could.
  bool WalkNearTexts(const TokenTrie::Node& node, const NearLevel& level);
  // Goes on at `child` of the top level, whose byte is a character.
  void WalkNearCharacter(const TokenTrie::Node& child);
  void PushNearTexts(const TokenTrie::Node& node, NearTextLevel level);
  // Reads `text` and the byte of `child` from `item` with the machine, and goes on near from there.
  void PushNearBehind(const TokenTrie::Node& child, const Item& item, std::string_view text);
  // Is every text that the string `item` can become refused only if it was seen, and are all that
  // were texts of its automaton?
  bool IsRefusedOnlyIfSeen(const Item& item) const;
  // Is the configuration from `begin` on inside of one string or key?
  bool IsInOneText(size_t begin) const;
  // Finds near_values_ of the configuration from `begin` on. Returns whether there may be any.
  bool FindNear(size_t begin);
  // Fills in what the level, inside a string or key, has to come: near_rests_ from its begin on.
  void SetNearText(const NearLevel* above, uint8_t byte, NearLevel* level);

  // Appends the tokens that die on ways from `start` that lead to no home.
  void WalkWords(uint32_t start, const RefusedWords& words, std::vector<TokenId>* refused);

  // What moves inside the text of a string or key.
  struct TextPlace {
    uint32_t state;  // of the automaton
    uint32_t count;  // as in Frame
    Partial partial;
  };
  class OpenText;
  // A node of beginnings that are read.
  struct BeginLevel {
    const TokenTrie::Node* next;
    const TokenTrie::Node* end;
    TextPlace place;
    uint32_t code_points;
  };
  template <typename IsWorth, typename Visit>
  void ReadBeginnings(const TokenTrie& trie, Lead lead, const OpenText& text,
                      CategorySet categories, IsWorth is_worth, Visit visit);
  // Fill exit_groups_ and exit_frames_ for what of exits_ stands behind `lead` inside `base`: by
  // the state that it leads to; or, without reading it, where that does not matter. That returns
  // whether it could.
  void GroupByState(Lead lead, const Item& item, const TextRegion& base, bool quote);
  bool GroupAlike(Lead lead, const Item& item, const TextRegion& base, bool quote);
  // Appends the tokens of groups with few exits, one by one, and drops these groups.
  void TakeSmallGroups(Lead lead, const Item& item, std::vector<TokenId>* allowed);
  // The number of the group that `place` is in.
  uint32_t GroupOf(const OpenText& text, const TextPlace& place, bool quote);
  // Of exits_; code points.
  uint32_t LongestTail() const { return exits_->below()[TokenTrie::kRoot].code_points; }
  // Appends the tokens of those exits whose beginnings lead to where the walk began.
  void AllowExits(std::span<const TokenId> numbers);

  void Allow(std::span<const TokenId> tokens) {
    if (exits_ != nullptr) return AllowExits(tokens);
    if (tokens.size() == 1) return allowed_->push_back(tokens[0]);
    allowed_->insert(allowed_->end(), tokens.begin(), tokens.end());
  }

  const Machine* machine_ = nullptr;
  const VocabularyIndex* vocabulary_ = nullptr;
  TextRegions* regions_ = nullptr;
  const StandardWalks* standard_walks_ = nullptr;
  // Of the walk at hand.
  const TokenTrie* trie_ = nullptr;
  const CategoriesBelow* below_ = nullptr;     // of trie_, where it is known
  const SpacedNodes* spaced_nodes_ = nullptr;  // the same
  CategorySet base_categories_ = 0;
  std::vector<TokenId>* allowed_ = nullptr;
  std::vector<TokenId>* name_ends_ = nullptr;

  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  std::vector<Level> levels_;
  std::vector<TextLevel> text_levels_;
  std::vector<NumberLevel> number_levels_;
  // What RegionToTake found during the walk at hand for strings and numbers, by state and count:
  // the children of a node mostly lead to few states.
  struct KnownTake {
    uint64_t walk = 0;
    FrameKind kind = FrameKind::kEnd;
    uint32_t node = 0, state = 0, count = 0;
    Take take;
  };
  std::array<KnownTake, 32> known_takes_;
  uint64_t walk_ = 0;  // the number of the walk at hand
  std::vector<KeyLevel> key_levels_;
  std::vector<KeyEnd> key_ends_;              // see WalkKeyEnds
  std::vector<const TokenTrie::Node*> ends_;  // see WalkEnds
  // Of a walk of exits: by beginning, 1 + the place of its state, or 0; that of the walk at hand.
  const ExitIndex* exits_ = nullptr;
  std::vector<uint32_t> exit_groups_;
  std::vector<uint64_t> exit_states_;
  std::vector<Frame> exit_frames_;     // by state
  std::vector<uint32_t> group_sizes_;  // by group: exits, as far as they are few; 0: dropped
  uint32_t exit_group_ = 0;
  std::vector<BeginLevel> begin_levels_;
  // Of WalkWords.
  std::vector<std::pair<const TokenTrie::Node*, const RefusedWords::State*>> word_nodes_;
  std::vector<NearLevel> near_levels_;
  std::vector<std::string_view> near_values_, near_rests_;
  std::vector<NearTextLevel> near_text_levels_;
  std::vector<std::string_view> near_texts_;      // of WalkNearTexts, in order
  std::vector<TokenId>* near_refused_ = nullptr;  // of WalkNear
  uint32_t deepest_level_ = 0;
};

}  // namespace maskloom
