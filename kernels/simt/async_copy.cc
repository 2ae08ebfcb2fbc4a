#include "kernels/simt/async_copy.h"

#include <array>
#include <cstring>

#include "kernels/simt/findings.h"

namespace simt {

void StartAsyncCopy(Shared<std::byte> to, Global<const std::byte> from, size_t bytes,
                    size_t zero_fill, Site site) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_fill > bytes) {
    Report(Fault::kMisaligned, site, "an asynchronous copy moves 4, 8 or 16 bytes");
    return;
  }
  std::array<std::byte, 16> data{};
  size_t read = bytes - zero_fill;
  // The address must be aligned to all of the copy, of which the end may not be read.
  if (read > 0 && !Admit(from.raw(), read, bytes, from.bounds(), AccessKind::kLoad, false, site)) {
    return;
  }
  std::memcpy(data.data(), from.raw(), read);
  if (!Admit(to.raw(), bytes, bytes, to.bounds(), AccessKind::kStore, false, site)) return;
  Region* region = to.bounds().region;
  auto offset = static_cast<size_t>(to.raw() - region->begin());
  region->SetInitialised(offset, bytes, false);
  auto& groups = current_lane->async_copies();
  if (groups.empty()) groups.emplace_back();
  groups.back().push_back([=] {
    std::memcpy(to.raw(), data.data(), bytes);
    region->SetInitialised(offset, bytes, true);
  });
}

void __pipeline_commit() { current_lane->async_copies().emplace_back(); }

void __pipeline_wait_prior(size_t prior) {
  auto& groups = current_lane->async_copies();
  // The last group is the open one, of copies that are not committed.
  while (groups.size() > prior + 1) {
    for (const auto& copy : groups.front()) copy();
    groups.erase(groups.begin());
  }
}

}  // namespace simt
