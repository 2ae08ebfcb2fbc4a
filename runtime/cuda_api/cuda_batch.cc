#include "runtime/cuda_api/cuda_batch.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/cuda/find_device.h"
#include "runtime/cuda_api/errors.h"

namespace maskloom::cuda_api {
namespace {

using kernels::RowMask;
using kernels::RowOutcome;
using kernels::RowState;
using kernels::RowUpdate;
using kernels::SampleStatus;
using kernels::TokenAdjustment;
using kernels::cuda::LogitsBatch;
using kernels::cuda::LogitType;
using kernels::cuda::RowChoice;
using kernels::cuda::RowEntry;
using kernels::cuda::RowRequest;
using kernels::cuda::RowResult;
using kernels::cuda::UpdateHead;
using kernels::cuda::UpdateProgress;

static_assert(sizeof(maskloom_device_update) == sizeof(RowUpdate));
static_assert(MASKLOOM_CUDA_F32 == static_cast<int>(LogitType::kF32) &&
              MASKLOOM_CUDA_F16 == static_cast<int>(LogitType::kF16) &&
              MASKLOOM_CUDA_BF16 == static_cast<int>(LogitType::kBf16));

// What a row's updates take at most, where it is placed twice before they are sent.
constexpr size_t kMostUpdateBytes =
    2 * (sizeof(RowUpdate) +
         4 * (kernels::kMostSentIds + 2 + kernels::kMostRowWords + kernels::kMostRowCells));

size_t SizeOf(maskloom_cuda_type type) { return type == MASKLOOM_CUDA_F32 ? 4 : 2; }

bool HasFilters(const maskloom_cuda_sampling& sampling) {
  return sampling.top_k != 0 || sampling.top_p < 1.0 || sampling.min_p > 0.0;
}

void* AllocateFor(void* memory, size_t bytes) {
  // Without room for a table the rows of its grammar need the host.
  return static_cast<CudaMemory*>(memory)->TryAllocate(bytes);
}
void CopyFor(void* memory, void* to, const void* from, size_t bytes) {
  static_cast<CudaMemory*>(memory)->Copy(to, from, bytes);
}

maskloom_status Invalid(const std::string& message, maskloom_error* error) {
  return Fill(MASKLOOM_INVALID_ARGUMENT, message, error);
}

maskloom_status NoSuchRow(uint32_t row, uint32_t rows, maskloom_error* error) {
  return Invalid("row " + std::to_string(row) + " of a batch of " + std::to_string(rows) + " rows",
                 error);
}

// A copy in a graph would copy again what the ring holds by then.
maskloom_status CheckCopies(cudaStream_t stream, maskloom_error* error) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  const cudaError_t asked = cudaStreamIsCapturing(stream, &capture);
  if (asked != cudaSuccess) {
    cudaGetLastError();
    return Fill(asked, "asking whether the stream captures", error);
  }
  if (capture == cudaStreamCaptureStatusNone) return MASKLOOM_OK;
  return Invalid("the stream captures a graph; this call copies and must not be part of it", error);
}

}  // namespace

maskloom_status CheckDevice(int32_t device, int* number, maskloom_error* error) {
  const kernels::cuda::FoundDevice found = kernels::cuda::FindDevice(device);
  *number = found.number;
  if (found.missing.empty()) return MASKLOOM_OK;
  return cuda_api::Fill(MASKLOOM_NO_DEVICE, "no CUDA device: " + found.missing, error);
}

maskloom_status CudaBatch::Create(const maskloom_vocabulary* vocabulary,
                                  const maskloom_cuda_options& options,
                                  std::unique_ptr<CudaBatch>* batch, maskloom_error* error) {
  int device = 0;
  if (const auto found = CheckDevice(options.device, &device, error); found != MASKLOOM_OK) {
    return found;
  }
  const CurrentDevice current(device);
  std::unique_ptr<CudaBatch> made(new CudaBatch(options, device));
  made->vocab_ = maskloom_vocabulary_size(vocabulary);
  const cudaError_t opened = made->memory_.Open(options.staging_bytes);
  maskloom_status status =
      cuda_api::Fill(opened, "asking for pinned memory (staging_bytes)", error);
  if (status == MASKLOOM_OK) status = made->MakeRows(vocabulary, error);
  if (status == MASKLOOM_OK) status = made->MakeArrays(error);
  if (status == MASKLOOM_OK) *batch = std::move(made);
  return status;
}

CudaBatch::~CudaBatch() = default;

