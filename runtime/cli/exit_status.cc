#include "runtime/cli/exit_status.h"

#include <fmt/format.h>

#include <cstdio>

namespace maskloom::cli {

const char kExitStatusHelp[] =
    "Exit status: 0 done, 1 text rejected, 2 definition refused, 3 usage, 4 file or model error,\n"
    "5 incomplete at --max-tokens, 130 interrupted. Results go to stdout, all else to stderr.";

void PrintError(std::string_view message) { fmt::print(stderr, "maskloom: {}\n", message); }

void PrintWarning(std::string_view message) {
  fmt::print(stderr, "maskloom: warning: {}\n", message);
}

int ReportFailure(const Status& status, std::string_view subject) {
  PrintError(subject.empty() ? status.ToString()
                             : fmt::format("{}: {}", subject, status.ToString()));
  switch (status.code()) {
    case StatusCode::kOk:
      return kExitDone;
    case StatusCode::kInvalidArgument:
      return kExitUsage;
    case StatusCode::kInvalidDefinition:
    case StatusCode::kUnsupported:
    case StatusCode::kUnsatisfiable:
    case StatusCode::kResourceLimit:
      return kExitRefused;
    case StatusCode::kIo:
    case StatusCode::kInvalidModel:
    case StatusCode::kInternal:
      return kExitFile;
  }
  return kExitFile;
}

int ReportModelFailure(const Status& status) {
  PrintError(status.ToString());
  return kExitFile;
}

std::string OneLine(const Status& status) {
  std::string text = status.message();
  if (status.pointer()) {
    text += fmt::format(" (at {})", status.pointer()->empty() ? "the root" : *status.pointer());
  }
  if (status.line() > 0) {
    text += fmt::format(" (line {}, column {})", status.line(), status.column());
  }
  return text;
}

}  // namespace maskloom::cli
