// The C++ layer over the C API: ownership, outcomes, buffers that grow.
#include <gtest/gtest.h>

#include <cstdio>
#include <maskloom.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maskloom::api {
namespace {

TEST(MaskloomHpp, MatchesAndMasksThroughHandlesThatFreeThemselves) {
  Outcome<Vocabulary> vocabulary =
      Vocabulary::Create({{"a"}, {"b"}, {"ab"}, {"<end>", MASKLOOM_TOKEN_CONTROL}}, {3});
  ASSERT_TRUE(vocabulary.ok());
  Outcome<Grammar> grammar = Grammar::FromRegex(*vocabulary, "(ab)+");
  ASSERT_TRUE(grammar.ok());
  Outcome<Matcher> matcher = Matcher::Create(*grammar);
  ASSERT_TRUE(matcher.ok());
  std::vector<uint32_t> row(vocabulary->row_words());
  ASSERT_TRUE(matcher->FillMask(row));
  EXPECT_EQ(row[0], 0b0101u);
  std::vector<uint32_t> ids(4);
  std::vector<uint32_t> base(vocabulary->row_words());
  ASSERT_TRUE(matcher->FindMask(ids).has_value());
  ASSERT_TRUE(matcher->FillBase(base));
  for (uint32_t id : ids) base[0] |= 1u << id;
  EXPECT_EQ(base, row);
  EXPECT_TRUE(matcher->Accept(2));
  EXPECT_FALSE(matcher->Accept(1));
  EXPECT_TRUE(matcher->IsAccepting());
  EXPECT_EQ(matcher->Validate({0, 1, 1}), 2u);
  Outcome<Matcher> fork = matcher->Fork();
  ASSERT_TRUE(fork.ok());
  EXPECT_TRUE(fork->Accept(3));
  EXPECT_TRUE(fork->IsTerminated());
  EXPECT_FALSE(matcher->IsTerminated());
}

TEST(MaskloomHpp, MasksAreMadeAheadAndForDrafts) {
  Outcome<Vocabulary> vocabulary =
      Vocabulary::Create({{"a"}, {"b"}, {"ab"}, {"<end>", MASKLOOM_TOKEN_CONTROL}}, {3});
  ASSERT_TRUE(vocabulary.ok());
  maskloom_compile_options options;
  maskloom_compile_options_init(&options);
  options.max_mask_bytes = 1 << 20;
  options.ahead_us = 1000;
  options.ahead_in_background = 1;
  Outcome<Grammar> grammar = Grammar::FromRegex(*vocabulary, "(ab)+", &options);
  ASSERT_TRUE(grammar.ok());
  EXPECT_TRUE(grammar->Complete(60000000));
  Outcome<Matcher> matcher = Matcher::Create(*grammar);
  ASSERT_TRUE(matcher.ok());
  std::vector<uint32_t> rows(4, 0xABABABAB);
  const auto accepted = matcher->FillTreeMasks({2, 1, 0, 3}, {MASKLOOM_NO_PARENT, 0, 0, 0}, rows);
  ASSERT_TRUE(accepted.has_value());
  EXPECT_EQ(*accepted, (std::vector<uint8_t>{1, 0, 1, 1}));
  EXPECT_EQ(rows, (std::vector<uint32_t>{0b1101, 0, 0b0010, 0}));
  EXPECT_EQ(matcher->token_count(), 0u);
  EXPECT_FALSE(matcher->FillTreeMasks({2, 2}, {MASKLOOM_NO_PARENT, 1}, rows).has_value());
  options.ahead_in_background = 2;
  EXPECT_FALSE(Grammar::FromRegex(*vocabulary, "a", &options).ok());
}

TEST(MaskloomHpp, LongBytesComeWhole) {
  Outcome<Vocabulary> vocabulary = Vocabulary::Bytes();
  ASSERT_TRUE(vocabulary.ok());
  std::string literal(1000, 'x');
  Outcome<Grammar> grammar = Grammar::FromRegex(*vocabulary, literal);
  ASSERT_TRUE(grammar.ok());
  Outcome<Matcher> matcher = Matcher::Create(*grammar);
  ASSERT_TRUE(matcher.ok());
  EXPECT_EQ(matcher->ForcedBytes(), literal);
  EXPECT_EQ(matcher->Completion(), literal);
}

TEST(MaskloomHpp, VocabulariesAreSavedAndLoaded) {
  Outcome<Vocabulary> bytes = Vocabulary::Bytes();
  ASSERT_TRUE(bytes.ok());
  const std::string path = testing::TempDir() + "maskloom_hpp_test.index";
  ASSERT_EQ(bytes->Save(path), MASKLOOM_OK);
  Outcome<Vocabulary> loaded = Vocabulary::Load(path);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->size(), bytes->size());
  EXPECT_EQ(loaded->identity(), bytes->identity());
  std::remove(path.c_str());
  maskloom_error error;
  EXPECT_EQ(bytes->Save("/nonexistent/index", &error), MASKLOOM_IO);
  EXPECT_NE(std::string(error.message).find("/nonexistent/index"), std::string::npos);
}

TEST(MaskloomHpp, ErrorsComeAsOutcomes) {
  Outcome<Vocabulary> vocabulary = Vocabulary::Open("/nonexistent/tokenizer.json");
  ASSERT_FALSE(vocabulary.ok());
  EXPECT_EQ(vocabulary.error().code, MASKLOOM_IO);
  EXPECT_NE(std::string(vocabulary.error().message).find("/nonexistent"), std::string::npos);
  Outcome<Vocabulary> bytes = Vocabulary::Bytes();
  ASSERT_TRUE(bytes.ok());
  Outcome<Grammar> grammar = Grammar::FromSchema(*bytes, "{\"type\":\"strin\"}");
  ASSERT_FALSE(grammar.ok());
  EXPECT_STREQ(grammar.error().pointer, "/type");
}

TEST(MaskloomHpp, SchemasAreReportedAndExplained) {
  Outcome<std::string> report = SchemaReport(R"({"type":"string","x-note":1})");
  ASSERT_TRUE(report.ok());
  EXPECT_NE(report->find("\"status\":\"ok\""), std::string::npos) << *report;
  Outcome<std::string> text = ExplainSchema(R"({"type":"string"})");
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("string"), std::string::npos) << *text;
  EXPECT_FALSE(ExplainSchema("{").ok());
}

TEST(MaskloomHpp, OptionsResolveDocuments) {
  Outcome<Vocabulary> vocabulary = Vocabulary::Bytes();
  ASSERT_TRUE(vocabulary.ok());
  CompileOptions options([](const std::string& uri) {
    return uri == "urn:yes" ? std::optional<std::string>("{\"const\":true}") : std::nullopt;
  });
  options->whitespace = MASKLOOM_WHITESPACE_COMPACT;
  Outcome<Grammar> grammar =
      Grammar::FromSchema(*vocabulary, R"({"$ref":"urn:yes"})", options.get());
  ASSERT_TRUE(grammar.ok()) << grammar.error().message;
  Outcome<Matcher> matcher = Matcher::Create(*grammar);
  ASSERT_TRUE(matcher.ok());
  EXPECT_EQ(matcher->AcceptBytes("true"), 4u);
  EXPECT_FALSE(Grammar::FromSchema(*vocabulary, R"({"$ref":"urn:no"})", options.get()).ok());
}

}  // namespace
}  // namespace maskloom::api
