// Lists of refusals and differences that are expected: a line is a name, a tab and the reason; `#`
// begins a comment. The reason of a refusal is a part of its message.
#pragma once

#include <map>
#include <set>
#include <string>

namespace maskloom::suites {

class RefusalList {
 public:
  // Reads `file` of tests/suites/. A file that cannot be read is an empty list.
  explicit RefusalList(const std::string& file);

  // Tells that `name` was refused or compiled. Returns what is wrong about that; empty if nothing.
  std::string Refused(const std::string& name, const std::string& message);
  std::string Compiled(const std::string& name);
  // Tells that `name` came out otherwise than its suite says; the list gives the reason.
  std::string Differs(const std::string& name);
  // Names in the list that nobody told of.
  std::set<std::string> Unused() const;
  size_t size() const { return reasons_.size(); }

 private:
  std::map<std::string, std::string> reasons_;
  std::set<std::string> met_;
};

}  // namespace maskloom::suites
