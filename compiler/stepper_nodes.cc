// Nodes that are as good as older ones; see stepper.h.
//
// A rule that is left and right recursive at once, root ::= item | root "," root, calls itself at
// every item of a text, each time for all callers that are still open: stacks would grow with the
// text, and ever more items would differ in nothing that matters. What follows a callee is what its
// node's edges say, and two nodes say the same if their edges agree once the one is put for the
// other (they are bisimilar):
//
//   1: behind root go on in root below 0, or below 1        after `a`
//   2: behind root go on in root below 0, below 1 or 2      after `a,a`: with 1 for 2, the same as
//   1
//
// So the node of a call gives way to one that its own edges lead to if they agree in this way.
#include <algorithm>

#include "compiler/stepper.h"

namespace maskloom {
namespace {

// Nodes with more edges are not compared.
constexpr size_t kMaxEdges = 32;

bool IsRuleCall(uint32_t kind_and_callee) {
  const auto kind = static_cast<FrameKind>(kind_and_callee & 15);
  return kind == FrameKind::kRule || kind == FrameKind::kRepeat;
}

// Does `node` hold `edge`, where `other` stands for `node`?
bool HasEdge(const StackNode& node, const StackNode* other, const ReturnEdge& edge) {
  const auto as_node = [&](const StackNode* below) { return below == other ? &node : below; };
  for (const ReturnEdge* own = node.edges; own != nullptr; own = own->next) {
    if (as_node(own->below) == as_node(edge.below) && own->frame == edge.frame) return true;
  }
  return false;
}

bool HasEdges(const StackNode& node, const StackNode* other, const ReturnEdge* edges) {
  for (; edges != nullptr; edges = edges->next) {
    if (!HasEdge(node, other, *edges)) return false;
  }
  return true;
}

// The edge of `node` to a node that is as good, or null.
const ReturnEdge* FindTwin(const StackNode& node) {
  for (const ReturnEdge* edge = node.edges; edge != nullptr; edge = edge->next) {
    const StackNode* below = edge->below;
    if (below == nullptr || below == &node) continue;
    if (HasEdges(*below, &node, node.edges) && HasEdges(node, below, below->edges)) return edge;
  }
  return nullptr;
}

}  // namespace

void Stepper::MergeNodes(size_t begin) {
  for (bool merged = true; merged;) {
    merged = false;
    for (Call& call : calls_) {
      if (!IsRuleCall(call.kind_and_callee) || call.edge_count > kMaxEdges) continue;
      const ReturnEdge* twin = FindTwin(*call.node);
      if (twin == nullptr) continue;
      Replace(call.node, twin->below, begin);
      call.edge_count = kMaxEdges + 1;  // once
      merged = true;
    }
  }
}

void Stepper::Replace(const StackNode* node, const StackNode* by, size_t begin) {
  for (size_t i = begin; i < out_->size(); ++i) {
    if ((*out_)[i].stack == node) (*out_)[i].stack = by;
  }
  for (const Call& call : calls_) {
    for (const ReturnEdge* edge = call.node->edges; edge != nullptr; edge = edge->next) {
      // Nodes of this position are nobody's yet.
      if (edge->below == node) const_cast<ReturnEdge*>(edge)->below = by;
    }
  }
}

}  // namespace maskloom
