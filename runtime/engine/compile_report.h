// The compile report as JSON, and the options of schemas by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/status.h"
#include "runtime/engine/compile_definition.h"

namespace maskloom {

// An option of schemas as a person writes it.
struct NamedOption {
  std::string name;   // "whitespace", "key_order", ...: that of the command line with '_' for '-'
  std::string value;  // "flexible", "declared", "64", ...
  std::string_view allowed;  // values, in words
};

// Returns all options in force for schemas, in a fixed order.
std::vector<NamedOption> ListSchemaOptions(const SchemaOptions& options);

// Sets one of them. On error: kInvalidArgument saying what is allowed.
Status SetSchemaOption(std::string_view name, std::string_view value, SchemaOptions* options);

// Writes a report as one JSON object:
//   {"kind":"json_schema","status":"ok","draft":"2020-12","options":{"whitespace":"flexible",..},
//    "keywords":[{"pointer","outcome","note"?},..],"notes":[{"pointer","note"},..]}
// A pointer into another document than the main one begins with its URI and '#'. `outcome` is
// "enforced", "annotation", "relaxed" or "refused"; "options" holds those in force, with the values
// of the command line. Where `status` is not ok, "status" is "refused" and "error" is
// {"code","message","pointer"?,"line"?,"column"?}. Regex and EBNF have their kind and status alone.
std::string ReportJson(DefinitionKind kind, const SchemaReport& report,
                       const SchemaOptions& options, const Status& status);

}  // namespace maskloom
