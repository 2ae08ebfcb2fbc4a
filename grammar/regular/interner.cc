// Sequences lie end to end in one array; a map from hash to the latest id finds them again.
#include "grammar/regular/interner.h"

#include <algorithm>

namespace maskloom {

uint64_t HashSequence(std::span<const uint32_t> items) {
  uint64_t hash = 0x9E3779B97F4A7C15u + items.size();
  for (uint32_t item : items) {
    hash = (hash ^ item) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  return hash;
}

std::pair<uint32_t, bool> SequenceInterner::Intern(std::span<const uint32_t> items) {
  const uint64_t hash = HashSequence(items);
  auto [it, is_new] = latest_.try_emplace(hash, size());
  uint32_t older = kNone;
  if (!is_new) {
    older = it->second;
    for (uint32_t id = older; id != kNone; id = previous_[id]) {
      std::span<const uint32_t> known = (*this)[id];
      if (std::equal(known.begin(), known.end(), items.begin(), items.end())) return {id, false};
    }
    it.value() = size();
  }
  uint32_t id = AppendAlone(items);
  previous_[id] = older;
  return {id, true};
}

uint32_t SequenceInterner::AppendAlone(std::span<const uint32_t> items) {
  items_.insert(items_.end(), items.begin(), items.end());
  begins_.push_back(items_.size());
  previous_.push_back(kNone);
  return size() - 1;
}

}  // namespace maskloom
