// The version, error and vocabulary calls of the C API.
#include <algorithm>
#include <vector>

#include "compiler/vocabulary_file.h"
#include "runtime/c_api/handles.h"
#include "runtime/tokenizer/tokenizer.h"
#include "runtime/version.h"

using maskloom::ArchiveKind;
using maskloom::ArchiveKindOfFile;
using maskloom::Result;
using maskloom::Status;
using maskloom::StatusCode;
using maskloom::TokenKind;
using maskloom::Vocabulary;
using maskloom::VocabularyIndex;
using maskloom::c_api::Guard;
using maskloom::c_api::NameReader;
using maskloom::c_api::Report;

namespace {

TokenKind ToKind(maskloom_token_kind kind) {
  switch (kind) {
    case MASKLOOM_TOKEN_NORMAL:
      return TokenKind::kNormal;
    case MASKLOOM_TOKEN_CONTROL:
      return TokenKind::kControl;
    case MASKLOOM_TOKEN_UNUSED:
      break;
  }
  return TokenKind::kUnused;
}

maskloom_token_kind FromKind(TokenKind kind) {
  switch (kind) {
    case TokenKind::kNormal:
      return MASKLOOM_TOKEN_NORMAL;
    case TokenKind::kControl:
      return MASKLOOM_TOKEN_CONTROL;
    case TokenKind::kUnused:
      break;
  }
  return MASKLOOM_TOKEN_UNUSED;
}

// Returns `vocabulary` with rows of `row_size` logits.
Result<Vocabulary> WithRowSize(const Vocabulary& vocabulary, uint32_t row_size) {
  if (row_size == 0 || row_size == vocabulary.size()) return vocabulary;
  std::vector<Vocabulary::Token> tokens(vocabulary.size());
  for (uint32_t id = 0; id < vocabulary.size(); ++id) {
    tokens[id].bytes = vocabulary.bytes(id);
    tokens[id].kind = vocabulary.kind(id);
  }
  return Vocabulary::Create(std::move(tokens), vocabulary.end_tokens(), row_size);
}

maskloom_status Finish(Result<Vocabulary> vocabulary, maskloom_vocabulary** out,
                       maskloom_error* error) {
  if (!vocabulary.ok()) return Report(vocabulary.status(), error);
  *out = new maskloom_vocabulary{VocabularyIndex::Build(std::move(*vocabulary))};
  return MASKLOOM_OK;
}

}  // namespace

const char* maskloom_version(void) { return maskloom::VersionString(); }

const char* maskloom_status_name(maskloom_status status) {
  switch (status) {
    case MASKLOOM_OK:
      return "ok";
    case MASKLOOM_INVALID_ARGUMENT:
      return "invalid_argument";
    case MASKLOOM_INVALID_DEFINITION:
      return "invalid_definition";
    case MASKLOOM_UNSUPPORTED:
      return "unsupported";
    case MASKLOOM_UNSATISFIABLE:
      return "unsatisfiable";
    case MASKLOOM_RESOURCE_LIMIT:
      return "resource_limit";
    case MASKLOOM_IO:
      return "io";
    case MASKLOOM_INVALID_MODEL:
      return "invalid_model";
    case MASKLOOM_INTERNAL:
      return "internal";
    case MASKLOOM_REJECTED:
      return "rejected";
    case MASKLOOM_NO_DEVICE:
      return "no_device";
  }
  return "unknown";
}

maskloom_status maskloom_vocabulary_create(const maskloom_token* tokens, size_t count,
                                           const uint32_t* end_tokens, size_t end_token_count,
                                           uint32_t row_size, maskloom_vocabulary** vocabulary,
                                           maskloom_error* error) {
  return Guard(error, [&] {
    if (vocabulary != nullptr) *vocabulary = nullptr;
    if (vocabulary == nullptr || (tokens == nullptr && count > 0) ||
        (end_tokens == nullptr && end_token_count > 0)) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "vocabulary, tokens or end_tokens is NULL", error);
    }
    if (count > UINT32_MAX) {
      return Report(MASKLOOM_RESOURCE_LIMIT, "a vocabulary has fewer than 2^32 tokens", error);
    }
    std::vector<Vocabulary::Token> own(count);
    for (size_t i = 0; i < count; ++i) {
      if (tokens[i].bytes == nullptr && tokens[i].length > 0) {
        return Report(Status(StatusCode::kInvalidArgument,
                             "the bytes of token " + std::to_string(i) + " are NULL"),
                      error);
      }
      own[i].bytes.assign(tokens[i].length > 0 ? tokens[i].bytes : "", tokens[i].length);
      own[i].kind = ToKind(tokens[i].kind);
    }
    std::vector<uint32_t> ends;
    if (end_token_count > 0) ends.assign(end_tokens, end_tokens + end_token_count);
    return Finish(Vocabulary::Create(std::move(own), std::move(ends), row_size), vocabulary, error);
  });
}

