#include "runtime/cli/bench_machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include "runtime/cli/files.h"
#include "runtime/cli/json_reader.h"

namespace maskloom::cli {
namespace {

void AppendMember(std::string_view name, std::string_view value, std::string* out) {
  *out += fmt::format("{}\"{}\":", out->empty() ? "" : ",", name);
  AppendJsonString(value, out);
}

}  // namespace

std::string ProcessorModel() {
  Result<LineReader> reader = LineReader::Open("/proc/cpuinfo");
  if (!reader.ok()) return "unknown";
  std::string line;
  for (;;) {
    Result<bool> more = reader->Next(&line);
    if (!more.ok() || !*more) return "unknown";
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
}

std::string MachineJson() {
  std::string members;
  AppendMember("processor", ProcessorModel(), &members);
  members += fmt::format(",\"processors\":{}", ::sysconf(_SC_NPROCESSORS_ONLN));
  AppendMember("compiler", MASKLOOM_COMPILER, &members);
  AppendMember("flags", MASKLOOM_FLAGS, &members);
  AppendMember("commit", MASKLOOM_COMMIT, &members);
  return members;
}

}  // namespace maskloom::cli
