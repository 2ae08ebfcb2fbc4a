// The configurations of one matcher, kept for rollback.
//
// Steps work in scratch memory; Keep copies what survives into the store. Stores are shared between
// a matcher and its forks by whole arenas that no one writes to any more; when a store has grown to
// twice what was alive at the last look, the living configurations are copied out and the arenas
// are dropped or used again, so a long generation needs bounded memory and a steady state allocates
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler/arena.h"
#include "compiler/frame.h"

namespace maskloom {

// One kept configuration and the one before it.
struct Configuration {
  const Configuration* previous = nullptr;
  const Item* items = nullptr;
  uint32_t item_count = 0;
  uint32_t history = 0;  // configurations before this one that are still kept
  uint64_t token_count = 0;
  bool terminated = false;

  Items span() const { return Items(items, item_count); }
};

class ConfigurationStore {
 public:
  ConfigurationStore();
  // Shares everything kept so far.
  ConfigurationStore(const ConfigurationStore& other);
  ConfigurationStore& operator=(const ConfigurationStore&) = delete;

  // Copies `items`, whose nodes may lie in `scratch` or in this store, and returns a configuration
  // that follows `previous` (null for the first), remembering at most `max_history` before it.
  const Configuration* Keep(const Arena& scratch, Items items, const Configuration* previous,
                            uint32_t max_history);
  // Copies `items`, whose nodes may lie anywhere, with all that they reach.
  const Configuration* KeepWhole(Items items);
  // The configuration behind an end token: it has no items.
  const Configuration* KeepEnd(const Configuration* previous, uint32_t max_history);
  // Call after Keep with the current configuration; returns it, moved if the store was compacted.
  const Configuration* CompactIfGrown(const Configuration* current);
  // Copies `kept`, each without what came before it, and forgets all others.
  void Compact(std::span<const Configuration*> kept);
  void Clear();
  // Bytes used since the store was last compacted, or cleared, and by what was alive then.
  size_t OwnBytes() const { return own_->UsedBytes(); }

 private:
  Configuration* New(const Configuration* previous, uint32_t max_history);
  const Configuration* Compact(const Configuration* current);
  std::shared_ptr<Arena> TakeSpare();
  // Leaves all arenas behind and goes on with `to`.
  void MoveTo(std::shared_ptr<Arena> to);
  bool OwnIsUnshared() const;

  std::vector<std::shared_ptr<Arena>> shared_;  // read only: a fork may hold them too
  std::shared_ptr<Arena> own_;
  std::shared_ptr<Arena> spare_;
  size_t alive_bytes_ = 0;
};

}  // namespace maskloom
