#include "compiler/name_trie.h"

#include <algorithm>

namespace maskloom {

NameTrie::NameTrie(const std::vector<std::u32string>& names) {
  for (const std::u32string& name : names) {
    text_.append(name.begin(), name.end());
    begins_.push_back(static_cast<uint32_t>(text_.size()));
  }
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
    if (begin < end && names[begin].size() == depth) nodes_[index].name = begin++;
    nodes_[index].first_edge = static_cast<uint32_t>(edges_.size());
    while (begin < end) {
      const uint32_t code_point = names[begin][depth];
      uint32_t last = begin + 1;
      while (last < end && names[last][depth] == code_point) ++last;
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

bool NameTrie::Contains(std::u32string_view text) const {
  uint32_t begin = 0, end = size();
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    (name(middle) < text ? begin : end) = name(middle) < text ? middle + 1 : middle;
  }
  return begin < size() && name(begin) == text;
}

size_t NameTrie::MemoryBytes() const {
  return begins_.owned_bytes() + text_.owned_bytes() + nodes_.owned_bytes() + edges_.owned_bytes();
}

}  // namespace maskloom
