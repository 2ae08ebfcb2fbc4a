#include "runtime/device/published_steps.h"

#include <algorithm>
#include <bit>
#include <string>

namespace maskloom {
namespace {

constexpr size_t kAlignment = 4096;
// Arrays have room to grow, so that those behind them stay where they are.
size_t Aligned(size_t bytes) { return std::bit_ceil(std::max(bytes, kAlignment)); }

}  // namespace

const uint8_t* PublishTextLengths(const TextTokens& text_tokens, DeviceMemory* memory) {
  void* lengths = memory->Allocate(text_tokens.lengths.size());
  if (lengths == nullptr) return nullptr;
  memory->Copy(lengths, text_tokens.lengths.data(), text_tokens.lengths.size());
  return static_cast<const uint8_t*>(lengths);
}

Result<PublishedSteps> PublishedSteps::Create(DeviceMemory* memory, size_t bytes) {
  PublishedSteps steps;
  steps.memory_ = memory;
  steps.bytes_ = bytes;
  steps.arrays_ = static_cast<std::byte*>(memory->Allocate(steps.bytes_));
  if (steps.arrays_ == nullptr) {
    return Status(StatusCode::kResourceLimit,
                  "no room for step tables of " + std::to_string(steps.bytes_) + " bytes");
  }
  return steps;
}

const void* PublishedSteps::Put(const void* from, size_t bytes, size_t* used) {
  void* to = arrays_ + *used;
  if (bytes > 0) memory_->Copy(to, from, bytes);
  *used += Aligned(bytes);
  copied_bytes_ += bytes;
  return to;
}

std::optional<kernels::StepTables> PublishedSteps::Publish(const StepTable& table,
                                                           const uint8_t* text_lengths) {
  kernels::StepTables tables = table.tables();
  const StepTable::Sizes sizes = table.sizes();
  const size_t entries = sizes.entries * sizeof(kernels::StepEntry);
  const size_t heads = sizes.heads * sizeof(kernels::HeadInfo);
  const size_t registers = sizes.registers * sizeof(kernels::WordRegisters);
  const size_t records = sizes.records * sizeof(uint32_t);
  const size_t masks = sizes.masks * sizeof(kernels::RowMask);
  const size_t ends = tables.end_token_count * sizeof(uint32_t);
  if (Aligned(entries) + Aligned(heads) + Aligned(registers) + Aligned(records) + Aligned(masks) +
          Aligned(ends) >
      bytes_) {
    return std::nullopt;
  }
  size_t used = 0;
  tables.entries = static_cast<const kernels::StepEntry*>(Put(tables.entries, entries, &used));
  tables.heads = static_cast<const kernels::HeadInfo*>(Put(tables.heads, heads, &used));
  tables.registers =
      static_cast<const kernels::WordRegisters*>(Put(tables.registers, registers, &used));
  tables.records = static_cast<const uint32_t*>(Put(tables.records, records, &used));
  tables.masks = static_cast<const kernels::RowMask*>(Put(tables.masks, masks, &used));
  tables.end_tokens = static_cast<const uint32_t*>(Put(tables.end_tokens, ends, &used));
  tables.text_lengths = text_lengths;
  return tables;
}

}  // namespace maskloom
