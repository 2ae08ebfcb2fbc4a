// Runs a task over numbered files in processes of its own, one after another.
//
// A worker, forked from this process, runs the files while this process sleeps until it ends or a
// file has had its time, so that it does not disturb the measurement. After a timeout or a crash
// that file is reported and another worker is forked for the files that are left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/cli/exit_status.h"
#include "runtime/cli/mask_bench.h"

namespace maskloom::cli {

// What the processes share; it lives in shared memory.
struct BenchProgress {
  volatile size_t next = 0;       // the file that is running, or the first not run
  volatile int64_t begin_ns = 0;  // when it was begun
  volatile bool read_failed = false;
  volatile bool wrong = false;  // was an answer wrong?
  MaskBenchStage stage;
};

struct BenchTask {
  // Runs file `index`, in a worker. Returns kExitDone, or the status with which all ends.
  std::function<int(size_t index)> run;
  // Told, in this process, of a file that took too long or ended its worker by `signal`. Returns
  // the same.
  std::function<int(size_t index, bool late, int signal)> lost;
};

class BenchWorkers {
 public:
  // On error: kIo where there is no memory to share.
  static Result<BenchWorkers> Create(unsigned timeout_s);

  // Runs `task` over files 0 to count - 1. Returns kExitDone, the first other status that one of
  // its functions returned, or kExitInterrupted.
  int Run(size_t count, const BenchTask& task);
  BenchProgress* progress() { return progress_; }

 private:
  BenchWorkers(BenchProgress* progress, unsigned timeout_s)
      : progress_(progress), timeout_s_(timeout_s) {}
  [[noreturn]] void Work(size_t count, const BenchTask& task);
  bool AwaitWorker(int pipe) const;

  BenchProgress* progress_;
  unsigned timeout_s_;
};

// Keeps this process, and those that it forks, on the processor that it runs on.
void PinToThisProcessor();

}  // namespace maskloom::cli
