// Each keyword alone and joined with its neighbours: accept lists and reject lists.
#include "tests/grammar/schema/schema_cases.h"

namespace maskloom {
namespace {

void ExpectCases(const std::vector<SchemaCase>& cases) {
  for (const SchemaCase& c : cases) ExpectCase(c);
}

TEST(JsonSchema, AcceptsEverythingUnderTrue) {
  ExpectCases({{"true", {"null", "1", "[]", R"({"a":[{}]})"}, {}},
               {"{}", {"null", "1", "[]", R"({"a":[{}]})"}, {}}});
}

TEST(JsonSchema, EnforcesTypes) {
  ExpectCases({
      {R"({"type":"integer"})", {"1", "1.0", "1e2", "-0"}, {"1.5", "\"1\"", "null", "true"}},
      {R"({"type":["null","string"]})", {"null", "\"\""}, {"1", "[]", "{}", "false"}},
      {R"({"type":["integer","number"]})", {"1.5"}, {"null"}},
      {R"({"type":"boolean"})", {"true", "false"}, {"null", "0"}},
  });
}

TEST(JsonSchema, ComparesConstantsByValue) {
  ExpectCases({
      {R"({"const":1.0})", {"1", "1.00", "10e-1"}, {"true", "\"1\"", "2"}},
      {R"({"const":{"a":[1,{}],"b":null}})",
       {R"({"b":null,"a":[1.0,{}]})"},
       {R"({"a":[1,{}]})", R"({"a":[1,{}],"b":null,"c":1})", R"({"a":[1],"b":null})",
        R"({"a":[1,{},1],"b":null})"}},
      {R"({"enum":["x",1,null,[1,2],{"k":true}]})",
       {"\"x\"", "1", "null", "[1,2]", R"({"k":true})"},
       {"\"y\"", "2", "[2,1]", "[1]", R"({"k":false})", "{}", "true"}},
      {R"({"const":false})", {"false"}, {"0", "true", "null"}},
  });
}

TEST(JsonSchema, FiltersConstantsByTheirSiblings) {
  ExpectCases({
      {R"({"enum":["a","bb","ccc",1,5],"minLength":2,"maximum":2})",
       {"\"bb\"", "\"ccc\"", "1"},
       {"\"a\"", "5"}},
      {R"({"enum":[{"a":1},{"a":5}],"properties":{"a":{"minimum":3}}})",
       {R"({"a":5})"},
       {R"({"a":1})"}},
      {R"({"enum":[[1],[2,3],[]],"minItems":1,"items":{"enum":[1,2]}})", {"[1]"}, {"[2,3]", "[]"}},
      {R"({"allOf":[{"enum":[1,2,3]},{"enum":[2,3,4]}],"not_a_keyword":1})",
       {"2", "3"},
       {"1", "4"}},
      {R"({"const":"b","pattern":"^[ab]$"})", {"\"b\""}, {"\"a\""}},
  });
}

TEST(JsonSchema, CountsLengthsInCodePoints) {
  ExpectCases({
      {R"({"minLength":2,"maxLength":3.0})",
       {"\"ab\"", "\"\\ud83d\\ude00\\ud83d\\ude00\"", "7", "null"},
       {"\"a\"", "\"abcd\"", "\"\\ud83d\\ude00\""}},
  });
}

TEST(JsonSchema, SearchesPatternsInDecodedText) {
  ExpectCases({
      {R"({"pattern":"b+"})", {"\"abc\"", "\"\\u0062\"", "1"}, {"\"ac\"", "\"\""}},
      {R"({"type":"string","pattern":"^a","minLength":3,"allOf":[{"pattern":"z$"}]})",
       {"\"abz\"", "\"azz\""},
       {"\"az\"", "\"abc\"", "1"}},
      {R"({"pattern":"^x[ab]{2,20}y$","patternProperties":{"^x[ab]{2,20}y$":{"type":"null"}}})",
       {"\"xaby\"", "\"xbbbbbbbbbbbbbbbbbbbby\"", R"({"xaay":null,"xay":1})"},
       {"\"xay\"", "\"xbbbbbbbbbbbbbbbbbbbbby\"", "\"abab\"", R"({"xaay":1})"}},
      {R"({"allOf":[{"pattern":"^[ab]{2,20}$"},{"pattern":"^[bc]{1,17}$"},{"minLength":3}]})",
       {"\"bbb\"", "\"bbbbbbbbbbbbbbbbb\""},
       {"\"bb\"", "\"abb\"", "\"bbbbbbbbbbbbbbbbbb\""}},
      {R"({"pattern":""})", {"\"\"", "\"x\""}, {}},
  });
}

TEST(JsonSchema, EnforcesBoundsExactly) {
  ExpectCases({
      {R"({"minimum":0.1,"maximum":1e3})",
       {"0.1", "1000", "1e3", "\"x\""},
       {"0.09999999999999999999", "1000.0000000000000000001"}},
      {R"({"exclusiveMinimum":1,"exclusiveMaximum":2})", {"1.5"}, {"1", "2", "1.0", "20e-1"}},
      {R"({"minimum":1,"exclusiveMinimum":1})", {"1.1"}, {"1"}},
      {R"({"minimum":5,"allOf":[{"minimum":3},{"maximum":9}]})", {"5", "9"}, {"4", "10"}},
      {R"({"minimum":3,"maximum":3})", {"3", "3.0"}, {"2", "4"}},
      {R"({"minimum":1,"minimum":-5})", {"-5"}, {"-6"}},
  });
}

TEST(JsonSchema, ReadsTheFormsOfOldDrafts) {
  ExpectCases({
      {R"({"$schema":"http://json-schema.org/draft-04/schema#",
           "minimum":1,"exclusiveMinimum":true,"maximum":3,"exclusiveMaximum":false})",
       {"1.1", "3", "\"x\""},
       {"1", "1.0", "3.1"}},
      {R"({"$schema":"http://json-schema.org/draft-04/schema#","exclusiveMaximum":true,
           "maximum":3,"allOf":[{"maximum":3}]})",
       {"2.9"},
       {"3", "30e-1"}},
      {R"({"$schema":"http://json-schema.org/draft-07/schema#",
           "items":[{"type":"integer"},{"type":"string"}],"minItems":1})",
       {"[1]", "[1,\"a\"]", "[1,\"a\",null]", "{}"},
       {"[]", "[\"a\"]", "[1,2]"}},
  });
}

