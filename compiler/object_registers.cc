#include "compiler/object_registers.h"

#include <algorithm>
#include <bit>

namespace maskloom {

bool SameKey(const KeyText* a, const KeyText* b) {
  if ((a == nullptr ? 0 : a->length) != (b == nullptr ? 0 : b->length)) return false;
  for (; a != b; a = a->previous, b = b->previous) {
    if (a->code_point != b->code_point) return false;
  }
  return true;
}

bool IsKeyPrefix(const KeyText* text, const KeyText* whole) {
  if (text == nullptr) return true;
  while (whole != nullptr && whole->length > text->length) whole = whole->previous;
  return SameKey(text, whole);
}

uint32_t ObjectRegisters::MissingRequired() const {
  uint32_t missing = 0;
  for (uint32_t word = 0; word < table_.word_count(); ++word) {
    missing += static_cast<uint32_t>(std::popcount(table_.required[word] & ~SeenWord(word)));
  }
  return missing;
}

uint32_t ObjectRegisters::Slack() const {
  if (table_.max == kNoLimit) return kNoLimit;
  return table_.max - frame_.count - MissingRequired();
}

bool ObjectRegisters::MayClose() const {
  return (!table_.counted || frame_.count >= table_.min) && MissingRequired() == 0;
}

bool ObjectRegisters::MayAddKey() const {
  return MayAddNameIn(0, table_.names.size()) || MayAddOther(0, 0, nullptr);
}

bool ObjectRegisters::MayAddName(uint32_t index) const {
  const uint64_t bit = uint64_t{1} << (index % 64);
  const uint32_t word = index / 64;
  if ((table_.allowed[word] & bit) == 0 || Saw(index)) return false;
  if ((table_.required[word] & bit) == 0 && Slack() == 0) return false;
  return !declared_order_ || MayAddNameInOrder(index);
}

bool ObjectRegisters::MayAddNameInOrder(uint32_t index) const {
  const uint32_t position = table_.order[index];
  if (position < frame_.last) return false;
  for (uint32_t i = frame_.last; i < position; ++i) {
    const uint32_t skipped = table_.by_order[i];
    if (table_.required[skipped / 64] >> (skipped % 64) & 1) return false;
  }
  if (!table_.counted || table_.min == 0) return true;
  uint64_t reachable = uint64_t{frame_.count} + 1;
  for (uint32_t i = position + 1; i < table_.by_order.size(); ++i) {
    const uint32_t later = table_.by_order[i];
    reachable += table_.allowed[later / 64] >> (later % 64) & 1;
  }
  if (table_.has_others) reachable += table_.other_total;
  return reachable >= table_.min;
}

bool ObjectRegisters::MayAddNameIn(uint32_t begin, uint32_t end) const {
  if (begin >= end) return false;
  if (declared_order_) {
    for (uint32_t i = begin; i < end; ++i) {
      if (MayAddName(i)) return true;
    }
    return false;
  }
  const bool required_only = Slack() == 0;
  for (uint32_t word = begin / 64; word <= (end - 1) / 64; ++word) {
    uint64_t bits = (required_only ? table_.required[word] : table_.allowed[word]);
    bits &= ~SeenWord(word);
    if (word == begin / 64) bits &= ~uint64_t{0} << (begin % 64);
    if (word == (end - 1) / 64) bits &= ~uint64_t{0} >> (63 - (end - 1) % 64);
    if (bits != 0) return true;
  }
  return false;
}

bool ObjectRegisters::MayAddOthersAtAll() const {
  if (!table_.has_others) return false;
  if (!declared_order_) return Slack() != 0;
  // Undeclared keys follow the declared ones: none that is required may come later.
  if (MissingRequired() != 0 || Slack() == 0) return false;
  return !table_.counted || table_.other_total == kNoLimit ||
         uint64_t{frame_.count} + table_.other_total >= table_.min;
}

bool ObjectRegisters::MayAddOther(uint32_t state, uint32_t names_node, const KeyText* text) const {
  if (state == TextAutomaton::kDead || !MayAddOthersAtAll()) return false;
  if (table_.other_counts.empty() || table_.other_counts[state] == kNoLimit) return true;
  // Finitely many keys extend this one: are any left that are neither declared nor seen?
  uint32_t left = table_.other_counts[state];
  if (names_node != NameTrie::kDead) {
    const NameTrie::Node& node = table_.names.node(names_node);
    for (uint32_t i = node.begin; i < node.end; ++i) left -= table_.name_is_other[i];
  }
  for (const SeenKey* key = frame_.seen_keys; key != nullptr; key = key->previous) {
    left -= IsKeyPrefix(text, key->text);
  }
  return left > 0;
}

bool ObjectRegisters::SawOther(const KeyText* text) const {
  for (const SeenKey* key = frame_.seen_keys; key != nullptr; key = key->previous) {
    if (SameKey(key->text, text)) return true;
  }
  return false;
}

uint32_t ObjectRegisters::NextCount() const {
  return table_.counted ? std::min(frame_.count + 1, table_.saturation) : 0;
}

void ObjectRegisters::AddName(uint32_t index, Arena* arena, Frame* next) const {
  next->count = NextCount();
  if (declared_order_) next->last = table_.order[index] + 1;
  const uint32_t words = table_.word_count();
  if (words == 1) {
    next->seen = frame_.seen | uint64_t{1} << index;
    return;
  }
  uint64_t* copy = arena->NewArray<uint64_t>(words);
  for (uint32_t word = 0; word < words; ++word) copy[word] = SeenWord(word);
  copy[index / 64] |= uint64_t{1} << (index % 64);
  next->seen_words = copy;
  next->seen_word_count = words;
}

void ObjectRegisters::AddOther(const KeyText* text, Arena* arena, Frame* next) const {
  next->count = NextCount();
  if (declared_order_) next->last = table_.names.size();
  next->seen_keys = arena->New<SeenKey>(frame_.seen_keys, text);
}

}  // namespace maskloom
