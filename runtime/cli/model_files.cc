#include "runtime/cli/model_files.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "compiler/vocabulary_file.h"

namespace maskloom::cli {
namespace {

constexpr char kDefaultModel[] = "SmolLM2-135M-Instruct.Q4_1.gguf";

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string DefaultModelPath() {
  std::string cache = Environment("XDG_CACHE_HOME");
  if (cache.empty()) cache = Environment("HOME") + "/.cache";
  return cache + "/maskloom/" + kDefaultModel;
}

// On error: kIo for a file that is missing or a directory.
Status CheckFile(const std::string& path, std::string_view advice) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return Status(StatusCode::kIo, fmt::format("cannot read {}: it is a directory", path));
  }
  if (!std::filesystem::exists(path, error)) {
    return Status(StatusCode::kIo, fmt::format("there is no file {}{}", path, advice));
  }
  return Status::Ok();
}

}  // namespace

Result<std::string> FindModel(const std::string& flag) {
  std::string path = flag;
  std::string_view advice;
  if (path.empty()) {
    path = Environment("MASKLOOM_MODEL");
    advice = ", which MASKLOOM_MODEL names; run ./quickstart.sh to fetch a model, or pass --model";
  }
  if (path.empty()) {
    path = DefaultModelPath();
    advice = "; run ./quickstart.sh to fetch a model, or pass --model FILE.gguf";
  }
  if (Status status = CheckFile(path, advice); !status.ok()) return status;
  return path;
}

Result<std::string> FindTokenizer(const std::string& tokenizer, const std::string& model) {
  return tokenizer.empty() ? FindModel(model) : Result<std::string>(tokenizer);
}

Result<std::shared_ptr<const Tokenizer>> ReadTokenizer(const std::string& path) {
  if (Status status = CheckFile(path, ""); !status.ok()) return status;
  if (IsArchiveFile(path)) {
    return Status(StatusCode::kInvalidModel,
                  path +
                      ": a file of Maskloom's own holds no tokenizer; give the tokenizer.json or "
                      "the model that it was made from");
  }
  return OpenTokenizer(path);
}

Result<std::shared_ptr<const VocabularyIndex>> ReadVocabulary(const std::string& path) {
  if (path.empty()) return VocabularyIndex::Bytes();
  if (Status status = CheckFile(path, ""); !status.ok()) return status;
  if (IsArchiveFile(path)) return LoadVocabularyIndex(path);
  auto vocabulary = OpenVocabulary(path);
  if (!vocabulary.ok()) return vocabulary.status();
  return VocabularyIndex::Build(Vocabulary(**vocabulary));
}

}  // namespace maskloom::cli
