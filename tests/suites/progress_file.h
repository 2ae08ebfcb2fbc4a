// What a long suite has done so far, so that it can be stopped at any time and go on.
//
// A file of lines `vocabulary <tab> case <tab> counts`, written after each case and read at the
// next start. Its first line names the build that wrote it: what another build found says nothing
// about this one.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "grammar/base/status.h"
#include "tests/suites/state_check.h"

namespace maskloom::suites {

class ProgressFile {
 public:
  // Opens or makes the file of the current shard of `suite` in the folder that MASKLOOM_PROGRESS
  // names; where it names none, nothing is kept.
  // On error: kIo; kInvalidArgument for a file of another build, saying which one.
  static Result<ProgressFile> Open(const std::string& suite);

  // Returns how many faults were found if the case was done before; nothing if it was not.
  const size_t* Find(const std::string& vocabulary, const std::string& name) const;
  // Adds a case and what was found.
  void Add(const std::string& vocabulary, const std::string& name, const StateTally& tally);

 private:
  std::map<std::pair<std::string, std::string>, size_t> faults_;
  std::ofstream out_;  // not open where nothing is kept
};

}  // namespace maskloom::suites
