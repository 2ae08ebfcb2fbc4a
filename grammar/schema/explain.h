// The normal form of a schema as text for a person: what the compiler sees.
#pragma once

#include <string>
#include <vector>

#include "grammar/ir.h"
#include "grammar/schema/json_schema.h"

namespace maskloom {

// Returns a text of one block for each value of `grammar` that holds other values, the root first,
// under the JSON pointer of the schema that it came from; strings, numbers and constants are
// written where they are used. Where several values come from one schema (it is joined with
// different others) they are numbered. What a block says stands in docs/json-schema.md.
// `report` is that of the grammar; it names patterns and formats. `vanished` says of values, by
// their ids, that no text of them exists although their schema does not show it; it may be empty.
// Requires: grammar.IsJson(). Cost: linear in the result.
std::string ExplainGrammar(const Grammar& grammar, const SchemaReport& report,
                           const std::vector<bool>& vanished = {});

}  // namespace maskloom
