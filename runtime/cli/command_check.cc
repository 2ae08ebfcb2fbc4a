// `maskloom check`: compiles a definition and reports; with a text, says whether it matches.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "compiler/archive.h"
#include "runtime/cli/check_batch.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/definition_flags.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/model_files.h"
#include "runtime/cli/text_match.h"
#include "runtime/engine/compile_report.h"

namespace maskloom::cli {
namespace {

struct CheckFlags {
  DefinitionFlags definition;
  std::string text;
  std::string batch;
  std::string vocabulary;
  std::string report;  // "text", "json", or empty: not asked for
  bool trim = false;

  bool has_report() const { return !report.empty(); }
};

std::string FormatBytes(size_t bytes) {
  if (bytes < 10000) return fmt::format("{} bytes", bytes);
  if (bytes < 10000000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// The report for a person; `status` says whether the definition compiles.
std::string FormatReport(const Definition& definition, const SchemaReport& report,
                         const Status& status) {
  std::string text;
  if (definition.kind != DefinitionKind::kJsonSchema) return text;
  std::string options;
  for (const NamedOption& option : ListSchemaOptions(definition.options)) {
    options += fmt::format("{}{} {}", options.empty() ? "" : ", ", option.name, option.value);
  }
  text += fmt::format("  options   {}\n", options);
  for (const KeywordReport& keyword : report.keywords) {
    text += fmt::format("  {:<10}  {}{}{}\n", OutcomeName(keyword.outcome), keyword.pointer,
                        keyword.note.empty() ? "" : ": ", keyword.note);
  }
  for (const SchemaNote& note : report.notes) {
    text += fmt::format("  {:<10}  {}: {}\n", "note",
                        note.pointer.empty() ? "the root" : note.pointer, note.text);
  }
  if (!status.ok()) text += fmt::format("  {:<10}  {}\n", "refused", OneLine(status));
  return text;
}

std::string FormatCompiled(const Definition& definition, const CompiledDefinition& compiled,
                           double milliseconds) {
  const VocabularyIndex& vocabulary = compiled.grammar->vocabulary();
  std::string text = fmt::format("{}: compiles\n  kind      {}\n", definition.name,
                                 DefinitionKindName(definition.kind));
  if (definition.kind == DefinitionKind::kJsonSchema) {
    text += fmt::format("  draft     {}\n", compiled.report.draft);
  }
  return text + fmt::format("  time      {:.3f} ms\n  memory    {}\n  for       {} token ids\n",
                            milliseconds, FormatBytes(compiled.grammar->MemoryBytes()),
                            vocabulary.size());
}

// Holds the text against the grammar. Returns the exit status.
int CheckText(const CheckFlags& flags, const CompiledDefinition& compiled, OutputFile* out) {
  Result<std::string> text = ReadInput(flags.text);
  if (!text.ok()) return ReportFailure(text.status());
  if (flags.trim && text->ends_with('\n')) text->pop_back();
  Matcher matcher(compiled.grammar);
  bool accepted = Matches(*text, &matcher);
  Status status = out->Write(
      accepted ? "accepted\n" : fmt::format("rejected {}\n", ExplainMismatch(*text, &matcher)));
  if (status.ok()) status = out->Flush();
  if (!status.ok()) return ReportFailure(status);
  if (!accepted && text->ends_with('\n') && !flags.trim) {
    text->pop_back();
    if (Matches(*text, &matcher)) {
      PrintError("without its final line break the text would be accepted: use --trim");
    }
  }
  return accepted ? kExitDone : kExitRejected;
}

// Says why the file of --compiled cannot be used. Returns the exit status.
int ReportUnusable(const Definition& definition, const Status& status, bool has_vocabulary) {
  const int exit_status = ReportFailure(status);
  if (!has_vocabulary && status.message().find(kAnotherVocabulary) != std::string::npos) {
    PrintError(fmt::format(
        "without --tokenizer or --model, `check` uses the vocabulary of single bytes; name the one "
        "that {} was compiled for",
        definition.compiled));
  }
  return exit_status;
}

int RunCheck(const CheckFlags& flags) {
  OutputFile out = OutputFile::Stdout();
  auto vocabulary = ReadVocabulary(flags.vocabulary);
  if (!vocabulary.ok()) return ReportModelFailure(vocabulary.status());
  if (!flags.batch.empty()) {
    if (flags.definition.any() || !flags.text.empty()) {
      PrintError("--batch takes definitions and texts from its file; give none beside it");
      return kExitUsage;
    }
    if (flags.trim || flags.has_report()) {
      PrintError("--batch answers every line alike; --trim and --report do not go with it");
      return kExitUsage;
    }
    Result<Definition> common = ReadDefinitionOptions(flags.definition);
    if (!common.ok()) return ReportFailure(common.status());
    const int exit_status = RunCheckBatch(flags.batch, *vocabulary, *common, &out);
    WarnOfFolders(*common);
    KeepInCache(*common);
    return exit_status;
  }
  if (!flags.definition.any()) {
    PrintError(
        "give a definition: --schema FILE, --regex REGEX, --grammar FILE, "
        "--compiled FILE, or --batch FILE");
    return kExitUsage;
  }
  if (flags.text == "-" && (flags.definition.schema == "-" || flags.definition.grammar == "-")) {
    PrintError("standard input cannot be both the definition and the text");
    return kExitUsage;
  }
  Result<Definition> definition = ReadDefinition(flags.definition);
  if (!definition.ok()) return ReportFailure(definition.status());
  definition->options.explain = flags.has_report();
  SchemaReport report;
  auto begin = std::chrono::steady_clock::now();
  auto sourced = Compile(&*definition, *vocabulary, &report);
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  if (!sourced.ok() && !definition->compiled.empty()) {
    return ReportUnusable(*definition, sourced.status(), !flags.vocabulary.empty());
  }
  std::string text;
  if (flags.report == "json") {
    text = ReportJson(definition->kind, report, definition->options, sourced.status()) + "\n";
  } else if (sourced.ok() && (flags.has_report() || flags.text.empty())) {
    text = FormatCompiled(*definition, sourced->definition, took.count()) +
           FormatReport(*definition, report, sourced.status());
  } else if (flags.has_report()) {
    text = definition->name + ": refused\n" + FormatReport(*definition, report, sourced.status());
  }
  Status status = out.Write(text);
  if (status.ok()) status = out.Flush();
  if (!status.ok()) return ReportFailure(status);
  WarnOfFolders(*definition);
  if (!sourced.ok()) return ReportRefusal(*definition, sourced.status());
  int exit_status = kExitDone;
  if (!flags.text.empty()) {
    if (!flags.has_report()) WarnOfReport(report);
    exit_status = CheckText(flags, sourced->definition, &out);
  }
  KeepInCache(*definition);
  return exit_status;
}

}  // namespace

void AddCheckCommand(CLI::App* app, Action* action) {
  CLI::App* command =
      app->add_subcommand("check", "Compile a definition and report; hold a text against it");
  auto flags = std::make_shared<CheckFlags>();
  AddDefinitionFlags(command, &flags->definition);
  command->add_option("text", flags->text, "text to hold against the definition (- is stdin)")
      ->type_name("TEXT-FILE");
  command
      ->add_option(
          "--report", flags->report,
          "what became of each keyword, and the options in force, as text or json; also of\n"
          "a schema that is refused")
      ->type_name("[text|json]")
      ->expected(0, 1)
      ->default_str("text")
      ->check([](const std::string& value) {
        if (value == "text" || value == "json") return std::string();
        return fmt::format("\"{}\" is neither text nor json; the text file comes before --report",
                           value);
      });
  command->add_flag("--trim", flags->trim, "drop one final line break of the text");
  command
      ->add_option("--batch", flags->batch, "answer many definitions and texts, one JSON line each")
      ->type_name("IN.jsonl");
  CLI::Option* model =
      command->add_option("--model", flags->vocabulary, "compile for this model's vocabulary")
          ->type_name("FILE.gguf");
  command
      ->add_option(
          "--tokenizer", flags->vocabulary,
          "compile for the vocabulary of this tokenizer.json, or of what `maskloom index`\n"
          "made of it (default: single bytes)")
      ->type_name("FILE")
      ->excludes(model);
  command->footer(
      fmt::format("Examples:\n"
                  "  maskloom check --schema person.json                  what compiles, and how\n"
                  "  maskloom check --schema person.json answer.json      accepted, or where not\n"
                  "  maskloom check --schema person.json --report json    the same for a program\n"
                  "  maskloom check --schema api/order.json --schema-dir api\n"
                  "  echo -n 2024-02-29 | maskloom check --regex '\\d{{4}}-\\d\\d-\\d\\d' -\n"
                  "  maskloom check --batch cases.jsonl > answers.jsonl\n\n"
                  "A line of --batch: {{\"id\":1,\"kind\":\"json_schema|regex|ebnf|gbnf\","
                  "\"definition\":..,\n"
                  "\"options\":{{\"whitespace\":\"any\"}},\"texts\":[\"..\",{{\"hex\":\"..\"}}]}}\n"
                  "Its answer: {{\"id\":1,\"status\":\"ok|refused\",\"message\":\"\","
                  "\"accepted\":[true,..]}}\n\n{}",
                  kExitStatusHelp));
  command->callback([flags, action] { *action = [flags] { return RunCheck(*flags); }; });
}

}  // namespace maskloom::cli
