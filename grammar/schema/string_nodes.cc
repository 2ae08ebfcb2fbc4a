// Unions of string constraints to as few string nodes as possible.
//
// Members without length bounds are plain regular languages and become one automaton; finite sets
// are first gathered, so an enumeration of thousands of texts is one trie-like automaton. Members
// with length bounds keep a node each, since the bound is a counter at run time.
#include <algorithm>
#include <memory>
#include <utility>

#include "grammar/regular/regular.h"
#include "grammar/schema/node_builder.h"

namespace maskloom {
namespace {

constexpr uint32_t kMaxUnionStates = 4096;  // beyond, members stay nodes of their own

using Automaton = PatternTable::Automaton;

bool IsBounded(const StringConstraint& constraint) {
  return constraint.min_length > 0 || constraint.max_length != kNoMaximum;
}

}  // namespace

Result<std::vector<StringNode>> NodeBuilder::UniteStrings(const std::vector<ConstraintId>& ids) {
  std::vector<StringNode> nodes;
  std::vector<std::u32string> texts;
  std::vector<Automaton> languages;
  for (ConstraintId id : ids) {
    const StringConstraint& constraint = pool_->strings[id];
    if (constraint.one_of != nullptr) {
      texts.insert(texts.end(), constraint.one_of->begin(), constraint.one_of->end());
      continue;
    }
    Result<Automaton> joint = pool_->patterns()->Joint(constraint.patterns);
    if (!joint.ok()) return joint.status();
    const Automaton& automaton = *joint;
    if (automaton != nullptr && automaton->empty()) continue;
    if (constraint.patterns.size() > 1 && automaton != nullptr) {
      // The joint language of patterns may be finite where theirs are not.
      auto few = EnumerateTexts(*automaton, PatternTable::kMaxEnumeratedTexts);
      if (few) {
        for (auto& [text, label] : *few) {
          if (text.size() < constraint.min_length || text.size() > constraint.max_length) continue;
          texts.push_back(std::move(text));
        }
        continue;
      }
    }
    if (IsBounded(constraint) || automaton == nullptr) {
      nodes.push_back({automaton, constraint.min_length, constraint.max_length});
    } else {
      languages.push_back(automaton);
    }
  }
  if (!texts.empty()) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    languages.push_back(std::make_shared<const TextAutomaton>(AutomatonOfTexts(texts)));
  }
  Automaton united;
  for (const Automaton& language : languages) {
    if (united == nullptr) {
      united = language;
      continue;
    }
    Result<TextAutomaton> both = Unite(*united, *language, kMaxUnionStates);
    if (both.ok()) {
      united = std::make_shared<const TextAutomaton>(std::move(*both));
    } else {
      nodes.push_back({united});
      united = language;
    }
  }
  if (united != nullptr) {
    if (IsAnyText(*united)) return std::vector<StringNode>{StringNode()};
    nodes.push_back({united});
  }
  return nodes;
}

Result<std::vector<NodeId>> NodeBuilder::StringNodesOf(const std::vector<ConstraintId>& ids) {
  if (auto it = string_nodes_.find(ids); it != string_nodes_.end()) return it->second;
  Result<std::vector<StringNode>> nodes = UniteStrings(ids);
  if (!nodes.ok()) return nodes.status();
  std::vector<NodeId> node_ids;
  for (StringNode& node : *nodes) {
    node_ids.push_back(static_cast<NodeId>(grammar_->strings.size()));
    grammar_->strings.push_back(std::move(node));
  }
  string_nodes_.emplace(ids, node_ids);
  return node_ids;
}

}  // namespace maskloom
