// Gives equal sequences of numbers equal ids: state sets, state tuples, and frozen states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tsl/robin_map.h"

namespace maskloom {

// Returns a well-mixed hash of `items`; equal sequences have equal hashes.
uint64_t HashSequence(std::span<const uint32_t> items);

// Ids count up from 0 in the order of first appearance.
class SequenceInterner {
 public:
  // Returns the id of `items` and whether it is new. Cost: linear in `items`.
  std::pair<uint32_t, bool> Intern(std::span<const uint32_t> items);
  // Appends `items` under a new id that Intern never returns for equal items.
  uint32_t AppendAlone(std::span<const uint32_t> items);

  std::span<const uint32_t> operator[](uint32_t id) const {
    return std::span(items_).subspan(begins_[id], begins_[id + 1] - begins_[id]);
  }
  uint32_t size() const { return static_cast<uint32_t>(begins_.size() - 1); }
  // Total length of all sequences.
  size_t item_count() const { return items_.size(); }

 private:
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  std::vector<size_t> begins_{0};
  std::vector<uint32_t> items_;
  tsl::robin_map<uint64_t, uint32_t> latest_;  // by hash; older ids of a hash follow in previous_
  std::vector<uint32_t> previous_;
};

}  // namespace maskloom
