// The subset construction for NFAs with look-arounds.
//
// A look-ahead is a *duty*: what the rest of the text must do (or must not). So a member of a state
// set is a pair, an NFA state and the duties of the paths that led there; a set says "some member
// accepts the rest, and all its duties are met". A duty is again such a set, of the machine of the
// look-around's body, wanted or unwanted; it moves with the text like any other set. It is met once
// it holds the accepting state without duties (a look-ahead does not care what follows), broken
// once it is empty, and an unwanted one the other way round.
//
// Example, `^(?!ab)[ab]*$`: after the begin one member, the loop with the duty "unwanted: {0}".
// Behind `a` it is the loop with "unwanted: {1}"; behind `b` the body's set is empty, the duty is
// met, and the loop stands alone. Behind `ab` the body has matched, so the member is gone.
//
// Look-behind needs no guess: the machine of its body runs along from the begin of the text as a
// *tracker* and says whether a match ends here. A state of the result is thus the sets of the
// trackers and the set of the whole expression. Where the body of a look-behind looks ahead in
// turn, "a match ends here" comes with duties of its own: its members at the accepting state become
// a duty. So they do where the match behind hangs on the end of the text being here, as in
// `(?<!a$)`. Trackers that no member can come to ask are left out of the state.
//
// The begin of the text is known while closing the first sets; its end counts when asking whether a
// state accepts: then every duty is asked whether it accepts the empty rest.
//
// Why it stays finite: sets are over finitely many NFA states and duties, and duties nest no deeper
// than look-arounds do. What keeps it small: a member whose duties include those of another at the
// same NFA state is dropped; all unwanted sets of one machine are joined to one (neither must
// accept); a wanted set that holds another wanted one is dropped; of the counts of a repeat, those
// that others cover (Nfa::Place) are dropped.
//
// Source: A. Chandra, D. Kozen, L. Stockmeyer, "Alternation", JACM 28(1), 1981; T. Miyazaki and
// Y. Minamide, "Derivatives of regular expressions with lookahead", JIP 27, 2019.
#include "grammar/regular/look_subset.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grammar/regular/interner.h"
#include "tsl/robin_map.h"

namespace maskloom {
namespace {

constexpr uint64_t kWorkPerState = 100;  // edges and members followed, for each state of the budget
constexpr uint64_t kItemsPerState = 100;  // numbers kept, likewise

using SetId = uint32_t;     // of sets_: a head and members
using DutiesId = uint32_t;  // of duties_: sorted duties, 2 * set + (1 if unwanted)

constexpr size_t kMaxCompared = 32;  // duties or members compared in pairs

constexpr DutiesId kNoDuties = 0;
constexpr DutiesId kBroken = 0xFFFFFFFF;
constexpr SetId kOff = 0xFFFFFFFF;  // a tracker that is no longer asked

struct Member {
  uint32_t state;
  DutiesId duties;
  auto operator<=>(const Member&) const = default;
};

// The machine of a set, and what becomes of the set.
enum class SetKind : uint8_t {
  kClosed,  // it accepts at its accepting state
  kOpen,    // its accepting state accepts any rest
  kClaim,   // likewise, and its other members wait for the end, which must be here
};
struct Head {
  uint32_t machine;
  SetKind kind;
};

struct Position {
  bool begin = false;
  const std::vector<SetId>* trackers = nullptr;  // their sets here
};

// Returns a number that is one to one with the pair and mixed in its low bits.
uint64_t PairKey(uint32_t a, uint32_t b) {
  uint64_t key = (static_cast<uint64_t>(a) << 32 | b) * 0x9E3779B97F4A7C15u;
  return key ^ key >> 32;
}

class LookSubsetBuilder {
 public:
  LookSubsetBuilder(const LookMachines& looks, MatchMode mode, uint32_t max_states)
      : looks_(looks),
        machines_(looks.machines()),
        whole_{0, mode == MatchMode::kSearch ? SetKind::kOpen : SetKind::kClosed},
        max_states_(max_states),
        scratch_(machines_.size()),
        starts_(machines_.size(), kOff) {
    duties_.Intern({});
    duties_need_.push_back(0);
    for (size_t m = 0; m < machines_.size(); ++m) {
      scratch_[m].met.resize(machines_[m].nfa.state_count());
    }
  }

