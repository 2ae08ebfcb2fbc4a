// The library's version, one place for the C API, the command line and file headers.
#pragma once

namespace maskloom {

inline constexpr int kVersionMajor = 0;
inline constexpr int kVersionMinor = 1;
inline constexpr int kVersionPatch = 0;

// Returns "major.minor.patch".
const char* VersionString();

}  // namespace maskloom
