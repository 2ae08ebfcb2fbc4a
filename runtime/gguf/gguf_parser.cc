// The checked walk over a GGUF file's header.
//
// Layout (little-endian): "GGUF", u32 version, u64 tensor count, u64 key count; then the keys, each
// a string (u64 length, bytes), a u32 type and a value; then the tensor descriptions, each a name,
// u32 dimension count, u64 dimensions, u32 storage type, u64 offset into the data section. The data
// section starts at the next multiple of general.alignment (32 when absent).
//
// Counts are never trusted: a key takes at least 13 bytes, a tensor description 32, a string 8, so
// no count larger than the bytes that are left divided by these is believed, and what is allocated
// stays proportional to the size of the file.
#include "runtime/gguf/gguf_parser.h"

#include <cstring>

namespace maskloom {
namespace {

constexpr uint64_t kMinKeyBytes = 8 + 4 + 1;
constexpr uint64_t kMinTensorInfoBytes = 8 + 4 + 8 + 4 + 8;
constexpr uint64_t kMaxKeyNameBytes = 65535;   // limit of the format
constexpr uint64_t kMaxTensorNameBytes = 256;  // the format says 64; some writers go further
constexpr uint64_t kMaxAlignment = 1 << 16;
constexpr uint64_t kDefaultAlignment = 32;

// Returns `text` fit for a message: at most 80 bytes, without control characters.
std::string Printable(std::string_view text) {
  std::string out(text.substr(0, 80));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
  }
  return out;
}

}  // namespace

uint32_t GgufScalarBytes(uint32_t value_type) {
  switch (value_type) {
    case kGgufU8:
    case kGgufI8:
    case kGgufBool:
      return 1;
    case kGgufU16:
    case kGgufI16:
      return 2;
    case kGgufU32:
    case kGgufI32:
    case kGgufF32:
      return 4;
    case kGgufU64:
    case kGgufI64:
    case kGgufF64:
      return 8;
    default:
      return 0;
  }
}

Status GgufParser::Fail(StatusCode code, const std::string& what) const {
  return Status(
      code, file_->path_ + ": " + subject_ + what + " (at byte " + std::to_string(position_) + ")");
}

Status GgufParser::Fail(const std::string& what) const {
  return Fail(StatusCode::kInvalidModel, what);
}

Status GgufParser::ReadU32(const char* what, uint32_t* value) {
  if (remaining() < 4) return Fail(std::string("the file ends inside ") + what);
  std::memcpy(value, file_->base_ + position_, 4);
  position_ += 4;
  return Status::Ok();
}

Status GgufParser::ReadU64(const char* what, uint64_t* value) {
  if (remaining() < 8) return Fail(std::string("the file ends inside ") + what);
  std::memcpy(value, file_->base_ + position_, 8);
  position_ += 8;
  return Status::Ok();
}

Status GgufParser::ReadString(const char* what, uint64_t max_bytes, std::string_view* value) {
  uint64_t length = 0;
  if (Status status = ReadU64(what, &length); !status.ok()) return status;
  if (length > max_bytes) {
    return Fail(std::string(what) + " has " + std::to_string(length) + " bytes, more than the " +
                std::to_string(max_bytes) + " allowed");
  }
  if (length > remaining()) return Fail(std::string("the file ends inside ") + what);
  *value = std::string_view(reinterpret_cast<const char*>(file_->base_) + position_, length);
  position_ += length;
  return Status::Ok();
}

Status GgufParser::Parse() {
  if (Status status = ParseHeader(); !status.ok()) return status;
  for (uint64_t i = 0; i < key_count_; ++i) {
    if (Status status = ParseKeyValue(); !status.ok()) return status;
    subject_.clear();
  }
  file_->tensors_.reserve(tensor_count_);
  for (uint64_t i = 0; i < tensor_count_; ++i) {
    if (Status status = ParseTensorInfo(); !status.ok()) return status;
    subject_.clear();
  }
  return PlaceTensors();
}

