#include "compiler/name_trie.h"

#include <algorithm>

namespace maskloom {

NameTrie::NameTrie(std::vector<std::u32string> names) : names_(std::move(names)) {
  struct Pending {
    uint32_t node;
    uint32_t depth;
  };
  nodes_.push_back({0, 0, 0, size(), kNoName});
  std::vector<Pending> queue{{0, 0}};
  for (size_t next = 0; next < queue.size(); ++next) {
    const auto [index, depth] = queue[next];
    const uint32_t end = nodes_[index].end;
    uint32_t begin = nodes_[index].begin;
    if (begin < end && names_[begin].size() == depth) nodes_[index].name = begin++;
    nodes_[index].first_edge = static_cast<uint32_t>(edges_.size());
    while (begin < end) {
      const uint32_t code_point = names_[begin][depth];
      uint32_t last = begin + 1;
      while (last < end && names_[last][depth] == code_point) ++last;
      edges_.push_back({code_point, static_cast<uint32_t>(nodes_.size())});
      queue.push_back({static_cast<uint32_t>(nodes_.size()), depth + 1});
      nodes_.push_back({0, 0, begin, last, kNoName});
      begin = last;
    }
    nodes_[index].edge_count = static_cast<uint32_t>(edges_.size()) - nodes_[index].first_edge;
  }
}

uint32_t NameTrie::Step(uint32_t state, uint32_t code_point) const {
  const std::span<const Edge> list = edges(state);
  if (list.size() <= 8) {
    for (const Edge& edge : list) {
      if (edge.code_point == code_point) return edge.target;
    }
    return kDead;
  }
  const auto it =
      std::lower_bound(list.begin(), list.end(), code_point,
                       [](const Edge& edge, uint32_t value) { return edge.code_point < value; });
  return it != list.end() && it->code_point == code_point ? it->target : kDead;
}

size_t NameTrie::MemoryBytes() const {
  size_t total = nodes_.size() * sizeof(Node) + edges_.size() * sizeof(Edge);
  for (const std::u32string& name : names_) total += sizeof(name) + name.size() * 4;
  return total;
}

}  // namespace maskloom
