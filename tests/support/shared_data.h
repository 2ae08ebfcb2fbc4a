// Where tests find data that is not part of the tree, and how they say that it is missing.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace maskloom {

// Returns the folder of shared reference data: $MASKLOOM_SHARED, else `shared` beside the source
// tree; nothing when there is no such folder.
inline std::optional<std::string> SharedDataDir() {
  namespace fs = std::filesystem;
  std::error_code error;
  if (const char* named = std::getenv("MASKLOOM_SHARED"); named != nullptr && *named != '\0') {
    return fs::is_directory(named, error) ? std::optional<std::string>(named) : std::nullopt;
  }
  fs::path source = fs::absolute(fs::path(__FILE__), error);
  for (fs::path at = source.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(at / "CMakePresets.json", error)) {
      fs::path beside = at.parent_path() / "shared";
      return fs::is_directory(beside, error) ? std::optional<std::string>(beside.string())
                                             : std::nullopt;
    }
  }
  return std::nullopt;
}

// Returns the path of SmolLM2-135M-Instruct in Q4_1: $MASKLOOM_MODEL, else the copy in the cache
// folder (~/.cache/maskloom); nothing when there is no such file.
inline std::optional<std::string> ModelPath() {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path path;
  if (const char* named = std::getenv("MASKLOOM_MODEL"); named != nullptr && *named != '\0') {
    path = named;
  } else if (const char* home = std::getenv("HOME"); home != nullptr) {
    path = fs::path(home) / ".cache/maskloom/SmolLM2-135M-Instruct.Q4_1.gguf";
  }
  return fs::is_regular_file(path, error) ? std::optional<std::string>(path.string())
                                          : std::nullopt;
}

// Returns the bytes of a file; nothing when it cannot be read.
inline std::optional<std::string> ReadWholeFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace maskloom
