#include "runtime/device/shadowed_memory.h"

#include <algorithm>
#include <cstring>

namespace maskloom {

void* ShadowedMemory::Allocate(size_t bytes) {
  void* memory = memory_.Allocate(bytes);
  if (memory == nullptr) return nullptr;
  Block block;
  block.bytes = bytes;
  block.copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
  block.is_known.resize((bytes + kPieceBytes - 1) / kPieceBytes);
  blocks_[static_cast<const std::byte*>(memory)] = std::move(block);
  return memory;
}

void ShadowedMemory::Copy(void* to, const void* from, size_t bytes) {
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  auto found = blocks_.upper_bound(target);
  --found;
  Block& block = found->second;
  const auto offset = static_cast<size_t>(target - found->first);
  // Bytes of this copy that differ lie from `begin` to `end`, with nothing else between.
  size_t begin = 0, end = 0;
  const auto flush = [&] {
    if (begin == end) return;
    std::memcpy(block.copy.get() + offset + begin, source + begin, end - begin);
    memory_.Copy(target + begin, source + begin, end - begin);
    copied_bytes_ += end - begin;
  };
  for (size_t at = 0; at < bytes;) {
    const size_t piece = (offset + at) / kPieceBytes;
    const size_t stop = std::min(bytes, (piece + 1) * kPieceBytes - offset);
    const bool is_same = block.is_known[piece] &&
                         std::memcmp(block.copy.get() + offset + at, source + at, stop - at) == 0;
    if (!is_same && end == at && begin < end) {
      end = stop;
    } else if (!is_same) {
      flush();
      begin = at;
      end = stop;
    }
    // A piece that is written in part is known once all of it was written.
    const bool is_whole = (offset + at) % kPieceBytes == 0 &&
                          (stop - at == kPieceBytes || offset + stop == block.bytes);
    if (is_whole) block.is_known[piece] = true;
    at = stop;
  }
  flush();
}

}  // namespace maskloom
