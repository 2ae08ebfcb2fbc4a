// Files as bytes in memory, mapped for reading.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "grammar/base/status.h"

namespace maskloom {

// A regular file mapped for reading. Immutable; the bytes stay where they are as long as this
// lives, also when the file is replaced or removed, but not when it is cut short in place.
class MappedFile {
 public:
  // On error: kIo for what cannot be opened or mapped, or is no regular file. An empty file has no
  // bytes.
  static Result<std::shared_ptr<const MappedFile>> Open(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  // Asks that all of it be brought into memory at once: cheaper than page by page for one who will
  // read it whole. Where the system cannot, nothing happens.
  void Prefetch() const;

 private:
  MappedFile() = default;

  std::span<const std::byte> bytes_;
};

}  // namespace maskloom
