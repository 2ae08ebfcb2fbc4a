// A row as slices of adjusted values: mask, penalties, bias and temperature applied.
//
// A row comes in one of two shapes. A mask that allows at least 1 / kListShare of the vocabulary
// gives slices of kSliceTokens neighbours, -infinity where a token is not allowed; they are made
// again from the logits whenever a pass asks for them, in a buffer that stays in the first cache. A
// shorter mask, or gathered logits, gives a list of ids with their values, cut into slices of as
// many entries; only these logits are read. Slices without an allowed token are never read.
#pragma once

#include "kernels/sampling/adjust_logit.h"
#include "kernels/sampling/row_ops.h"
#include "kernels/sampling/sample_row.h"

namespace maskloom::kernels {

// The scratch memory of one row.
struct Scratch {
  float* values;      // [vocab + kOverrun] of a list
  uint32_t* ids;      // [vocab] of a list
  float* work;        // [vocab + kOverrun] values that a selection works on
  float* spare;       // [vocab + kOverrun]
  float* maxima;      // [slices] largest value
  uint32_t* entries;  // [slices] first entry of the sparse table that may concern the slice
  uint16_t* allowed;  // [slices] tokens allowed
};

// Returns the arrays inside SampleScratchBytes(vocab) bytes at `memory`.
Scratch DivideScratch(void* memory, uint32_t vocab);

// Returns kOk, or kInvalidArgument where something is outside what sample_row.h documents.
SampleStatus CheckArguments(const SampleRow& row, const SampleSettings& settings,
                            const SampleBuffers& buffers);

// Reads the mask of a row together with its exceptions. Ids asked for ascend until Rewind.
class MaskReader {
 public:
  explicit MaskReader(const SampleRow& row) : row_(row) {}

  // Returns the mask words of a slice, bits beyond the vocabulary as they are; null where all its
  // tokens are allowed. Valid until the next call.
  const uint32_t* Words(uint32_t first);

  bool Allows(uint32_t id);

  void Rewind() { next_ = 0; }

 private:
  const SampleRow& row_;
  uint32_t next_ = 0;  // first exception that is not behind us
  uint32_t flipped_[kSliceTokens / 32];
};

// Values of a slice; valid, and the caller's to change, until the next one is loaded.
struct Slice {
  float* values;
  SliceIds ids;
  uint32_t count;
};

class RowSlices {
 public:
  RowSlices(const RowOps& ops, const SampleRow& row, const SampleSettings& settings,
            const Scratch& scratch)
      : ops_(ops),
        row_(row),
        penalties_(PenaltiesOf(settings)),
        scale_(TemperatureScale(settings)),
        scratch_(scratch) {}

  // Counts the allowed tokens, decides on the shape, and finds the largest value of each slice.
  // Requires: CheckArguments gave kOk. Call it once, before all others.
  void Prepare();

  uint32_t allowed_count() const { return allowed_count_; }
  uint32_t slice_count() const { return slice_count_; }
  // The largest value of a slice; -infinity where nothing in it can be chosen.
  float max_of(uint32_t slice) const { return scratch_.maxima[slice]; }
  float max() const { return max_; }

  // Makes the values of a slice. A pass loads slices in ascending order, after Rewind.
  Slice Load(uint32_t slice);
  void Rewind() { mask_.Rewind(); }

  // Returns the id of value `index` of `slice`.
  static uint32_t IdAt(const Slice& slice, uint32_t index) {
    return slice.ids.list == nullptr ? slice.ids.first + index : slice.ids.list[index];
  }

  // Returns the value of a token. Requires: allowed.
  float ValueOf(uint32_t id) const;

 private:
  uint32_t CountAllowed();
  uint32_t SliceTokens(uint32_t first, uint32_t total) const {
    return total - first < kSliceTokens ? total - first : kSliceTokens;
  }
  void GatherMasked();
  void GatherGiven();
  void AdjustList();
  void FindMaxima();
  // Fills the buffer; returns the largest value.
  float Fill(uint32_t slice);
  const TokenAdjustment* EntryFrom(const TokenAdjustment* entry, uint32_t id) const;

  const RowOps& ops_;
  const SampleRow& row_;
  Penalties penalties_;
  float scale_;
  Scratch scratch_;
  MaskReader mask_{row_};
  bool is_list_ = false;
  uint32_t total_ = 0;  // values of all slices: the vocabulary, or the list's length
  uint32_t allowed_count_ = 0;
  uint32_t slice_count_ = 0;
  float max_ = -__builtin_inff();
  alignas(64) float buffer_[kSliceTokens];
};

// ChooseToken by a given form of the passes.
SampleStatus ChooseTokenWith(const RowOps& ops, const SampleRow& row,
                             const SampleSettings& settings, const SampleBuffers& buffers,
                             SampleResult* result) noexcept;

}  // namespace maskloom::kernels
