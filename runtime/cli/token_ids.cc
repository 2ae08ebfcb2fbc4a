#include "runtime/cli/token_ids.h"

#include <fmt/format.h>

#include <charconv>

namespace maskloom::cli {

Result<std::vector<TokenId>> ParseTokenIds(std::string_view text, uint32_t vocabulary_size) {
  constexpr std::string_view kSeparators = ", \t\r\n[]";
  std::vector<TokenId> ids;
  for (size_t at = text.find_first_not_of(kSeparators); at != std::string_view::npos;
       at = text.find_first_not_of(kSeparators, at)) {
    size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    std::string_view word = text.substr(at, end - at);
    TokenId id = 0;
    auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || stop != word.data() + word.size()) {
      return Status(StatusCode::kInvalidArgument, fmt::format("\"{}\" is not a token id", word));
    }
    if (id >= vocabulary_size) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("token id {} is beyond the vocabulary of {} tokens", id, vocabulary_size));
    }
    ids.push_back(id);
    at = end;
  }
  if (ids.empty()) return Status(StatusCode::kInvalidArgument, "no token ids are given");
  return ids;
}

}  // namespace maskloom::cli