  Result<TextAutomaton> Build();

 private:
  Head HeadOf(SetId set) const {
    return {sets_[set][0] >> 2, static_cast<SetKind>(sets_[set][0] & 3)};
  }
  // What Step and Close of a machine work on.
  struct Scratch {
    std::vector<Member> seeds, stack, kept;
    std::vector<std::vector<DutiesId>> met;  // by NFA state: the duties of the members met so far
    std::vector<uint32_t> touched;           // states with such
  };
  // The members of a set, by value: sets_ may grow while they are used.
  std::vector<Member> MembersOf(SetId set) const;
  bool IsEmpty(SetId set) const { return sets_[set].size() == 1; }
  bool IsMet(SetId set) const;
  uint64_t NeedsOf(SetId set) const { return sets_need_[set]; }

  SetId MakeSet(Head head, std::vector<Member>* members);
  void DropDominated(const Nfa& nfa, std::vector<Member>* members);
  DutiesId MakeDuties(std::vector<uint32_t> duties);
  bool JoinUnwanted(std::vector<uint32_t>* duties);
  bool DropImplied(std::vector<uint32_t>* duties) const;
  DutiesId WithDuty(DutiesId duties, SetId set, bool unwanted);

  SetId Close(Head head, const std::vector<Member>& seeds, const Position& at);
  void FollowLook(const LookTest& look, Member from, uint32_t target, const Position& at,
                  std::vector<Member>* stack);
  SetId SetOf(const LookTest& look, const Position& at);
  SetId Step(SetId set, uint32_t symbol, const Position& behind);
  DutiesId StepDuties(DutiesId duties, uint32_t symbol, const Position& behind);

  bool AcceptsAtEnd(uint32_t machine, const std::vector<Member>& members, const Position& at);
  bool AreMetAtEnd(DutiesId duties, const Position& at);

  uint32_t AddState(std::vector<SetId>* trackers, SetId whole, bool is_first);
  void EmitState(uint32_t state);
  bool IsOverBudget() const {
    return states_.size() > max_states_ || work_ > kWorkPerState * max_states_ + 1000000 ||
           sets_.item_count() + duties_.item_count() + states_.item_count() +
                   8 * (steps_.size() + duties_steps_.size()) + 2 * result_.edges.size() >
               kItemsPerState * max_states_ + 1000000;
  }

