#include "compiler/mask_key.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "compiler/begun_item.h"
#include "compiler/distinct_items.h"
#include "compiler/item_trace.h"
#include "compiler/object_registers.h"
#include "compiler/value_space.h"
#include "compiler/white_space.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

constexpr std::string_view kEmptyObject = "{}";
// Bytes that a code point takes in a string, at most: two escapes of surrogates.
constexpr size_t kLongestSpelling = 12;

// Does one of `texts`, which are sorted, begin with `begin`?
bool StartsAny(const std::vector<std::u32string>& texts, const std::u32string& begin) {
  const auto it = std::lower_bound(texts.begin(), texts.end(), begin);
  return it != texts.end() && it->compare(0, begin.size(), begin) == 0;
}

// Distances to a lower and an upper bound, each as far as `reach`.
uint64_t SaturatedAt(uint64_t reach, uint32_t count, uint32_t min, uint32_t max) {
  const uint64_t owed = std::min<uint64_t>(min > count ? min - count : 0, reach);
  const uint64_t left = max == kNoLimit ? reach : std::min<uint64_t>(max - count, reach);
  return owed << 32 | left;
}

}  // namespace

void MaskKey::Append(uint64_t word) {
  words_.push_back(word);
  hash_ = (hash_ ^ word) * 0x9E3779B97F4A7C15u;
  hash_ ^= hash_ >> 29;
}

uint64_t MaskKey::Saturated(uint32_t count, uint32_t min, uint32_t max) const {
  return SaturatedAt(uint64_t{machine_->max_token_bytes()} + 1, count, min, max);
}

uint64_t MaskKey::RoomOf(const Machine& machine, const StringTable& table, uint32_t count) {
  if (!table.bounded) return 0;
  // Lengths that no text has matter only near the bounds, or everywhere if gaps never end.
  if (table.longest_gap == ~uint64_t{0}) return count;
  return SaturatedAt(uint64_t{machine.max_token_bytes()} + 1 + table.longest_gap, count, table.min,
                     table.max);
}

void MaskKey::AppendKeyText(const KeyText* text) {
  Append(text == nullptr ? 0 : text->length);
  for (; text != nullptr; text = text->previous) Append(text->code_point);
}

void MaskKey::AppendSeenKeys(const Frame& frame) {
  const ObjectTable& table = machine_->object(frame.node);
  const bool in_key = frame.phase == Phase::kKey;
  for (const SeenKey* key = frame.seen_keys; key != nullptr; key = key->previous) {
    bool matters = table.counts_keys() || (in_key && IsKeyPrefix(frame.key_text, key->text));
    if (!matters && !vocabulary_->quoted_texts().empty()) {
      text_.clear();
      for (const KeyText* t = key->text; t != nullptr; t = t->previous) {
        text_.push_back(t->code_point);
      }
      std::reverse(text_.begin(), text_.end());
      matters = std::binary_search(vocabulary_->quoted_texts().begin(),
                                   vocabulary_->quoted_texts().end(), text_);
    }
    if (!matters) continue;
    Append(1);
    AppendKeyText(key->text);
  }
  Append(0);
  // The text read so far matters where keys are counted, and where seen keys are compared with it
  // beyond its prefix, or with a second key in the same token.
  const bool text_matters = in_key && (table.counts_keys() || vocabulary_->has_two_key_tokens() ||
                                       frame.seen_keys != nullptr);
  if (text_matters) AppendKeyText(frame.key_text);
}

void MaskKey::AppendArray(const Frame& frame) {
  const ArrayTable& table = machine_->array(frame.node);
  Append(std::min<uint64_t>(frame.count, table.prefix.size()));
  if (!table.plain) {
    // What the condition needs may take all the room that is left.
    Append(frame.count);
    Append(frame.marks);
  } else {
    Append(Saturated(frame.count, table.min, table.max));
  }
  if (ComparesItems(table, frame)) AppendSeenValues(table, frame);
}

void MaskKey::FindHeldBegins() {
  begins_of_ = vocabulary_->identity();
  held_begins_.reset();
  longest_quoted_ = 0;
  const HeldItems& held = vocabulary_->held_items();
  for (uint32_t byte = 0; byte < 0x80; ++byte) {
    held_begins_[byte] = held.BeginsText(std::u32string(1, byte));
  }
  for (uint32_t byte = 0x80; byte < 0x100; ++byte) held_begins_.set(byte);
  for (const std::u32string& text : vocabulary_->quoted_texts()) {
    if (!text.empty() && text[0] < 0x80) held_begins_.set(text[0]);
    longest_quoted_ = std::max(longest_quoted_, 2 + kLongestSpelling * text.size());
  }
}

bool MaskKey::EscapesAny() const {
  return machine_->string_coding() == TextCoding::kJsonString &&
         machine_->spelling(TextCoding::kJsonString).complete();
}

