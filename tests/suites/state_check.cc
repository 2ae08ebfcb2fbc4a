// Draws states and compares their masks.
#include "tests/suites/state_check.h"

#include <algorithm>
#include <set>

#include "compiler/mask_key.h"
#include "runtime/matcher.h"
#include "tests/suites/property_walk.h"

namespace maskloom::suites {
namespace {

constexpr size_t kMaxFaults = 5;
constexpr size_t kShownBytes = 300;
// Longer texts cost the judge too much.
constexpr size_t kMaxJudgedBytes = 600;
constexpr size_t kJudgedTokens = 24;
constexpr size_t kSteppedTokens = 24;

// What stands on top, and what makes its masks.
std::string KindOf(const Machine& machine, Items items) {
  const Frame& frame = items[0].frame;
  constexpr const char* kNames[] = {"end",   "value",  "literal", "string", "number",
                                    "array", "object", "rule",    "repeat"};
  constexpr const char* kPhases[] = {"open",         "key",         "colon",
                                     "before-value", "after-value", "comma"};
  std::string kind = kNames[static_cast<size_t>(frame.kind)];
  if (frame.kind == FrameKind::kArray || frame.kind == FrameKind::kObject) {
    kind += std::string("-") + kPhases[static_cast<size_t>(frame.phase)];
  } else if (frame.kind == FrameKind::kString) {
    const StringTable& table = machine.string(frame.node);
    kind += table.automaton == nullptr ? "-any" : "-pattern";
    if (table.bounded) kind += "-bounded";
  }
  if (frame.partial != kBoundary) kind += "-split";
  if (frame.space != 0) kind += "-space";
  if (items[0].trace != nullptr) kind += "-compared";
  return items.size() > 1 ? kind + "-several" : kind;
}

uint64_t Mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

uint64_t HashRow(const std::vector<uint32_t>& row) {
  uint64_t hash = row.size();
  for (const uint32_t word : row) hash = Mix(hash, word);
  return hash;
}

// Does `bytes` end within a character of UTF-8 or an escape?
bool EndsSplit(std::string_view bytes) {
  if (bytes.ends_with('\\')) return true;
  for (size_t behind = 1; behind <= std::min<size_t>(bytes.size(), 3); ++behind) {
    const auto byte = static_cast<uint8_t>(bytes[bytes.size() - behind]);
    if (byte < 0x80) return false;
    if (byte >= 0xC0) return behind < (byte < 0xE0 ? 2u : byte < 0xF0 ? 3u : 4u);
  }
  return false;
}

// How seldom texts hold such tokens, roughly: marks, and bytes of characters cut in two.
size_t Rarity(std::string_view bytes) {
  size_t rarity = std::min<size_t>(bytes.size(), 4);
  for (const char c : bytes) {
    if (std::string_view("\"\\{}[]:,\n\r\t-.eE+").find(c) != std::string_view::npos) rarity += 4;
  }
  return EndsSplit(bytes) ? rarity + 16 : rarity;
}

class CaseStates {
 public:
  CaseStates(const DefinitionCase& one, const TestVocabulary& vocabulary, const ByteTrie& trie,
             std::shared_ptr<const CompiledGrammar> grammar, const StateLimits& limits,
             std::mt19937_64* random)
      : case_(one),
        vocabulary_(vocabulary),
        tokens_(vocabulary.index->vocabulary()),
        grammar_(std::move(grammar)),
        limits_(limits),
        random_(random),
        walk_(grammar_->machine(), tokens_, trie),
        row_(vocabulary.index->row_words()) {
    stepper_.Bind(grammar_->machine(), &arena_);
    if (!limits.judged) return;
    auto judge = MakeJudge(one, vocabulary.trie->SingleBytes());
    if (judge.ok()) judge_ = std::move(*judge);
  }

  StateTally Run() {
    FindPlaces();
    TakeStates();
    std::shuffle(states_.begin(), states_.end(), *random_);
    for (State& state : states_) Check(&state);
    LeaveTexts();
    CheckAgain();
    CheckSecondGrammar();
    return std::move(tally_);
  }

