// A batch on a device: arrays that kernels read at the same places in every step, and the rows of
// the core (maskloom_device.h) that they are told of.
#pragma once

#include <cuda_runtime_api.h>
#include <maskloom_device.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cuda/apply.h"
#include "kernels/cuda/log_rows.h"
#include "kernels/cuda/logits.h"
#include "kernels/cuda/rows.h"
#include "runtime/cuda_api/cuda_memory.h"
#include "runtime/cuda_api/maskloom_cuda.h"
#include "runtime/cuda_api/row_log.h"
#include "runtime/cuda_api/row_sampling.h"

namespace maskloom::cuda_api {

// Makes a device current for as long as this lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    if (cudaGetDevice(&before_) != cudaSuccess || before_ == device) return;
    is_changed_ = cudaSetDevice(device) == cudaSuccess;
  }
  ~CurrentDevice() {
    if (is_changed_) cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
  bool is_changed_ = false;
};

// Looks for the device that `device` names (-1: the one that is current), and sets `number` to its
// number. On error: MASKLOOM_NO_DEVICE.
maskloom_status CheckDevice(int32_t device, int* number, maskloom_error* error);

// Invariant: what Step, ApplyMasks and Accept launch has the same pointers in every call, but for
// the caller's. Not thread-safe. Calls are those of maskloom_cuda.h, whose checks of NULL are done.
class CudaBatch {
 public:
  static maskloom_status Create(const maskloom_vocabulary* vocabulary,
                                const maskloom_cuda_options& options,
                                std::unique_ptr<CudaBatch>* batch, maskloom_error* error);
  ~CudaBatch();
  CudaBatch(const CudaBatch&) = delete;
  CudaBatch& operator=(const CudaBatch&) = delete;

  int device() const { return device_; }
  maskloom_status Place(uint32_t row, maskloom_matcher* matcher,
                        const maskloom_cuda_sampling& sampling, cudaStream_t stream,
                        maskloom_error* error);
  maskloom_status Remove(uint32_t row, cudaStream_t stream, maskloom_error* error);
  maskloom_status Step(const maskloom_cuda_logits& logits, uint32_t rows, cudaStream_t stream,
                       maskloom_error* error);
  maskloom_status ApplyMasks(const maskloom_cuda_logits& logits, uint32_t rows, cudaStream_t stream,
                             maskloom_error* error);
  maskloom_status Accept(const uint32_t* tokens, uint32_t rows, cudaStream_t stream,
                         maskloom_error* error);
  maskloom_status Finish(cudaStream_t stream, maskloom_cuda_result* results, size_t capacity,
                         size_t* count, maskloom_error* error);
  maskloom_status ReportOf(size_t index, maskloom_cuda_report* report, maskloom_error* error) const;
  maskloom_status CatchUp(cudaStream_t stream, maskloom_error* error);
  maskloom_cuda_statistics Statistics() const;
  const uint32_t* tokens() const { return rows_.tokens; }

 private:
  struct FreeRows {
    void operator()(maskloom_device_rows* rows) const { maskloom_device_rows_free(rows); }
  };
  // What the host keeps of a row.
  struct Row {
    maskloom_matcher* matcher = nullptr;
    bool is_open = false;  // without a matcher, all tokens allowed
  };
  CudaBatch(const maskloom_cuda_options& options, int device)
      : options_(options), device_(device) {}

  maskloom_status MakeRows(const maskloom_vocabulary* vocabulary, maskloom_error* error);
  maskloom_status MakeArrays(maskloom_error* error);
  maskloom_status CheckRows(uint32_t rows, maskloom_error* error) const;
  maskloom_status CheckLogits(const maskloom_cuda_logits& logits, uint32_t rows,
                              maskloom_error* error) const;
  // Submits what follows from choices_, but for entries of the log.
  int LaunchAdvance(uint32_t rows, cudaStream_t stream);
  // Does the batch do what `sampling` asks for?
  maskloom_status CheckAbilities(const maskloom_cuda_sampling& sampling,
                                 maskloom_error* error) const;
  maskloom_status Empty(uint32_t row, maskloom_error* error);
  void SetMask(uint32_t row, const kernels::RowMask& mask);
  // Sends what the core has to tell rows, and ends the burst of copies.
  maskloom_status SendUpdates(cudaStream_t stream, maskloom_error* error);
  maskloom_status Take(uint32_t row, const kernels::cuda::RowEntry& entry,
                       maskloom_cuda_result* result, maskloom_error* error);

  const maskloom_cuda_options options_;
  const int device_;
  uint32_t vocab_ = 0;
  CudaMemory memory_;
  std::unique_ptr<maskloom_device_rows, FreeRows> host_rows_;
  std::vector<Row> host_;
  kernels::BatchMasks masks_;
  kernels::cuda::RowsBatch rows_ = {};
  RowLog log_;
  kernels::cuda::RowChoice* choices_ = nullptr;
  kernels::TokenAdjustment* adjustments_ = nullptr;
  void* workspace_ = nullptr;     // null: there is no sampler
  std::byte* updates_ = nullptr;  // on the device
  uint32_t update_sequence_ = 0;
  std::vector<std::byte> scratch_;  // updates as they are sent
};

}  // namespace maskloom::cuda_api
