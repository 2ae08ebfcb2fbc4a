// The central property over whole vocabularies, at states drawn from the texts of a definition.
//
// States are met along its texts, as far as they are accepted, and by tokens chosen off them: rare
// ones, which end a string, split a character or hold several marks, and such as the text already
// has, so that keys and items come again. Two states are the
// same if a mask cannot tell them apart with the whole stack in its key (mask_key.h); each counts
// once. They are drawn kind by kind, so that there are not only insides of strings.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/suites/byte_walk.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {

// How many states of one definition are checked.
struct StateLimits {
  size_t on_texts = 5;
  size_t off_texts = 3;
  size_t alike = 1;     // of another text but told apart by no mask: they do not count
  bool judged = false;  // also compare tokens drawn at random with the judge
};

struct StateTally {
  size_t states = 0;                    // distinct states, whole masks
  size_t alike = 0;                     // others
  size_t judged_tokens = 0;             // tokens that the judge was asked about
  uint64_t nodes = 0;                   // steps that the slow recogniser looked at
  std::map<std::string, size_t> kinds;  // of the distinct states
  std::vector<uint32_t> masks;          // hashes of their masks
  std::vector<std::string> faults;      // each names definition, text and tokens
  std::string refused;                  // why the engine does not compile the definition
};

// Checks at each state
//   1. its mask, from an empty cache, in an order drawn at random, against the slow recogniser,
//      and that with Matcher::IsAllowed for some tokens;
//   2. that some token is allowed, or the text may end;
//   3. the same bits again from the cache in another order, and again from a second grammar
//      compiled from the same text, in a third order;
//   4. where limits.judged: that the judge agrees about tokens drawn from the allowed ones, from
//      those refused late and from all, and whether the text may end.
// Requires: `trie` is of the vocabulary.
StateTally CheckStates(const DefinitionCase& one, const TestVocabulary& vocabulary,
                       const ByteTrie& trie, const StateLimits& limits, std::mt19937_64* random);

}  // namespace maskloom::suites
