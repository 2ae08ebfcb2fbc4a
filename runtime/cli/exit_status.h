// Exit status of every command, and how a failure becomes a message and a status.
#pragma once

#include <string>
#include <string_view>

#include "grammar/base/status.h"

namespace maskloom::cli {

enum ExitStatus : int {
  kExitDone = 0,
  kExitRejected = 1,    // the text does not match the definition
  kExitRefused = 2,     // the definition cannot be compiled
  kExitUsage = 3,       // wrong options
  kExitFile = 4,        // a file or a model cannot be read or written, or does not fit
  kExitIncomplete = 5,  // --max-tokens ended the text before it was complete
  kExitInterrupted = 130,
};

// The exit statuses as text, for --help.
extern const char kExitStatusHelp[];

// Prints "maskloom: " and the message, whose further lines are kept, to stderr.
void PrintError(std::string_view message);
void PrintWarning(std::string_view message);

// Prints the status, with `subject` (a file name or the like; may be empty) in front, and returns
// the exit status that its code stands for.
int ReportFailure(const Status& status, std::string_view subject = {});

// Does the same for a model, a tokenizer or a vocabulary that cannot be used: returns kExitFile
// whatever the code is.
int ReportModelFailure(const Status& status);

// Returns the message and where it applies, on one line.
std::string OneLine(const Status& status);

}  // namespace maskloom::cli
