#include "kernels/simt/memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "kernels/simt/stand_in_state.h"

namespace simt {
namespace {

constexpr std::align_val_t kAllocationAlignment{256};  // as of cudaMalloc
constexpr int kGarbage = 0xFD;  // what memory holds before it is written: large negative numbers
constexpr size_t kMostBytes = size_t{80} << 30;  // of one allocation; as of a large device

}  // namespace

Region::Region(std::byte* begin, size_t bytes, Space space)
    : begin_(begin), bytes_(bytes), space_(space), initialised_(bytes, 0) {
  races_.SetSize(bytes);
}

void Region::SetInitialised(size_t offset, size_t bytes, bool value) {
  if (bytes > 0) std::memset(initialised_.data() + offset, value ? 1 : 0, bytes);
}

bool Region::IsInitialised(size_t offset, size_t bytes) const {
  return std::memchr(initialised_.data() + offset, 0, bytes) == nullptr;
}

void Region::CopyInitialised(size_t offset, const Region& source, size_t source_offset,
                             size_t bytes) {
  std::memmove(initialised_.data() + offset, source.initialised_.data() + source_offset, bytes);
}

std::shared_ptr<ReleaseList>& Region::Releases(size_t offset) {
  std::shared_ptr<ReleaseList>& list = releases_[offset];
  if (list == nullptr) list = std::make_shared<ReleaseList>();
  return list;
}

void Region::EndReleases(size_t offset) {
  if (!releases_.empty()) releases_.erase(offset);
}

bool Region::TouchSector(size_t sector, bool is_write, uint32_t launch) {
  std::vector<uint32_t>& touched = touched_[is_write ? 1 : 0];
  if (touched.empty()) touched.resize(bytes_ / kSectorBytes + 1);
  if (touched[sector] == launch) return false;
  touched[sector] = launch;
  return true;
}

Region* FindRegion(const void* address) {
  StandInState& state = State();
  std::lock_guard lock(state.mutex);
  auto at = static_cast<const std::byte*>(address);
  auto next = state.regions.upper_bound(at);
  if (next == state.regions.begin()) return nullptr;
  Region* region = std::prev(next)->second.get();
  // One past the end is still a pointer into the region.
  return at <= region->end() ? region : nullptr;
}

void* Allocate(size_t bytes, Space space) {
  if (bytes > kMostBytes) return nullptr;
  // A byte more, so that one past the end of a region is never the beginning of another.
  void* memory = ::operator new(bytes + 1, kAllocationAlignment, std::nothrow);
  if (memory == nullptr) return nullptr;
  std::memset(memory, kGarbage, bytes);
  auto begin = static_cast<std::byte*>(memory);
  auto region = std::make_unique<Region>(begin, bytes, space);
  // The host writes its own memory by itself.
  if (space == Space::kPinned) region->SetInitialised(0, bytes, true);
  std::lock_guard lock(State().mutex);
  State().regions[begin] = std::move(region);
  return memory;
}

bool Deallocate(void* address, Space space) {
  StandInState& state = State();
  std::lock_guard lock(state.mutex);
  auto found = state.regions.find(static_cast<std::byte*>(address));
  if (found == state.regions.end() || found->second->space() != space) return false;
  found->second->Free();
  state.freed.push_back(std::move(found->second));
  state.regions.erase(found);
  ::operator delete(address, kAllocationAlignment);
  return true;
}

}  // namespace simt
