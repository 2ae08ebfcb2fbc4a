// Reading whole inputs, writing outputs with every error seen, and interruption.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/status.h"

namespace maskloom::cli {

// Reads the file at `path`, or standard input for "-".
// On error: kIo for a missing or unreadable file, a directory, or more than 1 GiB.
Result<std::string> ReadInput(const std::string& path);

// Gives the lines of a file one after another; a line may be of any length.
class LineReader {
 public:
  // On error: as ReadInput.
  static Result<LineReader> Open(const std::string& path);
  LineReader(LineReader&&) noexcept;
  ~LineReader();

  // Reads the next line without its line break. Returns false at the end of the file.
  // On error: kIo.
  Result<bool> Next(std::string* line);

 private:
  explicit LineReader(int fd, std::string name);

  int fd_;
  std::string name_;
  std::string buffer_;
  size_t begin_ = 0;
  bool at_end_ = false;
};

// A file, or standard output, that is written through a buffer.
class OutputFile {
 public:
  static OutputFile Stdout();
  // Creates or empties the file. On error: kIo; kInvalidArgument for "" and for "-".
  static Result<OutputFile> Create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // Appends; writes through once enough has gathered. After an error, further calls return it.
  Status Write(std::string_view text);
  Status Flush();
  // Flushes and closes. Returns the first error of all.
  Status Close();
  int fd() const { return fd_; }

 private:
  OutputFile(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  int fd_;
  std::string name_;
  std::string buffer_;
  Status status_;
};

// Can a file that is made of `inputs` be written to `path`? For those who work long for it.
// On error: kInvalidArgument for "", for "-", and where it is one of `inputs`; kIo.
Status CheckOutput(const std::string& path, const std::vector<std::string>& inputs);

// From now on the first SIGINT only makes Interrupted() true; a second one ends the process.
void CatchInterrupts();
bool Interrupted();
// What Interrupted() reads, for work that looks at a flag of its caller.
const std::atomic<bool>& InterruptFlag();

}  // namespace maskloom::cli