 private:
  // A place in a text.
  struct Place {
    size_t text = 0;
    size_t token = 0;
    std::vector<Item> items;
    uint64_t key = 0;
    bool alike = false;
  };
  struct State {
    std::vector<TokenId> read;
    std::vector<Item> items;
    Matcher matcher;
    bool alike = false;
    uint64_t mask = 0;           // hash of the row
    std::vector<TokenId> leave;  // allowed tokens
  };

  // The configuration behind `token`; empty if it is refused.
  std::vector<Item> Step(std::vector<Item> items, TokenId token) {
    size_t begin = 0;
    for (const char c : tokens_.bytes(token)) {
      const size_t end = items.size();
      if (!stepper_.Step(&items, begin, end, static_cast<uint8_t>(c))) return {};
      begin = end;
    }
    items.erase(items.begin(), items.begin() + static_cast<ptrdiff_t>(begin));
    return items;
  }

  uint64_t KeyOf(Items items) {
    uint64_t hash = items.size();
    for (const Item& item : items) {
      key_.Start(grammar_->machine(), *vocabulary_.index, item);
      while (key_.Deepen()) {
      }
      hash = Mix(hash, key_.hash());
    }
    return hash;
  }

  void FindPlaces() {
    for (const CaseText& text : case_.texts) {
      texts_.push_back(vocabulary_.Split(text.text, random_));
      std::vector<Item> items;
      stepper_.Start(&items);
      for (size_t i = 0; !items.empty(); ++i) {
        places_.push_back({texts_.size() - 1, i, items, KeyOf(items)});
        if (i == texts_.back().size()) break;
        items = Step(std::move(items), texts_.back()[i]);
      }
    }
  }

  // Draws places, one of each kind in turn, and keeps their states.
  void TakeStates() {
    std::shuffle(places_.begin(), places_.end(), *random_);
    std::map<std::pair<std::string, uint32_t>, std::vector<Place*>> by_kind;
    std::vector<Place*> taken;
    std::vector<Place*> others;
    for (Place& place : places_) {
      if (!keys_.insert(place.key).second) {
        others.push_back(&place);
        continue;
      }
      const uint32_t node = place.items[0].frame.node;
      by_kind[{KindOf(grammar_->machine(), place.items), node}].push_back(&place);
    }
    std::vector<std::vector<Place*>> groups;
    for (auto& [kind, group] : by_kind) groups.push_back(std::move(group));
    std::shuffle(groups.begin(), groups.end(), *random_);
    for (size_t round = 0; taken.size() < limits_.on_texts; ++round) {
      bool any = false;
      for (const std::vector<Place*>& group : groups) {
        if (round >= group.size() || taken.size() == limits_.on_texts) continue;
        taken.push_back(group[round]);
        any = true;
      }
      if (!any) break;
    }
    std::set<uint64_t> taken_keys;
    for (const Place* place : taken) taken_keys.insert(place->key);
    size_t alike = 0;
    for (Place* place : others) {
      if (alike == limits_.alike) break;
      if (!taken_keys.contains(place->key)) continue;
      place->alike = true;
      taken.push_back(place);
      ++alike;
    }
    keys_ = std::move(taken_keys);
    std::sort(taken.begin(), taken.end(), [](const Place* a, const Place* b) {
      return std::pair(a->text, a->token) < std::pair(b->text, b->token);
    });
    for (size_t i = 0; i < taken.size(); ++i) {
      const bool same_text = i > 0 && taken[i]->text == taken[i - 1]->text;
      Matcher matcher = same_text ? states_.back().matcher.Fork()
                                  : Matcher(grammar_, MatcherOptions{.max_rollback = 2});
      const std::vector<TokenId>& text = texts_[taken[i]->text];
      for (size_t at = same_text ? taken[i - 1]->token : 0; at < taken[i]->token; ++at) {
        if (!matcher.Accept(text[at])) Fault({}, "the matcher refuses what steps accept");
      }
      const auto end = text.begin() + static_cast<ptrdiff_t>(taken[i]->token);
      states_.push_back(
          {{text.begin(), end}, std::move(taken[i]->items), std::move(matcher), taken[i]->alike});
    }
  }

