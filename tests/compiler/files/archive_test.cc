// The container of files: what goes in comes out, and what is not whole is refused.
#include "compiler/archive.h"

#include <gtest/gtest.h>

#include <set>

#include "compiler/checksum.h"

namespace maskloom {
namespace {

constexpr auto kKind = ArchiveKind::kVocabularyIndex;
constexpr uint32_t kVersion = 3;
constexpr uint64_t kIdentity = 0x1234567890ABCDEFu;

struct Inner {
  uint8_t number = 0;
  std::string name;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.number);
    archive.Text(self.name);
  }
  bool operator==(const Inner&) const = default;
};

struct Outer {
  double real = 0;
  bool flag = false;
  FlatArray<uint16_t> halves;
  std::vector<uint64_t> words;
  std::vector<Inner> inners;
  FlatArray<char> none;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.real);
    archive.Value(self.flag);
    archive.Array(self.halves);
    archive.Array(self.words);
    archive.Parts(self.inners);
    archive.Array(self.none);
  }
  bool operator==(const Outer&) const = default;
};

Outer Sample() {
  Outer outer;
  outer.real = 0.25;
  outer.flag = true;
  outer.halves = std::vector<uint16_t>{1, 2, 3};
  outer.words = {7, 8};
  outer.inners = {{1, "one"}, {2, ""}, {3, "a longer text"}};
  return outer;
}

std::string SampleFile() {
  ArchiveWriter writer;
  writer.Part(Sample());
  return writer.Finish(kKind, kVersion, kIdentity);
}

// The bytes of a file at a multiple of 8, as a mapping has them.
struct Aligned {
  explicit Aligned(const std::string& file) : words(file.size() / 8 + 1), size(file.size()) {
    std::copy(file.begin(), file.end(), reinterpret_cast<char*>(words.data()));
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words)).first(size); }

  std::vector<uint64_t> words;
  size_t size;
};

Status OpenStatus(const std::string& file, ArchiveKind kind = kKind, uint32_t version = kVersion,
                  std::optional<uint64_t> identity = kIdentity) {
  const Aligned aligned(file);
  return ArchiveReader::Open(nullptr, aligned.bytes(), kind, version, identity).status();
}

TEST(Archive, GivesBackWhatWasWritten) {
  const Aligned file(SampleFile());
  const auto keep = std::make_shared<const int>(0);
  auto reader = ArchiveReader::Open(keep, file.bytes(), kKind, kVersion, kIdentity);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_EQ(reader->identity(), kIdentity);
  EXPECT_EQ(reader->keep(), keep);
  Outer outer;
  reader->Part(outer);
  EXPECT_TRUE(reader->Close().ok()) << reader->status().ToString();
  EXPECT_EQ(outer, Sample());
  EXPECT_TRUE(outer.halves.is_view());
  EXPECT_EQ(SampleFile(), SampleFile()) << "the same contents are the same file";
}

TEST(Archive, TakesAnyIdentityWhereNoneIsAsked) {
  EXPECT_TRUE(OpenStatus(SampleFile(), kKind, kVersion, std::nullopt).ok());
}

TEST(Archive, RefusesEveryDamagedByte) {
  const std::string file = SampleFile();
  for (size_t i = 0; i < file.size(); ++i) {
    for (const int change : {1, 0x80, 0xFF}) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      EXPECT_FALSE(OpenStatus(damaged).ok()) << "byte " << i;
    }
  }
}

TEST(Archive, RefusesEveryOtherLength) {
  const std::string file = SampleFile();
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(OpenStatus(file.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(OpenStatus(file + std::string(8, '\0')).ok());
}

TEST(Archive, SaysWhatIsWrong) {
  const std::string file = SampleFile();
  const auto says = [](const Status& status, std::string_view words) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidModel);
    EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
  };
  says(OpenStatus("{\"version\": 1}"), "this is not a vocabulary index: it begins as JSON does");
  says(OpenStatus("GGUF...."), "not a vocabulary index: it begins as a GGUF model does");
  says(OpenStatus(""), "this is not a vocabulary index: the file is empty");
  says(OpenStatus(file.substr(0, 70)), "cut short");
  says(OpenStatus(file, ArchiveKind::kCompiledGrammar), "a vocabulary index, not a compiled");
  says(OpenStatus(file, kKind, kVersion + 1), "version 3 of the format");
  says(OpenStatus(file, kKind, kVersion, 5), "another vocabulary");
  std::string damaged = file;
  damaged.back() ^= 1;
  says(OpenStatus(damaged), "damaged");
}

TEST(Archive, ReadsNothingBeyondItsEnd) {
  ArchiveWriter writer;
  writer.Value((uint64_t{1} << 61) + 8);  // the head of an array that nothing follows
  const Aligned file(writer.Finish(kKind, kVersion, kIdentity));
  auto reader = ArchiveReader::Open(nullptr, file.bytes(), kKind, kVersion, kIdentity);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->Array<uint64_t>().empty());
  EXPECT_FALSE(reader->status().ok());
  EXPECT_EQ(reader->Text(), "");
  EXPECT_EQ(reader->Value<uint32_t>(), 0u);
  EXPECT_FALSE(reader->Close().ok());
}

TEST(Archive, RefusesElementsOfAnotherSize) {
  ArchiveWriter writer;
  writer.Array(std::vector<uint32_t>{1, 2});
  const Aligned file(writer.Finish(kKind, kVersion, kIdentity));
  auto reader = ArchiveReader::Open(nullptr, file.bytes(), kKind, kVersion, kIdentity);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->Array<uint64_t>().empty());
  EXPECT_FALSE(reader->Close().ok());
}

TEST(Archive, RefusesWhatIsLeftOver) {
  const Aligned file(SampleFile());
  auto reader = ArchiveReader::Open(nullptr, file.bytes(), kKind, kVersion, kIdentity);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->Value<double>(), 0.25);
  EXPECT_FALSE(reader->Close().ok());
}

TEST(Checksum, TellsEveryChangedByteAndLengthApart) {
  std::string text(100, 'a');
  std::set<uint64_t> sums;
  const auto sum = [&] { return Checksum(std::as_bytes(std::span(text))); };
  sums.insert(sum());
  for (char& c : text) {
    for (int b = 0; b < 256; ++b) {
      if (b == 'a') continue;
      c = static_cast<char>(b);
      EXPECT_TRUE(sums.insert(sum()).second);
    }
    c = 'a';
  }
  for (text.clear(); text.size() < 100; text.push_back('\0')) {
    EXPECT_TRUE(sums.insert(sum()).second) << text.size();
  }
  EXPECT_NE(Checksum({}, 1), Checksum({}, 2));
}

TEST(Checksum, IsTheSameEverywhere) {
  const std::string_view text = "Maskloom reads a definition and says which tokens may come.";
  EXPECT_EQ(Checksum(std::as_bytes(std::span(text))), 14769340495212298481u);
}

}  // namespace
}  // namespace maskloom