Status GgufParser::ParseHeader() {
  uint32_t magic = 0;
  if (Status status = ReadU32("the header", &magic); !status.ok()) return status;
  if (std::memcmp(&magic, "GGUF", 4) != 0) {
    position_ = 0;
    return Fail("not a GGUF file: it does not start with 'GGUF'");
  }
  if (Status status = ReadU32("the header", &file_->version_); !status.ok()) return status;
  if (file_->version_ != 2 && file_->version_ != 3) {
    bool big_endian = file_->version_ != 0 && (file_->version_ & 0xFFFF) == 0;
    return Fail(StatusCode::kUnsupported, big_endian
                                              ? std::string("big-endian GGUF files are not read")
                                              : "GGUF version " + std::to_string(file_->version_) +
                                                    " is not read, only 2 and 3");
  }
  if (Status status = ReadU64("the header", &tensor_count_); !status.ok()) return status;
  if (Status status = ReadU64("the header", &key_count_); !status.ok()) return status;
  if (key_count_ > remaining() / kMinKeyBytes) {
    return Fail("the header announces " + std::to_string(key_count_) +
                " keys, more than the file can hold");
  }
  if (tensor_count_ > remaining() / kMinTensorInfoBytes) {
    return Fail("the header announces " + std::to_string(tensor_count_) +
                " tensors, more than the file can hold");
  }
  return Status::Ok();
}

Status GgufParser::ParseKeyValue() {
  std::string_view key;
  if (Status status = ReadString("a key's name", kMaxKeyNameBytes, &key); !status.ok()) {
    return status;
  }
  subject_ = "key '" + Printable(key) + "': ";
  if (key.empty()) return Fail("the name is empty");
  GgufFile::Value value;
  if (Status status = ReadU32("the value's type", &value.type); !status.ok()) return status;
  if (value.type == kGgufArray) {
    if (Status status = ParseArray(&value); !status.ok()) return status;
  } else if (value.type == kGgufString) {
    if (Status status = ReadString("the string", UINT64_MAX, &value.bytes); !status.ok()) {
      return status;
    }
  } else {
    uint32_t bytes = GgufScalarBytes(value.type);
    if (bytes == 0) return Fail("unknown value type " + std::to_string(value.type));
    if (bytes > remaining()) return Fail("the file ends inside the value");
    value.bytes = std::string_view(reinterpret_cast<const char*>(file_->base_) + position_, bytes);
    position_ += bytes;
  }
  if (!file_->values_.emplace(key, std::move(value)).second) return Fail("the key occurs twice");
  return Status::Ok();
}

Status GgufParser::ParseArray(GgufFile::Value* value) {
  value->is_array = true;
  if (Status status = ReadU32("the array's element type", &value->type); !status.ok()) {
    return status;
  }
  if (Status status = ReadU64("the array's length", &value->count); !status.ok()) return status;
  if (value->type == kGgufArray) return Fail("an array of arrays is not read");
  uint64_t element_bytes = value->type == kGgufString ? 8 : GgufScalarBytes(value->type);
  if (element_bytes == 0) {
    return Fail("unknown array element type " + std::to_string(value->type));
  }
  if (value->count > remaining() / element_bytes) {
    return Fail("the array announces " + std::to_string(value->count) +
                " elements, more than the file can hold");
  }
  if (value->type != kGgufString) {
    value->bytes = std::string_view(reinterpret_cast<const char*>(file_->base_) + position_,
                                    value->count * element_bytes);
    position_ += value->count * element_bytes;
    return Status::Ok();
  }
  value->strings.reserve(value->count);
  for (uint64_t i = 0; i < value->count; ++i) {
    std::string_view element;
    if (Status status = ReadString("a string of the array", UINT64_MAX, &element); !status.ok()) {
      return status;
    }
    value->strings.push_back(element);
  }
  return Status::Ok();
}

