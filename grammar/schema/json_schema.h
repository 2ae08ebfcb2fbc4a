// Reads a JSON Schema and normalises it to the IR.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

struct SchemaOptions {
  StylePolicy style;
};

// What became of one keyword occurrence.
struct KeywordReport {
  enum class Outcome { kEnforced, kAnnotation };
  std::string pointer;  // JSON pointer of the keyword, e.g. "/properties/a/minLength"
  Outcome outcome = Outcome::kEnforced;
  std::string note;  // why, where that is not obvious; may be empty
};

struct SchemaReport {
  std::string draft;  // "2020-12", ...
  std::vector<KeywordReport> keywords;
};

// Compiles `text` (one JSON document) to a grammar whose language is exactly the JSON texts valid
// under the schema, spelled by `options.style`. `report` may be null.
// A keyword that a draft defines and that cannot be enforced exactly is refused by name, unless it
// cannot matter where it stands; keywords that no draft defines are annotations.
// On error: kInvalidDefinition (malformed JSON or UTF-8 with line and caret; a keyword's value of
// the wrong form; a dangling reference) and kUnsupported, both with the JSON pointer of the
// keyword; kUnsatisfiable, naming what contradicts; kResourceLimit (the budgets are listed in the
// README of this folder).
// Cost: about linear in the schema; a conjunction of unions costs their product.
Result<Grammar> ParseJsonSchema(std::string_view text, const SchemaOptions& options = {},
                                SchemaReport* report = nullptr);

}  // namespace maskloom
