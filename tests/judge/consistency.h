// Checks a judge against an oracle on every text over a small alphabet, and its liveness against
// itself.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/judge/judge.h"

namespace maskloom::judge {

class Consistency {
 public:
  Consistency(Judge* judge, std::string alphabet, std::function<bool(const std::string&)> oracle)
      : judge_(judge), alphabet_(std::move(alphabet)), oracle_(std::move(oracle)) {}

  // Visits every text of at most `length` bytes. Accepting must be what the oracle says, a dead
  // state must have no accepted text behind it, a live one must reach an end with bytes of the
  // alphabet.
  void Check(size_t length) {
    std::string text;
    Visit(&text, judge_->Start(), length);
  }
  size_t accepted() const { return accepted_; }

 private:
  bool Visit(std::string* text, State state, size_t length) {
    bool here = oracle_(*text);
    accepted_ += here ? 1 : 0;
    bool judged = state != kDead && judge_->Accepting(state);
    if (judged != here) ADD_FAILURE() << (here ? "not accepted: " : "accepted: ") << *text;
    bool live = state != kDead && judge_->Live(state);
    if (live && !ReachesEnd(state)) ADD_FAILURE() << "stuck after: " << *text;
    bool any = here;
    for (size_t i = 0; i < alphabet_.size() && text->size() < length; ++i) {
      text->push_back(alphabet_[i]);
      State next = state == kDead ? kDead : judge_->Step(state, static_cast<uint8_t>(alphabet_[i]));
      any = Visit(text, next, length) || any;
      text->pop_back();
    }
    if (any && !live) ADD_FAILURE() << "dead too early: " << *text;
    return any;
  }

  bool ReachesEnd(State start) {
    if (ends_.count(start)) return true;
    std::map<State, State> from = {{start, start}};
    std::vector<State> open = {start};
    for (size_t i = 0; i < open.size() && open.size() < 50000; ++i) {
      State at = open[i];
      if (ends_.count(at) || judge_->Accepting(at)) {
        for (; at != start; at = from[at]) ends_.insert(at);
        ends_.insert(start);
        return true;
      }
      for (char c : alphabet_) {
        State next = judge_->Step(at, static_cast<uint8_t>(c));
        if (next != kDead && judge_->Live(next) && from.emplace(next, at).second)
          open.push_back(next);
      }
    }
    return false;
  }

  Judge* judge_;
  std::string alphabet_;
  std::function<bool(const std::string&)> oracle_;
  std::set<State> ends_;
  size_t accepted_ = 0;
};

inline std::bitset<256> BytesOf(const std::string& alphabet) {
  std::bitset<256> bytes;
  for (char c : alphabet) bytes.set(static_cast<uint8_t>(c));
  return bytes;
}

}  // namespace maskloom::judge
