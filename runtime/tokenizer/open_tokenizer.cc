// Opens tokenizer files: recognises what a file is and hands it to the reader for it.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "runtime/gguf/gguf_file.h"
#include "runtime/tokenizer/tokenizer.h"
#include "runtime/tokenizer/tokenizer_definition.h"
#include "runtime/tokenizer/tokenizer_gguf.h"
#include "runtime/tokenizer/tokenizer_json.h"

namespace maskloom {
namespace {

constexpr std::streamoff kMaxJsonBytes = std::streamoff{1} << 29;

enum class FileKind { kGguf, kJson, kZstd, kOther };

Status CannotRead(const std::string& path, int error) {
  return Status(StatusCode::kIo,
                path + ": cannot read the file: " + (error != 0 ? std::strerror(error) : "failed"));
}

Result<FileKind> RecogniseFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return CannotRead(path, errno);
  char head[64] = {};
  file.read(head, sizeof(head));
  if (file.bad() || (file.gcount() == 0 && errno != 0)) return CannotRead(path, errno);
  std::string_view begin(head, static_cast<size_t>(file.gcount()));
  if (begin.starts_with("GGUF")) return FileKind::kGguf;
  if (begin.starts_with("\x28\xB5\x2F\xFD")) return FileKind::kZstd;
  if (begin.starts_with("\xEF\xBB\xBF")) begin.remove_prefix(3);
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  return begin.starts_with("{") ? FileKind::kJson : FileKind::kOther;
}

Result<std::string> ReadWholeFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return CannotRead(path, errno);
  const std::streamoff size = file.tellg();
  if (size < 0) return CannotRead(path, errno);
  if (size > kMaxJsonBytes) {
    return Status(StatusCode::kResourceLimit,
                  path + ": " + std::to_string(size) + " bytes are too many for a tokenizer.json");
  }
  std::string text(static_cast<size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(text.data(), size)) return CannotRead(path, errno);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

Result<std::shared_ptr<const Tokenizer>> MakeTokenizer(Result<TokenizerDefinition> definition,
                                                       const std::string& name) {
  if (!definition.ok()) return definition.status();
  auto tokenizer = Tokenizer::Create(std::move(*definition));
  if (tokenizer.ok()) return tokenizer;
  return Status(tokenizer.status().code(), name + ": " + tokenizer.status().message());
}

Result<std::shared_ptr<const Vocabulary>> MakeVocabulary(Result<TokenizerDefinition> definition,
                                                         const std::string& name) {
  if (!definition.ok()) return definition.status();
  auto vocabulary =
      Vocabulary::Create(std::move(definition->tokens), std::move(definition->end_tokens));
  if (vocabulary.ok()) return std::make_shared<const Vocabulary>(std::move(*vocabulary));
  return Status(StatusCode::kInvalidModel, name + ": " + vocabulary.status().message());
}

// Opens `path` by what it is; `T` is Tokenizer or Vocabulary.
template <typename T>
Result<std::shared_ptr<const T>> OpenByKind(
    const std::string& path, Result<std::shared_ptr<const T>> (*from_gguf)(const GgufFile&),
    Result<std::shared_ptr<const T>> (*from_json)(const std::string&)) {
  const Result<FileKind> kind = RecogniseFile(path);
  if (!kind.ok()) return kind.status();
  switch (*kind) {
    case FileKind::kGguf: {
      const auto file = GgufFile::Open(path);
      if (!file.ok()) return file.status();
      return from_gguf(**file);
    }
    case FileKind::kJson:
      return from_json(path);
    case FileKind::kZstd:
      return Status(StatusCode::kInvalidModel,
                    path + ": the file is compressed; unpack it first with zstd -d");
    case FileKind::kOther:
      break;
  }
  return Status(StatusCode::kInvalidModel,
                path +
                    ": neither a GGUF model nor a tokenizer.json (it begins with neither "
                    "\"GGUF\" nor \"{\")");
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> OpenTokenizer(const std::string& path) {
  return OpenByKind<Tokenizer>(path, LoadTokenizerFromGguf, LoadTokenizerFromJson);
}

Result<std::shared_ptr<const Vocabulary>> OpenVocabulary(const std::string& path) {
  return OpenByKind<Vocabulary>(path, LoadVocabularyFromGguf, LoadVocabularyFromJson);
}

Result<std::shared_ptr<const Tokenizer>> LoadTokenizerFromGguf(const GgufFile& file) {
  return MakeTokenizer(ReadTokenizerGguf(file, TokenizerParts::kAll), file.path());
}

Result<std::shared_ptr<const Vocabulary>> LoadVocabularyFromGguf(const GgufFile& file) {
  return MakeVocabulary(ReadTokenizerGguf(file, TokenizerParts::kVocabularyOnly), file.path());
}

Result<std::shared_ptr<const Tokenizer>> LoadTokenizerFromJson(const std::string& path) {
  auto text = ReadWholeFile(path);
  if (!text.ok()) return text.status();
  return ParseTokenizerJson(std::move(*text), path);
}

Result<std::shared_ptr<const Vocabulary>> LoadVocabularyFromJson(const std::string& path) {
  auto text = ReadWholeFile(path);
  if (!text.ok()) return text.status();
  return ParseVocabularyJson(std::move(*text), path);
}

Result<std::shared_ptr<const Tokenizer>> ParseTokenizerJson(std::string text,
                                                            const std::string& name) {
  return MakeTokenizer(ReadTokenizerJson(std::move(text), name, TokenizerParts::kAll), name);
}

Result<std::shared_ptr<const Vocabulary>> ParseVocabularyJson(std::string text,
                                                              const std::string& name) {
  return MakeVocabulary(ReadTokenizerJson(std::move(text), name, TokenizerParts::kVocabularyOnly),
                        name);
}

}  // namespace maskloom
