// Files that are replaced whole: what stays when a write fails, and what killed writers left.
#include "grammar/base/file_writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace maskloom {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> BytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

class FileWriter : public testing::Test {
 protected:
  FileWriter() {
    std::string name = testing::TempDir() + "maskloom-writer-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FileWriter() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::string TextOf(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(Path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  size_t FileCount() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  // A file that `process` left so long ago.
  std::string LeavePart(const std::string& file, pid_t process, std::chrono::seconds age) const {
    const std::string path = Path(file + ".part-" + std::to_string(process) + "-7");
    std::ofstream(path) << "half";
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
    return path;
  }
  // The number of a process that has ended.
  static pid_t DeadProcess() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
  }

  std::string folder_;
};

TEST_F(FileWriter, AWriteThatFailsLeavesTheOldFile) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), BytesOf("before")).ok());
  // A name that is just short enough has none that is longer beside it.
  const std::string longest(255, 'n');
  for (const std::string& path : {Path(longest), Path("no/folder"), std::string()}) {
    EXPECT_EQ(WriteFileAtomically(path, BytesOf("after")).code(), StatusCode::kIo) << path;
    EXPECT_EQ(CheckFileCanBeWritten(path).code(), StatusCode::kIo) << path;
  }
  if (::geteuid() != 0) {
    ASSERT_EQ(::chmod(folder_.c_str(), 0500), 0);
    EXPECT_EQ(WriteFileAtomically(Path("f"), BytesOf("after")).code(), StatusCode::kIo);
    EXPECT_EQ(CheckFileCanBeWritten(Path("f")).code(), StatusCode::kIo);
    ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  }
  EXPECT_TRUE(CheckFileCanBeWritten(Path("f")).ok());
  EXPECT_EQ(TextOf("f"), "before");
  EXPECT_EQ(FileCount(), 1u);
}

// The signal that such a write raises would end the process.
TEST_F(FileWriter, BeyondTheLimitOnFilesAWriteFailsLikeAnyOther) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), BytesOf("before")).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit = {1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = WriteFileAtomically(Path("f"), BytesOf(std::string(5000, 'x')));
    sigset_t pending, mask;
    ::sigpending(&pending);
    ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    const bool is_clean =
        ::sigismember(&pending, SIGXFSZ) == 0 && ::sigismember(&mask, SIGXFSZ) == 0;
    ::_exit(status.code() == StatusCode::kIo && is_clean ? 0 : 1);
  }
  int ended = 0;
  ASSERT_EQ(::waitpid(child, &ended, 0), child);
  EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << ended;
  EXPECT_EQ(TextOf("f"), "before");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(FileWriter, WritesWhatASymbolicLinkLeadsTo) {
  fs::create_directory(Path("folder"));
  fs::create_symlink("folder/target", Path("link"));
  fs::create_symlink(Path("link"), Path("link2"));
  for (const char* text : {"new", "again"}) {
    ASSERT_TRUE(WriteFileAtomically(Path("link2"), BytesOf(text)).ok());
    EXPECT_TRUE(fs::is_symlink(Path("link")) && fs::is_symlink(Path("link2")));
    EXPECT_EQ(TextOf("folder/target"), text);
  }
  fs::create_symlink("round", Path("round"));
  EXPECT_EQ(WriteFileAtomically(Path("round"), BytesOf("x")).code(), StatusCode::kIo);
}

TEST_F(FileWriter, KnowsThePartsOfFilesByTheirNames) {
  EXPECT_EQ(FileOfPart("a.index.part-12-0"), "a.index");
  EXPECT_EQ(FileOfPart("x.part-1-2.part-12-34"), "x.part-1-2");
  for (const char* name : {"a.index", "a.part-12", "a.part-12-", "a.part--3", "a.part-1-2x",
                           "a.part-x-2", "a.part-0-2", "a.part-99999999999-2", ""}) {
    EXPECT_EQ(FileOfPart(name), "") << name;
  }
}

TEST_F(FileWriter, RemovesWhatKilledWritersLeft) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  const pid_t dead = DeadProcess();
  const std::string old = LeavePart("f", dead, minutes(2));
  const std::string young = LeavePart("g", dead, seconds(5));  // may be of another machine
  const std::string living = LeavePart("h", ::getppid(), minutes(2));
  const std::string ancient = LeavePart("i", ::getppid(), minutes(61));
  for (const char* file : {"f", "g", "h", "i"}) RemoveLeftOversOf(Path(file));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(living));
  EXPECT_FALSE(fs::exists(ancient));
  const std::string other = LeavePart("f.x", dead, minutes(2));
  RemoveLeftOversOf(Path("f"));
  EXPECT_TRUE(fs::exists(other)) << "of another file";
}

// As the first process of a container has after each start.
TEST_F(FileWriter, WritesAlthoughAProcessOfTheSameNumberLeftFiles) {
  for (int i = 0; i < 100; ++i) {
    std::ofstream(Path("f.part-" + std::to_string(::getpid()) + "-" + std::to_string(i))) << "half";
  }
  ASSERT_TRUE(WriteFileAtomically(Path("f"), BytesOf("whole")).ok());
  EXPECT_EQ(TextOf("f"), "whole");
}

}  // namespace
}  // namespace maskloom
