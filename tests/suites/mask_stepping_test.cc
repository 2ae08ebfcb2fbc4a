// Masks against steps: a token's bit is set if and only if the matcher accepts the token, for
// vocabularies whose tokens cut across keys, values and brackets as no real tokenizer's do.
//
// Shortcuts of the mask builder (rows, tails, whole subtrees) show their faults in tokens that end
// one thing and begin another, so tokens here are pieces of texts that the definitions themselves
// accept, up to 16 bytes long. The judge has no part in this: mask_property_test.cc compares with
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>

#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_text.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

constexpr size_t kTokens = 3000;
constexpr size_t kMaxTokenBytes = 16;

struct Definition {
  std::string name;
  std::string text;
  DefinitionOptions options;
};

std::vector<Definition> Definitions() {
  std::vector<Definition> all;
  const std::filesystem::path folder = std::filesystem::path(MASKLOOM_SOURCE_ROOT) / "schemas";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    all.push_back(
        {entry.path().filename().string(), ReadWholeFile(entry.path().string()).value_or(""), {}});
  }
  std::sort(all.begin(), all.end(),
            [](const Definition& a, const Definition& b) { return a.name < b.name; });
  const std::string open_names = R"({"type":"object","properties":{"a":{"type":"string"},
    "ab":{"type":"object","properties":{"a":{"type":"integer"}}},"b":false},"required":["a"]})";
  all.push_back({"open object with names", open_names, {}});
  all.push_back({"open object in declared order", open_names, {}});
  all.back().options.style.key_order = StylePolicy::KeyOrder::kDeclared;
  all.push_back({"open object, indented", open_names, {}});
  all.back().options.style.whitespace = StylePolicy::Whitespace::kIndent;
  all.push_back({"open object, any white space", open_names, {}});
  all.back().options.style.whitespace = StylePolicy::Whitespace::kAny;
  all.push_back({"open object, plain text and one blank", open_names, {}});
  all.back().options.style.whitespace = StylePolicy::Whitespace::kSpaced;
  all.back().options.style.escapes = StylePolicy::Escapes::kPlain;
  all.push_back({"escapes in plain text",
                 R"({"type":"object","properties":{"a\n":{"type":"string","maxLength":30},
                     "\u0001":{"pattern":"^[a-z\\u0000-\\u001f\"]*$"},"ab":{"minLength":9}},
                     "required":["ab"],"patternProperties":{"^[\\u0000-\\u0010]":{"type":"string"}}})",
                 {}});
  all.back().options.style.escapes = StylePolicy::Escapes::kPlain;
  all.back().options.style.key_order = StylePolicy::KeyOrder::kRequiredFirst;
  all.push_back({"bounded members",
                 R"({"type":"object","maxProperties":2,"minProperties":1,
                     "patternProperties":{"^x[0-9]+$":{"type":"integer","minimum":3}},
                     "additionalProperties":{"type":"array","items":{"type":"boolean"},
                                             "maxItems":2}})",
                 {}});
  all.push_back({"bounded text",
                 R"({"type":"array","prefixItems":[{"type":"string","maxLength":4},
                     {"type":"string","minLength":2,"maxLength":60},
                     {"type":"string","pattern":"^[a-z]+( [a-z]+){0,3}$","maxLength":20},
                     {"type":"string","pattern":"[0-9]\\.$","minLength":5}]})",
                 {}});
  all.push_back({"text that is free for a while",
                 R"({"type":"array","items":{"pattern":"^[a-z]{10}[a-f0-9]*$"},"minItems":3})",
                 {}});
  all.push_back({"text that may not end at once",
                 R"({"type":"array","items":{"pattern":"^[a-z ]{5,}(x[0-9]+)?$"},"minItems":3})",
                 {}});
  all.push_back({"base64", R"({"type":"string","contentEncoding":"base64","maxLength":8})", {}});
  all.push_back({"anything", "true", {}});
  for (const DefinitionCase& one : InlineCases()) {
    if (one.kind != DefinitionKind::kJsonSchema) continue;
    all.push_back({one.name, one.definition, one.options});
  }
  return all;
}

