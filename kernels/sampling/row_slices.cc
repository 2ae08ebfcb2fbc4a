// Makes the slices of a row, and reads masks with exceptions.
#include "kernels/sampling/row_slices.h"

#include <algorithm>
#include <cstring>

namespace maskloom::kernels {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();
constexpr uint32_t kListShare = 32;
constexpr uint32_t kSliceWords = kSliceTokens / 32;

size_t ArrayBytes(size_t count, size_t element_bytes) {
  return (count * element_bytes + 63) / 64 * 64;
}

size_t SliceCount(size_t count) { return (count + kSliceTokens - 1) / kSliceTokens; }

// Returns the bits of tokens `at` to at + 63 of a slice that has `tokens`; null: all are set.
uint64_t TwoWords(const uint32_t* words, uint32_t at, uint32_t tokens) {
  uint64_t bits = ~uint64_t{0};
  if (words != nullptr) {
    bits = words[at / 32];
    if (tokens - at > 32) bits |= static_cast<uint64_t>(words[at / 32 + 1]) << 32;
  }
  return tokens - at < 64 ? bits & ((uint64_t{1} << (tokens - at)) - 1) : bits;
}

void Flip(uint32_t* words, uint32_t bit) { words[bit / 32] ^= 1u << (bit % 32); }

}  // namespace

size_t SampleScratchBytes(uint32_t vocab) {
  const size_t slices = SliceCount(vocab);
  return 4 * ArrayBytes(vocab + kOverrun, sizeof(float)) + 2 * ArrayBytes(slices, sizeof(float)) +
         ArrayBytes(slices, sizeof(uint16_t));
}

Scratch DivideScratch(void* memory, uint32_t vocab) {
  char* at = static_cast<char*>(memory);
  const auto take = [&at](size_t count, size_t element_bytes) {
    char* begin = at;
    at += ArrayBytes(count, element_bytes);
    return static_cast<void*>(begin);
  };
  const size_t slices = SliceCount(vocab);
  Scratch scratch;
  scratch.values = static_cast<float*>(take(vocab + kOverrun, sizeof(float)));
  scratch.ids = static_cast<uint32_t*>(take(vocab + kOverrun, sizeof(uint32_t)));
  scratch.work = static_cast<float*>(take(vocab + kOverrun, sizeof(float)));
  scratch.spare = static_cast<float*>(take(vocab + kOverrun, sizeof(float)));
  scratch.maxima = static_cast<float*>(take(slices, sizeof(float)));
  scratch.entries = static_cast<uint32_t*>(take(slices, sizeof(uint32_t)));
  scratch.allowed = static_cast<uint16_t*>(take(slices, sizeof(uint16_t)));
  return scratch;
}

const uint32_t* MaskReader::Words(uint32_t first) {
  const uint32_t* given = row_.mask == nullptr ? nullptr : row_.mask + first / 32;
  while (next_ < row_.exception_count && row_.exceptions[next_] < first) ++next_;
  if (next_ == row_.exception_count || row_.exceptions[next_] - first >= kSliceTokens) return given;
  if (given == nullptr) {
    std::memset(flipped_, 0xff, sizeof(flipped_));
  } else {
    const uint32_t words = std::min(kSliceWords, (row_.vocab - first + 31) / 32);
    std::memcpy(flipped_, given, words * sizeof(uint32_t));
  }
  for (; next_ < row_.exception_count && row_.exceptions[next_] - first < kSliceTokens; ++next_) {
    Flip(flipped_, row_.exceptions[next_] - first);
  }
  return flipped_;
}

bool MaskReader::Allows(uint32_t id) {
  while (next_ < row_.exception_count && row_.exceptions[next_] < id) ++next_;
  const bool flipped = next_ < row_.exception_count && row_.exceptions[next_] == id;
  const bool given = row_.mask == nullptr || ((row_.mask[id >> 5] >> (id & 31)) & 1u) != 0;
  return given != flipped;
}

void RowSlices::Prepare() {
  if (row_.ids != nullptr) {
    is_list_ = true;
    GatherGiven();
  } else {
    allowed_count_ = CountAllowed();
    is_list_ = allowed_count_ < row_.vocab / kListShare;
    if (is_list_) GatherMasked();
  }
  if (is_list_) AdjustList();
  total_ = is_list_ ? allowed_count_ : row_.vocab;
  slice_count_ = static_cast<uint32_t>(SliceCount(total_));
  FindMaxima();
}

uint32_t RowSlices::CountAllowed() {
  uint32_t allowed = row_.vocab;
  if (row_.mask != nullptr) {
    allowed = ops_.count_slices(row_.mask, row_.vocab, scratch_.allowed);
  } else {
    for (uint32_t first = 0; first < row_.vocab; first += kSliceTokens) {
      scratch_.allowed[first / kSliceTokens] =
          static_cast<uint16_t>(SliceTokens(first, row_.vocab));
    }
  }
  for (uint32_t i = 0; i < row_.exception_count; ++i) {
    const uint32_t id = row_.exceptions[i];
    const bool opens = row_.mask != nullptr && ((row_.mask[id >> 5] >> (id & 31)) & 1u) == 0;
    const int32_t change = opens ? 1 : -1;
    uint16_t& in_slice = scratch_.allowed[id / kSliceTokens];
    in_slice = static_cast<uint16_t>(in_slice + change);
    allowed += static_cast<uint32_t>(change);
  }
  return allowed;
}

