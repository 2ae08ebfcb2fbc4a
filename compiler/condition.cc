#include "compiler/condition.h"

#include <algorithm>
#include <utility>

namespace maskloom {

ConditionTree::ConditionTree(std::vector<Condition> conditions) : nodes_(std::move(conditions)) {
  for (const Condition& node : nodes_) {
    if (node.kind == Condition::Kind::kMinSize) {
      size_saturation_ = std::max(size_saturation_, node.number);
    } else if (node.kind == Condition::Kind::kMaxSize && node.number != kNoMaximum) {
      size_saturation_ = std::max(size_saturation_, node.number + 1);
    }
  }
}

}  // namespace maskloom
