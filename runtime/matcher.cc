#include "runtime/matcher.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "compiler/completion.h"
#include "compiler/completion_worker.h"
#include "compiler/configuration_store.h"
#include "compiler/machine.h"
#include "compiler/mask_cache.h"
#include "compiler/mask_completion.h"
#include "compiler/next_bytes.h"
#include "compiler/stepper.h"

namespace maskloom {
namespace {

// Steps need scratch memory only while they run, so one set a thread serves all matchers.
struct StepScratch {
  Arena arena;
  Stepper stepper;
  std::vector<Item> items;
};

StepScratch& ScratchFor(const Machine& machine) {
  static thread_local StepScratch scratch;
  scratch.arena.Reset();
  scratch.items.clear();
  scratch.stepper.Bind(machine, &scratch.arena);
  return scratch;
}

// Reads bytes[0, n) from `start` into scratch.items; returns the first item of the configuration
// reached and sets `taken` to the number of bytes that could be read.
size_t Run(StepScratch* scratch, Items start, std::string_view bytes, size_t* taken) {
  scratch->items.assign(start.begin(), start.end());
  size_t begin = 0;
  *taken = 0;
  for (const char c : bytes) {
    const size_t end = scratch->items.size();
    if (!scratch->stepper.Step(&scratch->items, begin, end, static_cast<uint8_t>(c))) return begin;
    begin = end;
    ++*taken;
  }
  return begin;
}

bool IsAcceptingConfiguration(const Machine& machine, Items items) {
  for (const Item& item : items) {
    if (IsAcceptingItem(machine, item)) return true;
  }
  return false;
}

}  // namespace

struct Matcher::State {
  std::shared_ptr<const CompiledGrammar> grammar;
  MatcherOptions options;
  ConfigurationStore store;
  const Configuration* current = nullptr;

  const Machine& machine() const { return grammar->machine(); }
  const Vocabulary& vocabulary() const { return grammar->vocabulary().vocabulary(); }

  void Begin() {
    store.Clear();
    StepScratch& scratch = ScratchFor(machine());
    scratch.stepper.Start(&scratch.items);
    current = store.Keep(scratch.arena, scratch.items, nullptr, options.max_rollback);
  }

  // Returns the configuration behind `token`, kept behind `from`; null if it is not allowed.
  const Configuration* After(const Configuration* from, TokenId token) {
    if (from->terminated || token >= vocabulary().size()) return nullptr;
    if (vocabulary().kind(token) != TokenKind::kNormal) {
      const bool may_end =
          vocabulary().IsEndToken(token) && IsAcceptingConfiguration(machine(), from->span());
      return may_end ? store.KeepEnd(from, options.max_rollback) : nullptr;
    }
    StepScratch& scratch = ScratchFor(machine());
    const std::string_view bytes = vocabulary().bytes(token);
    size_t taken = 0;
    const size_t begin = Run(&scratch, from->span(), bytes, &taken);
    if (taken < bytes.size()) return nullptr;
    return store.Keep(scratch.arena, Items(scratch.items).subspan(begin), from,
                      options.max_rollback);
  }

