// Who accessed which bytes last, and whether an access of now is ordered behind it.
//
// Memory is cut into granules; each keeps its last write and up to three readers. The granule is
// as wide as the narrowest access so far: all accesses covered whole granules, so splitting them
// loses nothing, and memory that is accessed by 16 bytes at a time costs little.
//
// Time is one counter of phases, raised at every event that orders accesses. An access carries the
// phase in which it was made; "ordered" is then a comparison with the phase until which the lane
// of now knows the other (Lane::Knows). Of the readers are kept the last one, the last other one of
// its warp, and the last one of another warp: a write that races with any reader forgotten races
// with one of these as well, as long as readers of at most two blocks meet at one place.
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
  struct Granule {
    PastAccess write;
    PastAccess reader;
    PastAccess reader_of_warp;        // another lane of the reader's warp
    PastAccess reader_of_other_warp;  // or of another block
  };

  void Refine(size_t granule_bytes);
  static void AddReader(const PastAccess& access, Granule* granule);
  static bool CompareWithWrite(const Lane& lane, const PastAccess& access, bool is_float_sum,
                               const Granule& granule, bool is_shared);
  static bool CompareWithReaders(const Lane& lane, const PastAccess& access, const Granule& granule,
                                 bool is_shared);

  size_t bytes_ = 0;
  size_t granule_bytes_ = 16;
  std::vector<Granule> granules_;
};

}  // namespace simt
