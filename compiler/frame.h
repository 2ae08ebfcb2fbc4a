// Configurations: what a matcher remembers of the text read so far.
//
// A configuration is a set of items; an item is the frame on top of a stack and the node below it.
// Stacks share their lower parts (a graph-structured stack): a StackNode lists the frames to which
// its callee can return, each with the node below that. All of it is immutable once the step that
// made it has ended, lives in an Arena and is freed with it; nothing is counted or owned singly.
//
//   item ──► frame: string, after `"ab`         config = { item }
//     └────► StackNode ──► frame: object, after the value of "name"
//                    └───► StackNode ──► frame: end of text
//
// Deterministic parts of a text have one item and one return frame a node. Unions have several
// items; calls of the same rule at the same position share a node, so ambiguity and left recursion
// stay polynomial (as in generalised LL parsing).
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "compiler/arena.h"
#include "compiler/text_coding.h"

namespace maskloom {

enum class FrameKind : uint8_t {
  kEnd,      // behind the root; accepts when white space allows
  kValue,    // before a JSON value: `node` is its ValueId
  kLiteral,  // inside true, false or null: `state` letters of literal `node` were read
  kString,   // inside a string value: `node` is its StringNode
  kNumber,   // inside a number: `node` is its NumberNode
  kArray,    // between the items of ArrayNode `node`
  kObject,   // between or inside the keys of ObjectNode `node`
  kRule,     // inside automaton `node` of a rule or expression
  kRepeat,   // between the repetitions of counted repeat `node`
};

// Where inside an array or object; each begins with optional white space, except kKey.
enum class Phase : uint8_t {
  kOpen,         // behind the opening bracket
  kKey,          // inside the text of a key
  kColon,        // behind a key
  kBeforeValue,  // behind the colon: `state` is the ValueId, or the slot where there are choices
  kAfterValue,   // behind a value or item
  kComma,        // behind a comma
};

// Decoded text of the key that is being read, last code point first.
struct KeyText {
  const KeyText* previous;
  uint32_t code_point;
  uint32_t length;  // code points up to and including this one
};

// An undeclared key that the object already has.
struct SeenKey {
  const SeenKey* previous;
  const KeyText* text;  // null: the empty key
};

// Of items that are being read, which are known to have parted from all values seen by their
// arrays: a note of what the text says already, so it may be made and copied on any thread. An item
// is named by the length of the trace before it.
class PartedItems {
 public:
  PartedItems() = default;
  PartedItems(const PartedItems& other) {
    for (size_t i = 0; i < kPlaces; ++i) places_[i] = other.Load(i);
  }
  PartedItems& operator=(const PartedItems&) = delete;

  bool Has(uint32_t item) const { return Load(0) == item + 1 || Load(1) == item + 1; }
  // Forgets another one if there are many: inner items end first.
  void Note(uint32_t item) const {
    const size_t place = Load(0) <= Load(1) ? 0 : 1;
    std::atomic_ref<uint32_t>(places_[Load(place) == 0 ? place : 1 - place])
        .store(item + 1, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kPlaces = 2;

  uint32_t Load(size_t i) const {
    return std::atomic_ref<uint32_t>(places_[i]).load(std::memory_order_relaxed);
  }

  mutable uint32_t places_[kPlaces] = {0, 0};  // 1 + the item's name; 0: none
};

// The bytes of an item of an array whose items are compared, last first; see distinct_items.h.
struct TraceByte {
  const TraceByte* previous;
  uint32_t length;  // bytes up to and including this one
  uint8_t byte;
  PartedItems parted = {};
};

// An item that such an array already has, as a key of json_value_key.h. All items are a list,
// newest first, and at the same time a tree by the bits of their hashes, highest first; see
// seen_values.h.
struct SeenValue {
  const SeenValue* previous;
  const char* bytes;
  uint32_t size;
  uint32_t count;  // values up to and including this one
  uint64_t hash;
  // others[i]: the newest of the values before this one whose hash has the same first i bits and
  // another one behind them, or null.
  const SeenValue* const* others = nullptr;
  uint32_t depth = 0;               // of `others`
  const SeenValue* twin = nullptr;  // the newest before this one with an equal hash
};

struct Frame {
  FrameKind kind = FrameKind::kEnd;
  Phase phase = Phase::kOpen;
  uint16_t space = 0;   // state of the white space automaton, 0 when none was read
  uint32_t node = 0;    // index of the grammar node; see FrameKind
  uint32_t state = 0;   // automaton, number, name trie or literal position; where items are
                        // compared: the length of the trace before the item that is read
  uint32_t state2 = 0;  // objects: state of the undeclared keys' automaton; arrays: two are equal
  Partial partial = kBoundary;
  uint32_t count = 0;  // code points, items, members or repetitions, where bounds make it matter
  uint32_t depth = 0;  // containers: nesting, where indentation makes it matter
  uint32_t last = 0;   // objects in declared order: 1 + position of the last declared key
  uint32_t seen_word_count = 0;  // words at seen_words
  uint64_t marks = 0;            // arrays, objects: the node's counters; see marks.h
  uint64_t seen = 0;             // objects: bit i = name i was seen; beyond 64 names see seen_words
  const uint64_t* seen_words = nullptr;    // objects of more than 64 names, else null
  const SeenKey* seen_keys = nullptr;      // undeclared keys
  const SeenValue* seen_values = nullptr;  // arrays whose items are compared
  const KeyText* key_text = nullptr;       // phase kKey, where undeclared keys must be told apart

  bool operator==(const Frame&) const = default;
};

struct StackNode;

struct ReturnEdge {
  Frame frame;
  const StackNode* below = nullptr;  // null below the root
  uint32_t below_level = 0;          // see Item::level
  const ReturnEdge* next = nullptr;
  bool traced = false;  // has what is returned to a trace?
};

struct StackNode {
  const ReturnEdge* edges = nullptr;
  // Along one way down as far as there is a trace, the most of all ways: how many values arrays may
  // refuse to what returns here (see distinct_items.h), and how many nodes lie below.
  uint64_t blocked = 0;
  uint32_t traced_depth = 0;
};

struct Item {
  Frame frame;
  const StackNode* stack = nullptr;
  // While a mask is computed: how far `stack` lies below the item that the walk began with (1 = its
  // own node); 0 for nodes that the walk made itself. Outside of walks always 0.
  uint32_t level = 0;
  // Inside an item of an array whose items are compared: what was read of the outermost such item.
  const TraceByte* trace = nullptr;
};

// The items of one configuration, contiguous in an arena or a vector.
using Items = std::span<const Item>;

}  // namespace maskloom
