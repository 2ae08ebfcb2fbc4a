// The metaschemas of the drafts, built in, so that references to them need no other source.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace maskloom {

// Returns the text of the metaschema or vocabulary schema that is called `uri` (without an empty
// fragment), or nothing if none is. It says what the published one says, with the same names for
// its parts, but leaves out titles, comments and defaults.
std::optional<std::string> FindMetaschema(std::string_view uri);

}  // namespace maskloom
