#include "runtime/cli/bench_worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/cli/bench_clock.h"
#include "runtime/cli/files.h"

namespace maskloom::cli {
namespace {

[[maybe_unused]] constexpr size_t kMemoryLimitBytes = size_t{16} << 30;

// Address and thread sanitizers reserve more address space than any limit allows.
void LimitMemory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit{kMemoryLimitBytes, kMemoryLimitBytes};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace

Result<BenchWorkers> BenchWorkers::Create(unsigned timeout_s) {
  void* memory = ::mmap(nullptr, sizeof(BenchProgress), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Status(StatusCode::kIo, "out of memory");
  return BenchWorkers(new (memory) BenchProgress, timeout_s);
}

void BenchWorkers::Work(size_t count, const BenchTask& task) {
  LimitMemory();
  ::signal(SIGINT, SIG_IGN);
  while (progress_->next < count) {
    progress_->stage.compile_us = -1;
    progress_->stage.walking = false;
    progress_->begin_ns = WallNs();
    const int status = task.run(progress_->next);
    if (status != kExitDone) ::_exit(status);
    progress_->next = progress_->next + 1;
  }
  ::_exit(kExitDone);
}

// Sleeps until the worker closes `pipe`, or the running file has had its time, or SIGINT.
// Returns true if the file's time is over.
bool BenchWorkers::AwaitWorker(int pipe) const {
  int64_t limit_ns = int64_t{timeout_s_} * 1000000000;
  for (;;) {
    int64_t left_ns = progress_->begin_ns + limit_ns - WallNs();
    if (left_ns <= 0) return true;
    pollfd entry{pipe, POLLIN, 0};
    int ready = ::poll(&entry, 1, static_cast<int>(left_ns / 1000000) + 1);
    if (ready > 0 || Interrupted()) return false;
  }
}

int BenchWorkers::Run(size_t count, const BenchTask& task) {
  progress_->next = 0;
  while (progress_->next < count) {
    int ends[2];
    if (::pipe(ends) != 0) return ReportFailure(Status(StatusCode::kIo, "cannot make a pipe"));
    progress_->begin_ns = WallNs();
    pid_t worker = ::fork();
    if (worker < 0) return ReportFailure(Status(StatusCode::kIo, "cannot start a process"));
    if (worker == 0) {
      ::close(ends[0]);
      Work(count, task);
    }
    ::close(ends[1]);
    bool late = AwaitWorker(ends[0]);
    if (late || Interrupted()) ::kill(worker, SIGKILL);
    int wait_status = 0;
    while (::waitpid(worker, &wait_status, 0) < 0 && errno == EINTR) {
    }
    ::close(ends[0]);
    if (Interrupted()) {
      PrintError(fmt::format("interrupted after {} of {} files", size_t{progress_->next}, count));
      return kExitInterrupted;
    }
    if (!late && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != kExitDone) {
      return WEXITSTATUS(wait_status);
    }
    if (progress_->next >= count) break;
    const int status =
        task.lost(progress_->next, late, WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0);
    if (status != kExitDone) return status;
    progress_->next = progress_->next + 1;
  }
  return kExitDone;
}

void PinToThisProcessor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cpu = ::sched_getcpu();
  if (cpu < 0) return;
  CPU_SET(static_cast<size_t>(cpu), &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace maskloom::cli