void RowSlices::GatherMasked() {
  uint32_t count = 0;
  for (uint32_t first = 0; first < row_.vocab; first += kSliceTokens) {
    if (scratch_.allowed[first / kSliceTokens] == 0) continue;
    const uint32_t* words = mask_.Words(first);
    const uint32_t tokens = SliceTokens(first, row_.vocab);
    const uint32_t end = count + scratch_.allowed[first / kSliceTokens];
    for (uint32_t at = 0; count != end; at += 64) {
      for (uint64_t word = TwoWords(words, at, tokens); word != 0; word &= word - 1) {
        const uint32_t id = first + at + static_cast<uint32_t>(__builtin_ctzll(word));
        scratch_.ids[count] = id;
        scratch_.values[count++] = row_.logits[id];
      }
    }
  }
}

void RowSlices::GatherGiven() {
  uint32_t count = 0;
  for (uint32_t i = 0; i < row_.count; ++i) {
    if (!mask_.Allows(row_.ids[i])) continue;
    scratch_.ids[count] = row_.ids[i];
    scratch_.values[count++] = row_.logits[i];
  }
  allowed_count_ = count;
}

// Returns the first entry at or behind `entry` whose id is at least `id`.
const TokenAdjustment* RowSlices::EntryFrom(const TokenAdjustment* entry, uint32_t id) const {
  return std::lower_bound(entry, row_.adjustments + row_.adjustment_count, id,
                          [](const TokenAdjustment& a, uint32_t b) { return a.id < b; });
}

void RowSlices::AdjustList() {
  const TokenAdjustment* entry = row_.adjustments;
  const TokenAdjustment* end = entry + row_.adjustment_count;
  const bool search = allowed_count_ < row_.adjustment_count / 16;
  for (uint32_t i = 0; i < allowed_count_; ++i) {
    const uint32_t id = scratch_.ids[i];
    if (search) {
      entry = EntryFrom(entry, id);
    } else {
      while (entry != end && entry->id < id) ++entry;
    }
    const bool found = entry != end && entry->id == id;
    const float x = scratch_.values[i];
    scratch_.values[i] = ScaleLogit(found ? AdjustLogit(x, *entry, penalties_) : x, scale_);
  }
}

void RowSlices::FindMaxima() {
  Rewind();
  uint32_t entry = 0;
  for (uint32_t s = 0; s < slice_count_; ++s) {
    const uint32_t first = s * kSliceTokens;
    if (is_list_) {
      scratch_.maxima[s] = ops_.find_max(scratch_.values + first, SliceTokens(first, total_)).value;
    } else {
      while (entry < row_.adjustment_count && row_.adjustments[entry].id < first) ++entry;
      scratch_.entries[s] = entry;
      scratch_.maxima[s] = scratch_.allowed[s] == 0 ? kMinusInfinity : Fill(s);
    }
    max_ = std::max(max_, scratch_.maxima[s]);
  }
}

float RowSlices::Fill(uint32_t slice) {
  const uint32_t first = slice * kSliceTokens;
  const uint32_t count = SliceTokens(first, row_.vocab);
  const uint32_t* words = mask_.Words(first);
  const float largest = ops_.scale_masked(row_.logits + first, words, count, scale_, buffer_);
  bool changed = false;
  for (uint32_t e = scratch_.entries[slice]; e < row_.adjustment_count; ++e) {
    const TokenAdjustment& entry = row_.adjustments[e];
    const uint32_t at = entry.id - first;
    if (at >= count) break;
    if (words != nullptr && ((words[at >> 5] >> (at & 31)) & 1u) == 0) continue;
    buffer_[at] = ScaleLogit(AdjustLogit(row_.logits[entry.id], entry, penalties_), scale_);
    changed = true;
  }
  return changed ? ops_.find_max(buffer_, count).value : largest;
}

Slice RowSlices::Load(uint32_t slice) {
  const uint32_t first = slice * kSliceTokens;
  const uint32_t count = SliceTokens(first, total_);
  if (is_list_) return {scratch_.values + first, {scratch_.ids + first, 0}, count};
  Fill(slice);
  return {buffer_, {nullptr, first}, count};
}

float RowSlices::ValueOf(uint32_t id) const {
  if (is_list_) {
    const uint32_t* at = std::lower_bound(scratch_.ids, scratch_.ids + allowed_count_, id);
    return scratch_.values[at - scratch_.ids];
  }
  const TokenAdjustment* entry = EntryFrom(row_.adjustments, id);
  const bool found = entry != row_.adjustments + row_.adjustment_count && entry->id == id;
  const float x = row_.logits[id];
  return ScaleLogit(found ? AdjustLogit(x, *entry, penalties_) : x, scale_);
}

}  // namespace maskloom::kernels
