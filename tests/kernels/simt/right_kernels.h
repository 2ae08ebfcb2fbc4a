// Right kernels whose results and traffic are known by hand. Launches return the runtime's error.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simt/cuda.h"

namespace right_kernels {
// Apart from the form for devices, should both be linked.
inline namespace SIMT_WORLD {

// A struct in device memory.
struct Pair {
  int first;
  float second;
};

// Which way of access a test looks at.
enum class Access {
  kEachItsFloat,  // lane i reads float i
  kEveryOther,    // float 2i
  kEveryEighth,   // float 8i
  kShiftedByOne,  // float i + 1
  kAllTheSame,    // float 0
  kEachItsByte,   // byte i
  kFourEach,      // floats 4i to 4i + 3 at once
  kBackwards,     // float 31 - i
};

void LaunchSumRows(const float* in, float* out, int rows, int columns);
void LaunchRead(Access access, const float* in, float* out);
// A square of 32 x 32 through a tile in shared memory with rows of 32 or 33 floats.
void LaunchTranspose(const float* in, float* out, bool is_padded);
// 32 threads write and read vectors of `width` floats (1, 2 or 4) in shared memory.
void LaunchSharedVectors(int width, float* out);
// Lane i reads the first i + 1 of its 32 floats.
void LaunchUnevenLoops(const float* in, float* out);
// Even lanes read `a`, odd lanes `b`, each float i.
void LaunchBranches(const float* a, const float* b, float* out);
// Counts bins of 64 values by atomics in shared memory, then adds them to 8 global counts.
void LaunchHistogram(const int* bins, int* counts);
// Every block sums its 32 floats; the last one to arrive adds the sums up and resets `arrived`.
void LaunchLastBlockSums(const float* in, float* parts, unsigned* arrived, float* sum, int blocks);
void LaunchWarpExchange(const int* in, int* out);
// Writes count, and, or of "thread < limit" over 96 threads.
void LaunchBarrierVotes(int limit, int* out);
// Writes, for each of 32 lanes, 12 results of shuffles, votes and reductions.
inline constexpr int kLaneResults = 14;
void LaunchLaneFunctions(int* out);
// Applies each atomic to one word; writes what it returned and what it left.
void LaunchAtomics(int* words, unsigned* unsigned_words, int* returned);
// Copies `tiles` times 128 floats through two buffers that are filled ahead.
void LaunchAsyncCopies(const float* in, float* out, int tiles);
// Converts n values of each short type to float.
void LaunchWiden(const uint16_t* halves, const uint16_t* bfloats, const uint8_t* fp8s, float* out,
                 int n);
// Sums the second fields of pairs that a table of pointers leads to.
void LaunchFollowTable(Pair* const* table, int n, float* sum);
void LaunchRaiseFirst(Pair* pairs);
// Writes each block's and thread's number to its place.
void LaunchNumber(int* out);
// Neighbouring threads write neighbouring bytes and halves of one word.
void LaunchNeighbours(unsigned char* bytes, unsigned short* halves);
// Every thread reads `rounds` floats without a barrier.
void LaunchLongLoop(const float* in, float* out, int rounds);
// Doubles n values; `bytes` of dynamic shared memory are asked for.
void LaunchDouble(const float* in, float* out, int n, size_t bytes, cudaStream_t stream);

}  // namespace SIMT_WORLD
}  // namespace right_kernels
