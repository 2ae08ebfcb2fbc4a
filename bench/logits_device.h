// A case of bench_logits in the memory of a device, or of the stand-in: one source for both
// (kernels/simt/host.h).
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "bench/logits_backends.h"
#include "kernels/cuda/apply.h"
#include "kernels/cuda/logits.h"
#include "kernels/half.h"
#include "kernels/sampling/exact_math.h"
#include "kernels/simt/host.h"

namespace maskloom::bench {
inline namespace SIMT_WORLD {

inline kernels::cuda::LogitType TypeOf(Dtype dtype) {
  if (dtype == Dtype::kF32) return kernels::cuda::LogitType::kF32;
  return dtype == Dtype::kF16 ? kernels::cuda::LogitType::kF16 : kernels::cuda::LogitType::kBf16;
}

// The bits of `x` as the type stores it, rounded toward zero, which is also stored in `x`.
inline uint32_t Store(Dtype dtype, float* x) {
  uint32_t bits = kernels::FloatBits(*x);
  if (dtype == Dtype::kF32) return bits;
  if (dtype == Dtype::kF16) {
    const uint16_t half = kernels::FloatToHalf(*x);
    *x = kernels::HalfToFloat(half);
    return half;
  }
  bits &= 0xffff0000u;
  *x = kernels::FloatFromBits(bits);
  return bits >> 16;
}

// The rows as they lie on the device; the logits of `rows` become what was stored.
inline std::vector<char> StoreAll(Dtype dtype, LogitsRows* rows) {
  const size_t size = BytesOf(dtype);
  std::vector<char> stored(rows->logits.size() * rows->vocab * size);
  char* at = stored.data();
  for (std::vector<float>& row : rows->logits) {
    for (float& x : row) {
      const uint32_t bits = Store(dtype, &x);
      std::memcpy(at, &bits, size);
      at += size;
    }
  }
  return stored;
}

// Memory of the device that is freed at the end; null where there is not enough.
class DeviceMemory {
 public:
  // Copies `count` bytes from `bytes`; zeros where that is null.
  DeviceMemory(const void* bytes, size_t count) {
    if (simt::cudaMalloc(&data_, count == 0 ? 1 : count) != simt::cudaSuccess) data_ = nullptr;
    if (data_ == nullptr) return;
    if (bytes == nullptr) {
      simt::cudaMemset(data_, 0, count);
    } else {
      simt::cudaMemcpy(data_, bytes, count, simt::cudaMemcpyHostToDevice);
    }
  }
  template <class V>
  explicit DeviceMemory(const std::vector<V>& values)
      : DeviceMemory(values.data(), values.size() * sizeof(V)) {}
  ~DeviceMemory() { simt::cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  template <class V>
  V* As() const {
    return reinterpret_cast<V*>(data_);
  }

 private:
  char* data_ = nullptr;
};

// The rows of a case, their masks and settings, and what the kernel needs beside them.
class DeviceLogits {
 public:
  DeviceLogits(const LogitsRows& given, const kernels::SampleSettings& settings, Dtype dtype)
      : rows_(given),
        settings_(settings),
        dtype_(dtype),
        type_(TypeOf(dtype)),
        stored_(StoreAll(dtype, &rows_)),
        logits_(stored_),
        pool_(rows_.is_listed ? ListOf(rows_) : rows_.mask),
        masks_(std::vector<kernels::RowMask>(count(), Mask())),
        adjustments_(rows_.adjustments),
        requests_(std::vector<kernels::cuda::RowRequest>(count(), Request())),
        choices_(nullptr, count() * sizeof(kernels::cuda::RowChoice)),
        reports_(nullptr, count() * sizeof(kernels::cuda::RowReport)),
        tops_(nullptr, count() * kernels::cuda::kMostTops * sizeof(kernels::TopToken)),
        workspace_(nullptr, kernels::cuda::LogitsWorkspaceBytes(count(), rows_.vocab)) {}

  // Whether the device had room for all of it.
  bool HasMemory() const {
    for (const DeviceMemory* memory : {&logits_, &pool_, &masks_, &adjustments_, &requests_,
                                       &choices_, &reports_, &tops_, &workspace_}) {
      if (memory->As<void>() == nullptr) return false;
    }
    return true;
  }
  uint32_t count() const { return static_cast<uint32_t>(rows_.logits.size()); }
  void* logits() const { return logits_.As<void>(); }
  // The logits as the device had them at first.
  const std::vector<char>& stored() const { return stored_; }

  kernels::cuda::LogitsBatch Batch() const {
    const bool filters = settings_.top_k != 0 || settings_.top_p < 1.0 || settings_.min_p > 0.0;
    return {logits_.As<void>(),
            type_,
            count(),
            rows_.vocab,
            rows_.vocab,
            Masks(),
            requests_.As<kernels::cuda::RowRequest>(),
            adjustments_.As<kernels::TokenAdjustment>(),
            choices_.As<kernels::cuda::RowChoice>(),
            workspace_.As<void>(),
            filters,
            WantsReports() ? reports_.As<kernels::cuda::RowReport>() : nullptr,
            tops_.As<kernels::TopToken>()};
  }

  kernels::cuda::ApplyBatch Apply() const {
    return {logits_.As<void>(), type_, count(), rows_.vocab, rows_.vocab, Masks()};
  }

  // Waits. Whether the masks were applied in place, and nothing else has changed.
  bool IsApplied() const {
    LogitsRows want = rows_;
    for (std::vector<float>& row : want.logits) {
      for (uint32_t id = 0; id < want.vocab; ++id) {
        if (((want.mask[id / 32] >> (id % 32)) & 1u) == 0) row[id] = -__builtin_inff();
      }
    }
    std::vector<char> applied(stored_.size());
    simt::cudaMemcpy(applied.data(), logits_.As<void>(), applied.size(),
                     simt::cudaMemcpyDeviceToHost);
    return applied == StoreAll(dtype_, &want);
  }

  // Waits. Returns the rows' choices.
  std::vector<kernels::cuda::RowChoice> Choices() const {
    std::vector<kernels::cuda::RowChoice> choices(count());
    simt::cudaMemcpy(choices.data(), choices_.As<void>(), choices.size() * sizeof(choices.front()),
                     simt::cudaMemcpyDeviceToHost);
    return choices;
  }

  // Whether every row has the token that the CPU chooses for the same logits.
  bool AreRight(const std::vector<kernels::cuda::RowChoice>& choices) const {
    const size_t bytes = kernels::SampleScratchBytes(rows_.vocab);
    const std::unique_ptr<char[]> scratch(new char[bytes + 64]);
    void* aligned = scratch.get() + (64 - reinterpret_cast<uintptr_t>(scratch.get()) % 64);
    std::vector<kernels::TopToken> tops(settings_.top_count);
    for (size_t r = 0; r < choices.size(); ++r) {
      kernels::SampleResult want;
      ChooseToken(rows_.View(r), settings_, {aligned, tops.data()}, &want);
      if (choices[r].token != want.token) return false;
    }
    return true;
  }

 private:
  bool WantsReports() const {
    return settings_.top_count != 0 ||
           (settings_.outputs & (kernels::kOutputEntropy | kernels::kOutputRaw)) != 0;
  }

  kernels::cuda::RowRequest Request() const {
    kernels::cuda::RowRequest request = kernels::cuda::MakeRowRequest(settings_);
    request.adjustment_count = static_cast<uint32_t>(rows_.adjustments.size());
    return request;
  }

  kernels::BatchMasks Masks() const {
    return {masks_.As<kernels::RowMask>(), pool_.As<uint32_t>(), nullptr,
            static_cast<uint32_t>(rows_.mask.size())};
  }

  // The row of bits that the pool begins with, or the list of ids.
  kernels::RowMask Mask() const {
    kernels::RowMask mask;
    if (rows_.is_listed) {
      mask.list_count = static_cast<uint16_t>(ListOf(rows_).size());
    } else {
      mask.slot = rows_.mask.empty() ? kernels::kOpenSlot : 0;
    }
    return mask;
  }

  LogitsRows rows_;  // rounded to the type
  kernels::SampleSettings settings_;
  Dtype dtype_;
  kernels::cuda::LogitType type_;
  std::vector<char> stored_;
  DeviceMemory logits_, pool_, masks_, adjustments_, requests_, choices_, reports_, tops_,
      workspace_;
};

}  // namespace SIMT_WORLD
}  // namespace maskloom::bench