  void Check(State* state) {
    const ByteWalkResult& expected = walk_.Run(state->items, random_);
    state->matcher.FillMask(row_.data());
    state->mask = HashRow(row_);
    if (row_ != expected.row) TellDifference(*state, expected.row);
    if (expected.allowed.empty() && !state->matcher.IsAccepting()) {
      Fault(state->read, "no token is allowed");
    }
    tally_.nodes += expected.nodes;
    if (state->alike) {
      ++tally_.alike;
    } else {
      ++tally_.states;
      ++tally_.kinds[KindOf(grammar_->machine(), state->items)];
      tally_.masks.push_back(static_cast<uint32_t>(state->mask >> 32));
    }
    if (judge_ != nullptr) AskJudge(*state, expected);
    CheckSteps(*state, expected);
    if (!expected.allowed.empty()) state->leave = {Rarest(expected), Echo(*state, expected)};
  }

  // The matcher itself agrees about single tokens.
  void CheckSteps(const State& state, const ByteWalkResult& expected) {
    for (size_t i = 0; i < kSteppedTokens; ++i) {
      const TokenId token = Draw(i, expected);
      if (state.matcher.IsAllowed(token) == IsSet(expected.row, token)) continue;
      Fault(state.read, "IsAllowed(" + Name(token) + ") differs from steps");
    }
  }

  // In turn an allowed token, one refused late, and any.
  TokenId Draw(size_t turn, const ByteWalkResult& expected) {
    const std::vector<TokenId>& from = turn % 3 == 0 ? expected.allowed : expected.near_misses;
    if (turn % 3 == 2 || from.empty()) return static_cast<TokenId>((*random_)() % tokens_.size());
    return from[(*random_)() % from.size()];
  }

  TokenId Rarest(const ByteWalkResult& expected) {
    constexpr size_t kDrawn = 8;
    TokenId rarest = expected.allowed[(*random_)() % expected.allowed.size()];
    for (size_t draw = 1; draw < kDrawn; ++draw) {
      const TokenId other = expected.allowed[(*random_)() % expected.allowed.size()];
      if (Rarity(tokens_.bytes(other)) > Rarity(tokens_.bytes(rarest))) rarest = other;
    }
    return rarest;
  }

  // An allowed token that the text already has, such as the beginning of a key once more.
  TokenId Echo(const State& state, const ByteWalkResult& expected) {
    constexpr size_t kDrawn = 16;
    for (size_t draw = 0; draw < kDrawn && !state.read.empty(); ++draw) {
      const TokenId token = state.read[(*random_)() % state.read.size()];
      if (IsSet(expected.row, token)) return token;
    }
    return Rarest(expected);
  }

  // Takes tokens at states drawn at random, those that were reached so among them.
  void LeaveTexts() {
    size_t left = limits_.off_texts;
    for (size_t tries = 4 * limits_.off_texts; left > 0 && tries > 0; --tries) {
      if (states_.empty()) return;
      State& origin = states_[(*random_)() % states_.size()];
      if (origin.leave.empty()) continue;
      if ((*random_)() % 2 == 0) std::swap(origin.leave.front(), origin.leave.back());
      const TokenId token = origin.leave.back();
      origin.leave.pop_back();
      std::vector<Item> items = Step(origin.items, token);
      Matcher matcher = origin.matcher.Fork();
      std::vector<TokenId> read = origin.read;
      if (items.empty() || !matcher.Accept(token)) {
        Fault(read, "token " + Name(token) + " is allowed and cannot be accepted");
        return;
      }
      if (!keys_.insert(KeyOf(items)).second) continue;
      read.push_back(token);
      states_.push_back({std::move(read), std::move(items), std::move(matcher)});
      Check(&states_.back());
      --left;
    }
  }

  void CheckAgain() {
    std::shuffle(states_.begin(), states_.end(), *random_);
    for (State& state : states_) {
      state.matcher.FillMask(row_.data());
      if (HashRow(row_) != state.mask) Fault(state.read, "the mask from the cache differs");
    }
  }

  void CheckSecondGrammar() {
    auto second = Compile(case_, vocabulary_.index);
    if (!second.ok()) return Fault({}, "does not compile twice: " + second.status().ToString());
    std::shuffle(states_.begin(), states_.end(), *random_);
    Matcher matcher(*second, MatcherOptions{.max_rollback = 2});
    for (const State& state : states_) {
      matcher.Reset();
      for (const TokenId token : state.read) {
        if (!matcher.Accept(token)) return Fault(state.read, "a second grammar refuses the text");
      }
      matcher.FillMask(row_.data());
      if (HashRow(row_) != state.mask) Fault(state.read, "the mask of a second grammar differs");
    }
  }

