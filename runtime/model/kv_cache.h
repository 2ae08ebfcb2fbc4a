// Keys and values of the positions that a model has seen, behind an interface: the forward pass
// asks for runs of consecutive positions and does not know whether they lie in one piece.
#pragma once

#include <cstddef>
#include <memory>

#include "grammar/base/status.h"
#include "kernels/kernels.h"

namespace maskloom {

// Dimensions of a cache.
struct KvShape {
  size_t layers = 0;
  size_t heads = 0;  // key/value heads
  size_t head_dim = 0;
  size_t positions = 0;  // capacity
};

// Keys and values of one sequence.
// Invariants: 1. length() <= capacity(); 2. positions below length() are complete in every layer.
// Thread safety: one writer; runs may be read by many while nothing is written.
class KvCache {
 public:
  virtual ~KvCache() = default;

  virtual const KvShape& shape() const = 0;
  size_t capacity() const { return shape().positions; }
  // Positions that are complete.
  virtual size_t length() const = 0;

  // Stores key and value vectors (heads x head_dim floats each) of a position at or above length()
  // and below capacity().
  virtual void Store(size_t layer, size_t position, const float* keys, const float* values) = 0;

  // Return the longest run of stored positions of a head that starts at `position` and lies evenly.
  virtual kernels::KvRun Keys(size_t layer, size_t head, size_t position) const = 0;
  virtual kernels::KvRun Values(size_t layer, size_t head, size_t position) const = 0;

  // Declares positions below `length` complete. Requires: length <= capacity().
  virtual void Extend(size_t length) = 0;

  // Forgets positions from `length` on; does nothing when there are none.
  virtual void Truncate(size_t length) = 0;
};

// Returns a cache in one piece; memory is touched only as positions are filled.
// On error: kResourceLimit when the memory cannot be had; kInvalidArgument for a dimension of 0, or
// when the forced kernels are not available.
Result<std::unique_ptr<KvCache>> MakeContiguousKvCache(const KvShape& shape, kernels::KvType type);

}  // namespace maskloom
