// Notes of the report about what a schema says in vain, and the printed normal form.
#include "grammar/schema/explain.h"

#include "tests/grammar/schema/schema_cases.h"

namespace maskloom {
namespace {

// The notes, one a line.
std::string NotesOf(const std::string& schema) {
  SchemaReport report;
  SchemaOptions options;
  options.explain = true;
  Result<Grammar> grammar = ParseJsonSchema(schema, options, &report);
  if (!grammar.ok()) return grammar.status().ToString();
  std::string out;
  for (const SchemaNote& note : report.notes) out += note.pointer + ": " + note.text + "\n";
  return out;
}

std::string Explained(const std::string& schema) {
  SchemaReport report;
  SchemaOptions options;
  options.explain = true;
  Result<Grammar> grammar = ParseJsonSchema(schema, options, &report);
  return grammar.ok() ? ExplainGrammar(*grammar, report) : grammar.status().ToString();
}

TEST(SchemaNotes, NameOptionalPropertiesWithoutValue) {
  EXPECT_EQ(NotesOf(R"({"properties":{"a":{"type":"string","enum":[1]},"b":true}})"),
            "/properties/a: the key \"a\" never appears: nothing satisfies this schema\n");
  EXPECT_EQ(NotesOf(R"({"allOf":[{"properties":{"a":{"type":"string"}}},
                                 {"properties":{"a":{"type":"null"}}}]})"),
            "/allOf/0/properties/a: the key \"a\" never appears: nothing satisfies this schema "
            "together with \"/allOf/1/properties/a\"\n");
  EXPECT_EQ(NotesOf(R"({"allOf":[{"properties":{"a":true,"b":true}},
                        {"properties":{"a":true},"additionalProperties":false}]})"),
            "/allOf/0/properties/b: the key \"b\" never appears: \"/allOf/1\" excludes it\n");
  EXPECT_EQ(NotesOf(R"({"properties":{"a":false}})"), "");
  // In the first alternative alone it appears.
  EXPECT_EQ(NotesOf(R"({"anyOf":[{"properties":{"a":{"type":"string"}},"required":["x"]},
                        {"properties":{"a":{"type":"null"}},"required":["y"]}]})"),
            "");
}

TEST(SchemaNotes, NameWhatIsCalledLikeSomethingElse) {
  EXPECT_EQ(NotesOf(R"({"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"string"},
                                             "b":{"$anchor":"x","type":"number"}}})"),
            "/$defs/b/$anchor: the name \"x\" is already that of \"/$defs/a\", which references "
            "to it go to\n");
  EXPECT_EQ(NotesOf(R"({"$ref":"u:x","$defs":{"a":{"$id":"u:x"},"b":{"$id":"u:x"}}})"),
            "/$defs/b/$id: the URI \"u:x\" is already that of \"/$defs/a\", which references to "
            "it go to\n");
  EXPECT_EQ(NotesOf(R"({"$id":"u:y","$anchor":"x","$dynamicAnchor":"x",
                        "$defs":{"a":{"$id":"u:x","$anchor":"x"}}})"),
            "");
}

TEST(SchemaNotes, TellAnEnvelopeFromASchema) {
  const std::string note =
      ": no keyword of JSON Schema stands here, so that any value satisfies it; if this is an "
      "envelope, the schema is what is in it at \"/schema\"\n";
  EXPECT_EQ(NotesOf(R"({"name":"n","strict":true,"schema":{"type":"object"}})"), note);
  EXPECT_EQ(NotesOf(R"({"name":"n","description":"d","schema":{}})"), note);
  EXPECT_EQ(NotesOf(R"({"name":"n","schema":"s"})"), "");
  EXPECT_EQ(NotesOf(R"({"type":"object","schema":{}})"), "");
  EXPECT_EQ(NotesOf(R"({"$defs":{},"schema":{}})"), "");
  EXPECT_EQ(NotesOf(R"({"properties":{"schema":{"schema":{}}}})"), "");
}

TEST(SchemaNotes, NameBranchesThatAreLeftOut) {
  EXPECT_EQ(NotesOf(R"({"anyOf":[{"type":"string","const":1},{"type":"null"}]})"),
            "/anyOf/0: nothing satisfies this branch; it is left out\n");
  EXPECT_EQ(NotesOf(R"({"type":["string","null"],"oneOf":[{"const":"a"},{"const":1}]})"),
            "/oneOf/1: contradicts what stands beside `oneOf`; this branch is left out\n");
  EXPECT_EQ(NotesOf(R"({"anyOf":[{"type":"string"},{"type":"null"}]})"), "");
}

