#include "runtime/cli/step_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/read_epochs.h"
#include "runtime/cli/bench_clock.h"
#include "runtime/cli/state_kind.h"

namespace maskloom::cli {
namespace {

using kernels::RowMask;
using kernels::RowState;
using kernels::StepOutcome;

}  // namespace

StepWalk::StepWalk(std::shared_ptr<const CompiledGrammar> grammar,
                   std::shared_ptr<const TextTokens> text_tokens, MaskPool* pool,
                   const StepTableLimits& limits)
    : table_(grammar, std::move(text_tokens), pool, limits),
      pool_(*pool),
      matcher_(grammar),
      row_(grammar->vocabulary().row_words()),
      other_(grammar->vocabulary().row_words()) {}

std::string StepWalk::Follow(std::span<const TokenId> tokens, StepTally* tally, StepBytes* bytes) {
  matcher_.Reset();
  table_.StateOf(matcher_.items(), &state_);
  bool over = false;
  for (size_t i = 0; i < tokens.size() && !over; ++i) {
    if (bytes != nullptr) CountBytes(bytes);
    const std::string wrong = Step(tokens[i], tally, &over);
    if (!wrong.empty()) return fmt::format("token {}: {}", i, wrong);
  }
  return "";
}

std::string StepWalk::Step(TokenId token, StepTally* tally, bool* over) {
  matcher_.FillMask(row_.data());
  const bool has_state = state_.depth != 0;
  RowMask mask;
  const bool has_mask = FindMask(table_.tables(), state_, &mask, ids_.data());
  if (has_mask && !IsRow(mask)) return "another mask";
  if (has_state && !has_mask) table_.LearnMask(matcher_.items());
  if ((row_[token / 32] >> (token % 32) & 1) == 0) {
    *over = true;
    return "";
  }
  const bool has_step = StepRow(table_.tables(), token, &state_) != StepOutcome::kUnknown;
  const char kind = StateKindOf(matcher_);
  if (has_state && !has_step) table_.LearnStep(matcher_.items(), token);
  if (!matcher_.Accept(token)) return "the matcher refuses what its mask allows";
  *over = matcher_.IsTerminated();
  RowState there;
  if (!*over) table_.StateOf(matcher_.items(), &there);
  if (has_step && !IsSameState(state_, there)) return "another state";
  state_ = there;
  ++tally->steps;
  tally->alone += has_mask && has_step;
  tally->no_state += !has_state;
  tally->no_mask += has_state && !has_mask;
  tally->no_step += has_state && !has_step;
  if (!has_mask || !has_step) ++tally->kinds[kind];
  return "";
}

bool StepWalk::IsRow(const RowMask& mask) {
  std::fill(other_.begin(), other_.end(), 0u);
  if (mask.slot != kernels::kNoSlot) {
    std::copy_n(pool_.words() + size_t{mask.slot} * other_.size(), other_.size(), other_.begin());
  }
  for (uint32_t i = 0; i < mask.list_count; ++i) {
    const uint32_t id = pool_.words()[mask.list_begin + i];
    other_[id / 32] |= 1u << (id % 32);
  }
  for (uint32_t i = 0; i < mask.sent_count; ++i) other_[ids_[i] / 32] |= 1u << (ids_[i] % 32);
  return other_ == row_;
}

void StepWalk::CountBytes(StepBytes* bytes) {
  const MaskTraffic before = pool_.traffic();
  std::vector<uint32_t> ids;
  pool_.FinishSteps(pool_.BeginStep() - 1);
  const bool has_room = pool_.Place(matcher_.grammar(), matcher_.items(), &ids).has_value();
  const MaskTraffic& after = pool_.traffic();
  bytes->sent.push_back(has_room ? static_cast<double>(after.sent_bytes - before.sent_bytes)
                                 : 4.0 * pool_.row_words());
  bytes->uploaded.push_back(static_cast<double>(after.uploaded_bytes - before.uploaded_bytes));
}

size_t StepWalk::Time(std::span<const TokenId> tokens, double* table_ns, double* matcher_ns) {
  matcher_.Reset();
  RowState state;
  table_.StateOf(matcher_.items(), &state);
  const kernels::StepTables tables = table_.tables();
  size_t taken = 0;
  int64_t begin = WallNs();
  for (const TokenId token : tokens) {
    RowMask mask;
    if (!FindMask(tables, state, &mask, ids_.data()) ||
        !IsAllowedIn(mask, pool_.words(), pool_.row_words(), ids_.data(), token) ||
        StepRow(tables, token, &state) != StepOutcome::kDone) {
      break;
    }
    ++taken;
  }
  *table_ns += static_cast<double>(WallNs() - begin);
  begin = WallNs();
  for (const TokenId token : tokens.first(taken)) {
    const ReadGuard guard;
    matcher_.FindMask();
    matcher_.Accept(token);
  }
  *matcher_ns += static_cast<double>(WallNs() - begin);
  return taken;
}

}  // namespace maskloom::cli
