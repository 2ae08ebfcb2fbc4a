#include "compiler/mask_builder.h"

#include <bit>

#include "compiler/object_registers.h"

namespace maskloom {
namespace {

// From this many children on, a filter by next bytes is cheaper than trying every child.
constexpr uint32_t kFilterFrom = 5;

void SetBit(uint32_t* row, TokenId id) { row[id / 32] |= 1u << (id % 32); }

// Is `item` inside a JSON string that may go on with any text at all?
bool IsPlainString(const Machine& machine, const Item& item) {
  const Frame& frame = item.frame;
  if (frame.partial != kBoundary) return false;
  if (frame.kind == FrameKind::kString) {
    const StringTable& table = machine.string(frame.node);
    return table.automaton == nullptr && !table.bounded;
  }
  if (frame.kind != FrameKind::kObject || frame.phase != Phase::kKey) return false;
  const ObjectTable& table = machine.object(frame.node);
  if (table.other_keys != nullptr || frame.state2 == TextAutomaton::kDead) return false;
  return ObjectRegisters(table, machine.declared_order(), frame)
      .MayAddOther(frame.state2, frame.state, frame.key_text);
}

// First bytes of the code points in [first, last].
void AddFirstBytes(uint32_t first, uint32_t last, bool json, std::bitset<256>* bytes) {
  const auto lead = [](uint32_t c) -> uint32_t {
    return c < 0x80 ? c : c < 0x800 ? 0xC0 | c >> 6 : c < 0x10000 ? 0xE0 | c >> 12 : 0xF0 | c >> 18;
  };
  for (uint32_t b = lead(first); b <= lead(last); ++b) bytes->set(b);
  if (json) bytes->set('\\');
}

void AddSpace(const Machine& machine, std::bitset<256>* bytes) {
  if (machine.style().whitespace == StylePolicy::Whitespace::kCompact) return;
  for (const char c : {' ', '\t', '\n', '\r'}) bytes->set(static_cast<uint8_t>(c));
}

void AddAutomatonBytes(const TextAutomaton& automaton, uint32_t state, bool json,
                       std::bitset<256>* bytes) {
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    AddFirstBytes(edge.first, edge.last, json, bytes);
  }
}

}  // namespace

void AddNextBytes(const Machine& machine, const Item& item, std::bitset<256>* bytes) {
  const Frame& frame = item.frame;
  const auto add = [bytes](const char* list) {
    for (; *list != '\0'; ++list) bytes->set(static_cast<uint8_t>(*list));
  };
  if (frame.partial != kBoundary) {
    const bool utf8 = frame.kind == FrameKind::kRule;
    *bytes |= BytesAfter(utf8 ? TextCoding::kUtf8 : TextCoding::kJsonString, frame.partial);
    return;
  }
  switch (frame.kind) {
    case FrameKind::kEnd:
      return AddSpace(machine, bytes);
    case FrameKind::kValue:
      AddSpace(machine, bytes);
      *bytes |= machine.value(frame.node).first_bytes;
      return;
    case FrameKind::kLiteral:
      bytes->set(static_cast<uint8_t>(kLiteralTexts[frame.node][frame.state]));
      return;
    case FrameKind::kString: {
      const StringTable& table = machine.string(frame.node);
      bytes->set('"');
      if (table.automaton == nullptr) {
        *bytes |= BytesAfter(TextCoding::kJsonString, kBoundary);
      } else {
        AddAutomatonBytes(*table.automaton, frame.state, true, bytes);
      }
      return;
    }
    case FrameKind::kNumber:
      return add("-+.eE0123456789");
    case FrameKind::kArray:
      AddSpace(machine, bytes);
      add(frame.phase == Phase::kAfterValue ? "]," : "]");
      if (frame.phase != Phase::kAfterValue) {
        const ArrayTable& table = machine.array(frame.node);
        if (frame.count < table.max) {
          *bytes |= machine.value(table.ItemValue(frame.count)).first_bytes;
        }
      }
      return;
    case FrameKind::kObject: {
      if (frame.phase != Phase::kKey) AddSpace(machine, bytes);
      switch (frame.phase) {
        case Phase::kOpen:
          return add("\"}");
        case Phase::kColon:
          return add(":");
        case Phase::kAfterValue:
          return add(",}");
        case Phase::kComma:
          return add("\"");
        case Phase::kBeforeValue:
          *bytes |= machine.value(frame.state).first_bytes;
          return;
        case Phase::kKey:
          break;
      }
      const ObjectTable& table = machine.object(frame.node);
      bytes->set('"');
      if (frame.state2 != TextAutomaton::kDead) {
        if (table.other_keys == nullptr) {
          *bytes |= BytesAfter(TextCoding::kJsonString, kBoundary);
        } else {
          AddAutomatonBytes(*table.other_keys, frame.state2, true, bytes);
        }
      }
      if (frame.state != NameTrie::kDead) {
        for (const NameTrie::Edge& edge : table.names.edges(frame.state)) {
          AddFirstBytes(edge.code_point, edge.code_point, true, bytes);
        }
      }
      return;
    }
    case FrameKind::kRule:
      return AddAutomatonBytes(*machine.rule(frame.node).automaton, frame.state, false, bytes);
    case FrameKind::kRepeat:
      return;
  }
}

