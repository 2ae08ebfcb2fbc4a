// Races are reported exactly where some pair of accesses is not ordered, as all pairs tell.
//
// Random scripts of a few accesses between barriers of blocks and of warps, or of parts of warps,
// run as a kernel. The judge looks at every pair: what one access is ordered before is whom its
// lane met since.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "kernels/simt/cuda.h"
#include "tests/kernels/simt/device_array.h"

namespace {

constexpr int kThreads = 64;
constexpr int kBytes = 64;

struct Access {
  int offset, bytes;
  simt::AccessKind kind;
};

// All threads go through the steps alike; a thread makes at most one access in a step.
struct Step {
  std::map<int, Access> accesses;  // by thread
  int barrier_lanes = 0;           // lanes that meet behind the accesses; kThreads: the block
};
using Script = std::vector<Step>;

bool IsAtomic(const Access& access) { return access.kind == simt::AccessKind::kAtomic; }

bool Conflict(const Access& a, const Access& b) {
  bool overlap = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  bool both_read = a.kind == simt::AccessKind::kLoad && b.kind == simt::AccessKind::kLoad;
  return overlap && !both_read && !(IsAtomic(a) && IsAtomic(b));
}

// Does what `thread` did in step `from` come before what `other` does in step `to`?
bool IsOrdered(const Script& script, size_t from, int thread, size_t to, int other) {
  std::vector<bool> knows(kThreads, false);
  knows[static_cast<size_t>(thread)] = true;
  for (size_t step = from; step < to; ++step) {
    int lanes = script[step].barrier_lanes;
    for (int first = 0; lanes > 0 && first < kThreads; first += lanes) {
      auto begin = knows.begin() + first;
      bool any = std::any_of(begin, begin + lanes, [](bool known) { return known; });
      std::fill(begin, begin + lanes, any);
    }
  }
  return knows[static_cast<size_t>(other)];
}

bool HasRace(const Script& script) {
  for (size_t i = 0; i < script.size(); ++i) {
    for (size_t j = i; j < script.size(); ++j) {
      for (const auto& [thread, access] : script[i].accesses) {
        for (const auto& [other, later] : script[j].accesses) {
          if (thread == other || !Conflict(access, later)) continue;
          if (i == j || !IsOrdered(script, i, thread, j, other)) return true;
        }
      }
    }
  }
  return false;
}

Script RandomScript(std::mt19937* random) {
  auto below = [&](int limit) {
    return static_cast<int>((*random)() % static_cast<unsigned>(limit));
  };
  Script script(static_cast<size_t>(2 + below(6)));
  for (Step& step : script) {
    const int kLanes[] = {0, 0, 16, 32, 32, kThreads};
    step.barrier_lanes = kLanes[below(6)];
    for (int i = below(4); i > 0; --i) {
      // Three lanes of two warps, so that they meet, and since barriers of parts of a warp are
      // followed exactly for so many.
      const int kThreadsOfScripts[] = {0, 1, 16, 32, 33, 48};
      int thread = kThreadsOfScripts[below(6)];
      auto kind = static_cast<simt::AccessKind>(below(3));
      int bytes = kind == simt::AccessKind::kAtomic ? 4 : 1 << below(5);
      step.accesses[thread] = {below(24 / bytes + 1) * bytes, bytes, kind};
    }
  }
  return script;
}

// The script that the kernel follows. Host memory, so it is no access of the device.
const Script* current_script = nullptr;

template <class Value, class Bytes>
void Touch(Bytes bytes, const Access& access) {
  auto place = simt::As<Value>(bytes + access.offset);
  if (access.kind == simt::AccessKind::kLoad) {
    Value value = *place;
    static_cast<void>(value);
  } else {
    *place = Value{};
  }
}

template <class Bytes>
void Make(Bytes bytes, const Access& access) {
  if (IsAtomic(access)) {
    atomicAdd(simt::As<int>(bytes + access.offset), 1);
    return;
  }
  switch (access.bytes) {
    case 1:
      return Touch<char>(bytes, access);
    case 2:
      return Touch<short>(bytes, access);
    case 4:
      return Touch<int>(bytes, access);
    case 8:
      return Touch<int2>(bytes, access);
    default:
      return Touch<int4>(bytes, access);
  }
}

void FollowScript(simt::Global<char> global, bool in_shared) {
  SIMT_SHARED(char, shared, kBytes);
  int thread = static_cast<int>(threadIdx.x);
  if (in_shared) shared[thread] = 0;
  __syncthreads();
  for (const Step& step : *current_script) {
    auto found = step.accesses.find(thread);
    if (found != step.accesses.end()) {
      in_shared ? Make(shared, found->second) : Make(global, found->second);
    }
    if (step.barrier_lanes == kThreads) {
      __syncthreads();
    } else if (step.barrier_lanes > 0) {
      unsigned lanes = 0xFFFFFFFFu >> (32 - step.barrier_lanes);
      __syncwarp(lanes << (thread % 32 / step.barrier_lanes * step.barrier_lanes));
    }
  }
}

TEST(SimtRaceProperty, ReportedExactlyWhereAPairIsNotOrdered) {
  simt::DeviceArray<char> global(std::vector<char>(kBytes, 0));
  std::mt19937 random(7);
  int with_race = 0;
  const int kScripts = 4000;
  for (int i = 0; i < kScripts; ++i) {
    Script script = RandomScript(&random);
    current_script = &script;
    bool in_shared = i % 2 == 0;
    simt::Checks checks = simt::Checks::Full();
    checks.seed = static_cast<uint64_t>(i);
    simt::SetChecks(checks);
    SIMT_LAUNCH(FollowScript, 1, kThreads, 0, nullptr, global.data(), in_shared);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<simt::Finding> findings = simt::TakeFindings();
    for (const simt::Finding& finding : findings) EXPECT_EQ(finding.fault, simt::Fault::kRace);
    bool has_race = HasRace(script);
    ASSERT_EQ(!findings.empty(), has_race) << "script " << i;
    with_race += has_race ? 1 : 0;
  }
  simt::SetChecks(simt::Checks::Full());
  EXPECT_GT(with_race, kScripts / 10);
  EXPECT_LT(with_race, kScripts * 9 / 10);
}

}  // namespace
