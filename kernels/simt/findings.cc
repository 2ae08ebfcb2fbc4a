#include "kernels/simt/findings.h"

#include <utility>

#include "kernels/simt/stand_in_state.h"

namespace simt {
namespace {

std::string Text(const uint3& at) {
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

}  // namespace

const char* Name(Fault fault) {
  switch (fault) {
    case Fault::kOutOfBounds:
      return "out of bounds";
    case Fault::kMisaligned:
      return "misaligned";
    case Fault::kUninitialised:
      return "uninitialised";
    case Fault::kRace:
      return "race";
    case Fault::kBlockRace:
      return "race between blocks";
    case Fault::kOrderDependent:
      return "depends on order";
    case Fault::kDivergentBarrier:
      return "divergent barrier";
    case Fault::kInactiveLane:
      return "inactive lane";
    case Fault::kEndless:
      return "endless";
    case Fault::kLaunch:
      return "launch";
  }
  return "";
}

std::string Describe(const Finding& finding) {
  return finding.file + ":" + std::to_string(finding.line) + ": " + finding.kernel + " block " +
         Text(finding.block) + " thread " + Text(finding.thread) + ": " + Name(finding.fault) +
         ": " + finding.text +
         (finding.count > 1 ? " (" + std::to_string(finding.count) + " times)" : "");
}

std::vector<Finding> TakeFindings() {
  std::lock_guard lock(State().mutex);
  return std::exchange(State().findings, {});
}

void Report(Fault fault, Site site, std::string text) {
  Finding finding{.fault = fault,
                  .kernel = "host",
                  .block = {},
                  .thread = {},
                  .file = site.file(),
                  .line = site.line(),
                  .text = std::move(text),
                  .count = 1};
  if (current_lane != nullptr) {
    finding.kernel = current_lane->block().launch().kernel;
    finding.block = current_lane->block().block_index();
    finding.thread = current_lane->thread_index();
  }
  std::lock_guard lock(State().mutex);
  for (Finding& known : State().findings) {
    if (known.fault != fault || known.line != finding.line || known.file != finding.file ||
        known.kernel != finding.kernel) {
      continue;
    }
    ++known.count;
    return;
  }
  State().findings.push_back(std::move(finding));
}

}  // namespace simt
