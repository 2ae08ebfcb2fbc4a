// `maskloom score`: what a model thinks of a text, one JSON line a token.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>

#include "runtime/cli/commands.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/json_number.h"
#include "runtime/cli/json_reader.h"
#include "runtime/cli/model_flags.h"
#include "runtime/cli/token_ids.h"

namespace maskloom::cli {
namespace {

constexpr size_t kChunkTokens = 32;  // positions whose logits are held at once

struct ScoreFlags {
  ModelFlags model;
  std::string text;
  std::string ids;
  bool has_text = false;
  unsigned top = 0;
};

// A row of logits, summed up.
struct RowFigures {
  double logsumexp = 0;
  double entropy_bits = 0;
};

RowFigures Sum(std::span<const float> logits) {
  double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  double weighted = 0;  // sum of exp(x - largest) * (x - largest)
  for (float logit : logits) {
    double distance = logit - largest;
    double mass = std::exp(distance);
    total += mass;
    weighted += mass * distance;
  }
  return {largest + std::log(total), (std::log(total) - weighted / total) / std::log(2.0)};
}

// [[id,logit],..], largest logit first, ties to the lower id.
std::string TopJson(std::span<const float> logits, size_t count) {
  std::vector<TokenId> ids(logits.size());
  std::iota(ids.begin(), ids.end(), TokenId{0});
  count = std::min(count, ids.size());
  std::partial_sort(
      ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(),
      [&](TokenId a, TokenId b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) {
    text += fmt::format("{}[{},{}]", i == 0 ? "" : ",", ids[i], JsonNumber(logits[ids[i]]));
  }
  return text + "]";
}

Result<std::vector<TokenId>> ReadTokens(const ScoreFlags& flags, const LanguageModel& model) {
  if (!flags.ids.empty()) return ParseTokenIds(flags.ids, model.tokenizer().vocabulary().size());
  std::string text = flags.text;
  if (text == "-") {
    Result<std::string> input = ReadInput(text);
    if (!input.ok()) return input.status();
    text = std::move(*input);
  }
  EncodeOptions options;
  options.parse_special = true;
  options.add_bos = true;
  std::vector<TokenId> tokens = model.tokenizer().Encode(text, options);
  if (tokens.empty()) return Status(StatusCode::kInvalidArgument, "the text has no tokens");
  return tokens;
}

// Runs all tokens and writes a line for each. Returns the sum of the log-probabilities.
Result<double> ScoreTokens(const std::vector<TokenId>& tokens, unsigned top, LanguageModel* model,
                           OutputFile* out) {
  ForwardPass& pass = model->forward_pass();
  auto cache = pass.MakeCache();
  if (!cache.ok()) return cache.status();
  std::vector<int32_t> ids(tokens.begin(), tokens.end());
  std::vector<float> logits(kChunkTokens * pass.vocab_size());
  double total = 0;
  std::string logprob = "null";  // of the next line's id
  for (size_t begin = 0; begin < ids.size() && !Interrupted(); begin += kChunkTokens) {
    size_t count = std::min(kChunkTokens, ids.size() - begin);
    Status status = pass.Forward(std::span(ids).subspan(begin, count), cache->get(), count);
    if (status.ok()) status = pass.Logits(0, count, logits.data());
    for (size_t i = begin; status.ok() && i < begin + count; ++i) {
      auto row = std::span<const float>(logits).subspan((i - begin) * pass.vocab_size(),
                                                        pass.vocab_size());
      RowFigures figures = Sum(row);
      std::string line = fmt::format("{{\"id\":{},\"bytes\":\"", tokens[i]);
      AppendHex(model->tokenizer().TokenBytes(tokens[i]), &line);
      line += fmt::format("\",\"logprob\":{},\"logsumexp\":{},\"entropy\":{},\"top\":{}}}\n",
                          logprob, JsonNumber(figures.logsumexp), JsonNumber(figures.entropy_bits),
                          TopJson(row, top));
      status = out->Write(line);
      if (i + 1 == ids.size()) break;
      double next = row[tokens[i + 1]] - figures.logsumexp;
      total += next;
      logprob = JsonNumber(next);
    }
    if (status.ok()) status = out->Flush();
    if (!status.ok()) return status;
  }
  return total;
}

int RunScore(const ScoreFlags& flags) {
  if (!flags.has_text && flags.ids.empty()) {
    PrintError("give a TEXT (- is stdin) or --ids IDS");
    return kExitUsage;
  }
  auto model = OpenModel(flags.model);
  if (!model.ok()) return ReportModelFailure(model.status());
  Result<std::vector<TokenId>> tokens = ReadTokens(flags, **model);
  if (!tokens.ok()) return ReportFailure(tokens.status());
  size_t context = (*model)->forward_pass().context_length();
  if (tokens->size() > context) {
    PrintError(fmt::format("the text has {} tokens, but the model's context holds {}",
                           tokens->size(), context));
    return kExitUsage;
  }
  CatchInterrupts();
  OutputFile out = OutputFile::Stdout();
  Result<double> total = ScoreTokens(*tokens, flags.top, model->get(), &out);
  if (!total.ok()) return ReportFailure(total.status());
  if (Interrupted()) {
    PrintError("interrupted; every line so far is complete");
    return kExitInterrupted;
  }
  size_t scored = tokens->size() - 1;
  std::string perplexity =
      scored == 0 ? "null" : JsonNumber(std::exp(-*total / static_cast<double>(scored)));
  Status status = out.Write(fmt::format("{{\"tokens\":{},\"logprob\":{},\"perplexity\":{}}}\n",
                                        tokens->size(), JsonNumber(*total), perplexity));
  if (status.ok()) status = out.Flush();
  return status.ok() ? int{kExitDone} : ReportFailure(status);
}

}  // namespace

void AddScoreCommand(CLI::App* app, Action* action) {
  CLI::App* command =
      app->add_subcommand("score", "Log-probabilities, entropies and perplexity of a text");
  auto flags = std::make_shared<ScoreFlags>();
  AddModelFlags(command, &flags->model);
  command->add_option("text", flags->text, "the text (- is stdin); special tokens are parsed")
      ->type_name("TEXT")
      ->each([flags](const std::string&) { flags->has_text = true; });
  command->add_option("--ids", flags->ids, "score these token ids instead")->type_name("IDS");
  command->add_option("--top", flags->top, "list the K largest logits of each position")
      ->type_name("K")
      ->capture_default_str();
  command->footer(
      fmt::format("Prints for each token {{\"id\",\"bytes\":hex,\"logprob\",\"logsumexp\","
                  "\"entropy\",\"top\":[[id,logit],..]}}:\n"
                  "logprob is of this token given those before it (null for the first); the last\n"
                  "three, entropy in bits, describe what follows it. The last line is\n"
                  "{{\"tokens\",\"logprob\",\"perplexity\"}}.\n\n"
                  "Examples:\n"
                  "  maskloom score 'The capital of France is Paris.'\n"
                  "  maskloom score --top 5 --ids 504,3575,282,4649,314\n\n{}",
                  kExitStatusHelp));
  command->callback([flags, action] { *action = [flags] { return RunScore(*flags); }; });
}

}  // namespace maskloom::cli
