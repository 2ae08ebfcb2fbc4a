// Who accessed which bytes last, and whether an access of now is ordered behind it.
//
// Memory is cut into granules; each keeps its last plain write, and who has read it and changed it
// atomically since. The granule is as wide as the narrowest access so far: all accesses covered
// whole granules, so splitting them loses nothing, and memory that is accessed by 16 bytes at a
// time costs little.
//
// Time is one counter of phases, raised at every event that orders accesses. An access carries the
// phase in which it was made; "ordered" is then a comparison with the phase until which the lane
// of now knows the other (Lane::Knows). A plain write begins anew: what is ordered behind it is
// ordered behind all that it was ordered behind.
//
// Of readers, and of those that change atomically, are kept the last one, the last other one of its
// warp, and the last one of another warp. An access that races with one that was forgotten races
// with one of these as well: all or none of another warp's are ordered before it by a barrier, and
// of its own warp's at most one kept is its own. Not so where barriers of parts of a warp tell
// more than three of its lanes apart, or fences more than two blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/simt/site.h"
#include "kernels/simt/traffic.h"

namespace simt {

class Lane;

// One access as the shadow keeps it.
struct PastAccess {
  Site site;
  uint32_t phase = 0;  // 0: none
  uint32_t thread : 10 = 0;
  uint32_t block : 20 = 0;
  uint32_t kind_number : 2 = 0;

  AccessKind kind() const { return static_cast<AccessKind>(kind_number); }

  bool IsOf(const PastAccess& other) const {
    return thread == other.thread && block == other.block;
  }
  bool IsOfWarpOf(const PastAccess& other) const {
    return thread / kWarpLanes == other.thread / kWarpLanes && block == other.block;
  }
};

class RaceShadow {
 public:
  // Compares an access of `lane` with those before it, reports a race, and records it.
  // `is_float_sum` marks additions whose result depends on their order.
  void Access(const Lane& lane, size_t offset, size_t bytes, const PastAccess& access,
              bool is_float_sum, bool is_shared);
  // Tells how large the memory is. Requires: nothing was accessed.
  void SetSize(size_t bytes) { bytes_ = bytes; }

 private:
  // Some of those that read, or changed atomically, since the last plain write.
  struct Accessors {
    PastAccess last;
    PastAccess of_warp;        // another lane of its warp
    PastAccess of_other_warp;  // or of another block

    void Add(const PastAccess& access);
  };
  struct Granule {
    PastAccess write;
    Accessors readers;
  };
  // Who accesses now.
  struct Now {
    const Lane& lane;
    const PastAccess& access;
    bool is_shared;

    bool IsOrderedBehind(const PastAccess& past) const;
    // Returns an access of `past` that this one is not ordered behind; nullptr if there is none.
    const PastAccess* FirstUnordered(const Accessors& past) const;
  };

  size_t granule_count() const { return (bytes_ + granule_bytes_ - 1) / granule_bytes_; }
  void Refine(size_t granule_bytes);
  const PastAccess* FindRace(const Now& now, size_t granule) const;
  void Record(const PastAccess& access, size_t granule);

  size_t bytes_ = 0;
  size_t granule_bytes_ = 16;
  std::vector<Granule> granules_;
  std::vector<Accessors> atomics_;  // one a granule; empty where nothing is changed atomically
};

}  // namespace simt
