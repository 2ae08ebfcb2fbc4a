// Formulas about strings to string nodes.
//
// Lengths are registers at run time, so they are kept out of the automata. A union of plain
// conjunctions becomes a node for each range of lengths that it names; what nests deeper is cut at
// all lengths that it mentions, and for each range of lengths what is left is a regular language.
// Example, with M: matches ^a:  (M and length < 3) or length >= 5
//   -> lengths 0..2: M;  3..4: nothing;  5..: any text.
// Members without length bounds become one automaton where that stays small.
#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/regular/regular.h"
#include "grammar/schema/node_builder.h"

namespace maskloom {
namespace {

constexpr uint32_t kMaxUnionStates = 4096;  // beyond, members stay nodes of their own

using Automaton = PatternTable::Automaton;

Automaton Share(TextAutomaton automaton) {
  if (IsAnyText(automaton)) return nullptr;
  return std::make_shared<const TextAutomaton>(std::move(automaton));
}

bool IsPlain(const FormulaPool& pool, FormulaId formula) {
  const std::vector<FormulaId> parts = pool.PartsOf(formula);
  return !pool.IsOr(formula) && std::all_of(parts.begin(), parts.end(),
                                            [&](FormulaId part) { return pool.IsLiteral(part); });
}

void CollectLengths(const FormulaPool& pool, FormulaId formula, std::vector<uint64_t>* lengths) {
  if (pool.IsConstant(formula)) return;
  if (!pool.IsLiteral(formula)) {
    for (const FormulaId part : pool.PartsOf(formula)) CollectLengths(pool, part, lengths);
  } else if (pool.kind(formula) == LiteralKind::kLengthAtLeast) {
    lengths->push_back(pool.number(formula));
  }
}

// All texts of so many code points.
Result<TextAutomaton> TextsOfLength(uint64_t min, uint64_t max) {
  ExprPool exprs;
  const ExprId any = exprs.Class(CodePointSet{{0, 0xD7FF}, {0xE000, 0x10FFFF}});
  return BuildAutomaton(exprs,
                        exprs.Repeat(any, static_cast<uint32_t>(min),
                                     max == kNoMaximum ? kUnbounded : static_cast<uint32_t>(max)));
}

}  // namespace

Result<NodeBuilder::Automaton> NodeBuilder::LanguageOf(FormulaId formula) {
  if (formula == kTrueFormula) return Automaton();
  if (formula == kFalseFormula) return std::make_shared<const TextAutomaton>();
  if (auto it = languages_.find(formula); it != languages_.end()) return it->second;
  Automaton result;
  if (pool_->IsLiteral(formula)) {
    if (pool_->kind(formula) == LiteralKind::kMatches) {
      result = pool_->patterns()->language(pool_->index(formula)).automaton;
    } else {
      result = Share(AutomatonOfTexts(pool_->text_sets[pool_->index(formula)]));
    }
    if (!pool_->positive(formula)) {
      result =
          result == nullptr ? std::make_shared<const TextAutomaton>() : Share(Complement(*result));
    }
  } else {
    const bool is_and = pool_->IsAnd(formula);
    std::vector<Automaton> parts;
    for (const FormulaId part : pool_->PartsOf(formula)) {
      Result<Automaton> language = LanguageOf(part);
      if (!language.ok()) return language;
      if (*language != nullptr) {
        parts.push_back(std::move(*language));
      } else if (!is_and) {
        languages_.emplace(formula, nullptr);
        return Automaton();
      }
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Automaton& a, const Automaton& b) {
      return a->state_count() < b->state_count();
    });
    result = parts.empty() ? nullptr : parts[0];
    for (size_t i = 1; i < parts.size() && result != nullptr; ++i) {
      Result<TextAutomaton> next =
          is_and ? Intersect(*result, *parts[i]) : maskloom::Unite(*result, *parts[i]);
      if (!next.ok()) return next.status();
      result = Share(std::move(*next));
    }
  }
  languages_.emplace(formula, result);
  return result;
}

Result<NodeBuilder::Automaton> NodeBuilder::WholeLanguageOf(FormulaId formula) {
  Result<std::vector<StringNode>> nodes = StringsOf(formula);
  if (!nodes.ok()) return nodes.status();
  Automaton whole = std::make_shared<const TextAutomaton>();
  for (const StringNode& node : *nodes) {
    Automaton part = node.automaton;
    if (node.min_length > 0 || node.max_length != kNoMaximum) {
      const uint64_t counted = node.max_length == kNoMaximum ? node.min_length : node.max_length;
      if (counted > Budget(kMaxCountedLength)) {
        return Status(StatusCode::kResourceLimit,
                      "a length of more than " + std::to_string(kMaxCountedLength) +
                          " is beyond what names of members can be counted to");
      }
      Result<TextAutomaton> lengths = TextsOfLength(node.min_length, node.max_length);
      if (!lengths.ok()) return lengths.status();
      if (part != nullptr) lengths = Intersect(*part, *lengths);
      if (!lengths.ok()) return lengths.status();
      part = Share(std::move(*lengths));
    }
    if (part == nullptr) return Automaton();
    Result<TextAutomaton> united = maskloom::Unite(*whole, *part);
    if (!united.ok()) return united.status();
    whole = Share(std::move(*united));
    if (whole == nullptr) break;
  }
  return whole;
}

