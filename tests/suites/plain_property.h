// The central property for schemas that no prefix judge decides, in two halves that whole texts
// decide: what a mask allows leads to a valid text, and what is valid is allowed.
#pragma once

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "tests/judge/plain_validator.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {

// How much is tried for one schema.
struct PlainBudget {
  size_t values = 40;         // drawn by InstanceWriter
  size_t small_values = 400;  // of SmallValues(), all of them by default
  size_t states = 6;          // whose masks are filled, on walks and on valid texts
  size_t bits = 6;            // set bits tried at each of them
  size_t walk_tokens = 25;    // of a random walk
};

struct PlainTally {
  size_t schemas = 0;               // compiled
  size_t unsatisfiable = 0;         // refused as such
  size_t refused = 0;               // refused otherwise
  size_t unknown = 0;               // values that the validator does not judge
  size_t valid = 0;                 // valid texts read token by token
  size_t invalid = 0;               // invalid texts
  size_t states = 0;                // states whose masks were looked at
  size_t bits = 0;                  // set bits completed
  std::vector<std::string> faults;  // each names schema, text and token
};

// Checks the schema `one` (drawn texts join those that it has):
//   1. a valid text is accepted: at states on its way every token that the text goes on with is
//      allowed, and at its end an end may come;
//   2. an invalid text is not accepted as a whole;
//   3. at states on random walks some token is allowed, and after a set bit Completion() leads to
//      a text that the engine accepts and the plain validator finds valid;
//   4. a schema refused as unsatisfiable has no valid value among those drawn.
void CheckPlainCase(const DefinitionCase& one, const TestVocabulary& vocabulary,
                    const PlainBudget& budget, uint64_t seed, PlainTally* tally);

// Makes `schema` smaller as long as `fails` holds: drops members and items, puts parts in place of
// the whole. Returns the smallest found.
template <typename Fails>
std::string ShrinkSchema(const std::string& schema, Fails fails);

// All schemas that are one step smaller than `schema`, as texts.
std::vector<std::string> SmallerSchemas(const judge::JsonTree& schema);

template <typename Fails>
std::string ShrinkSchema(const std::string& schema, Fails fails) {
  constexpr int kMaxTries = 1000;
  constexpr auto kMaxTime = std::chrono::seconds(10);
  const auto begin = std::chrono::steady_clock::now();
  std::string best = schema;
  int tries = 0;
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    auto tree = judge::ParseJsonTree(best);
    if (!tree.ok()) break;
    for (const std::string& smaller : SmallerSchemas(*tree)) {
      if (++tries > kMaxTries || std::chrono::steady_clock::now() - begin > kMaxTime) return best;
      if (!fails(smaller)) continue;
      best = smaller;
      shrunk = true;
      break;
    }
  }
  return best;
}

}  // namespace maskloom::suites
