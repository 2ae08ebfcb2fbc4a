// The central property along texts: at states met on the way, the mask is what the judge says.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/suites/definition_case.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {

struct PropertyTally {
  size_t states = 0;                // distinct states whose whole mask was compared
  size_t cases = 0;                 // definitions that gave some
  size_t refused = 0;               // definitions that the engine refused
  size_t unjudged = 0;              // definitions that the judge does not know
  std::vector<std::string> faults;  // each names definition, text and token
};

// Walks the texts of `one`, or texts made by chance if it has none, and compares at most
// `max_states` distinct states. At each of them:
//   1. for every token: its bit is set iff the judge says that the token may come;
//   2. some bit is set; IsAllowed agrees with the mask on tokens drawn at random;
//   3. Completion() leads, for the judge too, to the end of a text.
// At every token of the walk engine and judge agree whether it may come and whether the text may
// end. Definitions that only one of the two finds unsatisfiable are faults as well.
void CheckCase(const DefinitionCase& one, const TestVocabulary& vocabulary, size_t max_states,
               std::mt19937_64* random, PropertyTally* tally);

// Writes `bytes` so that a person can read them in a message.
std::string Readable(std::string_view bytes);

}  // namespace maskloom::suites
