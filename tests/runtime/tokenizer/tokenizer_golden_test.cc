// Token ids, decoded texts and token bytes against answers recorded from the reference tokenizers.
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "runtime/tokenizer/tokenizer.h"
#include "tests/support/sha256.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

namespace fs = std::filesystem;
using rapidjson::Value;

// Returns the content of a file, "" when it cannot be read.
std::string ReadText(const std::string& path) { return ReadWholeFile(path).value_or(""); }

std::string Unhex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// A recorded text is a string, or {"hex"} when it is not UTF-8.
std::string Text(const Value& value) {
  if (value.IsObject()) return Unhex(value["hex"].GetString());
  return std::string(value.GetString(), value.GetStringLength());
}

std::vector<TokenId> Ids(const Value& value) {
  std::vector<TokenId> ids;
  for (const Value& id : value.GetArray()) ids.push_back(id.GetUint());
  return ids;
}

// Unpacks a compressed vocabulary into a temporary file that goes with the object.
class UnpackedFile {
 public:
  explicit UnpackedFile(const std::string& packed) {
    path_ = (fs::temp_directory_path() /
             ("maskloom-" + std::to_string(::getpid()) + "-" + fs::path(packed).stem().string()))
                .string();
    const std::string command = "zstd -dqf '" + packed + "' -o '" + path_ + "'";
    ok_ = std::system(command.c_str()) == 0;
  }
  ~UnpackedFile() { std::remove(path_.c_str()); }
  bool ok() const { return ok_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool ok_ = false;
};

// Checks every row of a recording; returns how many there are.
size_t ExpectRows(const Tokenizer& tokenizer, const Value& rows) {
  for (const Value& row : rows.GetArray()) {
    const std::string text = Text(row["text"]);
    SCOPED_TRACE(text);
    const std::vector<TokenId> plain = Ids(row["plain"]);
    EXPECT_EQ(tokenizer.Encode(text), plain);
    EXPECT_EQ(tokenizer.Decode(plain),
              row.HasMember("plain_decoded") ? Text(row["plain_decoded"]) : text);
    const std::vector<TokenId> special = row.HasMember("special") ? Ids(row["special"]) : plain;
    EXPECT_EQ(tokenizer.Encode(text, {.parse_special = true}), special);
    const TextRange whole = {0, text.size()};
    EXPECT_EQ(tokenizer.Encode(text, {.parse_special = true, .literal = {&whole, 1}}), plain);
    if (!row.HasMember("special")) continue;
    EXPECT_EQ(tokenizer.Decode(special),
              row.HasMember("special_decoded") ? Text(row["special_decoded"]) : text);
    EXPECT_EQ(tokenizer.Decode(special, {.skip_special = true}),
              Text(row["special_decoded_without_control"]));
  }
  return rows.Size();
}

// The digest over all tokens: little-endian length, then bytes.
std::string TokenBytesSha256(const Vocabulary& vocabulary, TokenId count) {
  std::string all;
  for (TokenId id = 0; id < count; ++id) {
    const std::string_view bytes = vocabulary.bytes(id);
    for (int shift = 0; shift < 32; shift += 8) {
      all.push_back(static_cast<char>(bytes.size() >> shift));
    }
    all += bytes;
  }
  return Sha256Hex(all);
}

void ExpectTokenBytes(const Vocabulary& vocabulary, const Value& info) {
  for (const auto& sample : info["token_bytes_sample"].GetObject()) {
    const auto id = static_cast<TokenId>(std::stoul(sample.name.GetString()));
    EXPECT_EQ(vocabulary.bytes(id), Unhex(sample.value.GetString())) << "token " << id;
  }
  EXPECT_EQ(TokenBytesSha256(vocabulary, info["n_tokens"].GetUint()),
            info["token_bytes_sha256"].GetString());
}

class Golden : public testing::Test {
 protected:
  void SetUp() override {
    const auto shared = SharedDataDir();
    if (!shared) GTEST_SKIP() << "no shared test data: set MASKLOOM_SHARED";
    shared_ = *shared;
  }
  rapidjson::Document Recording(const std::string& name) const {
    rapidjson::Document document;
    document.Parse(ReadText(shared_ + "/golden/tokenizers/" + name + ".json").c_str());
    EXPECT_FALSE(document.HasParseError()) << name;
    return document;
  }

