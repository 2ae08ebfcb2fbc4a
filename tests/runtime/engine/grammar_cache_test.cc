// The cache of compiled grammars: what is found where, limits, damage, threads.
#include "runtime/engine/grammar_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "runtime/matcher.h"
#include "tests/suites/data_folder.h"

namespace maskloom {
namespace {

namespace fs = std::filesystem;

class GrammarCacheTest : public testing::Test {
 protected:
  std::shared_ptr<GrammarCache> Make(const GrammarCacheOptions& options) {
    auto cache = GrammarCache::Create(options);
    EXPECT_TRUE(cache.ok()) << cache.status().ToString();
    return *cache;
  }
  std::shared_ptr<GrammarCache> MakeWithFolder() { return Make({.folder = folder()}); }
  std::string folder() const { return (temporary_.path() / "cache").string(); }
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder())) files.push_back(entry.path());
    return files;
  }
  Result<std::shared_ptr<const SourcedDefinition>> Get(GrammarCache& cache,
                                                       const std::string& regex) {
    return cache.Get(DefinitionKind::kRegex, regex, {}, vocabulary_);
  }

  const std::shared_ptr<const VocabularyIndex> vocabulary_ = VocabularyIndex::Bytes();
  suites::TemporaryFolder temporary_;
};

TEST_F(GrammarCacheTest, GivesTheSameGrammarForTheSameSource) {
  const auto cache = Make({});
  const auto first = Get(*cache, "a+"), second = Get(*cache, "a+"), other = Get(*cache, "a*");
  ASSERT_TRUE(first.ok() && second.ok() && other.ok());
  EXPECT_EQ(*first, *second);
  EXPECT_NE(*first, *other);
  const GrammarCacheStatistics statistics = cache->statistics();
  EXPECT_EQ(statistics.misses, 2u);
  EXPECT_EQ(statistics.memory_hits, 1u);
  EXPECT_EQ(statistics.grammars, 2u);
  EXPECT_GT(statistics.memory_bytes, 0u);
}

TEST_F(GrammarCacheTest, TellsOptionsKindsAndVocabulariesApart) {
  const auto cache = Make({});
  DefinitionOptions compact;
  compact.style.whitespace = StylePolicy::Whitespace::kCompact;
  const auto schema = [&](const DefinitionOptions& options, const char* text) {
    return *cache->Get(DefinitionKind::kJsonSchema, text, options, vocabulary_);
  };
  const auto flexible = schema({}, "{}");
  EXPECT_NE(flexible, schema(compact, "{}"));
  EXPECT_NE(flexible, schema({}, "{} "));
  EXPECT_EQ(flexible, schema({}, "{}"));
  std::vector<Vocabulary::Token> tokens;
  for (int b = 0; b < 256; ++b) tokens.push_back({std::string(1, static_cast<char>(b))});
  auto larger = Vocabulary::Create(std::move(tokens), {}, 300);
  ASSERT_TRUE(larger.ok());
  const auto index = VocabularyIndex::Build(std::move(*larger));
  const auto other = cache->Get(DefinitionKind::kJsonSchema, "{}", {}, index);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(flexible, *other);
  EXPECT_EQ((*other)->definition.grammar->vocabulary().size(), 300u);
}

TEST_F(GrammarCacheTest, KeepsToItsMemoryByForgettingWhatWasNotUsedForLongest) {
  const auto measuring = Make({});
  ASSERT_TRUE(Get(*measuring, "a").ok());
  const size_t one = measuring->statistics().memory_bytes;
  const auto cache = Make({.memory_bytes = 3 * one + one / 2});
  for (const char* regex : {"a", "b", "c"}) ASSERT_TRUE(Get(*cache, regex).ok());
  ASSERT_TRUE(Get(*cache, "a").ok());
  ASSERT_TRUE(Get(*cache, "d").ok());  // b goes
  EXPECT_EQ(cache->statistics().evictions, 1u);
  EXPECT_EQ(cache->statistics().grammars, 3u);
  ASSERT_TRUE(Get(*cache, "a").ok());
  EXPECT_EQ(cache->statistics().memory_hits, 2u);
  ASSERT_TRUE(Get(*cache, "b").ok());
  EXPECT_EQ(cache->statistics().misses, 5u);
  EXPECT_LE(cache->statistics().memory_bytes, 3 * one + one / 2);
}