maskloom_status CudaBatch::MakeRows(const maskloom_vocabulary* vocabulary, maskloom_error* error) {
  maskloom_device_memory memory = {sizeof(memory), &memory_, AllocateFor, CopyFor};
  maskloom_device_options options;
  maskloom_device_options_init(&options);
  options.max_rows = options_.max_rows;
  options.max_grammars = options_.max_grammars;
  options.pool_bytes = options_.pool_bytes;
  options.table_bytes = options_.table_bytes;
  options.explored_states = options_.explored_states;
  maskloom_device_rows* rows = nullptr;
  const maskloom_status status =
      maskloom_device_rows_create(vocabulary, &memory, &options, &rows, error);
  host_rows_.reset(rows);
  host_.resize(options_.max_rows);
  return status;
}

maskloom_status CudaBatch::MakeArrays(maskloom_error* error) {
  const uint32_t rows = options_.max_rows;
  maskloom_device_view view = {};
  view.struct_size = sizeof(view);
  maskloom_device_rows_view(host_rows_.get(), &view);
  RowRequest request = {};
  request.grammar = kernels::cuda::kNoGrammar;
  rows_.states = memory_.Fill(rows, RowState{});
  rows_.masks = memory_.Fill(rows, RowMask{});
  rows_.sent = memory_.Fill(size_t{rows} * kernels::kMostListIds, 0u);
  rows_.requests = memory_.Fill(rows, request);
  choices_ = memory_.Fill(rows, RowChoice{});
  rows_.choices = choices_;
  rows_.tables = static_cast<const kernels::StepTables*>(view.tables);
  rows_.results = memory_.Fill(rows, RowResult{});
  rows_.tokens = memory_.Fill(rows, 0u);
  rows_.progress = memory_.Fill(1, UpdateProgress{});
  masks_ = {rows_.masks, static_cast<const uint32_t*>(view.pool), rows_.sent, view.row_words};
  adjustments_ =
      memory_.Fill(std::max<size_t>(1, size_t{rows} * options_.max_adjustments), TokenAdjustment{});
  kernels::cuda::LogBatch log = {};
  log.choices = choices_;
  log.results = rows_.results;
  log.requests = rows_.requests;
  log.adjustments = adjustments_;
  log.adjustment_room = options_.max_adjustments;
  log_.Make(options_, log, &memory_);
  updates_ =
      static_cast<std::byte*>(memory_.Allocate(sizeof(UpdateHead) + rows * kMostUpdateBytes));
  if (options_.with_sampler != 0) {
    workspace_ = memory_.Allocate(kernels::cuda::LogitsWorkspaceBytes(rows, vocab_));
  }
  memory_.EndBurst();
  const maskloom_status status =
      cuda_api::Fill(memory_.TakeError(), "asking for the batch's memory", error);
  if (status != MASKLOOM_OK) return status;
  return cuda_api::Fill(cudaStreamSynchronize(nullptr), "filling the batch's memory", error);
}

maskloom_status CudaBatch::CheckRows(uint32_t rows, maskloom_error* error) const {
  if (rows >= 1 && rows <= options_.max_rows) return MASKLOOM_OK;
  return Invalid(
      "rows is " + std::to_string(rows) + "; the batch has " + std::to_string(options_.max_rows),
      error);
}

maskloom_status CudaBatch::CheckLogits(const maskloom_cuda_logits& logits, uint32_t rows,
                                       maskloom_error* error) const {
  if (logits.data == nullptr) return Invalid("the logits are NULL", error);
  if (logits.type < MASKLOOM_CUDA_F32 || logits.type > MASKLOOM_CUDA_BF16) {
    return Invalid("the type of the logits is none of maskloom_cuda_type", error);
  }
  if (reinterpret_cast<uintptr_t>(logits.data) % SizeOf(logits.type) != 0) {
    return Invalid("the logits are not aligned to their size", error);
  }
  if (logits.stride < vocab_) {
    return Invalid("the stride is " + std::to_string(logits.stride) + "; the vocabulary has " +
                       std::to_string(vocab_),
                   error);
  }
  return CheckRows(rows, error);
}

maskloom_status CudaBatch::CheckAbilities(const maskloom_cuda_sampling& sampling,
                                          maskloom_error* error) const {
  if (options_.with_filters == 0 && HasFilters(sampling)) {
    return Invalid("the row has top_k, top_p or min_p; the batch was made without (with_filters)",
                   error);
  }
  const bool wants_report =
      sampling.wants_entropy != 0 || sampling.wants_raw != 0 || sampling.top_tokens != 0;
  if (options_.with_reports == 0 && wants_report) {
    return Invalid("the row wants a report; the batch was made without (with_reports)", error);
  }
  if (sampling.top_tokens > options_.max_top_tokens) {
    return Invalid("top_tokens is " + std::to_string(sampling.top_tokens) + "; max_top_tokens is " +
                       std::to_string(options_.max_top_tokens),
                   error);
  }
  return MASKLOOM_OK;
}

