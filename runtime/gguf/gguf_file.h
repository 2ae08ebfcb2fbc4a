// Reads GGUF model files (versions 2 and 3) through a read-only mapping.
//
// A GGUF file is a header, a list of typed key/value pairs, a list of tensor descriptions and, at
// the next aligned byte, the tensor data. Everything in it is treated as hostile: counts are held
// against the bytes that are left before anything is allocated, products are checked for overflow,
// and a tensor's bytes must lie inside the file. What Open() lets through can be read without any
// further check.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/mapped_file.h"
#include "grammar/base/status.h"

namespace maskloom {

// Storage type of a tensor; the values are those in the file.
enum class GgmlType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ8_1 = 9,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kQ8_K = 15,
  kI8 = 24,
  kI16 = 25,
  kI32 = 26,
  kI64 = 27,
  kF64 = 28,
  kBF16 = 30,
};

// Layout of a storage type: `bytes` hold `elements` consecutive values of a row.
struct GgmlTypeLayout {
  const char* name;
  uint32_t elements;
  uint32_t bytes;
};

// Returns the layout of `type`, or nullptr when the id is not one of GgmlType.
const GgmlTypeLayout* FindGgmlTypeLayout(uint32_t type);

// Returns "Q4_1" and the like, or "type 99" for an unknown id.
std::string GgmlTypeName(uint32_t type);

// One tensor. dims[0] is the contiguous axis; unused entries of dims are 1.
struct GgufTensor {
  std::string_view name;
  GgmlType type = GgmlType::kF32;
  uint32_t dim_count = 0;
  std::array<uint64_t, 4> dims = {1, 1, 1, 1};
  const uint8_t* data = nullptr;  // aligned to the file's alignment
  uint64_t byte_size = 0;
};

// A mapped GGUF file. All views and pointers that it hands out live as long as the object.
// Invariants: 1. every view and tensor lies inside the mapping; 2. keys and tensor names are
// unique. Thread safety: immutable after Open(), any thread may read. A file that another process
// shortens while it is mapped raises SIGBUS, as with any mapping.
class GgufFile {
 public:
  // Maps and checks the file at `path`.
  // On error: kIo when it cannot be opened or mapped; kInvalidModel when it is not a well-formed
  // GGUF file, saying which key or tensor is at fault and at which byte; kUnsupported for a version
  // or a tensor type that is not read.
  // Cost: linear in the metadata (a few ms for 50,000 tokens); tensor data are not touched.
  static Result<std::shared_ptr<const GgufFile>> Open(const std::string& path);

  GgufFile(const GgufFile&) = delete;
  GgufFile& operator=(const GgufFile&) = delete;

  const std::string& path() const { return path_; }
  uint32_t version() const { return version_; }
  uint64_t file_bytes() const { return size_; }

  // True when the metadata has `key`, whatever its type.
  bool Has(std::string_view key) const;

  // Scalar getters return nothing when the key is absent or has another type. FindU64 takes every
  // integer type with a value that is not negative, FindI64 every integer that fits, FindF32 both
  // floating-point types.
  std::optional<uint64_t> FindU64(std::string_view key) const;
  std::optional<int64_t> FindI64(std::string_view key) const;
  std::optional<float> FindF32(std::string_view key) const;
  std::optional<bool> FindBool(std::string_view key) const;
  std::optional<std::string_view> FindString(std::string_view key) const;

  // Array getters. The string array is the file's own (nullptr when absent or of another type); the
  // number arrays are copies, and every element must fit the type asked for.
  const std::vector<std::string_view>* FindStringArray(std::string_view key) const;
  std::optional<std::vector<float>> FindF32Array(std::string_view key) const;
  std::optional<std::vector<int32_t>> FindI32Array(std::string_view key) const;

  // Returns the tensor called `name`, or nullptr.
  const GgufTensor* FindTensor(std::string_view name) const;
  // Tensors in file order.
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  // Metadata keys in byte order.
  std::vector<std::string_view> Keys() const;

 private:
  friend class GgufParser;

  // A metadata value: a scalar or number array as raw file bytes, a string, or a list of strings.
  struct Value {
    uint32_t type = 0;  // GGUF value type; for arrays that of the elements
    bool is_array = false;
    uint64_t count = 1;      // elements
    std::string_view bytes;  // little-endian elements, or the string
    std::vector<std::string_view> strings;
  };

  GgufFile() = default;
  const Value* FindValue(std::string_view key, bool is_array) const;

  std::string path_;
  std::shared_ptr<const MappedFile> mapped_;
  const uint8_t* base_ = nullptr;  // its bytes
  uint64_t size_ = 0;
  uint32_t version_ = 0;
  std::map<std::string_view, Value> values_;
  std::vector<GgufTensor> tensors_;
  std::map<std::string_view, size_t> tensor_index_;
};

}  // namespace maskloom
