#include "runtime/c_api/worker_pool.h"

namespace maskloom {

WorkerPool::WorkerPool(unsigned threads) {
  threads_.reserve(threads - 1);
  try {
    for (unsigned i = 1; i < threads; ++i) threads_.emplace_back([this] { Serve(); });
  } catch (...) {
    Stop();
    throw;
  }
}

WorkerPool::~WorkerPool() { Stop(); }

void WorkerPool::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::Run(size_t count, Work work, void* context) {
  std::lock_guard<std::mutex> run_lock(run_mutex_);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    work_ = work;
    context_ = context;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    busy_ = threads_.size();
    ++batch_;
  }
  wake_.notify_all();
  TakeItems();
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
}

void WorkerPool::TakeItems() {
  for (;;) {
    size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= count_) return;
    work_(context_, index);
  }
}

void WorkerPool::Serve() {
  uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || batch_ != seen; });
      if (stopping_) return;
      seen = batch_;
    }
    TakeItems();
    std::lock_guard<std::mutex> lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace maskloom
