// Liveness by searching the derivatives for one that accepts the empty text.
#include "tests/judge/regex_judge.h"

namespace maskloom::judge {
namespace {

constexpr size_t kMaxSearch = 500000;

}  // namespace

RegexJudge::RegexJudge(std::shared_ptr<RegexPool> pool, RegexId regex, const ByteSet& spellable)
    : pool_(std::move(pool)), regex_(regex), speller_(Speller::Form::kRaw, spellable) {}

Status RegexJudge::Admit() {
  bool live = Live(regex_);
  if (overflowed_) return Status(StatusCode::kResourceLimit, "too large for the judge");
  if (!live) return Status(StatusCode::kUnsatisfiable, "no text matches");
  Intern({regex_, ""});
  return Status::Ok();
}

State RegexJudge::Intern(const Content& content) {
  auto [it, fresh] = index_.try_emplace(content, static_cast<State>(states_.size()));
  if (fresh) states_.push_back(content);
  return it->second;
}

bool RegexJudge::Accepting(State state) {
  const Content& at = states_[static_cast<size_t>(state)];
  return at.second.empty() && pool_->AcceptsHere(at.first);
}

void RegexJudge::DropFrom(State mark) {
  for (size_t i = static_cast<size_t>(mark); i < states_.size(); ++i) index_.erase(states_[i]);
  states_.resize(static_cast<size_t>(mark));
}

// Depth first, remembering the way: what leads to a live expression is live; if the search ends
// without one, everything it saw is dead.
bool RegexJudge::Live(RegexId start) {
  auto known = live_.find(start);
  if (known != live_.end()) return known->second;
  const std::vector<CodePoints>& classes = pool_->Classes(speller_.Completions(""));
  std::vector<std::pair<RegexId, size_t>> way = {{start, 0}};
  std::map<RegexId, bool> seen = {{start, true}};
  while (!way.empty()) {
    auto [at, next_class] = way.back();
    auto memo = live_.find(at);
    if (pool_->AcceptsHere(at) || (memo != live_.end() && memo->second)) {
      for (const auto& step : way) live_[step.first] = true;
      return true;
    }
    bool dead = at == RegexPool::kNever || (memo != live_.end() && !memo->second);
    if (dead || next_class == classes.size()) {
      way.pop_back();
      continue;
    }
    if (seen.size() > kMaxSearch) {
      overflowed_ = true;
      return false;
    }
    ++way.back().second;
    RegexId next = pool_->Derive(at, classes[next_class].ranges()[0].first);
    if (seen.emplace(next, true).second) way.emplace_back(next, 0);
  }
  for (const auto& entry : seen) live_[entry.first] = false;
  return false;
}

State RegexJudge::Advance(State state, uint8_t byte) {
  Content next = states_[static_cast<size_t>(state)];
  next.second += static_cast<char>(byte);
  if (auto code_point = speller_.Decode(next.second)) {
    next = {pool_->Derive(next.first, *code_point), ""};
    return Live(next.first) ? Intern(next) : kDead;
  }
  const CodePoints& completions = speller_.Completions(next.second);
  for (const CodePoints& one : pool_->Classes(completions)) {
    if (Live(pool_->Derive(next.first, one.ranges()[0].first))) return Intern(next);
  }
  return kDead;
}

}  // namespace maskloom::judge
