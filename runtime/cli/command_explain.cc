// `maskloom explain`: prints the normal form of a schema.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "runtime/cli/commands.h"
#include "runtime/cli/definition_flags.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"

namespace maskloom::cli {
namespace {

int RunExplain(const DefinitionFlags& flags) {
  if (!flags.has_schema) {
    PrintError("give a schema: --schema FILE");
    return kExitUsage;
  }
  Result<Definition> definition = ReadDefinition(flags);
  if (!definition.ok()) return ReportFailure(definition.status());
  Result<std::string> text = ExplainSchema(definition->text, definition->options);
  WarnOfFolders(*definition);
  if (!text.ok()) return ReportRefusal(*definition, text.status());
  OutputFile out = OutputFile::Stdout();
  Status status = out.Write(*text);
  if (status.ok()) status = out.Flush();
  return status.ok() ? int{kExitDone} : ReportFailure(status);
}

}  // namespace

void AddExplainCommand(CLI::App* app, Action* action) {
  CLI::App* command =
      app->add_subcommand("explain", "Print a schema as the compiler sees it, joined and resolved");
  auto flags = std::make_shared<DefinitionFlags>();
  AddSchemaFlags(command, flags.get());
  command->footer(
      fmt::format("Each block is a schema, under its JSON pointer, with all that applies to the\n"
                  "same value joined: references, allOf, anyOf, oneOf, not, if, enum.\n\n"
                  "Examples:\n"
                  "  maskloom explain --schema person.json\n"
                  "  maskloom explain --schema api/order.json --schema-dir api --closed\n\n{}",
                  kExitStatusHelp));
  command->callback([flags, action] { *action = [flags] { return RunExplain(*flags); }; });
}

}  // namespace maskloom::cli
