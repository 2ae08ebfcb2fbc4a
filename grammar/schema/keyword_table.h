// The one table of JSON Schema keywords: which drafts define them and what is done with them.
//
// Adding a keyword is one handler in a *_keywords.cc file, one row in keyword_table.cc, and cases.
#pragma once

#include <string>
#include <string_view>

#include "grammar/base/status.h"
#include "grammar/schema/json_schema.h"
#include "grammar/schema/schema_facts.h"

namespace maskloom {

class SchemaReader;

// One occurrence of a keyword while it is read. Handlers fill `facts`; they may turn the outcome
// to kAnnotation and say why in `note`.
struct KeywordContext {
  SchemaReader* reader;
  const SchemaDocument& document;
  JsonIndex schema;  // the schema object
  JsonIndex value;   // the keyword's value in it
  SchemaFacts* facts;
  KeywordReport::Outcome outcome = KeywordReport::Outcome::kEnforced;
  std::string note;

  std::string_view keyword() const { return document.key(value); }
  // Makes the keyword an annotation for the reason given.
  Status Annotate(std::string why);
  // Returns kInvalidDefinition: "`<keyword>` must be <expected>, not <what it is>".
  Status WrongForm(const std::string& expected) const;
  // Returns kUnsupported naming the keyword, with `detail` behind it.
  Status Refuse(const std::string& detail = "") const;
};

using KeywordHandler = Status (*)(KeywordContext* context);

struct KeywordRow {
  std::string_view name;
  Draft first_draft;
  Draft last_draft;
  uint8_t types;  // TypeBits of the values that it can constrain; 0: none, it is an annotation
  bool refused;   // has no exact treatment: the handler refuses it unless it is void
  KeywordHandler handler;  // null for annotations
};

// Returns the row of `name`, or null if no draft defines such a keyword.
const KeywordRow* FindKeyword(std::string_view name);

// Handlers, by file.
// general_keywords.cc
Status ReadType(KeywordContext* context);
Status ReadEnum(KeywordContext* context);
Status ReadConst(KeywordContext* context);
Status ReadAllOf(KeywordContext* context);
Status ReadAnyOf(KeywordContext* context);
Status ReadReference(KeywordContext* context);
Status ReadDefinitions(KeywordContext* context);
// string_keywords.cc
Status ReadMinLength(KeywordContext* context);
Status ReadMaxLength(KeywordContext* context);
Status ReadPattern(KeywordContext* context);
// number_keywords.cc
Status ReadMinimum(KeywordContext* context);
Status ReadMaximum(KeywordContext* context);
Status ReadExclusiveMinimum(KeywordContext* context);
Status ReadExclusiveMaximum(KeywordContext* context);
// array_keywords.cc
Status ReadItems(KeywordContext* context);
Status ReadPrefixItems(KeywordContext* context);
Status ReadMinItems(KeywordContext* context);
Status ReadMaxItems(KeywordContext* context);
// object_keywords.cc
Status ReadProperties(KeywordContext* context);
Status ReadPatternProperties(KeywordContext* context);
Status ReadAdditionalProperties(KeywordContext* context);
Status ReadRequired(KeywordContext* context);
Status ReadMinProperties(KeywordContext* context);
Status ReadMaxProperties(KeywordContext* context);
// refused_keywords.cc
Status RefuseAlways(KeywordContext* context);
Status RefuseUnlessFalse(KeywordContext* context);
Status RefuseAdditionalItems(KeywordContext* context);
Status RefuseIf(KeywordContext* context);
Status RefuseThenElse(KeywordContext* context);
Status RefuseContainsCount(KeywordContext* context);

// Reads a non-negative integer, however spelled (2, 2.0, 2e0); what does not fit is the largest
// uint64_t.
Status ReadCount(const KeywordContext& context, uint64_t* count);

// Returns the fault `status` of a regular expression as one of the schema, at the node `at`.
Status AtKeyword(const KeywordContext& context, JsonIndex at, const Status& status);

}  // namespace maskloom
