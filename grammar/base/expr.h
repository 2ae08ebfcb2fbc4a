// Expressions over text: what regular expressions and grammar rules are made of.
//
// One immutable-by-convention pool holds all expressions of a definition; an ExprId is an index.
// Expressions are built bottom-up, so children always have smaller ids than their parents.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "grammar/base/code_point_set.h"

namespace maskloom {

using ExprId = uint32_t;
inline constexpr uint32_t kUnbounded = std::numeric_limits<uint32_t>::max();

enum class ExprKind : uint8_t {
  kNever,        // matches nothing
  kEmpty,        // matches the empty text
  kText,         // a literal: text()
  kClass,        // one code point of set()
  kSequence,     // children one after another
  kChoice,       // any one child
  kRepeat,       // the only child min to max times (max may be kUnbounded)
  kAssertBegin,  // empty, at the beginning of the whole text only
  kAssertEnd,    // empty, at the end of the whole text only
  kRule,         // a call of rule `payload`
  kToken,        // the special token `payload` (a vocabulary id)
  kValue,        // a JSON value node `payload`
  kLook,         // empty, where the text around does (or does not) match the only child: look()
};

// What a look-around asks of the text around its position.
enum class Look : uint8_t {
  kAhead,      // a match of the child begins here
  kNotAhead,   // none does
  kBehind,     // a match of the child ends here
  kNotBehind,  // none does
};

class ExprPool {
 public:
  ExprId Never();
  ExprId Empty();
  ExprId Text(std::u32string text);  // Empty() for ""
  ExprId Class(CodePointSet set);    // Never() for {}
  ExprId Sequence(std::vector<ExprId> children);
  ExprId Choice(std::vector<ExprId> children);              // Never() without children
  ExprId Repeat(ExprId child, uint32_t min, uint32_t max);  // Requires: min <= max
  ExprId AssertBegin();
  ExprId AssertEnd();
  ExprId LookAround(Look look, ExprId child);
  ExprId Rule(uint32_t rule);
  ExprId Token(uint32_t token);
  ExprId Value(uint32_t value);

  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  ExprKind kind(ExprId id) const { return nodes_[id].kind; }
  std::span<const ExprId> children(ExprId id) const {
    return std::span(children_).subspan(nodes_[id].first, nodes_[id].count);
  }
  const std::u32string& text(ExprId id) const { return texts_[nodes_[id].first]; }
  const CodePointSet& set(ExprId id) const { return sets_[nodes_[id].first]; }
  uint32_t min(ExprId id) const { return nodes_[id].min; }
  uint32_t max(ExprId id) const { return nodes_[id].max; }
  uint32_t payload(ExprId id) const { return nodes_[id].first; }
  Look look(ExprId id) const { return static_cast<Look>(nodes_[id].min); }

  // Prints `id` in the notation of grammar dumps, e.g. `("ab" | [0-9]{2,3}) rule_4`.
  // Cost: linear in what is printed, cut at `max_bytes`.
  std::string ToString(ExprId id, size_t max_bytes = 1 << 16) const;

 private:
  struct Node {
    ExprKind kind;
    uint32_t first = 0;  // index into children_, texts_ or sets_, or the payload
    uint32_t count = 0;  // number of children
    uint32_t min = 0;
    uint32_t max = 0;
  };
  ExprId Add(Node node);
  ExprId AddParent(ExprKind kind, const std::vector<ExprId>& children);

  std::vector<Node> nodes_;
  std::vector<ExprId> children_;
  std::vector<std::u32string> texts_;
  std::vector<CodePointSet> sets_;
};

}  // namespace maskloom
