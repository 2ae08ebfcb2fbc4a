#include "compiler/mask_cache.h"

#include <algorithm>
#include <new>

#include "compiler/mask_builder.h"

namespace maskloom {
namespace {

constexpr size_t kFirstSlots = 64;
// How far one publication moves the hand: some ten microseconds.
constexpr size_t kMaxSteps = 128;

// Scratch of the calling thread, whatever grammar it works on.
struct ThreadScratch {
  MaskBuilder builder;
  MaskKey key;
  ItemMask unkept;
};

uint64_t NewMaskId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

ThreadScratch& Scratch() {
  static thread_local ThreadScratch scratch;
  return scratch;
}

}  // namespace

bool MaskCache::Entry::Has(const MaskKey& other) const {
  return hash == other.hash() && key_size == other.words().size() &&
         std::equal(other.words().begin(), other.words().end(), key());
}

size_t MaskCache::Entry::MemoryBytes() const {
  return sizeof(Entry) + size_t{key_size} * 8 + mask.additions.capacity() * 4 +
         mask.own_row.size() * 4 + sizeof(EntryPtr);
}

void MaskCache::FreeEntry::operator()(const Entry* entry) const {
  entry->~Entry();
  ::operator delete(const_cast<Entry*>(entry));
}

MaskCache::EntryPtr MaskCache::NewEntry(const MaskKey& key, bool deeper, ItemMask mask) {
  void* memory = ::operator new(sizeof(Entry) + key.words().size() * 8);
  Entry* entry = new (memory) Entry;
  entry->hash = key.hash();
  entry->key_size = static_cast<uint32_t>(key.words().size());
  entry->deeper = deeper;
  entry->mask = std::move(mask);
  if (!deeper) entry->mask.id = NewMaskId();
  std::copy(key.words().begin(), key.words().end(), entry->key());
  return EntryPtr(entry);
}

const MaskCache::Entry* MaskCache::Gone() {
  static const Entry gone;
  return &gone;
}

MaskCache::MaskCache(const Machine& machine, const VocabularyIndex& vocabulary, size_t max_bytes)
    : machine_(machine),
      vocabulary_(vocabulary),
      max_bytes_(max_bytes),
      rows_(vocabulary.categories(), vocabulary.row_words(), StringIndex::kBaseCount),
      owned_table_(std::make_unique<Table>(kFirstSlots)) {
  table_.store(owned_table_.get());
  Count(owned_table_->MemoryBytes(), 0);
}

MaskCache::~MaskCache() = default;

size_t MaskCache::MemoryBytes() const {
  return bytes_.load(std::memory_order_relaxed) + rows_.MemoryBytes();
}

const MaskCache::Entry* MaskCache::Probe(const MaskKey& key) const {
  // Sequentially consistent, as read_epochs.h asks of what is protected.
  const Table& table = *table_.load();
  for (size_t slot = key.hash() & table.mask;; slot = (slot + 1) & table.mask) {
    const Entry* entry = table.entries[slot].load();
    if (entry == nullptr || entry->Has(key)) return entry;
  }
}

const MaskCache::Entry* MaskCache::Lookup(const MaskKey& key) {
  if (const Entry* entry = Probe(key)) return entry;
  const FrozenMasks::Entry* frozen = frozen_ == nullptr ? nullptr : frozen_->Find(key);
  if (frozen == nullptr) return nullptr;
  ItemMask mask;
  if (frozen->deeper == 0) mask = frozen_->MaskOf(*frozen);
  // The scratch entry of before is no longer needed: a caller holds one at a time.
  static thread_local EntryPtr scratch;
  scratch = NewEntry(key, frozen->deeper != 0, std::move(mask));
  const Entry* kept = Publish(&scratch);
  return kept != nullptr ? kept : scratch.get();
}

void MaskCache::UseFrozen(FrozenMasks frozen) {
  frozen.Bind(machine_, vocabulary_, &rows_);
  frozen_ = std::make_unique<const FrozenMasks>(std::move(frozen));
}

FrozenMasks MaskCache::Freeze() {
  MaskFreezer freezer(machine_, vocabulary_, rows_);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const EntryPtr& entry : entries_) {
    freezer.Add(entry->hash, {entry->key(), entry->key_size}, entry->deeper, entry->mask);
  }
  if (frozen_ != nullptr) {
    for (const FrozenMasks::Entry& entry : frozen_->entries()) {
      const ItemMask mask = entry.deeper == 0 ? frozen_->MaskOf(entry) : ItemMask();
      freezer.Add(entry.hash, frozen_->KeyOf(entry), entry.deeper != 0, mask);
    }
  }
  return freezer.Finish();
}

const ItemMask& MaskCache::Find(const Item& item, bool* has_built) {
  MaskKey& key = Scratch().key;
  key.Start(machine_, vocabulary_, item);
  const Entry* entry = Lookup(key);
  for (; entry != nullptr; entry = Lookup(key)) {
    if (!entry->used.load(std::memory_order_relaxed)) {
      entry->used.store(true, std::memory_order_relaxed);
    }
    if (!entry->deeper || !key.Deepen()) break;
  }
  if (entry != nullptr && !entry->deeper) return entry->mask;
  *has_built = true;
  return Build(item);
}