TEST(JsonSchema, ComparesNumbersBeyondTheRangeOfDouble) {
  ExpectCases({
      {R"({"type":"number","minimum":1e400})", {"1e400", "1e401"}, {"1", "9e399"}},
      {R"({"minimum":-1E+400,"exclusiveMaximum":1e-400})", {"0", "-1e400"}, {"1e-400", "-1.1e400"}},
      {R"({"const":1)" + std::string(400, '0') + R"(})", {"1e400"}, {"1e401", "1e399", "1"}},
  });
}

TEST(JsonSchema, JoinsItemsByPosition) {
  ExpectCases({
      {R"({"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"null"}})",
       {"[]", "[1]", "[1,\"a\"]", "[1,\"a\",null,null]", "{}"},
       {"[\"a\"]", "[1,2]", "[1,\"a\",1]"}},
      {R"({"items":{"minimum":1},"allOf":[{"prefixItems":[{"maximum":5}]}]})",
       {"[5,9]", "[]"},
       {"[6]", "[1,0]"}},
      {R"({"prefixItems":[true,false]})", {"[]", "[1]"}, {"[1,2]"}},
      {R"({"items":false})", {"[]"}, {"[1]"}},
      {R"({"type":"array","minItems":1,"maxItems":2.0})", {"[1]", "[1,2]"}, {"[]", "[1,2,3]"}},
      {R"({"prefixItems":[{"type":"integer"}],"items":false,"minItems":1})",
       {"[1]"},
       {"[]", "[1,1]"}},
  });
}

