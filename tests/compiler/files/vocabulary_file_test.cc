// An index that was saved and mapped is the one that was built: bit for bit in every mask. Files
// that are not whole, or not of the vocabulary that is asked for, are refused.
#include "compiler/vocabulary_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "compiler/archive.h"
#include "compiler/checksum.h"
#include "runtime/matcher.h"
#include "tests/runtime/cli/run_command.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_full_schema.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

namespace fs = std::filesystem;

using Index = std::shared_ptr<const VocabularyIndex>;

class VocabularyFile : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  void Write(const std::string& name, std::string_view bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }
  // Saves `index` and maps it.
  Index Reloaded(const VocabularyIndex& index) const {
    const Status saved = SaveVocabularyIndex(index, Path("index"));
    EXPECT_TRUE(saved.ok()) << saved.ToString();
    auto loaded = LoadVocabularyIndex(Path("index"), index.identity());
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    return loaded.ok() ? *loaded : nullptr;
  }

  TemporaryFolder folder_;
};

// Compiles `one` for both, and walks texts of chance through both: every mask is the same, and so
// are the rows that it is made of.
void ExpectSameMasks(const DefinitionCase& one, const Index& built, const Index& loaded,
                     std::mt19937_64* random) {
  SCOPED_TRACE(one.name + ": " + one.definition);
  const auto a = Compile(one, built);
  const auto b = Compile(one, loaded);
  ASSERT_EQ(a.ok(), b.ok());
  if (!a.ok()) {
    EXPECT_EQ(a.status().ToString(), b.status().ToString());
    return;
  }
  Matcher first(*a);
  Matcher second(*b);
  std::vector<uint32_t> row(built->row_words());
  std::vector<uint32_t> other(built->row_words());
  for (int step = 0; step < 40; ++step) {
    const MaskInfo info = first.FillMaskWithInfo(row.data());
    const MaskInfo same = second.FillMaskWithInfo(other.data());
    ASSERT_EQ(row, other) << "step " << step;
    ASSERT_EQ(info.base, same.base);
    ASSERT_EQ(info.exceptions, same.exceptions);
    ASSERT_EQ(info.allowed_count, same.allowed_count);
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < built->size(); ++id) {
      if (row[id / 32] >> (id % 32) & 1) allowed.push_back(id);
    }
    ASSERT_FALSE(allowed.empty());
    const TokenId chosen = allowed[(*random)() % allowed.size()];
    ASSERT_TRUE(first.Accept(chosen));
    ASSERT_TRUE(second.Accept(chosen));
    if (first.IsTerminated()) break;
  }
}

std::vector<DefinitionCase> SomeDefinitions(size_t random_count) {
  std::vector<DefinitionCase> all = InlineCases();
  for (DefinitionCase& one : SchemaFolderCases()) all.push_back(std::move(one));
  for (size_t i = 0; i < random_count; ++i) {
    std::mt19937_64 random(i);
    DefinitionCase one;
    one.name = "random " + std::to_string(i);
    one.definition = RandomFullSchema(judge::Draft::k2020, {}, &random);
    // Styles whose tables are not in the file, too.
    if (i % 4 == 1) one.options.style.escapes = StylePolicy::Escapes::kPlain;
    if (i % 4 == 2) one.options.style.whitespace = StylePolicy::Whitespace::kCompact;
    all.push_back(std::move(one));
  }
  return all;
}

