// Sets of positions through the expression.
#include "tests/judge/text_pattern.h"

#include <algorithm>

namespace maskloom::judge {
namespace {

bool Any(const std::vector<bool>& positions) {
  return std::find(positions.begin(), positions.end(), true) != positions.end();
}

bool IsWord(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9') ||
         c == U'_';
}

}  // namespace

TextPattern::TextPattern() {
  Put({});
  Node empty;
  empty.kind = Kind::kEmpty;
  Put(empty);
}

RegexId TextPattern::Put(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<RegexId>(nodes_.size() - 1);
}

RegexId TextPattern::Set(const CodePoints& set) {
  Node node;
  node.kind = Kind::kSet;
  node.set = set;
  return Put(node);
}

RegexId TextPattern::Cat(RegexId first, RegexId second) {
  Node node;
  node.kind = Kind::kCat;
  node.parts = {first, second};
  return Put(node);
}

RegexId TextPattern::Alt(std::vector<RegexId> choices) {
  Node node;
  node.kind = Kind::kAlt;
  node.parts = std::move(choices);
  return Put(node);
}

RegexId TextPattern::Repeat(RegexId body, uint32_t min, uint32_t max) {
  Node node;
  node.kind = Kind::kRepeat;
  node.parts = {body};
  node.min = min;
  node.max = max;
  return Put(node);
}

RegexId TextPattern::Begin() {
  Node node;
  node.kind = Kind::kBegin;
  return Put(node);
}

RegexId TextPattern::End() {
  Node node;
  node.kind = Kind::kEnd;
  return Put(node);
}

std::optional<RegexId> TextPattern::LookAround(RegexId body, Look look) {
  Node node;
  node.kind = Kind::kLook;
  node.parts = {body};
  node.look = look;
  return Put(node);
}

std::optional<RegexId> TextPattern::WordBoundary(bool negated) {
  Node node;
  node.kind = Kind::kBoundary;
  node.negated = negated;
  return Put(node);
}

Result<std::unique_ptr<TextPattern>> TextPattern::Parse(const std::u32string& pattern) {
  std::unique_ptr<TextPattern> made(new TextPattern());
  Result<RegexId> root = ParsePattern(pattern, made.get());
  if (!root.ok()) return root.status();
  made->root_ = *root;
  return made;
}

bool TextPattern::FoundIn(std::u32string_view text) const {
  return Any(Ends(root_, Positions(text.size() + 1, true), text));
}

bool TextPattern::LookHolds(const Node& node, size_t position, std::u32string_view text) const {
  Positions starts(text.size() + 1, false);
  bool found = false;
  if (node.look.ahead) {
    starts[position] = true;
    found = Any(Ends(node.parts[0], starts, text));
  } else {
    std::fill(starts.begin(), starts.begin() + static_cast<ptrdiff_t>(position) + 1, true);
    found = Ends(node.parts[0], starts, text)[position];
  }
  return found != node.look.negated;
}

TextPattern::Positions TextPattern::RepeatEnds(const Node& node, Positions at,
                                               std::u32string_view text) const {
  for (uint32_t i = 0; i < node.min; ++i) {
    Positions next = Ends(node.parts[0], at, text);
    if (next == at) break;  // and so it stays
    at = std::move(next);
  }
  Positions all = at;
  for (uint32_t i = node.min; i < node.max; ++i) {
    Positions next = Ends(node.parts[0], all, text);
    for (size_t p = 0; p < next.size(); ++p) next[p] = next[p] || at[p];
    if (next == all) break;
    all = std::move(next);
  }
  return all;
}

TextPattern::Positions TextPattern::Ends(RegexId id, const Positions& starts,
                                         std::u32string_view text) const {
  const Node& node = nodes_[static_cast<size_t>(id)];
  Positions ends(starts.size(), false);
  switch (node.kind) {
    case Kind::kNever:
      return ends;
    case Kind::kEmpty:
      return starts;
    case Kind::kCat:
      return Ends(node.parts[1], Ends(node.parts[0], starts, text), text);
    case Kind::kAlt:
      for (RegexId part : node.parts) {
        Positions some = Ends(part, starts, text);
        for (size_t p = 0; p < ends.size(); ++p) ends[p] = ends[p] || some[p];
      }
      return ends;
    case Kind::kRepeat:
      return RepeatEnds(node, starts, text);
    case Kind::kSet:
      for (size_t p = 0; p < text.size(); ++p) {
        if (starts[p] && node.set.Contains(text[p])) ends[p + 1] = true;
      }
      return ends;
    default:
      break;
  }
  for (size_t p = 0; p < starts.size(); ++p) {
    if (!starts[p]) continue;
    bool word_before = p > 0 && IsWord(text[p - 1]);
    bool word_behind = p < text.size() && IsWord(text[p]);
    ends[p] = node.kind == Kind::kBegin  ? p == 0
              : node.kind == Kind::kEnd  ? p == text.size()
              : node.kind == Kind::kLook ? LookHolds(node, p, text)
                                         : (word_before != word_behind) != node.negated;
  }
  return ends;
}

}  // namespace maskloom::judge
