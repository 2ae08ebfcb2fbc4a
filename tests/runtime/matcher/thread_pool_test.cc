// The pool covers every index once, whatever the counts, and survives idle times.
#include "runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>

namespace maskloom {
namespace {

TEST(ThreadPool, CoversEveryIndexOnce) {
  for (size_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (size_t count : {0, 1, 7, 64, 1000}) {
      for (size_t chunk : {1, 3, 64}) {
        std::vector<std::atomic<int>> seen(count);
        std::atomic<bool> sane{true};
        pool.ParallelFor(count, chunk, [&](size_t begin, size_t end, size_t worker) {
          if (begin >= end || end - begin > chunk || worker >= threads) sane = false;
          for (size_t i = begin; i < end; ++i) seen[i].fetch_add(1);
        });
        EXPECT_TRUE(sane);
        for (size_t i = 0; i < count; ++i) ASSERT_EQ(seen[i].load(), 1) << count << " " << i;
      }
    }
  }
}

TEST(ThreadPool, RunsManyShortLoops) {
  ThreadPool pool(3);
  size_t total = 0;
  for (int loop = 0; loop < 20000; ++loop) {
    size_t sums[3] = {};
    pool.ParallelFor(8, 1,
                     [&](size_t begin, size_t end, size_t worker) { sums[worker] += end - begin; });
    total += sums[0] + sums[1] + sums[2];
  }
  EXPECT_EQ(total, 160000u);
}

TEST(ThreadPool, WakesAfterIdling) {
  ThreadPool pool(2);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<size_t> sum{0};
    pool.ParallelFor(100, 1, [&](size_t begin, size_t end, size_t) { sum += end - begin; });
    EXPECT_EQ(sum.load(), 100u);
  }
}

TEST(ThreadPool, StopsWithoutEverRunning) {
  for (int i = 0; i < 20; ++i) ThreadPool pool(4);
}

}  // namespace
}  // namespace maskloom
