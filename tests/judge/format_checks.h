// What the formats mean, each read off its specification by hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace maskloom::judge {

// Whether `text` has the format `name`; nullopt for formats that are not known here.
std::optional<bool> HasFormat(std::string_view name, const std::u32string& text);

}  // namespace maskloom::judge
