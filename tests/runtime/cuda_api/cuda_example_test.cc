// The example for engine authors runs to its end in the stand-in and prints texts of its schemas.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <sstream>
#include <string>

#include "tests/kernels/cuda/checks.h"

int RunTwoSchemas();

namespace {

void ExpectPerson(const rapidjson::Document& person) {
  ASSERT_TRUE(person.IsObject());
  ASSERT_EQ(person.MemberCount(), 2u);
  EXPECT_TRUE(person["name"].IsString());
  ASSERT_TRUE(person["age"].IsNumber());
  EXPECT_LE(person["age"].GetDouble(), 130);
}

TEST(CudaExample, WritesTextsOfBothSchemas) {
  testing::internal::CaptureStdout();
  ASSERT_EQ(RunTwoSchemas(), 0);
  std::istringstream lines(testing::internal::GetCapturedStdout());
  size_t row = 0;
  for (std::string line; std::getline(lines, line); ++row) {
    SCOPED_TRACE(line);
    ASSERT_EQ(line.substr(0, 2), std::to_string(row) + " ");
    rapidjson::Document text;
    ASSERT_FALSE(text.Parse(line.c_str() + 2).HasParseError());
    if (row % 2 == 0) {
      ASSERT_NO_FATAL_FAILURE(ExpectPerson(text));
    } else {
      ASSERT_TRUE(text.IsArray());
      EXPECT_GE(text.Size(), 2u);
      EXPECT_LE(text.Size(), 4u);
    }
  }
  EXPECT_EQ(row, 4u);
  maskloom::kernels::cuda::ExpectNoFindings();
}

}  // namespace
