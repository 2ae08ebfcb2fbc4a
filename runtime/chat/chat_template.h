// Chat messages to prompt text.
//
// Models come with their template as a Jinja program. Maskloom runs no Jinja: it recognises the
// template's family by the marks in it and renders that family itself, the same bytes for the roles
// "system", "user" and "assistant". A template of no known family is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/status.h"
#include "runtime/tokenizer/added_tokens.h"

namespace maskloom {

class Tokenizer;

struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string content;
};

enum class ChatFamily {
  kChatMl,  // <|im_start|>role\n ... <|im_end|>\n                     SmolLM2, Qwen
  kLlama3,  // <|start_header_id|>role<|end_header_id|>\n\n ... <|eot_id|>
  kGemma,   // <start_of_turn>role\n ... <end_of_turn>\n; no system role
};

// A rendered prompt, without BOS, which Tokenizer::Encode puts in front.
struct ChatPrompt {
  std::string text;
  // Where the contents of messages lie in `text`. Given to Tokenizer::Encode as
  // EncodeOptions::literal they keep a message from forging the marks of a turn.
  std::vector<TextRange> literal;
};

// Immutable; thread safe.
class ChatTemplate {
 public:
  // Recognises the family of a Jinja template, and the system message that it puts in by itself.
  // On error: kUnsupported when it is empty or of no known family; the message says what to do.
  static Result<ChatTemplate> FromJinja(std::string_view jinja);

  // As FromJinja on the tokenizer's template; a model without one is recognised by its turn marks.
  static Result<ChatTemplate> FromTokenizer(const Tokenizer& tokenizer);

  // A plain template of the family: no system message of its own.
  explicit ChatTemplate(ChatFamily family) : family_(family) {}

  // Renders the messages and opens the assistant's turn.
  // On error: kInvalidArgument for no messages, an unknown role, a system message that is not the
  // first, or roles that do not alternate where the family wants them to.
  // Source: the templates published with SmolLM2, Qwen 2.5, Llama 3 and 3.1, Gemma 2 and 3.
  Result<ChatPrompt> Render(const std::vector<ChatMessage>& messages) const;

  ChatFamily family() const { return family_; }
  // Whether a system turn is put in when the messages have none, and its message.
  bool has_default_system() const { return has_default_system_; }
  const std::string& default_system() const { return default_system_; }

 private:
  ChatFamily family_;
  bool has_default_system_ = false;
  std::string default_system_;
  std::string system_preamble_;  // in front of every system message
};

}  // namespace maskloom
