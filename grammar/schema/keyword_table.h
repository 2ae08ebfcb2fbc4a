// The one table of JSON Schema keywords: which drafts define them and what is done with them.
//
// Adding a keyword is one handler in a *_keywords.cc file, one row in keyword_table.cc, and cases.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/schema/dialect.h"
#include "grammar/schema/json_schema.h"
#include "grammar/schema/pattern_table.h"
#include "grammar/schema/schema_facts.h"

namespace maskloom {

// One occurrence of a keyword while it is read. Handlers fill `facts`; they may turn the outcome
// to kAnnotation and say why in `note`.
struct KeywordContext {
  PatternTable* patterns;
  const SchemaOptions& options;
  const SchemaDocument& document;
  JsonIndex schema;  // the schema object
  JsonIndex value;   // the keyword's value in it
  SchemaFacts* facts;
  KeywordReport::Outcome outcome = KeywordReport::Outcome::kEnforced;
  std::string note{};

  std::string_view keyword() const { return document.key(value); }
  // Makes the keyword an annotation for the reason given.
  Status Annotate(std::string why);
  // As above: the keyword constrains only values that `type` excludes.
  Status AnnotateExcluded();
  // Says that an option takes away from what the keyword asks.
  Status Relax(std::string why);
  // Returns kInvalidDefinition: "`<keyword>` must be <expected>, not <what it is>".
  Status WrongForm(const std::string& expected) const;
  // Returns kUnsupported for the reason given.
  Status Refuse(std::string why) const;
};

using KeywordHandler = Status (*)(KeywordContext* context);

// Which parts of a keyword's value are schemas. A list is an array, a map an object.
enum ChildBits : uint8_t { kNoChildren = 0, kChild = 1, kChildList = 2, kChildMap = 4 };

struct KeywordRow {
  std::string_view name;
  Draft first_draft;
  Draft last_draft;
  VocabularyBits vocabulary;
  uint8_t types;     // TypeBits of the values that it can constrain; 0: none, it is an annotation
  uint8_t children;  // ChildBits
  KeywordHandler handler;  // null for annotations of any form
};

// Returns the row of `name`, or null if no draft defines such a keyword.
const KeywordRow* FindKeyword(std::string_view name);
// Returns all rows, sorted by name.
std::span<const KeywordRow> AllKeywords();

// Handlers, by file.
// general_keywords.cc
Status ReadType(KeywordContext* context);
Status ReadEnum(KeywordContext* context);
Status ReadConst(KeywordContext* context);
Status ReadNullable(KeywordContext* context);
// core_keywords.cc
Status ReadSchemaUri(KeywordContext* context);
Status ReadIdentifier(KeywordContext* context);
Status ReadAnchor(KeywordContext* context);
Status ReadReference(KeywordContext* context);
Status ReadDynamicReference(KeywordContext* context);
Status ReadDefinitions(KeywordContext* context);
// logic_keywords.cc
Status ReadAllOf(KeywordContext* context);
Status ReadAnyOf(KeywordContext* context);
Status ReadOneOf(KeywordContext* context);
Status ReadNot(KeywordContext* context);
Status ReadIf(KeywordContext* context);
Status ReadThen(KeywordContext* context);
Status ReadElse(KeywordContext* context);
// string_keywords.cc
Status ReadMinLength(KeywordContext* context);
Status ReadMaxLength(KeywordContext* context);
Status ReadPattern(KeywordContext* context);
// format_keywords.cc
Status ReadFormat(KeywordContext* context);
Status ReadContentEncoding(KeywordContext* context);
// number_keywords.cc
Status ReadMinimum(KeywordContext* context);
Status ReadMaximum(KeywordContext* context);
Status ReadExclusiveMinimum(KeywordContext* context);
Status ReadExclusiveMaximum(KeywordContext* context);
Status ReadMultipleOf(KeywordContext* context);
// array_keywords.cc
Status ReadItems(KeywordContext* context);
Status ReadAdditionalItems(KeywordContext* context);
Status ReadPrefixItems(KeywordContext* context);
Status ReadContains(KeywordContext* context);
Status ReadMinContains(KeywordContext* context);
Status ReadMaxContains(KeywordContext* context);
Status ReadMinItems(KeywordContext* context);
Status ReadMaxItems(KeywordContext* context);
Status ReadUniqueItems(KeywordContext* context);
Status ReadUnevaluatedItems(KeywordContext* context);
// object_keywords.cc
Status ReadProperties(KeywordContext* context);
Status ReadPatternProperties(KeywordContext* context);
Status ReadAdditionalProperties(KeywordContext* context);
Status ReadPropertyNames(KeywordContext* context);
Status ReadRequired(KeywordContext* context);
Status ReadMinProperties(KeywordContext* context);
Status ReadMaxProperties(KeywordContext* context);
Status ReadUnevaluatedProperties(KeywordContext* context);
// dependency_keywords.cc
Status ReadDependencies(KeywordContext* context);
Status ReadDependentRequired(KeywordContext* context);
Status ReadDependentSchemas(KeywordContext* context);

// Forms that several keywords have. On error: kInvalidDefinition at the part that is wrong.
Status CheckSchema(const KeywordContext& context, JsonIndex value);  // a schema
Status CheckSchemaList(const KeywordContext& context);               // a non-empty array
Status CheckSchemaMap(const KeywordContext& context);                // an object of schemas
Status CheckNames(const KeywordContext& context, JsonIndex value);   // an array of strings

// Returns the members of an object without those that a later one of the same name replaces.
std::vector<JsonIndex> LastMembers(const SchemaDocument& document, JsonIndex object);

// Returns the non-negative integer at `value`, however spelled (2, 2.0, 2e0), or nothing; what does
// not fit is the largest uint64_t.
std::optional<uint64_t> CountAt(const SchemaDocument& document, JsonIndex value);
// Reads a keyword whose value is such a number.
Status ReadCount(const KeywordContext& context, uint64_t* count);

// Returns the fault `status` of a regular expression as one of the schema, at the node `at`.
Status AtKeyword(const KeywordContext& context, JsonIndex at, const Status& status);

}  // namespace maskloom
