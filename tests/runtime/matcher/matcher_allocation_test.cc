// A text that was followed once is followed again without allocating; every allocation of the
// process is counted here.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "compiler/machine.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/property_walk.h"
#include "tests/suites/random_text.h"
#include "tests/suites/vocabularies.h"

namespace {
std::atomic<size_t> allocation_count{0};
}

[[gnu::noinline]] void* operator new(size_t size) {
  allocation_count.fetch_add(1);
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace maskloom::suites {
namespace {

// Follows `tokens` and returns how many allocations that took.
size_t Follow(Matcher* matcher, const std::vector<TokenId>& tokens, uint32_t* row) {
  size_t before = allocation_count.load();
  matcher->Reset();
  bool ok = true;
  for (TokenId token : tokens) {
    matcher->FillMask(row);
    ok = matcher->IsAllowed(token) && matcher->Accept(token) && ok;
  }
  matcher->FillMask(row);
  size_t count = allocation_count.load() - before;
  EXPECT_TRUE(ok);
  return count;
}

// Arrays that count items under conditions or compare them plan ahead, which takes memory.
bool PlansAhead(const CompiledGrammar& grammar) {
  const std::vector<ArrayNode>& arrays = grammar.machine().grammar().arrays;
  return std::any_of(arrays.begin(), arrays.end(), [](const ArrayNode& array) {
    return !array.conditions.empty() || array.distinctness != ArrayNode::Distinctness::kAny;
  });
}

TEST(MatcherAllocation, SteadyAcceptAndFillMaskAllocateNothing) {
  TestVocabulary vocabulary = SyntheticVocabulary(true);
  std::mt19937_64 random(23);
  std::vector<DefinitionCase> cases = InlineCases();
  for (DefinitionCase& one : SchemaFolderCases()) cases.push_back(std::move(one));
  std::vector<uint32_t> row(vocabulary.index->row_words());
  for (const DefinitionCase& one : cases) {
    SCOPED_TRACE(one.name);
    auto grammar = Compile(one, vocabulary.index);
    ASSERT_TRUE(grammar.ok());
    if (PlansAhead(**grammar)) continue;
    std::string text = WriteRandomText(*grammar, Chooser::kSeeking, 150, &random).text;
    std::vector<TokenId> tokens = vocabulary.Split(text, &random);
    Matcher matcher(*grammar);
    for (int warm = 0; warm < 3; ++warm) Follow(&matcher, tokens, row.data());
    EXPECT_EQ(Follow(&matcher, tokens, row.data()), 0u) << Readable(text);
  }
}

TEST(MatcherAllocation, LongTextsAllocateNothingEither) {
  TestVocabulary vocabulary = SyntheticVocabulary(true);
  DefinitionCase one;
  one.definition = R"({"type":"array","items":{"type":"object","properties":{"a":{},"b":{}},
      "required":["a"]}})";
  auto grammar = Compile(one, vocabulary.index);
  ASSERT_TRUE(grammar.ok());
  std::string text = "[";
  for (int i = 0; i < 2000; ++i) {
    text +=
        std::string(i == 0 ? "" : ", ") + R"({"b": ["t", 1], "a": )" + std::to_string(i % 10) + "}";
  }
  text += "]";
  std::mt19937_64 random(29);
  std::vector<TokenId> tokens = vocabulary.Split(text, &random);
  std::vector<uint32_t> row(vocabulary.index->row_words());
  Matcher matcher(*grammar);
  for (int warm = 0; warm < 3; ++warm) Follow(&matcher, tokens, row.data());
  EXPECT_EQ(Follow(&matcher, tokens, row.data()), 0u);
}

}  // namespace
}  // namespace maskloom::suites
