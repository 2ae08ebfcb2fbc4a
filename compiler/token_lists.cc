#include "compiler/token_lists.h"

#include <algorithm>
#include <utility>

namespace maskloom {
namespace {

uint64_t HashOf(std::span<const TokenId> tokens) {
  uint64_t hash = tokens.size();
  for (const TokenId id : tokens) {
    hash = (hash ^ id) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

TokenLists::Lists::const_iterator TokenLists::Find(std::span<const TokenId> tokens,
                                                   uint64_t hash) const {
  const auto [begin, end] = lists_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (std::ranges::equal(it->second.span(), tokens)) return it;
  }
  return lists_.end();
}

size_t TokenLists::BytesToHold(std::span<const TokenId> tokens) const {
  if (tokens.empty() || Find(tokens, HashOf(tokens)) != lists_.end()) return 0;
  return BytesOf(tokens.size());
}

std::span<const TokenId> TokenLists::Hold(std::span<const TokenId> tokens) {
  if (tokens.empty()) return {};
  const uint64_t hash = HashOf(tokens);
  const auto found = Find(tokens, hash);
  if (found != lists_.end()) {
    List& list = lists_.erase(found, found)->second;  // no longer const
    ++list.holders;
    return list.span();
  }
  List list{std::make_unique_for_overwrite<TokenId[]>(tokens.size()), tokens.size(), 1};
  std::copy(tokens.begin(), tokens.end(), list.tokens.get());
  return lists_.emplace(hash, std::move(list))->second.span();
}

std::unique_ptr<const TokenId[]> TokenLists::Release(std::span<const TokenId> list) {
  if (list.empty()) return nullptr;
  const auto found = Find(list, HashOf(list));
  const auto it = lists_.erase(found, found);
  if (--it->second.holders > 0) return nullptr;
  std::unique_ptr<const TokenId[]> tokens = std::move(it->second.tokens);
  lists_.erase(it);
  return tokens;
}

}  // namespace maskloom
