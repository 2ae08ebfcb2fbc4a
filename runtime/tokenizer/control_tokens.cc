#include "runtime/tokenizer/control_tokens.h"

#include <algorithm>
#include <iterator>

namespace maskloom {
namespace {

// In the order of preference for closing a turn.
constexpr std::string_view kEndTokenNames[] = {
    "<|im_end|>", "<|eot_id|>",      "<end_of_turn>", "<|return|>", "<|eom_id|>",
    "<eos>",      "<|end_of_text|>", "<|endoftext|>", "</s>",
};

constexpr std::string_view kControlNames[] = {
    "<start_of_turn>",    "<end_of_turn>", "<start_of_image>", "<end_of_image>",
    "<image_soft_token>", "[multimodal]",  "<mask>",           "<pad>",
};

const std::string_view* FindEndTokenName(std::string_view text) {
  return std::find(std::begin(kEndTokenNames), std::end(kEndTokenNames), text);
}

}  // namespace

bool LooksLikeControlToken(std::string_view text) {
  if (text.size() > 4 && text.starts_with("<|") && text.ends_with("|>")) return true;
  if (text.size() > 8 && text.starts_with("<unused") && text.ends_with(">")) {
    const std::string_view number = text.substr(7, text.size() - 8);
    return std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  }
  return std::find(std::begin(kControlNames), std::end(kControlNames), text) !=
         std::end(kControlNames);
}

bool IsEndTokenName(std::string_view text) {
  return FindEndTokenName(text) != std::end(kEndTokenNames);
}

int EndTokenPreference(std::string_view text) {
  return static_cast<int>(FindEndTokenName(text) - std::begin(kEndTokenNames));
}

}  // namespace maskloom
