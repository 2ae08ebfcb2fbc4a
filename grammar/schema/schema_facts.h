// What one schema object says by itself: its keywords, read and checked, before any joining.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grammar/ir.h"
#include "grammar/schema/schema_document.h"

namespace maskloom {

// Names a schema: a schema in the document, or a value of the document taken as the schema that
// only this value satisfies (a member of `enum`, the value of `const`, and their parts).
using SchemaId = uint32_t;
inline constexpr SchemaId kNoSchema = 0xFFFFFFFF;
inline SchemaId SchemaAt(JsonIndex node) { return node * 2; }
inline SchemaId ConstantAt(JsonIndex node) { return node * 2 + 1; }
inline bool IsConstant(SchemaId id) { return (id & 1) != 0; }
inline JsonIndex NodeOf(SchemaId id) { return id / 2; }

using PatternId = uint32_t;
inline constexpr PatternId kNoPattern = 0xFFFFFFFF;

enum TypeBits : uint8_t {
  kTypeNull = 1,
  kTypeBoolean = 2,
  kTypeNumber = 4,
  kTypeString = 8,
  kTypeArray = 16,
  kTypeObject = 32,
  kAllTypes = 63,
};

enum class Draft : uint8_t { kDraft4, kDraft6, kDraft7, kDraft2019, kDraft2020 };
// Returns "draft-04" .. "2020-12".
const char* DraftName(Draft draft);

struct SchemaFacts {
  struct PatternRule {
    PatternId pattern = kNoPattern;
    SchemaId schema = kNoSchema;
  };

  uint8_t types = kAllTypes;
  bool integer_only = false;  // `type` names "integer" and not "number"
  JsonIndex enumeration = kNoJson;
  JsonIndex constant = kNoJson;

  uint64_t min_length = 0;  // code points
  uint64_t max_length = kNoMaximum;
  PatternId pattern = kNoPattern;

  std::optional<NumberBound> lower;
  std::optional<NumberBound> upper;

  JsonIndex prefix_items = kNoJson;  // an array of schemas
  SchemaId items = kNoSchema;        // of the items behind the prefix
  uint64_t min_items = 0;
  uint64_t max_items = kNoMaximum;

  JsonIndex properties = kNoJson;  // an object of schemas
  std::vector<PatternRule> pattern_properties;
  SchemaId additional_properties = kNoSchema;
  JsonIndex required = kNoJson;  // an array of strings
  uint64_t min_properties = 0;
  uint64_t max_properties = kNoMaximum;

  SchemaId reference = kNoSchema;  // the target of $ref
  JsonIndex all_of = kNoJson;      // arrays of schemas
  JsonIndex any_of = kNoJson;

  bool ConstrainsItems() const { return prefix_items != kNoJson || items != kNoSchema; }
  bool ConstrainsMembers() const {
    return properties != kNoJson || !pattern_properties.empty() ||
           additional_properties != kNoSchema;
  }
};

}  // namespace maskloom
