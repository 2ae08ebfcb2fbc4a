// Times the sampling step of the CPU.
#include <algorithm>
#include <chrono>
#include <memory>
#include <new>

#include "bench/logits_backends.h"

namespace maskloom::bench {
namespace {

using kernels::SampleBuffers;
using kernels::SampleResult;

struct FreeAligned {
  void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{64}); }
};

class CpuBatch {
 public:
  CpuBatch(const LogitsRows& rows, const kernels::SampleSettings& settings)
      : rows_(rows),
        settings_(settings),
        scratch_(::operator new (kernels::SampleScratchBytes(rows.vocab), std::align_val_t{64})),
        tops_(settings.top_count) {}

  // Whether all rows give the token of the judge.
  bool IsRight() {
    for (size_t i = 0; i < rows_.logits.size(); ++i) {
      SampleResult want;
      const SampleResult got = Sample(i);
      const SampleBuffers buffers = {scratch_.get(), tops_.data()};
      ChooseTokenReference(rows_.View(i), settings_, buffers, &want);
      if (want.token != got.token) return false;
    }
    return true;
  }

  // Returns the least time of a batch in microseconds. Every turn draws other noise.
  double LeastTime(double seconds) {
    using Clock = std::chrono::steady_clock;
    double least = 1e30;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (int turn = 0; turn < 5 || Clock::now() < end; ++turn) {
      settings_.position = static_cast<uint64_t>(turn);
      const auto begin = Clock::now();
      for (size_t i = 0; i < rows_.logits.size(); ++i) Sample(i);
      const std::chrono::duration<double, std::micro> time = Clock::now() - begin;
      least = std::min(least, time.count());
    }
    return least;
  }

 private:
  SampleResult Sample(size_t i) {
    SampleResult result;
    ChooseToken(rows_.View(i), settings_, {scratch_.get(), tops_.data()}, &result);
    return result;
  }

  const LogitsRows& rows_;
  kernels::SampleSettings settings_;
  std::unique_ptr<void, FreeAligned> scratch_;
  std::vector<kernels::TopToken> tops_;
};

}  // namespace

Measured MeasureOnCpu(const LogitsRows& rows, const kernels::SampleSettings& settings,
                      double seconds) {
  CpuBatch batch(rows, settings);
  Measured measured;
  measured.is_right = batch.IsRight();
  if (measured.is_right) measured.us = batch.LeastTime(seconds);
  return measured;
}

}  // namespace maskloom::bench
