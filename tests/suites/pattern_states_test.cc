// The central property over whole vocabularies inside strings and keys that patterns govern, of
// each kind that masks are made for in another way: regions that last and short ones, those left by
// marks, by a space or by letters, bounds on lengths that bite, keys that may run out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/mask_cache.h"
#include "compiler/text_region.h"
#include "runtime/matcher.h"
#include "tests/suites/random_text.h"
#include "tests/suites/state_check.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

DefinitionCase Schema(std::string definition) {
  DefinitionCase one;
  one.name = definition;
  one.definition = std::move(definition);
  return one;
}

// Strings of `pattern`, with `more` keywords.
DefinitionCase Strings(std::string_view pattern, std::string_view more = "") {
  return Schema(fmt::format(R"({{"type":"array","items":{{"type":"string","pattern":"{}"{}}}}})",
                            pattern, more));
}

// Objects with keys of `pattern`, and one that is declared.
DefinitionCase Keys(std::string_view pattern) {
  return Schema(fmt::format(R"({{"type":"object","properties":{{"abcdef":{{"type":"integer"}}}},
      "patternProperties":{{"{}":{{"type":"integer"}}}},"additionalProperties":false}})",
                            pattern));
}

// A class of `count` characters, each alone between others.
std::string ScatteredClass(uint32_t count) {
  std::string text = "[a-z ";
  for (uint32_t i = 0; i < count; ++i)
    fmt::format_to(std::back_inserter(text), "\\u{:04x}", 0x4E00 + 2 * i);
  return text + "]";
}

