// The backend that MASKLOOM_KERNELS names is the one that runs. The choice is made once a process,
// so each case looks at it in a child of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/kernels.h"
#include "kernels/sampling/row_ops.h"

namespace maskloom::kernels {
namespace {

const char* BackendName() {
  const Backend* backend = ActiveBackend();
  return backend != nullptr ? backend->name : "none";
}

const char* RowOpsName() { return DefaultRowOps().name; }

// Returns what `choice` names in a process with the variable set; "failed" when the child could not
// tell.
std::string ChosenWith(const char* variable, const char* (*choice)() = BackendName) {
  int ends[2];
  if (::pipe(ends) != 0) return "failed";
  pid_t child = ::fork();
  if (child == 0) {
    if (variable != nullptr) {
      ::setenv("MASKLOOM_KERNELS", variable, 1);
    } else {
      ::unsetenv("MASKLOOM_KERNELS");
    }
    const char* name = choice();
    ssize_t written = ::write(ends[1], name, std::strlen(name));
    ::_exit(written > 0 ? 0 : 1);
  }
  ::close(ends[1]);
  char buffer[64] = {};
  ssize_t length = child > 0 ? ::read(ends[0], buffer, sizeof(buffer) - 1) : 0;
  ::close(ends[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return length > 0 ? std::string(buffer) : "failed";
}

TEST(BackendChoice, ForcedNameTakesEffect) {
  for (const char* name : {"reference", "avx2", "avx512"}) {
    EXPECT_EQ(ChosenWith(name), FindBackend(name) != nullptr ? name : "none");
  }
}

TEST(BackendChoice, ForcedNameTakesEffectInTheSampler) {
  EXPECT_EQ(ChosenWith("reference", RowOpsName), "plain");
  for (const char* name : {"avx2", "avx512"}) {
    const char* chosen = FindRowOps(name) != nullptr ? name : RowOpsName();
    EXPECT_EQ(ChosenWith(name, RowOpsName), chosen);
  }
  EXPECT_EQ(ChosenWith(nullptr, RowOpsName), ChosenWith("", RowOpsName));
}

TEST(BackendChoice, UnknownNameChoosesNothing) {
  EXPECT_EQ(ChosenWith("sse9"), "none");
  EXPECT_EQ(FindBackend("sse9"), nullptr);
}

TEST(BackendChoice, WidestIsChosenWithoutAName) {
  std::string available = AvailableBackends();
  EXPECT_EQ(ChosenWith(nullptr), available.substr(0, available.find(',')));
  EXPECT_EQ(ChosenWith(""), available.substr(0, available.find(',')));
}

}  // namespace
}  // namespace maskloom::kernels
