#include "compiler/mask_completion.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <span>
#include <string_view>

#include "compiler/likely_bytes.h"
#include "compiler/waiting_heap.h"

namespace maskloom {
namespace {

using Clock = std::chrono::steady_clock;

// What waits is halved beyond either.
constexpr size_t kMaxWaiting = 8192;
constexpr size_t kMaxStoreBytes = size_t{8} << 20;
// What it costs to get to a state is remembered of so many.
constexpr size_t kMaxCosts = 1 << 17;
// Exploration ends when so many states were met.
constexpr size_t kMaxMet = 1 << 20;
// A state that was handed over is explored before what costs so much less than all that waits.
constexpr double kFollowedHeadStart = 24;
// Of the cache; beyond that, masks made ahead would soon drive out those in use.
constexpr double kMaxCacheShare = 0.75;

// Levels of the stack that tell states apart even where the mask depends on fewer.
constexpr uint32_t kLevelsTold = 3;

// Of every place where a token may end, in bits.
constexpr double kTokenCost = 0.5;

// A token may well end inside of a word if so large a share of what follows is not spelled together
// with it.
constexpr double kLeastEnding = 0.15;

// What most texts of objects begin with.
constexpr std::string_view kFirstToken = "{\"";

constexpr uint32_t kNoNode = 0xFFFFFFFF;

// Is `byte` one of those that words of several make up one token with?
bool IsWordByte(uint8_t byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte >= 0x80;
}

uint32_t ChildOf(const TokenTrie& trie, uint32_t node, uint8_t byte) {
  for (const TokenTrie::Node& child : trie.children(trie.node(node))) {
    if (child.byte == byte) return trie.IndexOf(child);
  }
  return kNoNode;
}

}  // namespace

CompletionBudget CompletionBudget::OfBackground(std::chrono::nanoseconds time) {
  CompletionBudget budget;
  budget.time = time;
  budget.bytes = size_t{64} << 20;
  budget.ahead_states = 8192;
  return budget;
}

MaskCompletion::MaskCompletion(const Machine& machine, const VocabularyIndex& vocabulary,
                               MaskCache* masks)
    : machine_(machine), vocabulary_(vocabulary), masks_(*masks) {}

MaskCompletion::~MaskCompletion() { delete followed_.load(); }

void MaskCompletion::Follow(std::unique_ptr<FollowedState> state) {
  delete followed_.exchange(state.release(), std::memory_order_acq_rel);
}

void MaskCompletion::MakeFirst() {
  Arena arena;
  Stepper stepper;
  std::vector<Item> items;
  stepper.Bind(machine_, &arena);
  stepper.Start(&items);
  const auto make = [this](Items here) {
    MaskCache::Reader masks(masks_);
    if (masks.FindUnion(here) != nullptr) return;
    for (const Item& item : here) masks.Find(item);
  };
  make(items);
  size_t begin = 0;
  for (const char c : kFirstToken) {
    const size_t end = items.size();
    if (!stepper.Step(&items, begin, end, static_cast<uint8_t>(c))) return;
    begin = end;
  }
  make(Items(items).subspan(begin));
}

CompletionEnd MaskCompletion::Run(const CompletionBudget& budget) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Clock::time_point begin = Clock::now();
  stepper_.Bind(machine_, &arena_);
  if (!begun_) {
    begun_ = true;
    arena_.Reset();
    items_.clear();
    stepper_.Start(&items_);
    Push({0, store_.Keep(arena_, items_, nullptr, 0), TokenTrie::kRoot});
  }
  CompletionEnd end = CompletionEnd::kDone;
  for (size_t expanded = 0;;) {
    TakeFollowed();
    if (waiting_.empty()) {
      if (has_forgotten_) end = CompletionEnd::kAhead;
      break;
    }
    const double share = kMaxCacheShare * static_cast<double>(masks_.max_bytes());
    const bool is_full = masks_.MemoryBytes() > std::min(share, static_cast<double>(budget.bytes));
    if (is_full && allowance_ == 0) {
      end = CompletionEnd::kFull;
      break;
    }
    const bool is_ahead =
        expanded_count_ >= budget.ahead_states &&
        expanded_count_ - budget.ahead_states >= followed_count_ * kStatesPerFollowed;
    if (is_ahead || met_.size() >= kMaxMet) {
      end = CompletionEnd::kAhead;
      break;
    }
    if (expanded >= budget.states || Clock::now() - begin >= budget.time ||
        (budget.stop != nullptr && budget.stop->load(std::memory_order_relaxed))) {
      end = CompletionEnd::kBudget;
      break;
    }
    const Waiting next = PopWaiting(&waiting_);
    const bool may_end = FindSuccessors(next);
    if (may_end && !MakeMasks(next.configuration->span()) && !next.is_followed) continue;
    expanded += may_end;
    expanded_count_ += may_end;
    if (may_end && allowance_ > 0) --allowance_;
    double total = 0;
    for (const Successor& one : successors_) total += one.weight;
    const double cost = next.cost + (may_end ? kTokenCost : 0);
    for (const Successor& one : successors_) {
      const double its_cost = cost + std::log2(total / one.weight);
      if (IsCheaper(one, its_cost)) Push({its_cost, one.configuration, one.word});
    }
    if (waiting_.size() > kMaxWaiting || store_.OwnBytes() > kMaxStoreBytes) Tidy();
  }
  asks_.store(end != CompletionEnd::kDone, std::memory_order_relaxed);
  if (end == CompletionEnd::kDone || end == CompletionEnd::kFull) {
    has_forgotten_ |= !waiting_.empty();
    waiting_ = {};
    costs_.clear();
    store_.Clear();
    arena_ = Arena();
    items_ = {};
  }
  memory_bytes_.store(store_.OwnBytes() + arena_.CapacityBytes() +
                          waiting_.capacity() * sizeof(Waiting) +
                          (met_.size() + costs_.size()) * 24,
                      std::memory_order_relaxed);
  return end;
}

