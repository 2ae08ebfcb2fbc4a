// Step tables in device memory: copied between kernels, so that none of them sees half of a change.
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

// Copies the lengths of text_tokens, which the tables of all grammars with such strings read, to
// device memory. Returns where they lie; null where there is no room.
const uint8_t* PublishTextLengths(const TextTokens& text_tokens, DeviceMemory* memory);

// Room for the tables of one grammar. The states of rows are good for any later version. Not
// thread-safe.
class PublishedSteps {
 public:
  // `bytes`: of all arrays, each of which takes a power of two and at least 4 KiB.
  // On error: kResourceLimit, if there is no such room.
  static Result<PublishedSteps> Create(DeviceMemory* memory, size_t bytes);

  // Copies the tables of `table` as they are now over those of the call before, which only what was
  // submitted to the stream before may read. `text_lengths` are those of its strings, on the
  // device. Returns the tables for kernels; nothing, and those before stay, if they do not fit.
  std::optional<kernels::StepTables> Publish(const StepTable& table, const uint8_t* text_lengths);
  // Bytes that were copied so far.
  uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  PublishedSteps() = default;
  const void* Put(const void* from, size_t bytes, size_t* used);

  DeviceMemory* memory_ = nullptr;
  std::byte* arrays_ = nullptr;
  size_t bytes_ = 0;
  uint64_t copied_bytes_ = 0;
};

}  // namespace maskloom
