// When what was taken out of a shared table may be freed.
#include "compiler/read_epochs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace maskloom {
namespace {

TEST(ReadEpochs, WhatNobodyReadsMayBeFreedAtOnce) {
  const uint64_t ticket = DrawReadTicket();
  EXPECT_GE(LastUnreadTicket(), ticket);
}

TEST(ReadEpochs, ReadersThatBeganBeforeHoldBackUntilTheLastOfTheirGuardsEnds) {
  uint64_t before = 0, during = 0;
  {
    const ReadGuard outer;
    before = DrawReadTicket();
    {
      const ReadGuard inner;
      during = DrawReadTicket();
    }
    EXPECT_LT(LastUnreadTicket(), before);
    EXPECT_LT(LastUnreadTicket(), during);
  }
  EXPECT_GE(LastUnreadTicket(), during);
}

TEST(ReadEpochs, ReadersOfOtherThreadsCountAndThoseThatBeginLaterDoNot) {
  std::atomic<int> stage{0};
  std::thread reader([&] {
    const ReadGuard guard;
    stage.store(1);
    stage.notify_one();
    stage.wait(1);
  });
  stage.wait(0);
  const uint64_t ticket = DrawReadTicket();
  EXPECT_LT(LastUnreadTicket(), ticket);
  stage.store(2);
  stage.notify_one();
  reader.join();
  const ReadGuard later;
  EXPECT_GE(LastUnreadTicket(), ticket);
}

}  // namespace
}  // namespace maskloom
