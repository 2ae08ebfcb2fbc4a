#include "compiler/base_rows.h"

#include <bit>

namespace maskloom {

MaskBase BaseRows::RegionRow(const TextRegion& region) {
  if (region.categories == CategoryBit('0') && region.length == CategoryIndex::kAnyLength) {
    return {digits_id_, categories_.digits_row(), categories_.digits_count()};
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Row>& row = rows_[{region.categories, CategoryIndex::RowLength(region.length)}];
  if (row == nullptr) {
    row = std::make_unique<Row>(Row{next_id_++, std::vector<uint32_t>(row_words_)});
    categories_.FillRow(region.categories, region.length, row->words.data());
    for (const uint32_t word : row->words) row->count += std::popcount(word);
  }
  return {row->id, row->words.data(), row->count};
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
