#include "grammar/base/status.h"

#include <algorithm>

namespace maskloom {
namespace {

constexpr size_t kExcerptBytes = 160;  // long lines are cut around the fault

size_t CountCodePoints(const std::string& text, size_t begin, size_t end) {
  size_t count = 0;
  for (size_t i = begin; i < end; ++i)
    count += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
  return count;
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
  excerpt_ = source.substr(cut_begin, cut_end - cut_begin);
  std::replace(excerpt_.begin(), excerpt_.end(), '\t', ' ');
  excerpt_ += '\n';
  excerpt_.append(CountCodePoints(source, cut_begin, byte_offset), ' ');
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
