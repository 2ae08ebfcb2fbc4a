#include "compiler/vocabulary_index.h"

#include <algorithm>

#include "compiler/archive.h"
#include "compiler/json_value_key.h"

namespace maskloom {
namespace {

// Do both styles spell values alike, but for the order of keys and for indentation?
bool IsSpelledAlike(const StylePolicy& a, const StylePolicy& b) {
  return a.whitespace == b.whitespace && a.max_blanks == b.max_blanks && a.escapes == b.escapes &&
         a.max_digits == b.max_digits;
}

// Does `text` hold a character that could not be finished by bytes that are tokens, although here
// it is? Bytes that end a character begun before it are passed over.
bool HoldsUnfinishable(const Spelling& utf8, std::string_view text) {
  Partial partial = kBoundary;
  size_t begin = 0;
  while (begin < text.size() && (static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80) ++begin;
  for (const char byte : text.substr(begin)) {
    const CodingStep step = StepCoding(TextCoding::kUtf8, partial, static_cast<uint8_t>(byte));
    if (step.outcome == CodingStep::Outcome::kDead) return false;
    partial = step.partial;
    if (!utf8.CanBeFinished(partial)) return true;
  }
  return false;
}

// Returns the tokens that no step leads through: steps go byte by byte and only to what bytes that
// are tokens can finish.
std::vector<TokenId> FindUnfinishable(const Vocabulary& vocabulary, const Spelling& utf8) {
  std::vector<TokenId> ids;
  if (utf8.complete()) return ids;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    if (HoldsUnfinishable(utf8, vocabulary.bytes(id))) ids.push_back(id);
  }
  return ids;
}

}  // namespace

VocabularyIndex::VocabularyIndex(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {
  for (TokenId id = 0; id < vocabulary_.size(); ++id) {
    if (vocabulary_.kind(id) != TokenKind::kNormal) continue;
    const std::string_view bytes = vocabulary_.bytes(id);
    if (bytes.size() == 1) spellable_[static_cast<uint8_t>(bytes[0])] = true;
    max_token_bytes_ = std::max(max_token_bytes_, static_cast<uint32_t>(bytes.size()));
  }
  utf8_spelling_ = Spelling(TextCoding::kUtf8, spellable_);
  json_spelling_ = Spelling(TextCoding::kJsonString, spellable_);
  strings_ = StringIndex(vocabulary_, TextCoding::kJsonString, json_spelling_);
  const std::vector<TokenId> unfinishable = FindUnfinishable(vocabulary_, utf8_spelling_);
  if (unfinishable.empty()) {
    ReadTexts(vocabulary_);
  } else {
    ReadTexts(vocabulary_.WithUnused(unfinishable));
  }
  MakeSpaces();
  MakeNumbers();
  FindQuotedTexts();
  FindWholeNumbers();
  held_items_ = HeldItems(vocabulary_);
  standard_walks(StylePolicy());
}

void VocabularyIndex::ReadTexts(const Vocabulary& vocabulary) {
  trie_ = TokenTrie::OfVocabulary(vocabulary);
  categories_ = CategoryIndex(vocabulary, utf8_spelling_, trie_);
}

VocabularyIndex::VocabularyIndex(ArchiveReader* archive) {
  Describe(*archive, *this);
  if (!archive->status().ok()) return;
  MakeSpaces();
  MakeNumbers();
  const StylePolicy style;
  Publish(style, std::make_unique<const StandardWalks>(*this, style, kFirstStyleBase, archive));
}

Result<std::shared_ptr<const VocabularyIndex>> VocabularyIndex::Read(ArchiveReader* archive) {
  std::shared_ptr<const VocabularyIndex> index(new VocabularyIndex(archive));
  if (Status status = archive->Close(); !status.ok()) return status;
  return index;
}

void VocabularyIndex::MakeSpaces() {
  spaces_ = std::make_unique<SpaceRows>(vocabulary_, categories_.white_space_tokens());
  spaces_->Find(StylePolicy(), 0);  // the one that nearly every grammar begins with
}

const StandardWalks* VocabularyIndex::FindWalks(const StylePolicy& style) const {
  const StyledWalks* walks = latest_walks_.load(std::memory_order_acquire);
  while (walks != nullptr && !IsSpelledAlike(walks->style, style)) walks = walks->previous;
  return walks == nullptr ? nullptr : walks->walks.get();
}

const StandardWalks& VocabularyIndex::standard_walks(const StylePolicy& style) const {
  if (const StandardWalks* made = FindWalks(style)) return *made;
  const std::lock_guard<std::mutex> lock(walks_mutex_);
  if (const StandardWalks* made = FindWalks(style)) return *made;
  Publish(style, std::make_unique<const StandardWalks>(
                     *this, style, kFirstStyleBase + static_cast<uint32_t>(walks_.size())));
  return *walks_.back()->walks;
}

void VocabularyIndex::Publish(const StylePolicy& style,
                              std::unique_ptr<const StandardWalks> walks) const {
  walks_.push_back(std::make_unique<const StyledWalks>(
      StyledWalks{style, std::move(walks), latest_walks_.load(std::memory_order_relaxed)}));
  latest_walks_.store(walks_.back().get(), std::memory_order_release);
}

const VocabularyIndex::PlainStrings& VocabularyIndex::plain() const {
  const PlainStrings* made = plain_made_.load(std::memory_order_acquire);
  if (made != nullptr) return *made;
  std::call_once(plain_once_, [this] {
    constexpr TextCoding kCoding = TextCoding::kPlainString;
    auto plain = std::make_unique<PlainStrings>();
    plain->spelling = Spelling(kCoding, spellable_);
    plain->strings = StringIndex(vocabulary_, kCoding, plain->spelling);
    plain_ = std::move(plain);
    plain_made_.store(plain_.get(), std::memory_order_release);
  });
  return *plain_;
}

// A token's quotes may open or close a key, so every pair of quotes with string text between them
// is taken. Cost: only tokens with quotes are looked at.
void VocabularyIndex::FindQuotedTexts() {
  for (TokenId id = 0; id < vocabulary_.size(); ++id) {
    if (vocabulary_.kind(id) != TokenKind::kNormal) continue;
    const std::string_view bytes = vocabulary_.bytes(id);
    size_t begin = bytes.find('"');
    if (begin == std::string_view::npos) continue;
    const size_t colon = bytes.find(':', begin);
    const size_t comma = bytes.find(',', std::min(colon, bytes.size()));
    const size_t quote = bytes.find('"', std::min(comma, bytes.size()));
    has_next_key_tokens_ |= quote < bytes.size() && quote + 1 < bytes.size();
    if (quote < bytes.size() && bytes.find('"', quote + 1) < bytes.size()) {
      has_two_key_tokens_ = true;
    }
    for (; begin != std::string_view::npos; begin = bytes.find('"', begin + 1)) {
      std::u32string text;
      Partial partial = kBoundary;
      for (size_t i = begin + 1; i < bytes.size(); ++i) {
        const CodingStep step =
            StepCoding(TextCoding::kJsonString, partial, static_cast<uint8_t>(bytes[i]));
        if (step.outcome == CodingStep::Outcome::kDead) break;
        if (step.outcome == CodingStep::Outcome::kQuote) {
          quoted_texts_.push_back(text);
          break;
        }
        partial = step.partial;
        if (step.outcome == CodingStep::Outcome::kCodePoint) text.push_back(step.code_point);
      }
    }
  }
  std::sort(quoted_texts_.begin(), quoted_texts_.end());
  quoted_texts_.erase(std::unique(quoted_texts_.begin(), quoted_texts_.end()), quoted_texts_.end());
}

void VocabularyIndex::FindWholeNumbers() {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_part = [&](char c) {
    return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
  };
  for (TokenId id = 0; id < vocabulary_.size(); ++id) {
    if (vocabulary_.kind(id) != TokenKind::kNormal) continue;
    const std::string_view bytes = vocabulary_.bytes(id);
    for (size_t begin = 0; begin < bytes.size();) {
      if (!is_digit(bytes[begin]) && bytes[begin] != '-') {
        ++begin;
        continue;
      }
      size_t end = begin;
      while (end < bytes.size() && is_part(bytes[end])) ++end;
      const std::string_view text = bytes.substr(begin, end - begin);
      const size_t exponent = text.find_first_of("eE");
      if (exponent != std::string_view::npos && exponent > 0) has_exponent_tokens_ = true;
      if (end < bytes.size()) {
        if (const auto value = Decimal::Parse(text)) whole_numbers_.push_back(NumberKey(*value));
      }
      begin = end;
    }
  }
  std::sort(whole_numbers_.begin(), whole_numbers_.end());
  whole_numbers_.erase(std::unique(whole_numbers_.begin(), whole_numbers_.end()),
                       whole_numbers_.end());
}

std::shared_ptr<const VocabularyIndex> VocabularyIndex::Build(Vocabulary vocabulary) {
  return std::shared_ptr<const VocabularyIndex>(new VocabularyIndex(std::move(vocabulary)));
}

std::shared_ptr<const VocabularyIndex> VocabularyIndex::Bytes() {
  std::vector<Vocabulary::Token> tokens;
  for (int b = 0; b < 256; ++b) tokens.push_back({std::string(1, static_cast<char>(b))});
  tokens.push_back({"<end>", TokenKind::kControl});
  // Never fails: there are normal tokens and the end token is one of them.
  return Build(std::move(Vocabulary::Create(std::move(tokens), {256}).value()));
}

size_t VocabularyIndex::MemoryBytes() const {
  size_t total = trie_.MemoryBytes() + strings_.MemoryBytes() + categories_.MemoryBytes() +
                 spaces_->MemoryBytes() + vocabulary_.MemoryBytes() + numbers_->MemoryBytes() +
                 held_items_.MemoryBytes();
  for (const StyledWalks* walks = latest_walks_.load(std::memory_order_acquire); walks != nullptr;
       walks = walks->previous) {
    total += walks->walks->MemoryBytes();
  }
  const PlainStrings* plain = plain_made_.load(std::memory_order_acquire);
  if (plain != nullptr) total += plain->strings.MemoryBytes();
  return total;
}

}  // namespace maskloom
