// What was read of an item of an array whose items are compared; see distinct_items.h.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/frame.h"

namespace maskloom {

// The bytes since the trace was `length` bytes long.
std::string TraceText(const TraceByte* trace, uint32_t length);
// The bytes of the number at its end; "" if there is none.
std::string TraceNumber(const TraceByte* trace);
// The string or key at its end, which has not ended, with its quote: every quote in it is escaped,
// its first is not.
std::string TraceString(const TraceByte* trace);

}  // namespace maskloom
