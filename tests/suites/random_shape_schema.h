// Schemas made by chance whose branches are told apart by the shapes of their members.
//
// Every branch of a `oneOf`, and of what stands beside it, describes the same two or three members:
// a value of its own shape, a map or a list of such. Shapes are objects of a few keys, most of them
// closed, so that values have many of them, one or none, and several members decide together which
// branches hold.
#pragma once

#include <random>
#include <string>

namespace maskloom::suites {

// Returns a schema of draft 2020-12, which it names in `$schema`. It may be unsatisfiable.
std::string RandomShapeSchema(std::mt19937_64* random);

}  // namespace maskloom::suites