  std::string shared_;
};

// Recordings of vocabularies that lie packed by zstd.
class GoldenJson : public Golden {
 protected:
  void SetUp() override {
    Golden::SetUp();
    if (!IsSkipped() && std::system("zstd --version >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "no zstd command to unpack the vocabularies";
    }
  }
  UnpackedFile Unpack(const std::string& name) const {
    return UnpackedFile(shared_ + "/tokenizers/" + name + ".tokenizer.json.zst");
  }
  // Opens a vocabulary and checks it against its recording.
  std::shared_ptr<const Tokenizer> ExpectExact(const std::string& name) const {
    const UnpackedFile file = Unpack(name);
    EXPECT_TRUE(file.ok()) << "zstd could not unpack " << name;
    const auto tokenizer = OpenTokenizer(file.path());
    EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    if (!tokenizer.ok()) return nullptr;
    const rapidjson::Document golden = Recording("hf-" + name);
    EXPECT_GE(ExpectRows(**tokenizer, golden["rows"]), 80u);
    for (const auto& row : golden["info"]["with_add_special_tokens"].GetObject()) {
      EXPECT_EQ((*tokenizer)->Encode(row.name.GetString(), {.add_bos = true}), Ids(row.value));
    }
    return *tokenizer;
  }
};

TEST_F(GoldenJson, Llama3IsExact) {
  const auto tokenizer = ExpectExact("llama3_1");
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->vocabulary().size(), 128256u);
  EXPECT_EQ(tokenizer->end_tokens(), (std::vector<TokenId>{128001, 128009}));
  EXPECT_EQ(tokenizer->bos(), TokenId{128000});
  EXPECT_EQ(tokenizer->eos(), TokenId{128009});
  EXPECT_TRUE(tokenizer->add_bos());
}

TEST_F(GoldenJson, Qwen3IsExact) {
  const auto tokenizer = ExpectExact("qwen3");
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->vocabulary().size(), 151669u);
  EXPECT_EQ(tokenizer->end_tokens(), (std::vector<TokenId>{151643, 151645}));
  EXPECT_EQ(tokenizer->eos(), TokenId{151645});
  EXPECT_FALSE(tokenizer->add_bos());
  // "<think>" is text that is one token; "<|fim_prefix|>" is marked as text but controls the model.
  EXPECT_EQ(tokenizer->vocabulary().kind(151667), TokenKind::kNormal);
  EXPECT_EQ(tokenizer->vocabulary().kind(151659), TokenKind::kControl);
}

TEST_F(GoldenJson, Gpt4oIsExact) {
  const auto tokenizer = ExpectExact("gpt4o");
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->end_tokens(), (std::vector<TokenId>{199999}));
  // Ids that the file leaves out are never allowed.
  EXPECT_EQ(tokenizer->vocabulary().size(), 200019u);
  EXPECT_EQ(tokenizer->vocabulary().kind(200000), TokenKind::kUnused);
}

