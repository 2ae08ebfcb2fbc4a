#include "compiler/completion_worker.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "compiler/mask_completion.h"

namespace maskloom {
namespace {

constexpr std::chrono::milliseconds kSlice{1};
constexpr int kNiceness = 10;

class Worker {
 public:
  Worker() : process_(::getpid()) {
    try {
      thread_ = std::thread([this] { Serve(); });
    } catch (const std::system_error&) {
      stop_.store(true);
    }
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Ends the thread for good; the rest stays, for those that still call.
  void Stop() {
    stop_.store(true);
    Wake();
    if (thread_.joinable()) thread_.join();
  }

  // In the child of a fork the thread does not exist.
  bool IsOfThisProcess() const { return process_ == ::getpid(); }

  void Add(const std::shared_ptr<const CompiledGrammar>& grammar) {
    if (stop_.load()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      added_.push_back(grammar);
    }
    Wake();
  }

  void Wake() {
    calls_.fetch_add(1);
    calls_.notify_one();
  }

 private:
  void Serve() {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
    while (!stop_.load()) {
      const uint32_t calls = calls_.load();
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        grammars_.insert(grammars_.end(), added_.begin(), added_.end());
        added_.clear();
      }
      if (!RunSlices()) calls_.wait(calls);
    }
  }

  // Returns whether there is more to do.
  bool RunSlices() {
    bool more = false;
    std::erase_if(grammars_, [&](const std::weak_ptr<const CompiledGrammar>& one) {
      const std::shared_ptr<const CompiledGrammar> grammar = one.lock();
      if (grammar == nullptr) return true;
      CompletionBudget slice = CompletionBudget::OfBackground(kSlice);
      slice.stop = &stop_;
      more |= grammar->completion().Run(slice) == CompletionEnd::kBudget;
      return false;
    });
    return more;
  }

  const pid_t process_;
  std::atomic<bool> stop_{false};
  std::atomic<uint32_t> calls_{0};
  std::vector<std::weak_ptr<const CompiledGrammar>> grammars_;  // of the thread
  std::mutex mutex_;
  std::vector<std::weak_ptr<const CompiledGrammar>> added_;
  std::thread thread_;
};

std::atomic<Worker*> worker{nullptr};

// Ends the thread when the process does, before what it uses is gone.
struct WorkerEnd {
  ~WorkerEnd() {
    Worker* last = worker.load();
    if (last != nullptr && last->IsOfThisProcess()) last->Stop();
  }
};

Worker& ThisWorker() {
  static std::mutex* mutex = new std::mutex;
  Worker* present = worker.load();
  if (present != nullptr && present->IsOfThisProcess()) return *present;
  const std::lock_guard<std::mutex> lock(*mutex);
  static WorkerEnd end;
  present = worker.load();
  if (present == nullptr || !present->IsOfThisProcess()) {
    present = new Worker;
    worker.store(present);
  }
  return *present;
}

}  // namespace

void CompleteInBackground(const std::shared_ptr<const CompiledGrammar>& grammar) {
  grammar->completion().set_follows();
  ThisWorker().Add(grammar);
}

void WakeCompletionWorker() {
  if (Worker* present = worker.load()) present->Wake();
}

}  // namespace maskloom
