// Thompson's construction with shared ends and an explicit stack.
//
// A job (expr, in, out) adds edges so that exactly the texts of `expr` lead from `in` to `out`.
// Jobs never add an edge into `in` or out of `out`: loops run over states of their own. So the
// children of a choice share both ends without free edges between, and a sequence of n children
// needs n - 1 states. x{2,4} is in -x-> 1 -x-> 2 -x-> 3 -x-> out with free edges from 2 and 3 to
// out; x{2,} loops over its second copy. Literals of a choice share their common beginnings, so a
// choice of thousands of words costs its trie. A look-around is one edge; what it looks for gets an
// NFA of its own (look_subset.h).
//
// Source: K. Thompson, "Regular expression search algorithm", CACM 11(6), 1968.
#include "grammar/regular/nfa.h"

#include <algorithm>
#include <string>
#include <utility>

#include "grammar/base/utf8.h"
#include "tsl/robin_map.h"

namespace maskloom {
namespace {

constexpr uint64_t kHuge = uint64_t{1} << 40;  // sizes stop growing here
constexpr uint32_t kAnySet = 0;                // index of the set of all code points in a search
constexpr size_t kItemsPerState = 12;          // NFA states and edges, for each state of the budget

// Returns a number that is one to one with the pair. The map takes the low bits of a key as its
// hash, so they must depend on both.
uint64_t TrieKey(uint32_t state, uint32_t code_point) {
  uint64_t key = (static_cast<uint64_t>(state) << 32 | code_point) * 0x9E3779B97F4A7C15u;
  return key ^ key >> 32;
}

class NfaBuilder {
 public:
  NfaBuilder(const ExprPool& pool, const BuildOptions& options) : pool_(pool), options_(options) {}

  Result<Nfa> Build(ExprId root, MatchMode mode);

 private:
  struct Size {
    uint64_t positions = 0;      // code points and calls once unrolled
    bool is_call = false;        // a repeat that is counted at run time
    bool matches_empty = false;  // calls of rules, tokens and values are taken not to
    bool has_assertion = false;
  };
  struct Job {
    ExprId expr;
    uint32_t in;
    uint32_t out;
    uint32_t copy = Nfa::kNone;  // of copies_
  };
  // One copy of the child of an unrolled repeat.
  struct Copy {
    uint32_t begin;       // its first state, not counting its ends
    uint32_t inner_rank;  // of the states inside, or kNone
  };

  void Measure(ExprId root);
  Size MeasureRepeat(ExprId id) const;
  Size MeasureChildren(ExprId id) const;
  void Run(const Job& job);
  void RunRepeat(const Job& job);
  void RunChoice(const Job& job);
  void RunText(const Job& job);

  uint32_t NewState();
  void AddEdge(uint32_t from, Nfa::EdgeKind kind, uint32_t payload, uint32_t to);
  void AddFree(uint32_t from, uint32_t to) {
    if (from != to) AddEdge(from, Nfa::EdgeKind::kEpsilon, 0, to);
  }
  void AddCodePoint(uint32_t from, uint32_t code_point, uint32_t to);
  void AddCall(const Job& job);
  void AddLook(const Job& job);
  void AddPlace(uint32_t state, uint32_t key, uint32_t rank);
  void AddInnerPlaces();
  bool CanMatchBehindBegin() const;

  bool IsStar(ExprId id) const {
    return pool_.kind(id) == ExprKind::kRepeat && pool_.min(id) == 0 && pool_.max(id) == kUnbounded;
  }
  uint64_t PositionsOf(ExprId id) const { return sizes_.find(id)->second.positions; }

