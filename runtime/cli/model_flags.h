// The options that choose a model and how it is run.
#pragma once

#include <memory>
#include <string>

#include "grammar/base/status.h"
#include "runtime/engine/language_model.h"

namespace CLI {
class App;
}

namespace maskloom::cli {

struct ModelFlags {
  std::string path;  // empty: FindModel()
  std::string compute = "int8";
  unsigned threads = 0;
};

// Adds --model, --threads and --compute.
void AddModelFlags(CLI::App* command, ModelFlags* flags);

// Adds --model and --tokenizer, of which one may be given; see FindTokenizer.
void AddTokenizerFlags(CLI::App* command, std::string* model, std::string* tokenizer);

// Finds and opens the model. On error: as FindModel and LanguageModel::Open, with the path in
// front.
Result<std::unique_ptr<LanguageModel>> OpenModel(const ModelFlags& flags);

}  // namespace maskloom::cli
