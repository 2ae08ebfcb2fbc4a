// Writes small GGUF files for tests, well-formed or deliberately not.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maskloom {

// Collects keys and tensors in order and lays them out as version 3 does.
class GgufWriter {
 public:
  template <typename T>
  void AddScalar(std::string_view key, uint32_t type, T value) {
    AddKey(key, type);
    Append(&keys_, value);
  }
  void AddString(std::string_view key, std::string_view value) {
    AddKey(key, 8);
    AppendString(&keys_, value);
  }
  void AddStringArray(std::string_view key, const std::vector<std::string>& values) {
    AddKey(key, 9);
    Append(&keys_, uint32_t{8});
    Append(&keys_, uint64_t{values.size()});
    for (const std::string& value : values) AppendString(&keys_, value);
  }
  template <typename T>
  void AddArray(std::string_view key, uint32_t element_type, const std::vector<T>& values) {
    AddKey(key, 9);
    Append(&keys_, element_type);
    Append(&keys_, uint64_t{values.size()});
    for (T value : values) Append(&keys_, value);
  }
  void AddTensor(std::string_view name, uint32_t type, const std::vector<uint64_t>& dims,
                 std::string_view data) {
    AddTensorAt(name, type, dims, data_.size());
    data_ += data;
    data_.resize((data_.size() + 31) / 32 * 32);
  }
  // Describes a tensor without writing data for it.
  void AddTensorAt(std::string_view name, uint32_t type, const std::vector<uint64_t>& dims,
                   uint64_t offset) {
    AppendString(&tensors_, name);
    Append(&tensors_, static_cast<uint32_t>(dims.size()));
    for (uint64_t dim : dims) Append(&tensors_, dim);
    Append(&tensors_, type);
    Append(&tensors_, offset);
    ++tensor_count_;
  }

  // Returns the bytes of the file.
  std::string Bytes(uint32_t version = 3) const {
    std::string out = "GGUF";
    Append(&out, version);
    Append(&out, tensor_count_);
    Append(&out, key_count_);
    out += keys_ + tensors_;
    out.resize((out.size() + 31) / 32 * 32);
    return out + data_;
  }

  template <typename T>
  static void Append(std::string* out, T value) {
    out->append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  static void AppendString(std::string* out, std::string_view value) {
    Append(out, uint64_t{value.size()});
    *out += value;
  }

 private:
  void AddKey(std::string_view key, uint32_t type) {
    AppendString(&keys_, key);
    Append(&keys_, type);
    ++key_count_;
  }

  std::string keys_, tensors_, data_;
  uint64_t key_count_ = 0;
  uint64_t tensor_count_ = 0;
};

// A file in the temporary folder that goes away with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes) {
    char name[] = "/tmp/maskloom_test_XXXXXX";
    int fd = ::mkstemp(name);
    path_ = name;
    if (fd >= 0) ::close(fd);
    Write(bytes);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void Write(std::string_view bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace maskloom