Status NodeBuilder::AddStrings(FormulaId language, uint64_t min_length, uint64_t max_length,
                               std::vector<StringNode>* nodes) {
  Result<Automaton> automaton = LanguageOf(language);
  if (!automaton.ok()) return automaton.status();
  if (*automaton != nullptr && (*automaton)->empty()) return Status::Ok();
  StringNode node{*automaton, min_length, max_length};
  if (*automaton != nullptr && (min_length > 0 || max_length != kNoMaximum)) {
    // Few texts need no counting.
    if (auto few = EnumerateTexts(**automaton, Budget(PatternTable::kMaxEnumeratedTexts))) {
      TextSet texts;
      for (auto& [text, label] : *few) {
        if (text.size() >= min_length && text.size() <= max_length) texts.push_back(text);
      }
      if (texts.empty()) return Status::Ok();
      node = {Share(AutomatonOfTexts(texts)), 0, kNoMaximum};
    }
  }
  nodes->push_back(std::move(node));
  return Status::Ok();
}

// Joins the members without bounds to one automaton.
Status NodeBuilder::MergeStrings(std::vector<StringNode>* nodes) {
  std::vector<StringNode> merged;
  std::vector<Automaton> languages;
  for (StringNode& node : *nodes) {
    if (node.min_length > 0 || node.max_length != kNoMaximum) {
      merged.push_back(std::move(node));
    } else if (node.automaton == nullptr) {
      *nodes = {StringNode()};
      return Status::Ok();
    } else {
      languages.push_back(std::move(node.automaton));
    }
  }
  Automaton united = languages.empty() ? nullptr : languages[0];
  for (size_t i = 1; i < languages.size(); ++i) {
    Result<TextAutomaton> both = maskloom::Unite(*united, *languages[i], Budget(kMaxUnionStates));
    if (both.ok()) {
      united = Share(std::move(*both));
      if (united == nullptr) {
        *nodes = {StringNode()};
        return Status::Ok();
      }
    } else {
      merged.push_back({united});
      united = languages[i];
    }
  }
  if (united != nullptr) merged.push_back({united});
  *nodes = std::move(merged);
  return Status::Ok();
}

Result<std::vector<StringNode>> NodeBuilder::StringsOf(FormulaId formula) {
  std::vector<StringNode> nodes;
  if (formula == kFalseFormula) return nodes;
  const std::vector<FormulaId> terms =
      pool_->IsOr(formula) ? pool_->PartsOf(formula) : std::vector{formula};
  const bool plain = std::all_of(terms.begin(), terms.end(),
                                 [&](FormulaId term) { return IsPlain(*pool_, term); });
  for (const FormulaId term : plain ? terms : std::vector{formula}) {
    std::vector<uint64_t> starts{0};
    CollectLengths(*pool_, term, &starts);
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    std::vector<FormulaId> left;
    for (const uint64_t start : starts) {
      left.push_back(pool_->Substitute(term, [&](FormulaId literal) {
        if (pool_->kind(literal) != LiteralKind::kLengthAtLeast) return literal;
        const bool holds = start >= pool_->number(literal);
        return holds == pool_->positive(literal) ? kTrueFormula : kFalseFormula;
      }));
    }
    for (size_t i = 0; i < starts.size();) {
      size_t end = i + 1;
      while (end < starts.size() && left[end] == left[i]) ++end;
      const uint64_t last = end < starts.size() ? starts[end] - 1 : kNoMaximum;
      if (left[i] != kFalseFormula) {
        Status status = AddStrings(left[i], starts[i], last, &nodes);
        if (!status.ok()) return status;
      }
      i = end;
    }
  }
  if (Status status = MergeStrings(&nodes); !status.ok()) return status;
  return nodes;
}

Result<std::vector<NodeId>> NodeBuilder::StringNodesOf(FormulaId formula) {
  if (auto it = string_nodes_.find(formula); it != string_nodes_.end()) return it->second;
  Result<std::vector<StringNode>> nodes = StringsOf(formula);
  if (!nodes.ok()) return nodes.status();
  std::vector<NodeId> node_ids;
  for (StringNode& node : *nodes) {
    node_ids.push_back(static_cast<NodeId>(grammar_->strings.size()));
    grammar_->strings.push_back(std::move(node));
  }
  string_nodes_.emplace(formula, node_ids);
  return node_ids;
}

}  // namespace maskloom
