#include "kernels/simt/fiber.h"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <memory>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SIMT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIMT_TSAN 1
#endif
#endif
#ifdef SIMT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SIMT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace simt {
namespace {

#if defined(SIMT_ASAN) || defined(SIMT_TSAN)
constexpr size_t kStackBytes = 256 << 10;  // the sanitizers' frames are large
#else
constexpr size_t kStackBytes = 64 << 10;
#endif

// A stack with a guard page whose bounds are kept, since AddressSanitizer asks for them.
struct Stack {
  const void** bottom;
  size_t* bytes;
  boost::context::protected_fixedsize_stack inner{kStackBytes};

  boost::context::stack_context allocate() {
    boost::context::stack_context made = inner.allocate();
    *bottom = static_cast<const char*>(made.sp) - made.size;
    *bytes = made.size;
    return made;
  }
  void deallocate(boost::context::stack_context& stack) { inner.deallocate(stack); }
};

// The three moments of a switch: before it, after it on the other side, and what TSan needs.
void BeforeSwitch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* to,
                  [[maybe_unused]] size_t bytes, [[maybe_unused]] void* tsan_fiber) {
#ifdef SIMT_ASAN
  __sanitizer_start_switch_fiber(fake_stack, to, bytes);
#endif
#ifdef SIMT_TSAN
  __tsan_switch_to_fiber(tsan_fiber, 0);
#endif
}

void AfterSwitch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** from,
                 [[maybe_unused]] size_t* bytes) {
#ifdef SIMT_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, from, bytes);
#endif
}

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  fiber_ = boost::context::fiber(
      std::allocator_arg, Stack{&own_stack_, &own_stack_bytes_},
      [this](boost::context::fiber&& caller) { return Run(std::move(caller)); });
#ifdef SIMT_TSAN
  own_tsan_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef SIMT_TSAN
  __tsan_destroy_fiber(own_tsan_);
#endif
}

boost::context::fiber Fiber::Run(boost::context::fiber&& caller) {
  AfterSwitch(nullptr, &caller_stack_, &caller_stack_bytes_);
  caller_ = std::move(caller);
  body_();
  has_returned_ = true;
  BeforeSwitch(nullptr, caller_stack_, caller_stack_bytes_, caller_tsan_);
  return std::move(caller_);
}

void Fiber::Resume() {
#ifdef SIMT_TSAN
  caller_tsan_ = __tsan_get_current_fiber();
#endif
  BeforeSwitch(&caller_fake_stack_, own_stack_, own_stack_bytes_, own_tsan_);
  fiber_ = std::move(fiber_).resume();
  AfterSwitch(caller_fake_stack_, nullptr, nullptr);
}

void Fiber::Suspend() {
  BeforeSwitch(&own_fake_stack_, caller_stack_, caller_stack_bytes_, caller_tsan_);
  caller_ = std::move(caller_).resume();
  AfterSwitch(own_fake_stack_, &caller_stack_, &caller_stack_bytes_);
}

}  // namespace simt