std::vector<DefinitionCase> Cases() {
  return {
      // Short regions that nothing of them outlasts, or some of it.
      Strings("^[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}$"),
      Strings("^[a-z]{3}[a-f]*[0-9]$"),
      Strings("^[A-Za-z0-9]{15}$"),
      Strings("^[A-Za-z]{2,5}([A-Z]{3}|[a-z]{4})?-x$"),
      Strings("", R"(,"maxLength":9)"),
      Strings("^.{1,20}$"),
      Strings("^[^:]{2,7}:[^:]{2,50}$"),
      // Regions that last and are left by marks; from where they begin, too.
      Strings("^[a-z]+(-[a-z]+)*$"),
      Strings("^([A-Z][a-z]+)([ -][A-Z][a-z]+)*$"),
      Strings("^[a-z][a-zA-Z0-9_]*(\\\\.[a-z][a-zA-Z0-9_]*)*$"),
      Strings("^(/[^/ ]+)+$"),
      Strings("^[\\\\w.+-]+@[\\\\w-]+(\\\\.[\\\\w-]+)+$"),
      Strings("^#[^#]*#$"),
      Strings("^[a-z\\\\s]+$"),
      Strings("^[^\\\\n]*;$"),
      // ... by a space.
      Strings("^\\\\S+( \\\\S+)*$"),
      Strings("^(?:\\\\S+\\\\s+){0,9}\\\\S+$"),
      Strings("^(?:\\\\S+\\\\s+){0,9}\\\\S+$", R"(,"maxLength":100)"),
      Strings("^[a-z]+( [a-z]+)*\\\\.$"),
      Strings("^[a-z]+ [A-Z]+ [0-9]+$"),
      Strings("^ [^ ]+  ?[a-z]+$"),
      // ... by letters.
      Strings("^[a-z]+([A-Z][a-z]+)*$"),
      Strings("^[a-wyz]+( [a-wyz]+)*$"),
      Strings("^(?!.*foo).+$"),
      // Lengths that no text has, near and far.
      Strings("^([\\\\w/-]|[\\\\w-][\\\\w/-]*[\\\\w-])$", R"(,"maxLength":255)"),
      Strings("^(aa)+[a-z]*$", R"(,"maxLength":60,"minLength":3)"),
      Strings("^[A-Za-z0-9._-]{1,100}:[0-9a-f]{8}-[0-9a-f]{4}$", R"(,"maxLength":150)"),
      Strings("^([a-z]{1,63}\\\\.){1,3}[a-z]{2,20}$", R"(,"maxLength":64)"),
      Strings("^[a-z\\\\n]{4,}$", R"(,"maxLength":300)"),
      Strings("^\\\\d{4}-\\\\d{2}$"),
      Strings("^[^:]+$", R"(,"minLength":90)"),
      // Letters that may nowhere follow, and parts of what is beyond ASCII, with bounds and
      // without.
      Strings("^[^e]{1,20}$"),
      Strings("^[^e]*$"),
      Strings("^[^e]*$", R"(,"minLength":5,"maxLength":30)"),
      Strings("^[A-Za-z0-9 &'()*,./@£-]{1,32}$"),
      Strings("^[a-zA-Zà-öα-ωА-я一-中]+$", R"(,"maxLength":25)"),
      Strings("^[a-zA-Zà-öα-ωА-я]{2,}( [a-zA-Zà-öα-ωА-я]+)*$"),
      Strings("^[\\sa-zA-Zα-ω]{4,}$"),
      Strings("^" + ScatteredClass(70) + "{2,45}$"),
      Schema(R"({"type":"array","items":{"type":"string","format":"idn-email"}})"),
      // Letters that may not follow here, and may behind it.
      Strings("^[b-z][a-z]*$"),
      Strings("^(?!a).*$"),
      Strings("^(?![aé]).*$", R"(,"maxLength":20)"),
      Strings("^(?!a)[^x]{1,9}$"),
      Strings("^(?!€)[^x]{2,9}$"),
      Strings("^[a-zA-Z£][a-zA-Z]{1,30}$"),
      Strings("^[a-zA-Z]{1,9}[a-zA-Z£]+$"),
      // Words that are refused or asked for near bounds.
      Strings("[0-9a-fA-F]+", R"(,"minLength":12,"maxLength":12)"),
      Strings("[0-9]", R"(,"maxLength":7)"),
      Strings("^x|[A-F]", R"(,"minLength":3,"maxLength":18)"),
      Strings("^(?!.*the).*$", R"(,"minLength":4,"maxLength":24)"),
      Strings("^(?!.*(and|ing))[^q]*$", R"(,"maxLength":11)"),
      Schema(R"({"type":"array","items":{"type":"string","oneOf":[{"pattern":"ED"},
          {"pattern":"NEW"},{"pattern":"ON_"}]}})"),
      Schema(R"({"type":"array","items":{"type":"string","maxLength":14,"oneOf":[
          {"pattern":"ED"},{"pattern":"NEW"}]}})"),
      // Keys.
      Keys("^[0-9a-zA-Z_-]{1,255}$"),
      Keys("^[a-zA-Z0-9]{1,10}$"),
      Keys("^[A-Fa-f0-9]{6}$"),
      Keys("^[a-z]{2}$"),
      Keys("^[a-z]+(-[a-z]+)*$"),
      Schema(R"({"type":"object","patternProperties":{"^[^/\\\\|:]+$":{"type":"integer"},
          "^([a-z]+|[*])$":{"minimum":3}},"additionalProperties":false,"minProperties":2})"),
      Schema(R"({"type":"object","patternProperties":{"^a":{"type":"integer"},
          "^[a-z]{1,9}$":{"minimum":3},"^B{1,3}$":{"type":"string"}},
          "additionalProperties":false,"maxProperties":3,"minProperties":1})"),
  };
}

