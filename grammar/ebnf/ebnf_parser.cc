// A parser with a stack of open groups: its depth is data, not the call stack's.
//
// A rule's body ends where the next rule begins: at a name that `::=` follows. Line breaks mean
// nothing else, so alternatives may stand on lines of their own and groups may span lines.
//
// Source: the GBNF guide of llama.cpp; special tokens and look-ahead are refused by name.
#include "grammar/ebnf/ebnf_parser.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/base/utf8.h"
#include "grammar/ebnf/ebnf_reader.h"
#include "grammar/ebnf/productive.h"
#include "grammar/regex/ecma_parser.h"

namespace maskloom {
namespace {

class EbnfParser {
 public:
  EbnfParser(std::string_view text, const EbnfOptions& options)
      : options_(options), reader_(std::string(text)) {}

  Result<Grammar> Parse();

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // A group that is still open; the first is the rule's whole body.
  struct Group {
    size_t offset = 0;  // of its `(`
    std::vector<ExprId> alternatives;
    std::vector<ExprId> sequence;  // of the alternative being read
  };
  struct RulePlaces {
    size_t reference = kNone;   // offset of the first reference
    size_t definition = kNone;  // offset of the definition
  };

  Status ParseTerm();
  Status ParseName();
  Status StartRule(const std::string& name, size_t offset);
  Status FinishRule();
  Status OpenGroup();
  Status CloseGroup();
  Status Repeat(uint32_t min, uint32_t max, size_t offset);
  void EndAlternative() {
    Group& group = groups_.back();
    group.alternatives.push_back(grammar_.exprs.Sequence(std::move(group.sequence)));
    group.sequence.clear();
  }
  void Append(ExprId term) { groups_.back().sequence.push_back(term); }
  uint32_t RuleIndex(const std::string& name);
  Status CheckReferences() const;
  Status CheckProductive() const;

