// The declared names of an object, sorted, with a trie over their code points.
//
// A trie node covers a contiguous range of the sorted names, so "is some unseen name below this
// prefix" is a question to a range of bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
  explicit NameTrie(std::vector<std::u32string> names);

  const std::vector<std::u32string>& names() const { return names_; }
  uint32_t size() const { return static_cast<uint32_t>(names_.size()); }
  const Node& node(uint32_t state) const { return nodes_[state]; }
  std::span<const Edge> edges(uint32_t state) const {
    return std::span(edges_).subspan(nodes_[state].first_edge, nodes_[state].edge_count);
  }
  // Returns the node behind `code_point` or kDead.
  uint32_t Step(uint32_t state, uint32_t code_point) const;
  size_t MemoryBytes() const;

 private:
  std::vector<std::u32string> names_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

}  // namespace maskloom
