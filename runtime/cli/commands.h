// The commands of the command line; each adds its options and its part of --help.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace maskloom::cli {

// What runs once the command line is read. Returns the exit status.
using Action = std::function<int()>;

// Each adds one subcommand, which sets `action` when it is chosen.
void AddGenerateCommand(CLI::App* app, Action* action);
void AddCheckCommand(CLI::App* app, Action* action);
void AddCompileCommand(CLI::App* app, Action* action);
void AddExplainCommand(CLI::App* app, Action* action);
void AddIndexCommand(CLI::App* app, Action* action);
void AddTokenizeCommand(CLI::App* app, Action* action);
void AddScoreCommand(CLI::App* app, Action* action);
void AddBenchCommand(CLI::App* app, Action* action);

}  // namespace maskloom::cli
