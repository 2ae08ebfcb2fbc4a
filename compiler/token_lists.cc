#include "compiler/token_lists.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace maskloom {
namespace {

uint64_t Mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

// Four hashes of every fourth pair of tokens, so that one need not wait for the other.
uint64_t HashOf(std::span<const TokenId> tokens) {
  std::array<uint64_t, 4> lanes{1, 2, 3, 4};
  constexpr size_t kAtOnce = 2 * lanes.size();
  for (; tokens.size() >= kAtOnce; tokens = tokens.subspan(kAtOnce)) {
    std::array<uint64_t, lanes.size()> words;
    std::memcpy(words.data(), tokens.data(), sizeof(words));
    for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = Mix(lanes[i], words[i]);
  }
  uint64_t hash = tokens.size();
  for (const uint64_t lane : lanes) hash = Mix(hash, lane);
  for (const TokenId id : tokens) hash = Mix(hash, id);
  return hash;
}

}  // namespace

TokenLists::Key::Key(std::span<const TokenId> list) : tokens(list), hash(HashOf(list)) {}

TokenLists::Lists::const_iterator TokenLists::Find(const Key& key) const {
  const auto [begin, end] = lists_.equal_range(key.hash);
  for (auto it = begin; it != end; ++it) {
    if (std::ranges::equal(it->second.span(), key.tokens)) return it;
  }
  return lists_.end();
}

size_t TokenLists::BytesToHold(const Key& key) const {
  if (key.tokens.empty() || Find(key) != lists_.end()) return 0;
  return BytesOf(key.tokens.size());
}

std::span<const TokenId> TokenLists::Hold(const Key& key) {
  const std::span<const TokenId> tokens = key.tokens;
  if (tokens.empty()) return {};
  const auto found = Find(key);
  if (found != lists_.end()) {
    List& list = lists_.erase(found, found)->second;  // no longer const
    ++list.holders;
    return list.span();
  }
  List list{std::make_unique_for_overwrite<TokenId[]>(tokens.size()), tokens.size(), 1};
  std::copy(tokens.begin(), tokens.end(), list.tokens.get());
  return lists_.emplace(key.hash, std::move(list))->second.span();
}

std::unique_ptr<const TokenId[]> TokenLists::Release(std::span<const TokenId> list) {
  if (list.empty()) return nullptr;
  const auto found = Find(Key(list));
  const auto it = lists_.erase(found, found);
  if (--it->second.holders > 0) return nullptr;
  std::unique_ptr<const TokenId[]> tokens = std::move(it->second.tokens);
  lists_.erase(it);
  return tokens;
}

}  // namespace maskloom
