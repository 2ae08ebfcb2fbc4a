#include "compiler/object_registers.h"

#include <algorithm>
#include <bit>
#include <string>

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

namespace {

// Scratch of the calling thread; its content is used up before the next question.
std::vector<uint32_t>& LeftScratch() {
  static thread_local std::vector<uint32_t> left;
  return left;
}

// Returns the class of an undeclared key.
uint32_t ClassOf(const ObjectTable& table, const KeyText* text) {
  if (table.other_keys == nullptr) return 0;
  std::u32string key;
  for (; text != nullptr; text = text->previous) key.push_back(text->code_point);
  std::reverse(key.begin(), key.end());
  return table.other_keys->Match(key) - 1;
}

}  // namespace

MemberState ObjectRegisters::State(std::vector<uint32_t>* left) const {
  MemberState state;
  const uint32_t words = table_.word_count();
  if (frame_.seen_words != nullptr) {
    state.seen = {frame_.seen_words, words};
  } else if (words <= 1) {
    state.seen = {&frame_.seen, words};
  } else {
    state.seen = table_.no_names;
  }
  state.marks = frame_.marks;
  state.count = frame_.count;
  state.declared_order = declared_order_;
  state.last = frame_.last;
  left->assign(table_.class_totals.begin(), table_.class_totals.end());
  for (const SeenKey* key = frame_.seen_keys; key != nullptr && table_.finite_classes;
       key = key->previous) {
    uint32_t& of_class = (*left)[ClassOf(table_, key->text)];
    if (of_class != kNoLimit) --of_class;
  }
  state.class_left = *left;
  return state;
}

bool ObjectRegisters::MayFinish(uint64_t marks) const {
  if (MayCloseWith(marks)) return true;
  MemberState state = State(&LeftScratch());
  state.marks = marks;
  return MemberSolver(table_).MayFinish(state);
}

bool ObjectRegisters::MayAddEndless(uint32_t state) const {
  if (table_.is_conditional()) return OtherKeys(table_, *this).AreEndless(state);
  return (table_.other_counts.empty() || table_.other_counts[state] == kNoLimit) &&
         MayAddOthersAtAll();
}

bool OtherKeys::MayAddClass(uint32_t index) const {
  if (!table_.is_conditional()) return true;
  if (index >= 64) return registers_.MayAddClass(index);
  const uint64_t bit = uint64_t{1} << index;
  if ((known_ & bit) == 0) {
    known_ |= bit;
    if (registers_.MayAddClass(index)) may_come_ |= bit;
  }
  return (may_come_ & bit) != 0;
}

bool OtherKeys::AreEndless(uint32_t state) const {
  if (!table_.is_conditional()) return registers_.MayAddEndless(state);
  for (uint32_t k = 0; k < table_.class_totals.size(); ++k) {
    const bool endless = table_.class_counts.empty() || table_.class_counts[k][state] == kNoLimit;
    if (endless && MayAddClass(k)) return true;
  }
  return false;
}

bool OtherKeys::AreFew(uint32_t state) const {
  if (!table_.is_conditional()) return registers_.CountsKeys(state);
  for (uint32_t k = 0; k < table_.class_counts.size(); ++k) {
    const uint32_t count = table_.class_counts[k][state];
    if (count != kNoLimit && count != 0 && MayAddClass(k)) return true;
  }
  return false;
}

bool OtherKeys::MayAdd(uint32_t state, uint32_t names_node, const KeyText* text) const {
  if (!table_.is_conditional()) return registers_.MayAddOther(state, names_node, text);
  if (state == TextAutomaton::kDead || !table_.has_others) return false;
  for (uint32_t k = 0; k < table_.class_totals.size(); ++k) {
    if (registers_.ClassLeft(k, state, names_node, text) > 0 && MayAddClass(k)) return true;
  }
  return false;
}

bool ObjectRegisters::CountsKeys(uint32_t state) const {
  if (!table_.other_counts.empty()) return table_.other_counts[state] != kNoLimit;
  return std::any_of(table_.class_counts.begin(), table_.class_counts.end(),
                     [&](const std::vector<uint32_t>& counts) {
                       return counts[state] != kNoLimit && counts[state] > 0;
                     });
}

bool ObjectRegisters::MayAddClass(uint32_t index) const {
  return !table_.is_conditional() || MemberSolver(table_).MayAddClass(State(&LeftScratch()), index);
}

std::optional<std::vector<PlannedMember>> ObjectRegisters::PlanMembers() const {
  return MemberSolver(table_).Plan(State(&LeftScratch()));
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

bool ObjectRegisters::MayCloseWith(uint64_t marks) const {
  if ((table_.counted && frame_.count < table_.min) || MissingRequired() != 0) return false;
  return table_.condition.empty() ||
         table_.condition.Holds(table_.marks, marks, frame_.count,
                                [this](uint32_t index) { return Saw(index); });
}

bool ObjectRegisters::MayAddKey() const {
  return MayAddNameIn(0, table_.names.size()) || MayAddOther(0, 0, nullptr);
}

bool ObjectRegisters::MayAddName(uint32_t index) const {
  const uint64_t bit = uint64_t{1} << (index % 64);
  const uint32_t word = index / 64;
  if ((table_.allowed[word] & bit) == 0 || Saw(index)) return false;
  if (table_.is_conditional()) {
    return MemberSolver(table_).MayAddName(State(&LeftScratch()), index);
  }
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
  if (table_.is_conditional()) {
    return MemberSolver(table_).MayAddNameIn(State(&LeftScratch()), begin, end);
  }
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
  if (state == TextAutomaton::kDead || !table_.has_others) return false;
  if (table_.is_conditional()) return OtherKeys(table_, *this).MayAdd(state, names_node, text);
  if (!MayAddOthersAtAll()) return false;
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

uint32_t ObjectRegisters::ClassLeft(uint32_t index, uint32_t state, uint32_t names_node,
                                    const KeyText* text) const {
  if (table_.class_counts.empty()) return kNoLimit;
  uint32_t left = table_.class_counts[index][state];
  if (left == kNoLimit || left == 0) return left;
  if (names_node != NameTrie::kDead) {
    const NameTrie::Node& node = table_.names.node(names_node);
    for (uint32_t i = node.begin; i < node.end; ++i) left -= table_.class_of_name[i] == index + 1;
  }
  for (const SeenKey* key = frame_.seen_keys; key != nullptr; key = key->previous) {
    left -= IsKeyPrefix(text, key->text) && ClassOf(table_, key->text) == index;
  }
  return left;
}

bool ObjectRegisters::SawOther(const KeyText* text) const {
  for (const SeenKey* key = frame_.seen_keys; key != nullptr; key = key->previous) {
    if (SameKey(key->text, text)) return true;
  }
  return false;
}

void ObjectRegisters::AddName(uint32_t index, Arena* arena, Frame* next) const {
  next->count = table_.NextCount(frame_.count);
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
  next->count = table_.NextCount(frame_.count);
  if (declared_order_) next->last = table_.names.size();
  next->seen_keys = arena->New<SeenKey>(frame_.seen_keys, text);
}

}  // namespace maskloom
