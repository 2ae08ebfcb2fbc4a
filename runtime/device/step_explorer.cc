#include "runtime/device/step_explorer.h"

#include <algorithm>
#include <bitset>
#include <chrono>
#include <cmath>

#include "compiler/likely_bytes.h"
#include "compiler/token_trie.h"
#include "compiler/waiting_heap.h"
#include "runtime/device/step_table.h"

namespace maskloom {
namespace {

// What waits is halved beyond either.
constexpr size_t kMaxWaiting = 16384;
constexpr size_t kMaxStoreBytes = size_t{8} << 20;
// Levels of the stack that tell siblings apart.
constexpr uint32_t kLevelsTold = 3;
// Of every token, in bits: so that what is nearer comes first.
constexpr double kTokenCost = 0.5;
// Of other registers.
constexpr double kVariantCost = 2;
// A token may well end where so large a share of what follows leaves the trie.
constexpr double kLeastEnding = 0.1;

// What weighs less is left out: escapes, odd white space.
constexpr double kLeastWeight = 0.03;
// White space where texts on one line have none, and where one is there already.
constexpr double kOddBlank = 0.02;
constexpr double kLineBreak = 0.05;
// A text that ends in the token in which it begins.
constexpr double kEmptyText = 0.05;

constexpr uint32_t kNoNode = 0xFFFFFFFF;

bool IsBlankPlace(const Frame& frame) {
  return frame.space == 0 && (frame.phase == Phase::kBeforeValue || frame.phase == Phase::kComma) &&
         (frame.kind == FrameKind::kObject || frame.kind == FrameKind::kArray);
}

// Texts of one line have a blank behind colons and commas, or none.
double SpaceWeight(const Frame& before, uint8_t byte) {
  if (byte == '\n') return kLineBreak;
  if (byte != ' ') return 0;
  return IsBlankPlace(before) ? 1 : kOddBlank;
}

// Has a string or key just begun?
bool IsAtBeginOfText(Items items) {
  const Frame& frame = items.front().frame;
  if (frame.partial != kBoundary || frame.state != 0) return false;
  return frame.kind == FrameKind::kString
             ? frame.count == 0
             : frame.kind == FrameKind::kObject && frame.phase == Phase::kKey &&
                   frame.key_text == nullptr;
}

// Is a key read, or was one, that is not among those that its object declares?
bool IsUnlikelyKey(const Machine& machine, const Frame& frame) {
  if (frame.kind != FrameKind::kObject || machine.object(frame.node).names.size() == 0)
    return false;
  return frame.phase == Phase::kKey ? frame.state == NameTrie::kDead
                                    : frame.phase == Phase::kColon && frame.seen_keys != nullptr;
}

uint32_t ChildOf(const TokenTrie& trie, uint32_t node, uint8_t byte) {
  const TokenTrie::Node* child = trie.Child(trie.node(node), byte);
  return child == nullptr ? kNoNode : trie.IndexOf(*child);
}

}  // namespace

StepExplorer::StepExplorer(const CompiledGrammar& grammar, StepTable* table)
    : grammar_(grammar), table_(*table) {}

size_t StepExplorer::MemoryBytes() const {
  return store_.OwnBytes() + arena_.CapacityBytes() + waiting_.capacity() * sizeof(Waiting);
}

void StepExplorer::Start() {
  has_begun_ = true;
  stepper_.Bind(grammar_.machine(), &arena_);
  arena_.Reset();
  items_.clear();
  stepper_.Start(&items_);
  const Configuration* start = store_.KeepWhole(items_);
  Push({0, start, start, TokenTrie::kRoot});
}

void StepExplorer::Push(const Waiting& one) { PushWaiting(&waiting_, one); }

bool StepExplorer::Run(const AheadLimits& limits) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin_time = Clock::now();
  if (!has_begun_) Start();
  for (size_t states = 0; states < limits.states && !waiting_.empty() && !table_.IsFull();) {
    const Waiting next = PopWaiting(&waiting_);
    const Items begin = next.begin->span();
    if (next.node == TokenTrie::kRoot) {
      if (Clock::now() - begin_time >= limits.time) {
        Push(next);
        break;
      }
      if (!table_.BeginAhead(begin, limits.tokens)) continue;
      ++states;
      for (const Configuration* variant : table_.KeepVariants(begin, &store_)) {
        Push({next.cost + kVariantCost, variant, variant, TokenTrie::kRoot});
      }
    }
    Follow(next, table_.IsInText(begin));
    if (waiting_.size() > kMaxWaiting || store_.OwnBytes() > kMaxStoreBytes) Tidy();
  }
  return !waiting_.empty() && !table_.IsFull();
}

