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

// Each of `coarse` as often as its finer parts.
template <class T>
std::vector<T> Split(const std::vector<T>& coarse, size_t factor, size_t count) {
  std::vector<T> finer(coarse.empty() ? 0 : count);
  for (size_t i = 0; i < finer.size(); ++i) finer[i] = coarse[i / factor];
  return finer;
}

}  // namespace

void RaceShadow::Refine(size_t granule_bytes) {
  size_t factor = granule_bytes_ / granule_bytes;
  granule_bytes_ = granule_bytes;
  granules_ = Split(granules_, factor, granule_count());
  atomics_ = Split(atomics_, factor, granule_count());
}

void RaceShadow::Accessors::Add(const PastAccess& access) {
  if (last.phase != 0 && !last.IsOf(access)) {
    if (last.IsOfWarpOf(access)) {
      of_warp = last;
    } else {
      of_other_warp = last;
      of_warp = {};
    }
  }
  last = access;
}

bool RaceShadow::Now::IsOrderedBehind(const PastAccess& past) const {
  return past.phase == 0 || lane.Knows(past, is_shared);
}

const PastAccess* RaceShadow::Now::FirstUnordered(const Accessors& past) const {
  for (const PastAccess* one : {&past.last, &past.of_warp, &past.of_other_warp}) {
    if (!IsOrderedBehind(*one)) return one;
  }
  return nullptr;
}

// Returns what `now` races with.
const PastAccess* RaceShadow::FindRace(const Now& now, size_t granule) const {
  const Granule& past = granules_[granule];
  if (!now.IsOrderedBehind(past.write)) return &past.write;
  if (now.access.kind() != AccessKind::kLoad) {
    if (const PastAccess* reader = now.FirstUnordered(past.readers)) return reader;
  }
  if (atomics_.empty()) return nullptr;
  const PastAccess* atomic = now.FirstUnordered(atomics_[granule]);
  if (atomic == nullptr || !IsAtomic(now.access)) return atomic;
  bool is_for_both =
      atomic->block == now.access.block ||
      (atomic->kind() == AccessKind::kAtomic && now.access.kind() == AccessKind::kAtomic);
  return is_for_both ? nullptr : atomic;
}

void RaceShadow::Record(const PastAccess& access, size_t granule) {
  if (access.kind() == AccessKind::kLoad) {
    granules_[granule].readers.Add(access);
  } else if (IsAtomic(access)) {
    if (atomics_.empty()) atomics_.resize(granule_count());
    atomics_[granule].Add(access);
  } else {
    granules_[granule] = {};
    granules_[granule].write = access;
    if (!atomics_.empty()) atomics_[granule] = {};
  }
}

void RaceShadow::Access(const Lane& lane, size_t offset, size_t bytes, const PastAccess& access,
                        bool is_float_sum, bool is_shared) {
  if (granules_.empty()) granules_.resize(granule_count());
  size_t common = size_t{1} << std::countr_zero(offset | bytes | granule_bytes_);
  if (common < granule_bytes_) Refine(common);
  Now now{lane, access, is_shared};
  bool is_reported = false;  // one report an access
  for (size_t i = offset / granule_bytes_; i < (offset + bytes) / granule_bytes_; ++i) {
    const PastAccess* past = is_reported ? nullptr : FindRace(now, i);
    if (past != nullptr) ReportRace(access, *past);
    is_reported = is_reported || past != nullptr;
    bool is_sum_of_many = is_float_sum && !is_reported && !atomics_.empty() &&
                          now.FirstUnordered(atomics_[i]) != nullptr;
    if (is_sum_of_many) {
      Report(Fault::kOrderDependent, access.site,
             "sums of floats by several threads come in any order, and so does their rounding");
    }
    Record(access, i);
  }
}

}  // namespace simt
