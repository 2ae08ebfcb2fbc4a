#include "compiler/likely_bytes.h"

#include <bit>
#include <span>

#include "compiler/mask_walk.h"
#include "compiler/next_bytes.h"

namespace maskloom {
namespace {

// Bytes beyond ASCII are looked at only where so few may come, as in the letters of a key.
constexpr size_t kFewHighBytes = 8;

// Weights of what models rarely write. Everything else weighs 1.
constexpr double kBlank = 0.5;
constexpr double kLineBreak = 0.25;
constexpr double kOddSpace = 0.01;
constexpr double kEscape = 0.02;
constexpr double kOtherKey = 0.1;
constexpr double kEarlyClose = 0.2;
constexpr double kSkippedKey = 0.5;

// What all texts may follow goes on with one letter for all of them.
void AddBytesToTry(const Machine& machine, const Item& item, std::bitset<256>* bytes) {
  if (item.trace != nullptr || !IsAnyText(machine, item)) {
    AddNextBytes(machine, item, bytes);
    return;
  }
  for (const char c : {'a', '"', '\\'}) bytes->set(static_cast<uint8_t>(c));
  if (item.frame.kind == FrameKind::kObject && item.frame.state != NameTrie::kDead) {
    AddNameBytes(machine.object(item.frame.node).names, item.frame.state, bytes);
  }
}

bool IsSeen(const Frame& frame, uint32_t name) {
  if (frame.seen_words != nullptr) return frame.seen_words[name / 64] >> (name % 64) & 1;
  return frame.seen >> name & 1;
}

// Are there declared names that the object does not have yet?
bool MissesNames(const ObjectTable& table, const Frame& frame) {
  uint32_t seen = 0;
  for (uint32_t word = 0; word < table.word_count(); ++word) {
    seen += std::popcount(frame.seen_words != nullptr ? frame.seen_words[word] : frame.seen);
  }
  return seen < table.names.size();
}

bool HasBit(std::span<const uint64_t> words, uint32_t bit) {
  return words[bit / 64] >> (bit % 64) & 1;
}

// Does the successor read the key that is due in declared order?
double KeyWeight(const Machine& machine, const Frame& before, const Frame& after) {
  const ObjectTable& table = machine.object(before.node);
  if (before.state == NameTrie::kDead || after.kind != FrameKind::kObject) return 1;
  if (after.phase != Phase::kKey) {
    return table.names.node(before.state).name == NameTrie::kNoName ? kOtherKey : 1;
  }
  if (after.state == NameTrie::kDead) return kOtherKey;
  const NameTrie::Node& node = table.names.node(after.state);
  // Keys come as they are declared; those that are not required may be skipped.
  double weight = 1;
  for (const uint32_t name : table.by_order) {
    if (IsSeen(before, name) || !HasBit(table.allowed, name)) continue;
    const bool is_below = name >= node.begin && name < node.end;
    if (is_below) return weight;
    if (HasBit(table.required, name)) weight *= kSkippedKey;
    weight *= kSkippedKey;
    if (weight < kOtherKey) break;
  }
  return kOtherKey;
}

}  // namespace

std::bitset<256> LikelyBytes(const Machine& machine, Items items) {
  std::bitset<256> bytes;
  for (const Item& item : items) AddBytesToTry(machine, item, &bytes);
  const std::bitset<256> high = bytes & (std::bitset<256>().set() << 128);
  if (high.count() > kFewHighBytes && high != bytes) bytes &= ~high;
  return bytes;
}

double ByteWeight(const Machine& machine, Items items, uint8_t byte, Items next) {
  const Frame& before = items.front().frame;
  const Frame& after = next.front().frame;
  if (after.space != 0 && (after.space != before.space || after.kind != before.kind)) {
    return byte == ' ' ? kBlank : byte == '\n' ? kLineBreak : kOddSpace;
  }
  if (byte == '\\') return kEscape;
  if (before.kind != FrameKind::kObject) return 1;
  if (before.phase == Phase::kKey) return KeyWeight(machine, before, after);
  return byte == '}' && MissesNames(machine.object(before.node), before) ? kEarlyClose : 1;
}

}  // namespace maskloom