  const EbnfOptions& options_;
  EbnfReader reader_;
  Grammar grammar_;
  std::unordered_map<std::string, uint32_t> rule_by_name_;
  std::vector<RulePlaces> places_;  // by rule
  std::vector<Group> groups_;       // empty between rules
  uint32_t current_rule_ = 0;
};

Result<Grammar> EbnfParser::Parse() {
  for (reader_.SkipSpace(); !reader_.AtEnd(); reader_.SkipSpace()) {
    const Status status = ParseTerm();
    if (!status.ok()) return status;
  }
  Status status = FinishRule();
  if (status.ok()) status = CheckReferences();
  if (status.ok()) status = CheckProductive();
  if (!status.ok()) return status;
  grammar_.root = grammar_.exprs.Rule(rule_by_name_.at(options_.root_rule));
  return std::move(grammar_);
}

Status EbnfParser::ParseTerm() {
  if (reader_.AtName()) return ParseName();
  const size_t offset = reader_.offset();
  const char c = reader_.Peek();
  if (groups_.empty()) {
    return reader_.Invalid("expected the name of a rule, found " + reader_.Describe(), offset);
  }
  if (c == '<' || reader_.Looking("!<")) {
    return reader_.Error(StatusCode::kUnsupported,
                         "special tokens (<name> or <[id]>) are not supported in grammars", offset);
  }
  switch (c) {
    case '\'':
      if (!options_.single_quotes) {
        return reader_.Invalid("literals are written in double quotes here", offset);
      }
      [[fallthrough]];
    case '"': {
      Result<std::u32string> text = reader_.ReadLiteral();
      if (!text.ok()) return text.status();
      Append(grammar_.exprs.Text(std::move(*text)));
      return Status::Ok();
    }
    case '[': {
      Result<CodePointSet> set = reader_.ReadClass();
      if (!set.ok()) return set.status();
      Append(grammar_.exprs.Class(std::move(*set)));
      return Status::Ok();
    }
    case '{': {
      const Result<std::pair<uint32_t, uint32_t>> counts = reader_.ReadCounts();
      if (!counts.ok()) return counts.status();
      return Repeat(counts->first, counts->second, offset);
    }
    case '?':
    case '*':
    case '+':
      reader_.Advance(1);
      return Repeat(c == '+' ? 1 : 0, c == '?' ? 1 : kUnbounded, offset);
    case '.':
      reader_.Advance(1);
      Append(grammar_.exprs.Class(CodePointSet::All()));
      return Status::Ok();
    case '|':
      reader_.Advance(1);
      EndAlternative();
      return Status::Ok();
    case '(':
      return OpenGroup();
    case ')':
      return CloseGroup();
    case ']':
    case '}':
      return reader_.Invalid(reader_.Describe() + " has nothing to close", offset);
    default:
      return reader_.Invalid(
          "unexpected " + reader_.Describe() + " (a rule is written: name ::= expression)", offset);
  }
}

Status EbnfParser::ParseName() {
  const size_t offset = reader_.offset();
  const std::string name = reader_.ReadName();
  reader_.SkipSpace();
  if (reader_.Looking("::=")) {
    reader_.Advance(3);
    const Status status = FinishRule();
    return status.ok() ? StartRule(name, offset) : status;
  }
  if (groups_.empty()) {
    return reader_.Invalid("expected `::=` after the name of a rule, found " + reader_.Describe(),
                           reader_.offset());
  }
  const uint32_t rule = RuleIndex(name);
  if (places_[rule].reference == kNone) places_[rule].reference = offset;
  Append(grammar_.exprs.Rule(rule));
  return Status::Ok();
}

uint32_t EbnfParser::RuleIndex(const std::string& name) {
  const auto [entry, is_new] =
      rule_by_name_.emplace(name, static_cast<uint32_t>(grammar_.rules.size()));
  if (is_new) {
    grammar_.rules.push_back({name, 0});
    places_.emplace_back();
  }
  return entry->second;
}

Status EbnfParser::StartRule(const std::string& name, size_t offset) {
  current_rule_ = RuleIndex(name);
  RulePlaces& places = places_[current_rule_];
  if (places.definition != kNone) {
    const Status first = reader_.Invalid("", places.definition);
    return reader_.Invalid("rule \"" + name + "\" is defined a second time (first in line " +
                               std::to_string(first.line()) + ")",
                           offset);
  }
  places.definition = offset;
  groups_.push_back({offset});
  return Status::Ok();
}

Status EbnfParser::FinishRule() {
  if (groups_.empty()) return Status::Ok();
  if (groups_.size() > 1) return reader_.Invalid("`(` is never closed", groups_.back().offset);
  EndAlternative();
  grammar_.rules[current_rule_].body =
      grammar_.exprs.Choice(std::move(groups_.back().alternatives));
  groups_.clear();
  return Status::Ok();
}

Status EbnfParser::OpenGroup() {
  const size_t offset = reader_.offset();
  if (groups_.size() > kMaxEbnfDepth) {
    return reader_.Error(StatusCode::kResourceLimit,
                         "groups are nested more than " + std::to_string(kMaxEbnfDepth) + " deep",
                         offset);
  }
  if (reader_.Looking("(=")) {
    return reader_.Error(StatusCode::kUnsupported, "look-ahead is not supported in grammars",
                         offset);
  }
  reader_.Advance(1);
  groups_.push_back({offset});
  return Status::Ok();
}

Status EbnfParser::CloseGroup() {
  if (groups_.size() < 2) return reader_.Invalid("`)` has nothing to close", reader_.offset());
  reader_.Advance(1);
  EndAlternative();
  const ExprId group = grammar_.exprs.Choice(std::move(groups_.back().alternatives));
  groups_.pop_back();
  Append(group);
  return Status::Ok();
}

Status EbnfParser::Repeat(uint32_t min, uint32_t max, size_t offset) {
  std::vector<ExprId>& sequence = groups_.back().sequence;
  if (sequence.empty()) return reader_.Invalid("there is nothing to repeat here", offset);
  sequence.back() = grammar_.exprs.Repeat(sequence.back(), min, max);
  return Status::Ok();
}

Status EbnfParser::CheckReferences() const {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].definition != kNone) continue;
    const std::string& name = grammar_.rules[i].name;
    std::string message = "rule \"" + name + "\" is not defined";
    if (name.find('.') != std::string::npos) {
      message += " (for any code point after a name, leave a blank before the `.`)";
    }
    return reader_.Invalid(std::move(message), places_[i].reference);
  }
  if (!rule_by_name_.contains(options_.root_rule)) {
    return reader_.Invalid("there is no rule \"" + options_.root_rule + "\" to start with", 0);
  }
  return Status::Ok();
}

Status EbnfParser::CheckProductive() const {
  const std::vector<bool> productive = FindProductiveRules(grammar_);
  std::string names;
  size_t first = kNone;
  for (size_t i = 0; i < productive.size(); ++i) {
    if (productive[i]) continue;
    names += (names.empty() ? "\"" : ", \"") + grammar_.rules[i].name + "\"";
    first = std::min(first, places_[i].definition);
  }
  if (names.empty()) return Status::Ok();
  return reader_.Invalid("no finite text matches rule " + names + ": every way goes on forever",
                         first);
}

}  // namespace

Result<Grammar> ParseEbnf(std::string_view text, const EbnfOptions& options) {
  if (text.size() > kMaxEbnfBytes) {
    return Status(StatusCode::kResourceLimit, "the grammar has more than 16 MiB");
  }
  const size_t invalid = FindInvalidUtf8(text);
  if (invalid != std::string_view::npos) {
    return Status(StatusCode::kInvalidDefinition, "the grammar is not well-formed UTF-8")
        .AtOffset(std::string(text), invalid);
  }
  return EbnfParser(text, options).Parse();
}

Result<Grammar> ParseRegexGrammar(std::string_view pattern) {
  Grammar grammar;
  const Result<ExprId> root = ParseEcmaRegex(pattern, &grammar.exprs);
  if (!root.ok()) return root.status();
  grammar.root = *root;
  return grammar;
}

}  // namespace maskloom
