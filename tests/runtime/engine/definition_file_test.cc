// A grammar from a file is the grammar that was compiled, bit by bit; what is no such file is
// refused by name.
#include "runtime/engine/definition_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "compiler/grammar_archive.h"
#include "compiler/grammar_file.h"
#include "compiler/mask_cache.h"
#include "compiler/mask_completion.h"
#include "runtime/engine/compile_report.h"
#include "runtime/matcher.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_regex.h"
#include "tests/suites/random_schema.h"
#include "tests/suites/vocabularies.h"

namespace maskloom {
namespace {

using suites::DefinitionCase;

// A file in memory, at a multiple of 8 bytes as a mapped one.
struct Bytes {
  explicit Bytes(std::string_view text)
      : words(std::make_shared<std::vector<uint64_t>>((text.size() + 7) / 8)), size(text.size()) {
    std::memcpy(words->data(), text.data(), size);
  }
  std::span<const std::byte> span() const {
    return {reinterpret_cast<const std::byte*>(words->data()), size};
  }
  std::shared_ptr<std::vector<uint64_t>> words;
  size_t size;
};

Result<std::shared_ptr<const CompiledGrammar>> ReadBack(
    std::string_view file, std::shared_ptr<const VocabularyIndex> vocabulary) {
  const Bytes bytes(file);
  return ReadGrammarFile(bytes.words, bytes.span(), std::move(vocabulary), {},
                         [](GrammarReader&) {});
}

std::string FileOf(const CompiledGrammar& grammar) {
  return GrammarFileBytes(grammar, [](GrammarWriter&) {});
}

std::vector<TokenId> AllowedTokens(const std::vector<uint32_t>& row) {
  std::vector<TokenId> allowed;
  for (TokenId id = 0; id < row.size() * 32; ++id) {
    if (row[id / 32] >> (id % 32) & 1) allowed.push_back(id);
  }
  return allowed;
}

// Walks along tokens that chance chooses among those that `a` allows, and compares at every step.
void ExpectAlike(const std::shared_ptr<const CompiledGrammar>& a,
                 const std::shared_ptr<const CompiledGrammar>& b, uint64_t seed) {
  constexpr int kTokens = 40;
  std::mt19937_64 random(seed);
  Matcher one(a), other(b);
  std::vector<uint32_t> row(a->vocabulary().row_words()), other_row(row.size());
  for (int i = 0; i < kTokens; ++i) {
    const MaskInfo info = one.FillMaskWithInfo(row.data());
    const MaskInfo other_info = other.FillMaskWithInfo(other_row.data());
    ASSERT_EQ(row, other_row) << "token " << i << " of walk " << seed;
    ASSERT_EQ(info.allowed_count, other_info.allowed_count);
    ASSERT_EQ(one.IsAccepting(), other.IsAccepting());
    if (i % 8 == 0) {
      ASSERT_EQ(one.Completion(), other.Completion());
      ASSERT_EQ(one.ForcedBytes(), other.ForcedBytes());
    }
    const std::vector<TokenId> allowed = AllowedTokens(row);
    ASSERT_FALSE(allowed.empty());
    const TokenId token = allowed[random() % allowed.size()];
    ASSERT_TRUE(one.Accept(token) && other.Accept(token));
    if (one.IsTerminated()) return;
  }
}

constexpr uint64_t kWalks = 3;

// Compiles `one`, uses it, and holds what a file of it gives against a fresh compilation.
void ExpectFileIsAlike(const DefinitionCase& one,
                       const std::shared_ptr<const VocabularyIndex>& vocabulary) {
  SCOPED_TRACE(one.name);
  auto used = suites::Compile(one, vocabulary);
  auto fresh = suites::Compile(one, vocabulary);
  if (!used.ok() || !fresh.ok()) return;  // random schemas need not be satisfiable
  for (uint64_t seed = 0; seed < kWalks; ++seed) ExpectAlike(*used, *fresh, seed);
  const std::string file = FileOf(**used);
  auto loaded = ReadBack(file, vocabulary);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ((*loaded)->masks().built_count(), 0u);
  for (uint64_t seed = 0; seed < kWalks; ++seed) ExpectAlike(*fresh, *loaded, seed);
  EXPECT_EQ((*loaded)->masks().built_count(), 0u) << "masks of these walks are in the file";
  for (uint64_t seed = 100; seed < 100 + kWalks; ++seed) ExpectAlike(*fresh, *loaded, seed);
  // A grammar from a file can be written again, with what it made since.
  auto again = ReadBack(FileOf(**loaded), vocabulary);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  for (uint64_t seed = 0; seed < kWalks; ++seed) ExpectAlike(*fresh, *again, seed);
  for (uint64_t seed = 100; seed < 100 + kWalks; ++seed) ExpectAlike(*fresh, *again, seed);
  EXPECT_EQ((*again)->masks().built_count(), 0u);
}

TEST(GrammarFile, OfSmallDefinitionsIsTheGrammar) {
  const auto vocabulary = suites::SyntheticVocabulary(true);
  for (const DefinitionCase& one : suites::InlineCases()) {
    ExpectFileIsAlike(one, vocabulary.index);
    if (HasFatalFailure()) return;
  }
}

TEST(GrammarFile, OfTheSchemasFolderIsTheGrammarInEveryStyle) {
  using Whitespace = StylePolicy::Whitespace;
  constexpr Whitespace kForms[] = {Whitespace::kFlexible, Whitespace::kCompact, Whitespace::kIndent,
                                   Whitespace::kAny, Whitespace::kSpaced};
  const auto vocabulary = suites::SyntheticVocabulary(true);
  size_t number = 0;
  for (DefinitionCase& one : suites::SchemaFolderCases()) {
    one.options.style.whitespace = kForms[number % 5];
    if (number % 4 == 1) one.options.style.escapes = StylePolicy::Escapes::kPlain;
    if (number % 3 == 1) one.options.style.key_order = StylePolicy::KeyOrder::kDeclared;
    ++number;
    ExpectFileIsAlike(one, vocabulary.index);
    if (HasFatalFailure()) return;
  }
}

TEST(GrammarFile, OfRandomDefinitionsIsTheGrammar) {
  std::mt19937_64 random(20261130);
  const auto vocabulary = suites::SyntheticVocabulary(true);
  for (int i = 0; i < 120; ++i) {
    DefinitionCase one;
    one.kind = i % 4 == 3 ? DefinitionKind::kRegex : DefinitionKind::kJsonSchema;
    one.definition = i % 4 == 3 ? suites::RandomRegex(&random) : suites::RandomSchema(&random);
    one.name = one.definition;
    ExpectFileIsAlike(one, vocabulary.index);
    if (HasFatalFailure()) return;
  }
}

// Arrays that compare items, conditions over many members, undeclared keys that run out, numbers
// with divisors.
TEST(GrammarFile, HoldsWhatOnlyFewSchemasNeed) {
  const char* const kSchemas[] = {
      R"({"type":"array","uniqueItems":true,"items":{"enum":[1,2,3,"a","b"]},"maxItems":4})",
      R"({"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[ab]{1,2}$"}})",
      R"({"type":"array","contains":{"type":"integer","minimum":5},"minContains":2,
          "items":{"type":"integer"}})",
      R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"oneOf":[{"required":["a"]},
          {"required":["b","c"]}],"dependentRequired":{"c":["a"]}})",
      R"({"type":"object","patternProperties":{"^[ab]$":{"type":"integer","multipleOf":7}},
          "additionalProperties":false,"minProperties":2})",
      R"({"type":"string","pattern":"^(ab|cde)*$","minLength":7,"maxLength":11})",
      R"({"type":"number","multipleOf":0.25,"minimum":-3,"exclusiveMaximum":99.5})",
  };
  const auto vocabulary = suites::SyntheticVocabulary(true);
  for (const char* schema : kSchemas) {
    DefinitionCase one;
    one.name = one.definition = schema;
    ASSERT_TRUE(suites::Compile(one, vocabulary.index).ok()) << schema;
    ExpectFileIsAlike(one, vocabulary.index);
    if (HasFatalFailure()) return;
  }
}

