// Stand-alone regular expressions: a derivative and the bytes of an unfinished code point.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/judge/derivatives.h"
#include "tests/judge/judge.h"

namespace maskloom::judge {

class RegexJudge : public Judge {
 public:
  RegexJudge(std::shared_ptr<RegexPool> pool, RegexId regex, const ByteSet& spellable);

  // On error: kUnsatisfiable, kResourceLimit.
  Status Admit();
  State Start() override { return 0; }
  bool Accepting(State state) override;
  bool Live(State state) override;
  State StateCount() const override { return static_cast<State>(states_.size()); }

 protected:
  State Advance(State state, uint8_t byte) override;
  void DropFrom(State mark) override;

 private:
  using Content = std::pair<RegexId, std::string>;
  State Intern(const Content& content);
  // With `any`: by any bytes, else by spellable ones.
  bool Completes(RegexId regex, bool any);
  bool ContentLive(const Content& content, bool any);

  std::shared_ptr<RegexPool> pool_;
  RegexId regex_;
  Speller spellers_[2];  // spellable bytes, any bytes
  std::vector<Content> states_;
  std::map<Content, State> index_;
  std::map<RegexId, bool> live_[2];
  bool overflowed_ = false;
};

}  // namespace maskloom::judge