const ItemMask& MaskCache::Build(const Item& item) {
  ThreadScratch& local = Scratch();
  ItemMask mask;
  if (const auto plain = MaskBuilder::PlainKeyOf(machine_, vocabulary_, item)) {
    bool has_built = false;
    // Before the builder is used for this one.
    const ItemMask& plain_mask = Find(*plain, &has_built);
    mask = local.builder.BuildKey(machine_, vocabulary_, &rows_, item, plain_mask);
  } else {
    mask = local.builder.Build(machine_, vocabulary_, &rows_, item);
  }
  built_count_.fetch_add(1, std::memory_order_relaxed);
  MaskKey& key = local.key;
  key.Start(machine_, vocabulary_, item);
  for (uint32_t level = 0; level < mask.depth && !key.IsWhole(); ++level) {
    if (Probe(key) == nullptr) {
      EntryPtr marker = NewEntry(key, true, {});
      Publish(&marker);
    }
    key.Deepen();
  }
  mask.additions.shrink_to_fit();
  EntryPtr entry = NewEntry(key, false, std::move(mask));
  const Entry* kept = Publish(&entry);
  if (kept != nullptr && !kept->deeper) return kept->mask;
  local.unkept = entry->mask;
  if (!local.unkept.own_row.empty()) local.unkept.base = local.unkept.own_row.data();
  return local.unkept;
}

void MaskCache::Count(size_t added, size_t removed) {
  bytes_.fetch_add(added - removed, std::memory_order_relaxed);
}

void MaskCache::Insert(Table* table, const Entry* entry) {
  size_t slot = entry->hash & table->mask;
  const Entry* there = nullptr;
  while ((there = table->entries[slot].load(std::memory_order_relaxed)) != nullptr &&
         there != Gone()) {
    slot = (slot + 1) & table->mask;
  }
  if (there == nullptr) ++filled_slots_;
  table->entries[slot].store(entry);
}

void MaskCache::Rebuild() {
  size_t slots = owned_table_->entries.size();
  while (4 * (entries_.size() + 1) > slots) slots *= 2;
  auto table = std::make_unique<Table>(slots);
  filled_slots_ = 0;
  for (const EntryPtr& entry : entries_) Insert(table.get(), entry.get());
  table_.store(table.get());
  Count(table->MemoryBytes(), 0);
  retired_bytes_ += owned_table_->MemoryBytes();
  retired_.push_back({DrawReadTicket(), nullptr, std::move(owned_table_)});
  owned_table_ = std::move(table);
}

void MaskCache::FreeUnread() {
  if (retired_.empty()) return;
  const uint64_t last = LastUnreadTicket();
  size_t count = 0;
  for (; count < retired_.size() && retired_[count].ticket <= last; ++count) {
    const Retired& one = retired_[count];
    const size_t bytes = one.entry ? one.entry->MemoryBytes() : one.table->MemoryBytes();
    Count(0, bytes);
    retired_bytes_ -= bytes;
  }
  retired_.erase(retired_.begin(), retired_.begin() + static_cast<ptrdiff_t>(count));
}

void MaskCache::Evict(size_t index) {
  EntryPtr entry = std::move(entries_[index]);
  entries_[index] = std::move(entries_.back());
  entries_.pop_back();
  size_t slot = entry->hash & owned_table_->mask;
  while (owned_table_->entries[slot].load(std::memory_order_relaxed) != entry.get()) {
    slot = (slot + 1) & owned_table_->mask;
  }
  owned_table_->entries[slot].store(Gone());
  if (!entry->deeper) {
    mask_count_.fetch_sub(1, std::memory_order_relaxed);
    evicted_count_.fetch_add(1, std::memory_order_relaxed);
  }
  retired_bytes_ += entry->MemoryBytes();
  retired_.push_back({DrawReadTicket(), std::move(entry), nullptr});
}

void MaskCache::MakeRoom(size_t bytes) {
  FreeUnread();
  if (MemoryBytes() + bytes <= max_bytes_) return;
  rows_.DropUnused();
  const size_t goal = max_bytes_ - max_bytes_ / 8;
  for (size_t step = 0; step < kMaxSteps && !entries_.empty(); ++step) {
    if (MemoryBytes() - retired_bytes_ + bytes <= goal) break;
    if (hand_ >= entries_.size()) hand_ = 0;
    const bool spared = entries_[hand_]->used.exchange(false, std::memory_order_relaxed);
    if (!spared) Evict(hand_);  // the newest entry takes its place: it is looked at a round later
    ++hand_;
  }
}

const MaskCache::Entry* MaskCache::Publish(EntryPtr* entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (size_t slot = (*entry)->hash & owned_table_->mask;; slot = (slot + 1) & owned_table_->mask) {
    const Entry* there = owned_table_->entries[slot].load(std::memory_order_relaxed);
    if (there == nullptr) break;
    if (there->hash == (*entry)->hash && there->key_size == (*entry)->key_size &&
        std::equal(there->key(), there->key() + there->key_size, (*entry)->key())) {
      return there;
    }
  }
  const size_t bytes = (*entry)->MemoryBytes();
  if (MemoryBytes() + bytes > max_bytes_) {
    MakeRoom(bytes);
    if (MemoryBytes() + bytes > max_bytes_) return nullptr;
  }
  if (2 * (filled_slots_ + 1) > owned_table_->entries.size()) Rebuild();
  Count(bytes, 0);
  if (!(*entry)->deeper) mask_count_.fetch_add(1, std::memory_order_relaxed);
  const Entry* kept = entry->get();
  entries_.push_back(std::move(*entry));
  Insert(owned_table_.get(), kept);
  return kept;
}

}  // namespace maskloom
