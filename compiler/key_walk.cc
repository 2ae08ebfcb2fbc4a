// Walks of tries inside keys; see mask_walk.h.
//
// The children of a node, the edges of a name trie and those of the undeclared keys' automaton are
// all sorted, so one sweep along the three finds where to go. A key lives as long as some declared
// name below may still come, or the automaton goes on. What ends a declared name, or spells a
// character in another way, goes through the machine. Behind undeclared keys of one class the
// object is the same whichever it was, so all ends of a class are walked on from once, at the end.
// Subtrees of tokens that stay in the region of the undeclared keys are taken whole: whichever
// names end in them, some other key may still come.
#include <algorithm>

#include "compiler/mask_walk.h"
#include "compiler/object_registers.h"

namespace maskloom {
namespace {

// Stands for the text of an undeclared key that was not seen: no text has such a character.
constexpr KeyText kUnseenKey{nullptr, 0xFFFFFFFF, 1};

}  // namespace

bool MaskWalker::IsKey(size_t begin) const {
  const Item& item = items_[begin];
  const Frame& frame = item.frame;
  if (items_.size() != begin + 1 || frame.kind != FrameKind::kObject ||
      frame.phase != Phase::kKey || frame.partial != kBoundary || item.trace != nullptr) {
    return false;
  }
  if (frame.state2 == TextAutomaton::kDead) return frame.state != NameTrie::kDead;
  // What follows undeclared keys is alike but for their class, unless the next key is compared or,
  // where they may run out, begins in the same token.
  return machine_->object(frame.node).counts_keys() ? !vocabulary_->has_next_key_tokens()
                                                    : !vocabulary_->has_two_key_tokens();
}

void MaskWalker::PushKeyLevel(const TokenTrie::Node& node, const ObjectTable& table, uint32_t state,
                              uint32_t state2, const Base& base) {
  trie_->Prefetch(node);
  const std::span<const TokenTrie::Node> children = trie_->children(node);
  KeyLevel& level = key_levels_.emplace_back();
  level.next = children.data();
  level.end = children.data() + children.size();
  level.node = &node;
  level.state = state;
  level.state2 = state2;
  level.base = base;
  if (state != NameTrie::kDead) {
    const auto names = table.names.edges(state);
    level.name = names.data();
    level.end_names = names.data() + names.size();
    level.has_names = !names.empty();
  }
  if (state2 != TextAutomaton::kDead && table.other_keys != nullptr) {
    const auto edges = table.other_keys->EdgesOf(state2);
    level.edge = edges.data();
    level.end_edges = edges.data() + edges.size();
    level.has_edges = !edges.empty();
  } else {
    level.any_text = state2 != TextAutomaton::kDead;
  }
}

bool MaskWalker::MayGoBeyondAscii(const KeyLevel& level, bool names_only) {
  if (level.has_names && level.end_names[-1].code_point >= 0x80) return true;
  return !names_only && (level.any_text || (level.has_edges && level.end_edges[-1].last >= 0x80));
}

uint32_t MaskWalker::NextKeyByte(KeyLevel* level, uint32_t byte, bool names_only) {
  while (level->name != level->end_names && level->name->code_point < byte) ++level->name;
  const bool has_name = level->name != level->end_names;
  uint32_t next = NextMark(byte, [&] { return MayGoBeyondAscii(*level, names_only); });
  if (has_name) next = std::min(next, level->name->code_point);
  if (names_only) return next;
  while (level->edge != level->end_edges && level->edge->last < byte) ++level->edge;
  if (level->edge != level->end_edges) next = std::min(next, std::max(byte, level->edge->first));
  return next;
}

void MaskWalker::FindNextKeyByte(KeyLevel* level, bool names_only) {
  level->next = TokenTrie::FindWanted(
      level->next, level->end, [&](uint32_t byte) { return NextKeyByte(level, byte, names_only); });
}

// The text of the key behind the levels from `floor` on.
const KeyText* MaskWalker::KeyTextBehind(const KeyText* text, size_t floor) {
  for (size_t i = floor + 1; i < key_levels_.size(); ++i) {
    const uint32_t length = text == nullptr ? 1 : text->length + 1;
    text = arena_.New<KeyText>(text, key_levels_[i].node->byte, length);
  }
  return text;
}

bool MaskWalker::OthersGoOn(const OtherKeys& others, const KeyText* text, size_t floor,
                            uint8_t byte, uint32_t state, uint32_t state2) {
  if (state2 == TextAutomaton::kDead) return false;
  if (others.AreEndless(state2)) return true;
  if (!others.AreFew(state2)) return false;
  const Arena::Mark mark = arena_.mark();
  const KeyText* before = KeyTextBehind(text, floor);
  const KeyText behind{before, byte, before == nullptr ? 1 : before->length + 1};
  const bool goes_on = others.MayAdd(state2, state, &behind);
  arena_.Release(mark);
  return goes_on;
}

MaskWalker::Take MaskWalker::TakeOfKey(const Item& item, const KeyLevel& level) {
  if (!level.has_edges || !IsWide({level.edge, level.end_edges})) return {};
  Item here = item;
  here.frame.state = level.state;
  here.frame.state2 = level.state2;
  return RegionToTake(here);
}

void MaskWalker::WalkKey(const TokenTrie::Node& node, const Item& item, const Base& base,
                         bool for_ends) {
  const ObjectTable& table = machine_->object(item.frame.node);
  const ObjectRegisters registers(table, machine_->declared_order(), item.frame);
  const OtherKeys others(table, registers);
  const bool by_text = table.finite_classes;
  const bool needs_text = item.frame.seen_keys != nullptr || table.counts_keys();
  const size_t floor = key_levels_.size();
  const size_t first_end = key_ends_.size();
  const Arena::Mark mark = arena_.mark();
  PushKeyLevel(node, table, item.frame.state, item.frame.state2, base);
  while (key_levels_.size() > floor) {
    KeyLevel& level = key_levels_.back();
    if (!level.any_text || for_ends) FindNextKeyByte(&level, for_ends);
    if (level.next == level.end) {
      key_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    const uint8_t byte = child.byte;
    const bool has_others = level.state2 != TextAutomaton::kDead;
    if (byte < 0x20) continue;  // no character of a key
    if (byte == '"' || byte == '\\' || byte >= 0x80) {
      Item here = item;
      here.frame.state = level.state;
      here.frame.state2 = level.state2;
      const uint32_t name =
          level.state == NameTrie::kDead ? NameTrie::kNoName : table.names.node(level.state).name;
      if (byte != '"') {
        // The text matters only where keys are compared, counted, or told apart by their class.
        if (has_others && needs_text) {
          here.frame.key_text = KeyTextBehind(item.frame.key_text, floor);
        }
        WalkOtherChild(child, here, Base(level.base), for_ends);  // the level may move
      } else if (name != NameTrie::kNoName) {
        if (for_ends) trie_->AppendTokens(child, name_ends_);
        if (registers.MayAddName(name)) WalkOtherChild(child, here, {}, false);
      } else if (has_others && !for_ends) {
        const uint32_t label =
            table.other_keys == nullptr ? 1 : table.other_keys->labels[level.state2];
        if (label == TextAutomaton::kNotAccepting || !others.MayAddClass(label - 1)) continue;
        if (item.frame.seen_keys != nullptr &&
            registers.SawOther(KeyTextBehind(item.frame.key_text, floor))) {
          continue;
        }
        Allow(trie_->tokens(trie_->IndexOf(child)));
        if (child.child_count == 0) continue;
        key_ends_.push_back({&child, label, level.state2,
                             by_text ? KeyTextBehind(item.frame.key_text, floor) : &kUnseenKey});
      }
      continue;
    }
    uint32_t state = NameTrie::kDead;
    while (level.name != level.end_names && level.name->code_point < byte) ++level.name;
    if (level.name != level.end_names && level.name->code_point == byte) state = level.name->target;
    uint32_t state2 = table.other_keys == nullptr ? level.state2 : TextAutomaton::kDead;
    while (level.edge != level.end_edges && level.edge->last < byte) ++level.edge;
    if (level.edge != level.end_edges && level.edge->first <= byte) state2 = level.edge->target;
    if (!level.any_text || for_ends) {
      FindNextKeyByte(&level, for_ends);
      if (level.next != level.end) trie_->Prefetch(*level.next);
    }
    const bool in_others = OthersGoOn(others, item.frame.key_text, floor, byte, state, state2);
    if (!in_others) state2 = TextAutomaton::kDead;
    if (for_ends) {
      // Names count too that may not come: tokens with them are not those of other keys. Where no
      // other key goes on there are none of those.
      if (state == NameTrie::kDead || !in_others) continue;
      if (child.child_count > 0) PushKeyLevel(child, table, state, state2, {});
      continue;
    }
    if (!in_others) {
      if (state == NameTrie::kDead) continue;
      const NameTrie::Node& below = table.names.node(state);
      if (!registers.MayAddNameIn(below.begin, below.end)) continue;
    }
    const Base below = BaseBelow(child, level.base);
    if (IsDone(child, level.base, below, level.take)) continue;
    if (!below.holds && child.ends_token()) Allow(trie_->tokens(trie_->IndexOf(child)));
    if (child.child_count == 0) continue;
    const bool loops = state2 == level.state2 && !level.base.holds;
    const Take take = level.take;  // the level may move
    PushKeyLevel(child, table, state, state2, below);
    if (below.holds || !MayTakeBelow(child)) continue;
    KeyLevel& pushed = key_levels_.back();
    pushed.take = loops && take.categories != 0 ? take : TakeOfKey(item, pushed);
  }
  WalkKeyEnds(item, first_end);
  arena_.Release(mark);
}

void MaskWalker::WalkKeyEnds(const Item& item, size_t first) {
  const auto begin = key_ends_.begin() + static_cast<ptrdiff_t>(first);
  std::stable_sort(begin, key_ends_.end(),
                   [](const KeyEnd& a, const KeyEnd& b) { return a.label < b.label; });
  while (key_ends_.size() > first) {
    const uint32_t label = key_ends_.back().label;
    const size_t kept = items_.size();
    const size_t floor = levels_.size();
    const Arena::Mark mark = arena_.mark();
    items_.push_back(item);
    Frame& frame = items_.back().frame;
    frame.state = NameTrie::kDead;
    frame.state2 = key_ends_.back().state2;
    frame.key_text = key_ends_.back().text;
    const bool lives = stepper_.Step(&items_, kept, kept + 1, '"');
    const size_t end = items_.size();
    const std::bitset<256> bytes = BytesBehind(kept + 1, end);
    for (; key_ends_.size() > first && key_ends_.back().label == label; key_ends_.pop_back()) {
      if (lives) PushBehind(*key_ends_.back().node, kept + 1, end, bytes);
    }
    RunLevels(floor);
    items_.resize(kept);
    arena_.Release(mark);
  }
}

}  // namespace maskloom