bool MaskKey::MattersWhole(const ArrayTable& table, std::string_view key) const {
  switch (key[0]) {
    case 's': {
      const bool simple = (table.simple_kinds & kStringItems) != 0;
      if (!simple && (!in_item_ || !EscapesAny())) return true;
      const std::string_view text = key.substr(key.find(':') + 1);
      if (text.empty()) return true;
      if (!held_begins_[static_cast<uint8_t>(text[0])]) return false;
      const auto& texts = vocabulary_->quoted_texts();
      const std::u32string decoded = ToUtf32(text);
      return std::binary_search(texts.begin(), texts.end(), decoded) ||
             (!simple && vocabulary_->held_items().BeginsText(decoded));
    }
    case 'n': {
      if ((table.simple_kinds & kNumberItems) == 0) return true;
      const auto& numbers = vocabulary_->whole_numbers();
      return vocabulary_->has_exponent_tokens() ||
             std::binary_search(numbers.begin(), numbers.end(), std::string(key));
    }
    case '{':
      return (table.simple_kinds & kObjectItems) == 0 ||
             vocabulary_->held_items().begins_members() || key == kEmptyObject;
    default:
      return true;
  }
}

bool MaskKey::MayRecur(const ArrayTable& table, uint32_t begin) const {
  const HeldItems& held = vocabulary_->held_items();
  const uint8_t simple = table.simple_kinds & (kObjectItems | kStringItems);
  if ((table.item_kinds & ~simple) == 0 && !held.begins_members()) {
    // Only as an empty object, or a short text.
    const TraceByte* last = trace_;
    while (IsJsonSpace(static_cast<char>(last->byte))) last = last->previous;
    if (last->length == begin + 1) return true;
    const bool is_long = trace_->length - begin > longest_quoted_;
    if ((table.item_kinds & kStringItems) == 0 || is_long) return false;
  }
  const std::string text = TraceText(trace_, begin);
  if (text[0] == '"') {
    const std::u32string begun = ReadJsonValue(text).text;
    const bool is_simple = (table.simple_kinds & kStringItems) != 0;
    if (!is_simple && (!EscapesAny() || held.BeginsText(begun))) return true;
    return StartsAny(vocabulary_->quoted_texts(), begun);
  }
  if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) {
    if ((table.simple_kinds & kNumberItems) == 0) return true;
    const auto& numbers = vocabulary_->whole_numbers();
    const BegunItem begun(text);
    return vocabulary_->has_exponent_tokens() ||
           std::any_of(numbers.begin(), numbers.end(),
                       [&](const std::string& key) { return begun.MayBecome(key); });
  }
  const bool simple_object = text[0] == '{' && (table.simple_kinds & kObjectItems) != 0;
  return !simple_object || held.begins_members() ||
         text.find_first_not_of(" \t\n\r", 1) == std::string::npos;
}

std::optional<uint64_t> MaskKey::ValuesLeft(const ArrayTable& table, const Frame& frame) const {
  if (!TakesAnyNewItem(table) || !table.prefix.empty()) return std::nullopt;
  const uint64_t seen = frame.seen_values == nullptr ? 0 : frame.seen_values->count;
  const uint64_t reach = uint64_t{machine_->max_token_bytes()} + 2;  // so many may be read or owed
  if (seen + reach > ValueSpace::kListed) return std::nullopt;
  ValueList scratch;
  const ValueList& list =
      machine_->value_space()->ValuesOf(table.rest, ValueSpace::kListed, &scratch);
  if (list.many) return reach;
  const uint64_t count = list.keys.size();
  return count < seen ? std::nullopt : std::optional(std::min(count - seen, reach));
}

// Tells of values that the array in a frame has seen, newest first, whether the item is close to
// them.
class MaskKey::CloseCursor {
 public:
  CloseCursor(const MaskKey& key, const Frame& frame, bool asks) {
    if (!asks || frame.seen_values == nullptr) return;
    for (const CloseValues& array : key.near_.arrays) {
      if (array.seen != frame.seen_values || array.begin != frame.state) continue;
      left_ = std::span(key.near_.values).subspan(array.first, array.end - array.first);
      return;
    }
    begun_.emplace(TraceText(key.trace_, frame.state));
  }

  bool Has(std::string_view value) {
    if (begun_) return begun_->MayBecome(value);
    if (left_.empty() || left_.front().data() != value.data()) return false;
    left_ = left_.subspan(1);
    return true;
  }

 private:
  std::span<const std::string_view> left_;
  std::optional<BegunItem> begun_;  // where it is not known yet
};

void MaskKey::AppendSeenValues(const ArrayTable& table, const Frame& frame) {
  const auto append_bytes = [&](std::string_view bytes) {
    Append(bytes.size());
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
      uint64_t word;
      std::memcpy(&word, bytes.data(), 8);
      Append(word);
    }
    uint64_t last = 0;
    std::memcpy(&last, bytes.data(), bytes.size());
    if (!bytes.empty()) Append(last);
  };
  // Where values run out all of them matter, and where those of a kind do; else those that the item
  // may become, and with them what the item is so far, and those that a token can hold.
  bool all = table.scarce_kinds != 0;
  if (!table.never_runs_out && !table.repeats_freely) {
    const std::optional<uint64_t> left = ValuesLeft(table, frame);
    all |= !left;
    Append(left ? 1 + *left : 0);
  }
  bool text_matters = all || (in_item_ && MayRecur(table, frame.state));
  CloseCursor close(*this, frame, in_item_ && !is_apart_ && !all);
  for (const SeenValue* value = frame.seen_values; value != nullptr; value = value->previous) {
    const std::string_view key(value->bytes, value->size);
    const bool is_close = close.Has(key);
    if (!all && !is_close && !MattersWhole(table, key)) continue;
    text_matters |= is_close;
    append_bytes(key);
  }
  Append(~uint64_t{0});
  if (text_matters && in_item_) append_bytes(TraceText(trace_, frame.state));
}

