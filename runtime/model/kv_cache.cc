// The cache in one piece: for keys and for values, layer x head x position x head_dim.
#include "runtime/model/kv_cache.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace maskloom {
namespace {

class ContiguousKvCache : public KvCache {
 public:
  ContiguousKvCache(const KvShape& shape, kernels::KvType type, size_t plane_bytes)
      : shape_(shape),
        type_(type),
        element_bytes_(type == kernels::KvType::kF32 ? 4 : 2),
        // calloc hands out untouched zero pages, so an unused capacity costs no memory.
        keys_(static_cast<uint8_t*>(std::calloc(plane_bytes, 1))),
        values_(static_cast<uint8_t*>(std::calloc(plane_bytes, 1))) {}
  ~ContiguousKvCache() override {
    std::free(keys_);
    std::free(values_);
  }
  ContiguousKvCache(const ContiguousKvCache&) = delete;
  ContiguousKvCache& operator=(const ContiguousKvCache&) = delete;

  bool allocated() const { return keys_ != nullptr && values_ != nullptr; }

  const KvShape& shape() const override { return shape_; }
  size_t length() const override { return length_; }

  void Store(size_t layer, size_t position, const float* keys, const float* values) override {
    for (size_t head = 0; head < shape_.heads; ++head) {
      size_t offset = Offset(layer, head, position);
      StoreHead(keys + head * shape_.head_dim, keys_ + offset);
      StoreHead(values + head * shape_.head_dim, values_ + offset);
    }
  }

  kernels::KvRun Keys(size_t layer, size_t head, size_t position) const override {
    return Run(keys_, layer, head, position);
  }
  kernels::KvRun Values(size_t layer, size_t head, size_t position) const override {
    return Run(values_, layer, head, position);
  }

  void Extend(size_t length) override { length_ = std::max(length_, length); }
  void Truncate(size_t length) override { length_ = std::min(length_, length); }

 private:
  size_t Offset(size_t layer, size_t head, size_t position) const {
    return ((layer * shape_.heads + head) * shape_.positions + position) * shape_.head_dim *
           element_bytes_;
  }
  void StoreHead(const float* from, uint8_t* to) {
    if (type_ == kernels::KvType::kF32) {
      std::memcpy(to, from, shape_.head_dim * sizeof(float));
    } else {
      kernels::ActiveBackend()->to_half(from, shape_.head_dim, reinterpret_cast<uint16_t*>(to));
    }
  }
  kernels::KvRun Run(const uint8_t* plane, size_t layer, size_t head, size_t position) const {
    return {.data = plane + Offset(layer, head, position),
            .type = type_,
            .count = shape_.positions - position,
            .stride = shape_.head_dim};
  }

  KvShape shape_;
  kernels::KvType type_;
  size_t element_bytes_;
  uint8_t* keys_;
  uint8_t* values_;
  size_t length_ = 0;
};

}  // namespace

Result<std::unique_ptr<KvCache>> MakeContiguousKvCache(const KvShape& shape, kernels::KvType type) {
  if (kernels::ActiveBackend() == nullptr) {
    return Status(StatusCode::kInvalidArgument,
                  "the kernels that MASKLOOM_KERNELS names are not available here");
  }
  size_t bytes = type == kernels::KvType::kF32 ? 4 : 2;
  for (size_t factor : {shape.layers, shape.heads, shape.head_dim, shape.positions}) {
    if (__builtin_mul_overflow(bytes, factor, &bytes)) bytes = SIZE_MAX / 4;
  }
  Status refused(StatusCode::kResourceLimit, "no memory for a cache of " +
                                                 std::to_string(shape.positions) +
                                                 " positions; choose a shorter context");
  if (bytes == 0) return Status(StatusCode::kInvalidArgument, "a cache needs every dimension > 0");
  if (bytes >= SIZE_MAX / 4) return refused;
  auto cache = std::make_unique<ContiguousKvCache>(shape, type, bytes);
  if (!cache->allocated()) return refused;
  return std::unique_ptr<KvCache>(std::move(cache));
}

}  // namespace maskloom
