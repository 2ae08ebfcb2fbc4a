#include "compiler/mask_cache.h"

#include <algorithm>
#include <bit>
#include <new>

#include "compiler/mask_builder.h"
#include "compiler/mask_walk.h"

namespace maskloom {
namespace {

constexpr size_t kFirstSlots = 64;
// How far one publication moves the hand: some ten microseconds.
constexpr size_t kMaxSteps = 128;

// So many items are worth a mask of their own: they cost as many rows otherwise.
constexpr size_t kUnionFrom = 8;

// A row that masks are added to.
class UnionRow {
 public:
  explicit UnionRow(uint32_t words) : words_(words) {}
  void Add(const ItemMask& mask) {
    for (size_t i = 0; mask.base != nullptr && i < words_.size(); ++i) words_[i] |= mask.base[i];
    for (const TokenId id : mask.exceptions()) words_[id / 32] |= 1u << (id % 32);
  }
  std::vector<uint32_t> Take(uint32_t* count) {
    *count = 0;
    for (const uint32_t word : words_) *count += static_cast<uint32_t>(std::popcount(word));
    return std::move(words_);
  }

 private:
  std::vector<uint32_t> words_;
};

// Scratch of the calling thread, whatever grammar it works on.
struct ThreadScratch {
  MaskBuilder builder;
  MaskKey key;
  ItemMask unkept;
};

// May the string end behind what some token brings?
bool MayEnd(const TextInside& inside) {
  return std::any_of(inside.ends.begin(), inside.ends.end(),
                     [](uint64_t word) { return word != 0; });
}

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
  return sizeof(Entry) + size_t{key_size} * 8 + mask.own_row.size() * 4 + sizeof(EntryPtr);
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

const MaskCache::Entry* MaskCache::FindByLevels(MaskKey* key) {
  const Entry* entry = Lookup(*key);
  for (; entry != nullptr; entry = Lookup(*key)) {
    if (!entry->used.load(std::memory_order_relaxed)) {
      entry->used.store(true, std::memory_order_relaxed);
    }
    if (!entry->deeper || !key->Deepen()) break;
  }
  return entry != nullptr && !entry->deeper ? entry : nullptr;
}

const ItemMask& MaskCache::Find(const Item& item, bool* has_built) {
  MaskKey& key = Scratch().key;
  key.Start(machine_, vocabulary_, item);
  if (const Entry* entry = FindByLevels(&key)) return entry->mask;
  *has_built = true;
  return Build(item);
}

bool MaskCache::IsUnion(Items items) const {
  return items.size() >= kUnionFrom && machine_.is_json() && machine_.value_space() == nullptr;
}

const ItemMask& MaskCache::FindUnion(Items items, bool* has_built) {
  MaskKey& key = Scratch().key;
  key.StartUnion(machine_, vocabulary_, items);
  if (const Entry* entry = FindByLevels(&key)) return entry->mask;
  *has_built = true;
  ItemMask mask = BuildUnion(items);
  key.StartUnion(machine_, vocabulary_, items);
  return Keep(&key, std::move(mask));
}

ItemMask MaskCache::BuildUnion(Items items) {
  ThreadScratch& local = Scratch();
  std::vector<Item> between, others;
  for (const Item& item : items) {
    // Members have values of their own: there is little to share.
    const bool is_member =
        item.frame.kind == FrameKind::kObject && item.frame.phase == Phase::kBeforeValue;
    const bool together = !is_member && MaskBuilder::IsBetween(machine_, vocabulary_, item) &&
                          !OnlyValueAt(machine_, item) &&
                          (between.empty() || item.frame.space == between.front().frame.space);
    (together ? between : others).push_back(item);
  }
  ItemMask all;
  if (between.size() == 1) others.push_back(between.front());
  if (between.size() > 1) {
    all = local.builder.BuildBetween(machine_, vocabulary_, &rows_, between);
    built_count_.fetch_add(1, std::memory_order_relaxed);
  }
  if (others.empty()) return all;
  UnionRow row(vocabulary_.row_words());
  row.Add(all);
  uint32_t depth = all.depth;
  for (const Item& item : others) {
    bool has_built = false;
    const ItemMask& mask = Find(item, &has_built);
    row.Add(mask);
    depth = std::max(depth, mask.depth);
  }
  ItemMask whole;
  whole.own_row = row.Take(&whole.allowed_count);
  whole.base = whole.own_row.data();
  whole.base_id = rows_.NewId();
  whole.depth = depth;
  return whole;
}

const ItemMask& MaskCache::Build(const Item& item) {
  ThreadScratch& local = Scratch();
  MaskKey& key = local.key;
  ItemMask mask;
  if (const auto plain = MaskBuilder::PlainKeyOf(machine_, vocabulary_, item)) {
    bool has_built = false;
    // Before the builder is used for this one.
    const ItemMask& plain_mask = Find(*plain, &has_built);
    mask = local.builder.BuildKey(machine_, vocabulary_, &rows_, item, plain_mask);
    key.Start(machine_, vocabulary_, item);
  } else if (MaskBuilder::IsBehind(item)) {
    mask = local.builder.BuildBehind(machine_, vocabulary_, &rows_, item);
  } else if (MaskBuilder::HasInside(machine_, &rows_, item)) {
    const auto inside = local.builder.InsideOf(machine_, vocabulary_, &rows_, item);
    bool has_built = false;
    const ItemMask* behind =
        MayEnd(*inside) ? &Find(MaskBuilder::BehindOf(item), &has_built) : nullptr;
    mask = local.builder.BuildText(machine_, vocabulary_, &rows_, *inside, behind);
    key.Start(machine_, vocabulary_, item);
  } else {
    mask = local.builder.Build(machine_, vocabulary_, &rows_, item, key.near());
    key.Restart();
  }
  built_count_.fetch_add(1, std::memory_order_relaxed);
  return Keep(&key, std::move(mask));
}

const ItemMask& MaskCache::Keep(MaskKey* key, ItemMask mask) {
  for (uint32_t level = 0; level < mask.depth && !key->IsWhole(); ++level) {
    if (Probe(*key) == nullptr) {
      EntryPtr marker = NewEntry(*key, true, {});
      Publish(&marker);
    }
    key->Deepen();
  }
  EntryPtr entry = NewEntry(*key, false, std::move(mask));
  const Entry* kept = Publish(&entry);
  if (kept != nullptr && !kept->deeper) return kept->mask;
  ItemMask& unkept = Scratch().unkept;
  unkept = entry->mask;
  if (!unkept.own_row.empty()) unkept.base = unkept.own_row.data();
  return unkept;
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
  const size_t bytes = owned_table_->MemoryBytes();
  Retire({DrawReadTicket(), nullptr, std::move(owned_table_), nullptr, bytes});
  owned_table_ = std::move(table);
}

void MaskCache::FreeUnread() {
  if (retired_.empty()) return;
  const uint64_t last = LastUnreadTicket();
  size_t count = 0;
  for (; count < retired_.size() && retired_[count].ticket <= last; ++count) {
    Count(0, retired_[count].bytes);
    retired_bytes_ -= retired_[count].bytes;
  }
  retired_.erase(retired_.begin(), retired_.begin() + static_cast<ptrdiff_t>(count));
}

void MaskCache::Retire(Retired one) {
  retired_bytes_ += one.bytes;
  retired_.push_back(std::move(one));
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
  const std::span<const TokenId> list = entry->mask.shared;
  std::unique_ptr<const TokenId[]> tokens = lists_.Release(list);
  const size_t list_bytes = tokens == nullptr ? 0 : TokenLists::BytesOf(list.size());
  const size_t bytes = entry->MemoryBytes() + list_bytes;
  Retire({DrawReadTicket(), std::move(entry), nullptr, std::move(tokens), bytes});
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
  const TokenLists::Key tokens((*entry)->mask.exceptions());
  const std::lock_guard<std::mutex> lock(mutex_);
  for (size_t slot = (*entry)->hash & owned_table_->mask;; slot = (slot + 1) & owned_table_->mask) {
    const Entry* there = owned_table_->entries[slot].load(std::memory_order_relaxed);
    if (there == nullptr) break;
    if (there->hash == (*entry)->hash && there->key_size == (*entry)->key_size &&
        std::equal(there->key(), there->key() + there->key_size, (*entry)->key())) {
      return there;
    }
  }
  size_t bytes = (*entry)->MemoryBytes() + lists_.BytesToHold(tokens);
  if (MemoryBytes() + bytes > max_bytes_) {
    MakeRoom(bytes);
    bytes = (*entry)->MemoryBytes() + lists_.BytesToHold(tokens);
    if (MemoryBytes() + bytes > max_bytes_) return nullptr;
  }
  if (2 * (filled_slots_ + 1) > owned_table_->entries.size()) Rebuild();
  Count(bytes, 0);
  ItemMask& mask = const_cast<ItemMask&>((*entry)->mask);  // which nobody reads yet
  mask.shared = lists_.Hold(tokens);
  mask.additions = {};
  if (!(*entry)->deeper) mask_count_.fetch_add(1, std::memory_order_relaxed);
  const Entry* kept = entry->get();
  entries_.push_back(std::move(*entry));
  Insert(owned_table_.get(), kept);
  return kept;
}

}  // namespace maskloom