void StepExplorer::Follow(const Waiting& from, bool is_text) {
  const TokenTrie& trie = grammar_.vocabulary().trie();
  Waiting longest = from;
  if (from.node != TokenTrie::kRoot && trie.node(from.node).ends_token()) {
    longest.end = from.here;
    longest.end_node = from.node;
  }
  FindSuccessors(from, is_text);
  double total = 0, leaving = 0;
  for (const Successor& one : successors_) {
    total += one.weight;
    if (one.node == kNoNode) leaving += one.weight;
  }
  for (const Successor& one : successors_) {
    if (one.node == kNoNode) continue;
    Waiting next = longest;
    next.cost += std::log2(total / one.weight);
    next.here = one.configuration;
    next.node = one.node;
    Push(next);
  }
  const bool may_end = successors_.empty() || leaving >= kLeastEnding * total;
  if (!may_end || longest.end == nullptr) return;
  table_.LearnAhead(from.begin->span(), trie.tokens(longest.end_node).front());
  const double share = successors_.empty() ? 1 : leaving / total;
  Push({from.cost + kTokenCost - std::log2(share), longest.end, longest.end, TokenTrie::kRoot});
}

void StepExplorer::FindSuccessors(const Waiting& from, bool is_text) {
  const Machine& machine = grammar_.machine();
  const TokenTrie& trie = grammar_.vocabulary().trie();
  const Items items = from.here->span();
  arena_.Reset();
  items_.assign(items.begin(), items.end());
  successors_.clear();
  std::bitset<256> bytes = LikelyBytes(machine, items);
  // Tokens that stay in a text need no step.
  if (is_text && from.node == TokenTrie::kRoot) bytes.reset('a');
  // Words are tokens apart from the quote before them.
  const bool begins_text = from.node != TokenTrie::kRoot && IsAtBeginOfText(items);
  for (size_t i = 0; i < 256; ++i) {
    if (!bytes[i]) continue;
    const auto byte = static_cast<uint8_t>(i);
    items_.resize(items.size());
    if (!stepper_.Step(&items_, 0, items.size(), byte)) continue;
    const Items next = Items(items_).subspan(items.size());
    const uint64_t hash = HashOf(next);
    double weight = next.front().frame.space != 0 ? SpaceWeight(items.front().frame, byte)
                                                  : ByteWeight(machine, items, byte, next);
    if (IsUnlikelyKey(machine, next.front().frame)) continue;
    if (begins_text && byte == '"') weight *= kEmptyText;
    if (weight < kLeastWeight) continue;
    const uint32_t node = begins_text ? kNoNode : ChildOf(trie, from.node, byte);
    const auto same = std::find_if(successors_.begin(), successors_.end(),
                                   [hash](const Successor& other) { return other.hash == hash; });
    if (same == successors_.end()) {
      successors_.push_back({hash, weight, store_.Keep(arena_, next, nullptr, 0), node});
      continue;
    }
    same->weight = std::max(same->weight, weight);
    if (same->node == kNoNode) same->node = node;
  }
}

uint64_t StepExplorer::HashOf(Items items) {
  uint64_t hash = items.size();
  for (const Item& item : items) {
    key_.Start(grammar_.machine(), grammar_.vocabulary(), item);
    for (uint32_t level = 0; level < kLevelsTold && key_.Deepen(); ++level) {
    }
    hash = (hash ^ key_.hash()) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

void StepExplorer::Tidy() {
  if (waiting_.size() > 1) ForgetCostlyHalf(&waiting_);
  CompactWaiting(&store_, &waiting_, [](Waiting* one, const auto& see) {
    see(&one->begin);
    see(&one->here);
    if (one->end != nullptr) see(&one->end);
  });
}

}  // namespace maskloom
