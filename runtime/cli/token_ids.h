// Lists of token ids on the command line.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/vocabulary.h"
#include "grammar/base/status.h"

namespace maskloom::cli {

// Reads ids separated by commas or blanks, all below `vocabulary_size`; brackets around are
// allowed. On error: kInvalidArgument saying which entry is wrong.
Result<std::vector<TokenId>> ParseTokenIds(std::string_view text, uint32_t vocabulary_size);

}  // namespace maskloom::cli
