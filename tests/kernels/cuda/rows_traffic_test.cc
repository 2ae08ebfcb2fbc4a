// What rows move between two steps, counted in the stand-in.
#include <gtest/gtest.h>

#include "kernels/simt/traffic.h"
#include "tests/kernels/cuda/checks.h"
#include "tests/kernels/cuda/device_rows.h"
#include "tests/kernels/cuda/random_tables.h"

namespace maskloom::kernels::cuda {
namespace {

TEST(CudaRowsTraffic, IsFewSectorsAndOverTheBusWhatWasSent) {
  constexpr uint32_t kBatch = 64;
  RandomTables tables(9);
  std::vector<RowRequest> requests(kBatch, MakeRowRequest(SampleSettings()));
  for (RowRequest& request : requests) request.grammar = 0;
  DeviceRows device(requests, {tables.on_device()});
  PinnedUpdates updates(kBatch);
  updates.Begin();
  const std::vector<uint32_t> ids = {3, 5, 7};
  for (uint32_t r = 0; r < kBatch; ++r) {
    const RowState state = tables.AnyState();
    RowMask mask;
    mask.sent_count = r % 2 == 0 ? 0 : 3;
    updates.Add(r, mask, ids.data(), r % 4 == 0 ? &state : nullptr);
  }
  simt::TakeTraffic();
  ASSERT_EQ(LaunchUpdateRows(device.rows(kBatch), updates.updates(), nullptr), 0);
  ExpectNoFindings();
  const simt::Traffic update = simt::TakeTraffic().begin()->second;
  const uint64_t blocks = kBatch / 4;
  // A warp's lanes ask for one update together, and for the number of cells of a state; the bus
  // carries them once.
  const uint64_t of_one_lane = blocks * sizeof(UpdateHead) + updates.bytes();
  const uint64_t states = kBatch / 4;
  EXPECT_EQ(update.pinned_read_bytes,
            of_one_lane + 31 * (kBatch * sizeof(RowUpdate) + states * sizeof(uint32_t)));

  std::vector<RowChoice> choices;
  for (uint32_t r = 0; r < kBatch; ++r) {
    choices.push_back({SampleStatus::kOk, tables.Below(RandomTables::kTokens), 0, 0, 0, 0, 0});
  }
  device.SetChoices(choices);
  simt::TakeTraffic();
  ASSERT_EQ(LaunchAdvanceRows(device.rows(kBatch), nullptr), 0);
  ExpectNoFindings();
  const simt::Traffic advance = simt::TakeTraffic().begin()->second;
  EXPECT_LE(advance.moved_bytes(), 1024u * kBatch);
  EXPECT_EQ(advance.pinned_write_bytes, kBatch * sizeof(RowResult));
}

}  // namespace
}  // namespace maskloom::kernels::cuda
