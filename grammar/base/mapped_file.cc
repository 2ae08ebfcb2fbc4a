#include "grammar/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace maskloom {
namespace {

// Says what failed, by errno.
Status IoError(const std::string& path, const std::string& what) {
  return Status(StatusCode::kIo, path + ": " + what + ": " + std::strerror(errno));
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool WriteAll(int fd, std::span<const std::byte> bytes) {
  constexpr size_t kMostAtOnce = size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), std::min(bytes.size(), kMostAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

// Makes the new name of a file outlast a crash. Not every file system can sync a folder; where one
// cannot, the file itself is there all the same.
void SyncFolder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
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

Status WriteFileAtomically(const std::string& path, std::span<const std::byte> bytes) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return Status(StatusCode::kIo, path + ": not a regular file; it is not replaced");
  }
  static std::atomic<uint32_t> count{0};
  const std::string beside =
      path + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return IoError(path, "cannot be written in this folder");
  Status status;
  if (!WriteAll(fd, bytes) || ::fsync(fd) != 0) status = IoError(path, "cannot be written");
  if (::close(fd) != 0 && status.ok()) status = IoError(path, "cannot be written");
  if (status.ok() && std::rename(beside.c_str(), path.c_str()) != 0) {
    status = IoError(path, "cannot be replaced");
  }
  if (!status.ok()) {
    ::unlink(beside.c_str());
    return status;
  }
  SyncFolder(FolderOf(path));
  return status;
}

}  // namespace maskloom
