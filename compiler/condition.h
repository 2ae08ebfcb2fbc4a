// The condition of an array or object, asked of its registers at the closing bracket.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/marks.h"
#include "grammar/ir.h"

namespace maskloom {

class ConditionTree {
 public:
  ConditionTree() = default;  // always true
  // Requires: valid as in ir.h.
  explicit ConditionTree(std::vector<Condition> conditions);

  // True of everything?
  bool empty() const { return nodes_.empty(); }
  const std::vector<Condition>& nodes() const { return nodes_; }
  // Sizes of this and beyond are alike to the condition; 0 if it does not ask for the size.
  uint64_t size_saturation() const { return size_saturation_; }

  // Does the root hold of `size` items or members with `marks`? `present(index)`: is that property
  // there? Cost: linear in the tree, for most trees less.
  template <typename Present>
  bool Holds(const MarkLayout& layout, uint64_t marks, uint64_t size, Present present) const;
  // The same for arrays.
  bool Holds(const MarkLayout& layout, uint64_t marks, uint64_t size) const {
    return Holds(layout, marks, size, [](uint32_t) { return false; });
  }

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Parts(self.nodes_);
    archive.Value(self.size_saturation_);
  }

 private:
  std::vector<Condition> nodes_;
  uint64_t size_saturation_ = 0;
};

template <typename Present>
bool ConditionTree::Holds(const MarkLayout& layout, uint64_t marks, uint64_t size,
                          Present present) const {
  if (nodes_.empty()) return true;
  // Bit i: node i holds. Parts come before the whole.
  uint64_t small[4] = {};
  std::vector<uint64_t> large;
  uint64_t* holds = small;
  if (nodes_.size() > 256) {
    large.resize((nodes_.size() + 63) / 64);
    holds = large.data();
  }
  bool value = false;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Condition& node = nodes_[i];
    switch (node.kind) {
      case Condition::Kind::kAll:
        value = true;
        for (const uint32_t part : node.parts) value &= holds[part / 64] >> (part % 64) & 1;
        break;
      case Condition::Kind::kAny:
        value = false;
        for (const uint32_t part : node.parts) value |= holds[part / 64] >> (part % 64) & 1;
        break;
      case Condition::Kind::kAtLeast:
        value = layout.Get(marks, node.index) >= node.number;
        break;
      case Condition::Kind::kAtMost:
        value = layout.Get(marks, node.index) <= node.number;
        break;
      case Condition::Kind::kPresent:
        value = present(node.index);
        break;
      case Condition::Kind::kAbsent:
        value = !present(node.index);
        break;
      case Condition::Kind::kMinSize:
        value = size >= node.number;
        break;
      case Condition::Kind::kMaxSize:
        value = size <= node.number;
        break;
    }
    holds[i / 64] |= uint64_t{value} << (i % 64);
  }
  return value;
}

}  // namespace maskloom
