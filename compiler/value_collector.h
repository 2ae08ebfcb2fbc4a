// Lists the values that a text can become; see value_space.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/arena.h"
#include "compiler/frame.h"
#include "compiler/json_value_key.h"
#include "compiler/machine.h"
#include "compiler/value_space.h"

namespace maskloom {

// For one list. Not thread-safe.
class ValueCollector {
 public:
  ValueCollector(const Machine& machine, const ValueSpace& space, uint64_t limit)
      : machine_(machine), space_(space), limit_(limit) {}

  ValueList ValuesOf(ValueId id);
  ValueList ValuesFrom(const Frame& frame, std::u32string_view text, std::string_view number,
                       const OpenContainer* container);

 private:
  // Takes a value. Returns whether there are still few.
  bool Add(ValueKey key);
  ValueList Take();

  void CollectStrings(const Frame& frame, std::u32string_view text);
  void CollectNumbers(NodeId id, uint32_t state, std::string_view text);
  void CollectArrays(const Frame& frame, const std::vector<ValueKey>& items);
  void CollectObjects(const Frame& frame, const OpenContainer& container);
  // The members that may follow, in canonical order from position `next` of the declared order on.
  void AddMembers(const Frame& frame, uint32_t next, std::vector<MemberKey>* members);
  // ... undeclared ones, whose keys follow the `next` first of `keys`.
  void AddOtherMembers(const Frame& frame, const std::vector<std::u32string>& keys, size_t next,
                       std::vector<MemberKey>* members);
  // Calls `then(frame behind the value, its key)` for the values of the member whose key has ended.
  template <typename Then>
  void ForValues(const Frame& frame, Then then);
  // Lists the undeclared keys that may come in `frame` and begin with `text`, which led to `state`.
  // Returns whether they are few.
  bool OtherKeys(const Frame& frame, uint32_t state, const std::u32string& text,
                 std::vector<std::u32string>* keys) const;
  // The frame behind undeclared key `key`.
  Frame BehindOtherKey(const Frame& frame, const std::u32string& key);
  void FinishKeys(const Frame& frame, const std::u32string& text, const OpenContainer& container);

  const Machine& machine_;
  const ValueSpace& space_;
  const uint64_t limit_;
  Arena arena_;
  bool many_ = false;
  std::unordered_set<ValueKey> found_;
  std::optional<ValueKey> excluded_;  // a value that does not count
};

// Can the number that is `text` so far, in `state` of number node `id`, surely become more than
// `limit` values? Counts a few digits that may follow.
bool HasManyNumbers(const Machine& machine, NodeId id, uint32_t state, std::string_view text,
                    uint64_t limit);
// The values that a number becomes which is `text` so far, in `state` of number node `id`; see
// ValueList.
ValueList NumberValues(const Machine& machine, NodeId id, uint32_t state, std::string_view text,
                       uint64_t limit);
// Some of these values, at most `count` (or none), told sooner than all.
std::vector<ValueKey> FirstNumbers(const Machine& machine, NodeId id, std::string_view text,
                                   uint64_t count);

}  // namespace maskloom
