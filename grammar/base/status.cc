#include "grammar/base/status.h"

#include <algorithm>
#include <string_view>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

constexpr size_t kExcerptBytes = 160;  // long lines are cut around the fault

size_t CountCodePoints(const std::string& text, size_t begin, size_t end) {
  size_t count = 0;
  for (size_t i = begin; i < end; ++i)
    count += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
  return count;
}

// Copies `text` as well-formed UTF-8 that does nothing to a terminal: tabs become blanks, other
// controls and malformed bytes U+FFFD. Sets *caret to the characters before byte `offset`.
std::string Printable(std::string_view text, size_t offset, size_t* caret) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    if (at < offset) ++*caret;
    const size_t begin = at;
    const uint32_t code_point = DecodeUtf8(text, &at);
    const bool malformed = code_point == kInvalidCodePoint;
    const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
    if (malformed) at = begin + 1;
    if (code_point == '\t') {
      shown += ' ';
    } else {
      AppendUtf8(malformed || control ? 0xFFFD : code_point, &shown);
    }
  }
  return shown;
}

}  // namespace

const char* StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kInvalidArgument:
      return "invalid_argument";
    case StatusCode::kInvalidDefinition:
      return "invalid_definition";
    case StatusCode::kUnsupported:
      return "unsupported";
    case StatusCode::kUnsatisfiable:
      return "unsatisfiable";
    case StatusCode::kResourceLimit:
      return "resource_limit";
    case StatusCode::kIo:
      return "io";
    case StatusCode::kInvalidModel:
      return "invalid_model";
    case StatusCode::kInternal:
      return "internal";
  }
  return "unknown";
}

Status& Status::WithPointer(std::string pointer) {
  pointer_ = std::move(pointer);
  return *this;
}

Status& Status::AtOffset(const std::string& source, size_t byte_offset) {
  byte_offset = std::min(byte_offset, source.size());
  size_t line_begin = byte_offset;
  while (line_begin > 0 && source[line_begin - 1] != '\n') --line_begin;
  size_t line_end = std::min(source.find('\n', byte_offset), source.size());
  line_ = 1 + static_cast<size_t>(std::count(source.begin(), source.begin() + line_begin, '\n'));
  column_ = 1 + CountCodePoints(source, line_begin, byte_offset);
  auto is_continuation = [&](size_t i) {
    return i < source.size() && (static_cast<unsigned char>(source[i]) & 0xC0) == 0x80;
  };
  size_t cut_begin = std::max(line_begin, byte_offset - std::min(byte_offset, kExcerptBytes / 2));
  size_t cut_end = std::min(line_end, cut_begin + kExcerptBytes);
  while (is_continuation(cut_begin) && cut_begin < byte_offset) ++cut_begin;
  while (cut_end < line_end && is_continuation(cut_end)) ++cut_end;
  size_t caret = 0;
  excerpt_ =
      Printable({source.data() + cut_begin, cut_end - cut_begin}, byte_offset - cut_begin, &caret);
  excerpt_ += '\n';
  excerpt_.append(caret, ' ');
  excerpt_ += '^';
  return *this;
}

std::string Status::ToString() const {
  std::string text = message_;
  if (pointer_) text += " (at " + (pointer_->empty() ? std::string("the root") : *pointer_) + ")";
  if (line_ > 0) {
    text += " (line " + std::to_string(line_) + ", column " + std::to_string(column_) + ")";
  }
  if (!excerpt_.empty()) text += "\n" + excerpt_;
  return text;
}

}  // namespace maskloom
