// cp.async: copies from global to shared memory that are waited for later.
//
// A copy happens when it is waited for. Until then its target counts as not written, so that a read
// without a wait is reported.
#pragma once

#include <cstddef>

#include "kernels/simt/pointer.h"

namespace simt {

void StartAsyncCopy(Shared<std::byte> to, Global<const std::byte> from, size_t bytes,
                    size_t zero_fill, Site site);

// Starts a copy of 4, 8 or 16 bytes; the last `zero_fill` of them become zero.
template <class To, class From>
void __pipeline_memcpy_async(Shared<To> to, Global<From> from, size_t bytes, size_t zero_fill = 0,
                             std::source_location where = std::source_location::current()) {
  StartAsyncCopy(As<std::byte>(to), As<const std::byte>(from), bytes, zero_fill, where);
}
// Closes the group of the copies that this thread started.
void __pipeline_commit();
// Waits for all groups but the last `prior` ones.
void __pipeline_wait_prior(size_t prior);

}  // namespace simt
