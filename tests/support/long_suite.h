// How a sampled test learns that it runs as a long suite, and which part of it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace maskloom {

// Is the whole suite wanted (MASKLOOM_LONG=1) instead of a sample?
inline bool IsLongRun() {
  const char* flag = std::getenv("MASKLOOM_LONG");
  return flag != nullptr && std::strcmp(flag, "1") == 0;
}

// Part `index` (from 0) of `count` parts: MASKLOOM_SHARD is "i/n" with i from 1.
struct Shard {
  unsigned index = 0;
  unsigned count = 1;

  // Does case number `i` belong to this part?
  bool Has(size_t i) const { return i % count == index; }
};

// Returns the shard that MASKLOOM_SHARD names; all in one if it is unset or malformed.
inline Shard CurrentShard() {
  const char* text = std::getenv("MASKLOOM_SHARD");
  unsigned part = 0;
  unsigned count = 0;
  if (text == nullptr || std::sscanf(text, "%u/%u", &part, &count) != 2) return {};
  if (part < 1 || part > count) return {};
  return {part - 1, count};
}

}  // namespace maskloom
