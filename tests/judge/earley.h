// Context-free grammars in `::=` notation, recognised by Earley's method.
//
// An item is a rule with a dot and the set it was begun in. A set is what is possible at one place
// of the text: advancing the dot over a code point gives the next set's kernel, completing a rule
// advances the items of the set it was begun in that wait for it, predicting adds the rules that
// may begin here. Sets are interned by their kernel, whose origins are interned sets themselves:
// equal kernels have equal futures. Rules that match the empty text are advanced over when
// predicted (Aycock and Horspool), so nullable and left-recursive rules need no special care.
// Counted repeats are written out as rules of their own.
// Liveness: an item can be completed iff what follows its dot has a spellable text and an item
// waiting for its rule can be completed in turn: a search through the origins up to the root.
// Source: J. Earley, CACM 13(2), 1970; J. Aycock, R. N. Horspool, Computer Journal 45(6), 2002.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/judge/code_points.h"
#include "tests/judge/judge.h"

namespace maskloom::judge {

// Symbols: a terminal is a class of code points, else a rule name's index.
struct EbnfSymbol {
  bool terminal = false;
  int index = 0;
};

struct EbnfGrammar {
  std::vector<CodePoints> classes;
  std::vector<std::vector<std::vector<EbnfSymbol>>> rules;  // by rule: its alternatives
  int root = 0;
};

// On error: kInvalidDefinition with line and column, kResourceLimit.
Result<EbnfGrammar> ReadEbnf(std::string_view text);

class EarleyJudge : public Judge {
 public:
  EarleyJudge(EbnfGrammar grammar, const ByteSet& spellable);

  // On error: kInvalidDefinition (a rule without a finite text), kUnsatisfiable (none spellable).
  Status Admit();
  State Start() override { return 0; }
  bool Accepting(State state) override;
  bool Live(State state) override;
  State StateCount() const override { return static_cast<State>(states_.size()); }

 protected:
  State Advance(State state, uint8_t byte) override;
  void DropFrom(State mark) override;

 private:
  using SetId = int;
  static constexpr SetId kHere = -1;  // begun in the set itself
  struct Item {
    int rule = 0;
    int alternative = 0;
    int dot = 0;
    SetId origin = kHere;
    bool operator<(const Item& o) const {
      return std::tie(rule, alternative, dot, origin) <
             std::tie(o.rule, o.alternative, o.dot, o.origin);
    }
    bool operator==(const Item& o) const { return !(*this < o) && !(o < *this); }
  };

  const std::vector<EbnfSymbol>& Body(const Item& item) const {
    return grammar_.rules[static_cast<size_t>(item.rule)][static_cast<size_t>(item.alternative)];
  }
  const EbnfSymbol* Next(const Item& item) const;
  void FindProductive(const CodePoints& alphabet, std::vector<bool>* productive) const;
  void FindNullable();
  // Here and below, `any`: by any bytes, else by spellable ones.
  bool RestProductive(const Item& item, int from, bool any) const;
  SetId MakeSet(std::vector<Item> kernel);
  // Whether an item waiting for `rule` in `set` can be completed up to the root.
  bool ContextLive(int rule, SetId set, bool any);
  bool ItemLive(const Item& item, int from, SetId set, bool any);
  bool SetLive(SetId set, bool any);
  bool ContentLive(SetId set, const std::string& pending, bool any);
  bool Completed(SetId set) const;
  SetId Scan(SetId set, uint32_t code_point);
  State Intern(SetId set, const std::string& pending);

  EbnfGrammar grammar_;
  Speller spellers_[2];              // spellable bytes, any bytes
  std::vector<bool> productive_[2];  // by rule: has a text that can be spelled
  std::vector<bool> nullable_;
  std::vector<std::vector<Item>> sets_;  // closed; origins kHere for items begun here
  std::vector<std::vector<Item>> kernels_;
  std::map<std::vector<Item>, SetId> set_index_;
  std::map<std::pair<int, SetId>, bool> context_live_[2];
  std::map<SetId, bool> set_live_[2];
  std::vector<std::pair<SetId, std::string>> states_;
  std::map<std::pair<SetId, std::string>, State> state_index_;
};

}  // namespace maskloom::judge
