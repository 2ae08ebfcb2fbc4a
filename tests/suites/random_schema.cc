// Draws keywords and their values.
#include "tests/suites/random_schema.h"

#include <initializer_list>

namespace maskloom::suites {
namespace {

class Writer {
 public:
  explicit Writer(std::mt19937_64* random) : random_(*random) {}

  std::string Root() {
    std::string schema = Object(3);
    if (schema == "{}") return R"({"$defs":{"x":true}})";
    return schema.substr(0, schema.size() - 1) + ",\"$defs\":{\"x\":" + Schema(2) +
           ",\"y\":" + Object(1) + "}}";
  }

 private:
  size_t Below(size_t count) { return random_() % count; }
  bool OneIn(size_t count) { return Below(count) == 0; }
  std::string Pick(std::initializer_list<const char*> list) {
    return list.begin()[Below(list.size())];
  }

  std::string Key() {
    return Pick({"\"a\"", "\"b\"", "\"ab\"", "\"\"", "\"a\\\"\"", "\"\\u00e9\""});
  }
  std::string Number() {
    return Pick({"-9", "-1.5", "0", "0.01", "1", "9", "10", "99.9", "1e2", "1000", "-0.0"});
  }

  std::string Value(int depth) {
    switch (Below(depth > 0 ? 7 : 5)) {
      case 0:
        return Number();
      case 1:
        return Pick({"\"a\"", "\"tr\"", "\"\\u00e9\"", "\"\"", "\"a\\nb\"", "\"ab\\\"\""});
      case 2:
        return Pick({"true", "false", "null"});
      case 3:
        return "[]";
      case 4:
        return "{}";
      case 5:
        return "[" + Value(depth - 1) + "," + Value(depth - 1) + "]";
      default:
        return "{\"a\":" + Value(depth - 1) + ",\"b\":" + Value(depth - 1) + "}";
    }
  }

  std::string Schema(int depth) {
    if (OneIn(12)) return "true";
    if (OneIn(24)) return "false";
    return Object(depth);
  }

  void Add(const std::string& name, const std::string& value) {
    members_ += (members_.empty() ? "\"" : ",\"") + name + "\":" + value;
  }

  std::string List(size_t least, size_t most, int depth) {
    std::string list;
    for (size_t i = least + Below(most - least + 1); i > 0; --i) {
      list += (list.empty() ? "" : ",") + Schema(depth);
    }
    return "[" + list + "]";
  }

  // A map from some names, each once, to schemas.
  std::string Map(std::initializer_list<const char*> names, int depth) {
    std::string map;
    for (const char* name : names) {
      if (!OneIn(3)) continue;
      map += std::string(map.empty() ? "" : ",") + name + ":" + Schema(depth);
    }
    return "{" + map + "}";
  }

  std::string Object(int depth) {
    std::string outer = std::move(members_);
    members_.clear();
    AddTypes();
    if (OneIn(4)) AddNumberBounds();
    if (OneIn(4)) AddStringBounds();
    if (depth > 0) {
      if (OneIn(3)) AddArrayBounds(depth - 1);
      if (!OneIn(3)) AddObjectBounds(depth - 1);
      if (OneIn(5)) Add("allOf", List(1, 2, depth - 1));
      if (OneIn(4)) Add("anyOf", List(1, 3, depth - 1));
    }
    if (OneIn(10)) Add("enum", "[" + Value(1) + "," + Value(2) + "," + Value(1) + "]");
    if (OneIn(20)) Add("const", Value(2));
    if (OneIn(10)) Add("$ref", Pick({"\"#/$defs/x\"", "\"#/$defs/y\"", "\"#\""}));
    std::string schema = "{" + members_ + "}";
    members_ = std::move(outer);
    return schema;
  }

  void AddTypes() {
    if (OneIn(4)) return;
    if (OneIn(4)) {
      Add("type", "[" + Pick({"\"object\"", "\"array\"", "\"null\""}) + "," +
                      Pick({"\"string\"", "\"number\"", "\"integer\"", "\"boolean\""}) + "]");
      return;
    }
    Add("type", Pick({"\"object\"", "\"object\"", "\"object\"", "\"array\"", "\"array\"",
                      "\"string\"", "\"number\"", "\"integer\"", "\"boolean\"", "\"null\""}));
  }

  void AddNumberBounds() {
    if (OneIn(2)) Add("minimum", Number());
    if (OneIn(2)) Add("maximum", Number());
    if (OneIn(4)) Add("exclusiveMinimum", Number());
    if (OneIn(4)) Add("exclusiveMaximum", Number());
  }

  void AddStringBounds() {
    if (OneIn(2)) Add("minLength", std::to_string(Below(3)));
    if (OneIn(2)) Add("maxLength", std::to_string(1 + Below(4)));
    if (OneIn(2)) {
      Add("pattern", Pick({"\"^a\"", "\"b$\"", "\"^[ab]*$\"", "\"a.b\"", "\"^(tr|un){1,3}$\"",
                           "\"^a{2,9}b?$\"", "\"\\u00e9\"", "\"^$|0\""}));
    }
  }

  void AddArrayBounds(int depth) {
    if (OneIn(2)) Add("items", Schema(depth));
    if (OneIn(3)) Add("prefixItems", List(1, 2, depth));
    if (OneIn(3)) Add("minItems", std::to_string(Below(3)));
    if (OneIn(3)) Add("maxItems", std::to_string(Below(4)));
  }

  void AddObjectBounds(int depth) {
    if (!OneIn(3)) Add("properties", Map({"\"a\"", "\"b\"", "\"ab\"", "\"\\u00e9\""}, depth));
    if (OneIn(3)) Add("required", "[" + Key() + "]");
    if (OneIn(3)) Add("additionalProperties", OneIn(2) ? "false" : Schema(depth));
    if (OneIn(4)) Add("patternProperties", Map({"\"^a\"", "\"b$\"", "\"^[abt]{2}$\""}, depth));
    if (OneIn(5)) Add("minProperties", std::to_string(Below(3)));
    if (OneIn(5)) Add("maxProperties", std::to_string(Below(4)));
  }

  std::mt19937_64& random_;
  std::string members_;  // of the schema being written
};

}  // namespace

std::string RandomSchema(std::mt19937_64* random) { return Writer(random).Root(); }

}  // namespace maskloom::suites
