#include "compiler/seen_values.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace maskloom {
namespace {

constexpr uint32_t kHashBits = 64;

}  // namespace

bool IsSeen(const SeenValue* seen, std::string_view key) {
  if (seen == nullptr) return false;
  const uint64_t hash = std::hash<std::string_view>()(key);
  while (seen != nullptr && seen->hash != hash) {
    const uint32_t bit = static_cast<uint32_t>(std::countl_zero(seen->hash ^ hash));
    seen = bit < seen->depth ? seen->others[bit] : nullptr;
  }
  for (; seen != nullptr; seen = seen->twin) {
    if (std::string_view(seen->bytes, seen->size) == key) return true;
  }
  return false;
}

const SeenValue* AddSeen(const SeenValue* seen, std::string_view key, Arena* arena) {
  char* bytes = arena->NewArray<char>(key.size());
  std::copy(key.begin(), key.end(), bytes);
  SeenValue* added = arena->New<SeenValue>();
  added->previous = seen;
  added->bytes = bytes;
  added->size = static_cast<uint32_t>(key.size());
  added->count = seen == nullptr ? 1 : seen->count + 1;
  added->hash = std::hash<std::string_view>()(key);
  const SeenValue* others[kHashBits] = {};
  uint32_t depth = 0;
  // `seen` is the newest value with the same first `depth` bits.
  while (seen != nullptr) {
    const uint32_t bit = static_cast<uint32_t>(std::countl_zero(seen->hash ^ added->hash));
    for (; depth < std::min(bit, seen->depth); ++depth) others[depth] = seen->others[depth];
    if (bit == kHashBits) {
      added->twin = seen;
      break;
    }
    others[bit] = seen;
    depth = bit + 1;
    seen = bit < seen->depth ? seen->others[bit] : nullptr;
  }
  if (depth > 0) {
    const SeenValue** kept = arena->NewArray<const SeenValue*>(depth);
    std::copy(others, others + depth, kept);
    added->others = kept;
    added->depth = depth;
  }
  return added;
}

}  // namespace maskloom
