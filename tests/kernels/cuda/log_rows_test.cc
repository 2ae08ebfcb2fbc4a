// Logs of rows in the stand-in: entries in order, however long the host does not look; sparse
// tables that count tokens as a map does; tokens of an engine's sampler that masks close.
#include "kernels/cuda/log_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/kernels/cuda/checks.h"
#include "tests/kernels/simt/device_array.h"

namespace maskloom::kernels::cuda {
namespace {

TEST(CudaLogRows, CountTokensAsAMapDoes) {
  constexpr uint32_t kRows = 4, kRoom = 400, kDepth = 4;
  std::mt19937_64 random(1);
  std::vector<RowRequest> requests(kRows);
  std::vector<TokenAdjustment> adjustments(kRows * kRoom);
  std::vector<std::map<uint32_t, TokenAdjustment>> counts(kRows);
  for (uint32_t r = 0; r < kRows; ++r) {
    requests[r] = {};
    requests[r].repetition = requests[r].frequency = 1.0f;
    requests[r].frequency = r == 3 ? 0.0f : 0.5f;  // the last has no penalty
    requests[r].adjustment_begin = r * kRoom;
    for (int i = 0; i < 5; ++i) {
      const uint32_t id = static_cast<uint32_t>(random() % 1000);
      counts[r][id] = {id, 0, 1, 0.5f};
    }
    requests[r].adjustment_count = static_cast<uint32_t>(counts[r].size());
    uint32_t at = r * kRoom;
    for (const auto& [id, entry] : counts[r]) adjustments[at++] = entry;
  }
  const simt::DeviceArray<RowRequest> device_requests(requests);
  const simt::DeviceArray<TokenAdjustment> device_adjustments(adjustments);
  const simt::DeviceArray<uint64_t> sequences(std::vector<uint64_t>(kRows, 7));
  RowEntry* entries = nullptr;
  ASSERT_EQ(simt::cudaMallocHost(&entries, kRows * kDepth * sizeof(RowEntry)), simt::cudaSuccess);
  std::vector<bool> was_full(kRows);
  for (uint32_t step = 1; step <= 500; ++step) {
    std::vector<RowChoice> choices(kRows);
    std::vector<RowResult> results(kRows);
    for (uint32_t r = 0; r < kRows; ++r) {
      // The first row meets a token again now and then, the others nearly never.
      const auto token = static_cast<uint32_t>(random() % (r == 0 ? 150 : 100000));
      choices[r] = {};
      choices[r].logprob = static_cast<float>(step);
      results[r] = {token, RowOutcome::kNeedsMask, 0};
      if (r == 1 && step % 3 == 0) {  // waits
        results[r] = {UINT32_MAX, RowOutcome::kNoToken,
                      static_cast<uint16_t>(SampleStatus::kEmptyMask)};
      }
    }
    const simt::DeviceArray<RowChoice> device_choices(choices);
    const simt::DeviceArray<RowResult> device_results(results);
    const LogBatch batch = {kRows,
                            device_choices.data(),
                            device_results.data(),
                            device_requests.data(),
                            device_adjustments.data(),
                            kRoom,
                            sequences.data(),
                            entries,
                            kDepth,
                            nullptr,
                            nullptr,
                            nullptr,
                            nullptr,
                            0};
    ASSERT_EQ(LaunchLogRows(batch, nullptr), 0);
    const std::vector<uint64_t> last = sequences.Read();
    for (uint32_t r = 0; r < kRows; ++r) {
      if (results[r].outcome == RowOutcome::kNoToken) continue;
      const RowEntry& entry = entries[r * kDepth + last[r] % kDepth];
      ASSERT_EQ(entry.sequence, last[r]);
      ASSERT_EQ(entry.token, results[r].token);
      ASSERT_EQ(entry.outcome, static_cast<uint16_t>(RowOutcome::kNeedsMask));
      ASSERT_EQ(entry.logprob, static_cast<float>(step));
      const bool has_room = counts[r].contains(entry.token) || counts[r].size() < kRoom || r == 3;
      ASSERT_EQ(entry.is_counted != 0, has_room);
      was_full[r] = was_full[r] || !has_room;
      if (r == 3 || !has_room) continue;
      ++counts[r]
            .try_emplace(entry.token, TokenAdjustment{entry.token, 0, 0, 0.0f})
            .first->second.output_count;
    }
    EXPECT_EQ(last[0], 7 + step);
    EXPECT_EQ(last[1], 7 + step - step / 3);
  }
  EXPECT_FALSE(was_full[0]);
  EXPECT_TRUE(was_full[2]);
  requests = device_requests.Read();
  adjustments = device_adjustments.Read();
  for (uint32_t r = 0; r < kRows; ++r) {
    ASSERT_EQ(requests[r].adjustment_count, counts[r].size());
    uint32_t at = r * kRoom;
    for (const auto& [id, entry] : counts[r]) {
      EXPECT_EQ(adjustments[at].id, id);
      EXPECT_EQ(adjustments[at].output_count, entry.output_count);
      EXPECT_EQ(adjustments[at].in_prompt, entry.in_prompt);
      EXPECT_EQ(adjustments[at++].bias, entry.bias);
    }
  }
  EXPECT_EQ(simt::cudaFreeHost(entries), simt::cudaSuccess);
  ExpectNoFindings();
}

TEST(CudaLogRows, TokensOfAnEngineAreTakenWhereTheMaskAllowsThem) {
  constexpr uint32_t kVocab = 300, kWords = 10;
  std::mt19937_64 random(2);
  std::vector<uint32_t> pool(3 * kWords);
  for (uint32_t& word : pool) word = static_cast<uint32_t>(random());
  for (uint32_t i = 0; i < 20; ++i) pool[2 * kWords - 10 + i] = 7 * i;  // a list
  std::vector<RowMask> masks(6);
  masks[0].slot = 0;
  masks[1] = {kNoSlot, 2 * kWords - 10, 20, 0, 0};
  masks[2] = {0, 0, 0, 3, 1};
  masks[3] = {kNoSlot, 0, 0, 2, 2};
  masks[4] = {};  // empty
  masks[5].slot = kOpenSlot;
  const std::vector<uint32_t> sent = {9, 50, 51, 299};
  const simt::DeviceArray<uint32_t> device_pool(pool), device_sent(sent);
  const simt::DeviceArray<RowMask> device_masks(masks);
  const BatchMasks batch = {device_masks.data(), device_pool.data(), device_sent.data(), kWords};
  for (int round = 0; round < 60; ++round) {
    std::vector<uint32_t> tokens;
    for (size_t r = 0; r < masks.size(); ++r) {
      tokens.push_back(static_cast<uint32_t>(random() % (kVocab + 20)));
      if (random() % 3 == 0) tokens.back() = sent[random() % sent.size()];
      if (random() % 8 == 0) tokens.back() = UINT32_MAX;
    }
    const simt::DeviceArray<uint32_t> device_tokens(tokens);
    const simt::DeviceArray<RowChoice> device_choices(masks.size());
    ASSERT_EQ(LaunchTakeTokens(batch, device_tokens.data(), static_cast<uint32_t>(masks.size()),
                               kVocab, device_choices.data(), nullptr),
              0);
    const std::vector<RowChoice> choices = device_choices.Read();
    for (size_t r = 0; r < masks.size(); ++r) {
      const bool allowed =
          tokens[r] < kVocab && IsAllowedIn(masks[r], pool.data(), kWords, sent.data(), tokens[r]);
      const SampleStatus want = allowed ? SampleStatus::kOk
                                : tokens[r] == UINT32_MAX || r == 4
                                    ? SampleStatus::kEmptyMask
                                    : SampleStatus::kInvalidArgument;
      EXPECT_EQ(choices[r].status, want) << r << " token " << tokens[r];
      EXPECT_EQ(choices[r].token, allowed ? tokens[r] : UINT32_MAX);
    }
  }
  ExpectNoFindings();
}

// As in all passes: a slot may have fewer bits than the vocabulary has tokens.
TEST(CudaLogRows, TokensBeyondTheRowsOfThePoolAreRefused) {
  constexpr uint32_t kWords = 10, kVocab = 400;
  const std::vector<uint32_t> pool(2 * kWords, 0xFFFFFFFF), sent = {350};
  const std::vector<RowMask> masks = {
      {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {1, 0, 0, 1, 0}, {kOpenSlot, 0, 0, 0, 0}};
  const std::vector<uint32_t> tokens = {319, 320, 350, 399};
  const simt::DeviceArray<uint32_t> device_pool(pool), device_sent(sent), device_tokens(tokens);
  const simt::DeviceArray<RowMask> device_masks(masks);
  const simt::DeviceArray<RowChoice> choices(4);
  const BatchMasks batch = {device_masks.data(), device_pool.data(), device_sent.data(), kWords};
  ASSERT_EQ(LaunchTakeTokens(batch, device_tokens.data(), 4, kVocab, choices.data(), nullptr), 0);
  const std::vector<RowChoice> made = choices.Read();
  for (size_t r = 0; r < masks.size(); ++r) {
    const bool is_allowed = r != 1;
    EXPECT_EQ(made[r].status, is_allowed ? SampleStatus::kOk : SampleStatus::kInvalidArgument) << r;
    EXPECT_EQ(IsAllowedIn(masks[r], pool.data(), kWords, sent.data(), tokens[r]), is_allowed) << r;
  }
  ExpectNoFindings();
}

}  // namespace
}  // namespace maskloom::kernels::cuda
