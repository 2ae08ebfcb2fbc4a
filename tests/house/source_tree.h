// The source tree as the house tests see it: files, texts, #include lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace maskloom {

// The root of the source tree. Paths below are relative to it and use '/'.
std::string SourceRoot();

// Returns the paths of all files under `folder` ("" is the root) whose names end in one of
// `endings`, sorted; build trees and hidden folders are left out.
std::vector<std::string> ListFiles(const std::string& folder,
                                   const std::vector<std::string>& endings);

// Returns the bytes of the file at `path`; "" if it cannot be read.
std::string ReadSource(const std::string& path);

// Does anything lie at `path`?
bool SourceExists(const std::string& path);

struct IncludeLine {
  size_t line;  // 1-based
  std::string path;
};

// Returns what the #include "..." lines of `text` name. Includes in <> are not ours.
std::vector<IncludeLine> QuotedIncludes(std::string_view text);

}  // namespace maskloom