TEST_F(GoldenJson, Gemma3GivesItsVocabularyOnly) {
  const UnpackedFile file = Unpack("gemma3");
  ASSERT_TRUE(file.ok());
  const auto tokenizer = OpenTokenizer(file.path());
  ASSERT_FALSE(tokenizer.ok());
  EXPECT_EQ(tokenizer.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(tokenizer.status().message().find("SentencePiece"), std::string::npos);
  const auto vocabulary = OpenVocabulary(file.path());
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.status().ToString();
  // The GGUF form of the same vocabulary has the same bytes, and lacks only the last token.
  const rapidjson::Document golden = Recording("gguf-gemma3");
  ExpectTokenBytes(**vocabulary, golden["info"]);
  EXPECT_EQ((*vocabulary)->end_tokens(), (std::vector<TokenId>{1, 106}));
  size_t control = 0;
  for (TokenId id = 0; id < (*vocabulary)->size(); ++id) {
    control += (*vocabulary)->kind(id) == TokenKind::kControl ? 1 : 0;
  }
  // Nine marked special, 6,242 of "<unusedN>", "<mask>" and "[multimodal]"; "</s>" is HTML.
  EXPECT_EQ(control, 9u + 6242u + 2u);
  EXPECT_EQ((*vocabulary)->kind(212), TokenKind::kNormal);
}

// Checks a GGUF file against its recording.
std::shared_ptr<const Tokenizer> ExpectExactGguf(const std::string& path, const Value& golden) {
  const auto tokenizer = OpenTokenizer(path);
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  if (!tokenizer.ok()) return nullptr;
  EXPECT_GE(ExpectRows(**tokenizer, golden["rows"]), 80u);
  ExpectTokenBytes((*tokenizer)->vocabulary(), golden["info"]);
  EXPECT_EQ((*tokenizer)->bos(), golden["info"]["bos"].GetUint());
  EXPECT_EQ((*tokenizer)->eos(), golden["info"]["eos"].GetUint());
  EXPECT_EQ((*tokenizer)->add_bos(), golden["info"]["add_bos"].GetBool());
  return *tokenizer;
}

TEST_F(Golden, SmolLm2GgufIsExact) {
  const auto model = ModelPath();
  if (!model) GTEST_SKIP() << "no SmolLM2 model: set MASKLOOM_MODEL";
  const rapidjson::Document golden = Recording("gguf-smollm2");
  const auto tokenizer = ExpectExactGguf(*model, golden);
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->end_tokens(), (std::vector<TokenId>{0, 2}));  // not 4, "<reponame>"
  std::set<uint8_t> spelled;
  for (TokenId id = 0; id < tokenizer->vocabulary().size(); ++id) {
    if (tokenizer->vocabulary().kind(id) != TokenKind::kNormal) continue;
    for (const char byte : tokenizer->TokenBytes(id)) spelled.insert(static_cast<uint8_t>(byte));
  }
  EXPECT_EQ(spelled.size(), 256u - 21u);
}

TEST_F(Golden, SmolLm2PromptsOfTheLogitsHaveTheirIds) {
  const auto model = ModelPath();
  if (!model) GTEST_SKIP() << "no SmolLM2 model: set MASKLOOM_MODEL";
  const auto tokenizer = OpenTokenizer(*model);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  rapidjson::Document golden;
  golden.Parse(ReadText(shared_ + "/golden/smollm2-logits.json").c_str());
  ASSERT_FALSE(golden.HasParseError());
  for (const Value& prompt : golden["prompts"].GetArray()) {
    EXPECT_EQ((*tokenizer)->Encode(Text(prompt["text"]), {.parse_special = true, .add_bos = true}),
              Ids(prompt["ids"]))
        << prompt["name"].GetString();
  }
}

TEST_F(Golden, Qwen2GgufIsExact) {
  const char* path = std::getenv("MASKLOOM_QWEN2_GGUF");
  if (path == nullptr) GTEST_SKIP() << "no Qwen 2.5 GGUF: set MASKLOOM_QWEN2_GGUF";
  const rapidjson::Document golden = Recording("gguf-qwen2.5");
  const auto tokenizer = ExpectExactGguf(path, golden);
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->end_tokens(), (std::vector<TokenId>{151643, 151645}));
  EXPECT_EQ(tokenizer->vocabulary().kind(151665), TokenKind::kUnused);
}

// Qwen 2.5's GGUF has the base vocabulary and the merges of Qwen 3's tokenizer.json, and no
// normaliser, so its recording also checks that path without the model.
TEST_F(GoldenJson, Qwen3WithoutItsNormalizerEqualsQwen2) {
  const UnpackedFile file = Unpack("qwen3");
  ASSERT_TRUE(file.ok());
  std::string text = ReadText(file.path());
  const size_t at = text.find("\"NFC\"");
  ASSERT_NE(at, std::string::npos);
  const size_t begin = text.rfind('{', at);
  text.replace(begin, text.find('}', at) + 1 - begin, "null");
  const auto tokenizer = ParseTokenizerJson(std::move(text), "qwen3");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  const rapidjson::Document golden = Recording("gguf-qwen2.5");
  EXPECT_GE(ExpectRows(**tokenizer, golden["rows"]), 80u);
}

}  // namespace
}  // namespace maskloom
