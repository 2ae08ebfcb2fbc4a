// A small persistent pool for loops over rows, built for thousands of short loops a second.
//
// The caller works too, so a pool of n threads starts n - 1. A loop's chunks are handed out one by
// one: each worker starts at its own contiguous share and, when that is done, helps with the shares
// of others. The caller waits for nobody who has not begun: if the other workers are asleep or not
// scheduled, it does the whole loop itself, so a busy machine costs speed but never a stall.
// Workers wait for the next loop by spinning for a bounded time and then block in the kernel.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace maskloom {

// Thread safety: one thread at a time may call ParallelFor.
class ThreadPool {
 public:
  // Starts `threads` - 1 workers; 0 means one thread per processor that this process may use.
  // Fewer are started when the system refuses more.
  explicit ThreadPool(size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Threads that share a loop, the caller included; at least 1.
  size_t size() const { return workers_.size() + 1; }

  // Calls body(begin, end, worker) for disjoint ranges of at most `chunk` that cover [0, count),
  // worker < size(); returns when all are done. Nothing is promised about who does what.
  // Requires: chunk > 0, body does not throw and does not call ParallelFor.
  template <typename Body>
  void ParallelFor(size_t count, size_t chunk, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    Run(
        count, chunk,
        [](const void* context, size_t begin, size_t end, size_t worker) {
          (*static_cast<Plain*>(const_cast<void*>(context)))(begin, end, worker);
        },
        &body);
  }

 private:
  using Function = void (*)(const void* context, size_t begin, size_t end, size_t worker);

  // Chunks [next, end) of one worker's share; padded so that shares do not share cache lines.
  struct alignas(64) Share {
    std::atomic<size_t> next{0};
    size_t end = 0;
  };

  void Run(size_t count, size_t chunk, Function function, const void* context);
  void Work(size_t worker);
  void WorkerMain(size_t worker);
  // Waits until loop_ differs from `seen` and returns it.
  uint32_t AwaitLoop(uint32_t seen);

  std::vector<std::thread> workers_;
  std::unique_ptr<Share[]> shares_;
  Function function_ = nullptr;
  const void* context_ = nullptr;
  size_t count_ = 0;
  size_t chunk_ = 1;
  alignas(64) std::atomic<uint32_t> loop_{0};  // odd while a loop is open
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<uint32_t> active_{0};  // workers that may be inside the open loop
};

}  // namespace maskloom
