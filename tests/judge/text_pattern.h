// Patterns matched on whole texts by sets of positions.
//
// From a set of positions where a part may begin follows the set of positions where it may end: a
// code point set moves members on by one, a sequence chains, a choice unites, a repeat iterates
// until nothing changes. Look-ahead keeps the positions from which its body ends somewhere,
// look-behind those where its body, begun anywhere before, ends. Without captures this is all that
// ECMA-262 means by a match, and it takes polynomial time. A pattern is found in a text if it,
// begun anywhere, ends anywhere.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/judge/pattern_builder.h"

namespace maskloom::judge {

// Thread safety: const after Parse.
class TextPattern : private PatternBuilder {
 public:
  // On error: kInvalidDefinition; kUnsupported for back-references and unknown properties.
  static Result<std::unique_ptr<TextPattern>> Parse(const std::u32string& pattern);
  // Whether a match lies somewhere in `text`.
  bool FoundIn(std::u32string_view text) const;

 private:
  enum class Kind { kNever, kEmpty, kSet, kCat, kAlt, kRepeat, kBegin, kEnd, kLook, kBoundary };
  struct Node {
    Kind kind = Kind::kNever;
    CodePoints set;
    std::vector<RegexId> parts;
    uint32_t min = 0;
    uint32_t max = 0;
    Look look;
    bool negated = false;
  };
  using Positions = std::vector<bool>;

  TextPattern();
  RegexId Put(Node node);
  RegexId Set(const CodePoints& set) override;
  RegexId Cat(RegexId first, RegexId second) override;
  RegexId Alt(std::vector<RegexId> choices) override;
  RegexId Repeat(RegexId body, uint32_t min, uint32_t max) override;
  RegexId Begin() override;
  RegexId End() override;
  std::optional<RegexId> LookAround(RegexId body, Look look) override;
  std::optional<RegexId> WordBoundary(bool negated) override;

  Positions Ends(RegexId id, const Positions& starts, std::u32string_view text) const;
  Positions RepeatEnds(const Node& node, Positions at, std::u32string_view text) const;
  bool LookHolds(const Node& node, size_t position, std::u32string_view text) const;

  std::vector<Node> nodes_;
  RegexId root_ = kNever;
};

}  // namespace maskloom::judge
