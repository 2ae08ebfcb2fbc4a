// Masks that live beside the logits: one pool for all grammars of a vocabulary, filled on demand.
//
// The pool is cut into slots of one row each. A slot holds a base, or lists of ids in blocks of one
// size. What a step needs and the pool lacks is uploaded, once: a base is known by its content, so
// grammars share those that are equal; a mask is known by its id, and then costs a look-up. A row
// of a step is sent as a RowMask (16 bytes) and up to 11 ids; longer lists lie in the pool.
//
// Where a configuration has several items its mask is their union. If at most one of them has a
// base, the lists are joined; otherwise the union becomes a row of the pool, made once.
//
// Slots that a step names stay as they are until FinishSteps says that it is over. Of the others
// the one that was not used for longest makes room.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "compiler/compiled_grammar.h"
#include "compiler/frame.h"
#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "kernels/steps/row_mask.h"
#include "runtime/device/device_memory.h"

namespace maskloom {

struct MaskTraffic {
  uint64_t uploaded_bytes = 0;  // bases and lists, each once
  uint64_t sent_bytes = 0;      // RowMasks and the ids beside them
  uint64_t rows = 0;            // that were placed
};

// A slot as it was when something was put there.
struct PoolSpot {
  uint32_t slot = kernels::kNoSlot;
  uint32_t generation = 0;
};
// Where a mask is.
struct PooledMask {
  PoolSpot row, lists;
  uint32_t list_begin = 0;
  uint16_t list_count = 0;
  std::vector<uint32_t> few;  // ids that are sent each time
};

// Not thread-safe.
class MaskPool {
 public:
  // Ids beside a RowMask: 64 bytes a row, with what names the row.
  static constexpr uint32_t kMostSent = kernels::kMostSentIds;

  // `bytes`: of the pool, rounded down to whole rows. `memory` and `vocabulary` must outlive this.
  // On error: kResourceLimit, if there is no such room, or it is less than four rows.
  static Result<std::unique_ptr<MaskPool>> Create(const VocabularyIndex& vocabulary,
                                                  DeviceMemory* memory, size_t bytes);

  // Begins a step and returns its number. What Place names from now on belongs to it.
  uint64_t BeginStep() { return ++step_; }
  // Nothing reads what steps up to `step` were told any more. A device that runs steps and copies
  // in one stream may say so of a step as soon as it was submitted.
  void FinishSteps(uint64_t step) { finished_ = step; }

  // Returns the mask of a configuration as the step is to be told it, and appends the ids that go
  // with it to `sent`. Nothing if the pool has no room, as steps that are not over need all of it:
  // then the row itself must be sent. Requires: `grammar` is of this vocabulary; a step has begun.
  // Cost: a look-up for a mask that is there.
  std::optional<kernels::RowMask> Place(const CompiledGrammar& grammar, Items items,
                                        std::vector<uint32_t>* sent);
  // Keeps free what is beyond so many slots: Keep fails where it would need more of them.
  void KeepAtMost(uint32_t slots) { most_kept_ = slots; }
  // As Place, but names all ids by a list of the pool, and what it names stays until Release.
  std::optional<kernels::RowMask> Keep(const CompiledGrammar& grammar, Items items);
  // The same of the mask that allows `ids`, ascending, and nothing else.
  std::optional<kernels::RowMask> KeepIds(std::span<const uint32_t> ids);
  void Release(const kernels::RowMask& kept);

  // The pool, for kernels.
  const uint32_t* words() const { return words_; }
  uint32_t row_words() const { return row_words_; }
  uint32_t slot_count() const { return slot_count_; }
  const MaskTraffic& traffic() const { return traffic_; }

 private:
  enum class Use : uint8_t { kNone, kRow, kLists };
  struct Slot {
    Use use = Use::kNone;
    uint32_t generation = 0;           // goes up when the slot is taken for something else
    uint64_t last_step = 0;            // that used it
    uint32_t kept_count = 0;           // calls of Keep without Release
    uint64_t checksum = 0;             // of a row
    std::unique_ptr<uint32_t[]> copy;  // what the device has
  };
  // The slot in which lists of up to `1 << size class` ids are put next.
  struct OpenSlot {
    PoolSpot spot;
    uint32_t used = 0;  // words
  };
  struct HashKey {
    size_t operator()(const std::vector<uint64_t>& key) const;
  };

  MaskPool(const VocabularyIndex& vocabulary, DeviceMemory* memory, uint32_t* words,
           uint32_t slot_count);

  // Is what was put at `spot` still there? Then it is used by this step.
  bool Touch(const PoolSpot& spot);
  // Adds to the uses of a slot that is kept.
  void CountKept(uint32_t slot, int32_t change);
  // Uploads what of the mask is not there.
  std::optional<PooledMask> Compose(const CompiledGrammar& grammar, Items items);
  // Writes the ids of the items' masks to key_.
  void MakeKey(const CompiledGrammar& grammar, Items items);
  // Joins the masks of all items: ids that are not in the row go to ids_, those of the masks to
  // key_. Returns row_ with the row, or null if it is empty.
  const uint32_t* Join(const CompiledGrammar& grammar, Items items);
  // Moves ids_ to the row where they are too many for a list. Returns `row`, or row_ with them.
  const uint32_t* MoveLongList(const uint32_t* row);
  // Keeps `row`, if there is one, and ids_.
  std::optional<kernels::RowMask> KeepJoined(const uint32_t* row);
  // Leaves each id once in ids_, and none that is in `row`.
  void LeaveOutTwins(const uint32_t* row);
  bool PutRow(const uint32_t* row, PoolSpot* spot);
  // Makes a list of ids_.
  bool PutList(PooledMask* mask);
  // Is ids_ where `mask` has its list?
  bool IsListAt(const PooledMask& mask);
  // Returns a slot that was never taken, or else the one that was not used for longest among those
  // that nobody keeps; kNoSlot if all are kept.
  uint32_t FindOldest();
  // Takes a slot for `use`.
  bool TakeSlot(Use use, PoolSpot* spot);
  void Upload(uint64_t word, const uint32_t* from, size_t count);
  // Forgets what names slots that were taken for something else.
  void ForgetStale();
  void ForgetLists();

  const VocabularyIndex& vocabulary_;
  DeviceMemory& memory_;
  uint32_t* const words_;
  const uint32_t row_words_;
  uint64_t step_ = 0;
  uint64_t finished_ = 0;
  const uint32_t slot_count_;
  std::vector<Slot> slots_;  // those that were taken so far
  uint32_t kept_slots_ = 0;
  uint32_t most_kept_ = 0xFFFFFFFF;
  std::vector<OpenSlot> open_;  // by size class
  tsl::robin_map<std::vector<uint64_t>, PooledMask, HashKey>
      known_;                                   // by the ids of the items' masks
  size_t forget_at_ = 4096;                     // entries of known_
  tsl::robin_map<uint64_t, uint32_t> rows_;     // slots by checksum
  tsl::robin_map<uint64_t, PooledMask> lists_;  // by checksum
  size_t forget_lists_at_ = 4096;
  MaskTraffic traffic_;
  // Scratch.
  std::vector<uint64_t> key_;
  std::vector<uint32_t> ids_, row_;
};

}  // namespace maskloom
