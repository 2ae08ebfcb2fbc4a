// Masks of a compiled grammar, built on first use and kept within a budget.
//
// A hash table from mask keys (mask_key.h) to masks that readers probe without locks: entries never
// change once they are published, and a table that grows is published whole. Keys are tried level
// by level: the entry of a key that does not yet tell the mask says so.
//
// Beyond the budget the clock algorithm makes room: a hand goes round the entries, spares those
// that were used since it last came by, and takes the others out of the table. They are freed when
// no reader can hold them any more (read_epochs.h); until then they count. A publication moves the
// hand by a bounded number of entries and takes out an eighth of the budget at a time. If that does
// not make room, the mask is given to its caller and not kept. A mask that is built again is the
// same bit for bit.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "compiler/base_rows.h"
#include "compiler/frame.h"
#include "compiler/frozen_masks.h"
#include "compiler/machine.h"
#include "compiler/mask.h"
#include "compiler/mask_key.h"
#include "compiler/read_epochs.h"
#include "compiler/token_lists.h"
#include "compiler/vocabulary_index.h"

namespace maskloom {

class MaskCache {
 public:
  // `max_bytes`: of masks, their keys, the table and the rows that they share.
  MaskCache(const Machine& machine, const VocabularyIndex& vocabulary, size_t max_bytes);
  ~MaskCache();
  MaskCache(const MaskCache&) = delete;
  MaskCache& operator=(const MaskCache&) = delete;

  // Looks masks up; meant to live for the time of one call. What it returns is valid until its next
  // Find or its end. Thread safety: any thread; readers wait for nobody.
  class Reader {
   public:
    explicit Reader(MaskCache& cache) : cache_(cache) {}
    // Returns the mask of `item`. Cost: a few hashes if it was seen before.
    const ItemMask& Find(const Item& item) { return cache_.Find(item, &has_built_); }
    // Returns the union of the masks of `items`, or null where they are few: then they are found
    // one by one. Those between tokens are walked together, but for members and where only one
    // value may begin, so what they share is walked once. Cost: as Find, and a hash of all items.
    const ItemMask* FindUnion(Items items) {
      return cache_.IsUnion(items) ? &cache_.FindUnion(items, &has_built_) : nullptr;
    }
    // Was a mask built, as it was not there?
    bool has_built() const { return has_built_; }

   private:
    MaskCache& cache_;
    ReadGuard guard_;
    bool has_built_ = false;
  };

  // Bytes that are kept or not yet freed.
  size_t MemoryBytes() const;
  size_t max_bytes() const { return max_bytes_; }
  // Number of masks kept.
  size_t size() const { return mask_count_.load(std::memory_order_relaxed); }
  // Finds masks in `frozen`, too, from now on. Requires: nobody uses the cache yet; `frozen` is of
  // the same machine, and what it was read from outlives this.
  void UseFrozen(FrozenMasks frozen);
  // Returns all masks that are there, for a file. Thread safety: any thread; those who publish
  // masks wait.
  FrozenMasks Freeze();

  // Number of masks built so far, and of those taken out again.
  uint64_t built_count() const { return built_count_.load(std::memory_order_relaxed); }
  uint64_t evicted_count() const { return evicted_count_.load(std::memory_order_relaxed); }

 private:
  // The words of the key stand behind it.
  struct Entry {
    uint64_t hash = 0;
    uint32_t key_size = 0;
    bool deeper = false;                    // the key must be extended by a level
    mutable std::atomic<bool> used{false};  // again, since the hand came by
    ItemMask mask;

    const uint64_t* key() const { return reinterpret_cast<const uint64_t*>(this + 1); }
    uint64_t* key() { return reinterpret_cast<uint64_t*>(this + 1); }
    bool Has(const MaskKey& other) const;
    size_t MemoryBytes() const;
  };
  struct FreeEntry {
    void operator()(const Entry* entry) const;
  };
  using EntryPtr = std::unique_ptr<const Entry, FreeEntry>;
  struct Table {
    explicit Table(size_t slots) : mask(slots - 1), entries(slots) {}
    size_t MemoryBytes() const { return sizeof(Table) + entries.size() * sizeof(void*); }
    size_t mask;
    std::vector<std::atomic<const Entry*>> entries;
  };
  // What readers may still hold: an entry, with the list that nobody else has, or a table.
  struct Retired {
    uint64_t ticket;
    EntryPtr entry;
    std::unique_ptr<Table> table;
    std::unique_ptr<const TokenId[]> tokens;
    size_t bytes;
  };

  static EntryPtr NewEntry(const MaskKey& key, bool deeper, ItemMask mask);
  // What stands in a slot whose entry was taken out: it has no key.
  static const Entry* Gone();

  const ItemMask& Find(const Item& item, bool* has_built);
  const ItemMask& Build(const Item& item);
  bool IsUnion(Items items) const;
  const ItemMask& FindUnion(Items items, bool* has_built);
  ItemMask BuildUnion(Items items);
  // Returns the entry under the scratch key, or one of the levels behind it; null if there is none.
  const Entry* FindByLevels(MaskKey* key);
  // Keeps `mask` under `key`, which has its first level, and returns it.
  const ItemMask& Keep(MaskKey* key, ItemMask mask);
  const Entry* Probe(const MaskKey& key) const;
  // As Probe, but takes what frozen_ has of the key into the cache.
  const Entry* Lookup(const MaskKey& key);
  // Keeps `entry` unless its key is there already. Returns the one that is there, or null where
  // there is no room; then `entry` still belongs to the caller.
  const Entry* Publish(EntryPtr* entry);

  // The rest requires mutex_.
  void Insert(Table* table, const Entry* entry);
  // Makes a table with room for more entries than there are, without the slots of those gone.
  void Rebuild();
  // Takes entries out until `bytes` more fit, if that can be done quickly.
  void MakeRoom(size_t bytes);
  void Evict(size_t index);
  void Retire(Retired one);
  void FreeUnread();
  void Count(size_t added, size_t removed);

  const Machine& machine_;
  const VocabularyIndex& vocabulary_;
  const size_t max_bytes_;
  BaseRows rows_;
  std::unique_ptr<const FrozenMasks> frozen_;  // null where there are none
  std::atomic<const Table*> table_;
  std::atomic<size_t> bytes_{0};  // of entries, their lists and tables
  std::atomic<size_t> mask_count_{0};
  std::atomic<uint64_t> built_count_{0};
  std::atomic<uint64_t> evicted_count_{0};
  std::mutex mutex_;  // guards everything below, and publishing
  std::unique_ptr<Table> owned_table_;
  std::vector<EntryPtr> entries_;
  TokenLists lists_;              // of the masks in entries_
  size_t hand_ = 0;               // in entries_
  size_t filled_slots_ = 0;       // of the table, those gone included
  std::vector<Retired> retired_;  // by ticket
  size_t retired_bytes_ = 0;
};

}  // namespace maskloom
