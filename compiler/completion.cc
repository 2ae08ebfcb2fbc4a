#include "compiler/completion.h"

#include <tsl/robin_map.h>

#include <vector>

#include "compiler/completion_writer.h"

namespace maskloom {

std::string ShortText(const Machine& machine) {
  CompletionWriter writer(machine);
  writer.WriteRoot();
  return writer.Take();
}

std::string CompletionFrom(const Machine& machine, const Item& item) {
  CompletionWriter writer(machine);
  writer.FinishFrame(item.frame);
  // The way out with the fewest returns; cycles of left recursion are never walked twice.
  struct Step {
    const ReturnEdge* edge;
    size_t previous;
  };
  constexpr size_t kFirst = ~size_t{0};
  std::vector<Step> queue;
  tsl::robin_map<const StackNode*, bool> visited;
  const auto expand = [&](const StackNode* node, size_t previous) {
    if (node == nullptr || !visited.insert({node, true}).second) return;
    for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
      queue.push_back({edge, previous});
    }
  };
  expand(item.stack, kFirst);
  for (size_t i = 0; i < queue.size(); ++i) {
    if (queue[i].edge->frame.kind != FrameKind::kEnd) {
      expand(queue[i].edge->below, i);
      continue;
    }
    std::vector<const ReturnEdge*> path;
    for (size_t j = i; j != kFirst; j = queue[j].previous) path.push_back(queue[j].edge);
    for (size_t j = path.size(); j-- > 0;) writer.FinishFrame(path[j]->frame);
    break;
  }
  return writer.Take();
}

}  // namespace maskloom