TEST(SchemaNotes, NameWhatHasNoFiniteText) {
  EXPECT_EQ(NotesOf(R"({"anyOf":[{"type":"null"},{"$ref":"#/$defs/endless"}],
                        "$defs":{"endless":{"type":"array","minItems":1,
                        "items":{"$ref":"#/$defs/endless"}}}})"),
            ": no finite array or object satisfies this schema\n"
            "/$defs/endless/items: no finite array or object satisfies this schema\n");
}

TEST(SchemaNotes, UnsatisfiableSchemasNameWhatContradicts) {
  std::string message = ExpectRefusal(R"({"type":"object","required":["a"],"allOf":[
      {"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"null"}}}]})",
                                      StatusCode::kUnsatisfiable, "/allOf/0/properties/a");
  EXPECT_NE(message.find("/allOf/1/properties/a"), std::string::npos) << message;
  message = ExpectRefusal(R"({"type":"array","minItems":1,"items":{"$ref":"#"}})",
                          StatusCode::kUnsatisfiable, "");
  EXPECT_NE(message.find("no finite array"), std::string::npos) << message;
}

TEST(Explain, WritesObjectsArraysAndScalars) {
  EXPECT_EQ(Explained(R"({"type":"object","properties":{
      "id":{"type":"integer","minimum":1,"multipleOf":5},
      "note":{"type":["string","null"],"maxLength":80},
      "when":{"type":"string","format":"date"},
      "code":{"type":"string","pattern":"^[A-Z]+$","minLength":2},
      "items":{"type":"array","items":{"enum":["a","b"]},"maxItems":3,"uniqueItems":true},
      "pair":{"type":"array","prefixItems":[{"type":"boolean"},{}],"items":false}},
      "required":["id"],"additionalProperties":false,"minProperties":2})"),
            R"(/  (the root)
  object, members at least 2
    "id"  required  integer >= 1, multiple of 5
    "note"  optional  null, or string, length at most 80
    "when"  optional  string of format date
    "code"  optional  string of pattern ^[A-Z]+$, length at least 2
    "items"  optional  see /properties/items
    "pair"  optional  see /properties/pair
    other keys  none

/properties/items
  array, items at most 3, no two equal
    items  "a" | "b"

/properties/pair
  array
    item 0  boolean
    item 1  any value
    further items  none
)");
}

TEST(Explain, SaysInWordsWhatIsCounted) {
  const std::string text = Explained(R"({"type":"object","properties":{"a":true,"b":true},
      "additionalProperties":false,"dependentRequired":{"a":["b"]}})");
  EXPECT_NE(text.find(R"(where "b" is there, or "a" is not there)"), std::string::npos) << text;
  const std::string array = Explained(R"({"type":"array","items":{"type":["integer","string"]},
      "contains":{"type":"integer"},"minContains":2})");
  EXPECT_NE(array.find("as integer: counts #1"), std::string::npos) << array;
  EXPECT_NE(array.find("where at least 2 of #1"), std::string::npos) << array;
}

// Where the key is there nothing is counted for its alternative, nor read in several ways.
TEST(Explain, DividesAlternativesThatAnOptionalKeyTellsApart) {
  std::string branches;
  for (const char name : std::string("abcde")) {
    branches += branches.empty() ? R"({"type":"object","oneOf":[)" : ",";
    branches += std::string(R"({"properties":{"kind":{"const":")") + name +
                R"("},"options":{"type":"object","properties":{")" + name +
                R"(":{"type":"string"}},"additionalProperties":false}}})";
  }
  const std::string text = Explained(branches + "]}");
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i);
    const std::string options = "see /oneOf/" + number + "/properties/options";
    const std::string object = std::string("    \"kind\"  required  \"") + "abcde"[i] +
                               "\"\n    \"options\"  optional  " + options +
                               "\n    other keys  any value\n";
    EXPECT_NE(text.find(object), std::string::npos) << text;
  }
}

TEST(Explain, NamesClassesOfKeysByAShortOne) {
  const std::string text = Explained(R"({"type":"object","patternProperties":
      {"^x-":{"type":"null"}},"additionalProperties":{"type":"boolean"}})");
  EXPECT_NE(text.find(R"(other keys such as "x-"  null)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(other keys such as ""  boolean)"), std::string::npos) << text;
}

TEST(Explain, EndsWithTheNotes) {
  const std::string text = Explained(R"({"type":"object","properties":{"a":{"enum":[]}},
      "additionalProperties":false})");
  EXPECT_NE(text.find("\nnotes\n  /properties/a: the key \"a\" never appears"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace maskloom
