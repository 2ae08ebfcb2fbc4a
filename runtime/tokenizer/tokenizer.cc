#include "runtime/tokenizer/tokenizer.h"

#include <algorithm>
#include <utility>

#include "runtime/tokenizer/normalizer.h"
#include "runtime/tokenizer/tokenizer_definition.h"

namespace maskloom {
namespace {

std::vector<AddedToken> WithNormalized(const std::vector<AddedToken>& added, bool normalized) {
  std::vector<AddedToken> chosen;
  for (const AddedToken& token : added) {
    if (token.normalized == normalized) chosen.push_back(token);
  }
  return chosen;
}

std::vector<AddedToken> NormalizedTokens(const TokenizerDefinition& definition) {
  std::vector<AddedToken> tokens = WithNormalized(definition.added, true);
  if (definition.normalize_nfc) {
    for (AddedToken& token : tokens) token.text = NormalizeToNfc(token.text);
  }
  return tokens;
}

// The part of `ranges` inside [begin, begin + size), counted from `begin`.
std::vector<TextRange> ClipRanges(std::span<const TextRange> ranges, size_t begin, size_t size) {
  std::vector<TextRange> clipped;
  for (const TextRange& range : ranges) {
    const size_t low = std::max(range.begin, begin);
    const size_t high = std::min(range.end, begin + size);
    if (low < high) clipped.push_back({low - begin, high - begin});
  }
  return clipped;
}

}  // namespace

Tokenizer::Tokenizer(const TokenizerDefinition& definition)
    : is_special_(definition.tokens.size()),
      raw_matcher_(WithNormalized(definition.added, false)),
      normalized_matcher_(NormalizedTokens(definition)),
      added_(definition.added),
      normalize_nfc_(definition.normalize_nfc),
      pre_tokenizer_(definition.split_rules),
      merger_(definition.byte_symbols, definition.merges),
      bos_(definition.bos),
      eos_(definition.eos),
      add_bos_(definition.add_bos && definition.bos.has_value()),
      chat_template_(definition.chat_template) {
  for (const AddedToken& token : added_) is_special_[token.id] = token.special;
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::Create(TokenizerDefinition definition) {
  std::shared_ptr<Tokenizer> tokenizer(new Tokenizer(definition));
  Result<Vocabulary> vocabulary =
      Vocabulary::Create(std::move(definition.tokens), std::move(definition.end_tokens));
  if (!vocabulary.ok()) {
    return Status(StatusCode::kInvalidModel, vocabulary.status().message());
  }
  tokenizer->vocabulary_ = std::make_shared<const Vocabulary>(std::move(*vocabulary));
  if (definition.ignore_merges) {
    const Vocabulary& tokens = *tokenizer->vocabulary_;
    std::vector<bool> is_added(tokens.size());
    for (const AddedToken& token : tokenizer->added_) is_added[token.id] = true;
    tokenizer->whole_pieces_.reserve(tokens.size());
    for (TokenId id = 0; id < tokens.size(); ++id) {
      if (tokens.kind(id) == TokenKind::kNormal && !is_added[id]) {
        tokenizer->whole_pieces_.emplace(tokens.bytes(id), id);
      }
    }
  }
  return std::shared_ptr<const Tokenizer>(std::move(tokenizer));
}

std::vector<TokenId> Tokenizer::Encode(std::string_view text, const EncodeOptions& options) const {
  std::vector<TokenId> ids;
  if (options.add_bos && add_bos_) ids.push_back(*bos_);
  std::vector<TextSegment> segments;
  raw_matcher_.Cut(text, {options.parse_special, options.literal}, &segments);
  for (const TextSegment& segment : segments) {
    if (segment.id != TextSegment::kTextSegment) {
      ids.push_back(segment.id);
      continue;
    }
    EncodeOptions inner = options;
    const auto begin = static_cast<size_t>(segment.text.data() - text.data());
    const std::vector<TextRange> literal = ClipRanges(options.literal, begin, segment.text.size());
    inner.literal = literal;
    EncodeText(segment.text, inner, &ids);
  }
  return ids;
}

void Tokenizer::EncodeText(std::string_view text, const EncodeOptions& options,
                           std::vector<TokenId>* ids) const {
  BpeMerger::Scratch scratch;
  std::string normal;
  if (normalize_nfc_) {
    normal = NormalizeToNfc(text);
    text = normal;
  }
  if (normalized_matcher_.empty()) {
    EncodePieces(text, &scratch, ids);
    return;
  }
  // Normalising moves offsets, so a text with a literal part is literal as a whole here.
  const bool parse_special = options.parse_special && options.literal.empty();
  std::vector<TextSegment> segments;
  normalized_matcher_.Cut(text, {parse_special, {}}, &segments);
  for (const TextSegment& segment : segments) {
    if (segment.id != TextSegment::kTextSegment) {
      ids->push_back(segment.id);
    } else {
      EncodePieces(segment.text, &scratch, ids);
    }
  }
}

void Tokenizer::EncodePieces(std::string_view text, BpeMerger::Scratch* scratch,
                             std::vector<TokenId>* ids) const {
  std::vector<std::string_view> pieces;
  pre_tokenizer_.Split(text, &pieces);
  for (const std::string_view piece : pieces) {
    if (!whole_pieces_.empty()) {
      const auto found = whole_pieces_.find(piece);
      if (found != whole_pieces_.end()) {
        ids->push_back(found->second);
        continue;
      }
    }
    merger_.Encode(piece, scratch, ids);
  }
}

std::string Tokenizer::Decode(std::span<const TokenId> ids, const DecodeOptions& options) const {
  std::string bytes;
  for (const TokenId id : ids) {
    if (options.skip_special && IsSpecial(id)) continue;
    bytes += TokenBytes(id);
  }
  return bytes;
}

std::string_view Tokenizer::TokenBytes(TokenId id) const {
  return id < vocabulary_->size() ? vocabulary_->bytes(id) : std::string_view();
}

std::optional<TokenId> Tokenizer::FindAddedToken(std::string_view text) const {
  for (const AddedToken& token : added_) {
    if (token.text == text) return token.id;
  }
  return std::nullopt;
}

}  // namespace maskloom