maskloom_status CudaBatch::Place(uint32_t row, maskloom_matcher* matcher,
                                 const maskloom_cuda_sampling& sampling, cudaStream_t stream,
                                 maskloom_error* error) {
  if (row >= options_.max_rows) return NoSuchRow(row, options_.max_rows, error);
  const CurrentDevice current(device_);
  if (const auto checked = CheckCopies(stream, error); checked != MASKLOOM_OK) return checked;
  memory_.SetStream(stream);
  Result<RowSampling> read = ReadSampling(sampling, vocab_, options_.max_adjustments);
  maskloom_status status = read.ok() ? MASKLOOM_OK : cuda_api::Fill(read.status(), error);
  if (status == MASKLOOM_OK) status = CheckAbilities(sampling, error);
  if (status != MASKLOOM_OK || matcher == nullptr) Empty(row, nullptr);
  if (status == MASKLOOM_OK && matcher != nullptr) {
    status = maskloom_device_rows_place(host_rows_.get(), row, matcher, error);
  }
  if (status != MASKLOOM_OK) {
    Empty(row, nullptr);
    SendUpdates(stream, nullptr);
    return status;
  }
  Row& placed = host_[row];
  placed.matcher = matcher;
  placed.is_open = false;
  log_.BeginPlacement(row, &memory_);
  RowRequest& request = read->request;
  request.adjustment_begin = row * options_.max_adjustments;
  request.adjustment_count = static_cast<uint32_t>(read->adjustments.size());
  request.grammar = kernels::cuda::kNoGrammar;
  if (matcher != nullptr) maskloom_device_rows_table(host_rows_.get(), row, &request.grammar);
  memory_.Copy(rows_.requests + row, &request, sizeof(request));
  if (!read->adjustments.empty()) {
    memory_.Copy(adjustments_ + request.adjustment_begin, read->adjustments.data(),
                 read->adjustments.size() * sizeof(TokenAdjustment));
  }
  status = SendUpdates(stream, error);
  if (status != MASKLOOM_OK) Empty(row, nullptr);
  if (status != MASKLOOM_OK || matcher != nullptr) return status;
  RowMask open;
  open.slot = kernels::kOpenSlot;
  SetMask(row, open);
  placed.is_open = true;
  memory_.EndBurst();
  return cuda_api::Fill(memory_.TakeError(), "copying to the device", error);
}

void CudaBatch::SetMask(uint32_t row, const RowMask& mask) {
  memory_.Copy(rows_.masks + row, &mask, sizeof(mask));
}

maskloom_status CudaBatch::Empty(uint32_t row, maskloom_error* error) {
  maskloom_status status = MASKLOOM_OK;
  Row& emptied = host_[row];
  if (emptied.matcher != nullptr) {
    status = maskloom_device_rows_remove(host_rows_.get(), row, error);
  }
  if (emptied.is_open) SetMask(row, RowMask{});
  emptied.matcher = nullptr;
  emptied.is_open = false;
  return status;
}

maskloom_status CudaBatch::Remove(uint32_t row, cudaStream_t stream, maskloom_error* error) {
  if (row >= options_.max_rows) return NoSuchRow(row, options_.max_rows, error);
  const CurrentDevice current(device_);
  if (const auto checked = CheckCopies(stream, error); checked != MASKLOOM_OK) return checked;
  memory_.SetStream(stream);
  const maskloom_status status = Empty(row, error);
  const maskloom_status sent = SendUpdates(stream, status == MASKLOOM_OK ? error : nullptr);
  return status != MASKLOOM_OK ? status : sent;
}

