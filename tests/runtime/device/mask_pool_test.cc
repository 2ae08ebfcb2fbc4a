// Masks placed in a pool against the rows that the matcher fills.
#include "runtime/device/mask_pool.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

using kernels::RowMask;
using Ids = std::vector<uint32_t>;

std::vector<uint32_t> RowOf(Matcher* matcher) {
  std::vector<uint32_t> row(matcher->grammar().vocabulary().row_words());
  matcher->FillMask(row.data());
  return row;
}

std::vector<uint32_t> RowOf(const RowMask& mask, const MaskPool& pool, const Ids& sent) {
  std::vector<uint32_t> row(pool.row_words());
  for (uint32_t id = 0; id < row.size() * 32; ++id) {
    const bool allowed = IsAllowedIn(mask, pool.words(), pool.row_words(), sent.data(), id);
    row[id / 32] |= static_cast<uint32_t>(allowed) << (id % 32);
  }
  return row;
}

// Takes a token drawn at random. Returns false where the text is over.
bool TakeAny(Matcher* matcher, std::mt19937_64* random) {
  const std::vector<uint32_t> row = RowOf(matcher);
  std::vector<TokenId> allowed;
  for (TokenId id = 0; id < row.size() * 32; ++id) {
    if ((row[id / 32] >> (id % 32) & 1) != 0) allowed.push_back(id);
  }
  return !allowed.empty() && matcher->Accept(allowed[(*random)() % allowed.size()]);
}

class MaskPoolTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    vocabulary_ = std::make_unique<TestVocabulary>(SyntheticVocabulary(true));
    for (const DefinitionCase& one : InlineCases()) {
      auto grammar = Compile(one, vocabulary_->index);
      if (grammar.ok()) grammars_.push_back(*grammar);
    }
  }
  static void TearDownTestSuite() {
    grammars_.clear();
    vocabulary_.reset();
  }
  static size_t RowBytes() { return size_t{vocabulary_->index->row_words()} * 4; }
  std::unique_ptr<MaskPool> Pool(size_t slots) {
    auto pool = MaskPool::Create(*vocabulary_->index, &memory_, slots * RowBytes());
    EXPECT_TRUE(pool.ok()) << pool.status().ToString();
    return std::move(*pool);
  }

  static std::unique_ptr<TestVocabulary> vocabulary_;
  static std::vector<std::shared_ptr<const CompiledGrammar>> grammars_;
  PlainMemory memory_;
};

std::unique_ptr<TestVocabulary> MaskPoolTest::vocabulary_;
std::vector<std::shared_ptr<const CompiledGrammar>> MaskPoolTest::grammars_;

// Steps of a batch of four texts each, in a pool that holds them all and in one that is always
// full.
TEST_F(MaskPoolTest, NamesTheMaskOfTheMatcher) {
  for (const size_t slots : {size_t{1000}, size_t{9}}) {
    const auto pool = Pool(slots);
    std::mt19937_64 random(7);
    size_t unions = 0;
    for (size_t first = 0; first + 4 <= grammars_.size(); ++first) {
      std::vector<Matcher> batch;
      for (size_t i = 0; i < 4; ++i) batch.emplace_back(grammars_[first + i]);
      for (int step = 0; step < 12; ++step) {
        const uint64_t number = pool->BeginStep();
        Ids sent;
        std::vector<RowMask> masks;
        for (const Matcher& matcher : batch) {
          const auto mask = pool->Place(matcher.grammar(), matcher.items(), &sent);
          ASSERT_TRUE(mask);
          masks.push_back(*mask);
          unions += matcher.items().size() > 1;
        }
        for (size_t i = 0; i < 4; ++i) {
          ASSERT_EQ(RowOf(masks[i], *pool, sent), RowOf(&batch[i])) << first + i << ' ' << step;
          TakeAny(&batch[i], &random);
        }
        pool->FinishSteps(number);
      }
    }
    EXPECT_GT(unions, 50u);
    EXPECT_LE(pool->traffic().sent_bytes, 64 * pool->traffic().rows);
  }
}

