// Half-read strings and keys: which lengths and how many words are left.
#include <algorithm>
#include <queue>

#include "tests/judge/schema_logic.h"

namespace maskloom::judge {
namespace {

constexpr size_t kMaxLevels = 200000;
constexpr size_t kMaxNodes = 200000;

uint64_t Saturate(unsigned __int128 value) {
  return value > kEndlessWords ? kEndlessWords : static_cast<uint64_t>(value);
}

bool HasPrefix(const std::u32string& text, const std::u32string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

}  // namespace

std::vector<RegexId> SchemaLogic::DeriveAll(const std::vector<RegexId>& regexes,
                                            uint32_t code_point) {
  std::vector<RegexId> result;
  for (RegexId regex : regexes) result.push_back(pool_->Derive(regex, code_point));
  return result;
}

bool SchemaLogic::AllAccept(const std::vector<RegexId>& regexes) const {
  return std::all_of(regexes.begin(), regexes.end(),
                     [&](RegexId regex) { return pool_->AcceptsHere(regex); });
}

bool SchemaLogic::Advance(const Alternative& alt, bool keep_text, uint8_t byte, TextProgress* at) {
  at->pending += static_cast<char>(byte);
  auto code_point = speller().Decode(at->pending);
  if (!code_point) return at->pending.size() < 12;
  at->pending.clear();
  at->regexes = DeriveAll(at->regexes, *code_point);
  if (keep_text) at->text += static_cast<char32_t>(*code_point);
  ++at->length;
  if (!keep_text && alt.max == kNoLimit) at->length = std::min(at->length, alt.min);
  return true;
}

bool SchemaLogic::StringAccepts(AltId id, const TextProgress& at) {
  const Alternative& alt = alts_[id];
  if (!at.pending.empty()) return false;
  if (alt.strings) return std::binary_search(alt.strings->begin(), alt.strings->end(), at.text);
  return at.length >= alt.min && at.length <= alt.max && AllAccept(at.regexes);
}

bool SchemaLogic::StringLive(AltId id, const TextProgress& at) {
  const Alternative& alt = alts_[id];
  if (!spellable('"') || alt.impossible) return false;
  if (alt.strings) {
    const CodePoints& next = speller().Completions(at.pending);
    for (auto it = std::lower_bound(alt.strings->begin(), alt.strings->end(), at.text);
         it != alt.strings->end() && HasPrefix(*it, at.text); ++it) {
      size_t read = at.text.size();
      if (!at.pending.empty()) {
        if (read == it->size() || !next.Contains((*it)[read])) continue;
        ++read;
      }
      if (speller().CanSpell(*it, read)) return true;
    }
    return false;
  }
  if (at.length > alt.max || alt.min > alt.max) return false;
  uint64_t low = at.length >= alt.min ? 0 : alt.min - at.length;
  uint64_t high = alt.max == kNoLimit ? kNoLimit : alt.max - at.length;
  return LengthReachable(at.regexes, at.pending, low, high);
}

bool SchemaLogic::LengthReachable(const std::vector<RegexId>& regexes, const std::string& pending,
                                  uint64_t low, uint64_t high) {
  if (!pending.empty()) {
    const CodePoints& next = speller().Completions(pending);
    if (next.empty() || high == 0) return false;
    uint64_t low_after = low == 0 ? 0 : low - 1;
    uint64_t high_after = high == kNoLimit ? kNoLimit : high - 1;
    if (regexes.empty()) return LengthReachable(regexes, "", low_after, high_after);
    const std::vector<CodePoints>& classes = pool_->Classes(next);
    for (const CodePoints& one : classes) {
      if (LengthReachable(DeriveAll(regexes, one.ranges()[0].first), "", low_after, high_after)) {
        return true;
      }
    }
    return false;
  }
  if (low > high) return false;
  if (regexes.empty()) return low == 0 || !speller().Completions("").empty();
  uint64_t nearest = Shortest(regexes);
  if (nearest == kNoLimit || nearest > high) return false;
  if (nearest >= low) return true;
  const LengthTable& table = Lengths(regexes);
  size_t size = table.accepts.size();
  for (uint64_t i = low; i < size && i <= high; ++i) {
    if (table.accepts[i]) return true;
  }
  if (high < size) return false;
  // Behind the table it repeats the part from `cycle_start` on.
  uint64_t period = size - table.cycle_start;
  uint64_t first = std::max<uint64_t>(low, size);
  uint64_t last = high - first >= period ? first + period - 1 : high;
  for (uint64_t i = first; i <= last; ++i) {
    if (table.accepts[table.cycle_start + (i - table.cycle_start) % period]) return true;
  }
  return false;
}

uint64_t SchemaLogic::Shortest(const std::vector<RegexId>& start) {
  auto memo = shortest_[mode_].find(start);
  if (memo != shortest_[mode_].end()) return memo->second;
  const std::vector<CodePoints>& classes = pool_->Classes(speller().Completions(""));
  std::map<std::vector<RegexId>, uint64_t> distance = {{start, 0}};
  std::queue<std::vector<RegexId>> open;
  open.push(start);
  uint64_t result = kNoLimit;
  while (!open.empty() && result == kNoLimit) {
    std::vector<RegexId> at = std::move(open.front());
    open.pop();
    uint64_t steps = distance[at];
    if (std::count(at.begin(), at.end(), RegexPool::kNever) > 0) continue;
    if (AllAccept(at)) {
      result = steps;
      break;
    }
    if (distance.size() > kMaxNodes) {
      overflowed_ = true;
      break;
    }
    for (const CodePoints& one : classes) {
      std::vector<RegexId> next = DeriveAll(at, one.ranges()[0].first);
      if (distance.try_emplace(next, steps + 1).second) open.push(std::move(next));
    }
  }
  if (result == kNoLimit) {
    for (const auto& entry : distance) shortest_[mode_][entry.first] = kNoLimit;
  }
  shortest_[mode_][start] = result;
  return result;
}

const SchemaLogic::LengthTable& SchemaLogic::Lengths(const std::vector<RegexId>& start) {
  auto [memo, fresh] = lengths_[mode_].try_emplace(start);
  if (!fresh) return memo->second;
  LengthTable table;
  const std::vector<CodePoints>& classes = pool_->Classes(speller().Completions(""));
  using Level = std::set<std::vector<RegexId>>;
  std::map<Level, size_t> seen;
  Level level = {start};
  while (true) {
    auto [known, is_new] = seen.try_emplace(level, table.accepts.size());
    if (!is_new) {
      table.cycle_start = known->second;
      break;
    }
    if (table.accepts.size() > kMaxLevels) {
      overflowed_ = true;
      table.cycle_start = table.accepts.size() - 1;
      break;
    }
    bool accepts = false;
    Level next;
    for (const auto& regexes : level) {
      accepts = accepts || AllAccept(regexes);
      for (const CodePoints& one : classes) {
        std::vector<RegexId> derived = DeriveAll(regexes, one.ranges()[0].first);
        if (std::count(derived.begin(), derived.end(), RegexPool::kNever) == 0) {
          next.insert(std::move(derived));
        }
      }
    }
    table.accepts.push_back(accepts);
    level = std::move(next);
  }
  return lengths_[mode_][start] = std::move(table);
}

// The number of spellable keys that begin behind `start` and whose value can be satisfied: paths in
// the graph of derivatives; a cycle on such a path makes it kEndlessWords.
uint64_t SchemaLogic::OtherWords(AltId id, const std::vector<RegexId>& start) {
  auto memo = other_words_[mode_].find({id, start});
  if (memo != other_words_[mode_].end()) return memo->second;
  const std::vector<CodePoints>& classes = pool_->Classes(speller().Completions(""));
  std::map<std::vector<RegexId>, size_t> index = {{start, 0}};
  std::vector<std::vector<RegexId>> nodes = {start};
  std::vector<std::vector<std::pair<size_t, uint64_t>>> edges;
  std::vector<bool> accepting;
  for (size_t i = 0; i < nodes.size(); ++i) {
    edges.emplace_back();
    accepting.push_back(Satisfiable(OtherConj(id, nodes[i])));
    if (nodes.size() > kMaxNodes) {
      overflowed_ = true;
      continue;
    }
    for (const CodePoints& one : classes) {
      std::vector<RegexId> next = DeriveAll(nodes[i], one.ranges()[0].first);
      auto [it, fresh] = index.try_emplace(next, nodes.size());
      if (fresh) nodes.push_back(std::move(next));
      edges[i].emplace_back(it->second, one.Count());
    }
  }
  // Nodes on or before a useful cycle stay kEndlessWords; the others are counted once all behind
  // them are.
  std::vector<std::vector<size_t>> before(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (auto [to, weight] : edges[i]) before[to].push_back(i);
  }
  std::vector<bool> useful = accepting;
  std::vector<size_t> open;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (accepting[i]) open.push_back(i);
  }
  while (!open.empty()) {
    size_t at = open.back();
    open.pop_back();
    for (size_t from : before[at]) {
      if (useful[from]) continue;
      useful[from] = true;
      open.push_back(from);
    }
  }
  std::vector<size_t> waiting(nodes.size(), 0);
  std::vector<uint64_t> count(nodes.size(), kEndlessWords);
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (auto [to, weight] : edges[i]) waiting[i] += useful[to] ? 1 : 0;
    if (!useful[i]) count[i] = 0;
    if (useful[i] && waiting[i] == 0) open.push_back(i);
  }
  while (!open.empty()) {
    size_t at = open.back();
    open.pop_back();
    unsigned __int128 total = accepting[at] ? 1 : 0;
    for (auto [to, weight] : edges[at]) {
      total = Saturate(total + static_cast<unsigned __int128>(weight) * count[to]);
    }
    count[at] = Saturate(total);
    for (size_t from : before[at]) {
      if (--waiting[from] == 0) open.push_back(from);
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) other_words_[mode_][{id, nodes[i]}] = count[i];
  return count[0];
}

uint64_t SchemaLogic::FreshOthers(AltId id, const std::vector<RegexId>& regexes,
                                  const std::u32string& prefix, const std::string& pending,
                                  const ObjectProgress& at) {
  const CodePoints& next = speller().Completions(pending);
  uint64_t total = 0;
  if (pending.empty()) {
    total = OtherWords(id, regexes);
  } else {
    for (const CodePoints& one : pool_->Classes(next)) {
      uint64_t words = OtherWords(id, DeriveAll(regexes, one.ranges()[0].first));
      total = Saturate(static_cast<unsigned __int128>(one.Count()) * words + total);
    }
  }
  if (total >= kEndlessWords) return total;
  const Alternative& alt = alts_[id];
  std::set<std::u32string> taken = at.others;
  for (const NamedKey& key : alt.keys) taken.insert(key.name);
  for (const std::u32string& word : taken) {
    bool counted = false;
    if (HasPrefix(word, prefix)) {
      size_t read = prefix.size();
      bool fits = pending.empty() || (read < word.size() && next.Contains(word[read]));
      if (!pending.empty()) ++read;
      if (fits && speller().CanSpell(word, read)) {
        std::vector<RegexId> ends = alt.patterns;
        for (char32_t c : word) ends = DeriveAll(ends, c);
        counted = Satisfiable(OtherConj(id, ends));
      }
    }
    if (counted && total > 0) --total;
  }
  return total;
}

}  // namespace maskloom::judge
