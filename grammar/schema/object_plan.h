// What the node of one group of objects is made from; see object_nodes.cc.
#pragma once

#include <unordered_set>
#include <utility>
#include <vector>

#include "grammar/schema/container_parts.h"
#include "grammar/schema/member_rule.h"
#include "grammar/schema/schema_document.h"

namespace maskloom {

// What applies to the values of a class of keys.
struct KeyClass {
  NameId name = 0;  // of a declared key, which is a class by itself
  std::vector<SchemaId> base;
  bool forbidden = false;
  JsonIndex closed_by = kNoJson;      // the schema that forbids it
  std::vector<RuleOutcome> outcomes;  // by event
};

struct ObjectPlan {
  JsonIndex origin = 0;
  std::vector<const MemberRule*> rules;  // kept by every member
  FormulaId rest = kTrueFormula;
  Events events;
  std::vector<const MemberRule*> event_rules;  // by event
  std::vector<NameId> names;                   // that `rest` speaks of
  std::unordered_set<NameId> required;
  // What the values of required members satisfy under `rules`, where these describe them.
  std::vector<std::pair<NameId, std::vector<SchemaId>>> required_values;
  std::vector<KeyClass> keys;  // declared

  template <typename Visit>
  void ForEachRule(Visit visit) const {
    for (const MemberRule* rule : rules) visit(*rule);
    for (const MemberRule* rule : event_rules) visit(*rule);
  }
};

}  // namespace maskloom
