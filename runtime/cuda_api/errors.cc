#include "runtime/cuda_api/errors.h"

#include <algorithm>
#include <cstring>

namespace maskloom::cuda_api {

maskloom_status Fill(maskloom_status code, const std::string& message,
                     maskloom_error* error) noexcept {
  if (error == nullptr || code == MASKLOOM_OK) return code;
  *error = {};
  error->code = code;
  const size_t length = std::min(message.size(), sizeof(error->message) - 1);
  std::memcpy(error->message, message.data(), length);
  return code;
}

maskloom_status Fill(const Status& status, maskloom_error* error) noexcept {
  if (status.ok()) return MASKLOOM_OK;
  const bool is_limit = status.code() == StatusCode::kResourceLimit;
  return Fill(is_limit ? MASKLOOM_RESOURCE_LIMIT : MASKLOOM_INVALID_ARGUMENT, status.message(),
              error);
}

maskloom_status Fill(cudaError_t error, const char* doing, maskloom_error* out) noexcept {
  if (error == cudaSuccess) return MASKLOOM_OK;
  const bool is_short = error == cudaErrorMemoryAllocation;
  return Fill(is_short ? MASKLOOM_RESOURCE_LIMIT : MASKLOOM_NO_DEVICE,
              std::string(doing) + ": " + cudaGetErrorString(error), out);
}

}  // namespace maskloom::cuda_api
