// Configurations cut into words: numbers of pieces of the stack, so that configurations which
// differ only below share what lies above.
//
// The graph of a configuration runs from its items down to the end of the text. A node that all
// ways down pass is a cut. The items with all nodes above the first cut are the head; from each cut
// to the next one is a word. In most configurations each node is a cut: a word is then one return
// frame. In `[12` the number may go on or have ended, which are two items; both are the head.
//
//   items:  number 12 ──► node A ──► (frame: array) ──► node B ──► (frame: end)
//           array ─────────────────────────────────────►┘
//   head: both items and A;  word: B
//
// Words are interned: equal words are equal pieces, frame by frame and edge by edge. Two
// configurations with equal words and counts are the same configuration.
//
// The count of a bounded string, where it is the only item, is no part of its head: texts and masks
// treat it alike wherever it is (kernels/steps/step_row.h). Nor are the registers of objects and
// arrays (frame_registers.h): where all containers of a piece are one node, directly above the next
// cut, its word has cells beside it. All frames at one depth of nesting lie in one piece, since a
// text says how deep it is, and the registers of those of one node are equal, since it says what
// they hold.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compiler/frame.h"
#include "compiler/machine.h"
#include "kernels/steps/step_row.h"
#include "runtime/device/frame_registers.h"

namespace maskloom {

// Not thread-safe.
class ConfigurationWords {
 public:
  // All must outlive this.
  ConfigurationWords(const Machine& machine, const VocabularyIndex& vocabulary,
                     const KeyTokens& key_tokens);

  struct Piece {
    const Frame* frame = nullptr;  // one of those whose registers are its cells; null: none
    uint32_t cells_end = 0;        // in Cut::cells
    size_t nodes_end = 0;          // in Cut::nodes
  };
  // A configuration in words.
  struct Cut {
    std::vector<uint32_t> words;  // bottom first, the head last
    std::vector<uint32_t> cells;  // bottom first
    uint32_t count = 0;
    const StackNode* below_head = nullptr;  // the first cut; null: the head is all
    std::vector<Piece> pieces;              // the head first
    std::vector<const StackNode*> nodes;    // of all pieces, in their order

    uint32_t WordOf(size_t piece) const { return words[words.size() - 1 - piece]; }
    std::span<const uint32_t> CellsOf(size_t piece) const {
      const size_t begin = piece + 1 == pieces.size() ? 0 : pieces[piece + 1].cells_end;
      return std::span(cells).subspan(begin, pieces[piece].cells_end - begin);
    }
  };
  // Cuts `items`; what the result points to is theirs. Returns false where words cannot say what
  // they are: where values of arrays are compared, stacks are cyclic, or more nodes than kMostNodes
  // are there.
  bool Find(Items items, Cut* cut);

  // By word; entry 0 is no word.
  const std::vector<kernels::HeadInfo>& heads() const { return heads_; }
  const FrameRegisters& registers() const { return registers_; }
  const kernels::WordRegisters& RegistersOf(uint32_t word) const {
    return registers_.tables()[heads_[word].registers];
  }
  size_t MemoryBytes() const { return bytes_; }

  static constexpr size_t kMostNodes = 512;

 private:
  using Text = std::vector<uint64_t>;
  struct HashText {
    size_t operator()(const Text& text) const;
  };
  struct Node {
    const StackNode* node;
    uint32_t rank;  // nodes on the longest way down, itself included; 0: not known yet
  };

  bool Rank(Items items);
  bool RankBelow(const StackNode* from);
  uint32_t RankOf(const StackNode* node) const;
  // Finds the ranks of all cuts, highest first.
  void FindCuts(Items items);
  // Writes to text_ the piece that begins with the node `first`, or with `items` where that is
  // null. Returns false where words cannot say it, or its registers cannot be split off.
  bool WritePiece(Items items, const StackNode* first);
  bool AppendFrame(const Frame& frame, const StackNode* below);
  void AppendKeyText(const KeyText* text);
  void AppendNode(const StackNode* node);
  // Do the registers of `frame` agree with those of the piece so far? Then they are its cells.
  bool TakesRegisters(const Frame& frame, const StackNode* below);
  uint32_t Intern(const kernels::HeadInfo& head);
  // Does the key of `frame` go on with any text?
  bool IsOpenKey(const Frame& frame) const;
  // What is known of the head that `items` make; `is_counted` tells whether its count is left out.
  kernels::HeadInfo HeadOf(Items items) const;

  const Machine& machine_;
  FrameRegisters registers_;
  tsl::robin_map<Text, uint32_t, HashText> words_;
  std::vector<kernels::HeadInfo> heads_;
  size_t bytes_ = 0;
  // Scratch.
  tsl::robin_map<const StackNode*, uint32_t> ranks_;
  std::vector<const StackNode*> nodes_, path_;
  std::vector<std::pair<uint32_t, const StackNode*>> cuts_;
  std::vector<uint32_t> at_rank_;
  std::vector<int32_t> spans_;
  Text text_;
  // Of the piece that is written.
  std::vector<const StackNode*> piece_nodes_;  // in the order in which they are met
  const StackNode* end_ = nullptr;
  bool leaves_count_ = false;      // is the count of its only item left out?
  bool splits_registers_ = false;  // are the registers of its containers?
  const Frame* frame_ = nullptr;   // the first of these
  uint32_t layout_ = 0;
  std::vector<uint32_t> cells_, other_cells_;
};

}  // namespace maskloom
