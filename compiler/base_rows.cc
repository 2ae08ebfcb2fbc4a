#include "compiler/base_rows.h"

#include <bit>

namespace maskloom {

MaskBase BaseRows::RegionRow(const TextRegion& region) {
  if (region.categories == CategoryBit('0') && region.length == CategoryIndex::kAnyLength) {
    return {digits_id_, categories_.digits_row(), categories_.digits_count()};
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& row = rows_[{region.categories, CategoryIndex::RowLength(region.length)}];
  if (row == nullptr) {
    auto made = std::make_shared<Row>(Row{next_id_++, std::vector<uint32_t>(row_words_)});
    categories_.FillRow(region.categories, region.length, made->words.data());
    for (const uint32_t word : made->words) made->count += std::popcount(word);
    row = std::move(made);
  }
  return {row->id, row->words.data(), row->count, row};
}

void BaseRows::DropUnused() {
  // Who holds a row got it here or from a mask that holds it: if nobody does, nobody can begin to.
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(rows_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

uint32_t BaseRows::NewId() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return next_id_++;
}

size_t BaseRows::MemoryBytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return rows_.size() * (sizeof(Row) + size_t{row_words_} * 4);
}

}  // namespace maskloom
