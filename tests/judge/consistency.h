// Checks a judge against an oracle on every text over a small alphabet, and its liveness against
// itself.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/judge/judge.h"

namespace maskloom::judge {

class Consistency {
 public:
  Consistency(Judge* judge, std::string alphabet, std::function<bool(const std::string&)> oracle)
      : judge_(judge), alphabet_(std::move(alphabet)), oracle_(std::move(oracle)) {
    const std::string closers = "\"}]):";
    for (char c : closers) {
      if (alphabet_.find(c) != std::string::npos) closing_first_ += c;
    }
    for (char c : alphabet_) {
      if (closers.find(c) == std::string::npos) closing_first_ += c;
    }
  }

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

  // Depth first, closing what is open where that is possible: the way to an end is short then.
  bool ReachesEnd(State start) {
    struct Step {
      State state;
      size_t next_byte;
    };
    std::vector<Step> way = {{start, 0}};
    std::set<State> seen = {start};
    while (!way.empty() && seen.size() < 100000) {
      State at = way.back().state;
      if (ends_.count(at) || judge_->Accepting(at)) {
        for (const Step& step : way) ends_.insert(step.state);
        return true;
      }
      if (way.back().next_byte == closing_first_.size() || way.size() > 40) {
        way.pop_back();
        continue;
      }
      uint8_t byte = static_cast<uint8_t>(closing_first_[way.back().next_byte++]);
      State next = judge_->Step(at, byte);
      if (next != kDead && judge_->Live(next) && seen.insert(next).second) way.push_back({next, 0});
    }
    return false;
  }

  Judge* judge_;
  std::string alphabet_;
  std::string closing_first_;
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
