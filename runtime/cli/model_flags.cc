#include "runtime/cli/model_flags.h"

#include <CLI/CLI.hpp>

#include "runtime/cli/model_files.h"

namespace maskloom::cli {

void AddModelFlags(CLI::App* command, ModelFlags* flags) {
  command
      ->add_option("--model", flags->path,
                   "GGUF model (default: $MASKLOOM_MODEL, else SmolLM2 in the cache folder)")
      ->type_name("FILE.gguf");
  command->add_option("--threads", flags->threads, "threads of the forward pass (0: one a core)")
      ->type_name("N")
      ->check(CLI::Range(0u, 256u))
      ->capture_default_str();
  command
      ->add_option("--compute", flags->compute,
                   "int8: activations rounded to 8 bits, fast; float: exact, slower")
      ->type_name("KIND")
      ->check(CLI::IsMember({"int8", "float"}))
      ->capture_default_str();
}

void AddTokenizerFlags(CLI::App* command, std::string* model, std::string* tokenizer) {
  CLI::Option* option =
      command->add_option("--model", *model, "a GGUF model (default: the cached model)")
          ->type_name("FILE.gguf");
  command->add_option("--tokenizer", *tokenizer, "a tokenizer.json, or a GGUF model")
      ->type_name("FILE")
      ->excludes(option);
}

Result<std::unique_ptr<LanguageModel>> OpenModel(const ModelFlags& flags) {
  Result<std::string> path = FindModel(flags.path);
  if (!path.ok()) return path.status();
  ForwardOptions options;
  options.threads = flags.threads;
  options.compute = flags.compute == "float" ? Compute::kFloat : Compute::kInt8;
  auto model = LanguageModel::Open(*path, options);
  if (!model.ok()) {
    const std::string& message = model.status().message();
    bool named = message.find(*path) != std::string::npos;
    return Status(model.status().code(), named ? message : *path + ": " + message);
  }
  return model;
}

}  // namespace maskloom::cli