TEST(JsonSchema, JoinsMembersByKeyClass) {
  ExpectCases({
      {R"({"properties":{"ab":{"minimum":1}},"patternProperties":{"^a":{"maximum":9},
           "b$":{"type":"integer"}},"additionalProperties":{"type":"string"}})",
       {R"({"ab":5})", R"({"ax":"s","b":7})", R"({"a":8.5})", R"({"c":"t"})", R"({"axb":3})"},
       {R"({"ab":0})", R"({"ab":10})", R"({"ab":1.5})", R"({"b":1.5})", R"({"c":1})",
        R"({"axb":"s"})", R"({"axb":9.5})"}},
      {R"({"properties":{"a":{}},"additionalProperties":false})",
       {"{}", R"({"a":1})"},
       {R"({"b":1})"}},
      {R"({"allOf":[{"properties":{"a":{}},"additionalProperties":false},
           {"properties":{"b":{}}}]})",
       {R"({"a":1})", "{}"},
       {R"({"b":1})", R"({"a":1,"b":1})"}},
      {R"({"allOf":[{"properties":{"a":{}},"additionalProperties":{"type":"null"}},
           {"properties":{"b":{"type":["null","string"]}},"additionalProperties":{"type":"integer"}}]})",
       {R"({"a":1})", R"({"b":null})", "{}"},
       {R"({"a":"x"})", R"({"b":"s"})", R"({"c":null})", R"({"c":1})"}},
      {R"({"patternProperties":{"^(x|y)$":{"type":"integer"}},"additionalProperties":false,
           "minProperties":2})",
       {R"({"x":1,"y":2})"},
       {R"({"x":1})", R"({"x":1,"z":2})", R"({"x":1,"y":"s"})"}},
      {R"({"patternProperties":{"^x":false}})", {R"({"y":1})"}, {R"({"xa":1})"}},
      {R"({"properties":{"a":false}})", {R"({"b":1})", "{}"}, {R"({"a":1})"}},
      {R"({"properties":{"a":{"type":"null"},"a":{"type":"integer"}}})",
       {R"({"a":1})"},
       {R"({"a":null})"}},
  });
}

TEST(JsonSchema, RequiresNamesThatNoPropertyDeclares) {
  ExpectCases({
      {R"({"required":["k","k"],"additionalProperties":{"type":"integer"}})",
       {R"({"k":1})", R"({"k":1,"l":2})", "[]"},
       {"{}", R"({"k":"s"})", R"({"l":1})"}},
      {R"({"required":["a"],"minProperties":2,"maxProperties":2})",
       {R"({"a":1,"b":2})"},
       {R"({"a":1})", R"({"b":1,"c":2})", R"({"a":1,"b":2,"c":3})"}},
  });
}

TEST(JsonSchema, UnitesBranches) {
  ExpectCases({
      {R"({"anyOf":[{"type":"string","maxLength":1},{"const":"long"},{"minimum":5,"type":"number"}]})",
       {"\"a\"", "\"long\"", "5"},
       {"\"ab\"", "4", "null"}},
      {R"({"properties":{"k":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]})",
       {R"({"a":1})", R"({"b":1})", R"({"a":1,"b":1})", "3"},
       {"{}", R"({"k":1})"}},
      {R"({"anyOf":[{"type":"integer"},{"minimum":2}],"allOf":[{"anyOf":[{"maximum":1},{"const":7.5}]}]})",
       {"1", "0", "7.5"},
       {"1.5", "2"}},
      {R"({"anyOf":[true,{"type":"string"}]})", {"1", "\"s\"", "{}"}, {}},
  });
}

TEST(JsonSchema, ClosesRecursion) {
  ExpectCases({
      {R"({"type":"object","properties":{"next":{"$ref":"#"},"v":{"type":"integer"}},
           "additionalProperties":false})",
       {"{}", R"({"next":{"next":{"v":1}}})"},
       {R"({"next":1})", R"({"next":{"next":{"v":"s"}}})"}},
      {R"({"$defs":{"t":{"properties":{"c":{"items":{"$ref":"#/$defs/t"}}}}},
           "$ref":"#/$defs/t","type":"object","allOf":[{"properties":{"c":{"maxItems":1}}}]})",
       {R"({"c":[{"c":[{},{}]}]})"},
       {R"({"c":[{},{}]})", R"({"c":[{"c":1,"c":[{"c":[{"c":3,"c":{"x":1}}]}]}],"c":[1,2]})"}},
      {R"({"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"string"}]},
           "b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}},"items":{"$ref":"#/$defs/b"}})",
       {"[null,\"s\"]"},
       {"[1]"}},
      {R"({"properties":{"p":{"$ref":"#/$defs/endless"}},"$defs":{"endless":{"type":"object",
           "required":["x"],"properties":{"x":{"$ref":"#/$defs/endless"}}}}})",
       {"{}", R"({"q":1})"},
       {R"({"p":{}})", R"({"p":{"x":{}}})"}},
  });
}

}  // namespace
}  // namespace maskloom
