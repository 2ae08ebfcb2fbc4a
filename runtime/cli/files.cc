#include "runtime/cli/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "grammar/base/file_writer.h"

namespace maskloom::cli {
namespace {

constexpr size_t kChunkBytes = 1 << 16;
constexpr size_t kMaxInputBytes = size_t{1} << 30;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // so a signal handler may set it

void OnInterrupt(int) { interrupted.store(true); }

Status IoError(std::string_view what, std::string_view name) {
  return Status(StatusCode::kIo, fmt::format("cannot {} {}: {}", what, name, std::strerror(errno)));
}

// Opens `path` for reading; "-" is standard input.
Result<int> OpenForReading(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return IoError("open", path);
  struct stat info;
  if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(fd);
    return Status(StatusCode::kIo, fmt::format("cannot read {}: it is a directory", path));
  }
  return fd;
}

// Appends up to kChunkBytes of the file to `out`. Returns how many; 0 is the end.
Result<size_t> ReadChunk(int fd, const std::string& name, std::string* out) {
  size_t size = out->size();
  out->resize(size + kChunkBytes);
  ssize_t count;
  do {
    count = ::read(fd, out->data() + size, kChunkBytes);
  } while (count < 0 && errno == EINTR && !Interrupted());
  out->resize(size + (count > 0 ? static_cast<size_t>(count) : 0));
  if (count < 0) return IoError("read", name);
  return static_cast<size_t>(count);
}

// Standard output is for what commands say, and is not written to as a file.
Status CheckOutputName(const std::string& path) {
  if (path.empty()) {
    return Status(StatusCode::kInvalidArgument, "the name of the file to write is empty");
  }
  if (path == "-") {
    return Status(StatusCode::kInvalidArgument,
                  "- is no file to write; give it a name (one that is called - is ./-)");
  }
  return Status::Ok();
}

std::string DisplayName(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace

Result<std::string> ReadInput(const std::string& path) {
  Result<int> fd = OpenForReading(path);
  if (!fd.ok()) return fd.status();
  std::string text;
  Status status;
  for (;;) {
    Result<size_t> count = ReadChunk(*fd, DisplayName(path), &text);
    if (!count.ok()) status = count.status();
    if (!count.ok() || *count == 0) break;
    if (text.size() > kMaxInputBytes) {
      status = Status(StatusCode::kIo, fmt::format("{} is larger than 1 GiB, the most that is read",
                                                   DisplayName(path)));
      break;
    }
  }
  if (*fd != STDIN_FILENO) ::close(*fd);
  if (!status.ok()) return status;
  return text;
}

LineReader::LineReader(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

LineReader::LineReader(LineReader&& other) noexcept
    : fd_(other.fd_),
      name_(std::move(other.name_)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      at_end_(other.at_end_) {
  other.fd_ = -1;
}

LineReader::~LineReader() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

Result<LineReader> LineReader::Open(const std::string& path) {
  Result<int> fd = OpenForReading(path);
  if (!fd.ok()) return fd.status();
  return LineReader(*fd, DisplayName(path));
}

Result<bool> LineReader::Next(std::string* line) {
  size_t searched = begin_;
  for (;;) {
    size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos || (at_end_ && begin_ < buffer_.size())) {
      end = std::min(end, buffer_.size());
      line->assign(buffer_, begin_, end - begin_);
      begin_ = std::min(end + 1, buffer_.size());
      return true;
    }
    if (at_end_) return false;
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    Result<size_t> count = ReadChunk(fd_, name_, &buffer_);
    if (!count.ok()) return count.status();
    at_end_ = *count == 0;
  }
}

OutputFile OutputFile::Stdout() { return OutputFile(STDOUT_FILENO, "standard output"); }

Result<OutputFile> OutputFile::Create(const std::string& path) {
  if (Status status = CheckOutputName(path); !status.ok()) return status;
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return IoError("create", path);
  return OutputFile(fd, path);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(other.fd_),
      name_(std::move(other.name_)),
      buffer_(std::move(other.buffer_)),
      status_(std::move(other.status_)) {
  other.fd_ = -1;
  other.buffer_.clear();
}

OutputFile::~OutputFile() {
  Status status = Close();
  static_cast<void>(status);
}

Status OutputFile::Write(std::string_view text) {
  buffer_ += text;
  return buffer_.size() >= kChunkBytes ? Flush() : status_;
}

Status OutputFile::Flush() {
  size_t done = 0;
  while (status_.ok() && done < buffer_.size()) {
    ssize_t count = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (count >= 0) {
      done += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      status_ = IoError("write to", name_);
    }
  }
  buffer_.clear();
  return status_;
}

Status OutputFile::Close() {
  if (fd_ < 0) return status_;
  Status status = Flush();
  if (fd_ > STDERR_FILENO && ::close(fd_) != 0 && status_.ok()) {
    status_ = IoError("write to", name_);
  }
  fd_ = -1;
  return status_;
}

Status CheckOutput(const std::string& path, const std::vector<std::string>& inputs) {
  if (Status status = CheckOutputName(path); !status.ok()) return status;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (std::filesystem::equivalent(path, input, error)) {
      return Status(StatusCode::kInvalidArgument,
                    path + " is what is read; it would be replaced. Give another name");
    }
  }
  return CheckFileCanBeWritten(path);
}

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESETHAND;
  ::sigaction(SIGINT, &action, nullptr);
}

bool Interrupted() { return interrupted.load(std::memory_order_relaxed); }

const std::atomic<bool>& InterruptFlag() { return interrupted; }

}  // namespace maskloom::cli
