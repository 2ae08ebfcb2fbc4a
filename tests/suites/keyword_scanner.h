// A small independent reading of a schema: what in it is beyond the listed keywords?
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace maskloom::suites {

// Returns the names of what stands anywhere in the schema, or in what its local references name,
// and is not among the keywords that are enforced: keywords that some draft defines, as they are
// written; "look-around", "\\p", "\\b" and "back-reference" of patterns; "remote $ref" for
// references that are no local JSON pointers. An empty set: the schema has to compile.
std::set<std::string> UnlistedIn(std::string_view schema);

}  // namespace maskloom::suites