const TokenTrie& MaskBuilder::ChooseBase(const Item& item, ItemMask* mask) const {
  const StringIndex& strings = vocabulary_->strings();
  StringIndex::Base base;
  if (IsPlainString(*machine_, item)) {
    base = strings.Stay();
  } else if (item.frame.kind == FrameKind::kString && item.frame.partial == kBoundary &&
             machine_->string(item.frame.node).automaton == nullptr) {
    const StringTable& table = machine_->string(item.frame.node);
    const uint32_t left = table.max == kNoLimit ? kNoLimit : table.max - item.frame.count;
    base = left == kNoLimit ? strings.Stay() : strings.AtMost(left);
    if (left != kNoLimit && left > StringIndex::kMaxLengthRow) {
      for (const StringIndex::LongToken& token : strings.LongerThanRows()) {
        if (token.code_points <= left) mask->additions.push_back(token.id);
      }
    }
  } else {
    return vocabulary_->trie();
  }
  mask->base_id = base.id;
  mask->base = base.row;
  return strings.exits();
}

ItemMask MaskBuilder::Build(const Machine& machine, const VocabularyIndex& vocabulary,
                            const Item& item) {
  machine_ = &machine;
  vocabulary_ = &vocabulary;
  stepper_.Bind(machine, &arena_);
  ItemMask mask;
  const TokenTrie& trie = ChooseBase(item, &mask);
  Walk(trie, item, &mask.additions);
  mask.depth = stepper_.deepest_level();
  mask.allowed_count = static_cast<uint32_t>(mask.additions.size());
  const uint32_t words = vocabulary_->row_words();
  if (mask.base != nullptr) {
    for (uint32_t word = 0; word < words; ++word) {
      mask.allowed_count += static_cast<uint32_t>(std::popcount(mask.base[word]));
    }
  }
  if (mask.additions.size() > words) {
    if (mask.base != nullptr) {
      mask.own_row.assign(mask.base, mask.base + words);
    } else {
      mask.own_row.assign(words, 0);
    }
    for (const TokenId id : mask.additions) SetBit(mask.own_row.data(), id);
    mask.additions = {};
    mask.base = mask.own_row.data();
  }
  return mask;
}

void MaskBuilder::Walk(const TokenTrie& trie, const Item& item, std::vector<TokenId>* allowed) {
  arena_.Reset();
  items_.clear();
  levels_.clear();
  stepper_.ResetLevel();
  items_.push_back(item);
  items_.back().level = 1;
  const auto push_level = [&](const TokenTrie::Node& node, size_t begin, size_t end) {
    const std::span<const TokenTrie::Node> children = trie.children(node);
    levels_.emplace_back();
    Level& level = levels_.back();
    level.next = children.data();
    level.end = children.data() + children.size();
    level.begin_items = begin;
    level.end_items = end;
    level.mark = arena_.mark();
    level.plain = end - begin == 1 && IsPlainString(*machine_, items_[begin]);
    level.filtered = node.child_count >= kFilterFrom;
    if (!level.filtered) return;
    for (size_t i = begin; i < end; ++i) AddNextBytes(*machine_, items_[i], &level.bytes);
  };
  push_level(trie.node(TokenTrie::kRoot), 0, 1);
  while (!levels_.empty()) {
    Level& level = levels_.back();
    items_.resize(level.end_items);
    arena_.Release(level.mark);
    if (level.next == level.end) {
      levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    if (level.filtered && !level.bytes[child.byte]) continue;
    const size_t begin = level.end_items;
    if (!stepper_.Step(&items_, level.begin_items, level.end_items, child.byte)) continue;
    if (child.ends_token()) {
      const std::span<const TokenId> tokens = trie.tokens(trie.IndexOf(child));
      allowed->insert(allowed->end(), tokens.begin(), tokens.end());
    }
    if (child.child_count == 0) continue;
    if (level.plain && child.is_plain_subtree() && items_.size() - begin == 1 &&
        IsPlainString(*machine_, items_[begin])) {
      const std::span<const TokenId> tokens = trie.tokens_below(child);
      allowed->insert(allowed->end(), tokens.begin(), tokens.end());
      continue;
    }
    push_level(child, begin, items_.size());
  }
}

}  // namespace maskloom
