// Masks of a compiled grammar, built on first use.
//
// A hash table from mask keys (mask_key.h) to masks that readers probe without locks: entries never
// change once they are published, and a grown table is published whole while the old one stays for
// readers that still hold it. Keys are tried level by level: the entry of a key that does not yet
// tell the mask says so. Beyond a byte budget masks are still built but no longer kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "compiler/base_rows.h"
#include "compiler/frame.h"
#include "compiler/machine.h"
#include "compiler/mask.h"
#include "compiler/vocabulary_index.h"

namespace maskloom {

class MaskCache {
 public:
  static constexpr size_t kMaxBytes = size_t{256} << 20;

  MaskCache(const Machine& machine, const VocabularyIndex& vocabulary);
  ~MaskCache();
  MaskCache(const MaskCache&) = delete;
  MaskCache& operator=(const MaskCache&) = delete;

  // Returns the mask of `item`, valid until the calling thread's next call or for as long as the
  // cache lives if it was kept. Thread safety: any thread. Cost: a few hashes if seen before.
  const ItemMask& Find(const Item& item);

  size_t MemoryBytes() const {
    return bytes_.load(std::memory_order_relaxed) + rows_.MemoryBytes();
  }
  // Number of masks kept.
  size_t size() const { return mask_count_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    uint64_t hash;
    std::vector<uint64_t> key;
    bool deeper = false;  // the key must be extended by a level
    ItemMask mask;
  };
  struct Table {
    explicit Table(size_t slots) : mask(slots - 1), entries(slots) {}
    size_t mask;
    std::vector<std::atomic<const Entry*>> entries;
  };

  const Entry* Probe(uint64_t hash, const std::vector<uint64_t>& key) const;
  // Publishes `entry` unless its key is there already; returns the one that is there.
  const Entry* Publish(std::unique_ptr<Entry> entry);
  const ItemMask& Build(const Item& item);

  const Machine& machine_;
  const VocabularyIndex& vocabulary_;
  BaseRows rows_;
  std::atomic<Table*> table_;
  std::atomic<size_t> bytes_{0};
  std::atomic<size_t> mask_count_{0};
  std::mutex mutex_;  // guards everything below, and publishing
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<std::unique_ptr<const Entry>> owned_;
};

}  // namespace maskloom
