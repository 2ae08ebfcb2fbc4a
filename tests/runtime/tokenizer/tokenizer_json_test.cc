// A small tokenizer.json, whole and damaged in every way that is checked.
#include <gtest/gtest.h>

#include <string>

#include "runtime/tokenizer/tokenizer.h"
#include "tests/runtime/gguf/gguf_writer.h"

namespace maskloom {
namespace {

constexpr char kTiny[] = R"({
  "version": "1.0",
  "added_tokens": [
    {"id": 12, "content": "<|im_start|>", "special": true, "normalized": false},
    {"id": 13, "content": "<|im_end|>", "special": true, "normalized": false},
    {"id": 14, "content": "<tool>", "special": false, "normalized": false}
  ],
  "normalizer": {"type": "NFC"},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Digits", "individual_digits": true},
    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}
  ]},
  "post_processor": {"type": "TemplateProcessing", "single": [
    {"SpecialToken": {"id": "<|im_start|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}
  ]},
  "decoder": {"type": "ByteLevel"},
  "model": {
    "type": "BPE", "dropout": null, "unk_token": null, "ignore_merges": false,
    "vocab": {"a": 0, "b": 1, "c": 2, "Ġ": 3, "1": 4, "Ã": 5, "©": 6, "ab": 7, "Ġab": 8, "abc": 9,
              "Ċ": 10, "日é": 11},
    "merges": ["a b", ["Ġ", "ab"], "ab c"]
  }
})";

