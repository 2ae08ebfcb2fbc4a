#include "compiler/mask_completion.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>

#include "compiler/mask_walk.h"
#include "compiler/next_bytes.h"

namespace maskloom {
namespace {

using Clock = std::chrono::steady_clock;

// What waits is halved beyond either.
constexpr size_t kMaxWaiting = 4096;
constexpr size_t kMaxStoreBytes = size_t{8} << 20;
// A state that was handed over is explored before what costs so much less than all that waits.
constexpr double kFollowedHeadStart = 24;
// Of the cache; beyond that, masks made ahead would soon drive out those in use.
constexpr double kMaxCacheShare = 0.75;

// Bytes beyond ASCII are looked at only where so few may come, as in the letters of a key.
constexpr size_t kFewHighBytes = 8;

// Weights of what models rarely write. Everything else weighs 1.
constexpr double kBlank = 0.5;
constexpr double kLineBreak = 0.25;
constexpr double kOddSpace = 0.01;
constexpr double kEscape = 0.02;
constexpr double kOtherKey = 0.02;
constexpr double kEarlyClose = 0.2;
constexpr double kSkippedKey = 0.5;

// Do all texts, and the quote, follow every item of `items`? Then two bytes stand for all.
bool IsAnyTextThroughout(const Machine& machine, Items items) {
  return std::all_of(items.begin(), items.end(), [&](const Item& item) {
    return item.frame.kind == FrameKind::kString && item.trace == nullptr &&
           IsAnyText(machine, item);
  });
}

std::bitset<256> BytesToTry(const Machine& machine, Items items) {
  std::bitset<256> bytes;
  if (IsAnyTextThroughout(machine, items)) {
    for (const char c : {'a', '"', '\\'}) bytes.set(static_cast<uint8_t>(c));
    return bytes;
  }
  for (const Item& item : items) AddNextBytes(machine, item, &bytes);
  const std::bitset<256> high = bytes & (std::bitset<256>().set() << 128);
  if (high.count() > kFewHighBytes && high != bytes) bytes &= ~high;
  return bytes;
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

bool HasBit(const std::vector<uint64_t>& words, uint32_t bit) {
  return words[bit / 64] >> (bit % 64) & 1;
}

}  // namespace

MaskCompletion::MaskCompletion(const Machine& machine, const VocabularyIndex& vocabulary,
                               MaskCache* masks)
    : machine_(machine), vocabulary_(vocabulary), masks_(*masks) {}

MaskCompletion::~MaskCompletion() { delete followed_.load(); }

void MaskCompletion::Follow(std::unique_ptr<FollowedState> state) {
  delete followed_.exchange(state.release(), std::memory_order_acq_rel);
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
    Push(0, store_.Keep(arena_, items_, nullptr, 0));
  }
  CompletionEnd end = CompletionEnd::kDone;
  for (size_t expanded = 0;;) {
    TakeFollowed();
    if (waiting_.empty()) break;
    if (masks_.MemoryBytes() > kMaxCacheShare * static_cast<double>(masks_.max_bytes())) {
      end = CompletionEnd::kFull;
      break;
    }
    if (expanded >= budget.states || masks_.MemoryBytes() >= budget.bytes ||
        Clock::now() - begin >= budget.time ||
        (budget.stop != nullptr && budget.stop->load(std::memory_order_relaxed))) {
      end = CompletionEnd::kBudget;
      break;
    }
    std::pop_heap(waiting_.begin(), waiting_.end());
    const Waiting next = waiting_.back();
    waiting_.pop_back();
    if (!MakeMasks(next.configuration->span())) continue;
    Expand(next);
    ++expanded;
    if (waiting_.size() > kMaxWaiting || store_.OwnBytes() > kMaxStoreBytes) ForgetUnlikely();
  }
  if (end != CompletionEnd::kBudget) {
    waiting_ = {};
    store_.Clear();
    arena_ = Arena();
    items_ = {};
  }
  memory_bytes_.store(store_.OwnBytes() + arena_.CapacityBytes() +
                          waiting_.capacity() * sizeof(Waiting) + met_.size() * 16,
                      std::memory_order_relaxed);
  return end;
}

void MaskCompletion::TakeFollowed() {
  if (!HasFollowed()) return;
  const std::unique_ptr<FollowedState> state(
      followed_.exchange(nullptr, std::memory_order_acq_rel));
  const double best = waiting_.empty() ? 0 : waiting_.front().cost;
  Push(best - kFollowedHeadStart, store_.KeepWhole(state->configuration->span()));
}

void MaskCompletion::Push(double cost, const Configuration* configuration) {
  waiting_.push_back({cost, configuration});
  std::push_heap(waiting_.begin(), waiting_.end());
}

bool MaskCompletion::MakeMasks(Items items) {
  bool is_new = false;
  for (const Item& item : items) {
    MaskCache::Reader masks(masks_);
    const uint32_t depth = masks.Find(item).depth;
    key_.Start(machine_, vocabulary_, item);
    for (uint32_t level = 0; level < depth && key_.Deepen(); ++level) {
    }
    is_new |= met_.insert(key_.hash()).second;
  }
  return is_new;
}

uint64_t MaskCompletion::HashOf(Items items) {
  uint64_t hash = items.size();
  for (const Item& item : items) {
    key_.Start(machine_, vocabulary_, item);
    key_.Deepen();
    hash = (hash ^ key_.hash()) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

void MaskCompletion::Expand(const Waiting& from) {
  const Items items = from.configuration->span();
  arena_.Reset();
  items_.assign(items.begin(), items.end());
  successors_.clear();
  const std::bitset<256> bytes = BytesToTry(machine_, items);
  for (size_t byte = 0; byte < 256; ++byte) {
    if (!bytes[byte]) continue;
    items_.resize(items.size());
    if (!stepper_.Step(&items_, 0, items.size(), static_cast<uint8_t>(byte))) continue;
    const Items next = Items(items_).subspan(items.size());
    const uint64_t hash = HashOf(next);
    const double weight = WeightOf(items, static_cast<uint8_t>(byte), next);
    const auto same = std::find_if(successors_.begin(), successors_.end(),
                                   [hash](const Successor& other) { return other.hash == hash; });
    if (same != successors_.end()) {
      same->weight = std::max(same->weight, weight);
    } else {
      successors_.push_back({hash, weight, store_.Keep(arena_, next, nullptr, 0)});
    }
  }
  double total = 0;
  for (const Successor& one : successors_) total += one.weight;
  for (const Successor& one : successors_) {
    Push(from.cost + std::log2(total / one.weight), one.configuration);
  }
}

double MaskCompletion::WeightOf(Items items, uint8_t byte, Items next) const {
  const Frame& before = items.front().frame;
  const Frame& after = next.front().frame;
  if (after.space != 0 && (after.space != before.space || after.kind != before.kind)) {
    return byte == ' ' ? kBlank : byte == '\n' ? kLineBreak : kOddSpace;
  }
  if (byte == '\\') return kEscape;
  if (before.kind != FrameKind::kObject) return 1;
  if (before.phase == Phase::kKey) return KeyWeight(before, after);
  return byte == '}' && MissesNames(machine_.object(before.node), before) ? kEarlyClose : 1;
}

double MaskCompletion::KeyWeight(const Frame& before, const Frame& after) const {
  const ObjectTable& table = machine_.object(before.node);
  if (before.state == NameTrie::kDead || after.kind != FrameKind::kObject) return 1;
  if (after.phase != Phase::kKey) return 1;
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

void MaskCompletion::ForgetUnlikely() {
  const size_t half = waiting_.size() / 2;
  std::nth_element(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(half),
                   waiting_.end(),
                   [](const Waiting& a, const Waiting& b) { return a.cost < b.cost; });
  waiting_.resize(half);
  std::vector<const Configuration*> kept;
  kept.reserve(half);
  for (const Waiting& one : waiting_) kept.push_back(one.configuration);
  store_.Compact(kept);
  for (size_t i = 0; i < half; ++i) waiting_[i].configuration = kept[i];
  std::make_heap(waiting_.begin(), waiting_.end());
}

}  // namespace maskloom
