// What rows did in steps, as the host reads it: entries that the kernels write to pinned memory
// (kernels/cuda/log_rows.h), a ring of steps_ahead a row, with reports beside them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/log_rows.h"
#include "kernels/cuda/logits.h"
#include "runtime/cuda_api/cuda_memory.h"
#include "runtime/cuda_api/maskloom_cuda.h"

namespace maskloom::cuda_api {

// Invariants
//   1. Entry s of a row was read if s <= seen[row].
//   2. Entries of a row that was placed anew have sequences beyond all of what it was before, which
//      steps under way may still write: fewer than 2^32.
// Not thread-safe.
class RowLog {
 public:
  // Asks `memory` for all arrays; `*memory` keeps what goes wrong. Of `batch` it takes what is not
  // its own: choices, results, requests and adjustments.
  void Make(const maskloom_cuda_options& options, const kernels::cuda::LogBatch& batch,
            CudaMemory* memory);

  // Where the sampler leaves reports; null: rows have none.
  kernels::cuda::RowReport* reports() const { return reports_; }
  kernels::TopToken* tops() const { return tops_; }
  // Submits entries of the first `rows` rows: behind the sampler, which has left its reports, or
  // behind another one. Returns 0, or the error of the launch (a cudaError_t).
  int SubmitOfSampler(uint32_t rows, cudaStream_t stream) const;
  int Submit(uint32_t rows, cudaStream_t stream) const;

  // Forgets the entries of `row`, also those of steps under way.
  void BeginPlacement(uint32_t row, CudaMemory* memory);
  // Forgets the results of the last call of Finish.
  void BeginResults() { result_count_ = 0; }
  // Reads the next entry of `row`, if there is one, as the next result. Returns false where one was
  // lost.
  bool Next(uint32_t row, kernels::cuda::RowEntry* entry, bool* is_there);

  size_t result_count() const { return result_count_; }
  // What came with a result. Requires: index < result_count().
  maskloom_cuda_report ReportOf(size_t index) const;

 private:
  struct Report {
    kernels::cuda::RowReport report = {};
    float masked_logprob = 0;
  };

  // Copies what came with `entry` out of the ring.
  void KeepReport(uint32_t row, const kernels::cuda::RowEntry& entry);

  kernels::cuda::LogBatch batch_ = {};
  kernels::cuda::RowReport* reports_ = nullptr;
  kernels::TopToken* tops_ = nullptr;
  std::vector<uint64_t> seen_;  // by row: sequence of the entry that was read last
  // By result; its top tokens begin at index * top_room.
  size_t result_count_ = 0;
  std::vector<Report> kept_reports_;
  std::vector<maskloom_cuda_top_token> kept_tops_;
};

}  // namespace maskloom::cuda_api
