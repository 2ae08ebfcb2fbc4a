// `maskloom bench`: masks along the texts of MaskBench files, what such results say, and curves of
// how costs grow.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "runtime/cli/bench_ahead.h"
#include "runtime/cli/bench_masks.h"
#include "runtime/cli/bench_scaling.h"
#include "runtime/cli/bench_steps.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/exit_status.h"

namespace maskloom::cli {
namespace {

void AddTokenizer(CLI::App* command, std::string* tokenizer) {
  command->add_option("--tokenizer", *tokenizer, "a tokenizer.json, or a GGUF model")
      ->type_name("FILE")
      ->required();
}

void AddList(CLI::App* command, std::string* list, std::string* root) {
  CLI::Option* names =
      command->add_option("--list", *list, "file names, one a line")->type_name("LIST");
  command->add_option("--root", *root, "folder of the names in --list")
      ->type_name("DIR")
      ->needs(names);
}

void AddMasks(CLI::App* bench, Action* action) {
  CLI::App* command = bench->add_subcommand(
      "masks", "Time compilation and masks along the texts of MaskBench files");
  auto options = std::make_shared<MasksBenchOptions>();
  AddTokenizer(command, &options->tokenizer);
  command->add_option("--out", options->out, "where the JSON lines go")
      ->type_name("OUT.jsonl")
      ->required();
  AddList(command, &options->list, &options->root);
  command->add_option("--timeout", options->timeout_s, "seconds for one file, all of it")
      ->type_name("S")
      ->check(CLI::Range(1u, 86400u))
      ->capture_default_str();
  command->add_option("--shuffle", options->shuffle, "run the files in an order drawn from SEED")
      ->type_name("SEED");
  command->add_flag("!--no-check", options->check, "do not check the answers before");
  command->add_flag("!--no-retime", options->retime, "do not time the worst masks again");
  command
      ->add_option("--compare", options->compare,
                   "result files of other engines, to set beside this one")
      ->type_name("OTHER.jsonl");
  command
      ->add_option("files", options->files,
                   "MaskBench files, or schemas: these are compiled and give one mask")
      ->type_name("FILE");
  command->footer(fmt::format(
      "One thread, pinned; each schema once, cold. Answers are checked before: a wrong one is "
      "named\n"
      "and the exit status is 1. The worst masks are timed twice more and their best time counts.\n"
      "A summary goes to stderr, and as the last line to OUT.jsonl.\n\n"
      "Examples:\n"
      "  maskloom bench masks --tokenizer tokenizer.json --out out.jsonl a.json b.json\n"
      "  maskloom bench masks --tokenizer tokenizer.json --out out.jsonl \\\n"
      "      --list sample-dev-1000.txt --root maskbench --compare llguidance.jsonl\n\n{}",
      kExitStatusHelp));
  command->callback([options, action] { *action = [options] { return RunMasksBench(*options); }; });
}

void AddReport(CLI::App* bench, Action* action) {
  CLI::App* command =
      bench->add_subcommand("report", "Sum up a result file of `bench masks`, or compare several");
  auto path = std::make_shared<std::string>();
  auto compare = std::make_shared<std::vector<std::string>>();
  command->add_option("--compare", *compare, "result files of other engines, or of other runs")
      ->type_name("OTHER.jsonl");
  command->add_option("result", *path, "what --out of `bench masks` wrote")
      ->type_name("OUT.jsonl")
      ->required();
  command->footer(fmt::format(
      "Example:\n  maskloom bench report out.jsonl --compare llguidance.jsonl glrmask.jsonl\n\n{}",
      kExitStatusHelp));
  command->callback([path, compare, action] {
    *action = [path, compare] { return ReportMasksBench(*path, *compare); };
  });
}

void AddScaling(CLI::App* bench, Action* action) {
  CLI::App* command = bench->add_subcommand(
      "scaling", "Time masks as nesting, branches, keys, bounds or the vocabulary grow");
  auto options = std::make_shared<ScalingBenchOptions>();
  command
      ->add_option(
          "--tokenizer", options->tokenizers,
          "tokenizer.json or GGUF: the first for all curves, each for that of vocabularies; "
          "without it vocabularies are made up")
      ->type_name("FILE");
  command->add_option("--curve", options->curves, "only the curve of this name")->type_name("NAME");
  command->add_option("--out", options->out, "where the JSON lines go")
      ->type_name("OUT.jsonl")
      ->required();
  command->footer(fmt::format(
      "Times are the best of three runs from nothing. A line per point goes to stderr.\n\n"
      "Examples:\n"
      "  maskloom bench scaling --tokenizer tokenizer.json --out scaling.jsonl\n"
      "  python3 bench/plot_scaling.py scaling.jsonl docs/scaling.svg\n\n{}",
      kExitStatusHelp));
  command->callback(
      [options, action] { *action = [options] { return RunScalingBench(*options); }; });
}

void AddAhead(CLI::App* bench, Action* action) {
  CLI::App* command = bench->add_subcommand(
      "ahead", "Count the masks that completion has ready when a decoder comes for them");
  auto options = std::make_shared<AheadBenchOptions>();
  AddTokenizer(command, &options->tokenizer);
  command->add_option("--pace", options->pace_us, "microseconds that a model takes for a token")
      ->type_name("US")
      ->check(CLI::Range(1u, 1000000000u))
      ->capture_default_str();
  command->add_option("--limit", options->limit_ms, "milliseconds for one grammar to be completed")
      ->type_name("MS")
      ->check(CLI::Range(1u, 86400000u))
      ->capture_default_str();
  command->add_option("files", options->files, "MaskBench files")->type_name("FILE")->required();
  command->footer(fmt::format(
      "Schemas that are refused are named and left out; the exit status is 2 where none "
      "compiles.\n\n"
      "Example:\n  maskloom bench ahead --tokenizer tokenizer.json maskbench/*.json\n\n{}",
      kExitStatusHelp));
  command->callback([options, action] { *action = [options] { return RunAheadBench(*options); }; });
}

void AddSteps(CLI::App* bench, Action* action) {
  CLI::App* command =
      bench->add_subcommand("steps", "Count the steps that rows make by tables, without the host");
  auto options = std::make_shared<StepsBenchOptions>();
  AddTokenizer(command, &options->tokenizer);
  AddList(command, &options->list, &options->root);
  command->add_option("--ahead", options->ahead.states, "states to explore before the first text")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option_function<uint32_t>(
          "--ahead-ms",
          [options](uint32_t ms) { options->ahead.time = std::chrono::milliseconds(ms); },
          "milliseconds of one grammar in which states are explored")
      ->type_name("MS")
      ->default_str("100");
  command
      ->add_option("--widen", options->limits.widened_tokens,
                   "tokens of a state that learns all its steps at its second want, at most")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--tokens", options->ahead.tokens,
                   "tokens of a number or pattern that learns all its steps ahead, at most")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("files", options->files, "MaskBench files")->type_name("FILE");
  command->footer(fmt::format(
      "Tables and matcher are compared at every token: a difference is named and the exit status\n"
      "is 1.\n\n"
      "Example:\n  maskloom bench steps --tokenizer tokenizer.json maskbench/*.json\n\n{}",
      kExitStatusHelp));
  command->callback([options, action] { *action = [options] { return RunStepsBench(*options); }; });
}

}  // namespace

void AddBenchCommand(CLI::App* app, Action* action) {
  CLI::App* bench = app->add_subcommand("bench", "Measure this build on this machine");
  bench->require_subcommand(1);
  AddMasks(bench, action);
  AddReport(bench, action);
  AddScaling(bench, action);
  AddAhead(bench, action);
  AddSteps(bench, action);
}

}  // namespace maskloom::cli
