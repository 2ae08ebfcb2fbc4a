// What the two passes of the logits kernel leave for each other in global memory.
#pragma once

#include <cstdint>

#include "kernels/cuda/logits.h"
#include "kernels/cuda/tile_mask.h"
#include "kernels/sampling/mass.h"
#include "kernels/simt/cuda.h"

namespace maskloom::kernels::cuda {

// Bins of the histogram; the highest holds the row's largest value.
inline constexpr int32_t kBins = 128;
// What one block must have to do, so that its traces are few beside its logits.
inline constexpr uint32_t kLeastSplitTokens = 9 * kTileTokens;

struct Best {
  float score;
  uint32_t id;
  float value;
};

// Masses by steps of 16 exponents, exact (mass.h): part[j] counts units of step - 16 j.
struct MassParts {
  int32_t step;
  uint64_t part[4];
};

// A token and its value.
struct ListEntry {
  float value;
  uint32_t id;
};

// Entries that a split may leave in place of its histogram. They weigh less than most histograms,
// and all of a row may do without a second pass.
inline constexpr uint32_t kMostSplitListed = 128;
inline constexpr uint32_t kIsListed = 1u << 31;

// What one split of a row found in the first pass.
struct ScanPartial {
  MassParts mass;
  Best best;  // where no filter is on
  float max;
  uint32_t max_id;
  uint32_t allowed;
  int32_t top_key;  // of the highest bin of its histogram
  uint32_t stored;  // bins from there down that were stored, or kIsListed + entries
};

// Mass of a bin: low + 2^16 high in units of the bin (BinExponent).
struct BinMass {
  uint32_t low;
  uint32_t high;
};

// What the first pass settled about a row.
struct RowPlan {
  uint64_t total_high, total_low;  // mass of the row
  uint64_t above_high, above_low;  // mass of the values that are kept for sure
  float max;
  uint32_t max_id;
  float sure_low;  // values from here are kept for sure, where min_edge lets them
  float list_low;  // values from here to sure_low are listed
  float min_edge;  // values below are not kept
  float top_low;   // the most probable tokens are among the values from here
  uint32_t above_count;
  uint32_t allowed;
  int32_t base;        // of masses
  uint32_t keeps_all;  // no filter is on after all: top-k is not below the allowed count
  uint32_t is_done;    // the choice is made: nothing to read again
};

// What one split of a row kept for sure in the second pass.
struct PickPartial {
  uint64_t kept_high, kept_low;
  Best best;
  uint32_t kept;
};

// Entries of the list of a row: tokens of which only all together decide whether they are kept. One
// that has more is not listed but read again.
inline constexpr uint32_t kMostListed = 16384;

// What one split of a row adds to its report.
struct ReportPartial {
  MassParts all;        // of the logits as given
  MassParts inside;     // the same inside the mask
  uint64_t entropy[2];  // terms of RowOps::add_entropy
  float max;            // of the logits as given
};

struct RowCounters {
  uint32_t scanned;  // splits that are through
  uint32_t picked;
  uint32_t reported;
  uint32_t listed;
};

struct Workspace {
  simt::Global<RowCounters> counters;   // [batch]; zero between launches
  simt::Global<RowPlan> plans;          // [batch]
  simt::Global<ScanPartial> scans;      // [batch][splits]
  simt::Global<PickPartial> picks;      // [batch][splits]
  simt::Global<ReportPartial> reports;  // [batch][splits]
  simt::Global<uint32_t> bin_counts;    // [batch][splits][kBins], from the highest bin down
  simt::Global<BinMass> bin_masses;     // the same
  simt::Global<ListEntry> entries;      // [batch][splits][kMostSplitListed]
  simt::Global<float> warp_maxima;      // [batch][tiles][kWarps], of the tokens that a warp reads
  simt::Global<ListEntry> lists;        // [batch][kMostListed]
};

template <class T>
struct KernelArgs {
  simt::Global<const typename T::Stored> logits;
  uint32_t vocab;
  uint32_t is_aligned;  // every row starts at 16 bytes
  uint64_t stride;
  MaskArgs masks;
  simt::Global<const RowRequest> requests;
  simt::Global<const TokenAdjustment> adjustments;
  simt::Global<RowChoice> choices;
  simt::Global<RowReport> reports;
  simt::Global<TopToken> tops;
  Splits splits;
  uint32_t has_passes;  // whether others follow the first, and look at its plans
  Workspace work;
};

__device__ inline Mass MassOfWords(uint64_t high, uint64_t low) {
  return static_cast<Mass>(high) << 64 | low;
}
__device__ inline uint64_t HighWord(Mass mass) { return static_cast<uint64_t>(mass >> 64); }
__device__ inline uint64_t LowWord(Mass mass) { return static_cast<uint64_t>(mass); }

}  // namespace maskloom::kernels::cuda