void MaskKey::AppendFrame(const Frame& frame) {
  Append(static_cast<uint64_t>(frame.kind) | static_cast<uint64_t>(frame.phase) << 8 |
         uint64_t{frame.space} << 16 | uint64_t{frame.node} << 32);
  // Where items are compared, `state` is a place in the text.
  const bool array = frame.kind == FrameKind::kArray;
  Append((array ? 0 : frame.state) | uint64_t{frame.state2} << 32);
  Append(frame.partial | uint64_t{frame.depth} << 32);
  switch (frame.kind) {
    case FrameKind::kString: {
      const StringTable& table = machine_->string(frame.node);
      if (table.bounded) Append(RoomOf(*machine_, table, frame.count));
      return;
    }
    case FrameKind::kArray:
      return AppendArray(frame);
    case FrameKind::kObject: {
      const ObjectTable& table = machine_->object(frame.node);
      if (table.is_conditional()) {
        // What the condition needs may take all the room that is left.
        Append(frame.count);
        Append(frame.marks);
      } else if (table.counted) {
        Append(Saturated(frame.count, table.min, table.max));
      }
      if (machine_->declared_order()) Append(frame.last);
      if (frame.seen_words == nullptr) {
        Append(frame.seen);
      } else {
        for (uint32_t word = 0; word < table.word_count(); ++word) Append(frame.seen_words[word]);
      }
      if (frame.seen_keys != nullptr || frame.key_text != nullptr) AppendSeenKeys(frame);
      return;
    }
    case FrameKind::kRepeat: {
      const RepeatTable& table = machine_->repeat(frame.node);
      Append(Saturated(frame.count, table.min, table.max));
      return;
    }
    default:
      return;
  }
}

void MaskKey::Reset(const Machine& machine, const VocabularyIndex& vocabulary) {
  machine_ = &machine;
  vocabulary_ = &vocabulary;
  if (begins_of_ != vocabulary.identity()) FindHeldBegins();
  words_.clear();
  nodes_.clear();
  hash_ = 0x243F6A8885A308D3u;
  level_begin_ = 0;
  trace_ = nullptr;
  in_item_ = false;
  is_apart_ = false;
}

void MaskKey::StartUnion(const Machine& machine, const VocabularyIndex& vocabulary, Items items) {
  Reset(machine, vocabulary);
  // No frame is of this kind; the space stands where SpaceOf looks for it.
  constexpr uint64_t kUnion = 0xFF;
  Append(kUnion | uint64_t{items.front().frame.space} << 16 | uint64_t{items.size()} << 32);
  for (const Item& item : items) {
    AppendFrame(item.frame);
    AppendNode(item.stack);
  }
}

void MaskKey::AppendNode(const StackNode* node) {
  if (node == nullptr) return Append(0);
  const auto it = std::find(nodes_.begin(), nodes_.end(), node);
  const size_t index = static_cast<size_t>(it - nodes_.begin());
  if (it == nodes_.end()) nodes_.push_back(node);
  Append(2 + index);
}

void MaskKey::Start(const Machine& machine, const VocabularyIndex& vocabulary, const Item& item) {
  Reset(machine, vocabulary);
  trace_ = item.trace;
  near_ = FindNearness(machine, vocabulary.held_items(), item);
  is_apart_ = item.trace != nullptr && near_.kind == Nearness::Kind::kApart;
  AppendFrame(item.frame);
  Append(item.trace == nullptr ? 0 : is_apart_ ? 1 : 2);
  in_item_ = item.trace != nullptr;
  if (item.stack != nullptr) nodes_.push_back(item.stack);
  first_words_ = words_.size();
  first_hash_ = hash_;
}

void MaskKey::Restart() {
  words_.resize(first_words_);
  hash_ = first_hash_;
  nodes_.resize(std::min<size_t>(nodes_.size(), 1));
  level_begin_ = 0;
}

bool MaskKey::Deepen() {
  const size_t level_end = nodes_.size();
  if (level_begin_ == level_end) return false;
  for (size_t i = level_begin_; i < level_end; ++i) {
    for (const ReturnEdge* edge = nodes_[i]->edges; edge != nullptr; edge = edge->next) {
      AppendFrame(edge->frame);
      Append(edge->traced);
      AppendNode(edge->below);
    }
    Append(1);
  }
  level_begin_ = level_end;
  return true;
}

}  // namespace maskloom
