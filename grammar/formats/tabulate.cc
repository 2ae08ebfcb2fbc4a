// States are numbered as they are met. The automaton is first built and minimised over the indices
// of symbols, which are few, and then spread out to their ranges.
#include "grammar/formats/tabulate.h"

#include <algorithm>

#include "grammar/regular/minimize.h"
#include "tsl/robin_map.h"

namespace maskloom {
namespace {

// Registers lie in the high bits of a state; they must not fall into few buckets.
struct MixBits {
  size_t operator()(uint64_t state) const {
    state *= 0x9E3779B97F4A7C15u;
    return state ^ state >> 32;
  }
};

void EndState(TextAutomaton* automaton) {
  automaton->edge_begins.push_back(static_cast<uint32_t>(automaton->edges.size()));
}

TextAutomaton OverIndices(const Recogniser& recogniser) {
  TextAutomaton raw;
  std::vector<uint64_t> states{recogniser.start};
  tsl::robin_map<uint64_t, uint32_t, MixBits> numbers{{recogniser.start, 0}};
  std::vector<uint64_t> row(recogniser.symbols.size());
  for (size_t at = 0; at < states.size(); ++at) {
    const uint64_t state = states[at];
    recogniser.step(state, &row);
    for (uint32_t index = 0; index < row.size(); ++index) {
      if (row[index] == Recogniser::kRejected) continue;
      if (index > 0 && row[index] == row[index - 1]) {
        raw.edges.back().last = index;
        continue;
      }
      const auto [found, is_new] =
          numbers.insert({row[index], static_cast<uint32_t>(states.size())});
      if (is_new) states.push_back(row[index]);
      raw.edges.push_back({index, index, found->second});
    }
    raw.labels.push_back(recogniser.accepts(state) ? 1 : TextAutomaton::kNotAccepting);
    EndState(&raw);
  }
  return Minimize(raw);
}

}  // namespace

TextAutomaton Tabulate(const Recogniser& recogniser) {
  struct Range {
    CodePointRange range;
    uint32_t symbol;
  };
  std::vector<Range> ranges;
  for (uint32_t symbol = 0; symbol < recogniser.symbols.size(); ++symbol) {
    for (const CodePointRange& range : recogniser.symbols[symbol].ranges()) {
      ranges.push_back({range, symbol});
    }
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.range.first < b.range.first; });

  const TextAutomaton compact = OverIndices(recogniser);
  TextAutomaton raw;
  raw.labels = compact.labels;
  std::vector<uint32_t> targets(recogniser.symbols.size());
  for (uint32_t state = 0; state < compact.state_count(); ++state) {
    std::fill(targets.begin(), targets.end(), TextAutomaton::kDead);
    for (const TextAutomaton::Edge& edge : compact.EdgesOf(state)) {
      std::fill(targets.begin() + edge.first, targets.begin() + edge.last + 1, edge.target);
    }
    const size_t first_edge = raw.edges.size();
    for (const auto& [range, symbol] : ranges) {
      const uint32_t target = targets[symbol];
      if (target == TextAutomaton::kDead) continue;
      if (raw.edges.size() > first_edge && raw.edges.back().target == target &&
          raw.edges.back().last + 1 == range.first) {
        raw.edges.back().last = range.last;
      } else {
        raw.edges.push_back({range.first, range.last, target});
      }
    }
    EndState(&raw);
  }
  return NumberBreadthFirst(raw, 0);
}

}  // namespace maskloom
