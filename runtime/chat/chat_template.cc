#include "runtime/chat/chat_template.h"

#include <algorithm>
#include <optional>

#include "runtime/tokenizer/tokenizer.h"

namespace maskloom {
namespace {

// What Llama 3.1's template writes above the system message, with its own default date.
constexpr std::string_view kLlama31Preamble =
    "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";

constexpr char kAdvice[] =
    "write the prompt with the model's own turn marks and give it as raw text (--prompt)";

// Returns the system message that a ChatML template spells out as a literal, for chats that bring
// none: "<|im_start|>system\\nYou are ...<|im_end|>" with the line break as it is or escaped.
std::optional<std::string> FindDefaultSystem(std::string_view jinja) {
  constexpr std::string_view kOpening = "<|im_start|>system";
  for (size_t at = jinja.find(kOpening); at != jinja.npos; at = jinja.find(kOpening, at + 1)) {
    std::string_view rest = jinja.substr(at + kOpening.size());
    if (rest.starts_with("\n")) {
      rest.remove_prefix(1);
    } else if (rest.starts_with("\\n")) {
      rest.remove_prefix(2);
    } else {
      continue;
    }
    const std::string_view message = rest.substr(0, std::min(rest.find("<|im_end|>"), rest.size()));
    const bool is_literal = message.find_first_of("'\"{}\\") == message.npos;
    if (is_literal && message.size() < rest.size()) return std::string(message);
  }
  return std::nullopt;
}

// The characters that Jinja's trim removes, as far as ASCII goes.
std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\r\v\f";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

class PromptWriter {
 public:
  void Mark(std::string_view mark) { prompt_.text += mark; }
  void Content(std::string_view content) {
    const size_t begin = prompt_.text.size();
    prompt_.text += content;
    if (!content.empty()) prompt_.literal.push_back({begin, prompt_.text.size()});
  }
  ChatPrompt Take() { return std::move(prompt_); }

 private:
  ChatPrompt prompt_;
};

Status CheckMessages(const std::vector<ChatMessage>& messages) {
  if (messages.empty()) return Status(StatusCode::kInvalidArgument, "the chat has no messages");
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::string& role = messages[i].role;
    if (role != "system" && role != "user" && role != "assistant") {
      return Status(StatusCode::kInvalidArgument,
                    "message " + std::to_string(i + 1) + " has the role \"" + role +
                        "\"; the roles are system, user and assistant");
    }
    if (role == "system" && i > 0) {
      return Status(StatusCode::kInvalidArgument,
                    "message " + std::to_string(i + 1) +
                        " is a system message; only the first message can be one");
    }
  }
  return Status::Ok();
}

// Gemma's template wants user and assistant in turn, beginning with user.
Status CheckAlternation(const std::vector<ChatMessage>& messages, size_t first) {
  for (size_t i = first; i < messages.size(); ++i) {
    const char* wanted = (i - first) % 2 == 0 ? "user" : "assistant";
    if (messages[i].role != wanted) {
      return Status(StatusCode::kInvalidArgument,
                    "message " + std::to_string(i + 1) + " is of " + messages[i].role +
                        "; this model's chats alternate, so it must be of " + wanted);
    }
  }
  if (first == messages.size()) {
    return Status(StatusCode::kInvalidArgument, "the chat has no user message");
  }
  return Status::Ok();
}

void OpenChatMlTurn(std::string_view role, PromptWriter* writer) {
  writer->Mark("<|im_start|>");
  writer->Mark(role);
  writer->Mark("\n");
}

void OpenLlama3Turn(std::string_view role, PromptWriter* writer) {
  writer->Mark("<|start_header_id|>");
  writer->Mark(role);
  writer->Mark("<|end_header_id|>\n\n");
}

Result<ChatPrompt> RenderGemma(const std::vector<ChatMessage>& messages) {
  const size_t first = messages[0].role == "system" ? 1 : 0;
  const Status status = CheckAlternation(messages, first);
  if (!status.ok()) return status;
  PromptWriter writer;
  for (size_t i = first; i < messages.size(); ++i) {
    writer.Mark(messages[i].role == "assistant" ? "<start_of_turn>model\n"
                                                : "<start_of_turn>user\n");
    if (i == first && first == 1) {
      writer.Content(messages[0].content);
      writer.Mark("\n\n");
    }
    writer.Content(Trim(messages[i].content));
    writer.Mark("<end_of_turn>\n");
  }
  writer.Mark("<start_of_turn>model\n");
  return writer.Take();
}

}  // namespace