TEST(GrammarFile, IsUsedByWhoMakesMasksAhead) {
  const auto vocabulary = suites::SyntheticVocabulary(true);
  DefinitionCase one;
  one.definition = R"({"type":"object","properties":{"a":{"enum":["ab",10,true]},"b":{"type":
      "boolean"}},"additionalProperties":false})";
  auto compiled = suites::Compile(one, vocabulary.index);
  ASSERT_TRUE(compiled.ok());
  EXPECT_EQ((*compiled)->completion().Run({}), CompletionEnd::kDone);
  const size_t masks = (*compiled)->masks().size();
  auto loaded = ReadBack(FileOf(**compiled), vocabulary.index);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ((*loaded)->completion().Run({}), CompletionEnd::kDone);
  EXPECT_EQ((*loaded)->masks().built_count(), 0u);
  EXPECT_EQ((*loaded)->masks().size(), masks);
}

TEST(GrammarFile, WrittenAgainHoldsTheMasksOfBeforeAndThoseMadeSince) {
  const auto vocabulary = VocabularyIndex::Bytes();
  auto compiled = CompileDefinition(DefinitionKind::kRegex, "x(ab)?|y(cd)?", {}, vocabulary);
  ASSERT_TRUE(compiled.ok());
  std::shared_ptr<const CompiledGrammar> grammar = compiled->grammar;
  std::vector<uint32_t> row(vocabulary->row_words());
  const auto builds_along = [&](std::string_view text) {
    Matcher matcher(grammar);
    const uint64_t before = grammar->masks().built_count();
    for (const char c : text) {
      matcher.FillMask(row.data());
      EXPECT_EQ(matcher.AcceptBytes(std::string_view(&c, 1)), 1u);
    }
    return grammar->masks().built_count() - before;
  };
  EXPECT_GT(builds_along("xab"), 0u);
  auto loaded = ReadBack(FileOf(*grammar), vocabulary);
  ASSERT_TRUE(loaded.ok());
  grammar = *loaded;
  EXPECT_GT(builds_along("ycd"), 0u);
  loaded = ReadBack(FileOf(*grammar), vocabulary);
  ASSERT_TRUE(loaded.ok());
  grammar = *loaded;
  EXPECT_EQ(builds_along("xab") + builds_along("ycd"), 0u);
}

