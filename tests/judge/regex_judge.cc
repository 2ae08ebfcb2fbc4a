// Liveness by searching the derivatives for one that accepts the empty text.
#include "tests/judge/regex_judge.h"

namespace maskloom::judge {
namespace {

constexpr size_t kMaxSearch = 500000;

}  // namespace

RegexJudge::RegexJudge(std::shared_ptr<RegexPool> pool, RegexId regex, const ByteSet& spellable)
    : pool_(std::move(pool)),
      regex_(regex),
      spellers_{Speller(Speller::Form::kRaw, spellable),
                Speller(Speller::Form::kRaw, ByteSet().set())} {}

Status RegexJudge::Admit() {
  bool live = Completes(regex_, false);
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
bool RegexJudge::Completes(RegexId start, bool any) {
  auto& live = live_[any];
  const Speller& speller = spellers_[any];
  auto known = live.find(start);
  if (known != live.end()) return known->second;
  const std::vector<CodePoints>& classes = pool_->Classes(speller.Completions(""));
  std::vector<std::pair<RegexId, size_t>> way = {{start, 0}};
  std::map<RegexId, bool> seen = {{start, true}};
  while (!way.empty()) {
    auto [at, next_class] = way.back();
    auto memo = live.find(at);
    if (pool_->AcceptsHere(at) || (memo != live.end() && memo->second)) {
      for (const auto& step : way) live[step.first] = true;
      return true;
    }
    bool dead = at == RegexPool::kNever || (memo != live.end() && !memo->second);
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
  for (const auto& entry : seen) live[entry.first] = false;
  return false;
}

bool RegexJudge::ContentLive(const Content& content, bool any) {
  if (content.second.empty()) return Completes(content.first, any);
  const CodePoints& completions = spellers_[any].Completions(content.second);
  for (const CodePoints& one : pool_->Classes(completions)) {
    if (Completes(pool_->Derive(content.first, one.ranges()[0].first), any)) return true;
  }
  return false;
}

bool RegexJudge::Live(State state) {
  return ContentLive(states_[static_cast<size_t>(state)], false);
}

State RegexJudge::Advance(State state, uint8_t byte) {
  Content next = states_[static_cast<size_t>(state)];
  next.second += static_cast<char>(byte);
  if (auto code_point = spellers_[1].Decode(next.second)) {
    next = {pool_->Derive(next.first, *code_point), ""};
  }
  return ContentLive(next, true) ? Intern(next) : kDead;
}

}  // namespace maskloom::judge