maskloom_status CudaBatch::SendUpdates(cudaStream_t stream, maskloom_error* error) {
  const maskloom_device_update* updates = nullptr;
  const uint32_t* words = nullptr;
  size_t update_count = 0, word_count = 0;
  maskloom_device_rows_updates(host_rows_.get(), &updates, &update_count, &words, &word_count);
  int launched = 0;
  if (update_count > 0) {
    const size_t update_bytes = update_count * sizeof(*updates);
    const size_t bytes = sizeof(UpdateHead) + update_bytes + word_count * 4;
    if (bytes > sizeof(UpdateHead) + options_.max_rows * kMostUpdateBytes) {
      return cuda_api::Fill(MASKLOOM_INTERNAL, "updates of rows are longer than they can be",
                            error);
    }
    const UpdateHead head = {++update_sequence_, static_cast<uint32_t>(update_count)};
    scratch_.resize(bytes);
    std::memcpy(scratch_.data(), &head, sizeof(head));
    std::memcpy(scratch_.data() + sizeof(head), updates, update_bytes);
    if (word_count > 0) {
      std::memcpy(scratch_.data() + sizeof(head) + update_bytes, words, word_count * 4);
    }
    memory_.Copy(updates_, scratch_.data(), bytes);
    std::byte* const rows = updates_ + sizeof(UpdateHead);
    const kernels::cuda::RowUpdates sent = {reinterpret_cast<const UpdateHead*>(updates_),
                                            reinterpret_cast<const RowUpdate*>(rows),
                                            reinterpret_cast<const uint32_t*>(rows + update_bytes)};
    kernels::cuda::RowsBatch batch = rows_;
    batch.batch = options_.max_rows;
    launched = LaunchUpdateRows(batch, sent, stream);
  }
  memory_.EndBurst();
  const maskloom_status status =
      cuda_api::Fill(memory_.TakeError(), "copying to the device", error);
  if (status != MASKLOOM_OK) return status;
  return cuda_api::Fill(static_cast<cudaError_t>(launched), "telling rows their masks", error);
}

maskloom_status CudaBatch::Step(const maskloom_cuda_logits& logits, uint32_t rows,
                                cudaStream_t stream, maskloom_error* error) {
  if (workspace_ == nullptr) {
    return Invalid("the batch was made without a sampler (with_sampler)", error);
  }
  if (const auto checked = CheckLogits(logits, rows, error); checked != MASKLOOM_OK) {
    return checked;
  }
  const CurrentDevice current(device_);
  LogitsBatch batch = {};
  batch.logits = logits.data;
  batch.type = static_cast<LogitType>(logits.type);
  batch.batch = rows;
  batch.vocab = vocab_;
  batch.stride = logits.stride;
  batch.masks = masks_;
  batch.requests = rows_.requests;
  batch.adjustments = adjustments_;
  batch.choices = choices_;
  batch.workspace = workspace_;
  batch.filters = options_.with_filters != 0;
  batch.reports = log_.reports();
  batch.tops = log_.tops();
  // A step of another number of rows may have left something else there.
  int launched = static_cast<int>(
      cudaMemsetAsync(workspace_, 0, kernels::cuda::LogitsCounterBytes(rows), stream));
  if (launched == 0) launched = LaunchChooseTokens(batch, stream);
  if (launched == 0) launched = LaunchAdvance(rows, stream);
  if (launched == 0) launched = log_.SubmitOfSampler(rows, stream);
  return cuda_api::Fill(static_cast<cudaError_t>(launched), "submitting a step", error);
}

int CudaBatch::LaunchAdvance(uint32_t rows, cudaStream_t stream) {
  kernels::cuda::RowsBatch batch = rows_;
  batch.batch = rows;
  return LaunchAdvanceRows(batch, stream);
}

maskloom_status CudaBatch::ApplyMasks(const maskloom_cuda_logits& logits, uint32_t rows,
                                      cudaStream_t stream, maskloom_error* error) {
  if (const auto checked = CheckLogits(logits, rows, error); checked != MASKLOOM_OK) {
    return checked;
  }
  const CurrentDevice current(device_);
  const kernels::cuda::ApplyBatch batch = {
      logits.data, static_cast<LogitType>(logits.type), rows, vocab_, logits.stride, masks_};
  return cuda_api::Fill(static_cast<cudaError_t>(LaunchApplyMasks(batch, stream)),
                        "submitting masks", error);
}

maskloom_status CudaBatch::Accept(const uint32_t* tokens, uint32_t rows, cudaStream_t stream,
                                  maskloom_error* error) {
  if (tokens == nullptr) return Invalid("the tokens are NULL", error);
  if (const auto checked = CheckRows(rows, error); checked != MASKLOOM_OK) return checked;
  const CurrentDevice current(device_);
  int launched = LaunchTakeTokens(masks_, tokens, rows, vocab_, choices_, stream);
  if (launched == 0) launched = LaunchAdvance(rows, stream);
  if (launched == 0) launched = log_.Submit(rows, stream);
  return cuda_api::Fill(static_cast<cudaError_t>(launched), "submitting tokens", error);
}

