// What the stand-in finds wrong with a kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/simt/site.h"
#include "kernels/simt/vector_types.h"

namespace simt {

enum class Fault {
  kOutOfBounds,       // an access outside of the memory that its pointer was made of
  kMisaligned,        // an address that is no multiple of the type's alignment
  kUninitialised,     // a read of bytes that nobody has written
  kRace,              // two accesses of one block, one a write, without a barrier between them
  kBlockRace,         // the same between blocks of one launch
  kOrderDependent,    // a sum of floats whose order is not fixed
  kDivergentBarrier,  // threads of a block that do not meet at one barrier, or lanes at one shuffle
  kInactiveLane,      // a shuffle or vote with a lane that does not take part
  kEndless,           // a thread that goes on and on, as if it waited for another block
  kLaunch,            // a launch that no device accepts
};

// One thing that is wrong, where it was seen first.
struct Finding {
  Fault fault;
  std::string kernel;
  uint3 block, thread;
  std::string file;
  unsigned line;
  std::string text;
  uint64_t count;  // how often this fault was seen at this line
};

// Returns "race" and the like.
const char* Name(Fault fault);

// Returns the finding in one line.
std::string Describe(const Finding& finding);

// Returns what was found since the last call and forgets it.
std::vector<Finding> TakeFindings();

// Adds a finding, or counts it if there is one of the same fault, kernel and line. Kernel, block
// and thread are those of the lane that runs.
void Report(Fault fault, Site site, std::string text);

}  // namespace simt
