// The declared names of an object, sorted, with a trie over their code points.
//
// A trie node covers a contiguous range of the sorted names, so "is some unseen name below this
// prefix" is a question to a range of bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/editable_array.h"

namespace maskloom {

class NameTrie {
 public:
  static constexpr uint32_t kDead = 0xFFFFFFFF;
  static constexpr uint32_t kNoName = 0xFFFFFFFF;

  struct Edge {
    uint32_t code_point;
    uint32_t target;
  };
  struct Node {
    uint32_t first_edge = 0;
    uint32_t edge_count = 0;
    uint32_t begin = 0;  // names below: [begin, end)
    uint32_t end = 0;
    uint32_t name = kNoName;  // the name that ends here
  };

  NameTrie() = default;
  // Requires: sorted and distinct.
  explicit NameTrie(const std::vector<std::u32string>& names);

  // Requires: index < size().
  std::u32string_view name(uint32_t index) const {
    return {text_.data() + begins_[index], begins_[index + 1] - begins_[index]};
  }
  uint32_t size() const { return static_cast<uint32_t>(begins_.size()) - 1; }
  // Is `text` one of the names? Cost: logarithmic in their number.
  bool Contains(std::u32string_view text) const;
  const Node& node(uint32_t state) const { return nodes_[state]; }
  std::span<const Edge> edges(uint32_t state) const {
    return {edges_.data() + nodes_[state].first_edge, nodes_[state].edge_count};
  }
  // Returns the node behind `code_point` or kDead.
  uint32_t Step(uint32_t state, uint32_t code_point) const;
  size_t MemoryBytes() const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.begins_);
    archive.Array(self.text_);
    archive.Array(self.nodes_);
    archive.Array(self.edges_);
  }

 private:
  EditableArray<uint32_t> begins_{0};  // of names in text_; size() + 1
  EditableArray<char32_t> text_;       // all names, one behind the other
  EditableArray<Node> nodes_;
  EditableArray<Edge> edges_;
};

}  // namespace maskloom
