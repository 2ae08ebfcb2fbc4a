// Schemas with values that they must accept and values that they must not: `cases/*.json`. Those
// marked `unsatisfiable` must be refused as such.
#include <gtest/gtest.h>

#include "tests/grammar/schema/semantics/semantic_check.h"
#include "tests/suites/data_folder.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

using judge::JsonTree;
using judge::ToJsonText;
using judge::Verdict;

void CheckCase(const JsonTree& one) {
  const std::string schema = ToJsonText(*one.Find(U"schema"));
  SCOPED_TRACE(schema);
  const NormalisedSchema normal(schema, true);
  ASSERT_TRUE(normal.IsRead()) << normal.status().ToString();
  EXPECT_EQ(normal.Fault(), "");
  if (one.Find(U"unsatisfiable") != nullptr) {
    EXPECT_EQ(normal.status().code(), StatusCode::kUnsatisfiable) << normal.ToString();
  }
  judge::PlainOptions options;
  options.assert_formats = true;
  auto validator = judge::PlainValidator::Create(schema, options);
  ASSERT_TRUE(validator.ok());
  for (const bool valid : {true, false}) {
    for (const JsonTree& value : one.Find(valid ? U"valid" : U"invalid")->items) {
      const std::string text = ToJsonText(value);
      EXPECT_EQ(normal.Accepts(text), valid) << text << "\n" << normal.ToString();
      // The table itself may be wrong; the format `int32` the validator does not know.
      EXPECT_NE((*validator)->Validate(value), valid ? Verdict::kInvalid : Verdict::kValid) << text;
    }
  }
}

TEST(SchemaSemantics, EveryCaseOfTheTableIsJudgedAsItSays) {
  size_t count = 0;
  const std::string folder = MASKLOOM_SOURCE_ROOT "/tests/grammar/schema/semantics/cases";
  for (const auto& path : suites::JsonFilesBelow(folder)) {
    SCOPED_TRACE(path.filename().string());
    auto cases = judge::ParseJsonTree(*ReadWholeFile(path.string()));
    ASSERT_TRUE(cases.ok()) << cases.status().ToString();
    for (const JsonTree& one : cases->items) CheckCase(one);
    count += cases->items.size();
  }
  EXPECT_GT(count, 250u);
}

}  // namespace
}  // namespace maskloom
