#include "runtime/tokenizer/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// Requires: `text` is well-formed.
void AppendNfc(std::string_view text, std::string* out) {
  utf8proc_uint8_t* normal = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &normal,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (size >= 0) {
    out->append(reinterpret_cast<const char*>(normal), static_cast<size_t>(size));
  } else {
    out->append(text);
  }
  std::free(normal);
}

}  // namespace

std::string NormalizeToNfc(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 128; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t valid = std::min(FindInvalidUtf8(text), text.size());
    if (valid > 0) AppendNfc(text.substr(0, valid), &out);
    if (valid < text.size()) out.push_back(text[valid]);
    text.remove_prefix(std::min(valid + 1, text.size()));
  }
  return out;
}

}  // namespace maskloom
