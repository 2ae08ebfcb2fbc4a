// Memoised stepping shared by the three judges.
#include "tests/judge/judge.h"

namespace maskloom::judge {

State Judge::Step(State state, uint8_t byte) {
  uint64_t key = static_cast<uint64_t>(state) << 8 | byte;
  auto it = steps_.find(key);
  if (it != steps_.end()) return it->second;
  State next = Advance(state, byte);
  steps_.emplace(key, next);
  return next;
}

State Judge::Walk(State state, std::string_view text) {
  for (size_t i = 0; i < text.size() && state != kDead; ++i) {
    state = Step(state, static_cast<uint8_t>(text[i]));
  }
  return state;
}

bool Judge::Accepts(std::string_view text) {
  State state = Walk(Start(), text);
  return state != kDead && Accepting(state);
}

void Judge::ForgetFrom(State mark) {
  for (auto it = steps_.begin(); it != steps_.end();) {
    bool drop = static_cast<State>(it->first >> 8) >= mark || it->second >= mark;
    it = drop ? steps_.erase(it) : std::next(it);
  }
  DropFrom(mark);
}

}  // namespace maskloom::judge