maskloom_status CudaBatch::ReportOf(size_t index, maskloom_cuda_report* report,
                                    maskloom_error* error) const {
  if (index < log_.result_count()) {
    *report = log_.ReportOf(index);
    return MASKLOOM_OK;
  }
  return Invalid("result " + std::to_string(index) + " of the " +
                     std::to_string(log_.result_count()) + " of the last call of _finish",
                 error);
}

maskloom_status CudaBatch::Take(uint32_t row, const RowEntry& entry, maskloom_cuda_result* result,
                                maskloom_error* error) {
  const auto outcome = static_cast<RowOutcome>(entry.outcome);
  *result = {row, entry.token, 0, entry.logprob};
  if (outcome == RowOutcome::kNoToken) {
    const bool is_refused = entry.status == static_cast<uint16_t>(SampleStatus::kInvalidArgument);
    result->flags = is_refused ? MASKLOOM_CUDA_REFUSED : MASKLOOM_CUDA_NO_TOKEN;
    return MASKLOOM_OK;
  }
  const bool is_alone = outcome == RowOutcome::kGoesOn || outcome == RowOutcome::kEnded;
  if (is_alone) result->flags |= MASKLOOM_CUDA_ALONE;
  if (entry.is_counted == 0) result->flags |= MASKLOOM_CUDA_NOT_COUNTED;
  if (host_[row].matcher == nullptr) return MASKLOOM_OK;
  int32_t ended = 0;
  const maskloom_status status =
      maskloom_device_rows_take(host_rows_.get(), row, entry.token,
                                static_cast<maskloom_row_outcome>(outcome), &ended, error);
  if (ended != 0) result->flags |= MASKLOOM_CUDA_ENDED;
  if (status != MASKLOOM_OK) Empty(row, nullptr);
  return status;
}

maskloom_status CudaBatch::Finish(cudaStream_t stream, maskloom_cuda_result* results,
                                  size_t capacity, size_t* count, maskloom_error* error) {
  const CurrentDevice current(device_);
  if (const auto checked = CheckCopies(stream, error); checked != MASKLOOM_OK) return checked;
  memory_.SetStream(stream);
  log_.BeginResults();
  size_t read = 0;
  maskloom_status first = MASKLOOM_OK;
  for (uint32_t row = 0; row < options_.max_rows; ++row) {
    // Of a row that was emptied, here too, steps under way may still make entries.
    const auto is_empty = [&] { return host_[row].matcher == nullptr && !host_[row].is_open; };
    while (!is_empty() && read < capacity) {
      RowEntry entry;
      bool is_there = false;
      if (!log_.Next(row, &entry, &is_there)) {
        Empty(row, nullptr);
        if (first == MASKLOOM_OK) {
          first =
              Invalid("row " + std::to_string(row) +
                          " took more tokens than steps_ahead that no call has read; it is empty",
                      error);
        }
      }
      if (!is_there) break;
      const maskloom_status status =
          Take(row, entry, results + read++, first == MASKLOOM_OK ? error : nullptr);
      if (first == MASKLOOM_OK) first = status;
    }
  }
  *count = read;
  const maskloom_status sent = SendUpdates(stream, first == MASKLOOM_OK ? error : nullptr);
  return first != MASKLOOM_OK ? first : sent;
}

maskloom_status CudaBatch::CatchUp(cudaStream_t stream, maskloom_error* error) {
  const CurrentDevice current(device_);
  if (const auto checked = CheckCopies(stream, error); checked != MASKLOOM_OK) return checked;
  memory_.SetStream(stream);
  const maskloom_status status = maskloom_device_rows_catch_up(host_rows_.get(), error);
  memory_.EndBurst();
  const cudaError_t copied = memory_.TakeError();
  if (status != MASKLOOM_OK) return status;
  return cuda_api::Fill(copied, "copying to the device", error);
}

maskloom_cuda_statistics CudaBatch::Statistics() const {
  maskloom_device_statistics rows = {};
  rows.struct_size = sizeof(rows);
  maskloom_device_rows_statistics(host_rows_.get(), &rows);
  return {sizeof(maskloom_cuda_statistics),
          rows.tokens,
          rows.alone,
          rows.updates,
          rows.update_bytes,
          rows.mask_bytes,
          rows.table_bytes,
          memory_.copied_bytes(),
          memory_.wait_count(),
          rows.learned_steps,
          rows.learned_masks,
          rows.grammars};
}

}  // namespace maskloom::cuda_api
