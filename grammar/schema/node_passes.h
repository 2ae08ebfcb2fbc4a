// Passes over the JSON nodes of a finished grammar: drop what no text can reach or complete, make
// equal nodes one, number what is left.
#pragma once

#include <vector>

#include "grammar/base/status.h"
#include "grammar/ir.h"
#include "grammar/schema/json_schema.h"

namespace maskloom {

// Marks values that stand somewhere in the schema: the root, items, members. Others are those of
// choices, conjunctions of the algebra's own making.
std::vector<bool> ValuesOfPlaces(const Grammar& grammar, ValueId root);

// Removes values, items, properties and alternatives that no finite text satisfies, and bounds that
// cannot matter. Returns the root, or kNeverValue if nothing is left of it. What goes is added to
// `notes`.
// On error: kResourceLimit from relabelling an automaton of keys.
// Cost: rounds over all nodes, as many as the least fixed point takes.
Result<ValueId> PruneNodes(Grammar* grammar, ValueId root, std::vector<SchemaNote>* notes);

// Makes nodes that are equal, children included, one node. Returns the root's representative.
// Nodes that are equal only around a cycle may stay apart.
ValueId MergeNodes(Grammar* grammar, ValueId root);

// Keeps what `root` reaches, numbered in breadth-first order from 0. Returns the root: 0.
ValueId RenumberNodes(Grammar* grammar, ValueId root);

}  // namespace maskloom
