#include "tests/compiler/arrays/array_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/completion.h"
#include "compiler/machine.h"
#include "compiler/mask_cache.h"

namespace maskloom::arrays {

std::shared_ptr<const VocabularyIndex> VocabularyOf(const std::string& alphabet,
                                                    const std::vector<std::string>& pieces) {
  std::vector<Vocabulary::Token> tokens;
  for (const char c : alphabet) tokens.push_back({std::string(1, c), TokenKind::kNormal});
  for (const std::string& piece : pieces) tokens.push_back({piece, TokenKind::kNormal});
  const TokenId end = static_cast<TokenId>(tokens.size());
  tokens.push_back({"<end>", TokenKind::kControl});
  auto vocabulary = Vocabulary::Create(std::move(tokens), {end}, end + 1);
  return VocabularyIndex::Build(std::move(*vocabulary));
}

ArrayWalk::ArrayWalk(std::shared_ptr<const CompiledGrammar> grammar) : grammar_(grammar) {
  stepper_.Bind(grammar_->machine(), &arena_);
  configurations_.emplace_back();
  stepper_.Start(&configurations_.back());
}

void ArrayWalk::Rewind(size_t length) {
  text_.resize(length);
  configurations_.resize(length + 1);
}

bool ArrayWalk::Take(char byte) {
  std::vector<Item> items = configurations_.back();
  const size_t end = items.size();
  if (!stepper_.Step(&items, 0, end, static_cast<uint8_t>(byte))) return false;
  items.erase(items.begin(), items.begin() + static_cast<ptrdiff_t>(end));
  configurations_.push_back(std::move(items));
  text_ += byte;
  return true;
}

bool ArrayWalk::TakeAll(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [&](char byte) { return Take(byte); });
}

bool ArrayWalk::Allows(std::string_view bytes) {
  const size_t length = text_.size();
  const bool allowed = TakeAll(bytes);
  Rewind(length);
  return allowed;
}

bool ArrayWalk::IsAccepting() const {
  return std::any_of(configurations_.back().begin(), configurations_.back().end(),
                     [&](const Item& item) { return IsAcceptingItem(grammar_->machine(), item); });
}

std::vector<bool> ArrayWalk::Mask() const {
  std::vector<bool> bits(grammar_->vocabulary().size());
  MaskCache::Reader masks(grammar_->masks());
  for (const Item& item : configurations_.back()) {
    const ItemMask& mask = masks.Find(item);
    for (TokenId id = 0; id < bits.size() && mask.base != nullptr; ++id) {
      if (mask.base[id / 32] >> (id % 32) & 1) bits[id] = true;
    }
    for (const TokenId id : mask.exceptions()) bits[id] = true;
  }
  return bits;
}

std::vector<std::string> ArrayWalk::Completions() const {
  std::vector<std::string> texts;
  for (const Item& item : configurations_.back()) {
    texts.push_back(CompletionFrom(grammar_->machine(), item));
  }
  return texts;
}

void WalkAtRandom(const std::shared_ptr<const CompiledGrammar>& grammar, uint64_t seed,
                  size_t bytes) {
  std::mt19937_64 random(seed);
  const Vocabulary& vocabulary = grammar->vocabulary().vocabulary();
  ArrayWalk walk(grammar);
  while (walk.text().size() < bytes) {
    const std::vector<bool> mask = walk.Mask();
    std::vector<std::string> tokens;
    for (TokenId id = 0; id < mask.size(); ++id) {
      if (vocabulary.kind(id) != TokenKind::kNormal) continue;
      const std::string token(vocabulary.bytes(id));
      ASSERT_EQ(mask[id], walk.Allows(token)) << walk.text() << " and then " << token;
      if (mask[id]) tokens.push_back(token);
    }
    for (const std::string& completion : walk.Completions()) {
      const size_t length = walk.text().size();
      ASSERT_TRUE(walk.TakeAll(completion) && walk.IsAccepting())
          << walk.text() << " completed by " << completion;
      walk.Rewind(length);
    }
    if (tokens.empty()) {
      ASSERT_TRUE(walk.IsAccepting()) << walk.text();
      return;
    }
    ASSERT_TRUE(walk.TakeAll(tokens[random() % tokens.size()]));
  }
}

const std::vector<std::string>& Pieces() {
  static const std::vector<std::string> pieces = {
      "\",\"",      "\"a\"", "\"a\",", ",\"b\"", "\"\",", "true",  "true,",
      ",false",     "],[",   "[]",     "},{",    "{\"",   "id\":", "{\"id\":\"a\"",
      "\"x\":true", "12",    "1,",     ",1,",    "1.0",   "0,",    "1e0,",
      "ab",         "aa",    "b\"]",   "\"]",    "10,20", "[1]",   "[true,",
      "},",         "\":1",  "\\u00",  "61"};
  return pieces;
}

void CheckAlong(const std::shared_ptr<const CompiledGrammar>& grammar, const std::string& text) {
  const Vocabulary& vocabulary = grammar->vocabulary().vocabulary();
  ArrayWalk walk(grammar);
  for (size_t i = 0; i <= text.size(); ++i) {
    const std::vector<bool> mask = walk.Mask();
    for (TokenId id = 0; id < mask.size(); ++id) {
      if (vocabulary.kind(id) != TokenKind::kNormal) continue;
      const std::string token(vocabulary.bytes(id));
      EXPECT_EQ(mask[id], walk.Allows(token)) << walk.text() << " and then " << token;
    }
    if (i < text.size()) {
      ASSERT_TRUE(walk.Take(text[i])) << walk.text() << " and then " << text[i];
    }
  }
}

}  // namespace maskloom::arrays
