// The subset construction over symbols.
//
// A state of the result is the set of NFA states in which the text read so far can be. Only states
// that read, call, wait for the end, or accept are kept: the others have been left by free edges.
// Symbols (alphabet.h) stand for the code points that no edge tells apart; a call is one more
// symbol, so two calls, or a call and an edge, may leave one state.
//
// Assertions: edges of kind kBegin are free only while nothing has been read, so only the first set
// follows them. Edges of kind kEnd are free only where the text ends: they count for accepting, and
// nothing that lies behind them can read. The first set is kept apart from equal later ones, since
// for `$^` it alone may pass a begin behind an end.
//
// When searching, a set that holds the accepting state accepts whatever follows and is cut down to
// that state. Example: search for `ab`: {S,1} -a-> {S,1,2} -b-> {T}; other code points lead back.
// Where all matches begin at the begin of the text, S reads nothing.
//
// Of the counts of a repeat that a set holds, those that others cover are dropped (Nfa::Place): in
// a search for `[a-z]{2,256}x` a set needs counts 0, 1 and 2 only, not all subsets of 256.
//
// Source: M. Rabin, D. Scott, "Finite automata and their decision problems", 1959.
#include "grammar/regular/subset.h"

#include <algorithm>
#include <string>
#include <utility>

#include "grammar/regular/alphabet.h"
#include "grammar/regular/interner.h"

namespace maskloom {
namespace {

constexpr uint64_t kWorkPerState = 200;  // edges followed, for each state of the budget
constexpr uint64_t kEdgesPerState = 40;  // edges of the result, for each state of the budget
constexpr uint64_t kItemsPerState = 60;  // members of sets kept, for each state of the budget

class SubsetBuilder {
 public:
  SubsetBuilder(const Nfa& nfa, MatchMode mode, uint32_t max_states)
      : nfa_(nfa),
        mode_(mode),
        max_states_(max_states),
        alphabet_(nfa.sets),
        seen_(nfa.state_count(), 0),
        alone_(nfa.state_count(), Nfa::kNone),
        best_ranks_(nfa.key_count, Nfa::kNone),
        buckets_(alphabet_.symbol_count() + nfa.calls.size()) {}

  Result<TextAutomaton> Build();

 private:
  // Which edges are free besides kEpsilon.
  struct Free {
    bool begin = false;
    bool end = false;
  };

  void Close(std::span<const uint32_t> states, Free free);
  void DropDominated();
  bool Accepts(uint32_t set, bool at_begin);
  uint32_t SetBehind(std::span<const uint32_t> states);
  void FillBuckets(uint32_t set);
  void EmitState(uint32_t set);
  bool IsOverBudget() const {
    return sets_.size() > max_states_ || work_ > kWorkPerState * max_states_ + 1000000 ||
           result_.edges.size() > kEdgesPerState * max_states_ + 1000000 ||
           sets_.item_count() > kItemsPerState * max_states_ + 1000000;
  }

