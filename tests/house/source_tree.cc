#include "tests/house/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace maskloom {

namespace fs = std::filesystem;

std::string SourceRoot() { return MASKLOOM_SOURCE_ROOT; }

std::vector<std::string> ListFiles(const std::string& folder,
                                   const std::vector<std::string>& endings) {
  std::vector<std::string> found;
  fs::path root = SourceRoot();
  std::error_code error;
  auto it = fs::recursive_directory_iterator(root / folder, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::string name = it->path().filename().string();
    if (it->is_directory(error)) {
      bool is_build = folder.empty() && it.depth() == 0 && name.starts_with("build");
      if (is_build || (name.starts_with('.') && name != ".ci")) it.disable_recursion_pending();
      continue;
    }
    bool wanted = std::any_of(endings.begin(), endings.end(),
                              [&](const std::string& ending) { return name.ends_with(ending); });
    if (wanted) found.push_back(fs::relative(it->path(), root, error).generic_string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string ReadSource(const std::string& path) {
  std::ifstream in(fs::path(SourceRoot()) / path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool SourceExists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::path(SourceRoot()) / path, error);
}

std::vector<IncludeLine> QuotedIncludes(std::string_view text) {
  std::vector<IncludeLine> includes;
  auto skip_blanks = [](std::string_view* rest) {
    rest->remove_prefix(std::min(rest->find_first_not_of(" \t"), rest->size()));
  };
  for (size_t line = 1; !text.empty(); ++line) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    skip_blanks(&rest);
    if (!rest.starts_with('#')) continue;
    rest.remove_prefix(1);
    skip_blanks(&rest);
    if (!rest.starts_with("include")) continue;
    rest.remove_prefix(7);
    skip_blanks(&rest);
    if (!rest.starts_with('"')) continue;
    rest.remove_prefix(1);
    includes.push_back({line, std::string(rest.substr(0, rest.find('"')))});
  }
  return includes;
}

}  // namespace maskloom
