#include "runtime/cuda_api/row_log.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace maskloom::cuda_api {

using kernels::TopToken;
using kernels::cuda::RowEntry;
using kernels::cuda::RowReport;

void RowLog::Make(const maskloom_cuda_options& options, const kernels::cuda::LogBatch& batch,
                  CudaMemory* memory) {
  const uint32_t rows = options.max_rows;
  seen_.assign(rows, 0);
  batch_ = batch;
  batch_.sequences = memory->Fill(rows, uint64_t{0});
  batch_.depth = options.steps_ahead;
  const size_t entries = size_t{rows} * batch_.depth;
  batch_.entries = static_cast<RowEntry*>(memory->AllocatePinned(entries * sizeof(RowEntry)));
  if (batch_.entries != nullptr) std::memset(batch_.entries, 0, entries * sizeof(RowEntry));
  if (options.with_reports == 0) return;
  reports_ = memory->Fill(rows, RowReport{});
  batch_.kept_reports =
      static_cast<RowReport*>(memory->AllocatePinned(entries * sizeof(RowReport)));
  const size_t tops = size_t{rows} * kernels::cuda::kMostTops;
  tops_ = static_cast<TopToken*>(memory->Allocate(tops * sizeof(TopToken)));
  batch_.top_room = options.max_top_tokens;
  const size_t kept_tops = std::max<size_t>(1, entries * batch_.top_room);
  batch_.kept_tops = static_cast<TopToken*>(memory->AllocatePinned(kept_tops * sizeof(TopToken)));
}

int RowLog::SubmitOfSampler(uint32_t rows, cudaStream_t stream) const {
  kernels::cuda::LogBatch batch = batch_;
  batch.batch = rows;
  batch.reports = reports_;
  batch.tops = tops_;
  return LaunchLogRows(batch, stream);
}

int RowLog::Submit(uint32_t rows, cudaStream_t stream) const {
  kernels::cuda::LogBatch batch = batch_;
  batch.batch = rows;
  return LaunchLogRows(batch, stream);
}

void RowLog::BeginPlacement(uint32_t row, CudaMemory* memory) {
  seen_[row] = ((seen_[row] >> 32) + 1) << 32;
  memory->Copy(batch_.sequences + row, &seen_[row], sizeof(seen_[row]));
}

bool RowLog::Next(uint32_t row, RowEntry* entry, bool* is_there) {
  const uint64_t wanted = seen_[row] + 1;
  RowEntry& there = batch_.entries[size_t{row} * batch_.depth + wanted % batch_.depth];
  // The device writes the sequence last.
  const uint64_t sequence =
      std::atomic_ref<uint64_t>(there.sequence).load(std::memory_order_acquire);
  *is_there = sequence == wanted;
  if (!*is_there) return sequence < wanted;
  std::memcpy(entry, &there, sizeof(*entry));
  seen_[row] = wanted;
  if (reports_ != nullptr) KeepReport(row, *entry);
  ++result_count_;
  return true;
}

void RowLog::KeepReport(uint32_t row, const RowEntry& entry) {
  const size_t room = batch_.top_room;
  if (kept_reports_.size() <= result_count_) {
    kept_reports_.resize(result_count_ + 1);
    kept_tops_.resize(kept_reports_.size() * room);
  }
  Report& kept = kept_reports_[result_count_];
  kept = {};
  if (entry.has_report == 0) return;
  const size_t place = size_t{row} * batch_.depth + entry.sequence % batch_.depth;
  kept = {batch_.kept_reports[place], entry.masked_logprob};
  const size_t filled = std::min<size_t>(kept.report.top_filled, room);
  for (size_t i = 0; i < filled; ++i) {
    const TopToken& top = batch_.kept_tops[place * room + i];
    kept_tops_[result_count_ * room + i] = {top.id, top.logprob};
  }
}

maskloom_cuda_report RowLog::ReportOf(size_t index) const {
  maskloom_cuda_report report = {};
  report.struct_size = sizeof(report);
  if (reports_ == nullptr) return report;
  const Report& kept = kept_reports_[index];
  report.masked_logprob = kept.masked_logprob;
  report.entropy_bits = kept.report.entropy_bits;
  report.raw_logprob = kept.report.raw_logprob;
  report.removed_mass = kept.report.removed_mass;
  report.top_count = std::min<size_t>(kept.report.top_filled, batch_.top_room);
  if (report.top_count > 0) report.top_tokens = kept_tops_.data() + index * batch_.top_room;
  return report;
}

}  // namespace maskloom::cuda_api
