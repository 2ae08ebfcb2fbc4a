#include "kernels/simt/traffic.h"

#include <algorithm>
#include <numeric>

#include "kernels/simt/memory.h"
#include "kernels/simt/stand_in_state.h"

namespace simt {
namespace {

constexpr unsigned kBanks = 32;
constexpr unsigned kBankBytes = 4;

// The different sectors that the lanes of an instruction touch, in rising order.
void CollectSectors(const LoggedAccess* accesses, unsigned count, std::vector<uint64_t>* sectors) {
  sectors->clear();
  bool is_sorted = true;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t first = accesses[i].address / kSectorBytes;
    uint64_t last = (accesses[i].address + accesses[i].bytes - 1) / kSectorBytes;
    for (uint64_t sector = first; sector <= last; ++sector) {
      if (!sectors->empty() && sectors->back() == sector) continue;
      is_sorted = is_sorted && (sectors->empty() || sectors->back() < sector);
      sectors->push_back(sector);
    }
  }
  if (is_sorted) return;
  std::sort(sectors->begin(), sectors->end());
  sectors->erase(std::unique(sectors->begin(), sectors->end()), sectors->end());
}

// Passes over the banks for accesses that are served together: the most different words that one
// bank must give; atomics on one word wait for each other.
unsigned CountPasses(const LoggedAccess* accesses, unsigned count) {
  uint64_t words[kWarpLanes * 4];
  unsigned word_count = 0;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t first = accesses[i].address / kBankBytes;
    uint64_t last = (accesses[i].address + accesses[i].bytes - 1) / kBankBytes;
    for (uint64_t word = first; word <= last && word_count < kWarpLanes * 4; ++word) {
      words[word_count++] = word;
    }
  }
  std::sort(words, words + word_count);
  bool is_atomic = accesses[0].kind >= static_cast<uint64_t>(AccessKind::kAtomic);
  if (!is_atomic)
    word_count = static_cast<unsigned>(std::unique(words, words + word_count) - words);
  unsigned passes[kBanks] = {};
  unsigned most = 0;
  for (unsigned i = 0; i < word_count; ++i) most = std::max(most, ++passes[words[i] % kBanks]);
  return most;
}

}  // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  launches += other.launches;
  global_read_bytes += other.global_read_bytes;
  global_write_bytes += other.global_write_bytes;
  global_atomic_bytes += other.global_atomic_bytes;
  global_read_sectors += other.global_read_sectors;
  global_write_sectors += other.global_write_sectors;
  global_atomic_sectors += other.global_atomic_sectors;
  global_read_requests += other.global_read_requests;
  global_write_requests += other.global_write_requests;
  global_atomic_requests += other.global_atomic_requests;
  unique_read_sectors += other.unique_read_sectors;
  unique_write_sectors += other.unique_write_sectors;
  pinned_read_bytes += other.pinned_read_bytes;
  pinned_write_bytes += other.pinned_write_bytes;
  shared_read_bytes += other.shared_read_bytes;
  shared_write_bytes += other.shared_write_bytes;
  shared_atomic_bytes += other.shared_atomic_bytes;
  shared_passes += other.shared_passes;
  bank_conflicts += other.bank_conflicts;
  barriers += other.barriers;
  return *this;
}

// How many accesses at the head of every log are of the same sites in the same order.
size_t WarpLog::AlikeUntil() const {
  size_t until = logs_[0].size();
  for (unsigned lane = 1; lane < kWarpLanes; ++lane) {
    until = std::min(until, logs_[lane].size());
    for (size_t i = 0; i < until; ++i) {
      if (!(logs_[lane][i].site == logs_[0][i].site)) until = i;
    }
  }
  return until;
}

// Sorts the accesses from `from` on into instructions by site and occurrence.
void WarpLog::Group(size_t from) {
  sites_.clear();
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    uintptr_t last_key = 0;
    SiteGroups* groups = nullptr;
    for (size_t i = from; i < logs_[lane].size(); ++i) {
      const LoggedAccess& access = logs_[lane][i];
      if (groups == nullptr || access.site.key() != last_key) {
        last_key = access.site.key();
        groups = &sites_[last_key];
      }
      if (groups->lane != lane) {
        groups->lane = lane;
        groups->seen_by_lane = 0;
      }
      if (groups->seen_by_lane == groups->instructions.size()) {
        groups->instructions.push_back(used_);
        if (used_ == instructions_.size()) instructions_.emplace_back();
        instructions_[used_++].count = 0;
      }
      Instruction& instruction = instructions_[groups->instructions[groups->seen_by_lane++]];
      instruction.lanes[instruction.count] = static_cast<uint8_t>(lane);
      instruction.accesses[instruction.count++] = access;
    }
  }
}

