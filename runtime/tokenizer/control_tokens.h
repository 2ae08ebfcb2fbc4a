// Which tokens control a generation rather than being text, and which of them end it.
//
// Files are unreliable here: tokenizer.json marks Gemma's "<start_of_turn>" and Qwen's
// "<|fim_prefix|>" as ordinary added tokens, and a list of end tokens by name alone ends Gemma's
// generations at a plain HTML "</s>". So a token counts as control when its file says so or its
// text has one of the shapes below, and as an end token when its name is known and it is control.
#pragma once

#include <string_view>

namespace maskloom {

// Returns whether an added token of this text controls the model whatever its file says:
// "<|...|>", "<unusedN>", "<mask>", "<pad>", and Gemma's turn and image marks.
bool LooksLikeControlToken(std::string_view text);

// Returns whether a control token of this text ends a generation.
bool IsEndTokenName(std::string_view text);

// Returns a rank for choosing the one end token that closes an assistant's turn: the lower, the
// better. Requires: IsEndTokenName(text).
int EndTokenPreference(std::string_view text);

}  // namespace maskloom
