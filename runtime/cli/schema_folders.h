// Schema documents in folders that the user named, found by path and by `$id`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/base/status.h"

namespace maskloom::cli {

// Returns the file: URI of the file at `path`, made absolute, with symbolic links followed.
std::string FileUri(const std::string& path);

// Looks documents up; reads files inside the folders only, whatever URIs and links say.
class SchemaFolders {
 public:
  // Files that are looked through for their `$id`; more are found by their path alone.
  static constexpr size_t kMaxFiles = 10'000;

  // On error: kIo for a folder that is not there.
  static Result<SchemaFolders> Open(const std::vector<std::string>& folders);

  // Returns the document at `uri`, which has no fragment: the file that a file: URI names, else a
  // *.json file whose root has this `$id` (or `id`), else, for a URI without a scheme, the file at
  // this path in a folder. Nothing for what is not there or cannot be read.
  // Cost: the first search for an `$id` reads all *.json files below the folders.
  std::optional<std::string> Find(const std::string& uri);

  bool empty() const { return folders_.empty(); }
  // The last URI that was asked for in vain, or "".
  const std::string& missing() const { return missing_; }
  // What was found by an `$id` that several files have, for messages.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::optional<std::string> Look(const std::string& uri);
  // Reads the file at `path` if it is inside one of the folders.
  std::optional<std::string> ReadInside(const std::string& path) const;
  void Index();

  std::vector<std::string> folders_;  // absolute, links followed
  bool indexed_ = false;
  std::unordered_map<std::string, std::string> path_of_id_;
  std::unordered_map<std::string, std::string> second_path_of_id_;  // where there is one
  std::vector<std::string> warnings_;
  std::string missing_;
};

}  // namespace maskloom::cli
