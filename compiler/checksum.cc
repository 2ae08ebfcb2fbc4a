// Four lanes take turns at the words, so that their multiplications overlap and the sum runs as
// fast as memory does. Each lane is l := rotate(l + w * odd) * odd, which is one-to-one in w for a
// given l and in l for a given w. So two sequences that differ in one word leave their lane
// different whatever follows; and the lanes are joined by the same step, which keeps that
// difference. A word is multiplied before it meets the lane: the high bits of one word, which the
// rotation makes low ones, are then not what a small change of the next word could undo.
#include "compiler/checksum.h"

#include <bit>
#include <cstring>

namespace maskloom {
namespace {

constexpr uint64_t kOdd = 0xD6E8FEB86659FD93u;
constexpr uint64_t kOther = 0x9FB21C651E98DF25u;

uint64_t Mix(uint64_t lane, uint64_t word) { return std::rotl(lane + word * kOther, 29) * kOdd; }

// The word at `bytes`, its first byte lowest on any machine; `count` bytes of it, the rest 0.
uint64_t LoadWord(const std::byte* bytes, size_t count) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

}  // namespace

uint64_t Checksum(std::span<const std::byte> bytes, uint64_t seed) {
  constexpr size_t kLanes = 4;
  constexpr size_t kStripe = kLanes * 8;
  uint64_t lanes[kLanes] = {seed, ~seed, seed + kOdd, seed - kOdd};
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= kStripe; left -= kStripe, at += kStripe) {
    for (size_t i = 0; i < kLanes; ++i) lanes[i] = Mix(lanes[i], LoadWord(at + 8 * i, 8));
  }
  for (size_t i = 0; left > 0; ++i) {
    const size_t count = left < 8 ? left : 8;
    lanes[i] = Mix(lanes[i], LoadWord(at, count));
    at += count;
    left -= count;
  }
  // Lengths tell apart sequences that differ in zeros at the end.
  uint64_t sum = Mix(seed, bytes.size());
  for (const uint64_t lane : lanes) sum = Mix(sum, lane);
  sum ^= sum >> 32;
  sum *= kOdd;
  return sum ^ (sum >> 29);
}

}  // namespace maskloom
