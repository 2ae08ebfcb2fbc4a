// Reads and writes lines of counts.
#include "tests/suites/progress_file.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/support/long_suite.h"
#include "tests/support/sha256.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

// Names this executable by its bytes.
std::string BuildLine() {
  const std::string bytes = ReadWholeFile("/proc/self/exe").value_or("");
  return "build " + Sha256Hex(bytes).substr(0, 16);
}

}  // namespace

Result<ProgressFile> ProgressFile::Open(const std::string& suite) {
  ProgressFile progress;
  const char* folder = std::getenv("MASKLOOM_PROGRESS");
  if (folder == nullptr || *folder == '\0') return progress;
  const Shard shard = CurrentShard();
  const std::string path = std::string(folder) + "/" + suite + "." +
                           std::to_string(shard.index + 1) + "-of-" + std::to_string(shard.count) +
                           ".tsv";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string build = BuildLine();
  std::istringstream before(ReadWholeFile(path).value_or(""));
  std::string line;
  const bool is_fresh = !std::getline(before, line);
  if (!is_fresh && line != build) {
    return Status(
        StatusCode::kInvalidArgument,
        path + " is of another build (" + line + ", this is " + build + "): name an empty folder");
  }
  // A line that was cut off is done again.
  uintmax_t whole_bytes = is_fresh ? 0 : line.size() + 1;
  while (std::getline(before, line) && !before.eof()) {
    whole_bytes += line.size() + 1;
    std::istringstream fields(line);
    std::string vocabulary;
    std::string name;
    std::string counts;
    std::getline(fields, vocabulary, '\t');
    std::getline(fields, name, '\t');
    std::getline(fields, counts, '\t');
    const size_t at = counts.find("faults=");
    if (at == std::string::npos) continue;
    progress.faults_[{vocabulary, name}] = std::strtoull(counts.c_str() + at + 7, nullptr, 10);
  }
  if (!is_fresh) std::filesystem::resize_file(path, whole_bytes, error);
  progress.out_.open(path, std::ios::binary | std::ios::app);
  if (is_fresh) progress.out_ << build << std::endl;
  if (!progress.out_ || error) return Status(StatusCode::kIo, path + " cannot be written");
  return progress;
}

const size_t* ProgressFile::Find(const std::string& vocabulary, const std::string& name) const {
  const auto it = faults_.find({vocabulary, name});
  return it == faults_.end() ? nullptr : &it->second;
}

void ProgressFile::Add(const std::string& vocabulary, const std::string& name,
                       const StateTally& tally) {
  if (!out_.is_open()) return;
  out_ << vocabulary << '\t' << name << "\tstates=" << tally.states << " alike=" << tally.alike
       << " judged=" << tally.judged_tokens << " nodes=" << tally.nodes
       << " refused=" << !tally.refused.empty() << " faults=" << tally.faults.size() << '\t';
  for (const auto& [kind, count] : tally.kinds) out_ << kind << '=' << count << ' ';
  out_ << '\t' << std::hex;
  for (const uint32_t mask : tally.masks) out_ << mask << ' ';
  out_ << std::dec << std::endl;
}

}  // namespace maskloom::suites
