// A schema with values that it must accept and values that it must not.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grammar/schema/json_schema.h"
#include "tests/grammar/schema/ir_checker.h"

namespace maskloom {

struct SchemaCase {
  std::string schema;
  std::vector<std::string> valid;
  std::vector<std::string> invalid;
};

// Expects that the schema compiles to a well-formed grammar of exactly these values.
inline void ExpectCase(const SchemaCase& c, const SchemaOptions& options = {}) {
  Result<Grammar> grammar = ParseJsonSchema(c.schema, options);
  ASSERT_TRUE(grammar.ok()) << c.schema << "\n" << grammar.status().ToString();
  EXPECT_EQ(grammar->Validate(), "") << c.schema;
  for (const std::string& instance : c.valid) {
    EXPECT_TRUE(SatisfiesIr(*grammar, instance)) << c.schema << "\n"
                                                 << instance << "\n"
                                                 << grammar->ToString();
  }
  for (const std::string& instance : c.invalid) {
    EXPECT_FALSE(SatisfiesIr(*grammar, instance)) << c.schema << "\n"
                                                  << instance << "\n"
                                                  << grammar->ToString();
  }
}

// Expects a refusal with this code and pointer; returns its message.
inline std::string ExpectRefusal(const std::string& schema, StatusCode code,
                                 const std::string& pointer) {
  Result<Grammar> grammar = ParseJsonSchema(schema);
  EXPECT_FALSE(grammar.ok()) << schema;
  if (grammar.ok()) return "";
  const Status& status = grammar.status();
  EXPECT_EQ(StatusCodeName(status.code()), std::string(StatusCodeName(code))) << schema << "\n"
                                                                              << status.ToString();
  EXPECT_EQ(status.pointer().value_or("none"), pointer) << schema << "\n" << status.ToString();
  return status.message();
}

}  // namespace maskloom
