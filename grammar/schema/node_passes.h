// Passes over the JSON nodes of a finished grammar: drop what no text can reach or complete, make
// equal nodes one, number what is left.
#pragma once

#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

// Removes values, items, properties and alternatives that no finite text satisfies, and bounds that
// cannot matter. Returns the root, or kNeverValue if nothing is left of it.
// On error: kResourceLimit from relabelling an automaton of keys.
// Cost: rounds over all nodes, as many as the least fixed point takes.
Result<ValueId> PruneNodes(Grammar* grammar, ValueId root);

// Makes nodes that are equal, children included, one node. Returns the root's representative.
// Nodes that are equal only around a cycle may stay apart.
ValueId MergeNodes(Grammar* grammar, ValueId root);

// Keeps what `root` reaches, numbered in breadth-first order from 0. Returns the root: 0.
ValueId RenumberNodes(Grammar* grammar, ValueId root);

}  // namespace maskloom
