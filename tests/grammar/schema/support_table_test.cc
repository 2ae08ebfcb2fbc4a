// docs/json-schema.md is what the tables of keywords and formats say. The test fails when it is
// stale; run with MASKLOOM_WRITE_DOCS=1, it writes the file.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "grammar/formats/formats.h"
#include "grammar/schema/keyword_table.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

constexpr const char* kBeginning = R"(# JSON Schema: what is supported

This file is generated from the tables in `grammar/schema/keyword_table.cc` and
`grammar/formats/formats.cc`; a test fails when it is stale.

`$schema` chooses the draft: draft-04, draft-06, draft-07, 2019-09 or 2020-12, which is also the
default. A `$schema` that is not at json-schema.org is read as 2020-12, unless its metaschema is
supplied: then its `$vocabulary` counts. Draft-03 is refused.

A keyword is one of
- **enforced**: exactly, wherever it stands, together with all others. A schema for which that is
  not possible within the budgets is refused with the keyword's pointer;
- **structure**: says what a schema is called or where it is defined;
- **annotation**: constrains nothing. So does a keyword that the draft does not define, and any that
  is in no table below.

The report on a schema says what became of each occurrence and why.

## Keywords

A check mark: the draft defines it. Types: those that it constrains.

)";

constexpr const char* kReferences = R"(
## References

- By JSON pointer (`~0`, `~1`, `%xx`, through arrays and unknown keywords), by anchor, and by URI
  (RFC 3986) against the nearest identifier. `$ref` stands alone up to draft-07.
- To the metaschemas of all drafts, which are built in, and to documents that the caller supplies.
  Nothing is fetched from the network.
- `$dynamicRef` and `$recursiveRef` follow the dynamic scope.
- A reference that leads nowhere is refused, if what it stands in takes part in the language.

## Options

- `format` and `contentEncoding: base64` are asserted; an option makes them annotations, which the
  report calls *relaxed*.
- A format in no table below is an annotation; an option refuses it.
- `nullable` of OpenAPI 3.0 counts on request.

## Formats

A known format is asserted in every draft. Formats of strings constrain strings only, those of
numbers numbers only.

)";

constexpr std::pair<TypeBits, const char*> kTypeNames[] = {
    {kTypeNull, "null"},     {kTypeBoolean, "boolean"}, {kTypeNumber, "number"},
    {kTypeString, "string"}, {kTypeArray, "array"},     {kTypeObject, "object"},
};

std::string TypesOf(const KeywordRow& row) {
  if (row.types == kAllTypes) return "all";
  std::string names;
  for (auto [bit, name] : kTypeNames) {
    if ((row.types & bit) != 0) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

const char* TreatmentOf(const KeywordRow& row) {
  if (row.name == "nullable") return "enforced on request";
  if (row.types != 0) return "enforced";
  return row.vocabulary == kCoreVocabulary && row.name != "$comment" ? "structure" : "annotation";
}

std::string KeywordLines() {
  constexpr Draft kDrafts[] = {Draft::kDraft4, Draft::kDraft6, Draft::kDraft7, Draft::kDraft2019,
                               Draft::kDraft2020};
  std::string lines = "| keyword |";
  std::string rule = "|---|";
  for (Draft draft : kDrafts) {
    lines += std::string(" ") + DraftName(draft) + " |";
    rule += "---|";
  }
  lines += " types | treatment |\n" + rule + "---|---|\n";
  for (const KeywordRow& row : AllKeywords()) {
    lines += "| `" + std::string(row.name) + "` |";
    for (Draft draft : kDrafts) {
      lines += row.first_draft <= draft && draft <= row.last_draft ? " ✓ |" : "  |";
    }
    lines += " " + TypesOf(row) + " | " + TreatmentOf(row) + " |\n";
  }
  return lines;
}

std::string FormatLines() {
  std::string lines = "| format | of | defined by | not asserted |\n|---|---|---|---|\n";
  for (const Format& format : AllFormats()) {
    const char* kind = format.kind == FormatKind::kString   ? "strings"
                       : format.kind == FormatKind::kNumber ? "numbers"
                                                            : "annotation";
    lines += "| `" + std::string(format.name) + "` | " + kind + " | " + std::string(format.source) +
             " | " + std::string(format.note) + " |\n";
  }
  return lines;
}

TEST(SupportTable, IsWhatTheTablesSay) {
  const std::filesystem::path root =
      std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path();
  const std::string path = (root / "docs" / "json-schema.md").string();
  const std::string text = kBeginning + KeywordLines() + kReferences + FormatLines();
  if (std::getenv("MASKLOOM_WRITE_DOCS") != nullptr) {
    std::filesystem::create_directories(root / "docs");
    std::ofstream(path, std::ios::binary) << text;
  }
  std::optional<std::string> found = ReadWholeFile(path);
  ASSERT_TRUE(found.has_value()) << path;
  EXPECT_EQ(*found, text) << "write it anew: MASKLOOM_WRITE_DOCS=1";
}

TEST(SupportTable, HasSortedKeywords) {
  for (size_t i = 1; i < AllKeywords().size(); ++i) {
    EXPECT_LT(AllKeywords()[i - 1].name, AllKeywords()[i].name);
  }
  for (const KeywordRow& row : AllKeywords()) {
    EXPECT_EQ(FindKeyword(row.name), &row);
    EXPECT_LE(row.first_draft, row.last_draft);
    EXPECT_TRUE(row.types == 0 || row.handler != nullptr) << row.name;
  }
}

}  // namespace
}  // namespace maskloom
