#include "runtime/cli/definition_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/engine/compile_report.h"

namespace maskloom::cli {
namespace {

// An option that SetSchemaOption reads.
struct OptionHelp {
  const char* flag;
  const char* name;
  const char* type;  // null: a switch
  const char* help;
};

constexpr OptionHelp kOptions[] = {
    {"--whitespace", "whitespace", "STYLE",
     "between JSON tokens: flexible (one line break and up to --max-blanks blanks), compact,\n"
     "spaced (one behind commas and colons), indent=N, or any (all that JSON allows, also around\n"
     "the value)"},
    {"--max-blanks", "max_blanks", "N", "most blanks between JSON tokens under flexible"},
    {"--key-order", "key_order", "ORDER",
     "any; declared: as the schema lists them; required-first: those before the optional ones"},
    {"--escapes", "escapes", "POLICY",
     "in strings and keys: any, or plain: only where JSON wants them, the short forms"},
    {"--max-digits", "max_digits", "N",
     "digits before, and behind, the point of a number: a count or any"},
    {"--formats", "formats", "POLICY", "assert: `format` constrains texts; annotate: it does not"},
    {"--unknown-formats", "unknown_formats", "POLICY",
     "a `format` that is not known: annotate, or refuse the schema"},
    {"--nullable", "nullable", nullptr, "`nullable: true` admits null, as in OpenAPI 3.0"},
    {"--closed", "closed", nullptr,
     "objects and arrays hold only what their schema speaks of, unless it opens them"},
};

void AddOptionFlags(CLI::App* command, DefinitionFlags* flags) {
  const std::vector<NamedOption> defaults = ListSchemaOptions({});
  for (const OptionHelp& option : kOptions) {
    const std::string name = option.name;
    if (option.type == nullptr) {
      command->add_flag_callback(
          option.flag, [flags, name] { flags->options.emplace_back(name, "true"); }, option.help);
      continue;
    }
    CLI::Option* added = command->add_option_function<std::string>(
        option.flag,
        [flags, name](const std::string& value) { flags->options.emplace_back(name, value); },
        option.help);
    added->type_name(option.type);
    for (const NamedOption& one : defaults) {
      if (one.name == name) added->default_str(one.value);
    }
  }
  command
      ->add_option("--schema-dir", flags->schema_folders,
                   "look in this folder, by path and by $id, for documents that the schema refers\n"
                   "to; may be repeated. Nothing is read elsewhere, nothing from the network")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      ->add_option("--schema-url", flags->schema_url,
                   "the URI that references in the schema are relative to (default: its file's)")
      ->type_name("URI");
}

CLI::Option* AddSchema(CLI::App* command, DefinitionFlags* flags) {
  return command->add_option("--schema", flags->schema, "JSON Schema in this file (- is stdin)")
      ->type_name("FILE")
      ->each([flags](const std::string&) { flags->has_schema = true; });
}

// The three ways to give a definition.
struct Sources {
  CLI::Option* schema;
  CLI::Option* regex;
  CLI::Option* grammar;
};

Sources AddSources(CLI::App* command, DefinitionFlags* flags) {
  CLI::Option* schema = AddSchema(command, flags);
  CLI::Option* regex = command->add_option(
      "--regex", flags->regex, "ECMA-262 regular expression that the whole text matches");
  CLI::Option* grammar =
      command->add_option("--grammar", flags->grammar, "EBNF or GBNF grammar in this file");
  regex->type_name("REGEX")->each([flags](const std::string&) { flags->has_regex = true; });
  grammar->type_name("FILE")->each([flags](const std::string&) { flags->has_grammar = true; });
  schema->excludes(regex)->excludes(grammar);
  regex->excludes(grammar);
  return {schema, regex, grammar};
}

// Names one of the flags that only schemas take; "" if none is given.
std::string SchemaFlagIn(const DefinitionFlags& flags) {
  if (!flags.schema_folders.empty()) return "--schema-dir";
  if (!flags.schema_url.empty()) return "--schema-url";
  if (flags.options.empty()) return "";
  std::string name = "--" + flags.options.front().first;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

void AddSourceFlags(CLI::App* command, DefinitionFlags* flags) {
  AddSources(command, flags);
  AddOptionFlags(command, flags);
}

void AddDefinitionFlags(CLI::App* command, DefinitionFlags* flags) {
  const Sources sources = AddSources(command, flags);
  CLI::Option* compiled =
      command
          ->add_option("--compiled", flags->compiled,
                       "a definition that `maskloom compile` has written to this file")
          ->type_name("FILE")
          ->each([flags](const std::string&) { flags->has_compiled = true; });
  CLI::Option* cache =
      command
          ->add_option("--cache", flags->cache,
                       "keep compiled definitions, and the masks that were made, in this folder")
          ->type_name("DIR")
          ->each([flags](const std::string&) { flags->has_cache = true; });
  for (CLI::Option* other : {sources.schema, sources.regex, sources.grammar, cache}) {
    compiled->excludes(other);
  }
  AddOptionFlags(command, flags);
}

void AddSchemaFlags(CLI::App* command, DefinitionFlags* flags) {
  AddSchema(command, flags);
  AddOptionFlags(command, flags);
}

Result<Definition> ReadDefinitionOptions(const DefinitionFlags& flags) {
  Definition definition;
  for (const auto& [name, value] : flags.options) {
    if (Status status = SetSchemaOption(name, value, &definition.options); !status.ok()) {
      return status;
    }
  }
  Result<SchemaFolders> folders = SchemaFolders::Open(flags.schema_folders);
  if (!folders.ok()) return folders.status();
  definition.folders = std::make_shared<SchemaFolders>(std::move(*folders));
  definition.options.documents = [shared = definition.folders](const std::string& uri) {
    return shared->Find(uri);
  };
  definition.options.base_uri = flags.schema_url;
  if (flags.has_cache) {
    if (flags.cache.empty()) {
      return Status(StatusCode::kInvalidArgument, "--cache names no folder: its name is empty");
    }
    auto cache = GrammarCache::Create({.folder = flags.cache});
    if (!cache.ok()) return cache.status();
    definition.cache = std::move(*cache);
  }
  return definition;
}

Result<Definition> ReadDefinition(const DefinitionFlags& flags) {
  Result<Definition> read = ReadDefinitionOptions(flags);
  if (!read.ok()) return read;
  Definition& definition = *read;
  if (flags.has_compiled) {
    if (!SchemaFlagIn(flags).empty()) {
      return Status(StatusCode::kInvalidArgument,
                    "--compiled takes no options of schemas: the file holds those with which it "
                    "was compiled");
    }
    if (flags.compiled.empty()) {
      return Status(StatusCode::kInvalidArgument, "--compiled names no file: its name is empty");
    }
    definition.name = definition.compiled = flags.compiled;
    return read;
  }
  if (!flags.has_schema) {
    if (const std::string flag = SchemaFlagIn(flags); !flag.empty()) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{} says how a schema is read; a {} takes no such option", flag,
                                flags.has_regex ? "regex" : "grammar"));
    }
  }
  if (flags.has_regex) {
    definition.kind = DefinitionKind::kRegex;
    definition.name = "the regex";
    definition.text = flags.regex;
    return read;
  }
  const std::string& path = flags.has_schema ? flags.schema : flags.grammar;
  definition.kind = flags.has_schema ? DefinitionKind::kJsonSchema : DefinitionKind::kEbnf;
  definition.name = path == "-" ? "standard input" : path;
  Result<std::string> text = ReadInput(path);
  if (!text.ok()) return text.status();
  definition.text = std::move(*text);
  if (flags.has_schema && path != "-" && definition.options.base_uri.empty()) {
    definition.options.base_uri = FileUri(path);
  }
  return read;
}

