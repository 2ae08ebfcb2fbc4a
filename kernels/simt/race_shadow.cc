#include "kernels/simt/race_shadow.h"

#include <algorithm>
#include <bit>
#include <string>

#include "kernels/simt/block.h"
#include "kernels/simt/findings.h"

namespace simt {
namespace {

bool IsAtomic(const PastAccess& access) { return access.kind() >= AccessKind::kAtomic; }

const char* Verb(const PastAccess& access) {
  switch (access.kind()) {
    case AccessKind::kLoad:
      return "read";
    case AccessKind::kStore:
      return "written";
    default:
      return "changed atomically";
  }
}

// Reports that `now` is not ordered behind `past`.
void ReportRace(const PastAccess& now, const PastAccess& past) {
  bool is_between_blocks = now.block != past.block;
  Report(is_between_blocks ? Fault::kBlockRace : Fault::kRace, now.site,
         std::string(Verb(now)) + " here, and " + Verb(past) + " by thread " +
             std::to_string(past.thread) +
             (is_between_blocks ? " of block " + std::to_string(past.block) : "") + " at " +
             past.site.file() + ":" + std::to_string(past.site.line()) +
             " without anything that orders the two");
}

}  // namespace

void RaceShadow::Refine(size_t granule_bytes) {
  size_t factor = granule_bytes_ / granule_bytes;
  std::vector<Granule> finer((bytes_ + granule_bytes - 1) / granule_bytes);
  for (size_t i = 0; i < finer.size(); ++i) finer[i] = granules_[i / factor];
  granules_ = std::move(finer);
  granule_bytes_ = granule_bytes;
}

void RaceShadow::AddReader(const PastAccess& access, Granule* granule) {
  PastAccess& last = granule->reader;
  if (last.phase != 0 && !last.IsOf(access)) {
    if (last.IsOfWarpOf(access)) {
      granule->reader_of_warp = last;
    } else {
      granule->reader_of_other_warp = last;
      granule->reader_of_warp = {};
    }
  }
  last = access;
}

// Returns whether a race was reported.
bool RaceShadow::CompareWithWrite(const Lane& lane, const PastAccess& access, bool is_float_sum,
                                  const Granule& granule, bool is_shared) {
  const PastAccess& write = granule.write;
  if (write.phase == 0 || lane.Knows(write, is_shared)) return false;
  if (IsAtomic(access) && IsAtomic(write)) {
    bool of_one_block = access.block == write.block;
    bool for_all_blocks =
        access.kind() == AccessKind::kAtomic && write.kind() == AccessKind::kAtomic;
    if (of_one_block || for_all_blocks) {
      if (is_float_sum) {
        Report(Fault::kOrderDependent, access.site,
               "sums of floats by several threads come in any order, and so does their rounding");
      }
      return false;
    }
  }
  ReportRace(access, write);
  return true;
}

bool RaceShadow::CompareWithReaders(const Lane& lane, const PastAccess& access,
                                    const Granule& granule, bool is_shared) {
  for (const PastAccess* reader :
       {&granule.reader, &granule.reader_of_warp, &granule.reader_of_other_warp}) {
    if (reader->phase == 0 || lane.Knows(*reader, is_shared)) continue;
    ReportRace(access, *reader);
    return true;
  }
  return false;
}

void RaceShadow::Access(const Lane& lane, size_t offset, size_t bytes, const PastAccess& access,
                        bool is_float_sum, bool is_shared) {
  if (granules_.empty()) granules_.resize((bytes_ + granule_bytes_ - 1) / granule_bytes_);
  size_t common = size_t{1} << std::countr_zero(offset | bytes | granule_bytes_);
  if (common < granule_bytes_) Refine(common);
  bool is_reported = false;  // one report an access
  for (size_t i = offset / granule_bytes_; i < (offset + bytes) / granule_bytes_; ++i) {
    Granule& granule = granules_[i];
    is_reported = is_reported || CompareWithWrite(lane, access, is_float_sum, granule, is_shared);
    if (access.kind() == AccessKind::kLoad) {
      AddReader(access, &granule);
      continue;
    }
    is_reported = is_reported || CompareWithReaders(lane, access, granule, is_shared);
    granule = {};
    granule.write = access;
  }
}

}  // namespace simt
