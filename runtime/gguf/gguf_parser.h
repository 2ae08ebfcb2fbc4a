// The checked walk over a GGUF file's header; internal to gguf/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "grammar/base/status.h"
#include "runtime/gguf/gguf_file.h"

namespace maskloom {

// Value types of GGUF metadata; the values are those in the file.
enum GgufValueType : uint32_t {
  kGgufU8 = 0,
  kGgufI8 = 1,
  kGgufU16 = 2,
  kGgufI16 = 3,
  kGgufU32 = 4,
  kGgufI32 = 5,
  kGgufF32 = 6,
  kGgufBool = 7,
  kGgufString = 8,
  kGgufArray = 9,
  kGgufU64 = 10,
  kGgufI64 = 11,
  kGgufF64 = 12,
};

// Returns the size in bytes of a scalar value type, 0 for strings, arrays and unknown types.
uint32_t GgufScalarBytes(uint32_t value_type);

// Fills a GgufFile, whose mapping is set, from its bytes. Invariant: position_ <= size of the file.
class GgufParser {
 public:
  explicit GgufParser(GgufFile* file) : file_(file) {}

  // Reads header, metadata and tensor descriptions.
  // On error: what is wrong, of which key or tensor, at which byte; the file is then of no use.
  Status Parse();

 private:
  uint64_t remaining() const { return file_->size_ - position_; }
  Status Fail(const std::string& what) const;
  Status Fail(StatusCode code, const std::string& what) const;

  // Each reads one field and moves on; `what` names it in the message.
  Status ReadU32(const char* what, uint32_t* value);
  Status ReadU64(const char* what, uint64_t* value);
  Status ReadString(const char* what, uint64_t max_bytes, std::string_view* value);

  Status ParseHeader();
  Status ParseKeyValue();
  Status ParseArray(GgufFile::Value* value);
  Status ParseTensorInfo();
  Status PlaceTensors();

  GgufFile* file_;
  uint64_t position_ = 0;
  std::string subject_;  // "key 'x': " or "tensor 'y': ", put in front of messages
  uint64_t tensor_count_ = 0;
  uint64_t key_count_ = 0;
};

}  // namespace maskloom