  const LookMachines& looks_;
  const std::vector<LookMachine>& machines_;
  const Head whole_;
  const uint64_t max_states_;
  SequenceInterner sets_;
  SequenceInterner duties_;
  SequenceInterner states_;          // sets of the trackers, then the set of the whole
  std::vector<uint64_t> sets_need_;  // trackers that a set can come to ask, by SetId
  std::vector<uint64_t> duties_need_;
  // By machine. A machine is never inside itself, so no two Steps or Closes of it are under way at
  // once.
  std::vector<Scratch> scratch_;
  // By machine: its first set behind the begin, where it asks no tracker.
  std::vector<SetId> starts_;
  std::vector<uint32_t> items_;                      // of the set being made
  std::vector<SetId> next_;                          // of the state being made
  std::vector<uint32_t> best_ranks_;                 // by key of Nfa::Place
  std::vector<uint32_t> ranked_keys_;                // keys whose best rank is not kNone
  tsl::robin_map<uint64_t, SetId> steps_;            // of sets that ask no tracker
  tsl::robin_map<uint64_t, DutiesId> duties_steps_;  // likewise
  tsl::robin_map<SetId, bool> ends_;                 // likewise
  uint64_t work_ = 0;
  std::vector<TextAutomaton::Edge> edges_;
  TextAutomaton result_;
};

std::vector<Member> LookSubsetBuilder::MembersOf(SetId set) const {
  const auto items = sets_[set];
  std::vector<Member> members;
  members.reserve(items.size() / 2);
  for (size_t i = 1; i < items.size(); i += 2) members.push_back({items[i], items[i + 1]});
  return members;
}

bool LookSubsetBuilder::IsMet(SetId set) const {
  const auto items = sets_[set];
  if (items.size() != 3) return false;  // MakeSet leaves nothing beside it
  const Head head = HeadOf(set);
  return head.kind != SetKind::kClosed && items[1] == machines_[head.machine].nfa.accept &&
         items[2] == kNoDuties;
}

// Drops members of a counted repeat that accept no more than another one without duties does.
void LookSubsetBuilder::DropDominated(const Nfa& nfa, std::vector<Member>* members) {
  best_ranks_.resize(std::max<size_t>(best_ranks_.size(), nfa.key_count), Nfa::kNone);
  for (const Member& member : *members) {
    if (member.duties != kNoDuties) continue;
    for (uint32_t p = nfa.first_places[member.state]; p != Nfa::kNone; p = nfa.places[p].next) {
      uint32_t& best = best_ranks_[nfa.places[p].key];
      if (best == Nfa::kNone) ranked_keys_.push_back(nfa.places[p].key);
      best = std::min(best, nfa.places[p].rank);
    }
  }
  // Where the best rank is that of a member dropped here, that one is covered in turn.
  std::erase_if(*members, [&](const Member& member) {
    for (uint32_t p = nfa.first_places[member.state]; p != Nfa::kNone; p = nfa.places[p].next) {
      if (nfa.places[p].rank > best_ranks_[nfa.places[p].key]) return true;
    }
    return false;
  });
  for (uint32_t key : ranked_keys_) best_ranks_[key] = Nfa::kNone;
  ranked_keys_.clear();
}

SetId LookSubsetBuilder::MakeSet(Head head, std::vector<Member>* members) {
  const LookMachine& machine = machines_[head.machine];
  std::vector<Member>& all = *members;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (head.kind != SetKind::kClosed &&
      std::binary_search(all.begin(), all.end(), Member{machine.nfa.accept, kNoDuties})) {
    all = {{machine.nfa.accept, kNoDuties}};
  }
  if (all.size() > 1 && machine.nfa.key_count > 0) DropDominated(machine.nfa, members);
  items_.assign(1, head.machine << 2 | static_cast<uint32_t>(head.kind));
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    while (end < all.size() && all[end].state == all[begin].state) ++end;
    for (size_t i = begin; i < end; ++i) {
      bool is_implied = false;
      for (size_t j = begin; j < end && !is_implied && end - begin <= kMaxCompared; ++j) {
        if (i == j) continue;
        const auto less = duties_[all[j].duties], more = duties_[all[i].duties];
        is_implied = less.size() < more.size() &&
                     std::includes(more.begin(), more.end(), less.begin(), less.end());
      }
      if (!is_implied) items_.insert(items_.end(), {all[i].state, all[i].duties});
    }
    begin = end;
  }
  const auto [id, is_new] = sets_.Intern(items_);
  if (is_new) {
    uint64_t needs = 0;
    for (size_t i = 1; i < items_.size(); i += 2) {
      needs |= machine.needs[items_[i]] | duties_need_[items_[i + 1]];
    }
    sets_need_.push_back(needs);
  }
  return id;
}

// Joins all unwanted sets of one head. Returns false if the joint set is met.
bool LookSubsetBuilder::JoinUnwanted(std::vector<uint32_t>* duties) {
  for (size_t i = 0; i < duties->size(); ++i) {
    if (((*duties)[i] & 1) == 0) continue;
    const SetId set = (*duties)[i] >> 1;
    const Head head = HeadOf(set);
    std::vector<Member> members;
    size_t kept = i + 1;
    for (size_t j = i + 1; j < duties->size(); ++j) {
      const SetId other = (*duties)[j] >> 1;
      if (((*duties)[j] & 1) == 0 || sets_[other][0] != sets_[set][0]) {
        (*duties)[kept++] = (*duties)[j];
        continue;
      }
      if (members.empty()) members = MembersOf(set);
      const std::vector<Member> more = MembersOf(other);
      members.insert(members.end(), more.begin(), more.end());
    }
    duties->resize(kept);
    if (members.empty()) continue;
    const SetId joint = MakeSet(head, &members);
    if (IsMet(joint)) return false;
    (*duties)[i] = joint << 1 | 1;
  }
  return true;
}

// Drops wanted sets that another wanted one implies. Returns false if an unwanted one is implied.
bool LookSubsetBuilder::DropImplied(std::vector<uint32_t>* duties) const {
  if (duties->size() < 2 || duties->size() > kMaxCompared) return true;
  const auto implies = [this](SetId a, SetId b) {  // are the members of a among those of b?
    const auto x = sets_[a], y = sets_[b];
    if (x[0] != y[0] || x.size() > y.size()) return false;
    size_t at = 1;
    for (size_t i = 1; i < x.size(); i += 2) {
      while (at < y.size() && (y[at] != x[i] || y[at + 1] != x[i + 1])) at += 2;
      if (at >= y.size()) return false;
    }
    return true;
  };
  for (size_t i = 0; i < duties->size(); ++i) {
    if (((*duties)[i] & 1) != 0) continue;
    for (size_t j = duties->size(); j-- > 0;) {
      if (i == j || !implies((*duties)[i] >> 1, (*duties)[j] >> 1)) continue;
      if (((*duties)[j] & 1) != 0) return false;
      duties->erase(duties->begin() + static_cast<ptrdiff_t>(j));
      if (j < i) --i;
    }
  }
  return true;
}

DutiesId LookSubsetBuilder::MakeDuties(std::vector<uint32_t> duties) {
  std::sort(duties.begin(), duties.end());
  duties.erase(std::unique(duties.begin(), duties.end()), duties.end());
  if (duties.size() > 1) {
    if (!JoinUnwanted(&duties) || !DropImplied(&duties)) return kBroken;
    std::sort(duties.begin(), duties.end());
  }
  const auto [id, is_new] = duties_.Intern(duties);
  if (is_new) {
    uint64_t needs = 0;
    for (uint32_t duty : duties) needs |= NeedsOf(duty >> 1);
    duties_need_.push_back(needs);
  }
  return id;
}

DutiesId LookSubsetBuilder::WithDuty(DutiesId duties, SetId set, bool unwanted) {
  const auto known = duties_[duties];
  std::vector<uint32_t> all(known.begin(), known.end());
  all.push_back(set << 1 | unwanted);
  return MakeDuties(std::move(all));
}

// Returns the set that says whether `look` holds at `at`, but for its negation.
SetId LookSubsetBuilder::SetOf(const LookTest& look, const Position& at) {
  if (look.behind) {
    const SetId tracker = (*at.trackers)[look.tracker];
    const LookMachine& machine = machines_[look.machine];
    std::vector<Member> matches;
    for (const Member& member : MembersOf(tracker)) {
      if (member.state == machine.nfa.accept || machine.waits[member.state]) {
        matches.push_back(member);
      }
    }
    return MakeSet({look.machine, SetKind::kClaim}, &matches);
  }
  const LookMachine& machine = machines_[look.machine];
  const bool asks = machine.needs[machine.nfa.start] != 0;
  if (!at.begin && !asks && starts_[look.machine] != kOff) return starts_[look.machine];
  const SetId set = Close({look.machine, SetKind::kOpen}, {{machine.nfa.start, kNoDuties}}, at);
  if (!at.begin && !asks) starts_[look.machine] = set;
  return set;
}

void LookSubsetBuilder::FollowLook(const LookTest& look, Member from, uint32_t target,
                                   const Position& at, std::vector<Member>* stack) {
  const SetId set = SetOf(look, at);
  if (IsMet(set) || IsEmpty(set)) {
    if (IsMet(set) != look.negated) stack->push_back({target, from.duties});
    return;
  }
  const DutiesId duties = WithDuty(from.duties, set, look.negated);
  if (duties != kBroken) stack->push_back({target, duties});
}

// Returns the set of what `seeds` reach by free edges at `at`. Kept are members that read, accept,
// wait for the end, or look behind (which may hold at the end only).
SetId LookSubsetBuilder::Close(Head head, const std::vector<Member>& seeds, const Position& at) {
  const LookMachine& machine = machines_[head.machine];
  const Nfa& nfa = machine.nfa;
  Scratch& scratch = scratch_[head.machine];
  std::vector<Member>& stack = scratch.stack;
  std::vector<Member>& kept = scratch.kept;
  stack.assign(seeds.begin(), seeds.end());
  kept.clear();
  scratch.touched.clear();
  while (!stack.empty() && !IsOverBudget()) {
    const Member from = stack.back();
    stack.pop_back();
    std::vector<DutiesId>& known = scratch.met[from.state];
    ++work_;
    if (!known.empty() && (known[0] == kNoDuties ||
                           std::find(known.begin(), known.end(), from.duties) != known.end())) {
      continue;
    }
    if (known.empty()) scratch.touched.push_back(from.state);
    if (from.duties == kNoDuties) known.clear();
    known.push_back(from.duties);
    bool is_kept = from.state == nfa.accept;
    for (uint32_t e = nfa.first_edges[from.state]; e != Nfa::kNone; e = nfa.edges[e].next) {
      const Nfa::Edge& edge = nfa.edges[e];
      ++work_;
      switch (edge.kind) {
        case Nfa::EdgeKind::kEpsilon:
          stack.push_back({edge.target, from.duties});
          break;
        case Nfa::EdgeKind::kBegin:
          if (at.begin) stack.push_back({edge.target, from.duties});
          break;
        case Nfa::EdgeKind::kLook:
          is_kept |= machine.looks[edge.payload].behind;
          FollowLook(machine.looks[edge.payload], from, edge.target, at, &stack);
          break;
        case Nfa::EdgeKind::kEnd:
        case Nfa::EdgeKind::kSet:
        case Nfa::EdgeKind::kCall:
          is_kept = true;
          break;
      }
    }
    if (is_kept) kept.push_back(from);
  }
  for (uint32_t state : scratch.touched) scratch.met[state].clear();
  return MakeSet(head, &kept);
}

// Returns the set behind a code point of `symbol`; `behind` is the position there.
SetId LookSubsetBuilder::Step(SetId set, uint32_t symbol, const Position& behind) {
  const Head head = HeadOf(set);
  // The set of the whole expression steps once for each state of the result.
  const bool is_remembered = NeedsOf(set) == 0 && head.machine != whole_.machine;
  const uint64_t key = is_remembered ? PairKey(set, symbol) : 0;
  if (is_remembered) {
    if (auto it = steps_.find(key); it != steps_.end()) return it->second;
  }
  const LookMachine& machine = machines_[head.machine];
  std::vector<Member>& seeds = scratch_[head.machine].seeds;
  seeds.clear();
  for (size_t item = 1; item < sets_[set].size(); item += 2) {  // sets_ may grow meanwhile
    const Member member{sets_[set][item], sets_[set][item + 1]};
    const size_t first = seeds.size();
    if (head.kind != SetKind::kClosed && member.state == machine.nfa.accept) {
      seeds.push_back({member.state, member.duties});
    } else if (head.kind != SetKind::kClaim) {
      const Nfa& nfa = machine.nfa;
      for (uint32_t e = nfa.first_edges[member.state]; e != Nfa::kNone; e = nfa.edges[e].next) {
        ++work_;
        if (nfa.edges[e].kind == Nfa::EdgeKind::kSet &&
            looks_.Reads(machine, nfa.edges[e].payload, symbol)) {
          seeds.push_back({nfa.edges[e].target, member.duties});
        }
      }
    }
    if (member.duties == kNoDuties || seeds.size() == first) continue;
    const DutiesId duties = StepDuties(member.duties, symbol, behind);
    if (duties == kBroken) seeds.resize(first);
    for (size_t i = first; i < seeds.size(); ++i) seeds[i].duties = duties;
  }
  const SetId result = Close(head, seeds, behind);
  if (is_remembered) steps_.emplace(key, result);
  return result;
}

DutiesId LookSubsetBuilder::StepDuties(DutiesId duties, uint32_t symbol, const Position& behind) {
  const bool asks = duties_need_[duties] != 0;
  const uint64_t key = PairKey(duties, symbol);
  if (!asks) {
    if (auto it = duties_steps_.find(key); it != duties_steps_.end()) return it->second;
  }
  const auto known = duties_[duties];
  std::vector<uint32_t> next(known.begin(), known.end());
  size_t kept = 0;
  bool is_broken = false;
  for (size_t i = 0; i < next.size() && !is_broken; ++i) {
    const bool unwanted = (next[i] & 1) != 0;
    const SetId set = Step(next[i] >> 1, symbol, behind);
    if (IsMet(set) || IsEmpty(set)) {
      is_broken = IsMet(set) == unwanted;
    } else {
      next[kept++] = set << 1 | unwanted;
    }
  }
  next.resize(kept);
  const DutiesId result = is_broken ? kBroken : MakeDuties(std::move(next));
  if (!asks) duties_steps_.emplace(key, result);
  return result;
}

bool LookSubsetBuilder::AreMetAtEnd(DutiesId duties, const Position& at) {
  const auto known = duties_[duties];
  for (uint32_t duty : std::vector<uint32_t>(known.begin(), known.end())) {
    const SetId set = duty >> 1;
    const bool asks = NeedsOf(set) != 0;
    auto it = asks ? ends_.end() : ends_.find(set);
    const bool accepts =
        it != ends_.end() ? it->second : AcceptsAtEnd(HeadOf(set).machine, MembersOf(set), at);
    if (!asks && it == ends_.end()) ends_.emplace(set, accepts);
    if (accepts == ((duty & 1) != 0)) return false;
  }
  return true;
}

// Does some member accept the empty rest, with all its duties?
bool LookSubsetBuilder::AcceptsAtEnd(uint32_t machine_id, const std::vector<Member>& members,
                                     const Position& at) {
  const LookMachine& machine = machines_[machine_id];
  const Nfa& nfa = machine.nfa;
  std::vector<char> seen(nfa.state_count(), 0);
  std::vector<char> answers(machine.looks.size(), 0);  // 0: not asked yet, 1: holds, 2: does not
  std::vector<uint32_t> stack;
  const auto visit = [&](uint32_t state) {
    if (!seen[state]) seen[state] = 1, stack.push_back(state);
  };
  for (const Member& member : members) {
    if (!seen[member.state] && AreMetAtEnd(member.duties, at)) visit(member.state);
  }
  while (!stack.empty() && !seen[nfa.accept]) {
    const uint32_t state = stack.back();
    stack.pop_back();
    for (uint32_t e = nfa.first_edges[state]; e != Nfa::kNone; e = nfa.edges[e].next) {
      const Nfa::Edge& edge = nfa.edges[e];
      ++work_;
      bool is_free = edge.kind == Nfa::EdgeKind::kEpsilon || edge.kind == Nfa::EdgeKind::kEnd ||
                     (edge.kind == Nfa::EdgeKind::kBegin && at.begin);
      if (edge.kind == Nfa::EdgeKind::kLook) {
        const LookTest& look = machine.looks[edge.payload];
        char& answer = answers[edge.payload];
        if (answer == 0) {
          const std::vector<Member> inner =
              look.behind ? MembersOf((*at.trackers)[look.tracker])
                          : std::vector<Member>{{machines_[look.machine].nfa.start, kNoDuties}};
          answer = AcceptsAtEnd(look.machine, inner, at) != look.negated ? 1 : 2;
        }
        is_free = answer == 1;
      }
      if (is_free) visit(edge.target);
    }
  }
  return seen[nfa.accept] != 0;
}

// Adds a state unless it is known. Uses `trackers` up.
uint32_t LookSubsetBuilder::AddState(std::vector<SetId>* trackers, SetId whole, bool is_first) {
  const uint64_t needs = NeedsOf(whole);
  for (size_t t = 0; t < trackers->size(); ++t) {
    if ((needs >> t & 1) == 0) (*trackers)[t] = kOff;
  }
  trackers->push_back(whole);
  return is_first ? states_.AppendAlone(*trackers) : states_.Intern(*trackers).first;
}

void LookSubsetBuilder::EmitState(uint32_t state) {
  const auto items = states_[state];
  const std::vector<SetId> trackers(items.begin(), items.end() - 1);
  const SetId whole = items.back();
  const Position behind{.trackers = &next_};
  edges_.clear();
  for (uint32_t symbol = 0; symbol < looks_.alphabet().symbol_count(); ++symbol) {
    next_.assign(trackers.begin(), trackers.end());
    for (SetId& tracker : next_) {  // each asks only those before it, which are there already
      if (tracker != kOff) tracker = Step(tracker, symbol, behind);
    }
    const SetId set = Step(whole, symbol, behind);
    if (IsOverBudget()) return;
    if (IsEmpty(set)) continue;
    const uint32_t target = AddState(&next_, set, false);
    for (const CodePointRange& range : looks_.alphabet().RangesOf(symbol)) {
      edges_.push_back({range.first, range.last, target});
    }
  }
  work_ += edges_.size();
  std::sort(edges_.begin(), edges_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  result_.edges.append(edges_.begin(), edges_.end());
  result_.edge_begins.push_back(static_cast<uint32_t>(result_.edges.size()));
}

Result<TextAutomaton> LookSubsetBuilder::Build() {
  std::vector<SetId> trackers(looks_.trackers().size(), kOff);
  const Position first{.begin = true, .trackers = &trackers};
  for (size_t t = 0; t < trackers.size(); ++t) {
    const uint32_t machine = looks_.trackers()[t];
    trackers[t] =
        Close({machine, SetKind::kClosed}, {{machines_[machine].nfa.start, kNoDuties}}, first);
  }
  const std::vector<Member> start{{machines_[0].nfa.start, kNoDuties}};
  // The first state accepts if the empty text is a match, begin and end at once.
  result_.labels.push_back(AcceptsAtEnd(0, start, first) ? 1 : TextAutomaton::kNotAccepting);
  ends_.clear();  // they were asked at the begin
  const SetId whole = Close(whole_, start, first);
  AddState(&trackers, whole, true);
  for (uint32_t state = 0; state < states_.size(); ++state) {
    if (state > 0) {
      const auto items = states_[state];
      const std::vector<SetId> sets(items.begin(), items.end() - 1);
      const bool accepts = AcceptsAtEnd(0, MembersOf(items.back()), {.trackers = &sets});
      result_.labels.push_back(accepts ? 1 : TextAutomaton::kNotAccepting);
    }
    EmitState(state);
    if (IsOverBudget()) {
      return Status(
          StatusCode::kResourceLimit,
          "the automaton of the pattern and its look-arounds takes more than a budget of " +
              std::to_string(max_states_) + " states allows");
    }
  }
  return std::move(result_);
}

}  // namespace

Result<TextAutomaton> DeterminizeLooks(const LookMachines& machines, MatchMode mode,
                                       uint32_t max_states) {
  return LookSubsetBuilder(machines, mode, max_states).Build();
}

}  // namespace maskloom
