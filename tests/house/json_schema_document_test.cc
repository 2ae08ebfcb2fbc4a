// Guards docs/json-schema.md: its tables are what the code's own tables say.
//
// Each table stands between two marks. MASKLOOM_UPDATE_DOCS=1 writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "grammar/base/divisor.h"
#include "grammar/formats/formats.h"
#include "grammar/number_conditions.h"
#include "grammar/regular/regular.h"
#include "grammar/schema/groups.h"
#include "grammar/schema/keyword_table.h"
#include "grammar/schema/large_counts.h"
#include "grammar/schema/node_builder.h"
#include "runtime/engine/compile_report.h"
#include "tests/house/source_tree.h"

namespace maskloom {
namespace {

constexpr const char* kDocument = "docs/json-schema.md";

// `words` joined by ", ".
std::string List(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string TypeNames(uint8_t types) {
  if (types == kAllTypes) return "all";
  std::vector<std::string> names;
  const std::pair<uint8_t, const char*> kNames[] = {
      {kTypeNull, "null"},      {kTypeBoolean, "booleans"}, {kTypeNumber, "numbers"},
      {kTypeString, "strings"}, {kTypeArray, "arrays"},     {kTypeObject, "objects"}};
  for (const auto& [bit, name] : kNames) {
    if ((types & bit) != 0) names.push_back(name);
  }
  return List(names);
}

const char* Treatment(const KeywordRow& row) {
  if (row.name == "nullable") return "enforced on request";
  if (row.types != 0) return "enforced";
  return row.vocabulary == kCoreVocabulary && row.name != "$comment" ? "structure" : "annotation";
}

std::string KeywordTable() {
  std::string out =
      "| keyword | draft-04 | draft-06 | draft-07 | 2019-09 | 2020-12 | types | treatment |\n"
      "|---|:-:|:-:|:-:|:-:|:-:|---|---|\n";
  for (const KeywordRow& row : AllKeywords()) {
    out += "| `" + std::string(row.name) + "` |";
    for (const Draft draft :
         {Draft::kDraft4, Draft::kDraft6, Draft::kDraft7, Draft::kDraft2019, Draft::kDraft2020}) {
      const bool defined = row.first_draft <= draft && draft <= row.last_draft;
      out += defined ? " ✓ |" : "  |";
    }
    out += " " + TypeNames(row.types) + " | " + Treatment(row) + " |\n";
  }
  return out;
}

std::string FormatTable() {
  std::string out =
      "| format | since | constrains | defined by | not asserted |\n"
      "|---|---|---|---|---|\n";
  for (const Format& format : AllFormats()) {
    const char* types = format.kind == FormatKind::kString   ? "strings"
                        : format.kind == FormatKind::kNumber ? "numbers"
                                                             : "nothing";
    const auto draft = [](uint16_t number) {
      if (number == 2019) return std::string("2019-09");
      if (number == 2020) return std::string("2020-12");
      return "draft-0" + std::to_string(number);
    };
    std::string since = format.since == 0 ? "in common use" : draft(format.since);
    if (format.since != 0 && format.until != Format::kLastDraft) since += " only";
    out += "| `" + std::string(format.name) + "` | " + since + " | " + types + " | " +
           std::string(format.source) + " | " + std::string(format.note) + " |\n";
  }
  return out;
}

std::string OptionTable() {
  std::string out = "| option | values | default |\n|---|---|---|\n";
  for (const NamedOption& option : ListSchemaOptions({})) {
    out += "| `" + option.name + "` | " + std::string(option.allowed) + " | `" + option.value +
           "` |\n";
  }
  return out;
}

std::string BudgetTable() {
  struct Budget {
    const char* what;
    uint64_t most;
    const char* where;
  };
  const Budget kBudgets[] = {
      {"bytes of all documents together", SchemaDocument::kMaxBytes, "`SchemaDocument::kMaxBytes`"},
      {"JSON values in them", SchemaDocument::kMaxNodes, "`SchemaDocument::kMaxNodes`"},
      {"nested levels of one", SchemaDocument::kMaxDepth, "`SchemaDocument::kMaxDepth`"},
      {"other documents that a schema refers to", ResourceIndex::kMaxDocuments,
       "`ResourceIndex::kMaxDocuments`"},
      {"bindings of dynamic anchors in all scopes", ScopeTable::kMaxBindings,
       "`ScopeTable::kMaxBindings`"},
      {"parts of all formulas", FormulaPool::kMaxParts, "`FormulaPool::kMaxParts`"},
      {"nested parts of one formula", FormulaPool::kMaxDepth, "`FormulaPool::kMaxDepth`"},
      {"combinations on which it depends what is unevaluated", Normalizer::kMaxCases,
       "`Normalizer::kMaxCases`"},
      {"rounds in which looping references settle", Normalizer::kMaxRounds,
       "`Normalizer::kMaxRounds`"},
      {"different conjunctions of subschemas", NodeBuilder::kMaxConjunctions,
       "`NodeBuilder::kMaxConjunctions`"},
      {"classes of keys of one object", NodeBuilder::kMaxKeyClasses,
       "`NodeBuilder::kMaxKeyClasses`"},
      {"ways of reading one item or member", NodeBuilder::kMaxChoices,
       "`NodeBuilder::kMaxChoices`"},
      {"counts of one object or array, where alternatives cannot be told apart by a key",
       NodeBuilder::kMaxCounters, "`NodeBuilder::kMaxCounters`"},
      {"nodes that are made of objects which count more", NodeBuilder::kMaxDivided,
       "`NodeBuilder::kMaxDivided`"},
      {"alternatives that are multiplied out for one object or array", kMaxGroups, "`kMaxGroups`"},
      {"length that `propertyNames` can ask for", NodeBuilder::kMaxCountedLength,
       "`NodeBuilder::kMaxCountedLength`"},
      {"states of one automaton of texts", kDefaultMaxStates, "`kDefaultMaxStates`"},
      {"characters, items or members that a value must have", kMaxLeastCount, "`kMaxLeastCount`"},
      {"digits that a `multipleOf` may have", kMaxMultipleDigits, "`kMaxMultipleDigits`"},
      {"digits that a satisfying number may need", kMaxSolvedDigits, "`kMaxSolvedDigits`"},
  };
  std::string out = "| at most | of | constant |\n|--:|---|---|\n";
  for (const Budget& budget : kBudgets) {
    out += "| " + std::to_string(budget.most) + " | " + budget.what + " | " + budget.where + " |\n";
  }
  return out;
}

// Replaces what stands between the marks of `name` in `document`. Returns false if there are none.
bool Replace(const std::string& name, const std::string& table, std::string* document) {
  const std::string open = "<!-- generated: " + name + " -->\n";
  const std::string close = "<!-- end -->";
  const size_t begin = document->find(open);
  if (begin == std::string::npos) return false;
  const size_t end = document->find(close, begin);
  if (end == std::string::npos) return false;
  document->replace(begin + open.size(), end - begin - open.size(), table);
  return true;
}

TEST(JsonSchemaDocument, TablesAreThoseOfTheCode) {
  const std::string written = ReadSource(kDocument);
  std::string wanted = written;
  EXPECT_TRUE(Replace("keywords", KeywordTable(), &wanted));
  EXPECT_TRUE(Replace("formats", FormatTable(), &wanted));
  EXPECT_TRUE(Replace("options", OptionTable(), &wanted));
  EXPECT_TRUE(Replace("budgets", BudgetTable(), &wanted));
  const char* update = std::getenv("MASKLOOM_UPDATE_DOCS");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream(SourceRoot() + "/" + kDocument, std::ios::binary) << wanted;
    return;
  }
  EXPECT_TRUE(written == wanted)
      << kDocument << " is not what the code says; this writes it anew:\n"
      << "  MASKLOOM_UPDATE_DOCS=1 ctest --test-dir <build folder> -R JsonSchemaDocument";
}

TEST(JsonSchemaDocument, KeywordsThatConstrainAreRead) {
  // A row that says "enforced" without a handler would be a lie of the table.
  for (const KeywordRow& row : AllKeywords()) {
    EXPECT_TRUE(row.types == 0 || row.handler != nullptr) << row.name;
    EXPECT_EQ(FindKeyword(row.name), &row);
    EXPECT_LE(row.first_draft, row.last_draft) << row.name;
  }
}

}  // namespace
}  // namespace maskloom
