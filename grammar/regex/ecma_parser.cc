// A parser with a stack of open groups instead of recursion.
//
// Syntax is that of patterns with the `u` flag, widened where schemas in the wild rely on Annex B
// and the meaning is plain: `]`, `}` and a `{` that opens no quantifier stand for themselves, and a
// look-ahead may be repeated. Escapes and classes are read by EcmaAtomReader.
//
// Captures do not matter but for back-references. These make a language irregular, except where the
// group can match few texts only (back_references.h): then they are written out. `\b` and `\B` are
// look-arounds for one word character. A lone surrogate matches nothing, since no text holds it.
//
// Source: ECMA-262 (2024), 22.2.1 Patterns, and Annex B.1.2.
#include "grammar/regex/ecma_parser.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grammar/base/budget.h"
#include "grammar/base/utf8.h"
#include "grammar/regex/back_references.h"
#include "grammar/regex/ecma_atoms.h"
#include "grammar/regex/ecma_classes.h"

namespace maskloom {
namespace {

constexpr size_t kMaxDepth = 1000;              // nested groups
constexpr size_t kMaxPatternBytes = 8u << 20;   // 8 MiB
constexpr uint32_t kMaxCount = kUnbounded - 1;  // of a quantifier

// May the pattern hold back-references?
bool MayRefer(std::string_view pattern) {
  for (size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    const char c = pattern[++i];
    if (c == 'k' || (c >= '1' && c <= '9')) return true;
  }
  return false;
}

class EcmaParser : private EcmaAtomReader {
 public:
  EcmaParser(std::string_view pattern, ExprPool* pool) : EcmaAtomReader(pattern), pool_(*pool) {}

  Result<ExprId> Parse();
  using EcmaAtomReader::widened;

 private:
  // A group that is still open; the first is the whole pattern.
  struct Group {
    size_t offset = 0;  // of its `(`
    std::vector<ExprId> alternatives;
    std::vector<ExprId> sequence;  // of the alternative being read
    std::u32string literal;        // code points behind it, not yet in the sequence
    std::optional<Look> look;      // of a look-around
    uint32_t number = 0;           // of a capturing group, else 0
    uint32_t groups_before = 0;    // capturing groups opened before it
    // Names that the alternative being read has given, and those of the others.
    std::vector<std::string> names;
    std::vector<std::string> other_names;
  };
  Status ParseTerm();
  Status OpenGroup();
  Status ParseFlags(size_t open);
  // Refuses the pattern unless something in it is invalid, which says more.
  void Refuse(std::string message, size_t offset) {
    if (refusal_.ok()) refusal_ = Unsupported(std::move(message), offset);
  }
  Status NameGroup(size_t open);
  Status CloseGroup();
  Status AddReference(const EcmaAtom& atom, size_t start);
  void CountGroups();
  ExprId Boundary(bool wanted);
  Status ParseQuantifier(bool* found);
  bool ReadBounds(uint64_t* min, uint64_t* max, bool* is_large);

  void AddCodePoint(uint32_t code_point);
  void AddExpr(ExprId expr, bool repeatable);
  void FlushLiteral();
  void EndAlternative();