TEST_F(GrammarCacheTest, GivesWhatIsTooLargeForIt) {
  const auto cache = Make({.memory_bytes = 1, .folder = folder()});
  const auto grammar = Get(*cache, "abc");
  ASSERT_TRUE(grammar.ok());
  EXPECT_EQ(Matcher((*grammar)->definition.grammar).Completion(), "abc");
  EXPECT_EQ(cache->statistics().grammars, 0u);
  EXPECT_EQ(cache->statistics().memory_bytes, 0u);
  EXPECT_EQ(Files().size(), 1u) << "what leaves memory goes to the folder";
  ASSERT_TRUE(Get(*cache, "abc").ok());
  EXPECT_EQ(cache->statistics().folder_hits, 1u);
}

TEST_F(GrammarCacheTest, FindsInItsFolderWhatAnotherLeftThere) {
  {
    const auto cache = MakeWithFolder();
    const auto grammar = Get(*cache, "[a-f]{3}");
    ASSERT_TRUE(grammar.ok());
    std::vector<uint32_t> row(vocabulary_->row_words());
    Matcher((*grammar)->definition.grammar).FillMask(row.data());
    EXPECT_TRUE(Files().empty());
  }
  ASSERT_EQ(Files().size(), 1u);
  const auto cache = MakeWithFolder();
  const auto grammar = Get(*cache, "[a-f]{3}");
  ASSERT_TRUE(grammar.ok());
  EXPECT_EQ(cache->statistics().folder_hits, 1u);
  EXPECT_EQ(cache->statistics().misses, 0u);
  Matcher matcher((*grammar)->definition.grammar);
  std::vector<uint32_t> row(vocabulary_->row_words());
  matcher.FillMask(row.data());
  EXPECT_EQ(matcher.AcceptBytes("abf"), 3u);
  ASSERT_TRUE(cache->Flush().ok());
  EXPECT_EQ(cache->statistics().files_written, 0u) << "nothing is new";
  matcher.Reset();
  EXPECT_EQ(matcher.AcceptBytes("a"), 1u);
  matcher.FillMask(row.data());
  ASSERT_TRUE(cache->Flush().ok());
  EXPECT_EQ(cache->statistics().files_written, 1u) << "with the mask that it lacked";
}

