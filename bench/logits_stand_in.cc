// Counts the bytes that the logits kernel moves, in the stand-in.
#include <cstring>
#include <memory>

#include "bench/logits_backends.h"
#include "bench/usual_pipeline.h"
#include "kernels/cuda/logits.cu"
#include "kernels/half.h"

namespace maskloom::bench {
namespace {

using kernels::cuda::LogitsBatch;
using kernels::cuda::LogitType;
using kernels::cuda::RowChoice;
using kernels::cuda::RowRequest;

LogitType TypeOf(Dtype dtype) {
  if (dtype == Dtype::kF32) return LogitType::kF32;
  return dtype == Dtype::kF16 ? LogitType::kF16 : LogitType::kBf16;
}

// The bits of `x` as the type stores it, rounded toward zero, which is also stored in `x`.
uint32_t Store(Dtype dtype, float* x) {
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
std::vector<char> StoreAll(Dtype dtype, LogitsRows* rows) {
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

uint64_t TakeMovedBytes() {
  uint64_t bytes = 0;
  for (const auto& [kernel, traffic] : TakeTraffic()) bytes += traffic.moved_bytes();
  return bytes;
}

// Memory of the device that is freed at the end.
class DeviceMemory {
 public:
  DeviceMemory(const void* bytes, size_t count) {
    if (cudaMalloc(&data_, count == 0 ? 1 : count) != cudaSuccess) data_ = nullptr;
    if (bytes == nullptr) {
      cudaMemset(data_, 0, count);
    } else {
      cudaMemcpy(data_, bytes, count, cudaMemcpyHostToDevice);
    }
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  template <class V>
  V* As() const {
    return reinterpret_cast<V*>(data_);
  }

 private:
  char* data_ = nullptr;
};

template <class V>
DeviceMemory ToDevice(const std::vector<V>& values) {
  return DeviceMemory(values.data(), values.size() * sizeof(V));
}

// Whether every row has the token that the CPU chooses for the same logits.
bool AreRight(const LogitsRows& rows, const kernels::SampleSettings& settings,
              const std::vector<RowChoice>& choices) {
  const size_t bytes = kernels::SampleScratchBytes(rows.vocab);
  const std::unique_ptr<char[]> scratch(new char[bytes + 64]);
  void* aligned = scratch.get() + (64 - reinterpret_cast<uintptr_t>(scratch.get()) % 64);
  for (size_t r = 0; r < choices.size(); ++r) {
    kernels::SampleResult want;
    ChooseToken(rows.View(r), settings, {aligned, nullptr}, &want);
    if (choices[r].token != want.token) return false;
  }
  return true;
}

}  // namespace

Measured MeasureInStandIn(const LogitsRows& given, const kernels::SampleSettings& settings,
                          Dtype dtype) {
  LogitsRows rows = given;
  const std::vector<char> logits = StoreAll(dtype, &rows);
  RowRequest request = kernels::cuda::MakeRowRequest(settings);
  request.adjustment_count = static_cast<uint32_t>(rows.adjustments.size());
  const uint32_t count = static_cast<uint32_t>(rows.logits.size());
  const DeviceMemory device_logits = ToDevice(logits);
  const std::vector<uint32_t> words = rows.is_listed ? ListOf(rows) : rows.mask;
  const DeviceMemory pool = ToDevice(words);
  kernels::RowMask mask;
  if (rows.is_listed) {
    mask.list_count = static_cast<uint16_t>(words.size());
  } else {
    mask.slot = rows.mask.empty() ? kernels::kOpenSlot : 0;
  }
  const DeviceMemory masks = ToDevice(std::vector<kernels::RowMask>(count, mask));
  const DeviceMemory adjustments = ToDevice(rows.adjustments);
  const DeviceMemory requests = ToDevice(std::vector<RowRequest>(count, request));
  const DeviceMemory choices(nullptr, count * sizeof(RowChoice));
  const DeviceMemory workspace(nullptr, kernels::cuda::LogitsWorkspaceBytes(count, rows.vocab));
  const bool filters = settings.top_k != 0 || settings.top_p < 1.0 || settings.min_p > 0.0;
  const LogitsBatch batch = {device_logits.As<void>(),
                             TypeOf(dtype),
                             count,
                             rows.vocab,
                             rows.vocab,
                             {masks.As<kernels::RowMask>(), pool.As<uint32_t>(), nullptr,
                              static_cast<uint32_t>(rows.mask.size())},
                             requests.As<RowRequest>(),
                             adjustments.As<kernels::TokenAdjustment>(),
                             choices.As<RowChoice>(),
                             workspace.As<void>(),
                             filters,
                             nullptr,
                             nullptr};
  SetChecks(Checks::Counting());
  TakeTraffic();
  Measured measured;
  if (LaunchChooseTokens(batch, nullptr) != 0) return measured;
  std::vector<RowChoice> chosen(count);
  cudaMemcpy(chosen.data(), choices.As<RowChoice>(), count * sizeof(RowChoice),
             cudaMemcpyDeviceToHost);
  measured.bytes = TakeMovedBytes();
  measured.is_right = AreRight(rows, settings, chosen);
  return measured;
}

Measured MeasureUsualPipeline(const LogitsRows& given, const kernels::SampleSettings& settings) {
  LogitsRows rows = given;
  const std::vector<char> logits = StoreAll(Dtype::kBf16, &rows);
  const uint32_t count = static_cast<uint32_t>(rows.logits.size());
  const DeviceMemory device_logits = ToDevice(logits);
  const DeviceMemory mask = ToDevice(rows.mask);
  const DeviceMemory values(nullptr, size_t{4} * count * rows.vocab);
  const DeviceMemory counted(nullptr, rows.vocab);
  const DeviceMemory tokens(nullptr, size_t{4} * count);
  UsualBatch batch;
  batch.logits = device_logits.As<uint16_t>();
  batch.values = values.As<float>();
  if (!rows.mask.empty()) batch.mask = mask.As<uint32_t>();
  batch.counted = counted.As<uint8_t>();
  batch.tokens = tokens.As<uint32_t>();
  batch.vocab = rows.vocab;
  batch.scale = settings.temperature == 0.0f ? 1.0f : 1.0f / settings.temperature;
  batch.draw = 0.4f;
  SetChecks(Checks::Counting());
  TakeTraffic();
  LaunchUsualPipeline(batch, count);
  std::vector<uint32_t> chosen(count);
  cudaMemcpy(chosen.data(), tokens.As<uint32_t>(), count * sizeof(uint32_t),
             cudaMemcpyDeviceToHost);
  Measured measured;
  measured.bytes = TakeMovedBytes();
  measured.is_right = true;
  for (uint32_t token : chosen) {
    const bool inside = token < rows.vocab &&
                        (rows.mask.empty() || ((rows.mask[token / 32] >> (token % 32)) & 1u) != 0);
    measured.is_right = measured.is_right && inside;
  }
  return measured;
}

}  // namespace maskloom::bench
