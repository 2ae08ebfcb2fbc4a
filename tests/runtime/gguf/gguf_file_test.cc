// The GGUF reader: values come back as written, and no damaged file gets further than a message.
#include "runtime/gguf/gguf_file.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/runtime/gguf/gguf_writer.h"

namespace maskloom {
namespace {

GgufWriter SmallFile() {
  GgufWriter writer;
  writer.AddString("general.architecture", "llama");
  writer.AddScalar<uint32_t>("a.u32", 4, 7);
  writer.AddScalar<int32_t>("a.i32", 5, -7);
  writer.AddScalar<uint64_t>("a.u64", 10, UINT64_MAX);
  writer.AddScalar<float>("a.f32", 6, 1.5f);
  writer.AddScalar<double>("a.f64", 12, 2.5);
  writer.AddScalar<uint8_t>("a.bool", 7, 1);
  writer.AddStringArray("tokens", {"", "a", std::string("\0b", 2)});
  writer.AddArray<float>("scores", 6, {0.5f, -1.0f});
  writer.AddArray<int32_t>("types", 5, {1, -3, 6});
  writer.AddTensor("w", 0, {3, 2}, std::string(24, '\1'));
  writer.AddTensor("q", 3, {64, 2}, std::string(80, '\2'));
  return writer;
}

Status OpenBytes(std::string_view bytes) {
  TemporaryFile file(bytes);
  return GgufFile::Open(file.path()).status();
}

// Reads everything that the file offers, so that a sanitizer sees any stray pointer.
uint64_t ReadAll(const GgufFile& file) {
  uint64_t sum = 0;
  for (std::string_view key : file.Keys()) {
    sum += file.FindU64(key).value_or(1) + static_cast<uint64_t>(file.FindI64(key).value_or(2));
    sum += file.FindF32(key).has_value() + file.FindBool(key).has_value();
    if (auto text = file.FindString(key)) sum += std::hash<std::string_view>()(*text);
    if (auto* list = file.FindStringArray(key)) {
      for (std::string_view text : *list) sum += std::hash<std::string_view>()(text);
    }
    if (auto list = file.FindF32Array(key)) sum += list->size();
    if (auto list = file.FindI32Array(key)) sum += list->size();
  }
  for (const GgufTensor& tensor : file.tensors()) {
    for (uint64_t i = 0; i < tensor.byte_size; ++i) sum += tensor.data[i];
  }
  return sum;
}

TEST(GgufFile, GivesBackWhatWasWritten) {
  for (uint32_t version : {2u, 3u}) {
    TemporaryFile temporary(SmallFile().Bytes(version));
    auto opened = GgufFile::Open(temporary.path());
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    const GgufFile& file = **opened;
    EXPECT_EQ(file.version(), version);
    EXPECT_EQ(file.FindString("general.architecture"), "llama");
    EXPECT_EQ(file.FindU64("a.u32"), 7u);
    EXPECT_EQ(file.FindI64("a.i32"), -7);
    EXPECT_EQ(file.FindU64("a.i32"), std::nullopt);
    EXPECT_EQ(file.FindU64("a.u64"), UINT64_MAX);
    EXPECT_EQ(file.FindI64("a.u64"), std::nullopt);
    EXPECT_EQ(file.FindF32("a.f32"), 1.5f);
    EXPECT_EQ(file.FindF32("a.f64"), 2.5f);
    EXPECT_EQ(file.FindBool("a.bool"), true);
    ASSERT_NE(file.FindStringArray("tokens"), nullptr);
    EXPECT_EQ(*file.FindStringArray("tokens"),
              (std::vector<std::string_view>{"", "a", std::string_view("\0b", 2)}));
    EXPECT_EQ(file.FindF32Array("scores"), (std::vector<float>{0.5f, -1.0f}));
    EXPECT_EQ(file.FindI32Array("types"), (std::vector<int32_t>{1, -3, 6}));
    ASSERT_NE(file.FindTensor("q"), nullptr);
    EXPECT_EQ(file.FindTensor("q")->byte_size, 80u);
    EXPECT_EQ(file.FindTensor("q")->data[0], 2);
    EXPECT_EQ(file.FindTensor("w")->dims, (std::array<uint64_t, 4>{3, 2, 1, 1}));
    EXPECT_EQ(file.FindTensor("nothing"), nullptr);
  }
}

TEST(GgufFile, GettersRefuseOtherTypes) {
  TemporaryFile temporary(SmallFile().Bytes());
  auto file = GgufFile::Open(temporary.path());
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE((*file)->FindU64("a.f32"));
  EXPECT_FALSE((*file)->FindU64("general.architecture"));
  EXPECT_FALSE((*file)->FindF32("a.u32"));
  EXPECT_FALSE((*file)->FindBool("a.u32"));
  EXPECT_FALSE((*file)->FindString("tokens"));
  EXPECT_EQ((*file)->FindStringArray("scores"), nullptr);
  EXPECT_FALSE((*file)->FindF32Array("types"));
  EXPECT_FALSE((*file)->FindI32Array("tokens"));
  EXPECT_FALSE((*file)->FindU64("absent"));
}

TEST(GgufFile, RefusesEveryTruncation) {
  const std::string bytes = SmallFile().Bytes();
  TemporaryFile temporary("");
  size_t last_needed = bytes.size() - (96 - 80);  // the padding behind the last tensor may go
  for (size_t length = 0; length < last_needed; ++length) {
    temporary.Write(std::string_view(bytes).substr(0, length));
    Status status = GgufFile::Open(temporary.path()).status();
    ASSERT_FALSE(status.ok()) << "cut at " << length;
    EXPECT_EQ(status.code(), StatusCode::kInvalidModel) << status.ToString();
  }
}

TEST(GgufFile, SurvivesFlippedBytes) {
  const std::string bytes = SmallFile().Bytes();
  std::mt19937 random(1);
  TemporaryFile temporary("");
  uint64_t sum = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = bytes;
    for (uint32_t flips = 1 + random() % 3; flips > 0; --flips) {
      damaged[random() % 480] = static_cast<char>(random() % 4 == 0 ? 0xFF : random());
    }
    temporary.Write(damaged);
    auto file = GgufFile::Open(temporary.path());
    if (file.ok()) {
      sum += ReadAll(**file);
    } else {
      ASSERT_FALSE(file.status().message().empty());
    }
  }
  EXPECT_NE(sum, 0u);
}

TEST(GgufFile, NamesWhatIsWrong) {
  struct Case {
    const char* what;
    std::string bytes;
    const char* message;
  };
  std::vector<Case> cases;
  auto add = [&](const char* what, const GgufWriter& writer, const char* message) {
    cases.push_back({what, writer.Bytes(), message});
  };
  cases.push_back({"magic", "GGML" + SmallFile().Bytes().substr(4), "not a GGUF file"});
  cases.push_back({"version", SmallFile().Bytes(4), "version 4"});
  cases.push_back({"big endian", SmallFile().Bytes(0x03000000), "big-endian"});
  {
    std::string bytes = SmallFile().Bytes();
    bytes[8 + 7] = 0x7F;
    cases.push_back({"tensor count", bytes, "tensors, more than the file can hold"});
    bytes = SmallFile().Bytes();
    bytes[16 + 7] = 0x7F;
    cases.push_back({"key count", bytes, "keys, more than the file can hold"});
  }
  {
    GgufWriter writer = SmallFile();
    writer.AddString("a.u32", "again");
    add("duplicate key", writer, "key 'a.u32': the key occurs twice");
  }
  {
    GgufWriter writer = SmallFile();
    writer.AddTensor("w", 0, {1}, "1234");
    add("duplicate tensor", writer, "tensor 'w': the tensor occurs twice");
  }
  {
    GgufWriter writer;
    writer.AddArray<uint32_t>("nested", 9, {4, 0, 0});
    add("nested array", writer, "key 'nested': an array of arrays");
  }
  {
    GgufWriter writer;
    writer.AddScalar<uint32_t>("odd", 77, 1);
    add("value type", writer, "key 'odd': unknown value type 77");
  }
  {
    GgufWriter writer;
    writer.AddTensorAt("huge", 0, {UINT64_MAX / 2, 4}, 0);
    add("overflow", writer, "tensor 'huge': the product of the dimensions overflows");
  }
  {
    GgufWriter writer;
    writer.AddTensorAt("huge", 28, {1ull << 62}, 0);
    add("byte overflow", writer, "tensor 'huge': its size in bytes overflows");
  }
  {
    GgufWriter writer;
    writer.AddTensorAt("far", 0, {8}, 1ull << 60);
    add("offset", writer, "tensor 'far': its data (32 bytes at offset");
  }
  {
    GgufWriter writer;
    writer.AddTensor("w", 0, {16}, std::string(64, 'x'));
    writer.AddTensorAt("skew", 0, {4}, 4);
    add("alignment", writer, "tensor 'skew': offset 4 is not a multiple");
  }
  {
    GgufWriter writer;
    writer.AddTensorAt("t", 99, {8}, 0);
    add("storage type", writer, "tensor 't': storage type 99");
  }
  {
    GgufWriter writer;
    writer.AddTensorAt("t", 3, {33}, 0);
    add("blocks", writer, "tensor 't': rows of 33 elements do not divide into Q4_1");
  }
  {
    GgufWriter writer;
    writer.AddTensorAt("t", 0, {1, 1, 1, 1, 1}, 0);
    add("dimensions", writer, "tensor 't': 5 dimensions");
  }
  {
    GgufWriter writer = SmallFile();
    writer.AddScalar<uint32_t>("general.alignment", 4, 0);
    add("alignment key", writer, "key 'general.alignment'");
  }
  for (const Case& one : cases) {
    Status status = OpenBytes(one.bytes);
    EXPECT_FALSE(status.ok()) << one.what;
    EXPECT_NE(status.message().find(one.message), std::string::npos)
        << one.what << ": " << status.message();
    EXPECT_NE(status.message().find("at byte"), std::string::npos) << status.message();
  }
}

TEST(GgufFile, SaysWhenThereIsNoFile) {
  EXPECT_EQ(GgufFile::Open("/nonexistent/model.gguf").status().code(), StatusCode::kIo);
  EXPECT_EQ(GgufFile::Open("/tmp").status().code(), StatusCode::kIo);
}

}  // namespace
}  // namespace maskloom
