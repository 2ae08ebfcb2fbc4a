// Errors of this library as the C API has them. It sees of the core only what that exports, so
// filling a maskloom_error is done here once more.
#pragma once

#include <cuda_runtime_api.h>
#include <maskloom.h>

#include <exception>
#include <new>
#include <string>

#include "grammar/base/status.h"

namespace maskloom::cuda_api {

// Fills `error`, unless it is null, and returns `code`.
maskloom_status Fill(maskloom_status code, const std::string& message,
                     maskloom_error* error) noexcept;
// The same of an error of our own.
maskloom_status Fill(const Status& status, maskloom_error* error) noexcept;
// The same of the driver's; `doing` tells what failed. MASKLOOM_OK for cudaSuccess, and
// MASKLOOM_RESOURCE_LIMIT where memory is short.
maskloom_status Fill(cudaError_t error, const char* doing, maskloom_error* out) noexcept;

// Runs `body`, which returns a maskloom_status, and turns exceptions into error codes.
template <typename Body>
maskloom_status Guarded(maskloom_error* error, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Fill(MASKLOOM_RESOURCE_LIMIT, "out of memory", error);
  } catch (const std::exception& exception) {
    return Fill(MASKLOOM_INTERNAL, exception.what(), error);
  } catch (...) {
    return Fill(MASKLOOM_INTERNAL, "unknown exception", error);
  }
}

}  // namespace maskloom::cuda_api
