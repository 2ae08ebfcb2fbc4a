// One thread of a kernel as a fiber: a body that can stop in the middle and be gone on with.
//
// Fibers are Boost.Context's; the sanitizers are told of every switch. A fiber is resumed by the OS
// thread that made it.
#pragma once

#include <boost/context/fiber.hpp>
#include <functional>

namespace simt {

// Runs `body` on a stack of its own. Invariant: between calls of Resume() the body stands in
// Suspend() or has returned.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  // Requires: the body has returned.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Goes on with the body until it suspends or returns.
  void Resume();
  // Called in the body: goes back to who resumed it.
  void Suspend();
  bool has_returned() const { return has_returned_; }

 private:
  boost::context::fiber Run(boost::context::fiber&& caller);

  std::function<void()> body_;
  boost::context::fiber fiber_;   // the body where it stands; empty while it runs
  boost::context::fiber caller_;  // who resumed it; empty while it does not run
  bool has_returned_ = false;

  // What the sanitizers must be told.
  void* caller_fake_stack_ = nullptr;
  void* own_fake_stack_ = nullptr;
  const void* caller_stack_ = nullptr;
  size_t caller_stack_bytes_ = 0;
  const void* own_stack_ = nullptr;
  size_t own_stack_bytes_ = 0;
  void* own_tsan_ = nullptr;
  void* caller_tsan_ = nullptr;
};

}  // namespace simt
