// Which things in a schema may be refused, read independently of the engine.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace maskloom::suites {

// Names what the schema uses, in places that matter, beyond what has to compile: "back-reference"
// (or a property that no table has), "malformed pattern", "remote $ref" (to a document that is
// neither here nor a metaschema), "dangling $ref", "malformed". Empty: it has to compile or be
// unsatisfiable.
std::set<std::string> UnlistedIn(std::string_view schema);

}  // namespace maskloom::suites
