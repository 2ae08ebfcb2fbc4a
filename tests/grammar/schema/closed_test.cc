// SchemaOptions::closed: objects and arrays hold what their schema speaks of, unless it opens them.
#include "tests/grammar/schema/schema_cases.h"

namespace maskloom {
namespace {

void ExpectClosed(const SchemaCase& c) {
  SchemaOptions options;
  options.closed = true;
  ExpectCase(c, options);
}

TEST(ClosedSchemas, HoldOnlyDescribedMembersAtEveryLevel) {
  ExpectClosed(
      {R"({"properties":{"a":{"properties":{"b":true}},"list":{"items":
                    {"properties":{"x":{"type":"integer"}}}}}})",
       {R"({})", R"({"a":{}})", R"({"a":{"b":{"any":1}}})", R"({"list":[{"x":1},{}]})", "1"},
       {R"({"z":1})", R"({"a":{"c":1}})", R"({"list":[{"y":1}]})"}});
  ExpectClosed({R"({"patternProperties":{"^x-":true},"required":["x-a"]})",
                {R"({"x-a":1,"x-b":2})"},
                {R"({"x-a":1,"y":2})", "{}"}});
}

TEST(ClosedSchemas, HoldOnlyDescribedItems) {
  ExpectClosed({R"({"prefixItems":[{"type":"integer"},{"type":"null"}]})",
                {"[]", "[1]", "[1,null]", "{}"},
                {"[1,null,2]", "[null]"}});
  ExpectClosed({R"({"prefixItems":[{"type":"integer"}],"contains":{"type":"string"}})",
                {R"([1,"a"])", R"([1,"a","b"])"},
                {R"([1,"a",2])", "[1]"}});
}

TEST(ClosedSchemas, StayOpenWhereTheSchemaOpensThem) {
  ExpectClosed({R"({"properties":{"a":true},"additionalProperties":{"type":"integer"}})",
                {R"({"a":"x","z":1})"},
                {R"({"z":"x"})"}});
  ExpectClosed({R"({"properties":{"a":true},"unevaluatedProperties":true})", {R"({"z":1})"}, {}});
  ExpectClosed({R"({"allOf":[{"properties":{"a":true}},{"additionalProperties":true}]})",
                {R"({"z":1})"},
                {}});
  ExpectClosed({R"({"prefixItems":[{"type":"integer"}],"items":{"type":"string"}})",
                {R"([1,"x","y"])"},
                {"[1,2]"}});
}

TEST(ClosedSchemas, StayOpenWhereNothingIsDescribed) {
  ExpectClosed({R"({"type":"object"})", {R"({"a":{"b":[1,2]}})", "{}"}, {"1"}});
  ExpectClosed({R"({"required":["a"],"minProperties":2})", {R"({"a":1,"b":2})"}, {R"({"a":1})"}});
  ExpectClosed({R"({"type":"array"})", {"[1,2,3]"}, {}});
  ExpectClosed({R"({"type":"array","contains":{"type":"integer"}})", {R"([1,"x"])"}, {"[]"}});
}

TEST(ClosedSchemas, ComposeInPlace) {
  ExpectClosed({R"({"allOf":[{"$ref":"#/$defs/named"},{"properties":{"b":true}}],
                    "$defs":{"named":{"properties":{"a":true},"required":["a"]}}})",
                {R"({"a":1,"b":2})", R"({"a":1})"},
                {R"({"a":1,"c":2})", R"({"b":2})"}});
  ExpectClosed({R"({"properties":{"kind":{"enum":["a","b"]}},"required":["kind"],
                    "if":{"properties":{"kind":{"const":"a"}}},
                    "then":{"properties":{"x":true}},"else":{"properties":{"y":true}}})",
                {R"({"kind":"a","x":1})", R"({"kind":"b","y":1})", R"({"kind":"b"})"},
                {R"({"kind":"a","y":1})", R"({"kind":"b","x":1})"}});
  ExpectClosed({R"({"oneOf":[{"properties":{"a":{"const":1}},"required":["a"]},
                             {"properties":{"b":true},"required":["b"]}]})",
                {R"({"a":1})", R"({"b":1})"},
                {R"({"a":1,"c":2})", R"({"a":1,"b":2})"}});
  // A reference to the same schema as a value, too: a tree.
  ExpectClosed({R"({"properties":{"left":{"$ref":"#"},"value":{"type":"integer"}}})",
                {R"({"left":{"left":{},"value":1}})"},
                {R"({"left":{"left":{"x":1}}})"}});
}

TEST(ClosedSchemas, LeaveTestsAsTheyStand) {
  // The condition is met by an address with more members than it names.
  ExpectClosed({R"({"properties":{"to":{"properties":{"land":true,"zip":true}},"tax":true},
                    "if":{"properties":{"to":{"properties":{"land":{"const":"US"}},
                                              "required":["land"]}},"required":["to"]},
                    "then":{"required":["tax"]}})",
                {R"({"to":{"land":"US","zip":1},"tax":1})", R"({"to":{"land":"DE","zip":1}})"},
                {R"({"to":{"land":"US","zip":1}})", R"({"to":{"street":1}})"}});
  ExpectClosed({R"({"properties":{"a":true},"not":{"properties":{"a":{"properties":
                    {"b":{"const":1}},"required":["b"]}},"required":["a"]}})",
                {R"({"a":{"b":2,"c":3}})", R"({})"},
                {R"({"a":{"b":1,"c":3}})"}});
}

TEST(ClosedSchemas, CountItemsOfAPrefixAlone) {
  // The further items are gone, and with them what was counted of them.
  ExpectClosed({R"({"type":"array","prefixItems":[{"type":["integer","string"]},{"type":"null"}],
                    "contains":{"type":"integer"},"maxContains":1})",
                {"[1]", "[1,null]"},
                {R"(["x"])", "[]", R"(["x",null])"}});
  ExpectCase({R"({"type":"array","prefixItems":[{"type":["integer","string"]}],
                  "contains":{"type":"integer"},"maxItems":1})",
              {"[1]"},
              {R"(["x"])", "[]"}});
}

TEST(ClosedSchemas, RefuseNamesThatCannotAppear) {
  SchemaOptions options;
  options.closed = true;
  Result<Grammar> grammar =
      ParseJsonSchema(R"({"type":"object","properties":{"a":true},"required":["b"]})", options);
  ASSERT_FALSE(grammar.ok());
  EXPECT_EQ(grammar.status().code(), StatusCode::kUnsatisfiable);
  EXPECT_TRUE(grammar.status().pointer().has_value());
}

}  // namespace
}  // namespace maskloom