// A vocabulary of all bytes and of pieces of texts that `grammar`, compiled for bytes, accepts.
std::shared_ptr<const VocabularyIndex> VocabularyOfPieces(
    const std::shared_ptr<const CompiledGrammar>& grammar, std::mt19937_64* random) {
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i) {
    texts.push_back(WriteRandomText(grammar, Chooser::kSeeking, 120, random).text);
  }
  std::set<std::string> pieces;
  for (size_t tries = 0; tries < 4 * kTokens && pieces.size() < kTokens; ++tries) {
    const std::string& text = texts[(*random)() % texts.size()];
    if (text.empty()) continue;
    pieces.insert(text.substr((*random)() % text.size(), 1 + (*random)() % kMaxTokenBytes));
  }
  std::vector<Vocabulary::Token> tokens;
  for (int b = 0; b < 256; ++b) tokens.push_back({std::string(1, static_cast<char>(b))});
  for (const std::string& piece : pieces) {
    if (piece.size() > 1) tokens.push_back({piece});
  }
  tokens.push_back({"<end>", TokenKind::kControl});
  const TokenId end = static_cast<TokenId>(tokens.size() - 1);
  return VocabularyIndex::Build(std::move(Vocabulary::Create(std::move(tokens), {end}).value()));
}

void CheckWalk(const Definition& definition, uint64_t seed, int steps) {
  std::mt19937_64 random(seed);
  auto bytes = CompileDefinition(DefinitionKind::kJsonSchema, definition.text, definition.options,
                                 VocabularyIndex::Bytes());
  ASSERT_TRUE(bytes.ok()) << definition.name << ": " << bytes.status().ToString();
  const auto vocabulary = VocabularyOfPieces(bytes->grammar, &random);
  auto compiled = CompileDefinition(DefinitionKind::kJsonSchema, definition.text,
                                    definition.options, vocabulary);
  ASSERT_TRUE(compiled.ok()) << definition.name << ": " << compiled.status().ToString();
  Matcher matcher(compiled->grammar);
  std::vector<uint32_t> row(vocabulary->row_words());
  std::string text;
  for (int step = 0; step < steps; ++step) {
    matcher.FillMask(row.data());
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < vocabulary->size(); ++id) {
      const bool bit = row[id / 32] >> (id % 32) & 1;
      ASSERT_EQ(bit, matcher.IsAllowed(id))
          << definition.name << " (seed " << seed << ") behind " << text << " token "
          << vocabulary->vocabulary().bytes(id);
      if (bit) allowed.push_back(id);
    }
    ASSERT_FALSE(allowed.empty()) << definition.name << " is stuck behind " << text;
    // Long tokens first: they cross most boundaries.
    TokenId chosen = allowed[random() % allowed.size()];
    for (int tries = 0; tries < 3; ++tries) {
      const TokenId other = allowed[random() % allowed.size()];
      if (vocabulary->vocabulary().bytes(other).size() >
          vocabulary->vocabulary().bytes(chosen).size()) {
        chosen = other;
      }
    }
    ASSERT_TRUE(matcher.Accept(chosen));
    text += vocabulary->vocabulary().bytes(chosen);
    if (matcher.IsTerminated()) {
      matcher.Reset();
      text.clear();
    }
  }
}

TEST(MaskStepping, EqualsAcceptingEveryTokenOfPiecesOfTexts) {
  const int rounds = IsLongRun() ? 40 : 2;
  for (const Definition& definition : Definitions()) {
    for (int round = 0; round < rounds; ++round) {
      CheckWalk(definition, 1000 + round, 60);
      if (HasFatalFailure()) break;  // one failure a definition tells enough
    }
  }
}

