// Tokenizers of small GGUF files, whole and damaged.
#include <gtest/gtest.h>

#include "runtime/gguf/gguf_file.h"
#include "runtime/tokenizer/tokenizer.h"
#include "tests/runtime/gguf/gguf_writer.h"

namespace maskloom {
namespace {

constexpr uint32_t kU32 = 4;
constexpr uint32_t kI32 = 5;
constexpr uint32_t kBool = 7;

// What a file says; each test changes one thing.
struct Content {
  std::string model = "gpt2";
  std::string pre = "smollm";
  std::vector<std::string> tokens = {"<|im_end|>", "</s>",   "a",      "b",     "Ġ",
                                     "ab",         "<tool>", "[PAD7]", "<unk>", "Ġab"};
  std::vector<int32_t> types = {3, 1, 1, 1, 1, 1, 4, 5, 2, 1};
  std::vector<std::string> merges = {"a b", "Ġ ab"};
  uint32_t eos = 0;
  uint32_t bos = 0;
  bool add_bos = false;
};

std::string FileBytes(const Content& content) {
  GgufWriter writer;
  writer.AddString("general.architecture", "llama");
  writer.AddString("tokenizer.ggml.model", content.model);
  if (!content.pre.empty()) writer.AddString("tokenizer.ggml.pre", content.pre);
  writer.AddStringArray("tokenizer.ggml.tokens", content.tokens);
  writer.AddArray("tokenizer.ggml.token_type", kI32, content.types);
  if (!content.merges.empty()) writer.AddStringArray("tokenizer.ggml.merges", content.merges);
  writer.AddScalar("tokenizer.ggml.eos_token_id", kU32, content.eos);
  writer.AddScalar("tokenizer.ggml.bos_token_id", kU32, content.bos);
  writer.AddScalar("tokenizer.ggml.add_bos_token", kBool, uint8_t{content.add_bos});
  writer.AddString("tokenizer.chat_template", "<|im_start|>");
  return writer.Bytes();
}

Result<std::shared_ptr<const Tokenizer>> Open(const Content& content) {
  const TemporaryFile file(FileBytes(content));
  return OpenTokenizer(file.path());
}

void ExpectRefused(const Content& content, StatusCode code, const std::string& part) {
  const auto tokenizer = Open(content);
  ASSERT_FALSE(tokenizer.ok()) << part;
  EXPECT_EQ(tokenizer.status().code(), code) << tokenizer.status().message();
  EXPECT_NE(tokenizer.status().message().find(part), std::string::npos)
      << tokenizer.status().message();
}

TEST(TokenizerGguf, EncodesAndDecodes) {
  const auto result = Open({});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const Tokenizer& tokenizer = **result;
  EXPECT_EQ(tokenizer.Encode("ab ab<tool>a<|im_end|>", {.parse_special = true}),
            (std::vector<TokenId>{5, 9, 6, 2, 0}));
  EXPECT_EQ(tokenizer.Decode(std::vector<TokenId>{5, 9, 6, 0}, {.skip_special = true}),
            "ab ab<tool>");
  EXPECT_EQ(tokenizer.chat_template(), "<|im_start|>");
}

TEST(TokenizerGguf, TokenTypesBecomeKinds) {
  const auto result = Open({});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const Vocabulary& vocabulary = (*result)->vocabulary();
  EXPECT_EQ(vocabulary.kind(0), TokenKind::kControl);
  EXPECT_EQ(vocabulary.kind(1), TokenKind::kNormal);
  EXPECT_EQ(vocabulary.kind(6), TokenKind::kNormal);
  EXPECT_EQ(vocabulary.kind(7), TokenKind::kUnused);
  EXPECT_EQ(vocabulary.bytes(7), "");
  EXPECT_EQ(vocabulary.kind(8), TokenKind::kControl);
  EXPECT_EQ(vocabulary.bytes(9), " ab");
  // "</s>" is a known name, but this file has it as text.
  EXPECT_EQ(vocabulary.end_tokens(), std::vector<TokenId>{0});
}

TEST(TokenizerGguf, BosIsPutInFrontWhereTheFileSaysSo) {
  Content content;
  content.bos = 8;
  content.add_bos = true;
  const auto result = Open(content);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ((*result)->Encode("a", {.add_bos = true}), (std::vector<TokenId>{8, 2}));
  EXPECT_EQ((*result)->Encode("a"), std::vector<TokenId>{2});
}

TEST(TokenizerGguf, DamageIsNamed) {
  const StatusCode invalid = StatusCode::kInvalidModel;
  Content content;
  content.merges[1] = "Ġ b";
  ExpectRefused(content, invalid, "tokenizer.ggml.merges[1]");
  content.merges[1] = "Ġab";
  ExpectRefused(content, invalid, "tokenizer.ggml.merges[1]");
  content.merges[1] = "";
  ExpectRefused(content, invalid, "tokenizer.ggml.merges[1]");
  content = {};
  content.merges.clear();
  ExpectRefused(content, invalid, "tokenizer.ggml.merges is missing");
  content = {};
  content.types.pop_back();
  ExpectRefused(content, invalid, "has 9 entries for 10 tokens");
  content = {};
  content.types[2] = 9;
  ExpectRefused(content, invalid, "token_type[2] is 9");
  content = {};
  content.eos = 10;
  ExpectRefused(content, invalid, "eos_token_id is 10");
  content = {};
  content.tokens.clear();
  content.types.clear();
  ExpectRefused(content, invalid, "tokenizer.ggml.tokens is missing or empty");
}

TEST(TokenizerGguf, OtherAlgorithmsAreRefusedByName) {
  Content content;
  content.pre = "deepseek-llm";
  ExpectRefused(content, StatusCode::kUnsupported, "\"deepseek-llm\"");
  content.pre.clear();
  ExpectRefused(content, StatusCode::kUnsupported, "tokenizer.ggml.pre is missing");
  content = {};
  content.model = "bert";
  ExpectRefused(content, StatusCode::kUnsupported, "\"bert\"");
  content.model = "llama";
  ExpectRefused(content, StatusCode::kUnsupported, "SentencePiece");
}

TEST(TokenizerGguf, SentencePieceGivesItsVocabulary) {
  Content content;
  content.model = "llama";
  content.tokens = {"<eos>", "<0x0A>", "▁a", "  ", "<end_of_turn>", "<0x41>"};
  content.types = {3, 6, 1, 4, 3, 1};
  const TemporaryFile file(FileBytes(content));
  const auto vocabulary = OpenVocabulary(file.path());
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.status().ToString();
  EXPECT_EQ((*vocabulary)->bytes(1), "\n");
  EXPECT_EQ((*vocabulary)->bytes(2), " a");
  EXPECT_EQ((*vocabulary)->bytes(3), "  ");
  EXPECT_EQ((*vocabulary)->bytes(5), "<0x41>") << "not of type byte";
  EXPECT_EQ((*vocabulary)->end_tokens(), (std::vector<TokenId>{0, 4}));
}

}  // namespace
}  // namespace maskloom
