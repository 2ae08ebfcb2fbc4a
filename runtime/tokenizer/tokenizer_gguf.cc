#include "runtime/tokenizer/tokenizer_gguf.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/tokenizer/byte_level.h"
#include "runtime/tokenizer/sentencepiece_bytes.h"

namespace maskloom {
namespace {

constexpr char kModelKey[] = "tokenizer.ggml.model";
constexpr char kPreKey[] = "tokenizer.ggml.pre";
constexpr char kTokensKey[] = "tokenizer.ggml.tokens";
constexpr char kTypesKey[] = "tokenizer.ggml.token_type";
constexpr char kMergesKey[] = "tokenizer.ggml.merges";

// Values of tokenizer.ggml.token_type.
enum GgufTokenType : int32_t {
  kTypeNormal = 1,
  kTypeUnknown = 2,
  kTypeControl = 3,
  kTypeUserDefined = 4,
  kTypeUnused = 5,
  kTypeByte = 6,
};

struct KnownPre {
  std::string_view name;
  std::vector<SplitRule> rules;
  bool ignore_merges;
};

const KnownPre* FindPre(std::string_view name) {
  static const std::vector<KnownPre> kKnown = {
      {"smollm", {SplitRule::kSingleNumbers, SplitRule::kGpt2}, false},
      {"gpt-2", {SplitRule::kGpt2}, false},
      {"llama-bpe", {SplitRule::kLlama3}, true},
      {"llama3", {SplitRule::kLlama3}, true},
      {"llama-v3", {SplitRule::kLlama3}, true},
      {"qwen2", {SplitRule::kQwen2}, false},
      {"gpt-4o", {SplitRule::kO200k}, false},
  };
  const auto found = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const KnownPre& known) { return known.name == name; });
  return found == kKnown.end() ? nullptr : &*found;
}

// Reads one file; the steps run in the order of Read().
class GgufTokenizerReader {
 public:
  GgufTokenizerReader(const GgufFile& file, TokenizerParts parts) : file_(file), parts_(parts) {}

  Result<TokenizerDefinition> Read() {
    Status status = ReadModel();
    if (status.ok()) status = ReadTokens();
    if (status.ok()) status = ReadSpecialIds();
    if (status.ok() && parts_ == TokenizerParts::kAll) status = ReadEncoding();
    if (!status.ok()) return status;
    definition_.chat_template = file_.FindString("tokenizer.chat_template").value_or("");
    CollectEndTokens(&definition_);
    return std::move(definition_);
  }

 private:
  Status Damaged(const std::string& what) const {
    return Status(StatusCode::kInvalidModel, file_.path() + ": " + what);
  }
  Status Unsupported(const std::string& what) const {
    return Status(StatusCode::kUnsupported, file_.path() + ": " + what);
  }

  Status ReadModel() {
    const auto model = file_.FindString(kModelKey);
    if (!model) return Damaged(std::string("the text key ") + kModelKey + " is missing");
    byte_level_ = *model == "gpt2";
    if (byte_level_) return Status::Ok();
    if (*model != "llama") {
      return Unsupported("tokenizer.ggml.model \"" + std::string(*model) +
                         "\" is not read; byte-level BPE (\"gpt2\") is");
    }
    if (parts_ == TokenizerParts::kVocabularyOnly) return Status::Ok();
    return Unsupported(
        "its tokenizer is SentencePiece-style (tokenizer.ggml.model \"llama\"), which cannot "
        "encode text yet; byte-level BPE (\"gpt2\") can");
  }

  Status ReadTokens() {
    texts_ = file_.FindStringArray(kTokensKey);
    if (texts_ == nullptr || texts_->empty()) {
      return Damaged(std::string("the list of texts ") + kTokensKey + " is missing or empty");
    }
    const auto types = file_.FindI32Array(kTypesKey);
    if (types && types->size() != texts_->size()) {
      return Damaged(std::string(kTypesKey) + " has " + std::to_string(types->size()) +
                     " entries for " + std::to_string(texts_->size()) + " tokens");
    }
    definition_.tokens.resize(texts_->size());
    for (TokenId id = 0; id < texts_->size(); ++id) {
      const int32_t type = types ? (*types)[id] : static_cast<int32_t>(kTypeNormal);
      if (type < 0 || type > kTypeByte) {
        return Damaged(std::string(kTypesKey) + "[" + std::to_string(id) + "] is " +
                       std::to_string(type) + ", which is no token type");
      }
      AddToken(id, type);
    }
    return Status::Ok();
  }

