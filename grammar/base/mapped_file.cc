#include "grammar/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace maskloom {
namespace {

// Says what failed, by errno.
Status IoError(const std::string& path, const std::string& what) {
  return Status(StatusCode::kIo, path + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  // O_NONBLOCK: not to wait for a writer where the path is a pipe.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return IoError(path, "cannot be opened");
  struct stat info = {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return Status(StatusCode::kIo, path + ": not a regular file");
  }
  std::shared_ptr<MappedFile> file(new MappedFile());
  const auto size = static_cast<size_t>(info.st_size);
  if (size > 0) {
    void* base = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (base == MAP_FAILED) {
      const Status error = IoError(path, "cannot be mapped");
      ::close(fd);
      return error;
    }
    file->bytes_ = {static_cast<const std::byte*>(base), size};
  }
  ::close(fd);
  return std::shared_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::Prefetch() const {
#ifdef MADV_POPULATE_READ
  if (!bytes_.empty()) {
    ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_POPULATE_READ);
  }
#endif
}

}  // namespace maskloom
