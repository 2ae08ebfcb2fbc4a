#include "compiler/refused_words.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <map>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

using Letters = std::bitset<128>;

constexpr uint32_t kMaxStates = 512;
// Characters that may not follow one state; where more are missing much is refused.
constexpr size_t kMaxLacking = 40;
// Tokens that are read one by one.
constexpr size_t kMaxTokens = 4096;
// Sets of letters that are looked for: a microsecond or so each.
constexpr size_t kMaxSets = 64;
// Characters that may not follow a state of which each is looked for.
constexpr size_t kMaxToldLacking = 3;
// Sets of letters that lead to states, all together.
constexpr size_t kMaxNews = 2000;
constexpr uint32_t kMinLoop = 10;
// In no word, or this is not it.
constexpr uint32_t kNeutral = 0x4E00;

// May any character beyond ASCII follow `state`?
bool GoesBeyondAscii(const TextAutomaton& automaton, uint32_t state) {
  uint32_t next = 0x80;
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    if (edge.last < next) continue;
    if (edge.first > next) return false;
    next = edge.last + 1 == 0xD800 ? 0xE000 : edge.last + 1;
  }
  return next == kMaxCodePoint + 1;
}

// ASCII characters that may not follow `state`.
Letters Lacking(const TextAutomaton& automaton, uint32_t state) {
  Letters lacking;
  uint32_t next = 0;
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    for (; next < std::min(edge.first, 0x80u); ++next) lacking.set(next);
    next = edge.last + 1;
    if (next >= 0x80) break;
  }
  for (; next < 0x80; ++next) lacking.set(next);
  return lacking;
}

// Do many ASCII characters keep `state`? Walks from there would be long.
bool LoopsWidely(const TextAutomaton& automaton, uint32_t state) {
  uint32_t count = 0;
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    if (edge.first >= 0x80) break;
    if (edge.target == state) count += std::min(edge.last, 0x7Fu) - edge.first + 1;
  }
  return count >= kMinLoop;
}

// ASCII characters that strings spell as themselves.
const Letters& PlainLetters() {
  static const Letters plain = [] {
    Letters set;
    for (size_t c = 0x20; c < 0x80; ++c) set.set(c, c != '"' && c != '\\');
    return set;
  }();
  return plain;
}

CategorySet CategoriesOf(const Letters& letters) {
  CategorySet categories = 0;
  for (size_t c = 0; c < letters.size(); ++c) {
    if (letters[c]) categories |= CategoryBit(static_cast<char>(c));
  }
  return categories;
}

// Finds the words that an automaton refuses from one state on.
class Finder {
 public:
  Finder(const TextAutomaton& automaton, const CategoryIndex& categories)
      : automaton_(automaton), categories_(categories) {}

  RefusedWords Find(uint32_t start) {
    found_.automaton = &automaton_;
    if (automaton_.has_calls() || !Explore(start)) return std::move(found_);
    found_.never = PlainLetters();
    for (const State& state : states()) found_.never &= state.lacking;
    Letters ends;
    for (State& state : states()) {
      state.lacking &= ~found_.never;
      ends |= state.lacking;
      if (state.lacking.none() && LoopsWidely(automaton_, state.state)) state.is_home = true;
    }
    found_.ends = CategoriesOf(ends);
    found_.is_little = LeadOn() && FindTokens();
    return std::move(found_);
  }

 private:
  using State = RefusedWords::State;

  std::vector<State>& states() { return found_.states; }

  // Fills in the states that can be reached. Returns whether each goes on with most characters.
  bool Explore(uint32_t start);
  // Fills in led_. Returns whether that was soon done.
  bool LeadOn();
  // The homes that texts from the start come to first.
  std::vector<uint32_t> FirstHomes() const;
  // Adds `letters` to those of a state, unless others there tell more.
  void Lead(uint32_t place, const Letters& letters);
  // Sets of letters of which a text that dies behind a home has one.
  std::vector<Letters> LettersOfWords() const;
  // Finds the tokens that may hold words. Returns whether they are few.
  bool FindTokens();

  const TextAutomaton& automaton_;
  const CategoryIndex& categories_;
  RefusedWords found_;
  tsl::robin_map<uint32_t, uint32_t> numbers_;  // by state: its place
  // By place: each way to it behind a first home has all letters of one of these sets.
  std::vector<std::vector<Letters>> led_;
  std::vector<std::pair<uint32_t, Letters>> news_;  // what LeadOn has to go on from
};

