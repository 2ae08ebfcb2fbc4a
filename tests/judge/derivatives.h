// Regular expressions over code points, matched by Brzozowski derivatives.
//
// The derivative of r by c is the expression for what may follow c: a text c1 c2 ... cn is in r iff
// the empty text is in the derivative by c1, then c2, ... That is the whole method; the rest is
// keeping expressions small: every node is interned, choices are flattened, sorted and merged, and
// counted repeats stay counters: d(r{n,m}) = d(r) r{n-1,m-1}, with a lower bound of 0 where r
// matches the empty text here. Worked example: (ab|a)* by 'a' is (b|())(ab|a)*, by 'b' then
// (ab|a)*; by 'c' it is Never, the dead expression.
//
// Anchors: ^ holds only before the first code point, so it counts as empty in the first derivative
// and becomes Never after it; $ counts as empty only when the text ends, and as Never where another
// code point is being read.
// Source: J. Brzozowski, Derivatives of Regular Expressions, JACM 11(4), 1964.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/base/status.h"
#include "tests/judge/code_points.h"
#include "tests/judge/pattern_builder.h"

namespace maskloom::judge {

// Owns interned expressions. Not safe for several threads.
class RegexPool : public PatternBuilder {
 public:
  RegexPool();
  // Parses ECMA-262 syntax. Requires: every pattern is parsed before the first Derive.
  // On error: kInvalidDefinition or kUnsupported (look-around, \b, back-references).
  Result<RegexId> ParseWhole(std::string_view pattern);
  // As ParseWhole, for texts that contain a match somewhere.
  Result<RegexId> ParseSearch(std::string_view pattern);

  RegexId Set(const CodePoints& set) override;
  RegexId Cat(RegexId first, RegexId second) override;
  RegexId Alt(std::vector<RegexId> choices) override;
  RegexId Repeat(RegexId body, uint32_t min, uint32_t max) override;
  RegexId Begin() override;
  RegexId End() override;

  // What may follow `code_point`.
  RegexId Derive(RegexId regex, uint32_t code_point);
  // Whether the text may end here.
  bool AcceptsHere(RegexId regex) const { return nodes_[regex].null_at_end; }
  bool Matches(RegexId regex, std::u32string_view text);

  // Splits all code points into classes that no set of the pool tells apart, each cut down to
  // `alphabet`; empty ones are left out.
  const std::vector<CodePoints>& Classes(const CodePoints& alphabet);
  size_t size() const { return nodes_.size(); }

 private:
  enum class Kind : uint8_t { kNever, kEmpty, kSet, kCat, kAlt, kRepeat, kBegin, kEnd };
  struct Node {
    Kind kind = Kind::kNever;
    uint32_t min = 0;
    uint32_t max = 0;
    std::vector<RegexId> parts;  // kSet: index of the set
    bool null_mid = false;       // empty here, with more text to come
    bool null_at_end = false;    // empty here, at the end of the text
    bool has_begin = false;
  };
  RegexId Intern(Node node);
  RegexId DeriveRaw(RegexId regex, uint32_t code_point);
  RegexId WithoutBegin(RegexId regex);
  size_t ClassOf(uint32_t code_point);
  void Partition();

  std::vector<Node> nodes_;
  std::map<std::tuple<int, uint32_t, uint32_t, std::vector<RegexId>>, RegexId> interned_;
  std::vector<CodePoints> sets_;
  std::map<CodePoints, int> set_index_;
  std::vector<CodePoints> partition_;
  std::vector<std::pair<uint32_t, size_t>> class_starts_;  // first code point, class; sorted
  std::unordered_map<uint64_t, RegexId> derived_;
  std::map<std::vector<std::pair<uint32_t, uint32_t>>, std::vector<CodePoints>> classes_;
};

}  // namespace maskloom::judge
