// The mask alone: logits that are not allowed become -infinity, in place.
//
// Rows are cut and masks are read as by the logits kernel. A thread's groups of 16 bytes that are
// closed as a whole take one store; in others it stores one closed logit after another, so that a
// warp stores as often as its busiest lane and never reads what it keeps.
#include "kernels/cuda/apply.h"
#include "kernels/cuda/tile_mask.h"
#include "kernels/simt/cuda.h"

namespace maskloom::kernels::cuda {
namespace {

// A block leaves no traces, so it may have little to do.
constexpr uint32_t kLeastApplied = 4 * kTileTokens;

template <class T>
struct ApplyArgs {
  simt::Global<typename T::Stored> logits;
  uint64_t stride;
  uint32_t vocab;
  uint32_t is_aligned;  // every row starts at 16 bytes
  MaskArgs masks;
  Splits splits;
};

// Closes logits of the group that starts at `at`.
template <class T>
__device__ void CloseGroup(simt::Global<typename T::Stored> at, uint32_t closed, bool is_aligned) {
  if (is_aligned && closed == (1u << T::kGroup) - 1) {
    const uint32_t word = T::kClosedWord;
    simt::As<uint4>(at)[0] = make_uint4(word, word, word, word);
    return;
  }
  while (closed != 0) {
    at[__ffs(static_cast<int>(closed)) - 1] = T::Closed();
    closed &= closed - 1;
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) ApplyMasks(const ApplyArgs<T> args) {
  SIMT_LAUNCH_BOUNDS(kThreads);
  SIMT_SHARED(RowMask, masks, 1);
  SIMT_SHARED(uint32_t, position, 1);
  SIMT_SHARED(uint32_t, listed, kSplitWords);
  const MaskShared shared = {masks, listed, position};
  const uint32_t row = blockIdx.y;
  if (threadIdx.x == 0) masks[0] = LoadRowMask(args.masks, row);
  __syncthreads();
  TileMask<T> mask(args.masks, args.vocab, shared);
  if (mask.is_open()) return;
  const uint32_t begin = blockIdx.x * args.splits.tiles;
  const uint32_t end = min(begin + args.splits.tiles, args.splits.in_row);
  mask.Start(begin * kTileTokens, end * kTileTokens, shared);
  for (uint32_t tile = begin * kTileTokens; tile < end * kTileTokens; tile += kTileTokens) {
    const uint32_t closed = mask.InsideBits(tile) & ~mask.Bits(tile);
    MASKLOOM_UNROLL
    for (uint32_t group = 0; group < kThreadTokens; group += T::kGroup) {
      const uint32_t first = Place<T>::Token(tile, group);
      CloseGroup<T>(args.logits + (row * args.stride + first),
                    (closed >> group) & ((1u << T::kGroup) - 1), args.is_aligned != 0);
    }
  }
}

template <class T>
int Launch(const ApplyBatch& batch, cudaStream_t stream) {
  ApplyArgs<T> args;
  args.logits = static_cast<typename T::Stored*>(batch.logits);
  args.stride = batch.stride;
  args.vocab = batch.vocab;
  args.is_aligned = AreRowsAligned<T>(batch.logits, batch.stride) ? 1 : 0;
  args.masks = MaskArgsOf(batch.masks);
  args.splits = CutRows(batch.batch, batch.vocab, kWantedBlocks, kLeastApplied);
  const dim3 grid(args.splits.count, batch.batch);
  SIMT_LAUNCH((ApplyMasks<T>), grid, kThreads, 0, stream, args);
  return static_cast<int>(cudaGetLastError());
}

}  // namespace

inline namespace SIMT_WORLD {

int LaunchApplyMasks(const ApplyBatch& batch, void* stream) {
  if (batch.masks.rows == nullptr) return static_cast<int>(cudaSuccess);
  return WithStored(batch.type, [&](auto stored) {
    return Launch<decltype(stored)>(batch, static_cast<cudaStream_t>(stream));
  });
}

}  // namespace SIMT_WORLD
}  // namespace maskloom::kernels::cuda
