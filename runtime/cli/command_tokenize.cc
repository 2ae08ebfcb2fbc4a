// `maskloom tokenize`: text to token ids, and back.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <optional>

#include "runtime/cli/commands.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/json_reader.h"
#include "runtime/cli/model_files.h"
#include "runtime/cli/model_flags.h"
#include "runtime/cli/token_ids.h"

namespace maskloom::cli {
namespace {

struct TokenizeFlags {
  std::string model;
  std::string tokenizer;
  std::string text;
  std::string decode;
  bool has_text = false;
  bool special = false;
  bool json = false;
};

// {"ids":[..],"bytes":["hex",..]}
std::string TokensJson(const std::vector<TokenId>& ids, const Tokenizer& tokenizer) {
  std::string line = fmt::format("{{\"ids\":[{}],\"bytes\":[", fmt::join(ids, ","));
  for (size_t i = 0; i < ids.size(); ++i) {
    line += i == 0 ? "\"" : ",\"";
    AppendHex(tokenizer.TokenBytes(ids[i]), &line);
    line += '"';
  }
  return line + "]}\n";
}

int Decode(const TokenizeFlags& flags, const Tokenizer& tokenizer, OutputFile* out) {
  Result<std::vector<TokenId>> ids = ParseTokenIds(flags.decode, tokenizer.vocabulary().size());
  if (!ids.ok()) return ReportFailure(ids.status(), "--decode");
  DecodeOptions options;
  options.skip_special = !flags.special;
  Status status =
      out->Write(flags.json ? TokensJson(*ids, tokenizer) : tokenizer.Decode(*ids, options));
  if (status.ok()) status = out->Flush();
  return status.ok() ? int{kExitDone} : ReportFailure(status);
}

int Encode(const TokenizeFlags& flags, const Tokenizer& tokenizer, OutputFile* out) {
  std::string text = flags.text;
  if (text == "-") {
    Result<std::string> input = ReadInput(text);
    if (!input.ok()) return ReportFailure(input.status());
    text = std::move(*input);
  }
  EncodeOptions options;
  options.parse_special = flags.special;
  std::vector<TokenId> ids = tokenizer.Encode(text, options);
  Status status = out->Write(flags.json ? TokensJson(ids, tokenizer)
                                        : fmt::format("{}\n", fmt::join(ids, " ")));
  if (status.ok()) status = out->Flush();
  return status.ok() ? int{kExitDone} : ReportFailure(status);
}

int RunTokenize(const TokenizeFlags& flags) {
  if (flags.has_text == !flags.decode.empty()) {
    PrintError("give either a TEXT (- is stdin) or --decode IDS");
    return kExitUsage;
  }
  Result<std::string> path = FindTokenizer(flags.tokenizer, flags.model);
  if (!path.ok()) return ReportModelFailure(path.status());
  auto tokenizer = ReadTokenizer(*path);
  if (!tokenizer.ok()) return ReportModelFailure(tokenizer.status());
  OutputFile out = OutputFile::Stdout();
  return flags.has_text ? Encode(flags, **tokenizer, &out) : Decode(flags, **tokenizer, &out);
}

}  // namespace

void AddTokenizeCommand(CLI::App* app, Action* action) {
  CLI::App* command = app->add_subcommand("tokenize", "Token ids of a text, or the other way");
  auto flags = std::make_shared<TokenizeFlags>();
  AddTokenizerFlags(command, &flags->model, &flags->tokenizer);
  command->add_option("text", flags->text, "the text (- is stdin)")
      ->type_name("TEXT")
      ->each([flags](const std::string&) { flags->has_text = true; });
  command->add_flag("--special", flags->special,
                    "read special tokens by their text; with --decode, print them");
  command->add_flag("--json", flags->json, "print {\"ids\":[..],\"bytes\":[\"hex\",..]}");
  command->add_option("--decode", flags->decode, "print the text of these ids instead")
      ->type_name("IDS");
  command->footer(
      fmt::format("Examples:\n"
                  "  maskloom tokenize 'Hello world'\n"
                  "  maskloom tokenize --tokenizer tokenizer.json --json - < text\n"
                  "  maskloom tokenize --decode 19556,905\n\n{}",
                  kExitStatusHelp));
  command->callback([flags, action] { *action = [flags] { return RunTokenize(*flags); }; });
}

}  // namespace maskloom::cli
