#include "runtime/version.h"

namespace maskloom {

const char* VersionString() { return "0.1.0"; }

}  // namespace maskloom
