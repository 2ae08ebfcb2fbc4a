// Unpacks with the tar and zstd of the machine.
#include "tests/suites/data_folder.h"

#include <stdlib.h>

#include <algorithm>
#include <cstdlib>

#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

namespace fs = std::filesystem;

std::string Quoted(const std::string& path) {
  std::string out = "'";
  for (char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Result<std::string> SharedFile(const std::string& name) {
  auto shared = SharedDataDir();
  if (!shared) return Status(StatusCode::kIo, "no shared data (set MASKLOOM_SHARED)");
  std::string path = *shared + "/" + name;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return Status(StatusCode::kIo, path + " is not there");
  return path;
}

Status RunCommand(const std::string& command) {
  if (std::system(command.c_str()) == 0) return Status::Ok();
  return Status(StatusCode::kIo, "this command failed (are tar and zstd there?): " + command);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string form = (fs::temp_directory_path(error) / "maskloom-suites-XXXXXX").string();
  if (::mkdtemp(form.data()) != nullptr) path_ = form;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

Status UnpackSuite(const std::string& name, const TemporaryFolder& folder) {
  auto archive = SharedFile("suites/" + name + ".tar.zst");
  if (!archive.ok()) return archive.status();
  return RunCommand("zstd -dcq " + Quoted(*archive) + " | tar -xf - -C " +
                    Quoted(folder.path().string()));
}

Result<std::string> UnpackTokenizer(const std::string& name, const TemporaryFolder& folder) {
  auto packed = SharedFile("tokenizers/" + name + ".tokenizer.json.zst");
  if (!packed.ok()) return packed.status();
  std::string path = (folder.path() / (name + ".json")).string();
  Status status = RunCommand("zstd -dcq " + Quoted(*packed) + " > " + Quoted(path));
  if (!status.ok()) return status;
  return path;
}

std::vector<fs::path> JsonFilesBelow(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && entry.path().extension() == ".json") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace maskloom::suites
