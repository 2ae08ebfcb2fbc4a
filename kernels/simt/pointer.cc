#include "kernels/simt/pointer.h"

#include <string>

#include "kernels/simt/findings.h"

namespace simt {

Bounds FindBounds(const void* address) {
  Region* region = address == nullptr ? nullptr : FindRegion(address);
  if (region == nullptr) return {};
  return {region->begin(), region->end(), region};
}

void RefuseAccess(const void* at, size_t bytes, size_t alignment, const Bounds& bounds, Site site) {
  std::string what = "an access of " + std::to_string(bytes) + " bytes ";
  if (current_lane == nullptr) {
    Report(Fault::kOutOfBounds, site, what + "to device memory by the host");
    return;
  }
  if (bounds.region == nullptr) {
    Report(
        Fault::kOutOfBounds, site,
        what + (at == nullptr ? "through a null pointer" : "to memory that is not the device's"));
    return;
  }
  if (bounds.region->is_freed()) {
    Report(Fault::kOutOfBounds, site, what + "to memory that was freed");
    return;
  }
  auto offset = static_cast<ptrdiff_t>(reinterpret_cast<uintptr_t>(at) -
                                       reinterpret_cast<uintptr_t>(bounds.begin));
  auto size = bounds.end - bounds.begin;
  what += "at offset " + std::to_string(offset) + " of " + std::to_string(size) + " bytes";
  bool is_inside = offset >= 0 && offset + static_cast<ptrdiff_t>(bytes) <= size;
  if (is_inside) what += ", which is no multiple of " + std::to_string(alignment);
  Report(is_inside ? Fault::kMisaligned : Fault::kOutOfBounds, site, what);
}

}  // namespace simt
