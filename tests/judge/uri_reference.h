// URI references resolved against a base.
#pragma once

#include <string>
#include <string_view>

namespace maskloom::judge {

// Resolves `reference` against `base`. An empty base leaves the reference as it is.
// Source: RFC 3986, section 5.2.
std::string ResolveUri(std::string_view base, std::string_view reference);

// Undoes %XX.
std::string PercentDecode(std::string_view text);

}  // namespace maskloom::judge
