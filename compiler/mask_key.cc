#include "compiler/mask_key.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "compiler/begun_item.h"
#include "compiler/distinct_items.h"
#include "compiler/item_trace.h"
#include "compiler/object_registers.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

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

// Does it matter to an item that begins and ends in one token whether `key` was seen?
bool MaskKey::MattersWhole(const ArrayTable& table, std::string_view key) {
  if (!table.simple_items) return true;
  switch (key[0]) {
    case 's': {
      const auto& texts = vocabulary_->quoted_texts();
      const std::u32string text = ToUtf32(key.substr(key.find(':') + 1));
      return std::binary_search(texts.begin(), texts.end(), text);
    }
    case 'n': {
      const auto& numbers = vocabulary_->whole_numbers();
      return vocabulary_->has_exponent_tokens() ||
             std::binary_search(numbers.begin(), numbers.end(), std::string(key));
    }
    default:
      return true;
  }
}

bool MaskKey::MayRecur(const std::string& text) const {
  if (text[0] == '"') {
    const auto& texts = vocabulary_->quoted_texts();
    const std::u32string begin = ReadJsonValue(text).text;
    const auto it = std::lower_bound(texts.begin(), texts.end(), begin);
    return it != texts.end() && it->compare(0, begin.size(), begin) == 0;
  }
  if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) {
    const auto& numbers = vocabulary_->whole_numbers();
    const BegunItem begun(text);
    return vocabulary_->has_exponent_tokens() ||
           std::any_of(numbers.begin(), numbers.end(),
                       [&](const std::string& key) { return begun.MayBecome(key); });
  }
  return true;
}

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
  // Where values run out all of them matter; else those that the item may become, and with them
  // what the item is so far, and those that a token can hold whole.
  const std::string text = in_item_ ? TraceText(trace_, frame.state) : std::string();
  const bool all = !table.never_runs_out && !table.repeats_freely;
  bool text_matters = all || (!text.empty() && MayRecur(text));
  // Where the text matters and items are not simple, so do all values, close or not.
  std::optional<BegunItem> begun;
  const bool takes_all = text_matters && (all || !table.simple_items);
  if (!text.empty() && frame.seen_values != nullptr && !takes_all) begun.emplace(text);
  for (const SeenValue* value = frame.seen_values; value != nullptr; value = value->previous) {
    const std::string_view key(value->bytes, value->size);
    const bool close = begun && begun->MayBecome(key);
    if (!all && !close && !MattersWhole(table, key)) continue;
    text_matters |= close;
    append_bytes(key);
  }
  Append(~uint64_t{0});
  if (text_matters) append_bytes(text);
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
  words_.clear();
  nodes_.clear();
  hash_ = 0x243F6A8885A308D3u;
  level_begin_ = 0;
  trace_ = nullptr;
  in_item_ = false;
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
  AppendFrame(item.frame);
  Append(item.trace != nullptr);
  in_item_ = true;
  if (item.stack != nullptr) nodes_.push_back(item.stack);
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
