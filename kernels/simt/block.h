// Runs one block of threads: lanes, warps, barriers, and what lanes of a warp do together.
//
// Each thread is a fiber. A warp's lanes run one after another, each until it must wait: for a
// barrier of the block, for other lanes (a shuffle, a vote), or because its log is full. When all
// stand still, groups of lanes that wait for the same are let go on. When all warps stand still and
// all threads wait at one barrier, it opens; if nobody can go on, the block is stuck and is given
// up. Nothing runs at the same time, so a block's result is the same every time; that races do not
// show in it does not matter, since they are found by the order that the source guarantees.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/simt/fiber.h"
#include "kernels/simt/memory.h"
#include "kernels/simt/site.h"
#include "kernels/simt/traffic.h"
#include "kernels/simt/vector_types.h"

namespace simt {

class Block;
class Warp;
struct SharedArray;

// What is checked and counted. Bounds, alignment, barriers and lanes are always checked.
struct Checks {
  bool initialised = true;  // reads of bytes that nobody has written
  bool races = true;
  bool traffic = true;
  uint64_t seed = 1;  // of the order of blocks and warps
  // Of one thread; then the launch is given up as endless. Known only where something is recorded.
  uint64_t most_accesses = 1 << 24;

  static Checks Full() { return {}; }
  static Checks Counting() { return {.initialised = false, .races = false}; }
  static Checks Fast() { return {.initialised = false, .races = false, .traffic = false}; }
};

// What lanes, or threads of a block, do together.
enum class Meeting : uint8_t {
  kNone,
  kBlockBarrier,
  kBlockCount,
  kBlockAnd,
  kBlockOr,
  kWarpBarrier,
  kShuffle,
  kVote,
  kMatch,
  kReduce,
  kActiveMask,
};

// What the lanes of a group brought to their meeting.
struct Gathered {
  uint32_t lanes = 0;  // those that came
  std::array<uint64_t, kWarpLanes> values;
};

// The shadow of races tells this many blocks apart.
inline constexpr uint32_t kMostBlocks = 1 << 20;

// Of every device, unless a kernel asks for more dynamic shared memory.
inline constexpr size_t kMostStaticSharedBytes = 48 << 10;

// A release that a lane of a block has acquired, and when.
struct Acquired {
  Release release;
  uint32_t thread;
  uint32_t phase;
};

// One launch as its blocks see it.
struct Launch {
  std::string kernel;
  uint3 grid, block;
  size_t dynamic_shared_bytes = 0;
  size_t max_shared_bytes = 0;
  std::function<void()> body;  // what one thread does
  Checks checks;
  uint32_t number = 0;
  uint32_t first_phase = 0;  // accesses of earlier phases are of earlier launches
  Traffic traffic;
};

// One thread of a block.
class Lane {
 public:
  enum class Status : uint8_t { kReady, kWaits, kLogFull, kDone };

  Lane(unsigned thread, Block* block);
  ~Lane();

  // Waits until all lanes of `lanes` have come to the same meeting. Returns what they brought,
  // valid until this lane waits again. Reports lanes that cannot come.
  const Gathered& Meet(Meeting meeting, uint32_t lanes, uint64_t value, Site site);
  // Waits for the whole block. Returns the count of predicates, or the result of the vote.
  int MeetBlock(Meeting meeting, bool predicate, Site site);

  // Counts and checks an access that lies within its region. Requires: records().
  void Record(const void* at, size_t bytes, Region* region, AccessKind kind, bool is_float_sum,
              Site site);
  // Makes this thread's writes so far ready to be released, and acquires what its atomics saw.
  void Fence();

  // Is `past` ordered before what this lane does now?
  bool Knows(const PastAccess& past, bool is_shared) const;

  unsigned thread() const { return thread_; }
  unsigned lane() const { return thread_ % kWarpLanes; }
  Block& block() const { return *block_; }
  uint3 thread_index() const { return thread_index_; }
  // Is there anything that Record() would do?
  bool records() const { return records_; }
  // Copies that were started and not yet waited for, by group.
  std::vector<std::vector<std::function<void()>>>& async_copies() { return async_copies_; }

 private:
  friend class Block;
  friend class Warp;

