// Unicode normalisation in front of a tokenizer.
#pragma once

#include <string>
#include <string_view>

namespace maskloom {

// Returns `text` in normalisation form C. Bytes that are not part of well-formed UTF-8 stay as they
// are, and so do the texts on both sides of them, each normalised by itself.
// Source: UAX #15. Cost: linear; ASCII text is only copied.
std::string NormalizeToNfc(std::string_view text);

}  // namespace maskloom
