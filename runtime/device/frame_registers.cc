#include "runtime/device/frame_registers.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/distinct_items.h"
#include "compiler/liveness.h"
#include "compiler/object_registers.h"

namespace maskloom {
namespace {

using kernels::kMostNameCells;
using kernels::kNamesPerCell;
using kernels::WordRegisters;

constexpr uint32_t kNameBits = (1u << kNamesPerCell) - 1;
constexpr uint32_t kMostNames = kNamesPerCell * kMostNameCells;
constexpr uint32_t kMostLikelyItems = 8;
constexpr uint32_t kMostNamesInAnyOrder = 5;
constexpr uint32_t kAllBits = 0xFFFFFFFF;

// Classes of first letters: each Latin letter, in either case, has its own.
uint32_t ClassBit(char32_t first) {
  const char32_t letter = first | 0x20;
  if (first < 0x80 && letter >= 'a' && letter <= 'z') return 1u << (letter - 'a');
  if (first >= '0' && first <= '9') return 1u << 26;
  if (first == '_') return 1u << 27;
  return first < 0x80 ? 1u << 28 : 1u << 29;
}
constexpr uint32_t kWholeBit = 1u << 30;  // of a key that a token can hold whole
constexpr uint32_t kEndBit = 1u << 31;    // of one that a token can spell to its end

std::u32string TextOf(const KeyText* text) {
  std::u32string key;
  for (; text != nullptr; text = text->previous) key.push_back(text->code_point);
  std::reverse(key.begin(), key.end());
  return key;
}

bool IsAmong(const std::vector<std::u32string>& sorted, std::u32string_view text) {
  return std::binary_search(sorted.begin(), sorted.end(), text);
}
bool BeginsOneOf(const std::vector<std::u32string>& sorted, std::u32string_view text) {
  const auto it = std::lower_bound(sorted.begin(), sorted.end(), text);
  return it != sorted.end() && it->compare(0, text.size(), text) == 0;
}

uint32_t NameCells(const ObjectTable& table) {
  return std::max(1u, (table.names.size() + kNamesPerCell - 1) / kNamesPerCell);
}

uint64_t FirstWord(const EditableArray<uint64_t>& words) { return words.empty() ? 0 : words[0]; }

}  // namespace

FrameRegisters::FrameRegisters(const Machine& machine, const VocabularyIndex& vocabulary,
                               const KeyTokens& key_tokens)
    : machine_(machine), vocabulary_(vocabulary), key_tokens_(key_tokens), tables_(1) {}

uint32_t FrameRegisters::NamesIn(uint64_t names, uint32_t cell) {
  return static_cast<uint32_t>(names >> (cell * kNamesPerCell)) & kNameBits;
}

uint64_t FrameRegisters::AllowedNames(const Frame& frame) const {
  return FirstWord(machine_.object(frame.node).allowed);
}

bool FrameRegisters::IsByNames(const Frame& frame) const {
  const ObjectTable& table = machine_.object(frame.node);
  return !table.has_others && !table.counted && !vocabulary_.has_two_key_tokens();
}

bool FrameRegisters::IsWhole(std::u32string_view key) const {
  return IsAmong(vocabulary_.quoted_texts(), key);
}

bool FrameRegisters::IsEnd(std::u32string_view key) const { return IsAmong(key_tokens_.ends, key); }

uint32_t FrameRegisters::KeyBits(const KeyText* text) const {
  const std::u32string key = TextOf(text);
  return (key.empty() ? 0 : ClassBit(key[0])) | (IsWhole(key) ? kWholeBit : 0) |
         (IsEnd(key) ? kEndBit : 0);
}

bool FrameRegisters::KeepsText(const Frame& frame) const {
  const std::u32string key = TextOf(frame.key_text);
  return BeginsOneOf(vocabulary_.quoted_texts(), key) || BeginsOneOf(key_tokens_.ends, key);
}

uint32_t FrameRegisters::OpenKeyBit(const Frame& frame) {
  const bool is_other = frame.kind == FrameKind::kObject && frame.phase == Phase::kKey &&
                        frame.state == NameTrie::kDead && frame.key_text != nullptr;
  if (!is_other) return 0;
  const KeyText* first = frame.key_text;
  while (first->previous != nullptr) first = first->previous;
  return ClassBit(first->code_point);
}

uint32_t FrameRegisters::LeastCount(const Frame& frame) const {
  return frame.kind == FrameKind::kArray
             ? static_cast<uint32_t>(machine_.array(frame.node).prefix.size())
             : 0;
}

uint32_t FrameRegisters::MostCount(const Frame& frame) const {
  return frame.kind == FrameKind::kArray ? machine_.array(frame.node).saturation
                                         : machine_.object(frame.node).saturation;
}

bool FrameRegisters::HasRegisters(const ObjectTable& table) const {
  if (table.is_conditional() || table.has_choices || machine_.declared_order()) return false;
  if (table.names.size() > kMostNames || table.word_count() > 1) return false;
  if (table.counted && table.saturation == kNoLimit) return false;
  if (!table.has_others) return true;
  return table.max == kNoLimit && table.has_alike_keys() && !vocabulary_.has_two_key_tokens();
}

uint32_t FrameRegisters::Find(const Frame& frame) {
  const bool is_array = frame.kind == FrameKind::kArray;
  if (is_array) {
    const ArrayTable& table = machine_.array(frame.node);
    const bool is_plain = table.plain && table.distinctness == ArrayNode::Distinctness::kAny;
    if (!is_plain || frame.count < table.prefix.size()) return 0;
    if (table.saturation <= table.prefix.size() || table.saturation == kNoLimit) return 0;
  } else if (frame.kind != FrameKind::kObject || !HasRegisters(machine_.object(frame.node))) {
    return 0;
  }
  const bool in_key = !is_array && frame.phase == Phase::kKey;
  const auto [known, is_new] =
      known_.try_emplace({frame.kind, frame.node, is_array ? Phase::kOpen : frame.phase,
                          in_key ? frame.state : 0, in_key && frame.partial == kBoundary},
                         0);
  if (!is_new) return known->second;
  if (tables_.size() >= std::numeric_limits<uint16_t>::max()) return 0;
  tables_.push_back(is_array ? OfArray(machine_.array(frame.node)) : OfObject(frame));
  return known->second = static_cast<uint32_t>(tables_.size() - 1);
}

WordRegisters FrameRegisters::OfArray(const ArrayTable& table) const {
  WordRegisters registers;
  registers.cells = registers.has_count = 1;
  registers.min = table.min;
  registers.max = table.max;
  registers.reach = machine_.max_token_bytes() + 1;
  return registers;
}

WordRegisters FrameRegisters::OfObject(const Frame& frame) const {
  const ObjectTable& table = machine_.object(frame.node);
  WordRegisters registers;
  registers.name_cells = static_cast<uint8_t>(NameCells(table));
  registers.has_others = table.has_others;
  registers.has_count = table.counted;
  registers.cells =
      static_cast<uint8_t>(registers.name_cells + registers.has_others + registers.has_count);
  if (table.counted) {
    registers.min = table.min;
    registers.max = table.max;
    registers.reach = machine_.max_token_bytes() + 1;
  }
  uint64_t told = 0, ended = 0;
  for (uint32_t i = 0; i < table.names.size(); ++i) {
    if ((FirstWord(table.allowed) >> i & 1) == 0) continue;
    if (MayEnd(table, frame, i)) ended |= uint64_t{1} << i;
    if (IsTold(table, frame, i)) told |= uint64_t{1} << i;
  }
  for (uint32_t cell = 0; cell < registers.name_cells; ++cell) {
    registers.told[cell] = NamesIn(told | ended, cell);
    registers.required[cell] = NamesIn(FirstWord(table.required) & ~ended, cell);
    if (table.has_others) continue;
    registers.allowed[cell] = NamesIn(FirstWord(table.allowed) & ~ended, cell);
  }
  if (table.has_others) registers.blind = BlindBits(frame, table);
  return registers;
}

bool FrameRegisters::MayEnd(const ObjectTable& table, const Frame& frame, uint32_t index) const {
  const std::u32string_view name = table.names.name(index);
  const bool in_key = frame.phase == Phase::kKey;
  if ((!in_key || vocabulary_.has_two_key_tokens()) && IsWhole(name)) return true;
  if (!in_key || frame.state == NameTrie::kDead) return false;
  const NameTrie::Node& node = table.names.node(frame.state);
  if (index < node.begin || index >= node.end) return false;
  if (frame.partial != kBoundary) return true;
  uint32_t length = 0;
  for (uint32_t i = 0; i != frame.state; ++length) i = table.names.Step(i, name[length]);
  return IsEnd(name.substr(length));
}

bool FrameRegisters::IsTold(const ObjectTable& table, const Frame& frame, uint32_t index) const {
  // A maximum leaves room for required keys alone: how many are missing then matters.
  if (table.max != kNoLimit || (table.names.size() > 0 && table.names.name(0).empty())) return true;
  // Where any key may follow a text may always go on, so only the ends of keys matter.
  if (table.has_others && table.other_keys == nullptr) return false;
  const char32_t first = table.names.name(index)[0];
  if (frame.phase == Phase::kOpen || frame.phase == Phase::kComma) {
    return key_tokens_.begun.Contains(first);
  }
  const bool is_begun = key_tokens_.begun_behind_comma.Contains(first);
  if (frame.phase != Phase::kKey) return is_begun;
  if (vocabulary_.has_next_key_tokens() && is_begun) return true;
  if (frame.state == NameTrie::kDead) return false;
  const NameTrie::Node& node = table.names.node(frame.state);
  return index >= node.begin && index < node.end;
}

uint32_t FrameRegisters::BlindBits(const Frame& frame, const ObjectTable& table) const {
  if (frame.phase != Phase::kKey) return kWholeBit;
  // None that was seen begins like this one.
  if (frame.state == NameTrie::kDead) return 0;
  if (frame.state == 0) return frame.partial == kBoundary ? kEndBit : kAllBits;
  return ClassBit(table.names.name(table.names.node(frame.state).begin)[0]);
}

Frame FrameRegisters::WithCells(const Frame& frame, const uint32_t* cells) const {
  Frame other = frame;
  if (frame.kind == FrameKind::kArray) {
    other.count = cells[0];
    return other;
  }
  const ObjectTable& table = machine_.object(frame.node);
  other.seen = 0;
  for (uint32_t i = 0; i < NameCells(table); ++i) {
    other.seen |= uint64_t{cells[i]} << (i * kNamesPerCell);
  }
  if (table.counted) other.count = cells[NameCells(table) + table.has_others];
  return other;
}

std::vector<std::vector<uint32_t>> FrameRegisters::LikelyCells(const Frame& frame) const {
  std::vector<std::vector<uint32_t>> all;
  if (frame.kind == FrameKind::kArray) {
    const uint32_t least = LeastCount(frame);
    const uint32_t most = std::min(MostCount(frame), least + kMostLikelyItems);
    for (uint32_t count = least; count <= most; ++count) all.push_back({count});
    return all;
  }
  const ObjectTable& table = machine_.object(frame.node);
  std::vector<uint32_t> now;
  AppendCells(frame, &now);
  const auto add = [&](uint64_t seen) {
    std::vector<uint32_t> cells = now;
    for (uint32_t cell = 0; cell < NameCells(table); ++cell) cells[cell] = NamesIn(seen, cell);
    if (table.counted) {
      cells.back() = std::min(static_cast<uint32_t>(std::popcount(seen)), table.saturation);
    }
    all.push_back(std::move(cells));
  };
  if (table.names.size() <= kMostNamesInAnyOrder) {
    for (uint64_t seen = 0; seen < uint64_t{1} << table.names.size(); ++seen) {
      if ((seen & ~FirstWord(table.allowed)) == 0) add(seen);
    }
    return all;
  }
  for (const EditableArray<uint64_t>* names : {&table.allowed, &table.required}) {
    uint64_t seen = 0;
    add(seen);
    for (const uint32_t name : table.by_order) {
      if ((FirstWord(*names) >> name & 1) == 0) continue;
      seen |= uint64_t{1} << name;
      add(seen);
    }
  }
  return all;
}

bool FrameRegisters::IsLive(const Frame& frame) const {
  if (frame.kind == FrameKind::kArray) {
    return frame.phase != Phase::kComma || MayAddItem(machine_, machine_.array(frame.node), frame);
  }
  const ObjectTable& table = machine_.object(frame.node);
  const ObjectRegisters registers(table, false, frame);
  if (frame.phase == Phase::kKey) return IsLiveKey(machine_, table, frame);
  if (frame.phase == Phase::kComma) return registers.MayAddKey();
  return registers.MayAddKey() || registers.MayClose();
}

bool FrameRegisters::AppendCells(const Frame& frame, std::vector<uint32_t>* cells) const {
  if (frame.kind == FrameKind::kArray) {
    cells->push_back(frame.count);
    return true;
  }
  const ObjectTable& table = machine_.object(frame.node);
  for (uint32_t i = 0; i < NameCells(table); ++i) cells->push_back(NamesIn(frame.seen, i));
  if (table.has_others) {
    uint32_t bits = 0;
    for (const SeenKey* key = frame.seen_keys; key != nullptr; key = key->previous) {
      bits |= KeyBits(key->text);
    }
    const uint32_t open = OpenKeyBit(frame);
    if ((bits & open) != 0) return false;
    cells->push_back(bits | open);
  }
  if (table.counted) cells->push_back(frame.count);
  return true;
}

}  // namespace maskloom