  // What an atomic saw of the releases at its place.
  struct Seen {
    std::shared_ptr<ReleaseList> releases;
    size_t count;
  };

  void Start(Warp* warp);
  void Resume();
  void RunForever();
  void Wait(Status status);
  void EndAsEndless(Site site);
  void FindRaces(Region* region, size_t offset, size_t bytes, AccessKind kind, bool is_float_sum,
                 Site site);
  void OrderAtomic(Region* region, size_t offset);
  bool KnowsOtherBlock(const PastAccess& past) const;
  bool KnowsAcquired(const Acquired& acquired) const;

  unsigned thread_;
  Block* block_;
  Warp* warp_ = nullptr;
  uint3 thread_index_{};
  bool records_ = false;
  uint64_t accesses_ = 0;  // that were recorded, in this block
  bool is_ending_ = false;
  Status status_ = Status::kDone;
  Meeting meeting_ = Meeting::kNone;
  uint32_t meeting_lanes_ = 0;
  uint64_t meeting_value_ = 0;
  Site meeting_site_;
  const Gathered* gathered_ = nullptr;
  std::vector<std::vector<std::function<void()>>> async_copies_;

  // Order between blocks.
  bool has_fenced_ = false;
  Release fenced_{};
  std::vector<Seen> seen_;  // since the last fence

  std::unique_ptr<Fiber> fiber_;
};

// The lane that runs now; nullptr on the host.
inline constinit thread_local Lane* current_lane = nullptr;

// The lanes of one warp.
class Warp {
 public:
  Warp(Block* block, unsigned index) : block_(block), index_(index) {}
  // Runs the lanes until none of them can go on.
  void Run();

 private:
  friend class Lane;

  void RunReadyLanes();
  bool ReleaseLanes();
  bool ReleaseGroup(Lane* first);
  bool ReleaseConvergent();
  void LetGo(uint32_t lanes);
  void OrderLanes(uint32_t lanes);
  Lane* lane(unsigned index) const;
  uint32_t LanesThat(Lane::Status status) const;

  Block* block_;
  unsigned index_;
  WarpLog log_;
  std::array<Gathered, kWarpLanes> gathered_;
  unsigned gathered_count_ = 0;
  // known_[a][b]: accesses of lane b before this phase are ordered before what lane a does now.
  std::array<std::array<uint32_t, kWarpLanes>, kWarpLanes> known_{};
};

// A block and its shared memory. One object runs all blocks of all launches of an OS thread.
class Block {
 public:
  Block();
  ~Block();

  // Runs all blocks of a launch in an order that the seed decides. Returns false if it was given
  // up because threads wait for each other.
  bool RunAll(Launch* launch);

  Launch& launch() const { return *launch_; }
  const uint3& block_index() const { return block_index_; }
  // Returns the shared memory of the array that is declared at `tag`.
  Region* StaticShared(const void* tag, size_t bytes, Site site);
  Region* DynamicShared();

 private:
  friend class Lane;
  friend class Warp;

  uint32_t NextPhase() { return ++phase_; }
  void RunBlock(uint32_t linear_index);
  bool AllDone() const;
  bool OpenBarrier();
  void CheckBarrier(Lane* first);
  void ReportStuck();
  void GiveUp();

  Launch* launch_ = nullptr;
  uint3 block_index_{};
  uint32_t linear_index_ = 0;
  uint32_t phase_ = 0;
  uint32_t first_phase_ = 0;    // of this block
  uint32_t barrier_phase_ = 0;  // of the last barrier
  unsigned threads_ = 0;
  bool is_given_up_ = false;
  int barrier_result_ = 0;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unordered_map<const void*, std::unique_ptr<SharedArray>> static_shared_;
  std::unique_ptr<SharedArray> dynamic_shared_;
  std::unordered_multimap<uint32_t, Acquired> acquired_;  // by the block that released
};

// Returns what the OS thread runs its launches with.
Block& ThisThreadsBlock();

}  // namespace simt

// As in CUDA; set whenever a lane goes on.
inline constinit thread_local simt::uint3 threadIdx{};
inline constinit thread_local simt::uint3 blockIdx{};
inline constinit thread_local simt::dim3 blockDim{};
inline constinit thread_local simt::dim3 gridDim{};
inline constexpr int warpSize = 32;
