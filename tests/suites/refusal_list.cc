// Reads the list and compares.
#include "tests/suites/refusal_list.h"

#include <fstream>

namespace maskloom::suites {

RefusalList::RefusalList(const std::string& file) {
  std::ifstream in(std::string(MASKLOOM_SOURCE_ROOT) + "/tests/suites/" + file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    size_t tab = line.find('\t');
    reasons_[line.substr(0, tab)] = tab == std::string::npos ? "" : line.substr(tab + 1);
  }
}

std::string RefusalList::Refused(const std::string& name, const std::string& message) {
  met_.insert(name);
  auto found = reasons_.find(name);
  if (found == reasons_.end()) return "refused, which is not in the list: " + message;
  if (message.find(found->second) == std::string::npos) {
    return "refused, but not for " + found->second + ": " + message;
  }
  return "";
}

std::string RefusalList::Compiled(const std::string& name) {
  met_.insert(name);
  return reasons_.contains(name) ? "compiles although it is in the list: take it out" : "";
}

std::string RefusalList::Differs(const std::string& name) {
  met_.insert(name);
  return reasons_.contains(name) ? "" : "differs and is not in the list: " + name;
}

std::set<std::string> RefusalList::Unused() const {
  std::set<std::string> unused;
  for (const auto& [name, reason] : reasons_) {
    if (!met_.contains(name)) unused.insert(name);
  }
  return unused;
}

}  // namespace maskloom::suites
