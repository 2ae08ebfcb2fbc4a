#include "compiler/base_rows.h"

#include <bit>
#include <vector>

namespace maskloom {

MaskBase BaseRows::RegionRow(const TextRegion& region) {
  if (region.categories == CategoryBit('0') && region.length == CategoryIndex::kAnyLength) {
    return DigitsRow();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& row = rows_[{region.categories, CategoryIndex::RowLength(region.length)}];
  if (row == nullptr) {
    std::vector<uint32_t> words(row_words_);
    categories_.FillRow(region.categories, region.length, words.data());
    uint32_t count = 0;
    for (const uint32_t word : words) count += std::popcount(word);
    row = std::make_shared<const Row>(Row{next_id_++, std::move(words), count});
  }
  return {row->id, row->words.data(), row->count, row};
}

MaskBase BaseRows::Adopt(CategorySet categories, uint32_t length, FlatArray<uint32_t> words,
                         uint32_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& row = rows_[{categories, length}];
  row = std::make_shared<const Row>(Row{next_id_++, std::move(words), count});
  return {row->id, row->words.data(), row->count, row};
}

std::optional<std::pair<CategorySet, uint32_t>> BaseRows::RegionOf(const uint32_t* row) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [region, known] : rows_) {
    if (known->words.data() == row) return region;
  }
  return std::nullopt;
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
  size_t total = rows_.size() * sizeof(Row);
  for (const auto& [region, row] : rows_) total += row->words.owned_bytes();
  return total;
}

}  // namespace maskloom
