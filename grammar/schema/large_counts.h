// Refuses what asks for more characters, items or members than can be counted.
#pragma once

#include <cstdint>

#include "grammar/base/status.h"
#include "grammar/ir.h"
#include "grammar/schema/schema_document.h"
#include "grammar/schema/schema_reader.h"

namespace maskloom {

// The most that a value can be asked to have at least.
inline constexpr uint64_t kMaxLeastCount = 4294967294;

// Returns ok where no value of `grammar` must have more than that, or no keyword that was read asks
// for it by itself. On error: kResourceLimit, at the keyword.
// Cost: linear in the nodes of the grammar.
Status CheckLargeCounts(const Grammar& grammar, const SchemaDocument& document,
                        const SchemaReader& reader);

}  // namespace maskloom
