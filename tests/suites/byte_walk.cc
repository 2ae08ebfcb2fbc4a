// One pass over all tokens, a step of the machine a byte.
#include "tests/suites/byte_walk.h"

#include <algorithm>
#include <string_view>

namespace maskloom::suites {
namespace {

constexpr size_t kNearMisses = 32;

uint64_t Mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

uint64_t HashOf(Items items) {
  uint64_t hash = items.size();
  for (const Item& item : items) {
    const Frame& frame = item.frame;
    hash = Mix(hash, reinterpret_cast<uintptr_t>(item.stack));
    hash = Mix(hash, uint64_t{frame.node} << 32 | frame.state);
    hash = Mix(hash, uint64_t{frame.count} << 32 | frame.partial);
    hash = Mix(hash, static_cast<uint64_t>(frame.kind) << 32 |
                         static_cast<uint64_t>(frame.phase) << 16 | frame.space);
  }
  return hash;
}

bool AreEqual(Items a, Items b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Item& x, const Item& y) {
    return x.frame == y.frame && x.stack == y.stack && x.trace == y.trace;
  });
}

// Does some item hold text that was written down in this step?
bool HoldsOwnText(Items items) {
  return std::any_of(items.begin(), items.end(), [](const Item& item) {
    return item.frame.key_text != nullptr || item.trace != nullptr;
  });
}

}  // namespace

ByteTrie::ByteTrie(const Vocabulary& vocabulary) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) == TokenKind::kNormal && !vocabulary.bytes(id).empty()) {
      token_ids_.push_back(id);
    }
  }
  std::sort(token_ids_.begin(), token_ids_.end(), [&](TokenId a, TokenId b) {
    return std::pair(vocabulary.bytes(a), a) < std::pair(vocabulary.bytes(b), b);
  });
  std::vector<uint32_t> open;  // nodes of the last token's bytes
  std::string_view last;
  for (uint32_t i = 0; i < token_ids_.size(); ++i) {
    const std::string_view bytes = vocabulary.bytes(token_ids_[i]);
    size_t shared = 0;
    while (shared < std::min(last.size(), bytes.size()) && last[shared] == bytes[shared]) ++shared;
    for (; open.size() > shared; open.pop_back()) {
      nodes_[open.back()].subtree_end = static_cast<uint32_t>(nodes_.size());
    }
    for (size_t depth = shared; depth < bytes.size(); ++depth) {
      open.push_back(static_cast<uint32_t>(nodes_.size()));
      nodes_.push_back({.first_token = i,
                        .depth = static_cast<uint16_t>(depth + 1),
                        .byte = static_cast<uint8_t>(bytes[depth])});
    }
    ++nodes_[open.back()].token_count;
    max_depth_ = std::max(max_depth_, static_cast<uint32_t>(bytes.size()));
    last = bytes;
  }
  for (const uint32_t node : open) nodes_[node].subtree_end = static_cast<uint32_t>(nodes_.size());
}

ByteWalk::ByteWalk(const Machine& machine, const Vocabulary& vocabulary, const ByteTrie& trie)
    : machine_(machine),
      vocabulary_(vocabulary),
      trie_(trie),
      places_(size_t{trie.max_depth()} + 1) {
  stepper_.Bind(machine, &arena_);
}

int32_t ByteWalk::Recognise(Items items) {
  const uint64_t hash = HashOf(items);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    Known& known = known_[static_cast<size_t>(it->second)];
    if (!AreEqual(known.items, items)) continue;
    if (known.steps.empty()) known.steps.assign(256, kUnknown);
    return it->second;
  }
  if (known_count_ == known_.size()) known_.emplace_back();
  Known& fresh = known_[known_count_];
  fresh.items.assign(items.begin(), items.end());
  fresh.steps.clear();
  by_hash_.emplace(hash, static_cast<int32_t>(known_count_));
  return static_cast<int32_t>(known_count_++);
}

bool ByteWalk::Step(size_t depth, uint8_t byte) {
  const Place& from = places_[depth];
  Place& to = places_[depth + 1];
  if (from.known != kApart) {
    const Known& known = known_[static_cast<size_t>(from.known)];
    if (!known.steps.empty() && known.steps[byte] != kUnknown) {
      to.known = known.steps[byte];
      return to.known != kDead;
    }
    scratch_ = known.items;
  } else {
    scratch_ = from.apart;
  }
  const size_t begin = scratch_.size();
  const bool lives = stepper_.Step(&scratch_, 0, begin, byte);
  const Items reached = Items(scratch_).subspan(begin);
  if (lives && HoldsOwnText(reached)) {
    to.known = kApart;
    to.apart.assign(reached.begin(), reached.end());
    return true;
  }
  to.known = lives ? Recognise(reached) : kDead;
  if (from.known != kApart) {
    std::vector<int32_t>& steps = known_[static_cast<size_t>(from.known)].steps;
    if (!steps.empty()) steps[byte] = to.known;
  }
  return lives;
}

const ByteWalkResult& ByteWalk::Run(Items items, std::mt19937_64* random) {
  arena_.Reset();
  known_count_ = 0;
  by_hash_.clear();
  result_.row.assign((vocabulary_.size() + 31) / 32, 0);
  result_.allowed.clear();
  result_.near_misses.clear();
  result_.nodes = 0;
  if (HoldsOwnText(items)) {
    places_[0].known = kApart;
    places_[0].apart.assign(items.begin(), items.end());
  } else {
    places_[0].known = Recognise(items);
  }
  const std::vector<ByteTrie::Node>& nodes = trie_.nodes();
  uint64_t misses = 0;
  for (uint32_t at = 0; at < nodes.size();) {
    const ByteTrie::Node& node = nodes[at];
    ++result_.nodes;
    if (!Step(node.depth - 1u, node.byte)) {
      at = node.subtree_end;
      if (node.depth == 1) continue;
      // Of all misses, each is kept with the same chance.
      const TokenId missed = trie_.token_ids()[node.first_token];
      ++misses;
      if (result_.near_misses.size() < kNearMisses) {
        result_.near_misses.push_back(missed);
      } else if (const uint64_t place = (*random)() % misses; place < kNearMisses) {
        result_.near_misses[place] = missed;
      }
      continue;
    }
    for (uint32_t i = 0; i < node.token_count; ++i) {
      const TokenId id = trie_.token_ids()[node.first_token + i];
      result_.row[id / 32] |= 1u << (id % 32);
      result_.allowed.push_back(id);
    }
    ++at;
  }
  const bool may_end = std::any_of(items.begin(), items.end(), [&](const Item& item) {
    return IsAcceptingItem(machine_, item);
  });
  for (const TokenId id : vocabulary_.end_tokens()) {
    if (may_end) result_.row[id / 32] |= 1u << (id % 32);
  }
  return result_;
}

}  // namespace maskloom::suites
