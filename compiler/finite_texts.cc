#include "compiler/finite_texts.h"

#include "grammar/base/utf8.h"

namespace maskloom {

const std::string* FiniteTexts::Next() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    text_.resize(level.size);
    if (level.edges.empty()) {
      const bool accepts = level.accepts;
      levels_.pop_back();
      if (accepts) return &text_;
      continue;
    }
    const TextAutomaton::Edge& edge = level.edges.back();
    const uint32_t code_point = edge.last - level.taken++;
    if (code_point == edge.first) {
      level.edges = level.edges.first(level.edges.size() - 1);
      level.taken = 0;
    }
    AppendUtf8(code_point, &text_);
    Enter(edge.target);
  }
  return nullptr;
}

}  // namespace maskloom
