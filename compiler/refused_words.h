// Where inside an automaton any text may follow, but for a few words.
//
// Where two of several patterns must not match, as in `customer` and `maker`, nearly every text
// goes on: only behind `custome` an `r` may not follow once a `maker` was read. Letters are missing
// then, so there is no region (text_region.h) that covers much; but what is refused is little, and
// is found from the other side. A state is a home if a character that is in no word keeps it, or
// many characters where none is missing. A text that dies has either never been home, and such
// texts are few and walked; or it was home for a first time. Then it holds all letters of some way
// from there to where it dies, and as little as words differ these ways have few sets of letters.
// Tokens with all letters of such a set are few; they alone are read.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "compiler/category_index.h"
#include "grammar/base/text_automaton.h"

namespace maskloom {

// What stands in the way of texts from a state on.
struct RefusedWords {
  struct State {
    uint32_t state;
    bool is_home;
    std::bitset<128> lacking;  // ASCII characters that may not follow, but `never`
  };
  // Is it few words, or none, and characters of `never`? If not, nothing else is told.
  bool is_little = false;
  const TextAutomaton* automaton = nullptr;
  std::vector<State> states;  // that can be reached, ascending by number
  // ASCII characters that may never follow, of those that strings spell as themselves.
  std::bitset<128> never;
  CategorySet ends = 0;  // of all that is lacking somewhere
  // Among them are all tokens that die behind a home, but such with characters of `never`.
  std::vector<TokenId> tokens;

  // Requires: it is in `states`.
  const State& Find(uint32_t state) const;
};

// What was found of a grammar's automata, remembered. Thread safety: any thread.
class RefusedWordsIndex {
 public:
  explicit RefusedWordsIndex(const CategoryIndex& categories);
  ~RefusedWordsIndex();

  // Returns what of texts from `state` of `automaton`, which must outlive this, is refused. Cost:
  // tens of microseconds where words are refused, little elsewhere.
  std::shared_ptr<const RefusedWords> Find(const TextAutomaton& automaton, uint32_t state);

 private:
  class Known;

  const CategoryIndex& categories_;
  std::mutex mutex_;
  std::unique_ptr<Known> known_;
};

}  // namespace maskloom
