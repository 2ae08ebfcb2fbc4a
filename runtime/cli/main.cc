// The command `maskloom`: reads the command line and runs one command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "runtime/cli/commands.h"
#include "runtime/cli/exit_status.h"
#include "runtime/version.h"

namespace maskloom::cli {
namespace {

// Returns the subcommand that was being read when parsing stopped.
const CLI::App* Innermost(const CLI::App* app) {
  for (;;) {
    auto chosen = app->get_subcommands();
    if (chosen.empty()) return app;
    app = chosen.back();
  }
}

std::string FullName(const CLI::App* app) {
  std::string name = app->get_name();
  for (const CLI::App* at = app->get_parent(); at != nullptr; at = at->get_parent()) {
    name = at->get_name() + " " + name;
  }
  return name;
}

// Says what is wrong with the command line; a word in the place of a command is named.
std::string Complaint(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return fmt::format("{}: not a number that this option takes", error.what());
  }
  if (argc < 2 || argv[1][0] == '-' || !app.get_subcommands().empty()) return error.what();
  std::string names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return fmt::format("there is no command \"{}\"; the commands are {}", argv[1], names);
}

int Run(int argc, char** argv) {
  CLI::App app("Text that is guaranteed to match a JSON Schema, a regular expression or a grammar.",
               "maskloom");
  app.footer(
      fmt::format("Examples:\n"
                  "  maskloom generate --schema schemas/person.json --prompt 'Describe a sailor.'\n"
                  "  maskloom check --schema schemas/person.json answer.json\n"
                  "  maskloom COMMAND --help\n\n{}",
                  kExitStatusHelp));
  app.set_version_flag("--version", fmt::format("maskloom {}", VersionString()));
  app.require_subcommand(1);
  Action action;
  AddGenerateCommand(&app, &action);
  AddCheckCommand(&app, &action);
  AddCompileCommand(&app, &action);
  AddExplainCommand(&app, &action);
  AddIndexCommand(&app, &action);
  AddTokenizeCommand(&app, &action);
  AddScoreCommand(&app, &action);
  AddBenchCommand(&app, &action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    std::string name = FullName(Innermost(&app));
    PrintError(fmt::format("{}\nTry '{} --help'.", Complaint(app, error, argc, argv), name));
    return kExitUsage;
  }
  return action ? action() : int{kExitUsage};
}

}  // namespace
}  // namespace maskloom::cli

int main(int argc, char** argv) {
  // A write beyond the limit on the size of files is an error like others, with a message.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return maskloom::cli::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("maskloom: out of memory\n", stderr);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "maskloom: %s\n", exception.what());
  }
  return maskloom::cli::kExitFile;
}
