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
// treat it alike wherever it is (kernels/steps/step_row.h).
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/frame.h"
#include "compiler/machine.h"
#include "kernels/steps/step_row.h"

namespace maskloom {

// Not thread-safe.
class ConfigurationWords {
 public:
  explicit ConfigurationWords(const Machine& machine);

  // A configuration in words.
  struct Cut {
    std::vector<uint32_t> words;  // bottom first, the head last
    uint32_t count = 0;
    const StackNode* below_head = nullptr;  // the first cut; null: the head is all
    std::vector<const StackNode*> head_nodes;
  };
  // Cuts `items`. Returns false where words cannot say what they are: where values of arrays are
  // compared, stacks are cyclic, or more nodes than kMostNodes are there.
  bool Find(Items items, Cut* cut);

  // By word; entry 0 is no word.
  const std::vector<kernels::HeadInfo>& heads() const { return heads_; }
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
  // Writes pieces to text_. A piece ends at `end`, the next cut or null.
  bool AppendFrame(const Frame& frame, bool without_count);
  void AppendKeyText(const KeyText* text);
  void AppendNode(const StackNode* node, const StackNode* end);
  bool AppendNodes(const StackNode* end);
  uint32_t Intern(const kernels::HeadInfo& head);
  // What is known of the head that `items` make; `is_counted` tells whether its count is left out.
  kernels::HeadInfo HeadOf(Items items) const;

  const Machine& machine_;
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
  std::vector<const StackNode*> piece_;  // its nodes, in the order in which they are met
};

}  // namespace maskloom
