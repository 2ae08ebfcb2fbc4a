// Draws shapes; see random_shape_schema.h.
#include "tests/suites/random_shape_schema.h"

#include <initializer_list>
#include <map>
#include <vector>

namespace maskloom::suites {
namespace {

class ShapeWriter {
 public:
  explicit ShapeWriter(std::mt19937_64* random) : random_(*random) {}

  std::string Root() {
    std::string members =
        "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\"";
    std::vector<std::string> shapes;
    for (size_t i = 2 + Below(5); i > 0; --i) shapes.push_back(Shape(1));
    std::string branches;
    for (const std::string& shape : shapes) {
      branches += (branches.empty() ? "" : ",") + Branch(shape);
    }
    members +=
        Pick({",\"oneOf\":[", ",\"oneOf\":[", ",\"oneOf\":[", ",\"anyOf\":["}) + branches + "]";
    if (OneIn(4)) members += ",\"not\":" + Branch(shapes[Below(shapes.size())]);
    if (OneIn(4)) members += ",\"additionalProperties\":false,\"properties\":{\"o\":{},\"m\":{}}";
    return "{" + members + "}";
  }

 private:
  size_t Below(size_t count) { return random_() % count; }
  bool OneIn(size_t count) { return Below(count) == 0; }
  std::string Pick(std::initializer_list<const char*> list) {
    return list.begin()[Below(list.size())];
  }

  std::string Branch(const std::string& shape) {
    std::string properties = "\"o\":" + shape;
    if (!OneIn(3)) properties += ",\"m\":" + Many(OneIn(4) ? Shape(0) : shape);
    if (OneIn(6)) properties += ",\"t\":" + Scalar();
    std::string branch = "\"properties\":{" + properties + "}";
    if (OneIn(6)) branch += ",\"required\":[" + Pick({"\"o\"", "\"m\"", "\"t\""}) + "]";
    return "{" + branch + "}";
  }

  // Several values of a shape.
  std::string Many(const std::string& shape) {
    if (OneIn(4)) return "{\"items\":" + shape + "}";
    std::string map = "\"additionalProperties\":" + shape;
    if (OneIn(3)) map += ",\"type\":\"object\"";
    if (OneIn(6)) map += ",\"properties\":{\"a\":" + Scalar() + "}";
    return "{" + map + "}";
  }

  std::string Scalar() {
    return Pick({"{\"type\":\"boolean\"}", "{\"type\":\"integer\"}", "{\"enum\":[\"x\",1]}", "{}",
                 "{\"enum\":[\"x\",\"y\"]}", "{\"type\":\"boolean\"}", "{\"type\":\"string\"}",
                 "false", "{\"type\":[\"integer\",\"object\"]}"});
  }

  std::string Shape(int depth) {
    std::map<std::string, std::string> properties;
    for (size_t i = Below(4); i > 0; --i) {
      const std::string key = Pick({"\"a\"", "\"b\"", "\"c\"", "\"ab\""});
      properties[key] = depth > 0 && OneIn(5) ? Shape(depth - 1) : Scalar();
    }
    std::string shape;
    for (const auto& [key, schema] : properties) {
      shape += (shape.empty() ? "" : ",") + key + ":" + schema;
    }
    shape = "\"properties\":{" + shape + "}";
    if (!OneIn(3)) shape += ",\"type\":\"object\"";
    if (!OneIn(5)) {
      shape += ",\"additionalProperties\":" + (OneIn(6) ? Scalar() : "false");
    }
    if (OneIn(8)) shape += ",\"patternProperties\":{\"^a\":" + Scalar() + "}";
    if (OneIn(8)) shape += ",\"required\":[" + Pick({"\"a\"", "\"b\"", "\"c\""}) + "]";
    if (OneIn(12)) shape += ",\"minProperties\":1";
    if (OneIn(12)) shape += ",\"propertyNames\":{\"maxLength\":1}";
    if (OneIn(12)) return "{\"anyOf\":[{" + shape + "}," + Scalar() + "]}";
    return "{" + shape + "}";
  }

  std::mt19937_64& random_;
};

}  // namespace

std::string RandomShapeSchema(std::mt19937_64* random) { return ShapeWriter(random).Root(); }

}  // namespace maskloom::suites
