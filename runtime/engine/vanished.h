// Notes of what a schema says in vain, as only the compiler finds out.
#pragma once

#include <vector>

#include "compiler/machine.h"
#include "grammar/schema/json_schema.h"

namespace maskloom {

// Appends a note for each declared key that never appears because its value has no text, and for
// each schema of which no string, number, array or object has one. What the front end left out it
// has noted itself. Requires: machine.is_json().
// Cost: a few ns a node where there is nothing to note.
void NoteVanished(const Machine& machine, std::vector<SchemaNote>* notes);

// Returns, by value of the grammar, whether it has no text. Requires: machine.is_json().
std::vector<bool> VanishedValues(const Machine& machine);

}  // namespace maskloom
