#include "compiler/base_rows.h"

#include <bit>
#include <utility>

namespace maskloom {

MaskBase BaseRows::RegionRow(const TextRegion& region, const TextRegion& behind_space) {
  const bool is_spaced = behind_space.categories != 0;
  if (region.categories == CategoryBit('0') && region.length == CategoryIndex::kAnyLength &&
      !is_spaced) {
    return DigitsRow();
  }
  RowKey key{region.categories, CategoryIndex::RowLength(region.length)};
  if (is_spaced) {
    key.spaced_categories = behind_space.categories;
    key.spaced_length = CategoryIndex::RowLength(behind_space.length);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& row = rows_[key];
  if (row == nullptr) {
    std::vector<uint32_t> words(row_words_);
    categories_.FillRow(region.categories, region.length, words.data());
    if (is_spaced) {
      std::vector<uint32_t> spaced(row_words_);
      categories_.FillSpacedRow(behind_space.categories, behind_space.length, spaced.data());
      for (uint32_t word = 0; word < row_words_; ++word) words[word] |= spaced[word];
    }
    uint32_t count = 0;
    for (const uint32_t word : words) count += std::popcount(word);
    row = MakeRow(std::move(words), count);
  }
  return {row->id, row->words.data(), row->count, row};
}

std::shared_ptr<const BaseRows::Row> BaseRows::MakeRow(FlatArray<uint32_t> words, uint32_t count) {
  auto row = std::make_shared<const Row>(Row{next_id_++, std::move(words), count});
  row_bytes_ += row->MemoryBytes();
  return row;
}

MaskBase BaseRows::Adopt(CategorySet categories, uint32_t length, FlatArray<uint32_t> words,
                         uint32_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& row = rows_[RowKey{categories, length}];
  if (row != nullptr) Discount(*row);
  row = MakeRow(std::move(words), count);
  return {row->id, row->words.data(), row->count, row};
}

std::optional<std::pair<CategorySet, uint32_t>> BaseRows::RegionOf(const uint32_t* row) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [region, known] : rows_) {
    if (known->words.data() != row) continue;
    if (region.spaced_categories != 0) return std::nullopt;
    return std::pair(region.categories, region.length);
  }
  return std::nullopt;
}

void BaseRows::DropUnused() {
  insides_.Forget();
  // Who holds a row got it here or from a mask that holds it: if nobody does, nobody can begin to.
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto is_unused = [this](const std::shared_ptr<const Row>& row) {
    const bool unused = row.use_count() == 1;
    if (unused) Discount(*row);
    return unused;
  };
  std::erase_if(rows_, [&](const auto& entry) { return is_unused(entry.second); });
  std::erase_if(shared_rows_, is_unused);
}

MaskBase BaseRows::Share(std::vector<uint32_t> words, uint32_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto& row = shared_rows_.emplace_back(MakeRow(std::move(words), count));
  return {row->id, row->words.data(), row->count, row};
}

uint32_t BaseRows::NewId() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return next_id_++;
}

}  // namespace maskloom
