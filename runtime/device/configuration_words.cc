#include "runtime/device/configuration_words.h"

#include <algorithm>

namespace maskloom {
namespace {

// Marks of pieces, so that a head is never a word below.
constexpr uint64_t kHeadMark = 1;
constexpr uint64_t kWordMark = 2;
constexpr uint64_t kLowestMark = 4;     // the piece ends where the text does
constexpr uint64_t kRegistersMark = 8;  // its registers are not written

constexpr uint32_t kInProgress = 0;

}  // namespace

size_t ConfigurationWords::HashText::operator()(const Text& text) const {
  uint64_t hash = 0x243F6A8885A308D3u;
  for (const uint64_t word : text) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

ConfigurationWords::ConfigurationWords(const Machine& machine, const VocabularyIndex& vocabulary,
                                       const KeyTokens& key_tokens)
    : machine_(machine), registers_(machine, vocabulary, key_tokens), heads_(1) {}

uint32_t ConfigurationWords::RankOf(const StackNode* node) const {
  return node == nullptr ? 0 : ranks_.at(node);
}

bool ConfigurationWords::RankBelow(const StackNode* from) {
  if (from == nullptr || ranks_.contains(from)) return true;
  path_.assign(1, from);
  ranks_[from] = kInProgress;
  while (!path_.empty()) {
    if (ranks_.size() > kMostNodes) return false;
    const StackNode* node = path_.back();
    uint32_t rank = 0;
    const StackNode* open = nullptr;
    for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
      if (edge->traced) return false;
      if (edge->below == nullptr) continue;
      const auto found = ranks_.find(edge->below);
      if (found == ranks_.end()) {
        open = edge->below;
        break;
      }
      if (found->second == kInProgress) return false;  // a cycle
      rank = std::max(rank, found->second);
    }
    if (open != nullptr) {
      ranks_[open] = kInProgress;
      path_.push_back(open);
      continue;
    }
    ranks_[node] = rank + 1;
    nodes_.push_back(node);
    path_.pop_back();
  }
  return true;
}

bool ConfigurationWords::Rank(Items items) {
  ranks_.clear();
  nodes_.clear();
  for (const Item& item : items) {
    if (item.trace != nullptr || !RankBelow(item.stack)) return false;
  }
  return true;
}

void ConfigurationWords::FindCuts(Items items) {
  cuts_.clear();
  uint32_t highest = 0;
  for (const StackNode* node : nodes_) highest = std::max(highest, RankOf(node));
  at_rank_.assign(highest + 2, 0);
  spans_.assign(highest + 2, 0);
  // spans_[r], summed up: ways that pass rank r without a node there.
  const auto add_span = [&](uint32_t low, uint32_t high) {
    if (low + 1 >= high) return;
    ++spans_[low + 1];
    --spans_[high];
  };
  for (const StackNode* node : nodes_) {
    ++at_rank_[RankOf(node)];
    for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
      add_span(RankOf(edge->below), RankOf(node));
    }
  }
  for (const Item& item : items) add_span(RankOf(item.stack), highest + 1);
  std::vector<std::pair<uint32_t, const StackNode*>>& cuts = cuts_;
  int32_t ways = 0;
  for (uint32_t rank = 1; rank <= highest; ++rank) {
    ways += spans_[rank];
    if (ways == 0 && at_rank_[rank] == 1) cuts.push_back({rank, nullptr});
  }
  for (const StackNode* node : nodes_) {
    const auto cut = std::lower_bound(cuts.begin(), cuts.end(),
                                      std::pair<uint32_t, const StackNode*>(RankOf(node), nullptr));
    if (cut != cuts.end() && cut->first == RankOf(node)) cut->second = node;
  }
  std::reverse(cuts.begin(), cuts.end());
}

void ConfigurationWords::AppendKeyText(const KeyText* text) {
  text_.push_back(text == nullptr ? 0 : text->length);
  for (; text != nullptr; text = text->previous) text_.push_back(text->code_point);
}

bool ConfigurationWords::TakesRegisters(const Frame& frame, const StackNode* below) {
  const uint32_t layout = below == end_ ? registers_.Find(frame) : 0;
  if (layout == 0) return false;
  if (frame_ == nullptr) {
    frame_ = &frame;
    layout_ = layout;
    cells_.clear();
    return registers_.AppendCells(frame, &cells_);
  }
  other_cells_.clear();
  return layout == layout_ && frame.node == frame_->node && frame.kind == frame_->kind &&
         frame.seen_values == frame_->seen_values && registers_.AppendCells(frame, &other_cells_) &&
         other_cells_ == cells_;
}

bool ConfigurationWords::AppendFrame(const Frame& frame, const StackNode* below) {
  const bool is_container = frame.kind == FrameKind::kArray || frame.kind == FrameKind::kObject;
  const bool is_split = splits_registers_ && is_container;
  if (is_split ? !TakesRegisters(frame, below) : frame.seen_values != nullptr) return false;
  const auto pair = [&](uint64_t high, uint64_t low) { text_.push_back(high << 32 | low); };
  pair(frame.node, static_cast<uint64_t>(frame.kind) | static_cast<uint64_t>(frame.phase) << 8 |
                       uint64_t{frame.space} << 16);
  pair(frame.state, frame.state2);
  pair(frame.depth, frame.last);
  text_.push_back(frame.partial);
  if (is_split) {
    const bool keeps_text = FrameRegisters::OpenKeyBit(frame) != 0 && registers_.KeepsText(frame);
    if (keeps_text) AppendKeyText(frame.key_text);
    return true;
  }
  pair(leaves_count_ ? 0 : frame.count, frame.seen_word_count);
  text_.push_back(frame.marks);
  text_.push_back(frame.seen);
  for (uint32_t i = 0; i < frame.seen_word_count; ++i) text_.push_back(frame.seen_words[i]);
  for (const SeenKey* key = frame.seen_keys; key != nullptr; key = key->previous) {
    text_.push_back(1);
    AppendKeyText(key->text);
  }
  text_.push_back(0);
  AppendKeyText(frame.key_text);
  return true;
}

