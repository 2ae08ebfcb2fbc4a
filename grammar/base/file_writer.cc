#include "grammar/base/file_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

namespace maskloom {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = ".part-";

// Says what failed, by errno.
Status IoError(const std::string& path, const std::string& what) {
  return Status(StatusCode::kIo, path + ": " + what + ": " + std::strerror(errno));
}

// Keeps SIGXFSZ, which a write beyond the limit on the size of files raises, from the calling
// thread while it lives; a library must not change what signals do in its process.
class WithoutSizeSignal {
 public:
  WithoutSizeSignal() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGXFSZ) == 1;
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  WithoutSizeSignal(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal& operator=(const WithoutSizeSignal&) = delete;
  ~WithoutSizeSignal() {
    // One that our writes raised waits for this thread, and is taken away.
    const timespec at_once = {};
    while (!was_pending_ && ::sigtimedwait(&signal_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_, before_;
  bool was_pending_ = false;
};

// Follows symbolic links, also one that leads to nothing yet.
std::string TargetOf(const std::string& path) {
  constexpr int kMostLinks = 40;
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, error); ++i) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;  // `next` alone where it is absolute
  }
  return target.string();
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

// A file beside the one that it is to replace.
struct PartFile {
  std::string path;
  int fd = -1;
};

// `path` is for messages, `target` where the file goes.
Result<PartFile> CreatePart(const std::string& path, const std::string& target) {
  if (path.empty()) return Status(StatusCode::kIo, "a file to write has an empty name");
  struct stat info = {};
  if (::stat(target.c_str(), &info) != 0) {
    if (errno == ELOOP) return IoError(path, "cannot be written");
  } else if (!S_ISREG(info.st_mode)) {
    return Status(StatusCode::kIo, path + ": not a regular file; it is not replaced");
  }
  static std::atomic<uint32_t> count{0};
  // A process of our number that was killed may have left files of the first names.
  constexpr int kMostTries = 1000;
  PartFile part;
  for (int i = 0; i < kMostTries; ++i) {
    part.path =
        target + std::string(kPart) + std::to_string(::getpid()) + "-" + std::to_string(count++);
    part.fd = ::open(part.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (part.fd >= 0 || errno != EEXIST) break;
  }
  if (part.fd < 0) return IoError(path, "cannot be written in this folder");
  return part;
}

// The process that writes the file `name`; nothing if that is none of ours.
std::optional<pid_t> WriterOf(std::string_view name) {
  const size_t at = name.rfind(kPart);
  if (at == std::string_view::npos) return std::nullopt;
  name.remove_prefix(at + kPart.size());
  const char* const end = name.data() + name.size();
  pid_t process = 0;
  const auto number = std::from_chars(name.data(), end, process);
  if (number.ec != std::errc() || process <= 0 || number.ptr == end || *number.ptr != '-') {
    return std::nullopt;
  }
  uint32_t count = 0;
  const auto counted = std::from_chars(number.ptr + 1, end, count);
  if (counted.ec != std::errc() || counted.ptr != end) return std::nullopt;
  return process;
}

}  // namespace

std::string_view FileOfPart(std::string_view name) {
  return WriterOf(name) ? name.substr(0, name.rfind(kPart)) : std::string_view();
}

bool RemoveIfLeftOver(const std::string& path) {
  const std::optional<pid_t> writer = WriterOf(path);
  std::error_code error;
  const fs::file_time_type touched = fs::last_write_time(path, error);
  if (!writer || error) return false;
  const auto age = fs::file_time_type::clock::now() - touched;
  const bool is_gone = ::kill(*writer, 0) != 0 && errno == ESRCH;
  if (age < (is_gone ? std::chrono::minutes(1) : std::chrono::minutes(60))) return false;
  return fs::remove(path, error);
}

void RemoveLeftOversOf(const std::string& path) {
  const fs::path target = TargetOf(path);
  std::error_code error;
  for (fs::directory_iterator it(FolderOf(target.string()), error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (FileOfPart(name) == target.filename().string()) RemoveIfLeftOver(it->path().string());
  }
}

Status CheckFileCanBeWritten(const std::string& path) {
  const Result<PartFile> part = CreatePart(path, TargetOf(path));
  if (!part.ok()) return part.status();
  ::close(part->fd);
  ::unlink(part->path.c_str());
  return Status::Ok();
}

Status WriteFileAtomically(const std::string& path, std::span<const std::byte> bytes) {
  const std::string target = TargetOf(path);
  const Result<PartFile> part = CreatePart(path, target);
  if (!part.ok()) return part.status();
  Status status;
  {
    const WithoutSizeSignal without;
    if (!WriteAll(part->fd, bytes) || ::fsync(part->fd) != 0) {
      status = IoError(path, "cannot be written");
    }
    if (::close(part->fd) != 0 && status.ok()) status = IoError(path, "cannot be written");
  }
  if (status.ok() && std::rename(part->path.c_str(), target.c_str()) != 0) {
    status = IoError(path, "cannot be replaced");
  }
  if (!status.ok()) {
    ::unlink(part->path.c_str());
    return status;
  }
  SyncFolder(FolderOf(target));
  return status;
}

}  // namespace maskloom