maskloom_status maskloom_vocabulary_open(const char* path, maskloom_vocabulary** vocabulary,
                                         maskloom_error* error) {
  return Guard(error, [&] {
    if (vocabulary != nullptr) *vocabulary = nullptr;
    if (path == nullptr || vocabulary == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "path or vocabulary is NULL", error);
    }
    if (const auto kind = ArchiveKindOfFile(path)) {
      const std::string message = std::string(path) + ": this is " + ArchiveKindName(*kind);
      return Report(NameReader(Status(StatusCode::kInvalidModel, message), path), error);
    }
    auto opened = maskloom::OpenVocabulary(path);
    if (!opened.ok()) return Report(opened.status(), error);
    return Finish(Vocabulary(**opened), vocabulary, error);
  });
}

maskloom_status maskloom_vocabulary_from_tokenizer_json(const char* text, size_t length,
                                                        uint32_t row_size,
                                                        maskloom_vocabulary** vocabulary,
                                                        maskloom_error* error) {
  return Guard(error, [&] {
    if (vocabulary != nullptr) *vocabulary = nullptr;
    if (vocabulary == nullptr || (text == nullptr && length > 0)) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "text or vocabulary is NULL", error);
    }
    auto parsed = maskloom::ParseVocabularyJson(std::string(text, length), "tokenizer.json");
    if (!parsed.ok()) return Report(parsed.status(), error);
    return Finish(WithRowSize(**parsed, row_size), vocabulary, error);
  });
}

maskloom_status maskloom_vocabulary_bytes(maskloom_vocabulary** vocabulary, maskloom_error* error) {
  return Guard(error, [&] {
    if (vocabulary == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "vocabulary is NULL", error);
    }
    *vocabulary = nullptr;
    *vocabulary = new maskloom_vocabulary{VocabularyIndex::Bytes()};
    return MASKLOOM_OK;
  });
}

maskloom_status maskloom_vocabulary_save(const maskloom_vocabulary* vocabulary, const char* path,
                                         maskloom_error* error) {
  return Guard(error, [&] {
    if (vocabulary == nullptr || path == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "vocabulary or path is NULL", error);
    }
    return Report(maskloom::SaveVocabularyIndex(*vocabulary->index, path), error);
  });
}

maskloom_status maskloom_vocabulary_load(const char* path, maskloom_vocabulary** vocabulary,
                                         maskloom_error* error) {
  return Guard(error, [&] {
    if (vocabulary != nullptr) *vocabulary = nullptr;
    if (path == nullptr || vocabulary == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "path or vocabulary is NULL", error);
    }
    auto index = maskloom::LoadVocabularyIndex(path);
    if (!index.ok() && index.status().code() == StatusCode::kInvalidModel &&
        ArchiveKindOfFile(path) != ArchiveKind::kVocabularyIndex) {
      return Report(NameReader(index.status(), path), error);
    }
    if (!index.ok()) return Report(index.status(), error);
    *vocabulary = new maskloom_vocabulary{std::move(*index)};
    return MASKLOOM_OK;
  });
}

void maskloom_vocabulary_free(maskloom_vocabulary* vocabulary) { delete vocabulary; }

uint32_t maskloom_vocabulary_size(const maskloom_vocabulary* vocabulary) {
  return vocabulary == nullptr ? 0 : vocabulary->index->size();
}

size_t maskloom_vocabulary_row_words(const maskloom_vocabulary* vocabulary) {
  return vocabulary == nullptr ? 0 : vocabulary->index->row_words();
}

uint64_t maskloom_vocabulary_identity(const maskloom_vocabulary* vocabulary) {
  return vocabulary == nullptr ? 0 : vocabulary->index->identity();
}

maskloom_status maskloom_vocabulary_token(const maskloom_vocabulary* vocabulary, uint32_t token,
                                          const char** bytes, size_t* length,
                                          maskloom_token_kind* kind) {
  if (vocabulary == nullptr || bytes == nullptr || length == nullptr) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  const Vocabulary& own = vocabulary->index->vocabulary();
  if (token >= own.size()) return MASKLOOM_INVALID_ARGUMENT;
  std::string_view view = own.bytes(token);
  *bytes = view.data();
  *length = view.size();
  if (kind != nullptr) *kind = FromKind(own.kind(token));
  return MASKLOOM_OK;
}

maskloom_status maskloom_vocabulary_end_tokens(const maskloom_vocabulary* vocabulary,
                                               uint32_t* tokens, size_t capacity, size_t* count) {
  if (vocabulary == nullptr || count == nullptr || (tokens == nullptr && capacity > 0)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  const std::vector<uint32_t>& ends = vocabulary->index->vocabulary().end_tokens();
  std::copy_n(ends.begin(), std::min(capacity, ends.size()), tokens);
  *count = ends.size();
  return MASKLOOM_OK;
}