void ConfigurationWords::AppendNode(const StackNode* node) {
  if (node == end_) return text_.push_back(0);
  auto it = std::find(piece_nodes_.begin(), piece_nodes_.end(), node);
  const size_t index = static_cast<size_t>(it - piece_nodes_.begin());
  if (it == piece_nodes_.end()) piece_nodes_.push_back(node);
  text_.push_back(1 + index);
}

bool ConfigurationWords::WritePiece(Items items, const StackNode* first) {
  text_.clear();
  piece_nodes_.clear();
  frame_ = nullptr;
  text_.push_back((first == nullptr ? kHeadMark : kWordMark) | (end_ == nullptr ? kLowestMark : 0));
  if (first == nullptr) {
    text_.push_back(items.size());
    for (const Item& item : items) {
      if (!AppendFrame(item.frame, item.stack)) return false;
      AppendNode(item.stack);
    }
  } else {
    piece_nodes_.push_back(first);
  }
  leaves_count_ = false;
  for (size_t i = 0; i < piece_nodes_.size(); ++i) {
    for (const ReturnEdge* edge = piece_nodes_[i]->edges; edge != nullptr; edge = edge->next) {
      text_.push_back(1);
      if (!AppendFrame(edge->frame, edge->below)) return false;
      AppendNode(edge->below);
    }
    text_.push_back(0);
  }
  if (frame_ != nullptr) text_.front() |= kRegistersMark;
  return true;
}

uint32_t ConfigurationWords::Intern(const kernels::HeadInfo& head) {
  const auto found = words_.find(text_);
  if (found != words_.end()) return found->second;
  const auto word = static_cast<uint32_t>(heads_.size());
  heads_.push_back(head);
  words_.emplace(text_, word);
  bytes_ += text_.size() * 8 + sizeof(head) + 64;
  return word;
}

kernels::HeadInfo ConfigurationWords::HeadOf(Items items) const {
  kernels::HeadInfo head;
  if (items.size() != 1 || items.front().frame.kind != FrameKind::kString) return head;
  const Frame& frame = items.front().frame;
  const StringTable& table = machine_.string(frame.node);
  if (table.bounded) {
    constexpr uint64_t kMostReach = (1u << kernels::kReachBits) - 1;
    const uint64_t reach = uint64_t{machine_.max_token_bytes()} + 1;
    if (reach > kMostReach || table.longest_gap > kMostReach - reach) return head;
    head.is_counted = 1;
    head.min = table.min;
    head.max = table.max;
    head.reach = static_cast<uint32_t>(reach + table.longest_gap);
  }
  head.is_text = table.automaton == nullptr && frame.partial == kBoundary;
  return head;
}

bool ConfigurationWords::IsOpenKey(const Frame& frame) const {
  return FrameRegisters::OpenKeyBit(frame) != 0 && frame.partial == kBoundary &&
         !registers_.KeepsText(frame) && machine_.object(frame.node).other_keys == nullptr;
}

bool ConfigurationWords::Find(Items items, Cut* cut) {
  if (items.empty() || !Rank(items)) return false;
  FindCuts(items);
  cut->words.clear();
  cut->cells.clear();
  cut->pieces.clear();
  cut->nodes.clear();
  cut->below_head = cuts_.empty() ? nullptr : cuts_.front().second;
  kernels::HeadInfo head = HeadOf(items);
  cut->count = head.is_counted != 0 ? items.front().frame.count : 0;
  for (size_t i = 0; i <= cuts_.size(); ++i) {
    const StackNode* first = i == 0 ? nullptr : cuts_[i - 1].second;
    end_ = i < cuts_.size() ? cuts_[i].second : nullptr;
    leaves_count_ = i == 0 && head.is_counted != 0;
    splits_registers_ = true;
    if (!WritePiece(items, first)) {
      splits_registers_ = false;
      if (!WritePiece(items, first)) return false;
    }
    kernels::HeadInfo info = i == 0 ? head : kernels::HeadInfo{};
    if (frame_ != nullptr) info.registers = static_cast<uint16_t>(layout_);
    if (frame_ == &items.front().frame && items.size() == 1) info.is_text = IsOpenKey(*frame_);
    // Cells are gathered from the head on and turned about in the end, each piece's own with them.
    if (frame_ != nullptr) cut->cells.insert(cut->cells.end(), cells_.rbegin(), cells_.rend());
    cut->nodes.insert(cut->nodes.end(), piece_nodes_.begin(), piece_nodes_.end());
    cut->pieces.push_back({frame_, static_cast<uint32_t>(cut->cells.size()), cut->nodes.size()});
    cut->words.push_back(Intern(info));
  }
  std::reverse(cut->words.begin(), cut->words.end());
  std::reverse(cut->cells.begin(), cut->cells.end());
  // What was the place behind a piece's cells is now that before them, counted from the other end.
  const auto cells = static_cast<uint32_t>(cut->cells.size());
  uint32_t end = cells;
  for (Piece& piece : cut->pieces) {
    const uint32_t begin = cells - piece.cells_end;
    piece.cells_end = end;
    end = begin;
  }
  return true;
}

}  // namespace maskloom
