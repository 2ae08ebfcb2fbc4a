#include "runtime/engine/language_model.h"

#include <utility>
#include <vector>

#include "runtime/gguf/gguf_file.h"
#include "runtime/model/llama_model.h"

namespace maskloom {

Result<std::unique_ptr<LanguageModel>> LanguageModel::Open(const std::string& path,
                                                           const ForwardOptions& options) {
  auto file = GgufFile::Open(path);
  if (!file.ok()) return file.status();
  std::unique_ptr<LanguageModel> model(new LanguageModel);
  auto tokenizer = LoadTokenizerFromGguf(**file);
  if (!tokenizer.ok()) return tokenizer.status();
  model->tokenizer_ = std::move(*tokenizer);
  auto weights = LlamaModel::Load(std::move(*file));
  if (!weights.ok()) return weights.status();
  size_t tokens = model->tokenizer_->vocabulary().size();
  size_t rows = (*weights)->config().vocab_size;
  if (tokens > rows) {
    return Status(StatusCode::kInvalidModel, "the tokenizer has " + std::to_string(tokens) +
                                                 " tokens but the model only " +
                                                 std::to_string(rows) + " logits");
  }
  auto pass = ForwardPass::Create(std::move(*weights), options);
  if (!pass.ok()) return pass.status();
  model->forward_pass_ = std::move(*pass);
  return model;
}

Result<std::shared_ptr<const VocabularyIndex>> LanguageModel::VocabularyForGrammars() {
  if (vocabulary_ != nullptr) return vocabulary_;
  const Vocabulary& own = tokenizer_->vocabulary();
  if (own.size() == row_size()) {
    vocabulary_ = VocabularyIndex::Build(own);
    return vocabulary_;
  }
  std::vector<Vocabulary::Token> tokens(own.size());
  for (TokenId id = 0; id < own.size(); ++id) {
    tokens[id].bytes = own.bytes(id);
    tokens[id].kind = own.kind(id);
  }
  auto padded = Vocabulary::Create(std::move(tokens), own.end_tokens(), row_size());
  if (!padded.ok()) return padded.status();
  vocabulary_ = VocabularyIndex::Build(std::move(*padded));
  return vocabulary_;
}

}  // namespace maskloom
