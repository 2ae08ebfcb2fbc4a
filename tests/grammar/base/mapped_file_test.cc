// Files as bytes in memory: mapped, and replaced whole or not at all.
#include "grammar/base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "grammar/base/file_writer.h"

namespace maskloom {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> BytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string TextOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

class MappedFiles : public testing::Test {
 protected:
  MappedFiles() {
    std::string name = testing::TempDir() + "maskloom-mapped-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~MappedFiles() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  size_t FileCount() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string folder_;
};

TEST_F(MappedFiles, HoldWhatWasWritten) {
  const std::string text = std::string("a\0b\n", 4) + std::string(100'000, 'x');
  ASSERT_TRUE(WriteFileAtomically(Path("f"), BytesOf(text)).ok());
  const auto file = MappedFile::Open(Path("f"));
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  (*file)->Prefetch();
  EXPECT_EQ(TextOf(**file), text);
  EXPECT_EQ(FileCount(), 1u) << "nothing is left beside it";
}

TEST_F(MappedFiles, StayAsTheyWereWhenReplaced) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), BytesOf("before")).ok());
  const auto before = MappedFile::Open(Path("f"));
  ASSERT_TRUE(before.ok());
  ASSERT_TRUE(WriteFileAtomically(Path("f"), BytesOf("after")).ok());
  EXPECT_EQ(TextOf(**before), "before");
  EXPECT_EQ(TextOf(**MappedFile::Open(Path("f"))), "after");
}

TEST_F(MappedFiles, MayBeEmpty) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), {}).ok());
  const auto file = MappedFile::Open(Path("f"));
  ASSERT_TRUE(file.ok());
  (*file)->Prefetch();
  EXPECT_TRUE((*file)->bytes().empty());
}

TEST_F(MappedFiles, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {Path("missing"), folder_, Path("pipe")}) {
    const auto file = MappedFile::Open(path);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_EQ(file.status().code(), StatusCode::kIo);
    EXPECT_TRUE(file.status().message().starts_with(path)) << file.status().message();
  }
  for (const std::string& path : {folder_, Path("pipe"), std::string("/dev/null")}) {
    const Status status = WriteFileAtomically(path, BytesOf("text"));
    EXPECT_EQ(status.code(), StatusCode::kIo) << path;
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace maskloom
