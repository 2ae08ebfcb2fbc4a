// Opening and closing of a loop.
//
// loop_ is odd while a loop is open. A worker first raises active_, then looks at loop_ again; the
// caller first makes loop_ even, then looks at active_. Both orders are sequentially consistent, so
// either the worker sees the loop closed and leaves, or the caller sees it active and waits for it.
// The description of a loop is therefore only written while nobody can read it.
#include "runtime/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <system_error>

namespace maskloom {
namespace {

constexpr int kSpins = 4000;  // some 50 to 150 microseconds

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

size_t UsableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return static_cast<size_t>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

ThreadPool::ThreadPool(size_t threads) {
  if (threads == 0) threads = UsableProcessors();
  threads = std::clamp<size_t>(threads, 1, 256);
  shares_ = std::make_unique<Share[]>(threads);
  workers_.reserve(threads - 1);
  for (size_t worker = 1; worker < threads; ++worker) {
    try {
      workers_.emplace_back([this, worker] { WorkerMain(worker); });
    } catch (const std::system_error&) {
      break;
    }
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  loop_.fetch_add(2);
  loop_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::Run(size_t count, size_t chunk, Function function, const void* context) {
  if (workers_.empty() || count <= chunk) {
    for (size_t begin = 0; begin < count; begin += chunk) {
      function(context, begin, std::min(count, begin + chunk), 0);
    }
    return;
  }
  function_ = function;
  context_ = context;
  count_ = count;
  chunk_ = chunk;
  size_t chunks = (count + chunk - 1) / chunk;
  for (size_t w = 0; w < size(); ++w) {
    shares_[w].next.store(chunks * w / size(), std::memory_order_relaxed);
    shares_[w].end = chunks * (w + 1) / size();
  }
  loop_.fetch_add(1);
  if (sleepers_.load() != 0) loop_.notify_all();
  Work(0);
  loop_.fetch_add(1);
  for (int spins = 0; active_.load() != 0; ++spins) {
    if (spins < kSpins) {
      Pause();
    } else {
      std::this_thread::yield();  // the worker holds a chunk and wants this processor
    }
  }
}

void ThreadPool::Work(size_t worker) {
  size_t threads = size();
  for (size_t i = 0; i < threads; ++i) {
    Share& share = shares_[(worker + i) % threads];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      size_t mine = share.next.fetch_add(1, std::memory_order_relaxed);
      if (mine >= share.end) break;
      function_(context_, mine * chunk_, std::min(count_, (mine + 1) * chunk_), worker);
    }
  }
}

uint32_t ThreadPool::AwaitLoop(uint32_t seen) {
  for (int spins = 0; spins < kSpins; ++spins) {
    uint32_t loop = loop_.load();
    if (loop != seen) return loop;
    Pause();
  }
  sleepers_.fetch_add(1);
  loop_.wait(seen);
  sleepers_.fetch_sub(1);
  return loop_.load();
}

void ThreadPool::WorkerMain(size_t worker) {
  uint32_t seen = 0;
  while (!stop_.load()) {
    seen = AwaitLoop(seen);
    if ((seen & 1) == 0) continue;
    active_.fetch_add(1);
    if (loop_.load() == seen) Work(worker);
    active_.fetch_sub(1);
  }
}

}  // namespace maskloom
