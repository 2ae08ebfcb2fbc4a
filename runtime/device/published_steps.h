// Step tables in device memory: copied as a whole, so that kernels never see half of a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "grammar/base/status.h"
#include "kernels/steps/step_row.h"
#include "runtime/device/device_memory.h"
#include "runtime/device/step_table.h"
#include "runtime/device/text_tokens.h"

namespace maskloom {

// Room for two versions of the tables of one grammar, of which the newer one is in use. The states
// of rows are good for any later version. Not thread-safe.
class PublishedSteps {
 public:
  // `bytes`: of one version. `text_tokens` are copied, too. On error: kResourceLimit, if there is
  // no such room.
  static Result<PublishedSteps> Create(const TextTokens& text_tokens, DeviceMemory* memory,
                                       size_t bytes);

  // Copies the tables of `table` as they are now over the version before the last, which nothing
  // may read any more: what was submitted to the stream before is done with it in time. Returns the
  // tables for kernels, nothing if they do not fit.
  std::optional<kernels::StepTables> Publish(const StepTable& table);
  // Bytes that were copied so far.
  uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  PublishedSteps() = default;
  const void* Put(const void* from, size_t bytes, size_t* used);

  DeviceMemory* memory_ = nullptr;
  std::byte* versions_[2] = {nullptr, nullptr};
  size_t bytes_ = 0;
  size_t next_ = 0;  // of versions_
  const uint8_t* text_lengths_ = nullptr;
  uint64_t copied_bytes_ = 0;
};

}  // namespace maskloom