Result<ChatTemplate> ChatTemplate::FromJinja(std::string_view jinja) {
  const auto has = [&](std::string_view text) { return jinja.find(text) != jinja.npos; };
  if (has("<|im_start|>")) {
    ChatTemplate chat(ChatFamily::kChatMl);
    if (std::optional<std::string> system = FindDefaultSystem(jinja)) {
      chat.has_default_system_ = true;
      chat.default_system_ = *std::move(system);
    }
    return chat;
  }
  if (has("<|start_header_id|>") && has("<|eot_id|>")) {
    ChatTemplate chat(ChatFamily::kLlama3);
    if (has("Cutting Knowledge Date: December 2023")) {
      chat.has_default_system_ = true;
      chat.system_preamble_ = kLlama31Preamble;
    }
    return chat;
  }
  if (has("<start_of_turn>")) return ChatTemplate(ChatFamily::kGemma);
  return Status(StatusCode::kUnsupported,
                std::string(jinja.empty() ? "the model has no chat template; "
                                          : "the model's chat template is none of ChatML, Llama 3 "
                                            "and Gemma; ") +
                    kAdvice);
}

Result<ChatTemplate> ChatTemplate::FromTokenizer(const Tokenizer& tokenizer) {
  if (!tokenizer.chat_template().empty()) return FromJinja(tokenizer.chat_template());
  const auto has = [&](std::string_view text) {
    return tokenizer.FindAddedToken(text).has_value();
  };
  if (has("<|im_start|>") && has("<|im_end|>")) return ChatTemplate(ChatFamily::kChatMl);
  if (has("<|start_header_id|>") && has("<|eot_id|>")) return ChatTemplate(ChatFamily::kLlama3);
  if (has("<start_of_turn>") && has("<end_of_turn>")) return ChatTemplate(ChatFamily::kGemma);
  return FromJinja("");
}

Result<ChatPrompt> ChatTemplate::Render(const std::vector<ChatMessage>& messages) const {
  const Status status = CheckMessages(messages);
  if (!status.ok()) return status;
  if (family_ == ChatFamily::kGemma) return RenderGemma(messages);
  const bool has_system = messages[0].role == "system";
  PromptWriter writer;
  if (family_ == ChatFamily::kChatMl) {
    if (!has_system && has_default_system_) {
      OpenChatMlTurn("system", &writer);
      writer.Mark(default_system_);
      writer.Mark("<|im_end|>\n");
    }
    for (const ChatMessage& message : messages) {
      OpenChatMlTurn(message.role, &writer);
      writer.Content(message.content);
      writer.Mark("<|im_end|>\n");
    }
    OpenChatMlTurn("assistant", &writer);
    return writer.Take();
  }
  if (!has_system && has_default_system_) {
    OpenLlama3Turn("system", &writer);
    writer.Mark(system_preamble_);
    writer.Mark(default_system_);
    writer.Mark("<|eot_id|>");
  }
  for (const ChatMessage& message : messages) {
    OpenLlama3Turn(message.role, &writer);
    if (message.role == "system") writer.Mark(system_preamble_);
    writer.Content(Trim(message.content));
    writer.Mark("<|eot_id|>");
  }
  OpenLlama3Turn("assistant", &writer);
  return writer.Take();
}

}  // namespace maskloom
