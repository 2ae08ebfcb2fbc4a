#include "runtime/tokenizer/tokenizer_json.h"

#include <rapidjson/error/en.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <utility>

#include "runtime/tokenizer/byte_level.h"
#include "runtime/tokenizer/control_tokens.h"
#include "runtime/tokenizer/json_fields.h"
#include "runtime/tokenizer/json_pipeline.h"
#include "runtime/tokenizer/sentencepiece_bytes.h"

namespace maskloom {
namespace {

constexpr uint32_t kMaxTokenId = (1u << 22) - 1;  // sixteen times the largest vocabulary in use

// Reads one document; the steps run in the order of Read().
class JsonTokenizerReader {
 public:
  JsonTokenizerReader(const JsonValue& root, const std::string& name, TokenizerParts parts)
      : root_(root), name_(name), parts_(parts) {}

  Result<TokenizerDefinition> Read() {
    Status status = ReadModel();
    if (status.ok()) status = ReadVocab();
    if (status.ok()) status = ReadAddedTokens();
    if (status.ok() && parts_ == TokenizerParts::kAll) status = ReadEncoding();
    if (!status.ok()) return status;
    CollectEndTokens(&definition_);
    return std::move(definition_);
  }

 private:
  Status Damaged(const std::string& what) const {
    return Status(StatusCode::kInvalidModel, name_ + ": " + what);
  }
  Status Unsupported(const std::string& what) const {
    return Status(StatusCode::kUnsupported, name_ + ": " + what);
  }

  Status ReadModel() {
    if (!root_.IsObject()) return Damaged("not a tokenizer.json: the document is no object");
    model_ = FindField(root_, "model");
    if (model_ == nullptr || !model_->IsObject()) {
      return Damaged("not a tokenizer.json: \"model\" is missing");
    }
    const std::string_view type = FindText(*model_, "type");
    const bool has_merges = FindField(*model_, "merges") != nullptr;
    if (type != "BPE" && !(type.empty() && has_merges)) {
      return Unsupported("model.type " + QuoteShort(type) + " is not read; BPE is");
    }
    byte_level_ = HasByteLevelStep(FindField(root_, "pre_tokenizer")) ||
                  HasByteLevelStep(FindField(root_, "decoder"));
    if (byte_level_) return Status::Ok();
    if (!FindFlag(*model_, "byte_fallback", false)) {
      return Unsupported("BPE that is neither byte-level nor with byte_fallback");
    }
    if (parts_ == TokenizerParts::kVocabularyOnly) return Status::Ok();
    return Unsupported(
        "SentencePiece-style BPE (byte_fallback) cannot encode text yet; byte-level BPE can");
  }

  // Puts a token into the table, growing it.
  Status PlaceToken(uint32_t id, Vocabulary::Token token, const std::string& where) {
    if (id > kMaxTokenId) {
      return Damaged(where + ": id " + std::to_string(id) + " is beyond the largest allowed, " +
                     std::to_string(kMaxTokenId));
    }
    if (id >= definition_.tokens.size()) definition_.tokens.resize(id + 1);
    definition_.tokens[id] = std::move(token);
    return Status::Ok();
  }

  Status ReadVocab() {
    const JsonValue* vocab = FindField(*model_, "vocab");
    if (vocab == nullptr || !vocab->IsObject() || vocab->ObjectEmpty()) {
      return Damaged("model.vocab is not an object with tokens");
    }
    ids_.reserve(vocab->MemberCount());
    for (const auto& member : vocab->GetObject()) {
      const std::string_view text = JsonText(member.name);
      const std::string where = "model.vocab";
      if (!member.value.IsUint()) {
        return Damaged(where + ": the id of " + QuoteShort(text) + " is no whole number");
      }
      const uint32_t id = member.value.GetUint();
      if (id < definition_.tokens.size() && !definition_.tokens[id].bytes.empty()) {
        return Damaged(where + ": id " + std::to_string(id) +
                       " is given twice, the second time to " + QuoteShort(text));
      }
      Vocabulary::Token token;
      if (byte_level_) {
        DecodeByteLevel(text, &token.bytes);
      } else if (const auto byte = ParseByteFallback(text)) {
        token.bytes.assign(1, static_cast<char>(*byte));
      } else {
        token.bytes = DecodeSentencePiece(text);
      }
      Status status = PlaceToken(id, std::move(token), where);
      if (!status.ok()) return status;
      if (!ids_.emplace(text, id).second) {
        return Damaged(where + ": " + QuoteShort(text) + " stands there twice");
      }
    }
    return Status::Ok();
  }

