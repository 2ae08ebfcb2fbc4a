// The central property at full vocabulary: masks against steps for every token of four vocabularies
// at states of MaskBench, some hundred here, more than 200,000 in the long suite. What is compared
// is in state_check.h; shards can be stopped and go on (progress_file.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/suites/data_folder.h"
#include "tests/suites/progress_file.h"
#include "tests/suites/random_text.h"
#include "tests/suites/state_check.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

// Of so many definitions one has its tokens drawn for the judge, another one in each vocabulary.
constexpr size_t kJudgedStep = 8;
// Without the whole suite, of so many files of MaskBench one is taken.
constexpr size_t kSampleStep = 450;

uint64_t SeedOf(const std::string& text) {
  uint64_t seed = 14695981039346656037u;
  for (const char c : text) seed = (seed ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return seed;
}

// Half of the files keep the default style; what texts say of spaces and order refuses some of them
// early in the others.
StylePolicy StyleOf(uint64_t seed) {
  StylePolicy style;
  switch (seed % 8) {
    case 0:
      style.escapes = StylePolicy::Escapes::kPlain;
      break;
    case 1:
      style.whitespace = StylePolicy::Whitespace::kAny;
      break;
    case 2:
      style.whitespace = StylePolicy::Whitespace::kSpaced;
      style.escapes = StylePolicy::Escapes::kPlain;
      break;
    case 3:
      style.key_order = StylePolicy::KeyOrder::kDeclared;
      break;
    default:
      break;
  }
  return style;
}

// Sums what is found and reports it.
class Report {
 public:
  explicit Report(std::string vocabulary) : vocabulary_(std::move(vocabulary)) {}

  void Add(const StateTally& tally) {
    for (const std::string& fault : tally.faults) ADD_FAILURE() << fault;
    sum_.states += tally.states;
    sum_.alike += tally.alike;
    sum_.judged_tokens += tally.judged_tokens;
    sum_.nodes += tally.nodes;
    for (const auto& [kind, count] : tally.kinds) sum_.kinds[kind] += count;
    masks_.insert(tally.masks.begin(), tally.masks.end());
    faults_ += tally.faults.size();
    ++(tally.refused.empty() ? compiled_ : refused_);
  }

  size_t states() const { return sum_.states; }

  void Print() const {
    std::printf(
        "%s: %zu states of %zu definitions (%zu refused), %zu distinct masks, %zu states "
        "alike, %zu tokens judged, %.1f M nodes, %zu faults\n",
        vocabulary_.c_str(), sum_.states, compiled_, refused_, masks_.size(), sum_.alike,
        sum_.judged_tokens, static_cast<double>(sum_.nodes) / 1e6, faults_);
    for (const auto& [kind, count] : sum_.kinds) std::printf("  %-32s %zu\n", kind.c_str(), count);
  }

 private:
  std::string vocabulary_;
  StateTally sum_;
  std::set<uint32_t> masks_;
  size_t compiled_ = 0;
  size_t refused_ = 0;
  size_t faults_ = 0;
};

// MaskBench, unpacked once, with the files whose schema an earlier file has left out.
const Result<std::vector<std::string>>& MaskBenchPaths() {
  static const auto* paths = new Result<std::vector<std::string>>([] {
    static TemporaryFolder folder;
    Result<std::vector<std::string>> found(std::vector<std::string>{});
    Status unpacked = UnpackSuite("maskbench-dev", folder);
    if (!unpacked.ok()) return Result<std::vector<std::string>>(unpacked);
    std::set<std::string> schemas;
    for (const auto& path : JsonFilesBelow(folder.path())) {
      auto one = ReadMaskBenchCase(path.string());
      if (one.ok() && schemas.insert(one->definition).second) found->push_back(path.string());
    }
    return found;
  }());
  return *paths;
}

void RunOnMaskBench(const std::string& name, size_t place) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  const auto& paths = MaskBenchPaths();
  if (!paths.ok()) GTEST_SKIP() << paths.status().ToString();
  auto vocabulary = RealVocabulary(name);
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  const ByteTrie trie(vocabulary->index->vocabulary());
  auto progress = ProgressFile::Open("vocabularies");
  ASSERT_TRUE(progress.ok()) << progress.status().ToString();
  const Shard shard = CurrentShard();
  Report report(name);
  size_t done_before = 0;
  for (size_t i = 0; i < paths->size(); ++i) {
    if (IsLongRun() ? !shard.Has(i) : i % kSampleStep != 0) continue;
    auto one = ReadMaskBenchCase((*paths)[i]);
    ASSERT_TRUE(one.ok()) << one.status().ToString();
    if (const size_t* faults = progress->Find(name, one->name)) {
      ++done_before;
      EXPECT_EQ(*faults, 0u) << one->name << " [" << name << "]: found before";
      continue;
    }
    std::mt19937_64 random(SeedOf(name + "/" + one->name));
    const uint64_t seed = SeedOf(one->name) >> 16;
    one->options.style = StyleOf(seed);
    StateLimits limits;
    limits.judged = !IsLongRun() || (seed / 8 + 2 * place) % kJudgedStep == 0;
    const StateTally tally = CheckStates(*one, *vocabulary, trie, limits, &random);
    report.Add(tally);
    progress->Add(name, one->name, tally);
  }
  if (done_before == 0) {
    EXPECT_GT(report.states(), 0u);
  } else {
    std::printf("%s: %zu definitions were done before\n", name.c_str(), done_before);
  }
  report.Print();
}

TEST(FullVocabulary, MasksAreWhatStepsAllowOnBuiltInDefinitions) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  const ByteTrie trie(vocabulary.index->vocabulary());
  std::vector<DefinitionCase> cases = InlineCases();
  for (DefinitionCase& one : SchemaFolderCases()) cases.push_back(std::move(one));
  Report report(vocabulary.name);
  for (DefinitionCase& one : cases) {
    std::mt19937_64 random(SeedOf(one.name));
    auto grammar = Compile(one, vocabulary.index);
    for (int i = 0; grammar.ok() && i < 2; ++i) {
      one.texts.push_back({WriteRandomText(*grammar, Chooser::kSeeking, 40, &random).text});
    }
    report.Add(CheckStates(one, vocabulary, trie, {.on_texts = 8, .off_texts = 12, .judged = true},
                           &random));
  }
  EXPECT_GE(report.states(), 1000u);
  report.Print();
}

TEST(FullVocabulary, MasksAreWhatStepsAllowWithLlama3) { RunOnMaskBench("llama3_1", 0); }
TEST(FullVocabulary, MasksAreWhatStepsAllowWithQwen3) { RunOnMaskBench("qwen3", 1); }
TEST(FullVocabulary, MasksAreWhatStepsAllowWithGpt4o) { RunOnMaskBench("gpt4o", 2); }
TEST(FullVocabulary, MasksAreWhatStepsAllowWithGemma3) { RunOnMaskBench("gemma3", 3); }

}  // namespace
}  // namespace maskloom::suites