  void AskJudge(const State& state, const ByteWalkResult& expected) {
    const std::string text = TextOf(state.read);
    if (text.size() > kMaxJudgedBytes) return;
    const judge::State start = judge_->Start();
    const judge::State mark = judge_->StateCount();
    const judge::State reached = judge_->Walk(start, text);
    if (reached == judge::kDead || !judge_->Live(reached)) {
      Fault(state.read, "the judge refuses the text");
    } else {
      if (judge_->Accepting(reached) != state.matcher.IsAccepting()) {
        Fault(state.read, "the judge says otherwise whether the text may end");
      }
      for (size_t i = 0; i < kJudgedTokens; ++i) {
        AskJudge(state, reached, Draw(i, expected), expected);
      }
    }
    judge_->ForgetFrom(mark);
  }

  void AskJudge(const State& state, judge::State reached, TokenId token,
                const ByteWalkResult& expected) {
    if (tokens_.kind(token) != TokenKind::kNormal || tokens_.bytes(token).empty()) return;
    ++tally_.judged_tokens;
    const judge::State next = judge_->Walk(reached, tokens_.bytes(token));
    const bool live = next != judge::kDead && judge_->Live(next);
    if (live == IsSet(expected.row, token)) return;
    Fault(state.read, "token " + Name(token) + " is " + (live ? "refused" : "allowed") +
                          " by steps, judge: " + (live ? "may come" : "no"));
  }

  void TellDifference(const State& state, const std::vector<uint32_t>& expected) {
    std::string what;
    size_t count = 0;
    for (TokenId id = 0; id < 32 * row_.size(); ++id) {
      if (IsSet(row_, id) == IsSet(expected, id)) continue;
      if (++count > 6) continue;
      what += " " + Name(id) + (IsSet(row_, id) ? " is allowed" : " is refused") + ",";
    }
    Fault(state.read, std::to_string(count) + " bits of the mask differ from steps (" +
                          KindOf(grammar_->machine(), state.items) + "):" + what);
  }

  static bool IsSet(const std::vector<uint32_t>& row, TokenId id) {
    return (row[id / 32] >> (id % 32) & 1) != 0;
  }

  std::string Name(TokenId id) const {
    if (id >= tokens_.size()) return std::to_string(id) + " (padding)";
    return std::to_string(id) + " \"" + Readable(tokens_.bytes(id)) + "\"";
  }

  std::string TextOf(const std::vector<TokenId>& read) const {
    std::string text;
    for (const TokenId token : read) text += tokens_.bytes(token);
    return text;
  }

  void Fault(const std::vector<TokenId>& read, const std::string& what) {
    if (tally_.faults.size() >= kMaxFaults) return;
    const std::string text = TextOf(read);
    const std::string shown =
        text.size() > kShownBytes ? "..." + text.substr(text.size() - kShownBytes) : text;
    tally_.faults.push_back(case_.name + " [" + vocabulary_.name + "] behind " +
                            std::to_string(read.size()) + " tokens, \"" + Readable(shown) +
                            "\": " + what);
  }

  const DefinitionCase& case_;
  const TestVocabulary& vocabulary_;
  const Vocabulary& tokens_;
  std::shared_ptr<const CompiledGrammar> grammar_;
  const StateLimits& limits_;
  std::mt19937_64* random_;
  Arena arena_;
  Stepper stepper_;
  MaskKey key_;
  ByteWalk walk_;
  std::unique_ptr<judge::Judge> judge_;
  std::vector<std::vector<TokenId>> texts_;
  std::vector<Place> places_;
  std::vector<State> states_;
  std::set<uint64_t> keys_;  // of the states
  std::vector<uint32_t> row_;
  StateTally tally_;
};

}  // namespace

StateTally CheckStates(const DefinitionCase& one, const TestVocabulary& vocabulary,
                       const ByteTrie& trie, const StateLimits& limits, std::mt19937_64* random) {
  auto grammar = Compile(one, vocabulary.index);
  if (!grammar.ok()) {
    StateTally tally;
    tally.refused = grammar.status().ToString();
    return tally;
  }
  return CaseStates(one, vocabulary, trie, std::move(*grammar), limits, random).Run();
}

}  // namespace maskloom::suites