Status GgufParser::ParseTensorInfo() {
  GgufTensor tensor;
  if (Status status = ReadString("a tensor's name", kMaxTensorNameBytes, &tensor.name);
      !status.ok()) {
    return status;
  }
  subject_ = "tensor '" + Printable(tensor.name) + "': ";
  if (Status status = ReadU32("the dimension count", &tensor.dim_count); !status.ok()) {
    return status;
  }
  if (tensor.dim_count < 1 || tensor.dim_count > 4) {
    return Fail(std::to_string(tensor.dim_count) + " dimensions; 1 to 4 are allowed");
  }
  uint64_t elements = 1;
  for (uint32_t i = 0; i < tensor.dim_count; ++i) {
    if (Status status = ReadU64("the dimensions", &tensor.dims[i]); !status.ok()) return status;
    if (tensor.dims[i] == 0) return Fail("a dimension is 0");
    if (__builtin_mul_overflow(elements, tensor.dims[i], &elements)) {
      return Fail("the product of the dimensions overflows");
    }
  }
  uint32_t type = 0;
  if (Status status = ReadU32("the tensor's type", &type); !status.ok()) return status;
  const GgmlTypeLayout* layout = FindGgmlTypeLayout(type);
  if (layout == nullptr) {
    return Fail(StatusCode::kUnsupported, "storage type " + std::to_string(type) + " is not read");
  }
  tensor.type = static_cast<GgmlType>(type);
  if (tensor.dims[0] % layout->elements != 0) {
    return Fail("rows of " + std::to_string(tensor.dims[0]) + " elements do not divide into " +
                layout->name + " blocks of " + std::to_string(layout->elements));
  }
  if (__builtin_mul_overflow(elements / layout->elements, uint64_t{layout->bytes},
                             &tensor.byte_size)) {
    return Fail("its size in bytes overflows");
  }
  uint64_t offset = 0;
  if (Status status = ReadU64("the tensor's offset", &offset); !status.ok()) return status;
  if (offset > file_->size_ || tensor.byte_size > file_->size_ - offset) {
    return Fail("its data (" + std::to_string(tensor.byte_size) + " bytes at offset " +
                std::to_string(offset) + ") lie beyond the end of the file; is it complete?");
  }
  if (!file_->tensor_index_.emplace(tensor.name, file_->tensors_.size()).second) {
    return Fail("the tensor occurs twice");
  }
  tensor.data = file_->base_ + offset;  // PlaceTensors() moves it into the data section
  file_->tensors_.push_back(tensor);
  return Status::Ok();
}

Status GgufParser::PlaceTensors() {
  uint64_t alignment = kDefaultAlignment;
  if (file_->Has("general.alignment")) {
    alignment = file_->FindU64("general.alignment").value_or(0);
    if (alignment < 8 || alignment > kMaxAlignment || (alignment & (alignment - 1)) != 0) {
      subject_ = "key 'general.alignment': ";
      return Fail("not a power of two between 8 and " + std::to_string(kMaxAlignment));
    }
  }
  uint64_t data_begin = (position_ + alignment - 1) / alignment * alignment;
  for (GgufTensor& tensor : file_->tensors_) {
    subject_ = "tensor '" + Printable(tensor.name) + "': ";
    uint64_t offset = static_cast<uint64_t>(tensor.data - file_->base_);
    if (offset % alignment != 0) {
      return Fail("offset " + std::to_string(offset) + " is not a multiple of the alignment " +
                  std::to_string(alignment));
    }
    if (data_begin > file_->size_ || tensor.byte_size > file_->size_ - data_begin ||
        offset > file_->size_ - data_begin - tensor.byte_size) {
      return Fail("its data (" + std::to_string(tensor.byte_size) + " bytes at offset " +
                  std::to_string(offset) + " of the data section at byte " +
                  std::to_string(data_begin) + ") lie beyond the end of the file; is it complete?");
    }
    tensor.data = file_->base_ + data_begin + offset;
  }
  return Status::Ok();
}

}  // namespace maskloom