TEST_F(MaskPoolTest, UploadsWhatGrammarsShareOnce) {
  const auto pool = Pool(1000);
  const DefinitionCase first{.name = "a", .definition = R"({"type": "string"})"};
  const DefinitionCase second{.name = "b", .definition = R"({"type": ["string", "null"]})"};
  uint64_t uploaded = 0;
  for (const DefinitionCase& one : {first, second, first}) {
    auto grammar = Compile(one, vocabulary_->index);
    ASSERT_TRUE(grammar.ok());
    Matcher matcher(*grammar);
    ASSERT_EQ(matcher.AcceptBytes("\"x"), 2u);
    pool->BeginStep();
    Ids sent;
    const auto mask = pool->Place(matcher.grammar(), matcher.items(), &sent);
    ASSERT_TRUE(mask);
    ASSERT_NE(mask->slot, kernels::kNoSlot);
    EXPECT_EQ(RowOf(*mask, *pool, sent), RowOf(&matcher));
    const uint64_t bytes = pool->traffic().uploaded_bytes - uploaded;
    uploaded += bytes;
    if (uploaded == bytes) {
      EXPECT_GE(bytes, RowBytes());
    } else {
      EXPECT_LT(bytes, RowBytes());  // a list at most
    }
  }
}

TEST_F(MaskPoolTest, PlacesAMaskThatIsThereWithoutUploads) {
  const auto pool = Pool(1000);
  uint64_t uploaded = 0;
  for (int round = 0; round < 2; ++round) {
    for (const auto& grammar : grammars_) {
      std::mt19937_64 random(3);
      Matcher matcher(grammar);
      for (int step = 0; step < 10; ++step) {
        pool->BeginStep();
        Ids sent;
        ASSERT_TRUE(pool->Place(matcher.grammar(), matcher.items(), &sent));
        if (!TakeAny(&matcher, &random)) break;
      }
    }
    if (round == 0) uploaded = pool->traffic().uploaded_bytes;
  }
  EXPECT_GT(uploaded, 0u);
  EXPECT_EQ(pool->traffic().uploaded_bytes, uploaded);
}

TEST_F(MaskPoolTest, KeepsWhatStepsInFlightName) {
  const auto pool = Pool(4);
  struct Placed {
    RowMask mask;
    std::vector<uint32_t> row;
    Ids sent;
  };
  std::vector<Placed> placed;
  const uint64_t step = pool->BeginStep();
  bool is_full = false;
  for (const auto& grammar : grammars_) {
    std::mt19937_64 random(11);
    Matcher matcher(grammar);
    for (int i = 0; i < 8 && TakeAny(&matcher, &random); ++i) {
      Placed one;
      const auto mask = pool->Place(matcher.grammar(), matcher.items(), &one.sent);
      is_full |= !mask.has_value();
      if (!mask) continue;
      one.mask = *mask;
      one.row = RowOf(&matcher);
      placed.push_back(std::move(one));
    }
  }
  EXPECT_TRUE(is_full);
  for (const Placed& one : placed) ASSERT_EQ(RowOf(one.mask, *pool, one.sent), one.row);
  pool->FinishSteps(step);
  pool->BeginStep();
  Matcher matcher(grammars_.front());
  Ids sent;
  EXPECT_TRUE(pool->Place(matcher.grammar(), matcher.items(), &sent));
}

TEST_F(MaskPoolTest, LeavesWhatIsKeptWhereItIs) {
  const auto pool = Pool(6);
  pool->BeginStep();
  Matcher first(grammars_.front());
  const auto kept = pool->Keep(first.grammar(), first.items());
  ASSERT_TRUE(kept);
  for (const auto& grammar : grammars_) {
    std::mt19937_64 random(5);
    Matcher matcher(grammar);
    for (int i = 0; i < 8 && TakeAny(&matcher, &random); ++i) {
      pool->FinishSteps(pool->BeginStep() - 1);
      Ids sent;
      ASSERT_TRUE(pool->Place(matcher.grammar(), matcher.items(), &sent));
    }
  }
  EXPECT_EQ(kept->sent_count, 0);
  EXPECT_EQ(RowOf(*kept, *pool, {}), RowOf(&first));
  pool->Release(*kept);
}

TEST_F(MaskPoolTest, RefusesAPoolOfLessThanFourRows) {
  EXPECT_FALSE(MaskPool::Create(*vocabulary_->index, &memory_, 3 * RowBytes()).ok());
}

}  // namespace
}  // namespace maskloom::suites
