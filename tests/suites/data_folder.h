// A folder of reference data unpacked for the time of one test program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grammar/base/status.h"

namespace maskloom::suites {

// A new folder that disappears with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Unpacks the archive `suites/NAME.tar.zst` of the shared data into `folder`.
// On error: kIo, saying what is missing (the data, tar or zstd).
Status UnpackSuite(const std::string& name, const TemporaryFolder& folder);

// Unpacks `tokenizers/NAME.tokenizer.json.zst` of the shared data into `folder` and returns the
// path of the file. On error: as UnpackSuite.
Result<std::string> UnpackTokenizer(const std::string& name, const TemporaryFolder& folder);

// Paths of the regular files below `folder` that end in `.json`, sorted.
std::vector<std::filesystem::path> JsonFilesBelow(const std::filesystem::path& folder);

}  // namespace maskloom::suites
