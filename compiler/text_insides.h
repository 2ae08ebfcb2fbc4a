// The part of a string's mask that does not depend on what follows the string, remembered.
//
// The tokens that end inside of a string are told by its state alone, and so is behind which texts
// it may end. What may follow is another matter: that depends on where the string stands. So the
// mask of a state that was met in another member or item is put together of what is known of the
// state and of the tokens that a string may end with there (MaskBuilder::BehindOf).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "compiler/machine.h"
#include "compiler/mask.h"

namespace maskloom {

// Of a string in one state. Immutable.
struct TextInside {
  MaskBase base;                                       // tokens that end inside
  std::shared_ptr<const std::vector<TokenId>> tokens;  // further ones
  // Behind which of StringIndex::beginnings may the string end? A bit each.
  std::vector<uint64_t> ends;

  bool MayEndBehind(uint32_t beginning) const {
    return (ends[beginning / 64] >> (beginning % 64) & 1) != 0;
  }
};

// Of a grammar's strings. Thread safety: any thread.
class TextInsides {
 public:
  // Beyond so many bytes all are forgotten.
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  struct Key {
    uint32_t node = 0;   // of the string
    uint32_t state = 0;  // as in Frame
    uint64_t room = 0;   // the lengths that are left, as far as they matter
    bool operator==(const Key&) const = default;
  };

  // Returns what is known, or null.
  std::shared_ptr<const TextInside> Find(const Key& key) const;
  // Remembers `inside`, unless something is known already, and returns what is known then.
  std::shared_ptr<const TextInside> Keep(const Key& key, TextInside inside);
  void Forget();
  // Without the rows of the bases.
  size_t MemoryBytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Hash {
    size_t operator()(const Key& key) const {
      return ((key.room * 31 + key.node) * 0x9E3779B97F4A7C15u) ^ (key.state * 0x9E3779B1u);
    }
  };

  void ForgetLocked();

  mutable std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<const TextInside>, Hash> known_;
  std::atomic<size_t> bytes_{0};
};

}  // namespace maskloom
