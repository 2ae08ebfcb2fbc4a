// The trie walk behind the central property.
#include "tests/judge/property.h"

#include <algorithm>

namespace maskloom::judge {

TokenTrie::TokenTrie(const std::vector<std::string>& tokens,
                     const std::vector<uint32_t>& end_tokens,
                     const std::vector<uint32_t>& special_tokens)
    : nodes_(1), end_tokens_(end_tokens), token_count_(tokens.size()) {
  std::vector<bool> special(tokens.size(), false);
  for (uint32_t id : end_tokens) special[id] = true;
  for (uint32_t id : special_tokens) special[id] = true;
  for (uint32_t id = 0; id < tokens.size(); ++id) {
    if (special[id] || tokens[id].empty()) continue;
    uint32_t at = 0;
    for (char c : tokens[id]) {
      uint8_t byte = static_cast<uint8_t>(c);
      auto& children = nodes_[at].children;
      auto it = std::find_if(children.begin(), children.end(),
                             [&](const auto& child) { return child.first == byte; });
      if (it != children.end()) {
        at = it->second;
        continue;
      }
      uint32_t fresh = static_cast<uint32_t>(nodes_.size());
      children.emplace_back(byte, fresh);
      nodes_.emplace_back();
      at = fresh;
    }
    nodes_[at].ids.push_back(id);
  }
}

std::bitset<256> TokenTrie::SingleBytes() const {
  std::bitset<256> bytes;
  for (const auto& [byte, child] : nodes_[0].children) {
    if (!nodes_[child].ids.empty()) bytes.set(byte);
  }
  return bytes;
}

std::vector<uint64_t> TokenTrie::ExpectedMask(Judge* judge, State state) const {
  std::vector<uint64_t> bits((token_count_ + 63) / 64, 0);
  auto set = [&](uint32_t id) { bits[id / 64] |= uint64_t{1} << (id % 64); };
  State mark = judge->StateCount();
  std::vector<std::pair<uint32_t, State>> open = {{0, state}};
  while (!open.empty()) {
    auto [at, reached] = open.back();
    open.pop_back();
    if (!nodes_[at].ids.empty() && judge->Live(reached)) {
      for (uint32_t id : nodes_[at].ids) set(id);
    }
    for (auto [byte, child] : nodes_[at].children) {
      State next = judge->Step(reached, byte);
      if (next != kDead) open.emplace_back(child, next);
    }
  }
  if (judge->Accepting(state)) {
    for (uint32_t id : end_tokens_) set(id);
  }
  judge->ForgetFrom(mark);
  return bits;
}

std::vector<uint32_t> CheckMask(Judge* judge, State state, const TokenTrie& vocabulary,
                                const uint32_t* mask) {
  std::vector<uint64_t> expected = vocabulary.ExpectedMask(judge, state);
  std::vector<uint32_t> wrong;
  for (uint32_t id = 0; id < vocabulary.token_count(); ++id) {
    bool allowed = (expected[id / 64] >> (id % 64) & 1) != 0;
    if (allowed != ((mask[id / 32] >> (id % 32) & 1) != 0)) wrong.push_back(id);
  }
  return wrong;
}

}  // namespace maskloom::judge