// Every bit is compared with accepting behind each prefix of `text`.
void CheckPrefixes(const Definition& definition, const std::vector<std::string>& pieces,
                   const std::string& text) {
  std::vector<Vocabulary::Token> tokens;
  for (int b = 0; b < 256; ++b) tokens.push_back({std::string(1, static_cast<char>(b))});
  for (const std::string& piece : pieces) tokens.push_back({piece});
  auto compiled = CompileDefinition(
      DefinitionKind::kJsonSchema, definition.text, definition.options,
      VocabularyIndex::Build(std::move(Vocabulary::Create(std::move(tokens), {}).value())));
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  Matcher matcher(compiled->grammar);
  std::vector<uint32_t> row(compiled->grammar->vocabulary().row_words());
  for (size_t read = 0; read < text.size(); ++read) {
    matcher.FillMask(row.data());
    for (TokenId id = 0; id < compiled->grammar->vocabulary().size(); ++id) {
      ASSERT_EQ((row[id / 32] >> (id % 32) & 1) != 0, matcher.IsAllowed(id))
          << definition.name << " behind " << text.substr(0, read) << " token "
          << compiled->grammar->vocabulary().vocabulary().bytes(id);
    }
    ASSERT_EQ(matcher.AcceptBytes(text.substr(read, 1)), 1u) << text.substr(0, read);
  }
}

TEST(MaskStepping, TokensEndOneKeyAndBeginAnother) {
  const Definition open{"keys in keys",
                        R"({"properties":{"a":{"type":"object",
    "properties":{"b":{"type":"integer"}}},"ab":{"type":"string"},"c":false}})",
                        {}};
  // Tokens that end one key and begin another at the same level make keys be walked whole, so those
  // that only go down a level are tried without them as well.
  const std::vector<std::string> down = {
      R"(":{"x)",   R"(":{"b)",      R"(":{"b":1)",      R"(":{"b":"x)",     R"(":{"x":1)",
      R"("a":{"q)", R"(a":{"zz":1)", R"(":{"b\u0062":)", R"(":{"\u0062":1)", R"(":{")"};
  std::vector<std::string> pieces = down;
  pieces.insert(pieces.end(), {R"(b":"x","y)", R"(":{"b":1},"ab)", R"(","c":)", R"(":{"c":1},")",
                               R"("},"d":{"e)", R"(":"q","a)", R"(b":"x","ab)", R"(":1,"c":1)"});
  CheckPrefixes(open, down, R"({"a":{"b":1},"ab":"x","y":[{"a":1}]})");
  CheckPrefixes(open, down, R"({"ab":"x","a":{"b\u0062":"z","b":2},"yy":null})");
  CheckPrefixes(open, pieces, R"({"a":{"b":1},"ab":"x","y":[{"a":1}]})");
  CheckPrefixes(open, pieces, R"({"ab":"x","a":{"b\u0062":"z","b":2},"yy":null})");
  Definition declared = open;
  declared.options.style.key_order = StylePolicy::KeyOrder::kDeclared;
  CheckPrefixes(declared, pieces, R"({"a":{"b":1,"x":2},"ab":"x","z":{}})");
}

TEST(MaskStepping, TokensEndOneItemAndHoldAnother) {
  const Definition distinct{"distinct items", R"({"type":"array","uniqueItems":true})", {}};
  const std::vector<std::string> pieces = {R"(","",)",  R"(u","u",)", R"(1,1)",     R"(,1,)",
                                           R"("],[],)", R"(],[])",    R"(e,true,)", R"("","u")"};
  CheckPrefixes(distinct, pieces, R"(["u","","uu",[],1,true,11,[1],["u"]])");
  CheckPrefixes(distinct, pieces, R"([1,11,"","u",[[]],[],[1,""],true])");
}

// A carriage return needs its line feed, and of line breaks there is one.
TEST(MaskStepping, TokensBeginWithWhiteSpace) {
  const Definition open{"open object", R"({"properties":{"a":{"type":"integer"}}})", {}};
  const std::vector<std::string> pieces = {"\r\"a",   "\r\n\"a", "\n\n\"a", " \"a", "\t}", "\r}",
                                           "\r\n  1", "\r:",     "\n :",    "\r,",  " ,",  "\r1"};
  for (const char* text : {"{\"a\" : 1 ,\"b\":{ } }", "{ \"x\":\n[1 ,\r\n2]\n}"}) {
    CheckPrefixes(open, pieces, text);
  }
}

}  // namespace
}  // namespace maskloom::suites
