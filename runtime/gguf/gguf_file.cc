// Mapping of a GGUF file and access by name; gguf_parser.cc walks the header.
#include "runtime/gguf/gguf_file.h"

#include <cstring>
#include <limits>
#include <utility>

#include "runtime/gguf/gguf_parser.h"

namespace maskloom {
namespace {

struct TypeRow {
  GgmlType type;
  GgmlTypeLayout layout;
};

constexpr TypeRow kTypeRows[] = {
    {GgmlType::kF32, {"F32", 1, 4}},       {GgmlType::kF16, {"F16", 1, 2}},
    {GgmlType::kQ4_0, {"Q4_0", 32, 18}},   {GgmlType::kQ4_1, {"Q4_1", 32, 20}},
    {GgmlType::kQ5_0, {"Q5_0", 32, 22}},   {GgmlType::kQ5_1, {"Q5_1", 32, 24}},
    {GgmlType::kQ8_0, {"Q8_0", 32, 34}},   {GgmlType::kQ8_1, {"Q8_1", 32, 36}},
    {GgmlType::kQ2_K, {"Q2_K", 256, 84}},  {GgmlType::kQ3_K, {"Q3_K", 256, 110}},
    {GgmlType::kQ4_K, {"Q4_K", 256, 144}}, {GgmlType::kQ5_K, {"Q5_K", 256, 176}},
    {GgmlType::kQ6_K, {"Q6_K", 256, 210}}, {GgmlType::kQ8_K, {"Q8_K", 256, 292}},
    {GgmlType::kI8, {"I8", 1, 1}},         {GgmlType::kI16, {"I16", 1, 2}},
    {GgmlType::kI32, {"I32", 1, 4}},       {GgmlType::kI64, {"I64", 1, 8}},
    {GgmlType::kF64, {"F64", 1, 8}},       {GgmlType::kBF16, {"BF16", 1, 2}},
};

template <typename T>
T Load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// A number read from the file: an integer (sign apart) or a floating-point value.
struct Number {
  bool is_integer = false;
  bool is_float = false;
  bool is_negative = false;
  uint64_t bits = 0;  // two's complement
  double real = 0;
};

Number MakeSigned(int64_t value) {
  return {.is_integer = true, .is_negative = value < 0, .bits = static_cast<uint64_t>(value)};
}

Number MakeUnsigned(uint64_t value) { return {.is_integer = true, .bits = value}; }

Number LoadNumber(uint32_t type, const char* bytes) {
  switch (type) {
    case kGgufU8:
      return MakeUnsigned(Load<uint8_t>(bytes));
    case kGgufI8:
      return MakeSigned(Load<int8_t>(bytes));
    case kGgufU16:
      return MakeUnsigned(Load<uint16_t>(bytes));
    case kGgufI16:
      return MakeSigned(Load<int16_t>(bytes));
    case kGgufU32:
      return MakeUnsigned(Load<uint32_t>(bytes));
    case kGgufI32:
      return MakeSigned(Load<int32_t>(bytes));
    case kGgufU64:
      return MakeUnsigned(Load<uint64_t>(bytes));
    case kGgufI64:
      return MakeSigned(Load<int64_t>(bytes));
    case kGgufF32:
      return {.is_float = true, .real = Load<float>(bytes)};
    case kGgufF64:
      return {.is_float = true, .real = Load<double>(bytes)};
    default:
      return {};
  }
}

std::optional<int64_t> AsI64(const Number& number) {
  if (!number.is_integer) return std::nullopt;
  if (!number.is_negative && number.bits > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<int64_t>(number.bits);
}

}  // namespace

const GgmlTypeLayout* FindGgmlTypeLayout(uint32_t type) {
  for (const TypeRow& row : kTypeRows) {
    if (static_cast<uint32_t>(row.type) == type) return &row.layout;
  }
  return nullptr;
}

std::string GgmlTypeName(uint32_t type) {
  const GgmlTypeLayout* layout = FindGgmlTypeLayout(type);
  return layout != nullptr ? layout->name : "type " + std::to_string(type);
}

Result<std::shared_ptr<const GgufFile>> GgufFile::Open(const std::string& path) {
  std::shared_ptr<GgufFile> file(new GgufFile());
  file->path_ = path;
  auto mapped = MappedFile::Open(path);
  if (!mapped.ok()) return mapped.status();
  if ((*mapped)->bytes().empty()) {
    return Status(StatusCode::kInvalidModel, path + ": the file is empty");
  }
  file->mapped_ = std::move(*mapped);
  file->base_ = reinterpret_cast<const uint8_t*>(file->mapped_->bytes().data());
  file->size_ = file->mapped_->bytes().size();
  if (Status status = GgufParser(file.get()).Parse(); !status.ok()) return status;
  return std::shared_ptr<const GgufFile>(std::move(file));
}

bool GgufFile::Has(std::string_view key) const { return values_.count(key) != 0; }

const GgufFile::Value* GgufFile::FindValue(std::string_view key, bool is_array) const {
  auto it = values_.find(key);
  return it != values_.end() && it->second.is_array == is_array ? &it->second : nullptr;
}

std::optional<uint64_t> GgufFile::FindU64(std::string_view key) const {
  const Value* value = FindValue(key, false);
  if (value == nullptr) return std::nullopt;
  Number number = LoadNumber(value->type, value->bytes.data());
  if (!number.is_integer || number.is_negative) return std::nullopt;
  return number.bits;
}

std::optional<int64_t> GgufFile::FindI64(std::string_view key) const {
  const Value* value = FindValue(key, false);
  if (value == nullptr) return std::nullopt;
  return AsI64(LoadNumber(value->type, value->bytes.data()));
}

std::optional<float> GgufFile::FindF32(std::string_view key) const {
  const Value* value = FindValue(key, false);
  if (value == nullptr) return std::nullopt;
  Number number = LoadNumber(value->type, value->bytes.data());
  if (!number.is_float) return std::nullopt;
  return static_cast<float>(number.real);
}

std::optional<bool> GgufFile::FindBool(std::string_view key) const {
  const Value* value = FindValue(key, false);
  if (value == nullptr || value->type != kGgufBool) return std::nullopt;
  return value->bytes[0] != 0;
}

std::optional<std::string_view> GgufFile::FindString(std::string_view key) const {
  const Value* value = FindValue(key, false);
  if (value == nullptr || value->type != kGgufString) return std::nullopt;
  return value->bytes;
}

const std::vector<std::string_view>* GgufFile::FindStringArray(std::string_view key) const {
  const Value* value = FindValue(key, true);
  return value != nullptr && value->type == kGgufString ? &value->strings : nullptr;
}

std::optional<std::vector<float>> GgufFile::FindF32Array(std::string_view key) const {
  const Value* value = FindValue(key, true);
  if (value == nullptr || (value->type != kGgufF32 && value->type != kGgufF64)) {
    return std::nullopt;
  }
  uint32_t bytes = GgufScalarBytes(value->type);
  std::vector<float> out(value->count);
  for (uint64_t i = 0; i < value->count; ++i) {
    out[i] = static_cast<float>(LoadNumber(value->type, value->bytes.data() + i * bytes).real);
  }
  return out;
}

std::optional<std::vector<int32_t>> GgufFile::FindI32Array(std::string_view key) const {
  const Value* value = FindValue(key, true);
  uint32_t bytes = value != nullptr ? GgufScalarBytes(value->type) : 0;
  if (bytes == 0) return std::nullopt;
  std::vector<int32_t> out(value->count);
  for (uint64_t i = 0; i < value->count; ++i) {
    std::optional<int64_t> element =
        AsI64(LoadNumber(value->type, value->bytes.data() + i * bytes));
    if (!element || *element < std::numeric_limits<int32_t>::min() ||
        *element > std::numeric_limits<int32_t>::max()) {
      return std::nullopt;
    }
    out[i] = static_cast<int32_t>(*element);
  }
  return out;
}

const GgufTensor* GgufFile::FindTensor(std::string_view name) const {
  auto it = tensor_index_.find(name);
  return it != tensor_index_.end() ? &tensors_[it->second] : nullptr;
}

std::vector<std::string_view> GgufFile::Keys() const {
  std::vector<std::string_view> keys;
  keys.reserve(values_.size());
  for (const auto& [key, value] : values_) keys.push_back(key);
  return keys;
}

}  // namespace maskloom
