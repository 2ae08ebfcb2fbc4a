// Walks beside values that arrays of distinct items have seen; see apart_items.h and mask_walk.h.
//
// A walk that ignores such values accepts too much only where an item ends that is equal to one of
// them, or where it can become nothing else. On the way to either it stays near: every byte goes on
// as the text of one of these values does. So the machine, which ignores nothing, follows these
// ways alone, a few nodes of the trie; what it refuses there is refused with all that follows.
//
// What an item is near to is found from its whole text where it begins or an item, a number or a
// container begins or ends; elsewhere nothing new can part from it but the text of a string or key,
// and that is compared with the strings in those values character by character.
#include <algorithm>

#include "compiler/item_trace.h"
#include "compiler/json_value_key.h"
#include "compiler/mask_walk.h"
#include "compiler/next_bytes.h"
#include "compiler/white_space.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

using Outcome = CodingStep::Outcome;

// May `byte`, outside of strings and keys, take an item apart from a value, or to another one?
bool MayPart(uint8_t byte) {
  return byte != ':' && byte != '"' && !IsJsonSpace(static_cast<char>(byte));
}

// The first character of `rest`, which is not empty.
uint32_t FirstOf(std::string_view rest) {
  size_t offset = 0;
  return DecodeUtf8(rest, &offset);
}

// The bytes that one of `rests` may go on with at a boundary.
std::bitset<256> BytesOf(std::span<const std::string_view> rests) {
  std::bitset<256> bytes;
  for (const std::string_view rest : rests) {
    if (rest.empty()) {
      bytes.set('"');
      continue;
    }
    bytes.set('\\');
    bytes.set(static_cast<uint8_t>(rest[0]));
  }
  return bytes;
}

// May `partial` become the first character of one of `rests`?
bool MayBecomeNext(Partial partial, std::span<const std::string_view> rests) {
  const PartialRanges ranges = RangesOf(partial);
  return std::any_of(rests.begin(), rests.end(), [&](std::string_view rest) {
    if (rest.empty()) return false;
    const uint32_t next = FirstOf(rest);
    return std::any_of(ranges.ranges, ranges.ranges + ranges.count,
                       [&](const CodePointRange& r) { return next >= r.first && next <= r.last; });
  });
}

}  // namespace

void MaskWalker::DropEqualItems(const Item& item, const Nearness& near,
                                std::vector<TokenId>* tokens) {
  stepper_.IgnoreSeenValues(false);
  const HeldItems& held = vocabulary_->held_items();
  const bool in_text = IsInText(item.frame) && item.frame.partial == kBoundary;
  const HeldBehind behind = in_text ? HeldBehind::kText : HeldBehind::kNothing;
  std::erase_if(*tokens, [&](TokenId id) {
    if (!near.counts && !held.MayHold(id, behind, near.items)) return false;
    const std::string_view bytes = vocabulary_->vocabulary().bytes(id);
    // What stays in a text ends no item: find() behind no quote finds nothing.
    const size_t outside = in_text ? bytes.find('"') : 0;
    const bool has_comma = near.counts && bytes.find(',', outside) != std::string_view::npos;
    return (has_comma || held.MayHold(id, behind, near.items)) && !Accepts(item, bytes);
  });
}

bool MaskWalker::IsInOneText(size_t begin) const {
  return std::all_of(items_.begin() + static_cast<ptrdiff_t>(begin), items_.end(),
                     [&](const Item& item) {
                       return item.trace != nullptr && IsInText(item.frame) &&
                              item.frame.partial == items_[begin].frame.partial;
                     });
}

bool MaskWalker::FindNear(size_t begin) {
  bool apart = true;
  for (size_t i = begin; i < items_.size(); ++i) {
    const Nearness near = FindNearness(*machine_, vocabulary_->held_items(), items_[i]);
    apart &= near.kind == Nearness::Kind::kApart;
    near_values_.insert(near_values_.end(), near.values.begin(), near.values.end());
    // Then nothing that follows can part from it.
    if (near.kind == Nearness::Kind::kUnknown) near_values_.push_back({});
  }
  return !apart;
}

void MaskWalker::SetNearText(const NearLevel* above, uint8_t byte, NearLevel* level) {
  const Item& item = items_[level->begin_items];
  if (above == nullptr || !above->in_text) {
    const std::string text = ToUtf8(ReadJsonValue(TraceString(item.trace)).text);
    for (size_t i = level->begin_values; i < level->end_values; ++i) {
      VisitTexts(near_values_[i], [&](char kind, std::string_view string) {
        if (kind != 's' || !string.starts_with(text)) return;
        near_rests_.push_back(string.substr(text.size()));
      });
    }
    return;
  }
  const Partial partial = items_[above->begin_items].frame.partial;
  const CodingStep step = StepCoding(machine_->string_coding(), partial, byte);
  for (size_t i = above->begin_rests; i < above->end_rests; ++i) {
    const std::string_view rest = near_rests_[i];
    if (step.outcome == Outcome::kPartial) {
      near_rests_.push_back(rest);
    } else if (!rest.empty()) {
      size_t offset = 0;
      if (DecodeUtf8(rest, &offset) == step.code_point) near_rests_.push_back(rest.substr(offset));
    }
  }
}