  Status ReadAddedTokens() {
    const JsonValue* added = FindField(root_, "added_tokens");
    if (added == nullptr) return Status::Ok();
    if (!added->IsArray()) return Damaged("added_tokens is not a list");
    tsl::robin_map<uint32_t, rapidjson::SizeType> place_of_id;
    for (rapidjson::SizeType i = 0; i < added->Size(); ++i) {
      const JsonValue& entry = (*added)[i];
      const std::string where = "added_tokens[" + std::to_string(i) + "]";
      const JsonValue* id = FindField(entry, "id");
      const std::string_view text = FindText(entry, "content");
      if (id == nullptr || !id->IsUint()) return Damaged(where + ".id is no whole number");
      if (text.empty()) return Damaged(where + ".content is no text or an empty one");
      if (!place_of_id.emplace(id->GetUint(), i).second) {
        return Damaged(where + ": id " + std::to_string(id->GetUint()) + " is given twice");
      }
      AddedToken token;
      token.id = id->GetUint();
      token.special = FindFlag(entry, "special", false);
      token.normalized = FindFlag(entry, "normalized", !token.special);
      token.strips_left = FindFlag(entry, "lstrip", false);
      token.strips_right = FindFlag(entry, "rstrip", false);
      token.single_word = FindFlag(entry, "single_word", false);
      token.text = text;
      const auto in_vocab = ids_.find(text);
      if (in_vocab != ids_.end() && in_vocab->second != token.id) {
        return Damaged(where + ": " + QuoteShort(text) + " has id " + std::to_string(token.id) +
                       " here and " + std::to_string(in_vocab->second) + " in model.vocab");
      }
      const bool control = token.special || LooksLikeControlToken(text);
      Vocabulary::Token entry_token;
      entry_token.bytes = !byte_level_ && !control ? DecodeSentencePiece(text) : std::string(text);
      entry_token.kind = control ? TokenKind::kControl : TokenKind::kNormal;
      if (in_vocab == ids_.end() && token.id < definition_.tokens.size() &&
          !definition_.tokens[token.id].bytes.empty()) {
        return Damaged(where + ": id " + std::to_string(token.id) +
                       " belongs to another token in model.vocab");
      }
      Status status = PlaceToken(token.id, std::move(entry_token), where);
      if (!status.ok()) return status;
      definition_.added.push_back(std::move(token));
    }
    return Status::Ok();
  }

  Status ReadEncoding() {
    JsonPipeline pipeline;
    const Status status = ReadJsonPipeline(root_, &pipeline);
    if (!status.ok()) return Status(status.code(), name_ + ": " + status.message());
    definition_.normalize_nfc = pipeline.normalize_nfc;
    definition_.split_rules = std::move(pipeline.split_rules);
    if (!pipeline.bos_text.empty()) {
      definition_.bos = FindAdded(pipeline.bos_text);
      if (!definition_.bos) {
        return Damaged("post_processor: " + QuoteShort(pipeline.bos_text) +
                       " is not among added_tokens");
      }
      definition_.add_bos = true;
    }
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!FindText(*model_, key).empty()) {
        return Unsupported(std::string("model.") + key + " " + QuoteShort(FindText(*model_, key)));
      }
    }
    if (const JsonValue* dropout = FindField(*model_, "dropout");
        dropout != nullptr && !(dropout->IsNumber() && dropout->GetDouble() == 0.0)) {
      return Unsupported("model.dropout");
    }
    definition_.ignore_merges = FindFlag(*model_, "ignore_merges", false);
    CollectByteSymbols(&definition_);
    if (const std::string_view unknown = FindText(*model_, "unk_token"); !unknown.empty()) {
      definition_.byte_symbols.unknown = FindId(unknown);
      if (definition_.byte_symbols.unknown == kNoToken) {
        return Damaged("model.unk_token " + QuoteShort(unknown) + " is not in model.vocab");
      }
      definition_.byte_symbols.fuse_unknown = FindFlag(*model_, "fuse_unk", false);
    }
    return ReadMerges();
  }

  std::optional<TokenId> FindAdded(std::string_view text) const {
    for (const AddedToken& token : definition_.added) {
      if (token.text == text) return token.id;
    }
    return std::nullopt;
  }

  TokenId FindId(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? kNoToken : found->second;
  }

  // A merge is "left right" in older files and ["left", "right"] in newer ones.
  Status ReadMerges() {
    const JsonValue* merges = FindField(*model_, "merges");
    if (merges == nullptr || !merges->IsArray()) return Damaged("model.merges is not a list");
    definition_.merges.reserve(merges->Size());
    std::string joined;
    for (rapidjson::SizeType rank = 0; rank < merges->Size(); ++rank) {
      const JsonValue& merge = (*merges)[rank];
      std::string_view left;
      std::string_view right;
      if (merge.IsString()) {
        const std::string_view text = JsonText(merge);
        const size_t space = text.find(' ');
        if (space != std::string_view::npos) {
          left = text.substr(0, space);
          right = text.substr(space + 1);
        }
      } else if (merge.IsArray() && merge.Size() == 2 && merge[0].IsString() &&
                 merge[1].IsString()) {
        left = JsonText(merge[0]);
        right = JsonText(merge[1]);
      }
      joined.assign(left).append(right);
      const MergeRule rule = {FindId(left), FindId(right), FindId(joined)};
      if (rule.left == kNoToken || rule.right == kNoToken || rule.result == kNoToken) {
        return Damaged("model.merges[" + std::to_string(rank) + "] " +
                       QuoteShort(std::string(left) + " " + std::string(right)) +
                       " does not join two tokens of model.vocab to a third");
      }
      definition_.merges.push_back(rule);
    }
    return Status::Ok();
  }

  const JsonValue& root_;
  const std::string& name_;
  const TokenizerParts parts_;
  const JsonValue* model_ = nullptr;
  bool byte_level_ = true;
  tsl::robin_map<std::string_view, TokenId> ids_;  // of model.vocab, by text as written
  TokenizerDefinition definition_;
};

}  // namespace

Result<TokenizerDefinition> ReadTokenizerJson(std::string text, const std::string& name,
                                              TokenizerParts parts) {
  // The iterative parser and the pool allocator keep deep nesting off the stack. Checking UTF-8,
  // RapidJSON reads up to three bytes past the end of a text that stops inside a character.
  text.append(4, '\0');
  rapidjson::Document document;
  document.ParseInsitu<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(
      text.data());
  if (document.HasParseError()) {
    return Status(
        StatusCode::kInvalidModel,
        name + ": not well-formed JSON: " + rapidjson::GetParseError_En(document.GetParseError()) +
            " (byte " + std::to_string(document.GetErrorOffset()) + ")");
  }
  return JsonTokenizerReader(document, name, parts).Read();
}

}  // namespace maskloom