std::shared_ptr<const CompiledGrammar> SmallGrammar(
    const std::shared_ptr<const VocabularyIndex>& vocabulary) {
  auto compiled = CompileDefinition(DefinitionKind::kRegex, "a[bc]{2}|d", {}, vocabulary);
  EXPECT_TRUE(compiled.ok());
  Matcher matcher(compiled->grammar);
  std::vector<uint32_t> row(vocabulary->row_words());
  matcher.FillMask(row.data());
  return compiled->grammar;
}

TEST(GrammarFile, IsRefusedWhereverAByteIsDamaged) {
  const auto vocabulary = VocabularyIndex::Bytes();
  const std::string file = FileOf(*SmallGrammar(vocabulary));
  ASSERT_TRUE(ReadBack(file, vocabulary).ok());
  for (size_t i = 0; i < file.size(); ++i) {
    for (const int flip : {1, 0x80, 0xFF}) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      const auto read = ReadBack(damaged, vocabulary);
      ASSERT_FALSE(read.ok()) << "byte " << i;
    }
  }
}

TEST(GrammarFile, IsRefusedWhereverItIsCutShort) {
  const auto vocabulary = VocabularyIndex::Bytes();
  const std::string file = FileOf(*SmallGrammar(vocabulary));
  for (size_t size = 0; size < file.size(); ++size) {
    const auto read = ReadBack(std::string_view(file).substr(0, size), vocabulary);
    ASSERT_FALSE(read.ok()) << size << " bytes";
  }
  EXPECT_FALSE(ReadBack(file + std::string(8, '\0'), vocabulary).ok());
}

TEST(GrammarFile, OfAnotherVocabularyOrVersionIsRefusedByName) {
  const auto vocabulary = VocabularyIndex::Bytes();
  const auto grammar = SmallGrammar(vocabulary);
  const auto other = suites::SyntheticVocabulary(true);
  const auto read = ReadBack(FileOf(*grammar), other.index);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().message().find("another vocabulary"), std::string::npos);

  GrammarWriter writer;
  grammar->Write(writer);
  const auto newer = ReadBack(
      writer.Finish(ArchiveKind::kCompiledGrammar, kGrammarFileVersion + 1, vocabulary->identity()),
      vocabulary);
  ASSERT_FALSE(newer.ok());
  EXPECT_NE(newer.status().message().find("version"), std::string::npos);
  EXPECT_FALSE(ReadBack("{\"type\":\"object\"}", vocabulary).ok());
}