bool Finder::Explore(uint32_t start) {
  const auto meet = [&](uint32_t state) {
    if (numbers_.insert({state, static_cast<uint32_t>(states().size())}).second) {
      states().push_back({.state = state, .is_home = false, .lacking = {}});
    }
  };
  meet(start);
  for (size_t i = 0; i < states().size(); ++i) {
    const uint32_t state = states()[i].state;
    if (i >= Budget(kMaxStates) || !GoesBeyondAscii(automaton_, state)) return false;
    states()[i].lacking = Lacking(automaton_, state) & PlainLetters();
    if (states()[i].lacking.count() > kMaxLacking) return false;
    states()[i].is_home = automaton_.Step(state, kNeutral) == state;
    for (const TextAutomaton::Edge& edge : automaton_.EdgesOf(state)) meet(edge.target);
  }
  // No word has a character beyond ASCII.
  return std::all_of(states().begin(), states().end(), [&](const State& state) {
    const auto edges = automaton_.EdgesOf(state.state);
    return std::all_of(edges.begin(), edges.end(), [&](const TextAutomaton::Edge& edge) {
      return edge.last < 0x80 || states()[numbers_.at(edge.target)].is_home;
    });
  });
}

std::vector<uint32_t> Finder::FirstHomes() const {
  std::vector<uint32_t> homes, ways{0};
  std::vector<bool> met(found_.states.size());
  met[0] = true;
  for (size_t i = 0; i < ways.size(); ++i) {
    const State& state = found_.states[ways[i]];
    if (state.is_home) {
      homes.push_back(ways[i]);
      continue;
    }
    for (const TextAutomaton::Edge& edge : automaton_.EdgesOf(state.state)) {
      const uint32_t target = numbers_.at(edge.target);
      if (!met[target]) ways.push_back(target);
      met[target] = true;
    }
  }
  return homes;
}

void Finder::Lead(uint32_t place, const Letters& letters) {
  std::vector<Letters>& known = led_[place];
  const auto tells_more = [&](const Letters& one) { return (one & ~letters).none(); };
  if (std::any_of(known.begin(), known.end(), tells_more)) return;
  std::erase_if(known, [&](const Letters& one) { return (letters & ~one).none(); });
  known.push_back(letters);
  news_.push_back({place, letters});
}

bool Finder::LeadOn() {
  led_.assign(states().size(), {});
  for (const uint32_t home : FirstHomes()) Lead(home, {});
  for (size_t i = 0; i < news_.size(); ++i) {
    if (i >= Budget(kMaxNews)) return false;
    const auto [place, letters] = news_[i];
    for (const TextAutomaton::Edge& edge : automaton_.EdgesOf(states()[place].state)) {
      const uint32_t target = numbers_.at(edge.target);
      if (target == place) continue;
      Letters behind = letters;
      if (edge.first == edge.last && edge.first < 0x80) {
        if (!PlainLetters()[edge.first]) continue;  // spelled in other ways
        behind.set(edge.first);
      }
      Lead(target, behind);
    }
  }
  return true;
}

std::vector<Letters> Finder::LettersOfWords() const {
  std::vector<Letters> sets;
  for (uint32_t place = 0; place < found_.states.size(); ++place) {
    const Letters& lacking = found_.states[place].lacking;
    if (lacking.none()) continue;
    for (const Letters& letters : led_[place]) {
      if (lacking.count() > kMaxToldLacking) {
        sets.push_back(letters);
        continue;
      }
      for (size_t c = 0; c < lacking.size(); ++c) {
        if (lacking[c]) sets.push_back(Letters(letters).set(c));
      }
    }
  }
  // Of two sets the smaller tells all that the larger does.
  std::sort(sets.begin(), sets.end(),
            [](const Letters& a, const Letters& b) { return a.count() < b.count(); });
  std::vector<Letters> least;
  for (const Letters& set : sets) {
    const auto is_within = [&](const Letters& one) { return (one & ~set).none(); };
    if (std::none_of(least.begin(), least.end(), is_within)) least.push_back(set);
  }
  return least;
}

bool Finder::FindTokens() {
  const std::vector<Letters> sets = LettersOfWords();
  if (sets.size() > kMaxSets) return false;
  std::vector<TokenId>& tokens = found_.tokens;
  for (const Letters& letters : sets) {
    categories_.AppendTokensWith(letters, &tokens);
    if (tokens.size() > kMaxTokens) return false;
  }
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  std::sort(states().begin(), states().end(),
            [](const State& a, const State& b) { return a.state < b.state; });
  return true;
}

}  // namespace

const RefusedWords::State& RefusedWords::Find(uint32_t state) const {
  return *std::lower_bound(states.begin(), states.end(), state,
                           [](const State& one, uint32_t value) { return one.state < value; });
}

class RefusedWordsIndex::Known {
 public:
  using Key = std::pair<const TextAutomaton*, uint32_t>;
  std::map<Key, std::shared_ptr<const RefusedWords>> words;
};

RefusedWordsIndex::RefusedWordsIndex(const CategoryIndex& categories)
    : categories_(categories), known_(std::make_unique<Known>()) {}
RefusedWordsIndex::~RefusedWordsIndex() = default;

std::shared_ptr<const RefusedWords> RefusedWordsIndex::Find(const TextAutomaton& automaton,
                                                            uint32_t state) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const RefusedWords>& words = known_->words[{&automaton, state}];
  if (words == nullptr) {
    words = std::make_shared<const RefusedWords>(Finder(automaton, categories_).Find(state));
  }
  return words;
}

}  // namespace maskloom