  const ExprPool& pool_;
  const BuildOptions& options_;
  Nfa nfa_;
  bool has_assertion_ = false;  // anywhere in the expression
  std::vector<Job> jobs_;
  std::vector<Copy> copies_;
  std::vector<uint32_t> chain_begins_;  // of runs of copies_
  tsl::robin_map<ExprId, Size> sizes_;
  tsl::robin_map<ExprId, uint32_t> set_of_class_;
  tsl::robin_map<uint32_t, uint32_t> set_of_code_point_;
  tsl::robin_map<uint64_t, uint32_t> call_of_;  // by kind and payload
  tsl::robin_map<ExprId, uint32_t> look_of_;
  tsl::robin_map<uint64_t, uint32_t> trie_;  // by TrieKey, for one choice
};

uint32_t NfaBuilder::NewState() {
  nfa_.first_edges.push_back(Nfa::kNone);
  return nfa_.state_count() - 1;
}

void NfaBuilder::AddEdge(uint32_t from, Nfa::EdgeKind kind, uint32_t payload, uint32_t to) {
  nfa_.edges.push_back({kind, payload, to, nfa_.first_edges[from]});
  nfa_.first_edges[from] = static_cast<uint32_t>(nfa_.edges.size() - 1);
  if (kind == Nfa::EdgeKind::kBegin) nfa_.has_begin = true;
}

void NfaBuilder::AddCodePoint(uint32_t from, uint32_t code_point, uint32_t to) {
  if (!IsScalarValue(code_point)) return;  // no text holds it
  auto [it, is_new] =
      set_of_code_point_.try_emplace(code_point, static_cast<uint32_t>(nfa_.sets.size()));
  if (is_new) nfa_.sets.push_back(CodePointSet::Of(code_point));
  AddEdge(from, Nfa::EdgeKind::kSet, it->second, to);
}

void NfaBuilder::AddCall(const Job& job) {
  const bool is_repeat = pool_.kind(job.expr) == ExprKind::kRepeat;
  uint64_t key = static_cast<uint64_t>(pool_.kind(job.expr)) << 32 |
                 (is_repeat ? job.expr : pool_.payload(job.expr));
  auto [it, is_new] = call_of_.try_emplace(key, static_cast<uint32_t>(nfa_.calls.size()));
  if (is_new) nfa_.calls.push_back(job.expr);
  AddEdge(job.in, Nfa::EdgeKind::kCall, it->second, job.out);
}

void NfaBuilder::AddLook(const Job& job) {
  auto [it, is_new] = look_of_.try_emplace(job.expr, static_cast<uint32_t>(nfa_.looks.size()));
  if (is_new) nfa_.looks.push_back(job.expr);
  AddEdge(job.in, Nfa::EdgeKind::kLook, it->second, job.out);
}

NfaBuilder::Size NfaBuilder::MeasureRepeat(ExprId id) const {
  const ExprId child = pool_.children(id)[0];
  Size size = sizes_.find(child)->second;
  size.is_call = false;
  size.matches_empty |= pool_.min(id) == 0;
  if (size.positions == 0 || IsStar(child)) return size;
  const uint64_t copies =
      pool_.max(id) == kUnbounded ? std::max<uint64_t>(pool_.min(id), 1) : pool_.max(id);
  const uint64_t positions = std::min(size.positions * copies, kHuge);
  size.is_call = copies > 1 && options_.max_unrolled != kUnbounded &&
                 positions > options_.max_unrolled && !size.has_assertion;
  size.positions = size.is_call ? 1 : positions;
  return size;
}

// Measures a sequence or a choice.
NfaBuilder::Size NfaBuilder::MeasureChildren(ExprId id) const {
  const bool is_sequence = pool_.kind(id) == ExprKind::kSequence;
  Size size;
  size.matches_empty = is_sequence;
  for (ExprId child : pool_.children(id)) {
    const Size& part = sizes_.find(child)->second;
    size.positions = std::min(size.positions + part.positions, kHuge);
    size.has_assertion |= part.has_assertion;
    size.matches_empty = is_sequence ? size.matches_empty && part.matches_empty
                                     : size.matches_empty || part.matches_empty;
  }
  return size;
}

// Fills sizes_ for `root` and all below it, children first.
void NfaBuilder::Measure(ExprId root) {
  std::vector<ExprId> order;
  std::vector<ExprId> stack{root};
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (!sizes_.try_emplace(id).second) continue;
    order.push_back(id);
    const ExprKind kind = pool_.kind(id);
    if (kind == ExprKind::kSequence || kind == ExprKind::kChoice || kind == ExprKind::kRepeat) {
      for (ExprId child : pool_.children(id)) stack.push_back(child);
    }
  }
  std::sort(order.begin(), order.end());  // children have smaller ids
  for (ExprId id : order) {
    Size size;
    switch (pool_.kind(id)) {
      case ExprKind::kText:
        size.positions = pool_.text(id).size();
        break;
      case ExprKind::kClass:
      case ExprKind::kRule:
      case ExprKind::kToken:
      case ExprKind::kValue:
        size.positions = 1;
        break;
      case ExprKind::kSequence:
      case ExprKind::kChoice:
        size = MeasureChildren(id);
        break;
      case ExprKind::kRepeat:
        size = MeasureRepeat(id);
        break;
      case ExprKind::kAssertBegin:
      case ExprKind::kAssertEnd:
      case ExprKind::kLook:
        size.has_assertion = true;
        size.matches_empty = true;
        break;
      case ExprKind::kEmpty:
        size.matches_empty = true;
        break;
      case ExprKind::kNever:
        break;
    }
    sizes_[id] = size;
  }
}

void NfaBuilder::RunText(const Job& job) {
  const std::u32string& text = pool_.text(job.expr);
  uint32_t state = job.in;
  for (size_t i = 0; i < text.size(); ++i) {
    uint32_t next = i + 1 == text.size() ? job.out : NewState();
    AddCodePoint(state, text[i], next);
    state = next;
  }
}

void NfaBuilder::RunChoice(const Job& job) {
  trie_.clear();
  for (ExprId child : pool_.children(job.expr)) {
    if (pool_.kind(child) != ExprKind::kText) {
      jobs_.push_back({child, job.in, job.out});
      continue;
    }
    const std::u32string& text = pool_.text(child);
    uint32_t state = job.in;
    for (size_t i = 0; i + 1 < text.size(); ++i) {
      auto [it, is_new] = trie_.try_emplace(TrieKey(state, text[i]), nfa_.state_count());
      const uint32_t next = it->second;
      if (is_new) AddCodePoint(state, text[i], NewState());
      state = next;
    }
    AddCodePoint(state, text.back(), job.out);
  }
}

void NfaBuilder::RunRepeat(const Job& job) {
  const ExprId child = pool_.children(job.expr)[0];
  const uint32_t min = pool_.min(job.expr);
  const uint32_t max = pool_.max(job.expr);
  if (const Size& size = sizes_.find(job.expr)->second; size.is_call) {
    // Assertions take a call to read something; where it need not, a free edge keeps them exact.
    if (size.matches_empty && has_assertion_) AddFree(job.in, job.out);
    AddCall(job);
    return;
  }
  if (PositionsOf(child) == 0 || IsStar(child)) {  // more copies match nothing more
    if (min == 0) AddFree(job.in, job.out);
    jobs_.push_back({child, job.in, job.out});
    return;
  }
  // Ranks are worth it where a set can hold several counts, and counts outnumber what else it
  // holds.
  constexpr uint32_t kMinRanks = 3;
  const bool has_ranks = max == kUnbounded ? min >= kMinRanks : max - min >= kMinRanks;
  const uint32_t key = has_ranks ? nfa_.key_count++ : 0;
  if (has_ranks) chain_begins_.push_back(static_cast<uint32_t>(copies_.size()));
  uint32_t state = job.in;
  const auto add_copy = [&](uint32_t next, uint32_t rank) {
    jobs_.push_back({child, state, next});
    if (!has_ranks) return;
    jobs_.back().copy = static_cast<uint32_t>(copies_.size());
    copies_.push_back({0, rank});
  };
  if (max != kUnbounded) {
    // Beyond `min`, the fewer copies are behind the more are allowed.
    for (uint32_t copy = 0; copy < max; ++copy) {
      if (copy >= min) {
        AddFree(state, job.out);
        if (has_ranks && copy > 0) AddPlace(state, key, copy);
      }
      uint32_t next = copy + 1 == max ? job.out : NewState();
      add_copy(next, copy + 1 >= min ? copy : Nfa::kNone);
      state = next;
    }
    return;
  }
  // Without a maximum, the more copies are behind the fewer are wanted.
  for (uint32_t copy = 1; copy < min; ++copy) {
    uint32_t next = NewState();
    add_copy(next, min - copy);
    if (has_ranks) AddPlace(next, key, min - copy);
    state = next;
  }
  uint32_t loop = NewState();
  AddFree(state, loop);
  if (has_ranks) AddPlace(loop, key, 1);
  state = loop;
  uint32_t behind = min == 0 ? loop : NewState();
  if (has_ranks) AddPlace(behind, key, 0);
  add_copy(behind, 0);
  AddFree(behind, loop);
  AddFree(behind, job.out);
}

void NfaBuilder::AddPlace(uint32_t state, uint32_t key, uint32_t rank) {
  if (nfa_.first_places.size() <= state) nfa_.first_places.resize(state + 1, Nfa::kNone);
  nfa_.places.push_back({key, rank, nfa_.first_places[state]});
  nfa_.first_places[state] = static_cast<uint32_t>(nfa_.places.size() - 1);
}

// Jobs are taken from the end, so the copies of a repeat are made one after another, the last one
// first, each with as many states as the others and in the same order.
void NfaBuilder::AddInnerPlaces() {
  chain_begins_.push_back(static_cast<uint32_t>(copies_.size()));
  for (size_t chain = 0; chain + 1 < chain_begins_.size(); ++chain) {
    const uint32_t first = chain_begins_[chain], end = chain_begins_[chain + 1];
    const uint32_t size = copies_[first].begin - copies_[first + 1].begin;
    for (uint32_t copy = first; copy < end; ++copy) {
      if (copies_[copy].inner_rank == Nfa::kNone) continue;
      for (uint32_t i = 0; i < size; ++i) {
        AddPlace(copies_[copy].begin + i, nfa_.key_count + i, copies_[copy].inner_rank);
      }
    }
    nfa_.key_count += size;
  }
  nfa_.first_places.resize(nfa_.state_count(), Nfa::kNone);
}

void NfaBuilder::Run(const Job& job) {
  switch (pool_.kind(job.expr)) {
    case ExprKind::kNever:
      break;
    case ExprKind::kEmpty:
      AddFree(job.in, job.out);
      break;
    case ExprKind::kAssertBegin:
      AddEdge(job.in, Nfa::EdgeKind::kBegin, 0, job.out);
      break;
    case ExprKind::kAssertEnd:
      AddEdge(job.in, Nfa::EdgeKind::kEnd, 0, job.out);
      break;
    case ExprKind::kLook:
      AddLook(job);
      break;
    case ExprKind::kText:
      RunText(job);
      break;
    case ExprKind::kClass: {
      auto [it, is_new] =
          set_of_class_.try_emplace(job.expr, static_cast<uint32_t>(nfa_.sets.size()));
      if (is_new) nfa_.sets.push_back(pool_.set(job.expr));
      AddEdge(job.in, Nfa::EdgeKind::kSet, it->second, job.out);
      break;
    }
    case ExprKind::kSequence: {
      auto children = pool_.children(job.expr);
      uint32_t state = job.in;
      for (size_t i = 0; i < children.size(); ++i) {
        uint32_t next = i + 1 == children.size() ? job.out : NewState();
        jobs_.push_back({children[i], state, next});
        state = next;
      }
      break;
    }
    case ExprKind::kChoice:
      RunChoice(job);
      break;
    case ExprKind::kRepeat:
      RunRepeat(job);
      break;
    case ExprKind::kRule:
    case ExprKind::kToken:
    case ExprKind::kValue:
      AddCall(job);
      break;
  }
}

// Can a match begin elsewhere than at the begin of the text? If not, a search reads nothing first.
bool NfaBuilder::CanMatchBehindBegin() const {
  if (!nfa_.has_begin) return true;
  std::vector<bool> seen(nfa_.state_count(), false);
  std::vector<uint32_t> stack{nfa_.start};
  seen[nfa_.start] = true;
  while (!stack.empty()) {
    const uint32_t state = stack.back();
    stack.pop_back();
    for (uint32_t e = nfa_.first_edges[state]; e != Nfa::kNone; e = nfa_.edges[e].next) {
      const Nfa::Edge& edge = nfa_.edges[e];
      if (edge.kind == Nfa::EdgeKind::kBegin || seen[edge.target]) continue;
      seen[edge.target] = true;
      stack.push_back(edge.target);
    }
  }
  return seen[nfa_.accept];
}

Result<Nfa> NfaBuilder::Build(ExprId root, MatchMode mode) {
  Measure(root);
  has_assertion_ = sizes_.find(root)->second.has_assertion;
  const uint64_t max_positions = uint64_t{4} * options_.max_states;
  const uint64_t positions = PositionsOf(root);
  if (positions > max_positions) {
    return Status(
        StatusCode::kResourceLimit,
        "the pattern unrolls to " +
            (positions >= kHuge ? "over " + std::to_string(kHuge) : std::to_string(positions)) +
            " characters; the limit is " + std::to_string(max_positions));
  }
  nfa_.start = NewState();
  nfa_.accept = NewState();
  Job job{root, nfa_.start, nfa_.accept};
  if (mode != MatchMode::kFull) {
    nfa_.sets.push_back(CodePointSet::All());
    job = {root, NewState(), NewState()};
    AddFree(nfa_.start, job.in);
    AddFree(job.out, nfa_.accept);
  }
  if (mode == MatchMode::kSearch) {
    AddEdge(nfa_.accept, Nfa::EdgeKind::kSet, kAnySet, nfa_.accept);
  }
  const size_t max_items = kItemsPerState * options_.max_states;
  jobs_.push_back(job);
  while (!jobs_.empty()) {
    Job next = jobs_.back();
    jobs_.pop_back();
    if (next.copy != Nfa::kNone) copies_[next.copy].begin = nfa_.state_count();
    Run(next);
    if (nfa_.first_edges.size() + nfa_.edges.size() + jobs_.size() > max_items) {
      return Status(StatusCode::kResourceLimit, "the pattern unrolls to more than " +
                                                    std::to_string(max_items) +
                                                    " automaton parts, which is the limit");
    }
  }
  if (!chain_begins_.empty()) AddInnerPlaces();
  if (mode != MatchMode::kFull && CanMatchBehindBegin()) {
    AddEdge(nfa_.start, Nfa::EdgeKind::kSet, kAnySet, nfa_.start);
  }
  return std::move(nfa_);
}

}  // namespace

Result<Nfa> BuildNfa(const ExprPool& pool, ExprId expr, const BuildOptions& options,
                     MatchMode mode) {
  return NfaBuilder(pool, options).Build(expr, mode);
}

}  // namespace maskloom