// A pattern of classes and marks as patterns of the wild have them, spelled for a JSON string.
std::string RandomPattern(size_t depth, std::mt19937_64* random) {
  static constexpr const char* kClasses[] = {
      "[a-z]",    "[A-Z]",  "[a-zA-Z0-9]", "\\\\w",       "\\\\S",   "\\\\s",  "[^/]",     ".",
      "[0-9]",    "[a-z ]", "[^a]",        "[a-fA-F0-9]", "[a-wyz]", "[^ -~]", "[a-zé-ü]", "[^e]",
      "[A-zα-ω]", "-",      " ",           "\\\\.",       "/",       "_",      "ab"};
  static constexpr const char* kRepeats[] = {"",    "+",     "*",      "?",      "{2,8}",
                                             "{4}", "{1,3}", "{0,19}", "{3,50}", "{14,}"};
  static constexpr const char* kRefused[] = {"(?!a)", "(?![b-z])", "(?!é)", "(?!ab)", "(?!.*th)"};
  const auto choose = [&](const auto& list) { return list[(*random)() % std::size(list)]; };
  std::string pattern = (*random)() % 4 == 0 ? choose(kRefused) : "";
  for (size_t left = 1 + (*random)() % 3; left > 0; --left) {
    if (depth > 0 && (*random)() % 3 == 0) {
      pattern += "(" + RandomPattern(depth - 1, random);
      if ((*random)() % 3 == 0) pattern += "|" + RandomPattern(depth - 1, random);
      pattern += ")";
    } else {
      pattern += choose(kClasses);
    }
    pattern += choose(kRepeats);
  }
  return pattern;
}

DefinitionCase RandomCase(std::mt19937_64* random) {
  const std::string pattern = "^" + RandomPattern(2, random) + "$";
  if ((*random)() % 4 == 0) return Keys(pattern);
  static constexpr const char* kLengths[] = {R"(,"maxLength":20)", R"(,"maxLength":200)",
                                             R"(,"minLength":6,"maxLength":60)"};
  return Strings(pattern, (*random)() % 2 == 0 ? "" : kLengths[(*random)() % 3]);
}

// Checks states of `cases` on texts that are written at random.
void Check(std::vector<DefinitionCase> cases, const TestVocabulary& vocabulary,
           const StateLimits& limits, size_t texts) {
  const ByteTrie trie(vocabulary.index->vocabulary());
  size_t states = 0, faults = 0, refused = 0;
  for (size_t i = 0; i < cases.size() && faults < 20; ++i) {
    DefinitionCase& one = cases[i];
    std::mt19937_64 random(i + 17);
    auto grammar = Compile(one, vocabulary.index);
    refused += !grammar.ok();
    for (size_t text = 0; grammar.ok() && text < texts; ++text) {
      one.texts.push_back({WriteRandomText(*grammar, Chooser::kSeeking, 40, &random).text});
    }
    const StateTally tally = CheckStates(one, vocabulary, trie, limits, &random);
    for (const std::string& fault : tally.faults) ADD_FAILURE() << fault;
    faults += tally.faults.size();
    states += tally.states;
  }
  EXPECT_GE(states, cases.size());
  std::printf("%s: %zu states of %zu definitions, %zu refused\n", vocabulary.name.c_str(), states,
              cases.size(), refused);
}

void CheckReal(const std::string& name) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  auto vocabulary = RealVocabulary(name);
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  const size_t times = IsLongRun() ? 10 : 1;
  Check(Cases(), *vocabulary, {.on_texts = 4 * times, .off_texts = 4 * times}, 2 * times);
}

TEST(PatternStates, MasksAreWhatStepsAllow) {
  Check(Cases(), SyntheticVocabulary(true), {.on_texts = 12, .off_texts = 12, .judged = true}, 3);
}

TEST(PatternStates, MasksAreWhatStepsAllowWithLlama3) { CheckReal("llama3_1"); }
TEST(PatternStates, MasksAreWhatStepsAllowWithGemma3) { CheckReal("gemma3"); }

TEST(PatternStates, MasksAreWhatStepsAllowInsideRandomPatterns) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  auto vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  std::mt19937_64 random(99);
  std::vector<DefinitionCase> cases(IsLongRun() ? 600 : 20);
  for (DefinitionCase& one : cases) one = RandomCase(&random);
  Check(std::move(cases), *vocabulary, {.on_texts = 4, .off_texts = 4}, 2);
}