// Returns kTiny with the first `from` replaced by `to`.
std::string With(const std::string& from, const std::string& to) {
  std::string text = kTiny;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

void ExpectRefused(std::string text, StatusCode code, const std::string& part) {
  const auto tokenizer = ParseTokenizerJson(std::move(text), "tiny.json");
  ASSERT_FALSE(tokenizer.ok()) << part;
  EXPECT_EQ(tokenizer.status().code(), code) << tokenizer.status().message();
  EXPECT_NE(tokenizer.status().message().find(part), std::string::npos)
      << tokenizer.status().message();
  EXPECT_TRUE(tokenizer.status().message().starts_with("tiny.json: "));
}

TEST(TokenizerJson, EncodesAndDecodes) {
  const auto result = ParseTokenizerJson(kTiny, "tiny.json");
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const Tokenizer& tokenizer = **result;
  EXPECT_EQ(tokenizer.Encode("abc ab11"), (std::vector<TokenId>{9, 8, 4, 4}));
  EXPECT_EQ(tokenizer.Encode("e\xCC\x81"), (std::vector<TokenId>{5, 6}));
  EXPECT_EQ(tokenizer.Encode("a<tool>b"), (std::vector<TokenId>{0, 14, 1}));
  EXPECT_EQ(tokenizer.Encode("<|im_end|>", {.parse_special = true, .add_bos = true}),
            (std::vector<TokenId>{12, 13}));
  const std::vector<TokenId> ids = {12, 8, 5, 6, 14, 13, 999};
  EXPECT_EQ(tokenizer.Decode(ids), "<|im_start|> ab\xC3\xA9<tool><|im_end|>");
  EXPECT_EQ(tokenizer.Decode(ids, {.skip_special = true}), " ab\xC3\xA9<tool>");
  EXPECT_EQ(tokenizer.TokenBytes(11), "日é") << "text outside the byte alphabet stands for itself";
  EXPECT_EQ(tokenizer.TokenBytes(999), "");
}

TEST(TokenizerJson, KnowsItsSpecialTokens) {
  const auto result = ParseTokenizerJson(kTiny, "tiny.json");
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const Tokenizer& tokenizer = **result;
  EXPECT_EQ(tokenizer.bos(), TokenId{12});
  EXPECT_EQ(tokenizer.eos(), TokenId{13});
  EXPECT_TRUE(tokenizer.add_bos());
  EXPECT_EQ(tokenizer.end_tokens(), std::vector<TokenId>{13});
  EXPECT_EQ(tokenizer.FindAddedToken("<tool>"), TokenId{14});
  EXPECT_EQ(tokenizer.FindAddedToken("tool"), std::nullopt);
  EXPECT_EQ(tokenizer.vocabulary().kind(12), TokenKind::kControl);
  EXPECT_EQ(tokenizer.vocabulary().kind(14), TokenKind::kNormal);
  EXPECT_TRUE(tokenizer.IsSpecial(13));
  EXPECT_FALSE(tokenizer.IsSpecial(14));
  EXPECT_EQ(tokenizer.chat_template(), "");
}

TEST(TokenizerJson, WholePiecesSkipMergesWhereTheModelSaysSo) {
  const auto merged = ParseTokenizerJson(kTiny, "tiny.json");
  const auto whole =
      ParseTokenizerJson(With("\"ignore_merges\": false", "\"ignore_merges\": true"), "tiny.json");
  ASSERT_TRUE(merged.ok() && whole.ok());
  std::string unmerged = With("\"ab c\"", "\"a b\"");
  const auto unreachable = ParseTokenizerJson(unmerged, "tiny.json");
  ASSERT_TRUE(unreachable.ok());
  EXPECT_EQ((*unreachable)->Encode("abc"), (std::vector<TokenId>{7, 2}));
  unmerged.replace(unmerged.find("\"ignore_merges\": false"), 22, "\"ignore_merges\": true ");
  const auto reachable = ParseTokenizerJson(unmerged, "tiny.json");
  ASSERT_TRUE(reachable.ok());
  EXPECT_EQ((*reachable)->Encode("abc"), std::vector<TokenId>{9});
}

TEST(TokenizerJson, MalformedFilesSayWhatAndWhere) {
  const StatusCode invalid = StatusCode::kInvalidModel;
  ExpectRefused("", invalid, "not well-formed JSON");
  ExpectRefused("[]", invalid, "the document is no object");
  ExpectRefused("{}", invalid, "\"model\" is missing");
  ExpectRefused(std::string(kTiny).substr(0, 500), invalid, "not well-formed JSON");
  ExpectRefused(std::string(100000, '['), invalid, "not well-formed JSON");
  ExpectRefused("{\"model\": " + std::string(100000, '[') + std::string(100000, ']') + "}", invalid,
                "\"model\" is missing");
  ExpectRefused(With("\"ab c\"", "\"ab d\""), invalid, "model.merges[2] \"ab d\"");
  ExpectRefused(With("\"ab c\"", "\"abc\""), invalid, "model.merges[2]");
  ExpectRefused(With("\"ab c\"", "7"), invalid, "model.merges[2]");
  ExpectRefused(With("\"b\": 1", "\"b\": -1"), invalid, "the id of \"b\" is no whole number");
  ExpectRefused(With("\"b\": 1", "\"b\": 4000000000"), invalid, "beyond the largest allowed");
  ExpectRefused(With("\"b\": 1", "\"b\": 0"), invalid, "id 0 is given twice");
  ExpectRefused(With("\"b\": 1", "\"a\": 20"), invalid, "\"a\" stands there twice");
  ExpectRefused(With("\"id\": 14", "\"id\": 13"), invalid, "added_tokens[2]: id 13 is given twice");
  ExpectRefused(With("\"id\": 14", "\"id\": 2"), invalid, "id 2 belongs to another token");
  ExpectRefused(With("\"content\": \"<tool>\"", "\"content\": \"a\""), invalid, "has id 14 here");
  ExpectRefused(With("\"content\": \"<tool>\"", "\"content\": 1"), invalid,
                "added_tokens[2].content");
  ExpectRefused(With("{\"id\": \"<|im_start|>\", \"type_id\"", "{\"id\": \"<s>\", \"type_id\""),
                invalid, "\"<s>\" is not among added_tokens");
  ExpectRefused(With("\"unk_token\": null", "\"unk_token\": \"<u>\""), invalid, "model.unk_token");
  ExpectRefused(With("\"merges\": [", "\"merge\": ["), invalid, "model.merges is not a list");
}

TEST(TokenizerJson, DamagedBytesNeverCrash) {
  const std::string whole = kTiny;
  for (size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_FALSE(ParseTokenizerJson(whole.substr(0, size), "tiny.json").ok()) << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '"', '9', '[', '}', '\xFF'}) {
      std::string text = whole;
      text[at] = byte;
      const auto tokenizer = ParseTokenizerJson(std::move(text), "tiny.json");
      if (tokenizer.ok()) (*tokenizer)->Encode("abc <tool>\n\xC3\xA9 12", {.add_bos = true});
    }
  }
}

