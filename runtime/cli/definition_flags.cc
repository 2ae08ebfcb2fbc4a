#include "runtime/cli/definition_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "runtime/cli/files.h"

namespace maskloom::cli {
namespace {

constexpr uint32_t kMaxIndent = 64;

std::optional<uint32_t> ParseCount(std::string_view text) {
  uint32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Status BadValue(std::string_view name, std::string_view value, std::string_view allowed) {
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{} is \"{}\"; allowed are {}", name, value, allowed));
}

Status SetWhitespace(std::string_view value, StylePolicy* style) {
  using Whitespace = StylePolicy::Whitespace;
  if (value == "flexible") {
    style->whitespace = Whitespace::kFlexible;
  } else if (value == "compact") {
    style->whitespace = Whitespace::kCompact;
  } else if (value == "any") {
    style->whitespace = Whitespace::kAny;
  } else {
    std::optional<uint32_t> indent;
    if (value.starts_with("indent=")) indent = ParseCount(value.substr(7));
    if (!indent || *indent > kMaxIndent) {
      return BadValue("whitespace", value, "flexible, compact, indent=N (N from 0 to 64) and any");
    }
    style->whitespace = Whitespace::kIndent;
    style->indent = *indent;
  }
  return Status::Ok();
}

}  // namespace

void AddDefinitionFlags(CLI::App* command, DefinitionFlags* flags) {
  CLI::Option* schema =
      command->add_option("--schema", flags->schema, "JSON Schema in this file (- is stdin)");
  CLI::Option* regex = command->add_option(
      "--regex", flags->regex, "ECMA-262 regular expression that the whole text matches");
  CLI::Option* grammar =
      command->add_option("--grammar", flags->grammar, "EBNF or GBNF grammar in this file");
  schema->type_name("FILE")->each([flags](const std::string&) { flags->has_schema = true; });
  regex->type_name("REGEX")->each([flags](const std::string&) { flags->has_regex = true; });
  grammar->type_name("FILE")->each([flags](const std::string&) { flags->has_grammar = true; });
  schema->excludes(regex)->excludes(grammar);
  regex->excludes(grammar);
  command
      ->add_option("--whitespace", flags->whitespace,
                   "between JSON tokens: flexible (one line break and up to 64 blanks), compact,\n"
                   "indent=N, or any (all that JSON allows, also around the value)")
      ->type_name("STYLE")
      ->capture_default_str();
  command->add_option("--key-order", flags->key_order, "any, or declared: as the schema lists them")
      ->type_name("ORDER")
      ->capture_default_str();
  command
      ->add_option("--max-digits", flags->max_digits,
                   fmt::format("digits before, and behind, the point of a number: a count or any "
                               "(default {})",
                               StylePolicy().max_digits))
      ->type_name("N");
}

Status SetStyleOption(std::string_view name, std::string_view value, StylePolicy* style) {
  if (name == "whitespace") return SetWhitespace(value, style);
  if (name == "key_order") {
    if (value != "any" && value != "declared") {
      return BadValue(name, value, "any and declared");
    }
    style->key_order =
        value == "any" ? StylePolicy::KeyOrder::kAny : StylePolicy::KeyOrder::kDeclared;
    return Status::Ok();
  }
  if (name == "max_digits") {
    std::optional<uint32_t> count =
        value == "any" ? std::optional<uint32_t>(kUnbounded) : ParseCount(value);
    if (!count || *count == 0) return BadValue(name, value, "a number from 1 on, and any");
    style->max_digits = *count;
    return Status::Ok();
  }
  return Status(StatusCode::kInvalidArgument,
                fmt::format("unknown option \"{}\"; allowed are whitespace, key_order and "
                            "max_digits",
                            name));
}

Result<Definition> ReadDefinition(const DefinitionFlags& flags) {
  Definition definition;
  StylePolicy* style = &definition.options.style;
  if (Status status = SetStyleOption("whitespace", flags.whitespace, style); !status.ok()) {
    return status;
  }
  if (Status status = SetStyleOption("key_order", flags.key_order, style); !status.ok()) {
    return status;
  }
  if (!flags.max_digits.empty()) {
    if (Status status = SetStyleOption("max_digits", flags.max_digits, style); !status.ok()) {
      return status;
    }
  }
  if (flags.has_regex) {
    definition.kind = DefinitionKind::kRegex;
    definition.name = "the regex";
    definition.text = flags.regex;
    return definition;
  }
  const std::string& path = flags.has_schema ? flags.schema : flags.grammar;
  definition.kind = flags.has_schema ? DefinitionKind::kJsonSchema : DefinitionKind::kEbnf;
  definition.name = path == "-" ? "standard input" : path;
  Result<std::string> text = ReadInput(path);
  if (!text.ok()) return text.status();
  definition.text = std::move(*text);
  return definition;
}

}  // namespace maskloom::cli
