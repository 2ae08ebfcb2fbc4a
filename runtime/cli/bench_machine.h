// What a result was measured with.
#pragma once

#include <string>

namespace maskloom::cli {

// Returns the model name of this machine's processor as the kernel tells it; "unknown" if it does
// not.
std::string ProcessorModel();

// Members of a JSON object, without braces: processor, number of processors, compiler, flags,
// commit. The commit is what git said when the build was configured.
std::string MachineJson();

}  // namespace maskloom::cli
