// Names the keywords of an unsatisfiable schema that contradict each other, whoever found out that
// nothing satisfies it.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "grammar/base/status.h"
#include "grammar/ir.h"
#include "grammar/schema/json_schema.h"

namespace maskloom {

// Returns a refusal (kUnsatisfiable, at the deepest of them) that names keywords of the schema
// `text` which together leave no value, none of which could be left out; where the search is cut
// short, it says that not all of those named may be needed. Returns nothing where the schema is
// satisfiable, cannot be read, or where no such keywords can be told apart.
// `is_empty` says whether nothing matches a grammar of the schema, or of a part of its keywords.
// Cost: reads the schema, and asks `is_empty`, up to kMaxContradictionTrials times, but begins no
// further trial after 200 ms. For refusals only.
// Source: A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE
// Transactions on Software Engineering 28(2), 2002 (the order in which parts are left out).
std::optional<Status> ExplainContradiction(std::string_view text, const SchemaOptions& options,
                                           const std::function<bool(Grammar)>& is_empty);

inline constexpr int kMaxContradictionTrials = 256;

}  // namespace maskloom
