// Two required keys beyond ASCII, in either order, each once, however they are spelled; step by
// step, and with the real model, which does not keep to the schema when it is free.
#include <gtest/gtest.h>

#include "runtime/engine/generate_loop.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/property_walk.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

DefinitionCase KoreanPerson() {
  for (DefinitionCase& one : SchemaFolderCases()) {
    if (one.name == "korean_person.json") {
      one.options.style.whitespace = StylePolicy::Whitespace::kCompact;
      return one;
    }
  }
  ADD_FAILURE() << "schemas/korean_person.json is not there";
  return {};
}

// Bytes whose bits are set, in order; "$" stands for the end.
std::string AllowedBytes(Matcher* matcher) {
  std::vector<uint32_t> row(matcher->grammar().vocabulary().row_words());
  matcher->FillMask(row.data());
  std::string bytes;
  for (uint32_t id = 0; id < 257; ++id) {
    if ((row[id / 32] >> (id % 32) & 1) != 0) bytes += id < 256 ? static_cast<char>(id) : '$';
  }
  return bytes;
}

struct Step {
  const char* taken;    // bytes to take
  const char* allowed;  // what is allowed behind them
};

void Follow(const std::shared_ptr<const CompiledGrammar>& grammar, const std::vector<Step>& steps) {
  Matcher matcher(grammar);
  for (const Step& step : steps) {
    std::string_view bytes = step.taken;
    ASSERT_EQ(matcher.AcceptBytes(bytes), bytes.size()) << step.taken;
    EXPECT_EQ(AllowedBytes(&matcher), step.allowed) << "behind " << step.taken;
  }
}

// 이 is EC 9D B4, 름 is EB A6 84; 나 is EB 82 98, 이 again.
TEST(KoreanPerson, AllowsBothOrdersStepByStep) {
  auto grammar = Compile(KoreanPerson(), VocabularyIndex::Bytes());
  ASSERT_TRUE(grammar.ok());
  Follow(*grammar, {{"", "{"},
                    {"{", "\""},
                    {"\"", "\\\xEB\xEC"},
                    {"\xEC", "\x9D"},
                    {"\x9D\xB4", "\\\xEB"},
                    {"름", "\""},
                    {"\"", ":"},
                    {":", "\""},
                    {"\"김\"", ","},
                    {",", "\""},
                    {"\"", "\\\xEB"},
                    {"\xEB", "\x82"},
                    {"\x82\x98이\"", ":"},
                    {":", "-0123456789"},
                    {"0", ".Ee}"},
                    {"}", "$"}});
  Follow(*grammar, {{"{\"", "\\\xEB\xEC"},
                    {"나이\":", "-0123456789"},
                    {"-", "0123456789"},
                    {"0", ",.Ee"},
                    {",", "\""},
                    {"\"", "\\\xEC"},
                    {"이름\":\"\"", "}"},
                    {"}", "$"}});
}

TEST(KoreanPerson, TakesEachKeyOnceAlsoWhenSpelledWithEscapes) {
  auto grammar = Compile(KoreanPerson(), VocabularyIndex::Bytes());
  ASSERT_TRUE(grammar.ok());
  Matcher matcher(*grammar);
  // \uc774 is 이; the key that is left, 나이, begins with \ub098.
  ASSERT_EQ(matcher.AcceptBytes("{\"\\uc774름\":\"\",\""), 17u);
  EXPECT_EQ(AllowedBytes(&matcher), "\\\xEB");
  ASSERT_EQ(matcher.AcceptBytes("\\u"), 2u);
  EXPECT_EQ(AllowedBytes(&matcher), "Bb");
  EXPECT_EQ(matcher.AcceptBytes("c774"), 0u);
  ASSERT_EQ(matcher.AcceptBytes("B"), 1u);
  EXPECT_EQ(AllowedBytes(&matcher), "0");
  ASSERT_EQ(matcher.AcceptBytes("098\\uC774\":1e2}"), 15u);
  EXPECT_TRUE(matcher.IsAccepting());
}

class KoreanModel : public ::testing::Test {
 protected:
  // Writes at most `max_tokens` tokens; completes the text if it has a grammar.
  static std::string Write(LanguageModel* model, std::shared_ptr<const CompiledGrammar> grammar) {
    std::vector<TokenId> prompt = model->tokenizer().Encode(
        "Write a JSON object with the keys 이름 (a string) and 나이 (a number), nothing else.\n");
    GenerateOptions options;
    options.max_tokens = 80;
    options.sampling.temperature = 0;
    auto loop = GenerateLoop::Create(model, grammar, prompt, options);
    EXPECT_TRUE(loop.ok()) << loop.status().ToString();
    EXPECT_TRUE((*loop)->Prefill().ok());
    std::string text;
    TokenRecord record;
    for (auto more = (*loop)->Next(&record); more.ok() && *more; more = (*loop)->Next(&record)) {
      text += record.bytes;
    }
    if (grammar != nullptr) text += (*loop)->Completion();
    return text;
  }
};

TEST_F(KoreanModel, IsValidWithTheSchemaAndNotWithoutIt) {
  auto path = ModelPath();
  if (!path) GTEST_SKIP() << "no model (set MASKLOOM_MODEL)";
  auto model = LanguageModel::Open(*path);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  auto vocabulary = (*model)->VocabularyForGrammars();
  ASSERT_TRUE(vocabulary.ok());
  DefinitionCase person = KoreanPerson();
  auto judge = MakeJudge(person, std::bitset<256>().set());
  ASSERT_TRUE(judge.ok());
  auto grammar = Compile(person, *vocabulary);
  ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
  std::string bound = Write(model->get(), *grammar);
  EXPECT_TRUE((*judge)->Accepts(bound)) << bound;
  std::string free = Write(model->get(), nullptr);
  EXPECT_FALSE((*judge)->Accepts(free)) << free;
  std::printf("with the schema: %s\nfree: %s\n", bound.c_str(), Readable(free).c_str());
}

}  // namespace
}  // namespace maskloom::suites
