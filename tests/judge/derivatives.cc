// Interning, smart constructors and derivatives of the judge's regular expressions.
#include "tests/judge/derivatives.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace maskloom::judge {

RegexPool::RegexPool() {
  Intern(Node{});
  Node empty;
  empty.kind = Kind::kEmpty;
  empty.null_mid = empty.null_at_end = true;
  Intern(empty);
}

RegexId RegexPool::Intern(Node node) {
  auto key = std::make_tuple(static_cast<int>(node.kind), node.min, node.max, node.parts);
  auto [it, fresh] = interned_.try_emplace(key, static_cast<RegexId>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return it->second;
}

RegexId RegexPool::Set(const CodePoints& set) {
  if (set.empty()) return kNever;
  auto [it, fresh] = set_index_.try_emplace(set, static_cast<int>(sets_.size()));
  if (fresh) sets_.push_back(set);
  Node node;
  node.kind = Kind::kSet;
  node.parts = {it->second};
  return Intern(node);
}

RegexId RegexPool::Begin() {
  Node node;
  node.kind = Kind::kBegin;
  node.null_mid = node.null_at_end = node.has_begin = true;
  return Intern(node);
}

RegexId RegexPool::End() {
  Node node;
  node.kind = Kind::kEnd;
  node.null_at_end = true;
  return Intern(node);
}

RegexId RegexPool::Cat(RegexId first, RegexId second) {
  if (first == kNever || second == kNever) return kNever;
  if (first == kEmpty) return second;
  if (second == kEmpty) return first;
  if (nodes_[first].kind == Kind::kCat) {
    RegexId head = nodes_[first].parts[0];
    return Cat(head, Cat(nodes_[first].parts[1], second));
  }
  Node node;
  node.kind = Kind::kCat;
  node.parts = {first, second};
  node.null_mid = nodes_[first].null_mid && nodes_[second].null_mid;
  node.null_at_end = nodes_[first].null_at_end && nodes_[second].null_at_end;
  node.has_begin = nodes_[first].has_begin || nodes_[second].has_begin;
  return Intern(node);
}

RegexId RegexPool::Alt(std::vector<RegexId> choices) {
  std::set<RegexId> flat;
  CodePoints set;
  for (size_t i = 0; i < choices.size(); ++i) {
    const Node& node = nodes_[choices[i]];
    if (node.kind == Kind::kAlt) {
      choices.insert(choices.end(), node.parts.begin(), node.parts.end());
    } else if (node.kind == Kind::kSet) {
      set.Add(sets_[node.parts[0]]);
    } else if (node.kind != Kind::kNever) {
      flat.insert(choices[i]);
    }
  }
  if (!set.empty()) flat.insert(Set(set));
  if (flat.empty()) return kNever;
  if (flat.size() == 1) return *flat.begin();
  Node node;
  node.kind = Kind::kAlt;
  node.parts.assign(flat.begin(), flat.end());
  for (RegexId part : node.parts) {
    node.null_mid = node.null_mid || nodes_[part].null_mid;
    node.null_at_end = node.null_at_end || nodes_[part].null_at_end;
    node.has_begin = node.has_begin || nodes_[part].has_begin;
    // A choice that allows every text makes the others pointless.
    const Node& choice = nodes_[part];
    if (choice.kind == Kind::kRepeat && choice.min == 0 && choice.max == kUnbounded &&
        nodes_[choice.parts[0]].kind == Kind::kSet &&
        sets_[nodes_[choice.parts[0]].parts[0]] == CodePoints::All()) {
      return part;
    }
  }
  return Intern(node);
}

RegexId RegexPool::Repeat(RegexId body, uint32_t min, uint32_t max) {
  if (max == 0 || body == kEmpty) return kEmpty;
  if (body == kNever) return min == 0 ? kEmpty : kNever;
  if (min == 1 && max == 1) return body;
  const Node& inner = nodes_[body];
  if (inner.kind == Kind::kRepeat && inner.min == 0 && inner.max == kUnbounded) return body;
  Node node;
  node.kind = Kind::kRepeat;
  node.min = min;
  node.max = max;
  node.parts = {body};
  node.null_mid = min == 0 || inner.null_mid;
  node.null_at_end = min == 0 || inner.null_at_end;
  node.has_begin = inner.has_begin;
  return Intern(node);
}

RegexId RegexPool::DeriveRaw(RegexId regex, uint32_t code_point) {
  // A copy: deriving parts may grow the vector of nodes.
  Node node = nodes_[regex];
  switch (node.kind) {
    case Kind::kNever:
    case Kind::kEmpty:
    case Kind::kBegin:
    case Kind::kEnd:
      return kNever;
    case Kind::kSet:
      return sets_[node.parts[0]].Contains(code_point) ? kEmpty : kNever;
    case Kind::kCat: {
      std::vector<RegexId> choices = {Cat(DeriveRaw(node.parts[0], code_point), node.parts[1])};
      if (nodes_[node.parts[0]].null_mid) choices.push_back(DeriveRaw(node.parts[1], code_point));
      return Alt(std::move(choices));
    }
    case Kind::kAlt: {
      std::vector<RegexId> choices;
      for (RegexId part : node.parts) choices.push_back(DeriveRaw(part, code_point));
      return Alt(std::move(choices));
    }
    case Kind::kRepeat: {
      uint32_t min = node.min == 0 || nodes_[node.parts[0]].null_mid ? 0 : node.min - 1;
      uint32_t max = node.max == kUnbounded ? kUnbounded : node.max - 1;
      return Cat(DeriveRaw(node.parts[0], code_point), Repeat(node.parts[0], min, max));
    }
  }
  return kNever;
}

RegexId RegexPool::WithoutBegin(RegexId regex) {
  if (!nodes_[regex].has_begin) return regex;
  Node node = nodes_[regex];
  switch (node.kind) {
    case Kind::kCat:
      return Cat(WithoutBegin(node.parts[0]), WithoutBegin(node.parts[1]));
    case Kind::kAlt: {
      for (RegexId& part : node.parts) part = WithoutBegin(part);
      return Alt(node.parts);
    }
    case Kind::kRepeat:
      return Repeat(WithoutBegin(node.parts[0]), node.min, node.max);
    default:
      return kNever;
  }
}

void RegexPool::Partition() {
  std::set<uint32_t> cuts = {0, 0xD800, 0xE000};
  for (const CodePoints& set : sets_) {
    for (auto [first, last] : set.ranges()) {
      cuts.insert(first);
      cuts.insert(last + 1);
    }
  }
  std::map<std::vector<bool>, size_t> by_membership;
  for (auto it = cuts.begin(); it != cuts.end(); ++it) {
    uint32_t first = *it;
    if (first > kLastCodePoint) break;
    uint32_t end = std::next(it) == cuts.end() ? kLastCodePoint + 1 : *std::next(it);
    std::vector<bool> member;
    for (const CodePoints& set : sets_) member.push_back(set.Contains(first));
    auto [entry, fresh] = by_membership.try_emplace(member, partition_.size());
    if (fresh) partition_.emplace_back();
    partition_[entry->second].Add(first, end - 1);
    class_starts_.emplace_back(first, entry->second);
  }
}

size_t RegexPool::ClassOf(uint32_t code_point) {
  if (partition_.empty()) Partition();
  auto it = std::upper_bound(class_starts_.begin(), class_starts_.end(),
                             std::make_pair(code_point, static_cast<size_t>(-1)));
  return std::prev(it)->second;
}

const std::vector<CodePoints>& RegexPool::Classes(const CodePoints& alphabet) {
  if (partition_.empty()) Partition();
  auto [it, fresh] = classes_.try_emplace(alphabet.ranges());
  if (fresh) {
    for (const CodePoints& whole : partition_) {
      CodePoints cut = whole.Intersect(alphabet);
      if (!cut.empty()) it->second.push_back(std::move(cut));
    }
  }
  return it->second;
}

RegexId RegexPool::Derive(RegexId regex, uint32_t code_point) {
  if (regex == kNever) return kNever;
  uint64_t key = static_cast<uint64_t>(regex) << 32 | ClassOf(code_point);
  auto it = derived_.find(key);
  if (it != derived_.end()) return it->second;
  RegexId result = WithoutBegin(DeriveRaw(regex, code_point));
  derived_.emplace(key, result);
  return result;
}

bool RegexPool::Matches(RegexId regex, std::u32string_view text) {
  for (char32_t c : text) regex = Derive(regex, c);
  return AcceptsHere(regex);
}

}  // namespace maskloom::judge
