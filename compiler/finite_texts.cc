#include "compiler/finite_texts.h"

#include "grammar/base/utf8.h"

namespace maskloom {

const std::string* FiniteTexts::Next() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    text_.resize(level.size);
    if (level.edges == 0) {
      const uint32_t state = level.state;
      levels_.pop_back();
      if (automaton_.labels[state] != TextAutomaton::kNotAccepting) return &text_;
      continue;
    }
    const TextAutomaton::Edge& edge = automaton_.EdgesOf(level.state)[level.edges - 1];
    const uint32_t code_point = edge.last - level.taken++;
    if (code_point == edge.first) {
      --level.edges;
      level.taken = 0;
    }
    AppendUtf8(code_point, &text_);
    Enter(edge.target);
  }
  return nullptr;
}

}  // namespace maskloom
