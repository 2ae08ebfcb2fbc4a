// `maskloom generate`: a model writes a text that matches a definition.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "compiler/completion_worker.h"
#include "runtime/chat/chat_template.h"
#include "runtime/chat/utf8_stream.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/cuda_devices.h"
#include "runtime/cli/definition_flags.h"
#include "runtime/cli/exit_status.h"
#include "runtime/cli/files.h"
#include "runtime/cli/generate_report.h"
#include "runtime/cli/model_flags.h"
#include "runtime/engine/generate_loop.h"

namespace maskloom::cli {
namespace {

constexpr size_t kMaxDefinitionInPrompt = 4000;  // bytes
constexpr size_t kShownCompletionBytes = 60;

struct GenerateFlags {
  DefinitionFlags definition;
  ModelFlags model;
  std::string prompt;
  std::string system;
  std::string trace;
  std::string device = "cpu";
  bool has_prompt = false;
  bool raw = false;
  bool ahead = false;
  bool stats = false;
  GenerateOptions options;
};

uint64_t NowNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// The prompt when none is given.
std::string DefaultPrompt(const std::optional<Definition>& definition) {
  if (!definition) return "Tell me something interesting.";
  if (definition->text.size() > kMaxDefinitionInPrompt) return "Write an example.";
  switch (definition->kind) {
    case DefinitionKind::kJsonSchema:
      return "Write an example of JSON that matches this JSON Schema:\n" + definition->text;
    case DefinitionKind::kRegex:
      return "Write an example of a text that matches this regular expression: " + definition->text;
    case DefinitionKind::kEbnf:
      break;
  }
  return "Write an example of a text that matches this grammar:\n" + definition->text;
}

Result<std::vector<TokenId>> EncodePrompt(const GenerateFlags& flags, const std::string& prompt,
                                          const Tokenizer& tokenizer) {
  EncodeOptions options;
  options.parse_special = true;
  options.add_bos = true;
  if (flags.raw) return tokenizer.Encode(prompt, options);
  Result<ChatTemplate> chat = ChatTemplate::FromTokenizer(tokenizer);
  if (!chat.ok()) {
    return Status(chat.status().code(),
                  chat.status().message() + " (--raw gives the prompt to the model as it is)");
  }
  std::vector<ChatMessage> messages;
  if (!flags.system.empty()) messages.push_back({"system", flags.system});
  messages.push_back({"user", prompt});
  Result<ChatPrompt> rendered = chat->Render(messages);
  if (!rendered.ok()) return rendered.status();
  options.literal = rendered->literal;
  return tokenizer.Encode(rendered->text, options);
}

// Everything that is ready before the first token.
struct Session {
  std::unique_ptr<LanguageModel> model;
  std::optional<Definition> definition;
  std::shared_ptr<const CompiledGrammar> grammar;
  std::unique_ptr<GenerateLoop> loop;
  std::optional<OutputFile> trace;
  GenerateStats stats;
};

// Compiles the definition, if there is one. Returns the exit status.
int CompileFor(const GenerateFlags& flags, Session* session) {
  if (!session->definition) return kExitDone;
  Definition& definition = *session->definition;
  auto vocabulary = session->model->VocabularyForGrammars();
  if (!vocabulary.ok()) return ReportModelFailure(vocabulary.status());
  uint64_t begin = NowNs();
  auto compiled = Compile(&definition, *vocabulary);
  session->stats.AddCompile(NowNs() - begin);
  WarnOfFolders(definition);
  if (!compiled.ok() && !definition.compiled.empty()) return ReportFailure(compiled.status());
  if (!compiled.ok()) return ReportRefusal(definition, compiled.status());
  WarnOfReport(compiled->definition.report);
  session->grammar = std::move(compiled->definition.grammar);
  if (flags.ahead) CompleteInBackground(session->grammar);
  return kExitDone;
}

// Refuses a device that is not there, or does not run models yet. Returns the exit status.
int CheckDevice(const std::string& device) {
  if (device == "cpu") return kExitDone;
  const std::string missing = WhyNoCudaDevice();
  PrintError(fmt::format(
      "--device {}: {}. Without --device the model runs on the CPU", device,
      missing.empty() ? "this version runs models on the CPU alone; on CUDA devices it chooses "
                        "tokens for engines that bring their own logits (docs/gpu.md)"
                      : "there is no CUDA device: " + missing));
  return kExitUsage;
}

// Reads all inputs and gets everything ready. Returns the exit status.
int Prepare(const GenerateFlags& flags, Session* session) {
  if (int status = CheckDevice(flags.device); status != kExitDone) return status;
  if (flags.ahead && !flags.definition.any()) {
    PrintError("--ahead makes the masks of a definition; give one");
    return kExitUsage;
  }
  bool definition_is_stdin = flags.definition.schema == "-" || flags.definition.grammar == "-";
  if (flags.prompt == "-" && definition_is_stdin) {
    PrintError("standard input cannot be both the definition and the prompt");
    return kExitUsage;
  }
  if (flags.definition.any()) {
    Result<Definition> read = ReadDefinition(flags.definition);
    if (!read.ok()) return ReportFailure(read.status());
    session->definition = std::move(*read);
  }
  std::string prompt = flags.prompt;
  if (flags.has_prompt && prompt == "-") {
    Result<std::string> input = ReadInput(prompt);
    if (!input.ok()) return ReportFailure(input.status());
    prompt = std::move(*input);
  }
  if (!flags.trace.empty()) {
    Result<OutputFile> trace = OutputFile::Create(flags.trace);
    if (!trace.ok()) return ReportFailure(trace.status());
    session->trace.emplace(std::move(*trace));
  }
  auto model = OpenModel(flags.model);
  if (!model.ok()) return ReportModelFailure(model.status());
  session->model = std::move(*model);
  if (int status = CompileFor(flags, session); status != kExitDone) return status;
  if (!flags.has_prompt) prompt = DefaultPrompt(session->definition);
  Result<std::vector<TokenId>> tokens = EncodePrompt(flags, prompt, session->model->tokenizer());
  if (!tokens.ok()) {
    ReportFailure(tokens.status());
    return tokens.status().code() == StatusCode::kUnsupported ? kExitFile : kExitUsage;
  }
  GenerateOptions options = flags.options;
  options.full_rows = session->trace.has_value();
  auto loop = GenerateLoop::Create(session->model.get(), session->grammar, *tokens, options);
  if (!loop.ok()) return ReportFailure(loop.status());
  session->loop = std::move(*loop);
  return kExitDone;
}

// Writes tokens until the text is finished. On error: the first of any kind.
Status WriteText(Session* session, OutputFile* out) {
  GenerateLoop& loop = *session->loop;
  uint64_t begin = NowNs();
  for (bool ready = false; !ready && !Interrupted();) {
    Result<bool> done = loop.Prefill();
    if (!done.ok()) return done.status();
    ready = *done;
  }
  session->stats.AddPrefill(NowNs() - begin, loop.prompt_count());
  Utf8Stream stream;
  TokenRecord record;
  std::string shown;
  Status status;
  while (status.ok() && !Interrupted()) {
    Result<bool> more = loop.Next(&record);
    if (!more.ok()) status = more.status();
    if (!more.ok()) break;
    if (!*more) {
      session->stats.AddLastMask(record);
      break;
    }
    session->stats.AddToken(record);
    shown.clear();
    stream.Append(record.bytes, &shown);
    if (!shown.empty()) {
      status = out->Write(shown);
      if (status.ok()) status = out->Flush();
    }
    if (status.ok() && session->trace) {
      status = session->trace->Write(TraceLine(loop.token_count() - 1, record,
                                               session->model->tokenizer().TokenBytes(record.id)));
      if (status.ok()) status = session->trace->Flush();
    }
  }
  shown.clear();
  stream.Finish(&shown);
  Status last = out->Write(shown + "\n");
  if (last.ok()) last = out->Flush();
  return status.ok() ? last : status;
}

// Says why a text is incomplete. Returns the exit status.
int ReportIncomplete(const GenerateLoop& loop, bool has_grammar) {
  std::string why = loop.finish_reason() == FinishReason::kContextFull
                        ? "the model's context is full"
                        : "--max-tokens is reached";
  std::string how;
  if (has_grammar) {
    how = loop.Completion();
    if (how.size() > kShownCompletionBytes) how = how.substr(0, kShownCompletionBytes) + "...";
    how = "; one way to complete it: " + how;
  }
  PrintError(
      fmt::format("the text is incomplete after {} tokens: {}{}", loop.token_count(), why, how));
  return kExitIncomplete;
}

int RunGenerate(const GenerateFlags& flags) {
  Session session;
  if (int status = Prepare(flags, &session); status != kExitDone) return status;
  CatchInterrupts();
  OutputFile out = OutputFile::Stdout();
  uint64_t begin = NowNs();
  Status status = WriteText(&session, &out);
  if (flags.stats) {
    fmt::print(stderr, "{}", session.stats.ToString(NowNs() - begin));
  }
  if (session.definition) KeepInCache(*session.definition);
  if (!status.ok()) {
    ReportFailure(status);
    return kExitFile;
  }
  if (session.trace) {
    if (Status closed = session.trace->Close(); !closed.ok()) return ReportFailure(closed);
  }
  if (Interrupted()) {
    PrintError(fmt::format("interrupted after {} tokens", session.loop->token_count()));
    return kExitInterrupted;
  }
  if (!session.loop->IsComplete())
    return ReportIncomplete(*session.loop, session.grammar != nullptr);
  return kExitDone;
}

void AddSamplingFlags(CLI::App* command, GenerateOptions* options) {
  SamplingOptions& sampling = options->sampling;
  sampling.temperature = 0.7;
  auto add = [command](const char* name, auto* value, const char* help, const char* type) {
    command->add_option(name, *value, help)->type_name(type)->capture_default_str();
  };
  add("--max-tokens", &options->max_tokens, "most tokens of the text", "N");
  add("--temperature", &sampling.temperature, "0 takes the most probable token", "T");
  add("--top-k", &sampling.top_k, "keep the K most probable tokens (0: all)", "K");
  add("--top-p", &sampling.top_p, "keep the smallest set with probability P (1: all)", "P");
  add("--min-p", &sampling.min_p, "keep tokens of at least P times the largest probability", "P");
  add("--repetition-penalty", &sampling.repetition_penalty,
      "divides logits of tokens seen in prompt and text (1: off)", "R");
  add("--frequency-penalty", &sampling.frequency_penalty,
      "subtracted for each occurrence in the text (0: off)", "F");
  add("--presence-penalty", &sampling.presence_penalty,
      "subtracted once for a token of the text (0: off)", "F");
  add("--seed", &sampling.seed, "the same seed gives the same text", "S");
}

}  // namespace

void AddGenerateCommand(CLI::App* app, Action* action) {
  CLI::App* command =
      app->add_subcommand("generate", "Let a model write a text that matches a definition");
  auto flags = std::make_shared<GenerateFlags>();
  AddDefinitionFlags(command, &flags->definition);
  AddModelFlags(command, &flags->model);
  command->add_option("--device", flags->device, "where the model runs; this version: cpu")
      ->type_name("DEVICE")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command
      ->add_option(
          "--prompt", flags->prompt,
          "what the user says (- is stdin); default: asks for an example of the definition")
      ->type_name("TEXT")
      ->each([flags](const std::string&) { flags->has_prompt = true; });
  command->add_option("--system", flags->system, "the system message")->type_name("TEXT");
  command->add_flag("--raw", flags->raw, "give the prompt to the model as it is, as no chat");
  AddSamplingFlags(command, &flags->options);
  command->add_flag("--ahead", flags->ahead,
                    "make masks ahead of the model, on a thread of low priority; the text is the\n"
                    "same");
  command->add_flag("--stats", flags->stats, "print times and counts to stderr at the end");
  command
      ->add_option("--trace", flags->trace,
                   "write one JSON line a token: id, bytes, mask, probabilities, times")
      ->type_name("FILE");
  command->footer(fmt::format(
      "The text is streamed to stdout, with a line break at its end. Without a definition the\n"
      "model writes freely until it ends its turn.\n\n"
      "Examples:\n"
      "  maskloom generate --schema schemas/person.json --prompt 'Describe a sailor.' --stats\n"
      "  maskloom generate --regex '(yes|no), because [a-z ]{{5,80}}\\.' --prompt 'Is 7 prime?'\n"
      "  maskloom generate --schema person.json --temperature 0 --trace trace.jsonl\n"
      "  maskloom generate --prompt 'Write a haiku.' --max-tokens 60\n\n{}",
      kExitStatusHelp));
  command->callback([flags, action] { *action = [flags] { return RunGenerate(*flags); }; });
}

}  // namespace maskloom::cli
