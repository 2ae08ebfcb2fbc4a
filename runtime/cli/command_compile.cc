// `maskloom compile`: a definition and its masks, as a file that loads at once.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "compiler/mask_cache.h"
#include "compiler/mask_completion.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/definition_flags.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/model_files.h"

namespace maskloom::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kMostBudgetMs = 24 * 60 * 60 * 1000;
constexpr uint32_t kMostBudgetMb = 1 << 20;

struct CompileFlags {
  DefinitionFlags definition;
  std::string model;
  std::string tokenizer;
  std::string out;
  uint32_t budget_ms = 2000;
  uint32_t budget_mb = 64;
};

double MillisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

const char* EndName(CompletionEnd end) {
  return end == CompletionEnd::kDone ? "all that were found" : "as far as the budget went";
}

int ReportInterrupt(const std::string& out) {
  PrintError(fmt::format("interrupted; {} is not written", out));
  return kExitInterrupted;
}

// How long the parts took, in milliseconds, and how far completion came.
struct CompileTimes {
  double compile = 0;
  double masks = 0;
  CompletionEnd end = CompletionEnd::kDone;
};

// Writes the file, loads it as who uses it will, and says what it is. Returns the exit status.
int WriteCompiled(const SourcedDefinition& compiled,
                  const std::shared_ptr<const VocabularyIndex>& vocabulary, const std::string& path,
                  const CompileTimes& times) {
  if (Interrupted()) return ReportInterrupt(path);
  if (Status status = SaveDefinition(compiled, path); !status.ok()) return ReportFailure(status);
  const Clock::time_point begin = Clock::now();
  auto loaded = LoadDefinition(path, vocabulary);
  if (!loaded.ok()) return ReportFailure(loaded.status());
  const double load_ms = MillisecondsSince(begin);
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  OutputFile out = OutputFile::Stdout();
  Status status =
      out.Write(fmt::format("{}: {:.1f} kB, loaded in {:.2f} ms\n"
                            "  compiled  {:.2f} ms\n"
                            "  masks     {} in {:.0f} ms, {}\n"
                            "  for       {} token ids, vocabulary {:016x}\n",
                            path, error ? 0.0 : static_cast<double>(size) / 1e3, load_ms,
                            times.compile, compiled.definition.grammar->masks().size(), times.masks,
                            EndName(times.end), vocabulary->size(), vocabulary->identity()));
  if (status.ok()) status = out.Flush();
  return status.ok() ? int{kExitDone} : ReportFailure(status);
}

int RunCompile(const CompileFlags& flags) {
  if (!flags.definition.any()) {
    PrintError("give a definition: --schema FILE, --regex REGEX or --grammar FILE");
    return kExitUsage;
  }
  const Status writable = CheckOutput(
      flags.out, {flags.definition.schema, flags.definition.grammar, flags.tokenizer, flags.model});
  if (!writable.ok()) return ReportFailure(writable);
  Result<Definition> definition = ReadDefinition(flags.definition);
  if (!definition.ok()) return ReportFailure(definition.status());
  Result<std::string> path = FindTokenizer(flags.tokenizer, flags.model);
  if (!path.ok()) return ReportModelFailure(path.status());
  auto vocabulary = ReadVocabulary(*path);
  if (!vocabulary.ok()) return ReportModelFailure(vocabulary.status());
  const size_t bytes = size_t{flags.budget_mb} << 20;
  definition->options.limits.mask_cache_bytes =
      std::max(definition->options.limits.mask_cache_bytes, 2 * bytes);

  CatchInterrupts();
  CompileTimes times;
  Clock::time_point begin = Clock::now();
  auto compiled = Compile(&*definition, *vocabulary);
  times.compile = MillisecondsSince(begin);
  WarnOfFolders(*definition);
  if (!compiled.ok()) return ReportRefusal(*definition, compiled.status());
  WarnOfReport(compiled->definition.report);
  begin = Clock::now();
  CompletionBudget budget;
  budget.time = std::chrono::milliseconds(flags.budget_ms);
  budget.bytes = bytes;
  budget.stop = &InterruptFlag();
  times.end = compiled->definition.grammar->completion().Run(budget);
  times.masks = MillisecondsSince(begin);
  return WriteCompiled(*compiled, *vocabulary, flags.out, times);
}

}  // namespace

void AddCompileCommand(CLI::App* app, Action* action) {
  CLI::App* command = app->add_subcommand(
      "compile", "A definition and its masks, as a file that loads in a millisecond");
  auto flags = std::make_shared<CompileFlags>();
  AddSourceFlags(command, &flags->definition);
  CLI::Option* model =
      command
          ->add_option("--model", flags->model,
                       "compile for this model's vocabulary (default: the cached model)")
          ->type_name("FILE.gguf");
  command
      ->add_option("--tokenizer", flags->tokenizer,
                   "compile for the vocabulary of this tokenizer.json, or of what `maskloom "
                   "index`\nmade of it")
      ->type_name("FILE")
      ->excludes(model);
  command
      ->add_option("-o,--out", flags->out,
                   "the file to write; it is replaced whole, where it is a link what it\nleads to")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--budget-ms", flags->budget_ms,
                   "make masks, the likeliest first, for so long; what is not made then is made\n"
                   "when it is needed")
      ->type_name("N")
      ->check(CLI::Range(0u, kMostBudgetMs))
      ->capture_default_str();
  command->add_option("--budget-mb", flags->budget_mb, "... and until they take so much memory")
      ->type_name("N")
      ->check(CLI::Range(0u, kMostBudgetMb))
      ->capture_default_str();
  command->footer(fmt::format(
      "The file serves the vocabulary that it was made for; with another one, with another\n"
      "version of Maskloom's format, or damaged, it is refused.\n\n"
      "Examples:\n"
      "  maskloom compile --schema person.json --tokenizer tokenizer.json -o person.grammar\n"
      "  maskloom check --compiled person.grammar --tokenizer tokenizer.json answer.json\n"
      "  maskloom generate --compiled person.grammar --model model.gguf\n\n{}",
      kExitStatusHelp));
  command->callback([flags, action] { *action = [flags] { return RunCompile(*flags); }; });
}

}  // namespace maskloom::cli