// A file whose checksum fits and whose contents end too soon is refused, not read beyond its end.
TEST(GrammarFile, OfFewerContentsIsRefused) {
  const auto vocabulary = VocabularyIndex::Bytes();
  const std::string file = FileOf(*SmallGrammar(vocabulary));
  for (size_t words = 8; words < file.size() / 8; ++words) {
    GrammarWriter writer;
    for (size_t i = 8; i < words; ++i) {
      uint64_t word = 0;
      std::memcpy(&word, file.data() + i * 8, 8);
      writer.Value(word);
    }
    const auto read = ReadBack(
        writer.Finish(ArchiveKind::kCompiledGrammar, kGrammarFileVersion, vocabulary->identity()),
        vocabulary);
    ASSERT_FALSE(read.ok()) << words;
  }
}

TEST(DefinitionFile, KeepsTheReportAndTheOptions) {
  suites::TemporaryFolder folder;
  const std::string path = (folder.path() / "compiled").string();
  const auto vocabulary = VocabularyIndex::Bytes();
  DefinitionOptions options;
  options.style.whitespace = StylePolicy::Whitespace::kSpaced;
  options.nullable = true;
  options.base_uri = "https://example.org/a.json";
  options.documents = [](const std::string& uri) -> std::optional<std::string> {
    if (uri != "https://example.org/b.json") return std::nullopt;
    return R"({"type":"integer"})";
  };
  const std::string schema =
      R"({"properties":{"a":{"$ref":"b.json"},"b":false},"title":"t","x-unknown":1})";
  auto compiled = CompileSourced(DefinitionKind::kJsonSchema, schema, options, vocabulary);
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  ASSERT_EQ(compiled->source.documents.size(), 1u);
  ASSERT_TRUE(SaveDefinition(*compiled, path).ok());
  auto loaded = LoadDefinition(path, vocabulary);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_TRUE(loaded->source.IsLike(compiled->source));
  EXPECT_TRUE(loaded->source.HasSameDocuments(options));
  EXPECT_EQ(
      ReportJson(loaded->definition.kind, loaded->definition.report, OptionsOf(loaded->source),
                 Status::Ok()),
      ReportJson(compiled->definition.kind, compiled->definition.report, options, Status::Ok()));
  options.documents = [](const std::string&) { return std::optional<std::string>("true"); };
  EXPECT_FALSE(loaded->source.HasSameDocuments(options));
}

TEST(DefinitionFile, OutlivesItsNameAndItsReplacement) {
  suites::TemporaryFolder folder;
  const std::string path = (folder.path() / "compiled").string();
  const auto vocabulary = VocabularyIndex::Bytes();
  auto first = CompileSourced(DefinitionKind::kRegex, "(first)+", {}, vocabulary);
  auto second = CompileSourced(DefinitionKind::kRegex, "second", {}, vocabulary);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(SaveDefinition(*first, path).ok());
  auto loaded = LoadDefinition(path, vocabulary);
  ASSERT_TRUE(loaded.ok());
  ASSERT_TRUE(SaveDefinition(*second, path).ok());
  Matcher matcher(loaded->definition.grammar);
  EXPECT_EQ(matcher.AcceptBytes("firstfirst"), 10u);
  auto replaced = LoadDefinition(path, vocabulary);
  ASSERT_TRUE(replaced.ok());
  EXPECT_EQ(Matcher(replaced->definition.grammar).Completion(), "second");
  const Status missing = SaveDefinition(*first, (folder.path() / "none" / "compiled").string());
  EXPECT_EQ(missing.code(), StatusCode::kIo);
  EXPECT_EQ(LoadDefinition((folder.path() / "none").string(), vocabulary).status().code(),
            StatusCode::kIo);
}

}  // namespace
}  // namespace maskloom
