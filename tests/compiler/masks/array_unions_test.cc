// Masks of schemas whose values are one of several arrays, some of distinct items: they are those
// of the slow recogniser, and the judge agrees.
#include <gtest/gtest.h>

#include <random>

#include "tests/suites/byte_walk.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/state_check.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

class UnionWriter {
 public:
  explicit UnionWriter(std::mt19937_64* random) : random_(*random) {}

  std::string Schema() {
    const std::string one = Union();
    if (Below(2) == 0) return one;
    return R"({"type":"array","items":)" + one + (Below(2) == 0 ? R"(,"uniqueItems":true})" : "}");
  }

 private:
  size_t Below(size_t count) { return random_() % count; }
  std::string Pick(std::initializer_list<const char*> list) {
    return list.begin()[Below(list.size())];
  }
  std::string Item() {
    return Pick({R"({"type":"string"})", R"({"type":"string","maxLength":3})",
                 R"x({"type":"string","pattern":"^(?!b)","minLength":1})x",
                 R"({"type":"string","pattern":"^[ab]+$","maxLength":40})",
                 R"({"enum":["a","b","ab"]})", R"({"type":"number"})",
                 R"({"type":"integer","minimum":0,"maximum":3})", R"({"type":["string","number"]})",
                 R"({"type":["boolean","null"]})",
                 R"({"type":"object","propertyNames":{"maxLength":2},"maxProperties":1})",
                 R"({"type":"array","items":{"enum":[1,"a"]},"uniqueItems":true})"});
  }
  std::string Array() {
    std::string array = R"({"type":"array","items":)" + Item();
    if (Below(3) != 0) array += R"(,"uniqueItems":true)";
    if (Below(4) == 0) array += R"(,"minItems":)" + std::to_string(1 + Below(2));
    if (Below(6) == 0) array += R"(,"maxItems":3)";
    if (Below(5) == 0) array += R"(,"prefixItems":[)" + Item() + "]";
    if (Below(4) == 0) array += R"(,"contains":)" + Item();
    return array + "}";
  }
  std::string Union() {
    if (Below(6) == 0) {
      return R"({"type":"array","if":)" + Array() + R"(,"then":)" + Array() + R"(,"else":)" +
             Array() + "}";
    }
    return "{" + Pick({R"("anyOf")", R"("oneOf")"}) + ":[" + Array() + "," + Array() + "]}";
  }

  std::mt19937_64& random_;
};

// Each text as it is and as the item of an array.
const std::vector<CaseText>& Texts() {
  static const std::vector<CaseText> texts = [] {
    std::vector<CaseText> all;
    for (const std::string text :
         {R"(["a","b","ab","a"])", R"(["ab", "aba", "ab"])", R"([1,2,"a",12,1])", R"([0,3,0.0])",
          R"(["a",["a",1],["a"],["a",1]])", R"([{"a":1},{"b":1},{"a":1}])", R"([true,null,true])",
          R"([[1],[1,"a"],[1]])", R"(["aa","aab","aa\u0062"])"}) {
      all.push_back({text, true});
      all.push_back({"[" + text + "," + text + "]", true});
      all.push_back({"[[]," + text + "]", true});
    }
    return all;
  }();
  return texts;
}

// Returns how many states were checked, of schemas `first` to `first + count`.
size_t CheckUnions(const TestVocabulary& vocabulary, uint64_t first, uint64_t count) {
  const ByteTrie trie(vocabulary.index->vocabulary());
  StateLimits limits;
  limits.on_texts = 12;
  limits.off_texts = 12;
  limits.judged = true;
  size_t states = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::mt19937_64 random(seed);
    DefinitionCase one;
    one.name = one.definition = UnionWriter(&random).Schema();
    one.texts = Texts();
    const StateTally tally = CheckStates(one, vocabulary, trie, limits, &random);
    for (const std::string& fault : tally.faults) ADD_FAILURE() << fault;
    states += tally.states;
  }
  return states;
}

TEST(ArrayUnionMasks, FollowStepsAndTheJudge) {
  EXPECT_GT(CheckUnions(SyntheticVocabulary(true), 0, 300), 3000u);
}

TEST(ArrayUnionMasks, FollowStepsAndTheJudgeWithLlama3) {
  auto vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  EXPECT_GT(CheckUnions(*vocabulary, 1000, 10), 100u);
}

}  // namespace
}  // namespace maskloom::suites
