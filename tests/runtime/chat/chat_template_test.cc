#include "runtime/chat/chat_template.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include "runtime/tokenizer/tokenizer.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

constexpr char kSmolLm2[] =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
    "<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}"
    "{{ '<|im_start|>assistant\n' }}{% endif %}";

std::string Render(std::string_view jinja, const std::vector<ChatMessage>& messages) {
  const auto chat = ChatTemplate::FromJinja(jinja);
  if (!chat.ok()) return chat.status().message();
  const auto prompt = chat->Render(messages);
  return prompt.ok() ? prompt->text : prompt.status().message();
}

TEST(ChatTemplate, SmolLm2PutsItsSystemMessageInFront) {
  EXPECT_EQ(Render(kSmolLm2, {{"user", "Hi "}}),
            "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
            "Face<|im_end|>\n<|im_start|>user\nHi <|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(Render(kSmolLm2, {{"system", "Be brief."}, {"user", "Hi"}}),
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
            "<|im_start|>assistant\n");
}

TEST(ChatTemplate, ChatMlDefaultIsReadFromTheTemplate) {
  const std::string qwen =
      "{%- if tools %}{{- '<|im_start|>system\\n' }}{%- else %}{{- '<|im_start|>system\\nYou are "
      "Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\\n' }}{%- endif %}";
  EXPECT_EQ(Render(qwen, {{"user", "Hi"}}),
            "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful "
            "assistant.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(Render("{{ '<|im_start|>' + role }}", {{"user", "Hi"}}),
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplate, Llama3TrimsContents) {
  const std::string llama3 = "<|start_header_id|> ... <|eot_id|>";
  EXPECT_EQ(Render(llama3, {{"user", " Hi\n"}, {"assistant", "Yes?"}, {"user", "Bye"}}),
            "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\nYes?<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n");
  const std::string llama31 = llama3 + "Cutting Knowledge Date: December 2023\\n";
  const std::string dates = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";
  EXPECT_EQ(Render(llama31, {{"user", "Hi"}}),
            "<|start_header_id|>system<|end_header_id|>\n\n" + dates +
                "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
                "<|start_header_id|>assistant<|end_header_id|>\n\n");
  EXPECT_EQ(Render(llama31, {{"system", "Be brief."}, {"user", "Hi"}}),
            "<|start_header_id|>system<|end_header_id|>\n\n" + dates +
                "Be brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
                "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

TEST(ChatTemplate, GemmaHasNoSystemRole) {
  const std::string gemma = "<start_of_turn>";
  EXPECT_EQ(
      Render(gemma,
             {{"system", "Be brief."}, {"user", " Hi "}, {"assistant", "Yes?"}, {"user", "Bye"}}),
      "<start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nYes?"
      "<end_of_turn>\n<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n");
  EXPECT_NE(Render(gemma, {{"user", "a"}, {"user", "b"}}).find("alternate"), std::string::npos);
  EXPECT_NE(Render(gemma, {{"system", "a"}}).find("no user message"), std::string::npos);
}

TEST(ChatTemplate, UnknownTemplatesAndRolesSayWhatToDo) {
  EXPECT_EQ(ChatTemplate::FromJinja("[INST] {{ x }} [/INST]").status().code(),
            StatusCode::kUnsupported);
  EXPECT_NE(Render("[INST]", {{"user", "Hi"}}).find("--prompt"), std::string::npos);
  EXPECT_NE(Render("", {{"user", "Hi"}}).find("has no chat template"), std::string::npos);
  EXPECT_NE(Render(kSmolLm2, {}).find("no messages"), std::string::npos);
  EXPECT_NE(Render(kSmolLm2, {{"tool", "x"}}).find("\"tool\""), std::string::npos);
  EXPECT_NE(Render(kSmolLm2, {{"user", "x"}, {"system", "y"}}).find("message 2"),
            std::string::npos);
}

TEST(ChatTemplate, ContentsAreMarkedAsLiteral) {
  const auto chat = ChatTemplate::FromJinja(kSmolLm2);
  ASSERT_TRUE(chat.ok());
  const auto prompt = chat->Render({{"user", "Hi"}, {"assistant", ""}, {"user", "<|im_end|>"}});
  ASSERT_TRUE(prompt.ok());
  ASSERT_EQ(prompt->literal.size(), 2u);
  const auto literal = [&](size_t i) {
    return prompt->text.substr(prompt->literal[i].begin,
                               prompt->literal[i].end - prompt->literal[i].begin);
  };
  EXPECT_EQ(literal(0), "Hi");
  EXPECT_EQ(literal(1), "<|im_end|>");
}

TEST(ChatTemplate, SmolLm2EqualsTheRecordedChat) {
  const auto shared = SharedDataDir();
  if (!shared) GTEST_SKIP() << "no shared test data: set MASKLOOM_SHARED";
  rapidjson::Document golden;
  golden.Parse(ReadWholeFile(*shared + "/golden/smollm2-logits.json").value_or("").c_str());
  ASSERT_FALSE(golden.HasParseError());
  const auto model = ModelPath();
  size_t chats = 0;
  for (const auto& recorded : golden["prompts"].GetArray()) {
    if (!recorded.HasMember("messages") || recorded["messages"].IsNull()) continue;
    ++chats;
    std::vector<ChatMessage> messages;
    for (const auto& message : recorded["messages"].GetArray()) {
      messages.push_back({message["role"].GetString(), message["content"].GetString()});
    }
    EXPECT_EQ(Render(kSmolLm2, messages), recorded["text"].GetString());
    if (!model) continue;
    const auto tokenizer = OpenTokenizer(*model);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    const auto chat = ChatTemplate::FromTokenizer(**tokenizer);
    ASSERT_TRUE(chat.ok()) << chat.status().ToString();
    const auto prompt = chat->Render(messages);
    ASSERT_TRUE(prompt.ok());
    std::vector<TokenId> ids;
    for (const auto& id : recorded["ids"].GetArray()) ids.push_back(id.GetUint());
    EXPECT_EQ((*tokenizer)
                  ->Encode(prompt->text,
                           {.parse_special = true, .add_bos = true, .literal = prompt->literal}),
              ids);
  }
  EXPECT_GE(chats, 1u);
}

}  // namespace
}  // namespace maskloom
