#include "compiler/mask_cache.h"

#include "compiler/mask_builder.h"
#include "compiler/mask_key.h"

namespace maskloom {
namespace {

constexpr size_t kFirstSlots = 64;

// Scratch of the calling thread, whatever grammar it works on.
struct ThreadScratch {
  MaskBuilder builder;
  MaskKey key;
  ItemMask unkept;
};

ThreadScratch& Scratch() {
  static thread_local ThreadScratch scratch;
  return scratch;
}

}  // namespace

MaskCache::MaskCache(const Machine& machine, const VocabularyIndex& vocabulary)
    : machine_(machine),
      vocabulary_(vocabulary),
      rows_(vocabulary.categories(), vocabulary.row_words(), StringIndex::kBaseCount) {
  tables_.push_back(std::make_unique<Table>(kFirstSlots));
  table_.store(tables_.back().get(), std::memory_order_release);
}

MaskCache::~MaskCache() = default;

const MaskCache::Entry* MaskCache::Probe(uint64_t hash, const std::vector<uint64_t>& key) const {
  const Table& table = *table_.load(std::memory_order_acquire);
  for (size_t slot = hash & table.mask;; slot = (slot + 1) & table.mask) {
    const Entry* entry = table.entries[slot].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (entry->hash == hash && entry->key == key) return entry;
  }
}

const MaskCache::Entry* MaskCache::Publish(std::unique_ptr<Entry> entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const Entry* present = Probe(entry->hash, entry->key)) return present;
  Table* table = tables_.back().get();
  const auto insert = [](Table* into, const Entry* what) {
    size_t slot = what->hash & into->mask;
    while (into->entries[slot].load(std::memory_order_relaxed) != nullptr) {
      slot = (slot + 1) & into->mask;
    }
    into->entries[slot].store(what, std::memory_order_release);
  };
  if (2 * (owned_.size() + 1) > table->entries.size()) {
    tables_.push_back(std::make_unique<Table>(2 * table->entries.size()));
    table = tables_.back().get();
    for (const auto& old : owned_) insert(table, old.get());
    table_.store(table, std::memory_order_release);
  }
  const size_t bytes = sizeof(Entry) + entry->key.size() * 8 + entry->mask.additions.size() * 4 +
                       entry->mask.own_row.size() * 4 + 2 * sizeof(void*);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (!entry->deeper) mask_count_.fetch_add(1, std::memory_order_relaxed);
  owned_.push_back(std::move(entry));
  insert(table, owned_.back().get());
  return owned_.back().get();
}

const ItemMask& MaskCache::Find(const Item& item) {
  MaskKey& key = Scratch().key;
  key.Start(machine_, vocabulary_, item);
  const Entry* entry = Probe(key.hash(), key.words());
  while (entry != nullptr && entry->deeper && key.Deepen()) {
    entry = Probe(key.hash(), key.words());
  }
  if (entry != nullptr && !entry->deeper) return entry->mask;
  return Build(item);
}

const ItemMask& MaskCache::Build(const Item& item) {
  ThreadScratch& local = Scratch();
  ItemMask mask;
  if (const auto plain = MaskBuilder::PlainKeyOf(machine_, vocabulary_, item)) {
    const ItemMask& plain_mask = Find(*plain);  // before the builder is used for this one
    mask = local.builder.BuildKey(machine_, vocabulary_, &rows_, item, plain_mask);
  } else {
    mask = local.builder.Build(machine_, vocabulary_, &rows_, item);
  }
  if (MemoryBytes() > kMaxBytes) {
    local.unkept = std::move(mask);
    return local.unkept;
  }
  MaskKey& key = local.key;
  key.Start(machine_, vocabulary_, item);
  for (uint32_t level = 0; level < mask.depth && !key.IsWhole(); ++level) {
    if (Probe(key.hash(), key.words()) == nullptr) {
      auto marker = std::make_unique<Entry>();
      marker->hash = key.hash();
      marker->key = key.words();
      marker->deeper = true;
      Publish(std::move(marker));
    }
    key.Deepen();
  }
  auto entry = std::make_unique<Entry>();
  entry->hash = key.hash();
  entry->key = key.words();
  entry->mask = std::move(mask);
  return Publish(std::move(entry))->mask;
}

}  // namespace maskloom
