// Schemas made by chance from every keyword of drafts 4 to 2020-12, nested and recursive.
//
// A schema is drawn around a kind of value, so that most can be met, and disturbed by siblings of
// all sorts: combinators, conditions, keywords of other types, references. References for the same
// value lead to later definitions only, those inside members and items anywhere, so that no schema
// refers to itself without a value in between.
#pragma once

#include <random>
#include <string>

#include "tests/judge/schema_resources.h"

namespace maskloom::suites {

struct FullSchemaOptions {
  // Formats that may be used; separated by blanks. Empty: none.
  std::string formats = "date ipv4 ipv6 uuid date-time";
  bool unusual_patterns = true;  // look-around, \b and \p{..} too
  int depth = 3;
};

// Returns a schema of `draft`, which it names in `$schema`. It may be unsatisfiable.
std::string RandomFullSchema(judge::Draft draft, const FullSchemaOptions& options,
                             std::mt19937_64* random);

}  // namespace maskloom::suites