void MaskWalker::PushNear(const TokenTrie::Node& node, size_t begin, const NearLevel* above,
                          uint8_t byte) {
  NearLevel level{};
  const std::span<const TokenTrie::Node> children = trie_->children(node);
  level.next = children.data();
  level.end = children.data() + children.size();
  level.begin_items = begin;
  level.end_items = items_.size();
  level.mark = arena_.mark();
  level.begin_values = near_values_.size();
  level.begin_rests = near_rests_.size();
  const Partial partial = items_[begin].frame.partial;
  const bool in_text = IsInOneText(begin);
  const bool keeps = above != nullptr && (in_text || above->in_text || !MayPart(byte));
  if (keeps) {
    level.begin_values = above->begin_values;
    level.end_values = above->end_values;
  } else if (above == nullptr && !near_values_.empty()) {
    level.begin_values = 0;
    level.end_values = near_values_.size();
  } else {
    if (!FindNear(begin)) return;
    level.end_values = near_values_.size();
  }
  const bool is_known =
      std::none_of(near_values_.begin() + static_cast<ptrdiff_t>(level.begin_values),
                   near_values_.begin() + static_cast<ptrdiff_t>(level.end_values),
                   [](std::string_view value) { return value.empty(); });
  level.in_text = in_text && is_known;
  if (level.in_text) SetNearText(above, byte, &level);
  level.end_rests = near_rests_.size();
  if (level.in_text && partial == kBoundary && WalkNearTexts(node, level)) return;
  const std::span<const std::string_view> rests =
      std::span(near_rests_).subspan(level.begin_rests, level.end_rests - level.begin_rests);
  if (!level.in_text) {
    level.bytes = BytesBehind(begin, level.end_items);
    // A number that may not end, as it is equal to a value seen, ends where that is ignored.
    const bool is_number =
        std::any_of(items_.begin() + static_cast<ptrdiff_t>(begin), items_.end(),
                    [](const Item& item) { return item.frame.kind == FrameKind::kNumber; });
    for (const char c : is_number ? std::string_view(",]} \t\n\r") : std::string_view()) {
      level.bytes.set(static_cast<uint8_t>(c));
    }
  } else if (partial == kBoundary) {
    level.bytes = BytesOf(rests);
  } else {
    level.bytes = BytesAfter(machine_->string_coding(), partial);
  }
  level.value_count = near_values_.size();
  near_levels_.push_back(level);
}

bool MaskWalker::StaysNear(const NearLevel& level, uint8_t byte) const {
  if (!level.bytes[byte]) return false;
  if (!level.in_text) return true;
  const std::span<const std::string_view> rests =
      std::span(near_rests_).subspan(level.begin_rests, level.end_rests - level.begin_rests);
  const CodingStep step =
      StepCoding(machine_->string_coding(), items_[level.begin_items].frame.partial, byte);
  switch (step.outcome) {
    case Outcome::kQuote:
      return true;
    case Outcome::kPartial:
      return MayBecomeNext(step.partial, rests);
    case Outcome::kCodePoint:
      return std::any_of(rests.begin(), rests.end(), [&](std::string_view rest) {
        return !rest.empty() && FirstOf(rest) == step.code_point;
      });
    case Outcome::kDead:
      return false;
  }
  return false;
}

bool MaskWalker::HasRepeated(size_t begin) const {
  return std::any_of(items_.begin() + static_cast<ptrdiff_t>(begin), items_.end(),
                     [&](const Item& item) {
                       const Frame& frame = item.frame;
                       return frame.kind == FrameKind::kArray &&
                              frame.phase == Phase::kAfterValue && frame.space == 0 &&
                              machine_->array(frame.node).repeats_freely && IsRepeatedFrame(frame);
                     });
}

void MaskWalker::WalkRepeated(const TokenTrie::Node& node, size_t begin,
                              std::vector<TokenId>* accepted) {
  allowed_ = accepted;
  name_ends_ = nullptr;
  base_categories_ = 0;
  const size_t floor = levels_.size();
  PushLevel(node, begin, items_.size());
  RunLevels(floor);
}

void MaskWalker::WalkNear(const Item& item, const Nearness& near, bool between,
                          NearTokens* tokens) {
  stepper_.IgnoreSeenValues(false);
  UseTrie(vocabulary_->trie(), nullptr);
  Reset(item);
  near_refused_ = &tokens->refused;
  near_values_ = near.values;
  near_rests_.clear();
  PushNear(trie_->node(TokenTrie::kRoot), 0, nullptr, 0);
  if (between && !near_levels_.empty()) PushNearBehindSpace();
  while (!near_levels_.empty()) {
    NearLevel& level = near_levels_.back();
    items_.resize(level.end_items);
    arena_.Release(level.mark);
    near_values_.resize(level.value_count);
    near_rests_.resize(level.end_rests);
    if (level.next == level.end) {
      near_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    if (!StaysNear(level, child.byte)) continue;
    const NearLevel above = level;  // the levels may move
    if (!stepper_.Step(&items_, above.begin_items, above.end_items, child.byte)) {
      trie_->AppendTokens(child, &tokens->refused);
      continue;
    }
    const bool has_refused = stepper_.has_refused();
    if (near.repeats && HasRepeated(above.end_items)) {
      WalkRepeated(child, above.end_items, &tokens->repeated);
    }
    if (has_refused) {
      trie_->AppendTokens(child, &tokens->doubted);
    } else if (child.child_count > 0) {
      PushNear(child, level.end_items, &above, child.byte);
    }
  }
  Finish();
}

void MaskWalker::PushNearBehindSpace() {
  RemoveSpace(&near_levels_.back().bytes);
  const NearLevel above = near_levels_.back();
  const CategorySet next = CategoriesOf(above.bytes);
  // What space was read does not matter where it may end.
  const Item behind = items_[0];
  for (const StandardWalks::SpaceEnd& end : standard_walks_->space_ends()) {
    if ((end.next & next) == 0) continue;
    items_.push_back(behind);
    PushNear(trie_->node(end.node), items_.size() - 1, &above, ' ');
    near_levels_.back().bytes &= above.bytes;
  }
}

}  // namespace maskloom