  const Nfa& nfa_;
  const MatchMode mode_;
  const uint64_t max_states_;
  const Alphabet alphabet_;
  SequenceInterner sets_;
  uint64_t work_ = 0;
  uint32_t stamp_ = 0;
  std::vector<uint32_t> seen_;     // stamp of the last Close that met a state
  std::vector<uint32_t> alone_;    // the set behind this single state, or kNone
  std::vector<uint32_t> members_;  // result of Close
  std::vector<uint32_t> stack_;
  std::vector<uint32_t> dropped_;
  std::vector<uint32_t> best_ranks_;            // by key: the lowest rank among members_, or kNone
  std::vector<std::vector<uint32_t>> buckets_;  // states behind each symbol and call
  std::vector<uint32_t> used_;                  // buckets that are not empty
  std::vector<TextAutomaton::Edge> edges_;      // of the state being emitted
  std::vector<TextAutomaton::Call> calls_;
  TextAutomaton result_;
};

// Sets members_ to the kept states that `states` reach by free edges, sorted.
void SubsetBuilder::Close(std::span<const uint32_t> states, Free free) {
  members_.clear();
  ++stamp_;
  for (uint32_t state : states) {
    if (seen_[state] != stamp_) seen_[state] = stamp_, stack_.push_back(state);
  }
  while (!stack_.empty()) {
    const uint32_t state = stack_.back();
    stack_.pop_back();
    bool kept = state == nfa_.accept;
    for (uint32_t e = nfa_.first_edges[state]; e != Nfa::kNone; e = nfa_.edges[e].next) {
      ++work_;
      const Nfa::Edge& edge = nfa_.edges[e];
      const bool is_begin = edge.kind == Nfa::EdgeKind::kBegin;
      const bool is_end = edge.kind == Nfa::EdgeKind::kEnd;
      kept |= edge.kind != Nfa::EdgeKind::kEpsilon && !is_begin;
      if (edge.kind == Nfa::EdgeKind::kEpsilon || (is_begin && free.begin) ||
          (is_end && free.end)) {
        if (seen_[edge.target] == stamp_) continue;
        seen_[edge.target] = stamp_;
        stack_.push_back(edge.target);
      }
    }
    if (kept) members_.push_back(state);
  }
  if (mode_ == MatchMode::kSearch && seen_[nfa_.accept] == stamp_) members_ = {nfa_.accept};
  if (members_.size() > 1 && nfa_.key_count > 0) DropDominated();
  std::sort(members_.begin(), members_.end());
}

// Drops members of a counted repeat that accept no more than another one does.
void SubsetBuilder::DropDominated() {
  const auto any_place = [this](uint32_t state, auto visit) {
    for (uint32_t p = nfa_.first_places[state]; p != Nfa::kNone; p = nfa_.places[p].next) {
      if (visit(nfa_.places[p], best_ranks_[nfa_.places[p].key])) return true;
    }
    return false;
  };
  const std::vector<uint32_t>& members = members_;
  for (uint32_t state : members) {
    any_place(state, [](const Nfa::Place& place, uint32_t& best) {
      best = std::min(best, place.rank);
      return false;
    });
  }
  dropped_.clear();
  for (uint32_t state : members) {
    if (any_place(state,
                  [](const Nfa::Place& place, uint32_t& best) { return place.rank > best; })) {
      dropped_.push_back(state);
    }
  }
  for (uint32_t state : members) {
    any_place(state, [](const Nfa::Place&, uint32_t& best) {
      best = Nfa::kNone;
      return false;
    });
  }
  if (dropped_.empty()) return;
  size_t next = 0;
  std::erase_if(members_, [&](uint32_t state) {
    const bool is_dropped = next < dropped_.size() && dropped_[next] == state;
    next += is_dropped;
    return is_dropped;
  });
}

bool SubsetBuilder::Accepts(uint32_t set, bool at_begin) {
  Close(sets_[set], {.begin = at_begin, .end = true});
  return seen_[nfa_.accept] == stamp_;
}

uint32_t SubsetBuilder::SetBehind(std::span<const uint32_t> states) {
  const bool single = states.size() == 1;
  if (single && alone_[states[0]] != Nfa::kNone) return alone_[states[0]];
  Close(states, {});
  const uint32_t set = sets_.Intern(members_).first;
  if (single) alone_[states[0]] = set;
  return set;
}

void SubsetBuilder::FillBuckets(uint32_t set) {
  const auto add = [this](uint32_t bucket, uint32_t target) {
    if (buckets_[bucket].empty()) used_.push_back(bucket);
    buckets_[bucket].push_back(target);
  };
  for (uint32_t state : sets_[set]) {
    for (uint32_t e = nfa_.first_edges[state]; e != Nfa::kNone; e = nfa_.edges[e].next) {
      const Nfa::Edge& edge = nfa_.edges[e];
      if (edge.kind == Nfa::EdgeKind::kSet) {
        auto symbols = alphabet_.SymbolsOf(edge.payload);
        work_ += symbols.size();
        for (uint32_t symbol : symbols) add(symbol, edge.target);
      } else if (edge.kind == Nfa::EdgeKind::kCall) {
        add(alphabet_.symbol_count() + edge.payload, edge.target);
      }
    }
  }
}

void SubsetBuilder::EmitState(uint32_t set) {
  FillBuckets(set);
  edges_.clear();
  calls_.clear();
  for (uint32_t bucket : used_) {
    const uint32_t target = SetBehind(buckets_[bucket]);
    buckets_[bucket].clear();
    if (bucket >= alphabet_.symbol_count()) {
      calls_.push_back({nfa_.calls[bucket - alphabet_.symbol_count()], target});
      continue;
    }
    for (const CodePointRange& range : alphabet_.RangesOf(bucket)) {
      edges_.push_back({range.first, range.last, target});
    }
  }
  used_.clear();
  work_ += edges_.size();
  const auto by_first = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(edges_.begin(), edges_.end(), by_first)) {
    std::sort(edges_.begin(), edges_.end(), by_first);
  }
  std::sort(calls_.begin(), calls_.end(),
            [](const auto& a, const auto& b) { return a.expr < b.expr; });
  const size_t first_edge = result_.edges.size();
  for (const auto& edge : edges_) {
    auto& edges = result_.edges;
    if (edges.size() > first_edge && edges.back().target == edge.target &&
        edges.back().last + 1 == edge.first) {
      edges.back().last = edge.last;
    } else {
      edges.push_back(edge);
    }
  }
  result_.calls.append(calls_.begin(), calls_.end());
  result_.edge_begins.push_back(static_cast<uint32_t>(result_.edges.size()));
  result_.call_begins.push_back(static_cast<uint32_t>(result_.calls.size()));
}

Result<TextAutomaton> SubsetBuilder::Build() {
  const uint32_t start[] = {nfa_.start};
  Close(start, {.begin = true});
  if (nfa_.has_begin) {
    // A begin edge that is followed leaves its state behind; Accepts needs the state itself to
    // pass it again behind an end edge.
    std::vector<uint32_t> all = members_;
    if (!std::binary_search(all.begin(), all.end(), nfa_.start)) all.push_back(nfa_.start);
    std::sort(all.begin(), all.end());
    sets_.AppendAlone(all);
  } else {
    sets_.Intern(members_);
  }
  result_.call_begins.push_back(0);
  for (uint32_t set = 0; set < sets_.size(); ++set) {
    EmitState(set);
    result_.labels.push_back(Accepts(set, set == 0) ? 1 : TextAutomaton::kNotAccepting);
    if (IsOverBudget()) {
      const std::string limit = std::to_string(max_states_);
      const std::string from =
          " (" + std::to_string(nfa_.state_count()) + " before it was made deterministic)";
      return Status(StatusCode::kResourceLimit,
                    sets_.size() > max_states_
                        ? "the automaton of the pattern grows beyond " + limit + " states" + from
                        : "the automaton of the pattern takes more work than a budget of " + limit +
                              " states allows" + from);
    }
  }
  if (result_.calls.empty()) result_.call_begins.clear();
  return std::move(result_);
}

}  // namespace

Result<TextAutomaton> Determinize(const Nfa& nfa, MatchMode mode, uint32_t max_states) {
  return SubsetBuilder(nfa, mode, max_states).Build();
}

}  // namespace maskloom