  ExprPool& pool_;
  std::vector<Group> groups_;
  uint32_t group_count_ = 0;  // capturing groups opened so far
  // Only where the pattern may hold back-references:
  bool may_refer_ = false;
  std::vector<std::string> all_groups_;  // names by number, "" if it has none; [0] is the pattern
  std::vector<char> is_closed_;          // by number
  std::vector<std::pair<ExprId, size_t>> references_;  // and their offsets
  Status refusal_ = Status::Ok();
  bool repeatable_ = false;  // may a quantifier follow?
  bool behind_look_ahead_ = false;
};

void EcmaParser::FlushLiteral() {
  Group& group = groups_.back();
  if (group.literal.empty()) return;
  group.sequence.push_back(pool_.Text(std::move(group.literal)));
  group.literal.clear();
}

void EcmaParser::AddCodePoint(uint32_t code_point) {
  if (IsSurrogate(code_point)) {
    AddExpr(pool_.Never(), true);
    return;
  }
  groups_.back().literal.push_back(code_point);
  repeatable_ = true;
}

void EcmaParser::AddExpr(ExprId expr, bool repeatable) {
  FlushLiteral();
  groups_.back().sequence.push_back(expr);
  repeatable_ = repeatable;
}

void EcmaParser::EndAlternative() {
  FlushLiteral();
  Group& group = groups_.back();
  group.alternatives.push_back(pool_.Sequence(std::move(group.sequence)));
  group.sequence.clear();
  group.other_names.insert(group.other_names.end(), group.names.begin(), group.names.end());
  group.names.clear();
  repeatable_ = false;
}

// Reads `{n}`, `{n,}` or `{n,m}`; else returns false and stays. `is_large`: a count is beyond
// kMaxCount, as which it is read.
bool EcmaParser::ReadBounds(uint64_t* min, uint64_t* max, bool* is_large) {
  size_t at = at_ + 1;
  const auto number = [&](uint64_t* value) {
    const size_t begin = at;
    *value = 0;
    for (; at < pattern_.size() && IsAsciiDigit(pattern_[at]); ++at) {
      *value = *value * 10 + (pattern_[at] - '0');
      if (*value <= kMaxCount) continue;
      *value = kMaxCount;
      *is_large = true;
    }
    return at > begin;
  };
  const auto skip = [&](char c) { return at < pattern_.size() && pattern_[at] == c && ++at; };
  if (!number(min)) return false;
  *max = *min;
  if (skip(',') && !number(max)) *max = kUnbounded;
  if (!skip('}')) return false;
  at_ = at;
  return true;
}

// Reads a quantifier, if there is one, and applies it to the last atom.
Status EcmaParser::ParseQuantifier(bool* found) {
  const size_t start = at_;
  uint64_t min = 0, max = kUnbounded;
  bool is_large = false;
  *found = true;
  switch (Peek()) {
    case '*':
      ++at_;
      break;
    case '+':
      ++at_;
      min = 1;
      break;
    case '?':
      ++at_;
      max = 1;
      break;
    case '{':
      if (ReadBounds(&min, &max, &is_large)) break;
      [[fallthrough]];
    default:
      *found = false;
      return Status::Ok();
  }
  if (behind_look_ahead_) Widen("a quantifier behind a look-ahead repeats it");
  if (!repeatable_) return Invalid("nothing to repeat before this quantifier", start);
  if (min > max) {
    return Invalid("the bounds of this quantifier are out of order: " + std::to_string(min) +
                       " is more than " + std::to_string(max),
                   start);
  }
  if (is_large) {
    return Error(StatusCode::kResourceLimit,
                 "a count of this quantifier is above " + std::to_string(kMaxCount), start);
  }
  if (Peek() == '?') ++at_;  // lazy: the same texts match
  Group& group = groups_.back();
  if (!group.literal.empty()) {
    const char32_t last = group.literal.back();
    group.literal.pop_back();
    FlushLiteral();
    group.sequence.push_back(pool_.Text(std::u32string(1, last)));
  }
  ExprId& atom = group.sequence.back();
  atom = pool_.Repeat(atom, static_cast<uint32_t>(min), static_cast<uint32_t>(max));
  repeatable_ = false;
  return Status::Ok();
}

// Reads the name of `(?<name>`; at_ is behind the `<`. A name may come twice, but not where both
// groups could match at once.
Status EcmaParser::NameGroup(size_t open) {
  const size_t begin = at_;
  std::string name;
  if (Status status = ParseGroupName(open, &name); !status.ok()) return status;
  for (const Group& group : groups_) {
    if (std::find(group.names.begin(), group.names.end(), name) != group.names.end()) {
      return Invalid("another group is named `" + name + "`", begin);
    }
  }
  groups_.back().names.push_back(std::move(name));
  return Status::Ok();
}

// Reads the flags of `(?i:`, ECMA-262 (2025), up to the colon. `(?i)` for the rest of the pattern
// is not ECMA-262.
Status EcmaParser::ParseFlags(size_t open) {
  const size_t end = std::min(pattern_.find_first_not_of("ims-", at_), pattern_.size());
  const std::string_view flags = pattern_.substr(at_, end - at_);
  const bool is_valid = pattern_.substr(end, 1) == ":" && flags != "-" &&
                        std::none_of(flags.begin(), flags.end(), [flags](char flag) {
                          return std::count(flags.begin(), flags.end(), flag) > 1;
                        });
  if (!is_valid) return Invalid("flags such as `(?i)` are not ECMA-262", open);
  at_ = end + 1;
  Refuse("flags inside a pattern, as in `(?i:`, are not supported", open);
  return Status::Ok();
}

Status EcmaParser::OpenGroup() {
  const size_t open = at_++;
  if (groups_.size() > Budget(kMaxDepth)) {
    return Error(StatusCode::kResourceLimit,
                 "groups are nested more than " + std::to_string(kMaxDepth) + " deep", open);
  }
  Group group{.offset = open, .groups_before = group_count_};
  if (Peek() == '?') {
    ++at_;
    if (Looking("=") || Looking("!")) {
      group.look = Peek() == '=' ? Look::kAhead : Look::kNotAhead;
      ++at_;
    } else if (Looking("<=") || Looking("<!")) {
      group.look = Peek(1) == '=' ? Look::kBehind : Look::kNotBehind;
      at_ += 2;
    } else if (Peek() == ':') {
      ++at_;
    } else if (Peek() == '<') {
      ++at_;
      if (Status status = NameGroup(open); !status.ok()) return status;
      group.number = ++group_count_;
    } else if (Looking("P<")) {
      return Invalid("`(?P<name>` is not ECMA-262; write `(?<name>`", open);
    } else if (Peek() == '-' || (Peek() >= 'a' && Peek() <= 'z')) {
      if (Status status = ParseFlags(open); !status.ok()) return status;
    } else {
      return Invalid("unknown kind of group; known are `(`, `(?:`, `(?<name>` and look-arounds",
                     open);
    }
  } else {
    group.number = ++group_count_;
  }
  groups_.push_back(std::move(group));
  repeatable_ = false;
  return Status::Ok();
}

Status EcmaParser::CloseGroup() {
  if (groups_.size() == 1) return Invalid("unmatched `)`", at_);
  ++at_;
  EndAlternative();
  Group group = std::move(groups_.back());
  groups_.pop_back();
  ExprId expr = pool_.Choice(std::move(group.alternatives));
  auto& names = groups_.back().names;
  names.insert(names.end(), group.other_names.begin(), group.other_names.end());
  if (may_refer_ && group.number > 0) {
    expr = MarkGroup(group.number, expr, &pool_);
    is_closed_[group.number] = 1;
  }
  if (group.look) expr = pool_.LookAround(*group.look, expr);
  // Annex B lets quantifiers follow a look-ahead.
  const bool behind = group.look == Look::kBehind || group.look == Look::kNotBehind;
  AddExpr(expr, !behind);
  behind_look_ahead_ = group.look && !behind;
  return Status::Ok();
}

// Lists all capturing groups of the pattern, for references to groups further on.
void EcmaParser::CountGroups() {
  all_groups_.assign(1, "");
  bool in_class = false;
  for (size_t i = 0; i < pattern_.size(); ++i) {
    const char c = pattern_[i];
    if (c == '\\') {
      ++i;
    } else if (in_class || c == '[') {
      in_class = c != ']';
    } else if (c == '(' && pattern_.substr(i + 1, 1) != "?") {
      all_groups_.emplace_back();
    } else if (c == '(' && pattern_.substr(i + 1, 2) == "?<" &&
               pattern_.substr(i + 3, 1).find_first_of("=!") == std::string_view::npos) {
      const size_t end = std::min(pattern_.find('>', i), pattern_.size());
      all_groups_.emplace_back(pattern_.substr(i + 3, end - i - 3));
    }
  }
  is_closed_.assign(all_groups_.size(), 0);
}

// A reference to a group that has not been passed matches the empty text: captures are undone at
// the begin of each round of a repeat. Inside a look-behind, which ECMA-262 matches from right to
// left, "passed" means the other way round; there it is refused.
Status EcmaParser::AddReference(const EcmaAtom& atom, size_t start) {
  uint32_t number = atom.code_point;
  if (atom.kind == EcmaAtom::Kind::kNamedReference) {
    auto named = std::find(all_groups_.begin(), all_groups_.end(), atom.name);
    if (named == all_groups_.end()) return Invalid("no group is named `" + atom.name + "`", start);
    number = static_cast<uint32_t>(named - all_groups_.begin());
    if (std::find(named + 1, all_groups_.end(), atom.name) != all_groups_.end()) {
      Refuse("back-references to a name that several groups share are not supported", start);
    }
  }
  if (number >= all_groups_.size()) {
    return Invalid("there is no group " + std::to_string(number) + "; the pattern has " +
                       std::to_string(all_groups_.size() - 1),
                   start);
  }
  const bool is_open = std::any_of(groups_.begin(), groups_.end(),
                                   [number](const Group& group) { return group.number == number; });
  for (const Group& group : groups_) {
    const bool behind = group.look == Look::kBehind || group.look == Look::kNotBehind;
    if (behind && !is_open && number > group.groups_before) {
      Refuse("back-references to groups of the same look-behind are not supported", start);
    }
  }
  if (!is_closed_[number]) {
    AddExpr(pool_.Empty(), true);
    return Status::Ok();
  }
  const ExprId reference = ReferTo(number, &pool_);
  references_.emplace_back(reference, start);
  AddExpr(reference, true);
  return Status::Ok();
}

// `\b` (or `\B`): on one side is a word character, on the other none (or not so).
ExprId EcmaParser::Boundary(bool wanted) {
  const ExprId word = pool_.Class(EcmaWordCharacters());
  const auto both = [&](Look behind, Look ahead) {
    return pool_.Sequence({pool_.LookAround(behind, word), pool_.LookAround(ahead, word)});
  };
  if (wanted) {
    return pool_.Choice(
        {both(Look::kBehind, Look::kNotAhead), both(Look::kNotBehind, Look::kAhead)});
  }
  return pool_.Choice({both(Look::kBehind, Look::kAhead), both(Look::kNotBehind, Look::kNotAhead)});
}

// Reads one alternative mark, assertion, atom or parenthesis.
Status EcmaParser::ParseTerm() {
  switch (Peek()) {
    case '|':
      ++at_;
      EndAlternative();
      return Status::Ok();
    case '^':
      ++at_;
      AddExpr(pool_.AssertBegin(), false);
      return Status::Ok();
    case '$':
      ++at_;
      AddExpr(pool_.AssertEnd(), false);
      return Status::Ok();
    case '(':
      return OpenGroup();
    case ')':
      return CloseGroup();
    case '.':
      ++at_;
      AddExpr(pool_.Class(EcmaLineTerminators().Complement()), true);
      return Status::Ok();
    case '[': {
      CodePointSet set;
      if (Status status = ParseClass(&set); !status.ok()) return status;
      AddExpr(pool_.Class(std::move(set)), true);
      return Status::Ok();
    }
    case '\\': {
      const size_t start = at_;
      EcmaAtom atom;
      if (Status status = ParseEscape(&atom); !status.ok()) return status;
      switch (atom.kind) {
        case EcmaAtom::Kind::kCodePoint:
          AddCodePoint(atom.code_point);
          break;
        case EcmaAtom::Kind::kSet:
          AddExpr(pool_.Class(std::move(atom.set)), true);
          break;
        case EcmaAtom::Kind::kBoundary:
        case EcmaAtom::Kind::kNotBoundary:
          AddExpr(Boundary(atom.kind == EcmaAtom::Kind::kBoundary), false);
          break;
        case EcmaAtom::Kind::kReference:
        case EcmaAtom::Kind::kNamedReference:
          return AddReference(atom, start);
      }
      return Status::Ok();
    }
    case ']':
    case '{':
    case '}':
      Widen("`" + std::string(1, Peek()) + "` stands for itself");
      [[fallthrough]];
    default:
      AddCodePoint(DecodeUtf8(pattern_, &at_));
      return Status::Ok();
  }
}

Result<ExprId> EcmaParser::Parse() {
  if (pattern_.size() > Budget(kMaxPatternBytes)) {
    return Status(StatusCode::kResourceLimit, "the pattern has " + std::to_string(pattern_.size()) +
                                                  " bytes; the limit is " +
                                                  std::to_string(kMaxPatternBytes));
  }
  if (size_t bad = FindInvalidUtf8(pattern_); bad != std::string_view::npos) {
    Status status(StatusCode::kInvalidDefinition, "the pattern is not valid UTF-8 here");
    return status.AtOffset(std::string(pattern_.substr(0, bad)), bad);
  }
  may_refer_ = MayRefer(pattern_);
  if (may_refer_) CountGroups();
  groups_.emplace_back();
  while (!AtEnd()) {
    bool is_quantifier = false;
    if (Status status = ParseQuantifier(&is_quantifier); !status.ok()) return status;
    behind_look_ahead_ = false;
    if (is_quantifier) continue;
    if (Status status = ParseTerm(); !status.ok()) return status;
  }
  if (groups_.size() > 1) {
    return Invalid("this group never closes: missing `)`", groups_.back().offset);
  }
  EndAlternative();
  if (!refusal_.ok()) return refusal_;
  const ExprId root = pool_.Choice(std::move(groups_.back().alternatives));
  if (!may_refer_) return root;
  ExprId unresolved = 0;
  if (auto resolved = ResolveBackReferences(root, &pool_, &unresolved)) return *resolved;
  for (const auto& [reference, offset] : references_) {
    if (reference != unresolved) continue;
    return Unsupported(
        "this back-reference is not supported: its group can match too many texts, or none",
        offset);
  }
  return Status(StatusCode::kUnsupported, "the back-references of the pattern are too many");
}

}  // namespace

Result<ExprId> ParseEcmaRegex(std::string_view pattern, ExprPool* pool, std::string* widened) {
  EcmaParser parser(pattern, pool);
  Result<ExprId> parsed = parser.Parse();
  if (widened != nullptr) *widened = parser.widened();
  return parsed;
}

}  // namespace maskloom
