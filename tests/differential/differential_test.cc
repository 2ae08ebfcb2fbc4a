// Random schemas and instances: the engine and jsonschema from PyPI agree. A few hundred schemas
// here, 10^5 pairs of schema and instance in the long suite.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/support/long_suite.h"

namespace maskloom {
namespace {

TEST(Differential, EngineAndJsonschemaAgree) {
  Shard shard = CurrentShard();
  size_t schemas = IsLongRun() ? 6000 : 200;
  std::string command = "python3 " MASKLOOM_SOURCE_ROOT
                        "/tests/differential/compare_with_jsonschema.py " MASKLOOM_DRIVER
                        " --schemas " +
                        std::to_string(schemas) + " --shard " + std::to_string(shard.index + 1) +
                        "/" + std::to_string(shard.count);
  if (!IsLongRun()) command += " --seconds 20";
  int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  constexpr int kNotInstalled = 77;
  if (WEXITSTATUS(status) == kNotInstalled) GTEST_SKIP() << "jsonschema cannot be installed";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace maskloom
