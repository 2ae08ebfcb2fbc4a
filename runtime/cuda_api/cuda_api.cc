// The calls of maskloom_cuda.h: arguments checked, exceptions turned into codes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/cuda_api/cuda_batch.h"
#include "runtime/cuda_api/errors.h"

using maskloom::cuda_api::CudaBatch;
using maskloom::cuda_api::Fill;
using maskloom::cuda_api::Guarded;

struct maskloom_cuda_batch {
  std::unique_ptr<CudaBatch> batch;
};

namespace {

constexpr size_t kLeastStaging = 64u << 10;
constexpr uint32_t kMostAhead = 256;

// Returns `options` brought to the current layout: the defaults, overwritten by as many leading
// bytes as the caller's version has.
template <typename Options>
maskloom_status Read(const Options* options, void (*init)(Options*), const char* init_name,
                     Options* out, maskloom_error* error) {
  init(out);
  if (options == nullptr) return MASKLOOM_OK;
  if (options->struct_size < sizeof(size_t)) {
    return Fill(MASKLOOM_INVALID_ARGUMENT,
                std::string("struct_size of the options is not set; call ") + init_name + " first",
                error);
  }
  std::memcpy(out, options, std::min(options->struct_size, sizeof(Options)));
  out->struct_size = sizeof(Options);
  return MASKLOOM_OK;
}

maskloom_status Invalid(const char* message, maskloom_error* error) {
  return Fill(MASKLOOM_INVALID_ARGUMENT, message, error);
}

maskloom_status Check(const maskloom_cuda_options& options, maskloom_error* error) {
  if (options.staging_bytes < kLeastStaging) {
    return Invalid("staging_bytes is less than 65536", error);
  }
  if (!std::has_single_bit(options.steps_ahead) || options.steps_ahead > kMostAhead) {
    return Invalid("steps_ahead is no power of two from 1 to 256", error);
  }
  if (options.with_reports != 0 && options.with_sampler == 0) {
    return Invalid("with_reports needs with_sampler", error);
  }
  if (options.max_top_tokens > maskloom::kernels::cuda::kMostTops) {
    return Invalid("max_top_tokens is more than 256", error);
  }
  if (uint64_t{options.max_rows} * options.max_adjustments > UINT32_MAX) {
    return Invalid("max_rows times max_adjustments is 2^32 or more", error);
  }
  return MASKLOOM_OK;
}

cudaStream_t StreamOf(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

void maskloom_cuda_options_init(maskloom_cuda_options* options) {
  if (options == nullptr) return;
  maskloom_device_options device;
  maskloom_device_options_init(&device);
  *options = {};
  options->struct_size = sizeof(*options);
  options->device = -1;
  options->max_rows = device.max_rows;
  options->max_grammars = device.max_grammars;
  options->pool_bytes = device.pool_bytes;
  options->table_bytes = device.table_bytes;
  options->explored_states = device.explored_states;
  options->staging_bytes = 16u << 20;
  options->max_adjustments = 2048;
  options->steps_ahead = 8;
  options->with_sampler = 1;
  options->with_filters = 1;
  options->max_top_tokens = 20;
}

void maskloom_cuda_sampling_init(maskloom_cuda_sampling* sampling) {
  if (sampling == nullptr) return;
  *sampling = {};
  sampling->struct_size = sizeof(*sampling);
  sampling->temperature = 1.0;
  sampling->top_p = 1.0;
  sampling->repetition_penalty = 1.0;
}

maskloom_status maskloom_cuda_check_device(int32_t device, maskloom_error* error) {
  return Guarded(error, [&] {
    int number = 0;
    return maskloom::cuda_api::CheckDevice(device, &number, error);
  });
}

maskloom_status maskloom_cuda_batch_create(const maskloom_vocabulary* vocabulary,
                                           const maskloom_cuda_options* options,
                                           maskloom_cuda_batch** batch, maskloom_error* error) {
  return Guarded(error, [&] {
    if (batch != nullptr) *batch = nullptr;
    if (vocabulary == nullptr || batch == nullptr) {
      return Invalid("vocabulary or batch is NULL", error);
    }
    maskloom_cuda_options read;
    maskloom_status status =
        Read(options, maskloom_cuda_options_init, "maskloom_cuda_options_init", &read, error);
    if (status == MASKLOOM_OK) status = Check(read, error);
    if (status != MASKLOOM_OK) return status;
    auto made = std::make_unique<maskloom_cuda_batch>();
    status = CudaBatch::Create(vocabulary, read, &made->batch, error);
    if (status == MASKLOOM_OK) *batch = made.release();
    return status;
  });
}

void maskloom_cuda_batch_free(maskloom_cuda_batch* batch) {
  if (batch == nullptr) return;
  const maskloom::cuda_api::CurrentDevice current(batch->batch->device());
  delete batch;
}

maskloom_status maskloom_cuda_place(maskloom_cuda_batch* batch, uint32_t row,
                                    maskloom_matcher* matcher,
                                    const maskloom_cuda_sampling* sampling, void* stream,
                                    maskloom_error* error) {
  return Guarded(error, [&] {
    if (batch == nullptr) return Invalid("batch is NULL", error);
    maskloom_cuda_sampling read;
    const maskloom_status status =
        Read(sampling, maskloom_cuda_sampling_init, "maskloom_cuda_sampling_init", &read, error);
    if (status != MASKLOOM_OK) {
      batch->batch->Remove(row, StreamOf(stream), nullptr);
      return status;
    }
    return batch->batch->Place(row, matcher, read, StreamOf(stream), error);
  });
}

maskloom_status maskloom_cuda_remove(maskloom_cuda_batch* batch, uint32_t row, void* stream,
                                     maskloom_error* error) {
  return Guarded(error, [&] {
    if (batch == nullptr) return Invalid("batch is NULL", error);
    return batch->batch->Remove(row, StreamOf(stream), error);
  });
}

maskloom_status maskloom_cuda_step(maskloom_cuda_batch* batch, const maskloom_cuda_logits* logits,
                                   uint32_t rows, void* stream, maskloom_error* error) {
  return Guarded(error, [&] {
    if (batch == nullptr || logits == nullptr) return Invalid("batch or logits is NULL", error);
    return batch->batch->Step(*logits, rows, StreamOf(stream), error);
  });
}

maskloom_status maskloom_cuda_apply_masks(maskloom_cuda_batch* batch,
                                          const maskloom_cuda_logits* logits, uint32_t rows,
                                          void* stream, maskloom_error* error) {
  return Guarded(error, [&] {
    if (batch == nullptr || logits == nullptr) return Invalid("batch or logits is NULL", error);
    return batch->batch->ApplyMasks(*logits, rows, StreamOf(stream), error);
  });
}

maskloom_status maskloom_cuda_accept(maskloom_cuda_batch* batch, const uint32_t* tokens,
                                     uint32_t rows, void* stream, maskloom_error* error) {
  return Guarded(error, [&] {
    if (batch == nullptr) return Invalid("batch is NULL", error);
    return batch->batch->Accept(tokens, rows, StreamOf(stream), error);
  });
}

const uint32_t* maskloom_cuda_tokens(const maskloom_cuda_batch* batch) {
  return batch == nullptr ? nullptr : batch->batch->tokens();
}

maskloom_status maskloom_cuda_finish(maskloom_cuda_batch* batch, void* stream,
                                     maskloom_cuda_result* results, size_t capacity, size_t* count,
                                     maskloom_error* error) {
  return Guarded(error, [&] {
    if (batch == nullptr || count == nullptr || (results == nullptr && capacity > 0)) {
      return Invalid("batch, results or count is NULL", error);
    }
    *count = 0;
    return batch->batch->Finish(StreamOf(stream), results, capacity, count, error);
  });
}

maskloom_status maskloom_cuda_result_report(const maskloom_cuda_batch* batch, size_t index,
                                            maskloom_cuda_report* report, maskloom_error* error) {
  return Guarded(error, [&] {
    if (batch == nullptr || report == nullptr || report->struct_size < sizeof(size_t)) {
      return Invalid("batch or report is NULL, or its struct_size is not set", error);
    }
    maskloom_cuda_report all = {};
    const maskloom_status status = batch->batch->ReportOf(index, &all, error);
    if (status != MASKLOOM_OK) return status;
    all.struct_size = report->struct_size;
    std::memcpy(report, &all, std::min(all.struct_size, sizeof(all)));
    return MASKLOOM_OK;
  });
}

maskloom_status maskloom_cuda_catch_up(maskloom_cuda_batch* batch, void* stream,
                                       maskloom_error* error) {
  return Guarded(error, [&] {
    if (batch == nullptr) return Invalid("batch is NULL", error);
    return batch->batch->CatchUp(StreamOf(stream), error);
  });
}

maskloom_status maskloom_cuda_batch_statistics(const maskloom_cuda_batch* batch,
                                               maskloom_cuda_statistics* statistics) {
  if (batch == nullptr || statistics == nullptr || statistics->struct_size < sizeof(size_t)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  maskloom_cuda_statistics all = batch->batch->Statistics();
  all.struct_size = statistics->struct_size;
  std::memcpy(statistics, &all, std::min(all.struct_size, sizeof(all)));
  return MASKLOOM_OK;
}
