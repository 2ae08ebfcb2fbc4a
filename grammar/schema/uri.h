// URI references, taken apart and put together as RFC 3986 says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace maskloom {

// A URI reference without its fragment, and the fragment as written.
struct SplitUri {
  std::string_view uri;
  std::optional<std::string_view> fragment;  // absent where there is no '#'
};
SplitUri SplitFragment(std::string_view reference);

// Returns what `reference` (without a fragment) names relative to `base`, by RFC 3986 section 5.2.
// `base` may be relative or empty itself: what cannot be made absolute stays relative.
std::string ResolveUri(std::string_view base, std::string_view reference);

// Undoes %xx. Returns nothing where a % is not followed by two hexadecimal digits or where the
// result is not well-formed UTF-8.
std::optional<std::string> PercentDecode(std::string_view text);

}  // namespace maskloom
