// Printed normal forms of whole schemas.
#include "tests/grammar/schema/schema_cases.h"

namespace maskloom {
namespace {

std::string Printed(const std::string& schema) {
  Result<Grammar> grammar = ParseJsonSchema(schema);
  if (!grammar.ok()) return grammar.status().ToString();
  std::string text = grammar->ToString();
  return text.substr(text.find('\n') + 1);  // without the line of the style
}

TEST(SchemaGolden, RecordWithBounds) {
  EXPECT_EQ(Printed(R"({"type":"object","properties":{
                "name":{"type":"string","minLength":1,"maxLength":40},
                "age":{"type":"integer","minimum":0},
                "tags":{"type":"array","items":{"enum":["a","b"]},"maxItems":3}},
                "required":["name"],"additionalProperties":false})"),
            R"(root = value_0
value_0 = object_0
value_1 = string_0  # /properties/name
value_2 = number_0  # /properties/age
value_3 = array_0  # /properties/tags
value_4 = string_1  # /properties/tags/items
string_0 = any text length 1..40
string_1 = automaton of 2 states
number_0 = integer >= 0
array_0 = [value_4...] items 0..3
object_0 = {"name": value_1, "age"?: value_2, "tags"?: value_3}
)");
}

TEST(SchemaGolden, RecursiveTree) {
  EXPECT_EQ(Printed(R"({"$ref":"#/$defs/tree","$defs":{"tree":{"anyOf":[{"type":"null"},
                {"type":"object","properties":{"left":{"$ref":"#/$defs/tree"},
                "right":{"$ref":"#/$defs/tree"},"value":{"exclusiveMinimum":0.5,"type":"number"}},
                "required":["left","right"],"additionalProperties":false}]}}})"),
            R"(root = value_0
value_0 = null | object_0
value_1 = number_0  # /$defs/tree/anyOf/1/properties/value
number_0 = number > 0.5
object_0 = {"left": value_0, "right": value_0, "value"?: value_1}
)");
}

TEST(SchemaGolden, ClassesOfOtherKeys) {
  EXPECT_EQ(Printed(R"({"type":"object","patternProperties":{"^x-":{"type":["string","null"]}},
                "properties":{"id":{"const":7}},"additionalProperties":{"type":"array",
                "prefixItems":[{"type":"boolean"}],"items":false},"minProperties":2})"),
            R"(root = value_0
value_0 = object_0
value_1 = number_0  # /properties/id
value_2 = array_0  # /additionalProperties
value_3 = null | string_0  # /patternProperties/^x-
value_4 = true | false  # /additionalProperties/prefixItems/0
string_0 = any text
number_0 = number one of {7}
array_0 = [value_4]
object_0 = {"id"?: value_1, other keys by automaton of 4 states: value_2 value_3} properties 2..*
)");
}

}  // namespace
}  // namespace maskloom
