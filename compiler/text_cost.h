// The length of a short text, as admission counts it: bytes, saturating, with a value for "none".
#pragma once

#include <algorithm>
#include <cstdint>

namespace maskloom {

using TextCost = uint64_t;
inline constexpr TextCost kNoText = ~uint64_t{0};
inline constexpr TextCost kMaxTextCost = kNoText / 2;  // what sums and products saturate at

inline TextCost AddCosts(TextCost a, TextCost b) {
  if (a == kNoText || b == kNoText) return kNoText;
  return std::min(a + b, kMaxTextCost);  // neither exceeds kMaxTextCost, so this cannot wrap
}

inline TextCost TimesCost(uint64_t times, TextCost cost) {
  if (times == 0) return 0;
  if (cost == kNoText) return kNoText;
  return cost > kMaxTextCost / times ? kMaxTextCost : times * cost;
}

// Sets `cost` to `value` if that is lower. Returns whether it was.
inline bool LowerCost(TextCost* cost, TextCost value) {
  if (value >= *cost) return false;
  *cost = value;
  return true;
}

}  // namespace maskloom
