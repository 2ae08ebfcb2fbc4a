// Back-references where they are regular: to groups that match few texts.
#pragma once

#include <cstdint>
#include <optional>

#include "grammar/base/expr.h"

namespace maskloom {

// Returns `expr` marked as what group `group` captures, and a stand-in for a reference to it. Both
// are kRule expressions that ResolveBackReferences takes away.
ExprId MarkGroup(uint32_t group, ExprId expr, ExprPool* pool);
ExprId ReferTo(uint32_t group, ExprPool* pool);

// Returns `root` without marks and references: where a group matches at most 4 texts and has
// surely matched when it is referred to, the sequence around it becomes a choice, one alternative
// for each text. Otherwise returns nothing, and `unresolved` is a reference that stands in the way.
// Requires: references stand behind the group that they refer to, in the order of matching.
std::optional<ExprId> ResolveBackReferences(ExprId root, ExprPool* pool, ExprId* unresolved);

}  // namespace maskloom
