// Merging by a heap of candidates.
//
// A piece starts as one symbol a byte. Again and again the neighbouring pair with the lowest rank
// is merged, the leftmost of equals first, until no pair has a rule. The symbols form a linked
// list, so a merge costs O(1): the left symbol becomes the result, the right one is unlinked.
// Candidates lie in a heap ordered by (rank, position); each merge offers the two new pairs around
// its result. A candidate may be stale when it comes out, because a neighbour was merged away
// meanwhile; it is valid exactly if its position still holds `left` followed by `right`.
//
// Example, rules "l o" (0), "lo w" (1), "e r" (2): l o w e r -> lo w e r -> low e r -> low er.
//
// At most n - 1 merges offer two candidates each, so the whole costs O(n log n).
#include "runtime/tokenizer/bpe_merger.h"

#include <algorithm>

namespace maskloom {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

uint64_t PairKey(TokenId left, TokenId right) { return static_cast<uint64_t>(left) << 32 | right; }

// The heap of <algorithm> keeps the greatest on top, so "less" here means "goes later".
struct GoesLater {
  template <typename Candidate>
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.rank != b.rank ? a.rank > b.rank : a.position > b.position;
  }
};

}  // namespace

BpeMerger::BpeMerger(const ByteSymbols& symbols, const std::vector<MergeRule>& rules)
    : symbols_(symbols) {
  merges_.reserve(rules.size());
  for (size_t rank = 0; rank < rules.size(); ++rank) {
    const MergeRule& rule = rules[rank];
    merges_[PairKey(rule.left, rule.right)] = {static_cast<uint32_t>(rank), rule.result};
  }
}

void BpeMerger::StartSymbols(std::string_view piece, Scratch* scratch) const {
  auto& symbols = scratch->symbols_;
  symbols.clear();
  bool after_unknown = false;
  for (const char byte : piece) {
    TokenId id = symbols_.tokens[static_cast<uint8_t>(byte)];
    const bool unknown = id == kNoToken;
    if (unknown) {
      id = symbols_.unknown;
      if (id == kNoToken || (symbols_.fuse_unknown && after_unknown)) continue;
    }
    after_unknown = unknown;
    const auto index = static_cast<uint32_t>(symbols.size());
    symbols.push_back({id, index == 0 ? kNone : index - 1, index + 1});
  }
  if (!symbols.empty()) symbols.back().next = kNone;
}

void BpeMerger::Offer(uint32_t position, Scratch* scratch) const {
  if (position == kNone) return;
  const auto& symbol = scratch->symbols_[position];
  if (symbol.next == kNone) return;
  const TokenId right = scratch->symbols_[symbol.next].id;
  const auto found = merges_.find(PairKey(symbol.id, right));
  if (found == merges_.end()) return;
  scratch->heap_.push_back({found->second.rank, position, symbol.id, right, found->second.result});
  std::push_heap(scratch->heap_.begin(), scratch->heap_.end(), GoesLater());
}

void BpeMerger::Encode(std::string_view piece, Scratch* scratch, std::vector<TokenId>* ids) const {
  StartSymbols(piece, scratch);
  auto& symbols = scratch->symbols_;
  auto& heap = scratch->heap_;
  heap.clear();
  for (uint32_t i = 0; i < symbols.size(); ++i) Offer(i, scratch);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), GoesLater());
    const Scratch::Candidate candidate = heap.back();
    heap.pop_back();
    auto& left = symbols[candidate.position];
    if (left.id != candidate.left || left.next == kNone) continue;
    auto& right = symbols[left.next];
    if (right.id != candidate.right) continue;
    left.id = candidate.result;
    left.next = right.next;
    right.id = kNoToken;  // no candidate can name it again
    if (left.next != kNone) symbols[left.next].previous = candidate.position;
    Offer(left.previous, scratch);
    Offer(candidate.position, scratch);
  }
  for (uint32_t i = symbols.empty() ? kNone : 0; i != kNone; i = symbols[i].next) {
    ids->push_back(symbols[i].id);
  }
}

}  // namespace maskloom