void WarpLog::CountInto(Traffic* traffic) {
  size_t alike = AlikeUntil();
  Instruction instruction;
  instruction.count = kWarpLanes;
  std::iota(instruction.lanes.begin(), instruction.lanes.end(), uint8_t{0});
  for (size_t i = 0; i < alike; ++i) {
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      instruction.accesses[lane] = logs_[lane][i];
    }
    Count(instruction, traffic);
  }
  used_ = 0;
  Group(alike);
  for (uint32_t i = 0; i < used_; ++i) Count(instructions_[i], traffic);
  for (std::vector<LoggedAccess>& log : logs_) log.clear();
}

void WarpLog::Count(const Instruction& instruction, Traffic* traffic) {
  uint64_t bytes = 0;
  for (unsigned i = 0; i < instruction.count; ++i) bytes += instruction.accesses[i].bytes;
  const LoggedAccess& first = instruction.accesses[0];
  bool is_load = first.kind == static_cast<uint64_t>(AccessKind::kLoad);
  bool is_store = first.kind == static_cast<uint64_t>(AccessKind::kStore);
  switch (static_cast<Space>(first.space)) {
    case Space::kShared:
      (is_load    ? traffic->shared_read_bytes
       : is_store ? traffic->shared_write_bytes
                  : traffic->shared_atomic_bytes) += bytes;
      CountShared(instruction, traffic);
      break;
    case Space::kPinned:
      if (!is_store) traffic->pinned_read_bytes += bytes;
      if (!is_load) traffic->pinned_write_bytes += bytes;
      break;
    case Space::kGlobal:
      (is_load    ? traffic->global_read_bytes
       : is_store ? traffic->global_write_bytes
                  : traffic->global_atomic_bytes) += bytes;
      CountGlobal(instruction, traffic);
      break;
  }
}

void WarpLog::CountGlobal(const Instruction& instruction, Traffic* traffic) {
  static thread_local std::vector<uint64_t> sectors;
  CollectSectors(instruction.accesses.data(), instruction.count, &sectors);
  auto kind = static_cast<AccessKind>(instruction.accesses[0].kind);
  bool is_load = kind == AccessKind::kLoad;
  bool is_store = kind == AccessKind::kStore;
  (is_load    ? traffic->global_read_sectors
   : is_store ? traffic->global_write_sectors
              : traffic->global_atomic_sectors) += sectors.size();
  ++(is_load    ? traffic->global_read_requests
     : is_store ? traffic->global_write_requests
                : traffic->global_atomic_requests);
  Region* region = nullptr;
  for (uint64_t sector : sectors) {
    auto at = reinterpret_cast<const std::byte*>(sector * kSectorBytes);
    if (region == nullptr || at < region->begin() || at >= region->end()) region = FindRegion(at);
    if (region == nullptr) continue;
    size_t index = static_cast<size_t>(at - region->begin()) / kSectorBytes;
    uint32_t launch = State().launch_number;
    if (!is_store) traffic->unique_read_sectors += region->TouchSector(index, false, launch);
    if (!is_load) traffic->unique_write_sectors += region->TouchSector(index, true, launch);
  }
}

// Accesses of 8 and 16 bytes are served half and quarter warps at a time.
void WarpLog::CountShared(const Instruction& instruction, Traffic* traffic) {
  unsigned width = static_cast<unsigned>(instruction.accesses[0].bytes);
  unsigned lanes = width <= 4 ? kWarpLanes : width <= 8 ? kWarpLanes / 2 : kWarpLanes / 4;
  for (unsigned first = 0, next = 0; first < instruction.count; first = next) {
    unsigned part = instruction.lanes[first] / lanes;
    while (next < instruction.count && instruction.lanes[next] / lanes == part) ++next;
    unsigned passes = CountPasses(instruction.accesses.data() + first, next - first);
    traffic->shared_passes += passes;
    traffic->bank_conflicts += passes - 1;
  }
}

}  // namespace simt