Result<SourcedDefinition> Compile(Definition* definition,
                                  std::shared_ptr<const VocabularyIndex> vocabulary,
                                  SchemaReport* report) {
  if (!definition->compiled.empty()) {
    auto loaded =
        LoadDefinition(definition->compiled, std::move(vocabulary), definition->options.limits);
    if (!loaded.ok()) return loaded;
    definition->kind = loaded->source.kind;
    definition->text = loaded->source.text;
    static_cast<SchemaOptions&>(definition->options) = OptionsOf(loaded->source);
    if (report != nullptr) *report = loaded->definition.report;
    return loaded;
  }
  if (definition->cache != nullptr) {
    auto cached = definition->cache->Get(definition->kind, definition->text, definition->options,
                                         std::move(vocabulary), report);
    if (!cached.ok()) return cached.status();
    return **cached;
  }
  return CompileSourced(definition->kind, definition->text, definition->options,
                        std::move(vocabulary), report);
}

void KeepInCache(const Definition& definition) {
  if (definition.cache == nullptr) return;
  if (Status status = definition.cache->Flush(); !status.ok()) {
    PrintWarning("the cache cannot be written: " + OneLine(status));
  }
}

void WarnOfReport(const SchemaReport& report) {
  for (const KeywordReport& keyword : report.keywords) {
    if (keyword.outcome == KeywordReport::Outcome::kAnnotation && !keyword.note.empty()) {
      PrintWarning(fmt::format("{}: {}", keyword.pointer, keyword.note));
    }
  }
  for (const SchemaNote& note : report.notes) {
    PrintWarning(
        fmt::format("{}: {}", note.pointer.empty() ? "the root" : note.pointer, note.text));
  }
}

void WarnOfFolders(const Definition& definition) {
  if (definition.folders == nullptr) return;
  for (const std::string& warning : definition.folders->warnings()) PrintWarning(warning);
}

int ReportRefusal(const Definition& definition, const Status& status) {
  const int exit_status = ReportFailure(status, definition.name);
  if (definition.folders != nullptr && !definition.folders->missing().empty() &&
      status.code() == StatusCode::kInvalidDefinition) {
    const bool has_folders = !definition.folders->empty();
    PrintError(fmt::format(
        "no document {} was found{}; a document is found under --schema-dir DIR by its path or by "
        "the `$id` at its top",
        definition.folders->missing(), has_folders ? " in the given folders" : ""));
  }
  return exit_status;
}

}  // namespace maskloom::cli
