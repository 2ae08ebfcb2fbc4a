// What one schema object says by itself: its keywords, read and checked, before any joining.
//
// Children are named by their nodes; which schema a node stands for depends on where it is met
// (schema_table.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grammar/ir.h"
#include "grammar/schema/schema_document.h"

namespace maskloom {

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
    JsonIndex schema = kNoJson;
  };
  // What a member's presence asks for.
  struct Dependency {
    JsonIndex member = kNoJson;  // its key is the name; its value a schema or an array of names
    bool names = false;          // is the value an array of names?
  };

  Draft draft = Draft::kDraft2020;  // of the resource that the schema belongs to

  uint8_t types = kAllTypes;
  bool integer_only = false;  // `type` names "integer" and not "number"
  JsonIndex enumeration = kNoJson;
  JsonIndex constant = kNoJson;

  uint64_t min_length = 0;  // code points
  uint64_t max_length = kNoMaximum;
  std::vector<PatternId> patterns;  // `pattern`, `format` and `contentEncoding`

  std::optional<NumberBound> lower;
  std::optional<NumberBound> upper;
  std::optional<Decimal> multiple_of;
  // A number format: bounds and integrality of its own.
  std::optional<NumberNode> number_format;

  JsonIndex prefix_items = kNoJson;  // an array of schemas
  JsonIndex items = kNoJson;         // of the items behind the prefix
  JsonIndex contains = kNoJson;
  uint64_t min_contains = 1;
  uint64_t max_contains = kNoMaximum;
  uint64_t min_items = 0;
  uint64_t max_items = kNoMaximum;
  bool unique_items = false;
  JsonIndex unevaluated_items = kNoJson;

  JsonIndex properties = kNoJson;  // an object of schemas
  std::vector<PatternRule> pattern_properties;
  JsonIndex additional_properties = kNoJson;
  JsonIndex property_names = kNoJson;
  JsonIndex required = kNoJson;  // an array of strings
  std::vector<Dependency> dependencies;
  uint64_t min_properties = 0;
  uint64_t max_properties = kNoMaximum;
  JsonIndex unevaluated_properties = kNoJson;

  // Keywords whose value is a reference; see ReferenceResolver.
  JsonIndex reference = kNoJson;          // $ref
  JsonIndex dynamic_reference = kNoJson;  // $dynamicRef or $recursiveRef
  JsonIndex all_of = kNoJson;             // arrays of schemas
  JsonIndex any_of = kNoJson;
  JsonIndex one_of = kNoJson;
  JsonIndex negated = kNoJson;    // `not`
  JsonIndex condition = kNoJson;  // `if`
  JsonIndex consequence = kNoJson;
  JsonIndex alternative = kNoJson;
  bool nullable = false;  // OpenAPI 3.0, where the options ask for it

  bool ConstrainsItems() const { return prefix_items != kNoJson || items != kNoJson; }
  bool ConstrainsMembers() const {
    return properties != kNoJson || !pattern_properties.empty() || additional_properties != kNoJson;
  }
};

}  // namespace maskloom