TEST_F(GrammarCacheTest, CompilesAnewWhatIsDamagedInItsFolder) {
  {
    const auto cache = MakeWithFolder();
    ASSERT_TRUE(Get(*cache, "x[0-9]").ok());
  }
  const std::vector<fs::path> files = Files();
  ASSERT_EQ(files.size(), 1u);
  for (const bool empty : {false, true}) {
    if (empty) {
      std::ofstream(files[0], std::ios::trunc);
    } else {
      std::fstream file(files[0], std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(200);
      file.put('!');
    }
    {
      const auto cache = MakeWithFolder();
      const auto grammar = Get(*cache, "x[0-9]");
      ASSERT_TRUE(grammar.ok());
      EXPECT_EQ(cache->statistics().files_unusable, 1u);
      EXPECT_EQ(cache->statistics().misses, 1u);
    }
    const auto cache = MakeWithFolder();
    ASSERT_TRUE(Get(*cache, "x[0-9]").ok());
    EXPECT_EQ(cache->statistics().folder_hits, 1u) << "it was replaced";
  }
}

TEST_F(GrammarCacheTest, KeepsToTheSizeOfItsFolder) {
  uintmax_t one = 0;
  {
    const auto cache = MakeWithFolder();
    ASSERT_TRUE(Get(*cache, "a").ok());
    ASSERT_TRUE(cache->Flush().ok());
    one = fs::file_size(Files()[0]);
    fs::last_write_time(Files()[0], fs::file_time_type::clock::now() - std::chrono::hours(2));
  }
  const auto cache = Make({.folder = folder(), .folder_bytes = 2 * one + one / 2});
  ASSERT_TRUE(Get(*cache, "b").ok());
  ASSERT_TRUE(cache->Flush().ok());
  EXPECT_EQ(Files().size(), 2u);
  ASSERT_TRUE(Get(*cache, "c").ok());
  ASSERT_TRUE(cache->Flush().ok());
  EXPECT_EQ(Files().size(), 2u);
  EXPECT_EQ(cache->statistics().files_removed, 1u);
  const auto second = MakeWithFolder();
  ASSERT_TRUE(Get(*second, "a").ok());
  EXPECT_EQ(second->statistics().misses, 1u) << "the one not used for longest is gone";
}

TEST_F(GrammarCacheTest, RemovesWhatKilledWritersLeftAndCountsTheRest) {
  const auto cache = Make({.folder = folder(), .folder_bytes = 50'000});
  const auto leave = [&](const std::string& name, size_t bytes, std::chrono::minutes age) {
    const fs::path path = fs::path(folder()) / name;
    std::ofstream(path) << std::string(bytes, 'x');
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
    return path;
  };
  const std::string own = std::to_string(::getpid());
  const auto old = leave("a.grammar.part-1-3", 5, std::chrono::minutes(70));
  const auto foreign = leave("a.mask.part-1-3", 5, std::chrono::minutes(70));
  ASSERT_TRUE(Get(*cache, "a").ok());
  ASSERT_TRUE(cache->Flush().ok());
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(foreign)) << "not a file of the cache";
  EXPECT_EQ(cache->statistics().files_removed, 1u);
  const auto writing = leave("b.grammar.part-" + own + "-900", 49'999, std::chrono::minutes(0));
  ASSERT_TRUE(Get(*cache, "b").ok());
  ASSERT_TRUE(cache->Flush().ok());
  EXPECT_TRUE(fs::exists(writing));
  EXPECT_EQ(Files().size(), 2u) << "what is being written leaves no room";
}

TEST_F(GrammarCacheTest, AsksAgainForDocumentsThatDefinitionsReferTo) {
  const auto cache = Make({});
  std::string document = R"({"const":1})";
  DefinitionOptions options;
  options.base_uri = "https://example.org/a";
  options.documents = [&](const std::string&) { return std::optional<std::string>(document); };
  const auto get = [&] {
    return cache->Get(DefinitionKind::kJsonSchema, R"({"$ref":"b"})", options, vocabulary_);
  };
  const auto first = get();
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_EQ(*first, *get());
  document = R"({"const":2})";
  const auto second = get();
  ASSERT_TRUE(second.ok());
  EXPECT_NE(*first, *second);
  EXPECT_EQ(Matcher((*second)->definition.grammar).Completion(), "2");
}

TEST_F(GrammarCacheTest, SaysWhatIsWrongWithADefinition) {
  const auto cache = MakeWithFolder();
  for (int i = 0; i < 2; ++i) {
    SchemaReport report;
    const auto refused =
        cache->Get(DefinitionKind::kJsonSchema, R"({"type":"nothing"})", {}, vocabulary_, &report);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().code(), StatusCode::kInvalidDefinition);
  }
  EXPECT_EQ(cache->statistics().misses, 2u);
  std::ofstream(temporary_.path() / "file") << "x";
  EXPECT_EQ(GrammarCache::Create({.folder = (temporary_.path() / "file").string()}).status().code(),
            StatusCode::kIo);
  const std::string link = (temporary_.path() / "link").string();
  fs::create_symlink("nowhere", link);
  EXPECT_EQ(GrammarCache::Create({.folder = link}).status().message(),
            link + ": is a link to a folder that is not there");
}

TEST_F(GrammarCacheTest, CompilesOnceForManyThreads) {
  const auto cache = MakeWithFolder();
  constexpr int kThreads = 8;
  constexpr int kRounds = 20;
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        const std::string regex = "[a-z]{" + std::to_string(i + 1) + "}(x|yz)*";
        const auto grammar = Get(*cache, regex);
        if (!grammar.ok()) {
          ++failures;
          continue;
        }
        Matcher matcher((*grammar)->definition.grammar);
        if (matcher.AcceptBytes(std::string(static_cast<size_t>(i) + 1, 'q')) !=
            static_cast<size_t>(i) + 1) {
          ++failures;
        }
        if (t == 0 && i % 5 == 0 && !cache->Flush().ok()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures.load(), 0);
  const GrammarCacheStatistics statistics = cache->statistics();
  EXPECT_EQ(statistics.misses, static_cast<uint64_t>(kRounds));
  EXPECT_EQ(statistics.memory_hits, static_cast<uint64_t>(kRounds * (kThreads - 1)));
}

}  // namespace
}  // namespace maskloom
