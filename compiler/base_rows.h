// Rows and regions that masks of one grammar have in common, made on first use.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/category_index.h"
#include "compiler/mask.h"
#include "compiler/refused_words.h"
#include "compiler/sibling_states.h"
#include "compiler/text_insides.h"
#include "compiler/text_region.h"
#include "grammar/base/flat_array.h"

namespace maskloom {

// Rows never move or change; each lives as long as a mask holds it, and is remembered until
// DropUnused. Thread safety: any thread.
class BaseRows {
 public:
  // `first_id`: ids below belong to rows of the vocabulary, and it itself to that of digits.
  BaseRows(const CategoryIndex& categories, uint32_t row_words, uint32_t first_id)
      : categories_(categories),
        row_words_(row_words),
        digits_id_(first_id),
        regions_(categories.longest_digits()),
        refused_words_(categories),
        next_id_(first_id + 1) {}

  // The row of tokens that stay in `region` (its length as CategoryIndex::RowLength has it), and of
  // those that begin with a space and go on in `behind_space`, if that has categories.
  MaskBase RegionRow(const TextRegion& region, const TextRegion& behind_space = {});
  // That of tokens of digits only, which the vocabulary holds.
  MaskBase DigitsRow() const {
    return {digits_id_, categories_.digits_row(), categories_.digits_count(), nullptr};
  }
  // Takes a row from a file. `words` may be a view of it then.
  MaskBase Adopt(CategorySet categories, uint32_t length, FlatArray<uint32_t> words,
                 uint32_t count);
  // Returns the categories and the length of the region whose row is at `row`, if it is one's
  // alone.
  std::optional<std::pair<CategorySet, uint32_t>> RegionOf(const uint32_t* row) const;
  TextRegions& regions() { return regions_; }
  RefusedWordsIndex& refused_words() { return refused_words_; }
  SiblingStates& siblings() { return siblings_; }
  TextInsides& insides() { return insides_; }
  // Takes a row that is no region's and that several masks will hold.
  MaskBase Share(std::vector<uint32_t> words, uint32_t count);
  // A new id for a row that one mask owns.
  uint32_t NewId();
  // Forgets the insides of strings, and the rows that no mask holds. One that is made again has
  // another id.
  void DropUnused();
  // Of all rows that are alive, and the insides of strings.
  size_t MemoryBytes() const {
    return row_bytes_.load(std::memory_order_relaxed) + insides_.MemoryBytes();
  }

 private:
  struct Row {
    uint32_t id;
    FlatArray<uint32_t> words;
    uint32_t count = 0;
    size_t MemoryBytes() const { return sizeof(Row) + words.owned_bytes(); }
  };

  struct RowKey {
    CategorySet categories = 0;
    uint32_t length = 0;
    CategorySet spaced_categories = 0;
    uint32_t spaced_length = 0;
    auto operator<=>(const RowKey&) const = default;
  };

  // Makes a row, which counts from now on. Requires: mutex_.
  std::shared_ptr<const Row> MakeRow(FlatArray<uint32_t> words, uint32_t count);
  // Counts the memory of `row` no longer.
  void Discount(const Row& row) { row_bytes_ -= row.MemoryBytes(); }

  const CategoryIndex& categories_;
  const uint32_t row_words_;
  const uint32_t digits_id_;
  TextRegions regions_;
  RefusedWordsIndex refused_words_;
  SiblingStates siblings_;
  TextInsides insides_;
  mutable std::mutex mutex_;
  std::map<RowKey, std::shared_ptr<const Row>> rows_;
  std::vector<std::shared_ptr<const Row>> shared_rows_;
  uint32_t next_id_;
  std::atomic<size_t> row_bytes_{0};  // of rows_ and shared_rows_
};

}  // namespace maskloom
