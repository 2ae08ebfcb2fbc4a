// Lengths of accepted texts, by state, as ultimately periodic sets.
//
// Let row n be the set of states from which some text of length n is accepted. Row 0 holds the
// accepting states, and a state is in row n + 1 if it has an edge into row n: each row follows from
// the one before. So once a row comes back the rest repeats, and rows up to there say everything.
// Example: (aa)* has rows {0}, {1}, {0}: threshold 0, period 2.
//
// Cost: (threshold + period) times the edges. The period may be as large as the least common
// multiple of the cycle lengths; kMaxRows, kMaxEdges and kMaxWords bound it.
// Source: M. Chrobak, "Finite automata and unary languages", TCS 47, 1986.
#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "grammar/base/budget.h"
#include "grammar/regular/interner.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();
constexpr uint32_t kMaxRows = 1 << 18;
constexpr uint64_t kMaxEdges = uint64_t{1} << 28;  // followed
constexpr uint64_t kMaxWords = uint64_t{1} << 24;  // of rows kept

// Distinct sources of the edges into each state.
std::vector<std::vector<uint32_t>> SourcesOf(const TextAutomaton& a) {
  std::vector<std::vector<uint32_t>> sources(a.state_count());
  for (uint32_t state = 0; state < a.state_count(); ++state) {
    for (const TextAutomaton::Edge& edge : a.EdgesOf(state)) {
      auto& list = sources[edge.target];
      if (list.empty() || list.back() != state) list.push_back(state);
    }
  }
  return sources;
}

}  // namespace

Result<LengthSets> LengthSets::Compute(const TextAutomaton& a) {
  const uint32_t n = a.state_count();
  const std::vector<std::vector<uint32_t>> sources = SourcesOf(a);
  SequenceInterner rows;  // a bit for each state
  std::vector<uint32_t> row((n + 31) / 32, 0);
  const auto add = [](uint32_t state, std::vector<uint32_t>* to) {
    (*to)[state / 32] |= uint32_t{1} << state % 32;
  };
  for (uint32_t state = 0; state < n; ++state) {
    if (a.labels[state] != TextAutomaton::kNotAccepting) add(state, &row);
  }
  LengthSets result;
  std::vector<uint32_t> next;
  uint64_t edges = 0;
  for (;;) {
    auto [id, is_new] = rows.Intern(row);
    if (!is_new) {
      result.threshold_ = id;
      result.period_ = rows.size() - id;
      break;
    }
    if (rows.size() > Budget(kMaxRows) || edges > Budget(kMaxEdges) ||
        rows.item_count() > Budget(kMaxWords)) {
      return Status(StatusCode::kResourceLimit,
                    "the lengths of the texts of a pattern with " + std::to_string(n) +
                        " states repeat only beyond " + std::to_string(rows.size()));
    }
    next.assign(row.size(), 0);
    for (size_t word = 0; word < row.size(); ++word) {
      for (uint32_t bits = row[word]; bits != 0; bits &= bits - 1) {
        const auto state = static_cast<uint32_t>(word * 32 + std::countr_zero(bits));
        edges += sources[state].size();
        for (uint32_t source : sources[state]) add(source, &next);
      }
    }
    row.swap(next);
  }
  result.row_words_ = (rows.size() + 63) / 64;
  std::vector<uint64_t> bits(n * result.row_words_);
  for (uint32_t length = 0; length < rows.size(); ++length) {
    std::span<const uint32_t> members = rows[length];
    for (uint32_t state = 0; state < n; ++state) {
      if ((members[state / 32] >> state % 32 & 1) == 0) continue;
      bits[state * result.row_words_ + length / 64] |= uint64_t{1} << length % 64;
    }
  }
  result.bits_ = std::move(bits);
  return result;
}

bool LengthSets::Contains(uint32_t state, uint64_t length) const {
  const uint64_t folded =
      length < threshold_ ? length : threshold_ + (length - threshold_) % period_;
  return bits_[state * row_words_ + folded / 64] >> folded % 64 & 1;
}

bool LengthSets::AnyIn(uint32_t state, uint64_t min, uint64_t max) const {
  // Beyond the threshold one period shows all.
  const uint64_t enough = std::max<uint64_t>(min, threshold_);
  if (max >= enough && max - enough >= period_) max = enough + period_ - 1;
  if (min > max) return false;
  for (uint64_t length = min;; ++length) {
    if (Contains(state, length)) return true;
    if (length == max) return false;
  }
}

uint64_t LengthSets::AllFrom(uint32_t state) const {
  uint64_t length = uint64_t{threshold_} + period_;
  while (length > 0 && Contains(state, length - 1)) --length;
  return length <= threshold_ ? length : kNone;
}

}  // namespace maskloom
