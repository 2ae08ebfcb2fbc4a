// The judge's reading of a JSON Schema: one node per subschema, assertions kept as written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/base/status.h"
#include "tests/judge/derivatives.h"
#include "tests/judge/json_tree.h"
#include "tests/judge/number_prefix.h"

namespace maskloom::judge {

using NodeIndex = int;

enum TypeBit : uint32_t {
  kNullBit = 1,
  kTrueBit = 2,
  kFalseBit = 4,
  kNumberBit = 8,
  kStringBit = 16,
  kArrayBit = 32,
  kObjectBit = 64,
  kAllBits = 127,
};

inline constexpr uint64_t kNoLimit = ~uint64_t{0};

// One subschema. Absent assertions have the values that assert nothing.
struct SchemaNode {
  bool never = false;  // the schema `false`
  uint32_t types = kAllBits;

  uint64_t min_length = 0;  // code points
  uint64_t max_length = kNoLimit;
  std::vector<RegexId> patterns;
  std::optional<std::vector<std::u32string>> strings;  // only these, sorted

  NumberRule number;

  std::vector<NodeIndex> prefix_items;
  NodeIndex items = -1;  // of further items; -1: anything
  uint64_t min_items = 0;
  uint64_t max_items = kNoLimit;

  std::vector<std::pair<std::u32string, NodeIndex>> properties;
  std::vector<std::pair<RegexId, NodeIndex>> pattern_properties;
  NodeIndex additional = -1;  // -1: anything
  std::vector<std::u32string> required;
  uint64_t min_properties = 0;
  uint64_t max_properties = kNoLimit;

  std::vector<NodeIndex> all_of;               // $ref among them
  std::vector<std::vector<NodeIndex>> any_of;  // one choice from each group
};

struct SchemaNodes {
  std::vector<SchemaNode> nodes;
  NodeIndex root = 0;
};

// Reads `schema`; patterns go to `pool`.
// On error: kInvalidDefinition, kUnsupported (a keyword outside the judge's list) or
// kResourceLimit, with the JSON pointer.
Result<SchemaNodes> ReadSchema(const JsonTree& schema, RegexPool* pool);

// The judge's own validator for whole values: walks the schema text's nodes and the value.
bool Validate(const SchemaNodes& schema, RegexPool* pool, const JsonTree& value);

}  // namespace maskloom::judge