  void AddToken(TokenId id, int32_t type) {
    const std::string_view text = (*texts_)[id];
    Vocabulary::Token& token = definition_.tokens[id];
    switch (type) {
      case kTypeUnused:
        token.kind = TokenKind::kUnused;
        return;
      case kTypeUnknown:
      case kTypeControl:
      case kTypeUserDefined:
        token.bytes = text;
        if (type != kTypeUserDefined) token.kind = TokenKind::kControl;
        if (!text.empty()) {
          definition_.added.push_back({id, token.bytes, type != kTypeUserDefined});
        }
        return;
      default:
        break;
    }
    if (byte_level_) {
      DecodeByteLevel(text, &token.bytes);
    } else if (const auto byte = ParseByteFallback(text); byte && type == kTypeByte) {
      token.bytes.assign(1, static_cast<char>(*byte));
    } else {
      token.bytes = DecodeSentencePiece(text);
    }
  }

  // Reads the id under `key` into `*id`, if there is one.
  Status ReadId(const char* key, std::optional<TokenId>* id) const {
    const auto value = file_.FindU64(key);
    if (!value) return Status::Ok();
    if (*value >= definition_.tokens.size()) {
      return Damaged(std::string(key) + " is " + std::to_string(*value) + ", but there are only " +
                     std::to_string(definition_.tokens.size()) + " tokens");
    }
    *id = static_cast<TokenId>(*value);
    return Status::Ok();
  }

  Status ReadSpecialIds() {
    Status status = ReadId("tokenizer.ggml.bos_token_id", &definition_.bos);
    if (!status.ok()) return status;
    status = ReadId("tokenizer.ggml.eos_token_id", &definition_.eos);
    if (!status.ok()) return status;
    if (definition_.eos) definition_.end_tokens.push_back(*definition_.eos);
    for (const char* key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
      std::optional<TokenId> end;
      status = ReadId(key, &end);
      if (!status.ok()) return status;
      if (end) definition_.end_tokens.push_back(*end);
    }
    // A file of a SentencePiece-style model that does not say wants its BOS.
    definition_.add_bos = file_.FindBool("tokenizer.ggml.add_bos_token").value_or(!byte_level_);
    return Status::Ok();
  }

  Status ReadEncoding() {
    const auto pre = file_.FindString(kPreKey);
    const KnownPre* known = pre ? FindPre(*pre) : nullptr;
    if (known == nullptr) {
      return Unsupported(pre ? "tokenizer.ggml.pre \"" + std::string(*pre) +
                                   "\" is not a way of splitting text that is known"
                             : std::string("tokenizer.ggml.pre is missing, so how to split text "
                                           "is not known"));
    }
    definition_.split_rules = known->rules;
    definition_.ignore_merges = known->ignore_merges;
    CollectByteSymbols(&definition_);
    return ReadMerges();
  }

  Status ReadMerges() {
    const std::vector<std::string_view>* merges = file_.FindStringArray(kMergesKey);
    if (merges == nullptr) {
      return Damaged(std::string("the list of texts ") + kMergesKey + " is missing");
    }
    tsl::robin_map<std::string_view, TokenId> ids;
    ids.reserve(texts_->size());
    for (TokenId id = 0; id < texts_->size(); ++id) ids.emplace((*texts_)[id], id);
    std::string joined;
    definition_.merges.reserve(merges->size());
    for (size_t rank = 0; rank < merges->size(); ++rank) {
      const std::string_view merge = (*merges)[rank];
      const size_t space = merge.find(' ', 1);
      MergeRule rule;
      if (space != std::string_view::npos) {
        const std::string_view left = merge.substr(0, space);
        const std::string_view right = merge.substr(space + 1);
        joined.assign(left).append(right);
        const auto find = [&ids](std::string_view text) {
          const auto found = ids.find(text);
          return found == ids.end() ? kNoToken : found->second;
        };
        rule = {find(left), find(right), find(joined)};
      }
      if (rule.left == kNoToken || rule.right == kNoToken || rule.result == kNoToken) {
        return Damaged(std::string(kMergesKey) + "[" + std::to_string(rank) + "] \"" +
                       std::string(merge.substr(0, 60)) + "\" does not join two tokens to a third");
      }
      definition_.merges.push_back(rule);
    }
    return Status::Ok();
  }

  const GgufFile& file_;
  const TokenizerParts parts_;
  bool byte_level_ = true;
  const std::vector<std::string_view>* texts_ = nullptr;
  TokenizerDefinition definition_;
};

}  // namespace

Result<TokenizerDefinition> ReadTokenizerGguf(const GgufFile& file, TokenizerParts parts) {
  return GgufTokenizerReader(file, parts).Read();
}

}  // namespace maskloom