  // Fills the mask of `configuration`. Returns whether some mask had to be built.
  bool FillRow(const Configuration& configuration, uint32_t* row) const {
    const uint32_t words = grammar->vocabulary().row_words();
    if (configuration.terminated) {
      std::fill_n(row, words, 0u);
      return false;
    }
    MaskCache::Reader masks(grammar->masks());
    bool first = true;
    const auto add = [&](const ItemMask& mask) {
      if (!first) {
        for (uint32_t word = 0; mask.base != nullptr && word < words; ++word) {
          row[word] |= mask.base[word];
        }
      } else if (mask.base != nullptr) {
        std::copy_n(mask.base, words, row);
      } else {
        std::fill_n(row, words, 0u);
      }
      for (const TokenId id : mask.exceptions()) row[id / 32] |= 1u << (id % 32);
      first = false;
    };
    if (const ItemMask* mask = masks.FindUnion(configuration.span())) {
      add(*mask);
    } else {
      for (const Item& item : configuration.span()) add(masks.Find(item));
    }
    if (IsAcceptingConfiguration(machine(), configuration.span())) {
      for (const TokenId id : vocabulary().end_tokens()) row[id / 32] |= 1u << (id % 32);
    }
    return masks.has_built();
  }
};

Matcher::Matcher(std::shared_ptr<const CompiledGrammar> grammar, MatcherOptions options)
    : state_(std::make_unique<State>()) {
  state_->grammar = std::move(grammar);
  state_->options = options;
  state_->Begin();
}

Matcher::Matcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

bool Matcher::Accept(TokenId token) noexcept {
  State& s = *state_;
  const Configuration* next = s.After(s.current, token);
  if (next == nullptr) return false;
  s.current = s.store.CompactIfGrown(next);
  return true;
}

size_t Matcher::AcceptBytes(std::string_view bytes) noexcept {
  State& s = *state_;
  if (s.current->terminated) return 0;
  if (bytes.empty()) return 0;
  // Long texts are taken in pieces, so that scratch memory stays small. Each piece is kept behind
  // the current configuration; those of a text that fails are garbage until the store is compacted.
  constexpr size_t kPieceBytes = 512;
  const Configuration* reached = s.current;
  size_t total = 0;
  while (total < bytes.size()) {
    StepScratch& scratch = ScratchFor(s.machine());
    const std::string_view piece = bytes.substr(total, kPieceBytes);
    size_t taken = 0;
    const size_t begin = Run(&scratch, reached->span(), piece, &taken);
    total += taken;
    if (taken < piece.size()) return total;
    reached = s.store.Keep(scratch.arena, Items(scratch.items).subspan(begin), s.current,
                           s.options.max_rollback);
  }
  s.current = s.store.CompactIfGrown(reached);
  return total;
}

bool Matcher::IsAllowed(TokenId token) const noexcept {
  const State& s = *state_;
  if (s.current->terminated || token >= s.vocabulary().size()) return false;
  if (s.vocabulary().kind(token) != TokenKind::kNormal) {
    return s.vocabulary().IsEndToken(token) && IsAccepting();
  }
  StepScratch& scratch = ScratchFor(s.machine());
  size_t taken = 0;
  const std::string_view bytes = s.vocabulary().bytes(token);
  Run(&scratch, s.current->span(), bytes, &taken);
  return taken == bytes.size();
}

void Matcher::FillMask(uint32_t* row) noexcept {
  const State& s = *state_;
  const bool has_built = s.FillRow(*s.current, row);
  MaskCompletion& completion = s.grammar->completion();
  if (!completion.follows() || s.current->terminated) return;
  // Nobody was here before, or it is time to look: what comes next is explored from here.
  if (!has_built && !completion.TakesState()) return;
  completion.Follow(std::unique_ptr<FollowedState>(new FollowedState{s.store, s.current}));
  WakeCompletionWorker();
}

Status Matcher::FillTreeMasks(const DraftTree& tree, const DraftRows& out, ThreadPool* pool) const {
  const size_t count = tree.tokens.size();
  if (tree.parents.size() != count) {
    return Status(StatusCode::kInvalidArgument, "a draft tree needs as many parents as tokens");
  }
  for (size_t i = 0; i < count; ++i) {
    if (tree.parents[i] != DraftTree::kNoParent && tree.parents[i] >= i) {
      return Status(StatusCode::kInvalidArgument, "draft token " + std::to_string(i) +
                                                      " stands before its parent " +
                                                      std::to_string(tree.parents[i]));
    }
  }
  const Matcher fork = Fork();
  State& s = *fork.state_;
  std::vector<const Configuration*> reached(count);
  for (size_t i = 0; i < count; ++i) {
    const bool is_first = tree.parents[i] == DraftTree::kNoParent;
    const Configuration* from = is_first ? s.current : reached[tree.parents[i]];
    reached[i] = from == nullptr ? nullptr : s.After(from, tree.tokens[i]);
    if (out.accepted != nullptr) out.accepted[i] = reached[i] != nullptr;
  }
  const auto fill = [&](size_t begin, size_t end, size_t) {
    for (size_t i = begin; i < end; ++i) {
      uint32_t* row = out.rows + i * out.stride;
      if (reached[i] != nullptr) {
        s.FillRow(*reached[i], row);
      } else {
        std::fill_n(row, s.grammar->vocabulary().row_words(), 0u);
      }
    }
  };
  if (pool != nullptr) {
    pool->ParallelFor(count, 1, fill);
  } else {
    fill(0, count, 0);
  }
  return Status::Ok();
}

MaskInfo Matcher::FillMaskWithInfo(uint32_t* row) noexcept {
  const State& s = *state_;
  FillMask(row);
  MaskInfo info;
  MaskCache::Reader masks(s.grammar->masks());
  for (const Item& item : s.current->span()) {
    const ItemMask& mask = masks.Find(item);
    if (info.base == 0) info.base = mask.base_id;
    info.exceptions += static_cast<uint32_t>(mask.exceptions().size());
  }
  if (IsAccepting()) info.exceptions += static_cast<uint32_t>(s.vocabulary().end_tokens().size());
  for (uint32_t word = 0; word < s.grammar->vocabulary().row_words(); ++word) {
    info.allowed_count += static_cast<uint32_t>(std::popcount(row[word]));
  }
  return info;
}

std::optional<MaskView> Matcher::FindMask() noexcept {
  const State& s = *state_;
  if (s.current->terminated) return MaskView{};
  const Items items = s.current->span();
  if (items.size() != 1) return std::nullopt;
  MaskCache::Reader masks(s.grammar->masks());
  const ItemMask& mask = masks.Find(items.front());
  return MaskView{mask.base_id, mask.base, mask.exceptions(), IsAccepting()};
}

Status Matcher::Rollback(uint32_t count) noexcept {
  State& s = *state_;
  if (count > s.current->history) {
    return Status(StatusCode::kInvalidArgument,
                  "cannot take back " + std::to_string(count) + " tokens: only " +
                      std::to_string(s.current->history) + " are remembered");
  }
  for (; count > 0; --count) s.current = s.current->previous;
  return Status::Ok();
}

Matcher Matcher::Fork() const {
  auto state = std::make_unique<State>(*state_);
  return Matcher(std::move(state));
}

size_t Matcher::Validate(std::span<const TokenId> tokens) const {
  Matcher fork = Fork();
  size_t accepted = 0;
  while (accepted < tokens.size() && fork.Accept(tokens[accepted])) ++accepted;
  return accepted;
}

void Matcher::Reset() { state_->Begin(); }

std::bitset<256> Matcher::NextBytes() const {
  const State& s = *state_;
  std::bitset<256> result;
  if (s.current->terminated) return result;
  StepScratch& scratch = ScratchFor(s.machine());
  std::bitset<256> candidates;
  for (const Item& item : s.current->span()) AddNextBytes(s.machine(), item, &candidates);
  for (int b = 0; b < 256; ++b) {
    if (!candidates[b]) continue;
    const char byte = static_cast<char>(b);
    size_t taken = 0;
    Run(&scratch, s.current->span(), std::string_view(&byte, 1), &taken);
    result[b] = taken == 1;
  }
  return result;
}

std::string Matcher::ForcedBytes(size_t limit) const {
  std::string forced;
  Matcher fork = Fork();
  while (forced.size() < limit && !fork.IsAccepting()) {
    const std::bitset<256> next = fork.NextBytes();
    if (next.count() != 1) break;
    const char byte = static_cast<char>(next._Find_first());
    fork.AcceptBytes(std::string_view(&byte, 1));
    forced += byte;
  }
  return forced;
}

std::string Matcher::Completion() const {
  const State& s = *state_;
  if (s.current->terminated || IsAccepting()) return "";
  // Any item can be completed; the shortest of the first few is taken.
  constexpr size_t kMaxItemsTried = 8;
  std::string best;
  const Items items = s.current->span();
  for (size_t i = 0; i < items.size() && i < kMaxItemsTried; ++i) {
    std::string text = CompletionFrom(s.machine(), items[i]);
    if (i == 0 || text.size() < best.size()) best = std::move(text);
  }
  return best;
}

bool Matcher::IsAccepting() const noexcept {
  return !state_->current->terminated &&
         IsAcceptingConfiguration(state_->machine(), state_->current->span());
}

bool Matcher::IsTerminated() const noexcept { return state_->current->terminated; }
uint64_t Matcher::token_count() const noexcept { return state_->current->token_count; }
const CompiledGrammar& Matcher::grammar() const { return *state_->grammar; }
const std::shared_ptr<const CompiledGrammar>& Matcher::shared_grammar() const {
  return state_->grammar;
}
Items Matcher::items() const noexcept { return state_->current->span(); }

}  // namespace maskloom
