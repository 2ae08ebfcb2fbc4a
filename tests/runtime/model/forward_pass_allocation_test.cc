// Decoding in steady state allocates nothing; every allocation of the process is counted here.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "runtime/model/forward_pass.h"
#include "tests/runtime/model/tiny_llama.h"

namespace {
std::atomic<size_t> allocation_count{0};
}

[[gnu::noinline]] void* operator new(size_t size) {
  allocation_count.fetch_add(1);
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace maskloom {
namespace {

TEST(ForwardPassAllocation, SteadyDecodingAllocatesNothing) {
  for (uint32_t type : {0u, 3u}) {
    TinyLlama tiny;
    tiny.matrix_type = type;
    auto model = LoadTiny(&tiny);
    ASSERT_TRUE(model.ok());
    auto pass = ForwardPass::Create(*model, {.threads = 2});
    ASSERT_TRUE(pass.ok());
    auto cache = (*pass)->MakeCache();
    ASSERT_TRUE(cache.ok());
    const int32_t tokens[] = {5, 9, 11}, ids[] = {1, 2, 70};
    std::vector<float> logits(tiny.vocab);
    bool ok = (*pass)->Forward(tokens, cache->get()).ok();
    size_t before = allocation_count.load();
    for (int32_t token = 0; token < 70; ++token) {
      ok = ok && (*pass)->Forward({&token, 1}, cache->get()).ok();
      ok = ok && (*pass)->Logits(0, 1, logits.data()).ok();
      ok = ok && (*pass)->LogitsFor(0, ids, logits.data()).ok();
    }
    EXPECT_EQ(allocation_count.load(), before);
    EXPECT_TRUE(ok);
  }
}

}  // namespace
}  // namespace maskloom