TEST(TokenizerJson, UnknownStepsAreRefusedByName) {
  const StatusCode unsupported = StatusCode::kUnsupported;
  ExpectRefused(With("\"type\": \"BPE\"", "\"type\": \"Unigram\""), unsupported, "\"Unigram\"");
  ExpectRefused(With("\"type\": \"NFC\"", "\"type\": \"Lowercase\""), unsupported, "\"Lowercase\"");
  ExpectRefused(With("\"type\": \"Digits\"", "\"type\": \"Metaspace\""), unsupported,
                "pre_tokenizer.pretokenizers[0]: pre-tokenizer \"Metaspace\"");
  ExpectRefused(With("{\"type\": \"Digits\", \"individual_digits\": true}",
                     R"({"type": "Split", "pattern": {"Regex": "\\w+"}, "behavior": "Isolated"})"),
                unsupported, R"(split pattern "\w+" is not known)");
  ExpectRefused(With("\"add_prefix_space\": false", "\"add_prefix_space\": true"), unsupported,
                "add_prefix_space");
  ExpectRefused(With("\"dropout\": null", "\"dropout\": 0.1"), unsupported, "model.dropout");
}

TEST(TokenizerJson, VocabularyNeedsNoKnownSplitPattern) {
  const std::string text = With("\"type\": \"Digits\"", "\"type\": \"Metaspace\"");
  const auto vocabulary = ParseVocabularyJson(text, "tiny.json");
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.status().ToString();
  EXPECT_EQ((*vocabulary)->size(), 15u);
  EXPECT_EQ((*vocabulary)->bytes(8), " ab");
  EXPECT_EQ((*vocabulary)->end_tokens(), std::vector<TokenId>{13});
}

TEST(TokenizerJson, SentencePieceVocabularyHasSpacesAndBytes) {
  const std::string text = R"({
    "added_tokens": [
      {"id": 0, "content": "<eos>", "special": true},
      {"id": 5, "content": "<start_of_turn>", "special": false},
      {"id": 6, "content": "</s>", "special": false},
      {"id": 7, "content": "▁▁", "special": false}],
    "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}]},
    "model": {"type": "BPE", "byte_fallback": true, "merges": [],
      "vocab": {"<eos>": 0, "a": 1, "▁a": 2, "<0x0A>": 3, "<0xZZ>": 4, "</s>": 6}}})";
  const auto vocabulary = ParseVocabularyJson(text, "spm.json");
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.status().ToString();
  EXPECT_EQ((*vocabulary)->bytes(2), " a");
  EXPECT_EQ((*vocabulary)->bytes(3), "\n");
  EXPECT_EQ((*vocabulary)->bytes(4), "<0xZZ>");
  EXPECT_EQ((*vocabulary)->bytes(7), "  ");
  EXPECT_EQ((*vocabulary)->kind(5), TokenKind::kControl);
  EXPECT_EQ((*vocabulary)->kind(6), TokenKind::kNormal);
  EXPECT_EQ((*vocabulary)->end_tokens(), std::vector<TokenId>{0});
  EXPECT_EQ(ParseTokenizerJson(text, "spm.json").status().code(), StatusCode::kUnsupported);
}

TEST(OpenTokenizer, RecognisesFilesByContent) {
  std::string path;
  const auto open = [&path](const std::string& content) {
    const TemporaryFile file(content);
    path = file.path();
    const auto tokenizer = OpenTokenizer(path);
    return tokenizer.ok() ? std::string("ok") : tokenizer.status().message();
  };
  EXPECT_EQ(open(kTiny), "ok");
  EXPECT_EQ(open("\xEF\xBB\xBF\n" + std::string(kTiny)), "ok");
  EXPECT_NE(open("hello").find("neither a GGUF model nor a tokenizer.json"), std::string::npos);
  EXPECT_NE(open("").find("neither a GGUF model nor a tokenizer.json"), std::string::npos);
  EXPECT_NE(open("\x28\xB5\x2F\xFD....").find("zstd -d"), std::string::npos);
  EXPECT_NE(open("GGUF").find(path), std::string::npos);
  EXPECT_EQ(OpenTokenizer(path).status().code(), StatusCode::kIo);
  EXPECT_EQ(OpenTokenizer("/").status().code(), StatusCode::kIo);
}

}  // namespace
}  // namespace maskloom
