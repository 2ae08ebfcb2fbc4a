// `maskloom index`: what masks need to know of a vocabulary, as a file that is mapped.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "compiler/vocabulary_file.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/model_files.h"
#include "runtime/cli/model_flags.h"

namespace maskloom::cli {
namespace {

struct IndexFlags {
  std::string model;
  std::string tokenizer;
  std::string out;
};

int RunIndex(const IndexFlags& flags) {
  const Status writable = CheckOutput(flags.out, {flags.tokenizer, flags.model});
  if (!writable.ok()) return ReportFailure(writable);
  CatchInterrupts();
  Result<std::string> path = FindTokenizer(flags.tokenizer, flags.model);
  if (!path.ok()) return ReportModelFailure(path.status());
  auto index = ReadVocabulary(*path);
  if (!index.ok()) return ReportModelFailure(index.status());
  if (Interrupted()) {
    PrintError(fmt::format("interrupted; {} is not written", flags.out));
    return kExitInterrupted;
  }
  if (Status status = SaveVocabularyIndex(**index, flags.out); !status.ok()) {
    return ReportFailure(status);
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  // Read back, as who uses it will.
  auto loaded = LoadVocabularyIndex(flags.out, (*index)->identity());
  if (!loaded.ok()) return ReportFailure(loaded.status());
  const double load_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  OutputFile out = OutputFile::Stdout();
  Status status = out.Write(
      fmt::format("{}: {} tokens, {:.1f} MB, loaded in {:.1f} ms, identity {:016x}\n", flags.out,
                  (*loaded)->size(), static_cast<double>((*loaded)->MemoryBytes()) / 1e6, load_ms,
                  (*loaded)->identity()));
  if (status.ok()) status = out.Flush();
  return status.ok() ? int{kExitDone} : ReportFailure(status);
}

}  // namespace

void AddIndexCommand(CLI::App* app, Action* action) {
  CLI::App* command =
      app->add_subcommand("index", "A vocabulary, ready for masks, as a file that loads at once");
  auto flags = std::make_shared<IndexFlags>();
  AddTokenizerFlags(command, &flags->model, &flags->tokenizer);
  command
      ->add_option(
          "--out,-o", flags->out,
          "where it goes; a file there is replaced whole, where it is a\nlink what it leads to")
      ->type_name("FILE")
      ->required();
  command->footer(fmt::format(
      "The file belongs to the tokenizer and to this version of Maskloom. `check` takes "
      "it for --tokenizer,\nprograms load it with maskloom_vocabulary_load.\n\n"
      "Examples:\n"
      "  maskloom index --tokenizer tokenizer.json --out llama3.index\n"
      "  maskloom check --tokenizer llama3.index --schema person.json\n\n{}",
      kExitStatusHelp));
  command->callback([flags, action] { *action = [flags] { return RunIndex(*flags); }; });
}

}  // namespace maskloom::cli
