// What a rule says about keys, in one shape for all kinds of rules; and its outcome at one place.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "grammar/schema/literal_tables.h"
#include "grammar/schema/schema_facts.h"

namespace maskloom {

// A rule about the members of an object. Keys of `properties` and those that match `patterns` are
// covered: all the schemas found there apply (kNoSchema: any value). What is not covered has a
// value of `additional` (kNoSchema: any), or may not appear at all if the rule is closed.
struct MemberRule {
  struct Property {
    NameId name;
    SchemaId schema;
  };
  struct Pattern {
    PatternId pattern;
    SchemaId schema;
  };
  RuleId id = 0;
  std::vector<Property> properties;  // of a repeated name the last counts
  std::unordered_map<NameId, size_t> index_of;
  std::vector<Pattern> patterns;
  SchemaId additional = kNoSchema;
  bool closed = false;

  // Does it describe its properties and nothing else?
  bool IsNarrow() const { return patterns.empty() && additional == kNoSchema && !closed; }

  void AddProperty(NameId name, SchemaId schema) {
    auto [it, added] = index_of.try_emplace(name, properties.size());
    if (added) {
      properties.push_back({name, schema});
    } else {
      properties[it->second].schema = schema;
    }
  }
};

// What a rule says about the value under one key, or about one item.
struct RuleOutcome {
  bool forbidden = false;         // no value
  std::vector<SchemaId> schemas;  // the value satisfies all of them
};

}  // namespace maskloom
