// Which tokens a state refuses where that is few words; see refused_words.h and mask_walk.h.
#include "compiler/mask_walk.h"
#include "compiler/refused_words.h"
#include "compiler/text_coding.h"

namespace maskloom {
namespace {

// Does `text`, UTF-8 whose end may be inside a character, go on from `state`? Where a character is
// begun it does.
bool GoesOn(const TextAutomaton& automaton, uint32_t state, std::string_view text) {
  Partial partial = kBoundary;
  for (const char c : text) {
    const CodingStep step = StepCoding(TextCoding::kUtf8, partial, static_cast<uint8_t>(c));
    partial = step.partial;
    if (step.outcome != CodingStep::Outcome::kCodePoint) continue;
    state = automaton.Step(state, step.code_point);
    if (state == TextAutomaton::kDead) return false;
  }
  return true;
}

}  // namespace

void MaskWalker::AppendRefused(const Item& item, const RefusedWords& words, const uint32_t* row,
                               std::vector<TokenId>* refused) {
  const bool is_key = item.frame.kind == FrameKind::kObject;
  UseTrie(vocabulary_->trie(), &vocabulary_->categories().below());
  const uint32_t start = is_key ? item.frame.state2 : item.frame.state;
  WalkWords(start, words, refused);
  for (const TokenId id : words.tokens) {
    if ((row[id / 32] >> (id % 32) & 1) == 0) continue;
    if (!GoesOn(*words.automaton, start, vocabulary_->vocabulary().bytes(id))) {
      refused->push_back(id);
    }
  }
}

void MaskWalker::WalkWords(uint32_t start, const RefusedWords& words,
                           std::vector<TokenId>* refused) {
  const TextAutomaton* automaton = words.automaton;
  std::vector<std::pair<const TokenTrie::Node*, const RefusedWords::State*>>& nodes = word_nodes_;
  nodes.assign(1, {&trie_->node(TokenTrie::kRoot), &words.Find(start)});
  if (nodes[0].second->is_home) nodes.clear();
  while (!nodes.empty()) {
    const auto [node, state] = nodes.back();
    nodes.pop_back();
    for (const TokenTrie::Node& child : trie_->children(*node)) {
      // All characters beyond ASCII lead home; what is spelled otherwise is in no row of plain
      // text.
      if (child.byte >= 0x80 || child.byte < 0x20 || child.byte == '"' || child.byte == '\\') {
        continue;
      }
      if (state->lacking[child.byte]) {
        trie_->AppendTokens(child, refused);
        continue;
      }
      const uint32_t target = automaton->Step(state->state, child.byte);
      if (target == TextAutomaton::kDead) continue;  // no text has it
      const RefusedWords::State& next = words.Find(target);
      if (next.is_home || child.child_count == 0) continue;
      if (((*below_)[trie_->IndexOf(child)].categories & words.ends) == 0) continue;
      nodes.push_back({&child, &next});
    }
  }
}

}  // namespace maskloom
