// What the host tells the device about rows that it finished, and what the device says of rows.
#pragma once

#include <cstdint>

#include "kernels/steps/row_mask.h"

namespace maskloom::kernels {

// What became of a row in a step.
enum class RowOutcome : uint16_t {
  kGoesOn = 0,  // the token was taken, the mask of the next step is in place
  kEnded,       // the token ends the text; the mask is empty until the host begins another text
  kNeedsMask,   // the token was taken, the mask after it is unknown: the row waits for a mask
  kNeedsStep,   // the tables do not know the token from here: the state is as it was before it; the
                // row waits for a state and a mask
  kNoToken,     // nothing was chosen, for the reason in `status`; nothing of the row has changed
};

// What the host sends for one row.
struct RowUpdate {
  RowMask mask;    // of the next step. Its sent ids are words[sent_begin, sent_begin + sent_count),
                   // at most kMostSentIds
  uint16_t row;    // below the batch
  uint16_t depth;  // words of the row's new state, 0: the host follows the row; behind the sent ids
                   // lie its count, the number of its cells, these words and these cells.
                   // kKeepState: the state stays as it is
};
static_assert(sizeof(RowUpdate) == 20);
inline constexpr uint16_t kKeepState = 0xFFFF;
inline constexpr uint32_t kMostBatchRows = 0xFFFF;

}  // namespace maskloom::kernels