// Most tokens of such states are rows that states have in common; a walk that finds more tokens
// than a row has words would make one of its own.
TEST(PatternStates, MasksAroundRegionsShareTheirRows) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  auto vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  const struct {
    DefinitionCase definition;
    std::string_view prefix;
  } kStates[] = {
      {Strings("^\\\\S+( \\\\S+)*$"), R"(["ab)"},
      {Strings("^(?:\\\\S+\\\\s+){0,9}\\\\S+$", R"(,"maxLength":100)"), R"(["ab cd)"},
      {Strings("^[a-z]+( [a-z]+)*$"), R"(["ab)"},
      {Strings("^([\\\\w/-]|[\\\\w-][\\\\w/-]*[\\\\w-])$", R"(,"maxLength":255)"), R"(["ab)"},
      {Strings("^[A-Za-z0-9._-]{1,100}:[0-9a-f]{8}$", R"(,"maxLength":150)"), R"(["ab)"},
      {Keys("^[0-9a-zA-Z_-]{1,255}$"), R"({")"},
      {Keys("^[0-9a-zA-Z_-]{1,255}$"), R"({"abcdef":1,"abc":1,"ab)"},
  };
  for (const auto& state : kStates) {
    SCOPED_TRACE(state.definition.name);
    const auto grammar = Compile(state.definition, vocabulary->index);
    ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
    Matcher matcher(*grammar);
    ASSERT_EQ(matcher.AcceptBytes(state.prefix), state.prefix.size());
    ASSERT_EQ(matcher.items().size(), 1u);
    MaskCache::Reader reader((*grammar)->masks());
    const ItemMask& mask = reader.Find(matcher.items()[0]);
    EXPECT_GT(mask.allowed_count, 10000u);
    EXPECT_LT(mask.additions.size(), mask.allowed_count / 4);
    EXPECT_TRUE(mask.own_row.empty());
  }
}

// A label of a host's name begins with no combining mark and with no hyphen.
TEST(PatternStates, LabelsAreRowsFromTheirFirstCharacterOn) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  for (const char* name : {"llama3_1", "gemma3"}) {
    auto vocabulary = RealVocabulary(name);
    if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
    const auto grammar =
        Compile(Schema(R"({"type":"array","items":{"type":"string","format":"idn-email"}})"),
                vocabulary->index);
    ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
    std::vector<uint32_t> row(vocabulary->index->row_words());
    for (const std::string prefix : {R"(["ab@)", R"(["ab@cd.)", R"(["ab@cd.é-)"}) {
      SCOPED_TRACE(name + (": " + prefix));
      Matcher matcher(*grammar);
      ASSERT_EQ(matcher.AcceptBytes(prefix), prefix.size());
      TextRegions regions(vocabulary->index->categories().longest_digits());
      const Frame& frame = matcher.items()[0].frame;
      const TextRegion region = regions.FindWithGaps((*grammar)->machine(), frame);
      EXPECT_EQ(region.length, CategoryIndex::kAnyLength);
      EXPECT_EQ(region.gaps_of == frame.state, prefix.back() == '-');
      matcher.FillMask(row.data());
      for (TokenId id = 0; id < vocabulary->index->vocabulary().size(); ++id) {
        ASSERT_EQ((row[id / 32] >> (id % 32) & 1) != 0, matcher.IsAllowed(id))
            << vocabulary->index->vocabulary().bytes(id);
      }
    }
  }
}

// Keys that were seen count where few are left, however far away that is.
TEST(PatternStates, KeysRunOutAtTheEndOfLongOnes) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  auto vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  std::vector<DefinitionCase> cases(3, Keys("^[a-f]{7}a$"));
  cases[0].texts.push_back({R"({"aaaaaaaa":1,"aaaaaaaba":1,"aaaaaaca":2})"});
  cases[1].texts.push_back({R"({"abababaa":1,"abababba":1,"abababca":2,"abababda":3,"abababea":4,)"
                            R"("abababfa":5,"abababa)"});
  cases[2] = Keys("^[a-f]{4,24}$");
  cases[2].texts.push_back(
      {R"({"aaaaaaaaaaaaaaaaaaaaaaaa":1,"aaaaaaaaaaaaaaaaaaaaaaa":1,"aaaa":2})"});
  for (DefinitionCase& one : cases) one.name += one.texts[0].text;
  Check(std::move(cases), *vocabulary, {.on_texts = 60, .off_texts = 20}, 2);
}

}  // namespace
}  // namespace maskloom::suites