void MaskCompletion::TakeFollowed() {
  if (!HasFollowed()) return;
  const std::unique_ptr<FollowedState> state(
      followed_.exchange(nullptr, std::memory_order_acq_rel));
  allowance_ = kStatesPerFollowed;
  ++followed_count_;
  const double best = waiting_.empty() ? 0 : waiting_.front().cost;
  Push({best - kFollowedHeadStart, store_.KeepWhole(state->configuration->span()), TokenTrie::kRoot,
        true});
}

bool MaskCompletion::IsCheaper(const Successor& one, double cost) {
  if (costs_.size() > kMaxCosts) costs_.clear();
  const uint64_t hash = one.hash ^ one.word * 0x9E3779B97F4A7C15u;
  const auto [entry, is_new] = costs_.try_emplace(hash, cost);
  if (!is_new && entry->second <= cost) return false;
  entry.value() = cost;
  return true;
}

void MaskCompletion::Push(const Waiting& one) { PushWaiting(&waiting_, one); }

bool MaskCompletion::MakeMasks(Items items) {
  bool is_new = false;
  MaskCache::Reader(masks_).FindUnion(items);
  for (const Item& item : items) {
    MaskCache::Reader masks(masks_);
    const uint32_t depth = std::max(masks.Find(item).depth, kLevelsTold);
    StartKey(item, depth);
    is_new |= met_.insert(key_.hash()).second;
  }
  return is_new;
}

void MaskCompletion::StartKey(const Item& item, uint32_t levels) {
  key_.Start(machine_, vocabulary_, item);
  while (levels > 0 && key_.Deepen()) --levels;
}

uint64_t MaskCompletion::HashOf(Items items) {
  uint64_t hash = items.size();
  for (const Item& item : items) {
    StartKey(item, kLevelsTold);
    hash = (hash ^ key_.hash()) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

bool MaskCompletion::FindSuccessors(const Waiting& from) {
  const Items items = from.configuration->span();
  const TokenTrie& trie = vocabulary_.trie();
  arena_.Reset();
  items_.assign(items.begin(), items.end());
  successors_.clear();
  const std::bitset<256> bytes = LikelyBytes(machine_, items);
  for (size_t i = 0; i < 256; ++i) {
    if (!bytes[i]) continue;
    const auto byte = static_cast<uint8_t>(i);
    items_.resize(items.size());
    if (!stepper_.Step(&items_, 0, items.size(), byte)) continue;
    uint32_t word = IsWordByte(byte) ? ChildOf(trie, from.word, byte) : kNoNode;
    const bool ends_word = word == kNoNode;
    if (ends_word) {
      if (IsWordByte(byte)) word = ChildOf(trie, TokenTrie::kRoot, byte);
      if (word == kNoNode) word = TokenTrie::kRoot;
    }
    const Items next = Items(items_).subspan(items.size());
    const uint64_t hash = HashOf(next);
    const double weight = ByteWeight(machine_, items, byte, next);
    const auto same = std::find_if(successors_.begin(), successors_.end(),
                                   [hash](const Successor& other) { return other.hash == hash; });
    if (same != successors_.end()) {
      same->weight = std::max(same->weight, weight);
      same->ends_word |= ends_word;
    } else {
      successors_.push_back({hash, weight, store_.Keep(arena_, next, nullptr, 0), word, ends_word});
    }
  }
  double ending = 0, total = 0;
  for (const Successor& one : successors_) {
    total += one.weight;
    if (one.ends_word) ending += one.weight;
  }
  return from.word == TokenTrie::kRoot || ending >= kLeastEnding * total;
}

void MaskCompletion::Tidy() {
  if (waiting_.size() > kMaxWaiting) ForgetUnlikely();
  CompactStore();
  if (store_.OwnBytes() <= kMaxStoreBytes / 2) return;
  ForgetUnlikely();
  CompactStore();
}

void MaskCompletion::ForgetUnlikely() {
  has_forgotten_ = true;
  ForgetCostlyHalf(&waiting_);
}

void MaskCompletion::CompactStore() {
  CompactWaiting(&store_, &waiting_,
                 [](Waiting* one, const auto& see) { see(&one->configuration); });
}

}  // namespace maskloom
