#include "runtime/c_api/handles.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "compiler/vocabulary_file.h"

namespace maskloom::c_api {
namespace {

// Copies as much of `text` as fits, cut between code points.
template <size_t kSize>
void CopyText(std::string_view text, char (&out)[kSize]) noexcept {
  size_t length = std::min(text.size(), kSize - 1);
  if (length < text.size()) {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  }
  if (length > 0) std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

maskloom_status ToCode(StatusCode code) noexcept {
  switch (code) {
    case StatusCode::kOk:
      return MASKLOOM_OK;
    case StatusCode::kInvalidArgument:
      return MASKLOOM_INVALID_ARGUMENT;
    case StatusCode::kInvalidDefinition:
      return MASKLOOM_INVALID_DEFINITION;
    case StatusCode::kUnsupported:
      return MASKLOOM_UNSUPPORTED;
    case StatusCode::kUnsatisfiable:
      return MASKLOOM_UNSATISFIABLE;
    case StatusCode::kResourceLimit:
      return MASKLOOM_RESOURCE_LIMIT;
    case StatusCode::kIo:
      return MASKLOOM_IO;
    case StatusCode::kInvalidModel:
      return MASKLOOM_INVALID_MODEL;
    case StatusCode::kInternal:
      return MASKLOOM_INTERNAL;
  }
  return MASKLOOM_INTERNAL;
}

}  // namespace

Status NameReader(const Status& status, const std::string& path) {
  const std::optional<ArchiveKind> kind = ArchiveKindOfFile(path);
  const char* reader = kind == ArchiveKind::kCompiledGrammar   ? "maskloom_grammar_load"
                       : kind == ArchiveKind::kVocabularyIndex ? "maskloom_vocabulary_load"
                                                               : "maskloom_vocabulary_open";
  return Status(status.code(), status.message() + "; " + reader + " reads such a file");
}

maskloom_status Report(const Status& status, maskloom_error* error) noexcept {
  maskloom_status code = ToCode(status.code());
  if (error == nullptr || code == MASKLOOM_OK) return code;
  error->code = code;
  error->has_pointer = status.pointer().has_value() ? 1 : 0;
  error->line = status.line();
  error->column = status.column();
  CopyText(status.pointer() ? std::string_view(*status.pointer()) : std::string_view(),
           error->pointer);
  CopyText(status.message(), error->message);
  CopyText(status.excerpt(), error->excerpt);
  return code;
}

maskloom_status Report(maskloom_status code, const char* message, maskloom_error* error) noexcept {
  if (error == nullptr) return code;
  error->code = code;
  error->has_pointer = 0;
  error->line = 0;
  error->column = 0;
  CopyText("", error->pointer);
  CopyText(message, error->message);
  CopyText("", error->excerpt);
  return code;
}

maskloom_status CopyOut(std::string_view bytes, char* buffer, size_t capacity,
                        size_t* length) noexcept {
  if (length == nullptr || (buffer == nullptr && capacity > 0)) return MASKLOOM_INVALID_ARGUMENT;
  size_t count = std::min(bytes.size(), capacity);
  if (count > 0) std::memcpy(buffer, bytes.data(), count);
  *length = bytes.size();
  return MASKLOOM_OK;
}

}  // namespace maskloom::c_api
