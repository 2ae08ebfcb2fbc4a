// Counts the bytes that the logits kernel moves, in the stand-in.
#include "bench/logits_backends.h"
#include "bench/logits_device.h"
#include "bench/usual_pipeline.h"
#include "kernels/cuda/apply.cu"
#include "kernels/cuda/logits.cu"

namespace maskloom::bench {
namespace {

// Adds up what was moved since the last look.
void TakeMovedBytes(Measured* measured) {
  for (const auto& [kernel, traffic] : TakeTraffic()) {
    measured->bytes += traffic.moved_bytes();
    measured->kernel_bytes[kernel.substr(0, kernel.find('<'))] += traffic.moved_bytes();
  }
}

}  // namespace

Measured MeasureInStandIn(const LogitsRows& rows, const kernels::SampleSettings& settings,
                          Dtype dtype) {
  const DeviceLogits device(rows, settings, dtype);
  SetChecks(Checks::Counting());
  TakeTraffic();
  Measured measured;
  if (LaunchChooseTokens(device.Batch(), nullptr) != 0) return measured;
  const std::vector<kernels::cuda::RowChoice> choices = device.Choices();
  TakeMovedBytes(&measured);
  measured.is_right = device.AreRight(choices);
  return measured;
}

Measured MeasureApply(const LogitsRows& rows, Dtype dtype) {
  const DeviceLogits device(rows, {}, dtype);
  SetChecks(Checks::Counting());
  TakeTraffic();
  Measured measured;
  if (LaunchApplyMasks(device.Apply(), nullptr) != 0) return measured;
  cudaDeviceSynchronize();
  TakeMovedBytes(&measured);
  measured.is_right = device.IsApplied();
  return measured;
}

Measured MeasureUsualPipeline(const LogitsRows& given, const kernels::SampleSettings& settings) {
  LogitsRows rows = given;
  const std::vector<char> logits = StoreAll(Dtype::kBf16, &rows);
  const uint32_t count = static_cast<uint32_t>(rows.logits.size());
  const DeviceMemory device_logits(logits);
  const DeviceMemory mask(rows.mask);
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
  TakeMovedBytes(&measured);
  measured.is_right = true;
  for (uint32_t token : chosen) {
    const bool inside = token < rows.vocab &&
                        (rows.mask.empty() || ((rows.mask[token / 32] >> (token % 32)) & 1u) != 0);
    measured.is_right = measured.is_right && inside;
  }
  return measured;
}

}  // namespace maskloom::bench
