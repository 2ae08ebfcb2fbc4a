// Threads that stay and share out the items of one batch at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace maskloom {

// Thread safety: Run may be called from any thread; calls wait for each other.
class WorkerPool {
 public:
  // Starts `threads` - 1 threads. Requires: threads >= 1. May throw std::system_error when the
  // system has no more threads.
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Calls `work(context, i)` once for each i < count, on the caller's thread and the pool's, and
  // returns when all calls have. Requires: `work` does not throw and does not call Run.
  using Work = void (*)(void* context, size_t index);
  void Run(size_t count, Work work, void* context);

 private:
  void Serve();
  void TakeItems();
  void Stop();

  std::mutex run_mutex_;  // held for the whole of a Run

  std::mutex mutex_;  // guards the batch and the counts below
  std::condition_variable wake_;
  std::condition_variable done_;
  uint64_t batch_ = 0;  // number of batches so far
  size_t busy_ = 0;     // threads of the pool that have not finished the current batch
  bool stopping_ = false;

  Work work_ = nullptr;
  void* context_ = nullptr;
  size_t count_ = 0;
  std::atomic<size_t> next_{0};

  std::vector<std::thread> threads_;
};

}  // namespace maskloom
