// The options that name a definition and its style, shared by the commands that compile one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/engine/compile_definition.h"

namespace CLI {
class App;
}

namespace maskloom::cli {

// What the command line said.
struct DefinitionFlags {
  std::string schema;   // a file
  std::string regex;    // a pattern
  std::string grammar;  // a file
  bool has_schema = false;
  bool has_regex = false;
  bool has_grammar = false;
  std::string whitespace = "flexible";
  std::string key_order = "any";
  std::string max_digits;  // empty: the default

  bool any() const { return has_schema || has_regex || has_grammar; }
};

// A definition as read from where the flags say.
struct Definition {
  DefinitionKind kind = DefinitionKind::kJsonSchema;
  std::string name;  // for messages: the file, or "the regex"
  std::string text;
  DefinitionOptions options;
};

// Adds --schema, --regex, --grammar and the style options; the first three exclude each other.
void AddDefinitionFlags(CLI::App* command, DefinitionFlags* flags);

// Sets the style option `name` (a long option without dashes, '_' between words).
// On error: kInvalidArgument saying what is allowed.
Status SetStyleOption(std::string_view name, std::string_view value, StylePolicy* style);

// Reads the definition. Requires: flags.any().
// On error: kInvalidArgument for a style option; kIo.
Result<Definition> ReadDefinition(const DefinitionFlags& flags);

}  // namespace maskloom::cli
