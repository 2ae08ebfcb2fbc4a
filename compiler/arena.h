// Bump allocation of plain data, freed all at once or back to a mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace maskloom {

// Not thread-safe. Objects must be trivially destructible. Chunks are kept when the arena is reset,
// so that a steady state allocates nothing.
class Arena {
 public:
  struct Mark {
    size_t chunk = 0;
    size_t used = 0;
  };

  explicit Arena(size_t chunk_bytes = 64 << 10) : chunk_bytes_(chunk_bytes) {}
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  template <typename T, typename... Args>
  T* New(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(sizeof(T))) T{std::forward<Args>(args)...};
  }
  template <typename T>
  T* NewArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T*>(Allocate(sizeof(T) * count));
  }

  // Returns `bytes` bytes, aligned for any of our types.
  void* Allocate(size_t bytes) {
    bytes = (bytes + kAlignment - 1) & ~(kAlignment - 1);
    if (chunk_ >= chunks_.size() || used_ + bytes > chunks_[chunk_].size) NextChunk(bytes);
    void* result = chunks_[chunk_].data.get() + used_;
    used_ += bytes;
    return result;
  }

  Mark mark() const { return {chunk_, used_}; }
  // Frees everything allocated since `mark`.
  void Release(Mark mark) {
    chunk_ = mark.chunk;
    used_ = mark.used;
  }
  void Reset() { Release({}); }

  // Does `pointer` lie in this arena? Cost: linear in the chunks in use, of which there are few.
  bool Contains(const void* pointer) const {
    const std::byte* p = static_cast<const std::byte*>(pointer);
    for (size_t i = 0; i <= chunk_ && i < chunks_.size(); ++i) {
      if (p >= chunks_[i].data.get() && p < chunks_[i].data.get() + chunks_[i].size) return true;
    }
    return false;
  }

  // Bytes in chunks up to the one in use.
  size_t UsedBytes() const {
    size_t total = used_;
    for (size_t i = 0; i < chunk_ && i < chunks_.size(); ++i) total += chunks_[i].size;
    return total;
  }
  size_t CapacityBytes() const {
    size_t total = 0;
    for (const Chunk& chunk : chunks_) total += chunk.size;
    return total;
  }

 private:
  static constexpr size_t kAlignment = 16;
  struct Chunk {
    std::unique_ptr<std::byte[]> data;
    size_t size = 0;
  };

  void NextChunk(size_t bytes) {
    if (chunk_ < chunks_.size()) ++chunk_;
    while (chunk_ < chunks_.size() && chunks_[chunk_].size < bytes) ++chunk_;
    if (chunk_ >= chunks_.size()) {
      const size_t size = bytes > chunk_bytes_ ? bytes : chunk_bytes_;
      chunks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size});
      chunk_ = chunks_.size() - 1;
    }
    used_ = 0;
  }

  size_t chunk_bytes_;
  std::vector<Chunk> chunks_;
  size_t chunk_ = 0;
  size_t used_ = 0;
};

}  // namespace maskloom