TEST_F(VocabularyFile, GivesTheSameMasksOfEveryKindOfDefinition) {
  std::mt19937_64 random(1);
  for (const bool all_bytes : {true, false}) {
    const Index built = SyntheticVocabulary(all_bytes).index;
    const Index loaded = Reloaded(*built);
    ASSERT_NE(loaded, nullptr);
    for (const DefinitionCase& one : SomeDefinitions(120)) {
      ExpectSameMasks(one, built, loaded, &random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(VocabularyFile, GivesTheSameMasksOfARealVocabulary) {
  const auto vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  const Index loaded = Reloaded(*vocabulary->index);
  ASSERT_NE(loaded, nullptr);
  std::mt19937_64 random(1);
  for (const DefinitionCase& one : SomeDefinitions(40)) {
    ExpectSameMasks(one, vocabulary->index, loaded, &random);
    if (HasFatalFailure()) return;
  }
}

TEST_F(VocabularyFile, HoldsAllThatAnIndexIsBuiltOf) {
  for (const Index& built : {SyntheticVocabulary(true).index, SyntheticVocabulary(false).index,
                             VocabularyIndex::Bytes()}) {
    const Index loaded = Reloaded(*built);
    ASSERT_NE(loaded, nullptr);
    EXPECT_EQ(WriteVocabularyIndex(*loaded), WriteVocabularyIndex(*built));
    EXPECT_EQ(loaded->quoted_texts(), built->quoted_texts());
    EXPECT_EQ(loaded->whole_numbers(), built->whole_numbers());
    EXPECT_EQ(loaded->identity(), built->identity());
  }
}

// What the file holds is part of its format. Where this fails because an index now holds something
// else, or means something else by it, raise kVocabularyFileVersion and put the new sum here.
TEST_F(VocabularyFile, ChangesOnlyWithItsVersion) {
  const std::string file = WriteVocabularyIndex(*SyntheticVocabulary(true).index);
  EXPECT_EQ(kVocabularyFileVersion, 6u);
  EXPECT_EQ(Checksum(std::as_bytes(std::span(file))), 4075161082517853899u);
}

TEST_F(VocabularyFile, OutlivesTheFileAndTheIndex) {
  Index loaded = Reloaded(*VocabularyIndex::Bytes());
  ASSERT_NE(loaded, nullptr);
  fs::remove(Path("index"));
  const Vocabulary copy = loaded->vocabulary();
  loaded = nullptr;
  EXPECT_EQ(copy.bytes('a'), "a");
  EXPECT_EQ(copy.bytes(256), "<end>");
}

TEST_F(VocabularyFile, IsRefusedForAnotherVocabulary) {
  const Index bytes = VocabularyIndex::Bytes();
  ASSERT_TRUE(SaveVocabularyIndex(*bytes, Path("index")).ok());
  EXPECT_TRUE(LoadVocabularyIndex(Path("index")).ok());
  const auto other =
      LoadVocabularyIndex(Path("index"), SyntheticVocabulary(true).index->identity());
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.status().code(), StatusCode::kInvalidModel);
  EXPECT_NE(other.status().message().find("another vocabulary"), std::string::npos);
  EXPECT_TRUE(other.status().message().starts_with(Path("index"))) << other.status().message();
}

TEST_F(VocabularyFile, IsRefusedWhereAnyByteIsDamagedOrMissing) {
  const std::string file = WriteVocabularyIndex(*VocabularyIndex::Bytes());
  std::mt19937_64 random(1);
  for (int i = 0; i < 400; ++i) {
    std::string damaged = file;
    // The header, where every byte has a meaning, more often than the rest.
    const size_t at = i < 128 ? static_cast<size_t>(i) : random() % file.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    Write("damaged", damaged);
    const auto loaded = LoadVocabularyIndex(Path("damaged"));
    ASSERT_FALSE(loaded.ok()) << "byte " << at;
    EXPECT_EQ(loaded.status().code(), StatusCode::kInvalidModel);
    Write("short", file.substr(0, at));
    ASSERT_FALSE(LoadVocabularyIndex(Path("short")).ok()) << at << " bytes";
  }
}

TEST_F(VocabularyFile, IsRefusedOfAnotherVersionOrKind) {
  const auto message = [&](ArchiveKind kind, uint32_t version) {
    Write("other", ArchiveWriter().Finish(kind, version, 1));
    const auto loaded = LoadVocabularyIndex(Path("other"));
    EXPECT_FALSE(loaded.ok());
    return loaded.status().message();
  };
  EXPECT_NE(
      message(ArchiveKind::kVocabularyIndex, kVocabularyFileVersion + 1).find("reads version"),
      std::string::npos);
  EXPECT_NE(message(ArchiveKind::kCompiledGrammar, 1).find("a compiled grammar, not"),
            std::string::npos);
  // Whole, but with nothing in it.
  EXPECT_NE(message(ArchiveKind::kVocabularyIndex, kVocabularyFileVersion).find("ends before"),
            std::string::npos);
  // With more than belongs in it.
  const auto index = VocabularyIndex::Bytes();
  ArchiveWriter longer;
  longer.Part(*index);
  longer.Part(index->standard_walks(StylePolicy()));
  longer.Value(uint64_t{7});
  Write("other",
        longer.Finish(ArchiveKind::kVocabularyIndex, kVocabularyFileVersion, index->identity()));
  EXPECT_NE(LoadVocabularyIndex(Path("other")).status().message().find("more than its contents"),
            std::string::npos);
  Write("other", "{}");
  EXPECT_FALSE(IsArchiveFile(Path("other")));
  EXPECT_FALSE(IsArchiveFile(Path("missing")));
  EXPECT_EQ(LoadVocabularyIndex(Path("missing")).status().code(), StatusCode::kIo);
}

TEST_F(VocabularyFile, IsTakenByCommandsThatNeedOnlyTheVocabulary) {
  const std::string tokenizer = WriteTestFile("tokenizer.json", TinyTokenizerJson());
  const std::string schema = WriteTestFile("schema.json", R"({"type":"integer"})");
  CommandResult made = RunMaskloom({"index", "--tokenizer", tokenizer, "-o", Path("index")});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_NE(made.out.find("identity"), std::string::npos) << made.out;
  const std::string text = WriteTestFile("text.json", "12");
  CommandResult checked =
      RunMaskloom({"check", "--schema", schema, "--tokenizer", Path("index"), text});
  EXPECT_EQ(checked.exit_status, 0) << checked.err;
  CommandResult again = RunMaskloom({"index", "--tokenizer", Path("index"), "-o", Path("again")});
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(ReadTestFile(Path("again")), ReadTestFile(Path("index")));
  CommandResult encoded = RunMaskloom({"tokenize", "--tokenizer", Path("index"), "a"});
  EXPECT_EQ(encoded.exit_status, 4);
  EXPECT_NE(encoded.err.find("holds no tokenizer"), std::string::npos) << encoded.err;
  CommandResult nowhere =
      RunMaskloom({"index", "--tokenizer", tokenizer, "-o", Path("no/folder/index")});
  EXPECT_EQ(nowhere.exit_status, 4);
  EXPECT_NE(nowhere.err.find("no/folder"), std::string::npos) << nowhere.err;
  Write("index", "MASKLOOM, but not really");
  CommandResult damaged = RunMaskloom({"check", "--schema", schema, "--tokenizer", Path("index")});
  EXPECT_EQ(damaged.exit_status, 4);
  EXPECT_NE(damaged.err.find("cut short"), std::string::npos) << damaged.err;
}

}  // namespace
}  // namespace maskloom::suites
