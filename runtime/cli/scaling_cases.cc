#include "runtime/cli/scaling_cases.h"

#include <fmt/format.h>

#include <utility>

namespace maskloom::cli {
namespace {

std::string Repeated(std::string_view piece, size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (size_t i = 0; i < count; ++i) text += piece;
  return text;
}

ScalingCase Schema(std::string definition, std::string text) {
  return {"", 0, DefinitionKind::kJsonSchema, std::move(definition), std::move(text)};
}

ScalingCase Ebnf(std::string definition, std::string text) {
  return {"", 0, DefinitionKind::kEbnf, std::move(definition), std::move(text)};
}

// "prefix0","prefix1",... without brackets.
std::string Names(std::string_view prefix, size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    names += fmt::format("{}\"{}{}\"", i == 0 ? "" : ",", prefix, i);
  }
  return names;
}

ScalingCase NestedArrays(size_t depth) {
  return Schema(R"({"type":"array","items":{"$ref":"#"}})",
                Repeated("[", depth) + Repeated("]", depth));
}

ScalingCase NestedObjects(size_t depth) {
  return Schema(
      R"({"type":"object","properties":{"name":{"type":"string"},"child":{"$ref":"#"}},)"
      R"("required":["name"],"additionalProperties":false})",
      Repeated(R"({"name": "a", "child": )", depth) + R"({"name": "b"})" + Repeated("}", depth));
}

// Alternatives that a member tells apart.
ScalingCase TaggedBranches(size_t count) {
  std::string branches;
  for (size_t i = 0; i < count; ++i) {
    branches += fmt::format(
        R"({}{{"type":"object","properties":{{"kind":{{"const":"kind{}"}},"value{}":{{"type":)"
        R"("integer"}}}},"required":["kind","value{}"],"additionalProperties":false}})",
        i == 0 ? "" : ",", i, i, i);
  }
  return Schema("{\"anyOf\":[" + branches + "]}",
                fmt::format(R"({{"kind": "kind{}", "value{}": 17}})", count / 2, count / 2));
}

// Alternatives of which a member's name tells, but only after a member that all have.
ScalingCase UntaggedBranches(size_t count) {
  std::string branches;
  for (size_t i = 0; i < count; ++i) {
    branches += fmt::format(
        R"({}{{"type":"object","properties":{{"id":{{"type":"integer"}},"field{}":{{"type":)"
        R"("string"}}}},"required":["id","field{}"],"additionalProperties":false}})",
        i == 0 ? "" : ",", i, i);
  }
  return Schema("{\"anyOf\":[" + branches + "]}",
                fmt::format(R"({{"id": 4711, "field{}": "text"}})", count / 2));
}

// Alternatives that stay possible together until the text ends.
ScalingCase AmbiguousBranches(size_t count) {
  std::string branches;
  for (size_t i = 0; i < count; ++i) {
    branches += fmt::format("{}word{}", i == 0 ? "" : " | ", i);
  }
  std::string rules = "root ::= " + branches + "\n";
  for (size_t i = 0; i < count; ++i) {
    rules += fmt::format("word{} ::= [a-z]+ \"-\" [a-z]+ \"{}\"\n", i, i);
  }
  return Ebnf(std::move(rules), fmt::format("alpha-beta{}", count / 2));
}

ScalingCase RightRecursion(size_t count) {
  return Ebnf("root ::= item | item \",\" root\nitem ::= [a-z]+\n",
              "a" + Repeated(",b", count - 1));
}

ScalingCase LeftRecursion(size_t count) {
  return Ebnf("root ::= item | root \",\" item\nitem ::= [a-z]+\n",
              "a" + Repeated(",b", count - 1));
}

// Left and right recursion at once: the text has exponentially many readings.
ScalingCase BothRecursions(size_t count) {
  return Ebnf("root ::= item | root \",\" root\nitem ::= [a-z]+\n",
              "a" + Repeated(",b", count - 1));
}

ScalingCase DeclaredKeys(size_t count) {
  std::string properties;
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    properties += fmt::format("{}\"key{}\":{{\"type\":\"integer\"}}", i == 0 ? "" : ",", i);
    text += fmt::format("{}\"key{}\": {}", i == 0 ? "" : ", ", i, i);
  }
  return Schema(fmt::format(R"({{"type":"object","properties":{{{}}},"required":[{}],)"
                            R"("additionalProperties":false}})",
                            properties, Names("key", count)),
                "{" + text + "}");
}

// As DeclaredKeys, but any other keys may come too.
ScalingCase OpenKeys(size_t count) {
  ScalingCase result = DeclaredKeys(count);
  const std::string closed = R"("additionalProperties":false)";
  result.definition.replace(result.definition.find(closed), closed.size(),
                            R"("additionalProperties":{"type":"integer"})");
  return result;
}

ScalingCase EnumValues(size_t count) {
  return Schema("{\"enum\":[" + Names("value", count) + "]}",
                fmt::format("\"value{}\"", count / 2));
}

ScalingCase StringBound(size_t bound) {
  return Schema(
      fmt::format(R"({{"type":"string","minLength":{},"maxLength":{}}})", bound / 2, bound),
      "\"" + Repeated("seven words make up every single line of this ", bound / 47) +
          std::string(bound - bound / 47 * 47, 'x') + "\"");
}

ScalingCase PatternBound(size_t bound) {
  return Schema(fmt::format(R"({{"type":"string","pattern":"^[a-z]{{1,{}}}$"}})", bound),
                "\"" + std::string(bound, 'x') + "\"");
}

}  // namespace

const std::vector<ScalingCurve>& ScalingCurves() {
  static const auto* curves = new std::vector<ScalingCurve>{
      {"nested_arrays", "depth", {10, 30, 100, 300, 1000, 3000, 10000}, NestedArrays},
      {"nested_objects", "depth", {10, 30, 100, 300, 1000, 3000, 10000}, NestedObjects},
      {"tagged_branches", "branches", {4, 16, 64, 128, 250}, TaggedBranches},
      {"untagged_branches", "branches", {4, 16, 64, 128, 250}, UntaggedBranches},
      {"ambiguous_branches", "branches", {4, 16, 64, 256}, AmbiguousBranches},
      {"right_recursion", "depth", {10, 30, 100, 300, 1000, 3000, 10000}, RightRecursion},
      {"left_recursion", "depth", {10, 30, 100, 300, 1000, 3000, 10000}, LeftRecursion},
      {"both_recursions", "depth", {10, 30, 100, 300, 1000, 3000, 10000}, BothRecursions},
      {"declared_keys", "keys", {4, 16, 64, 256, 1000}, DeclaredKeys},
      {"open_keys", "keys", {4, 16, 64, 256, 1000}, OpenKeys},
      {"enum_values", "values", {10, 100, 1000, 5000}, EnumValues},
      {"string_bound", "code points", {10, 100, 1000, 10000, 100000}, StringBound},
      {"pattern_bound", "code points", {10, 100, 1000, 3000}, PatternBound},
  };
  return *curves;
}

ScalingCase MakeScalingCase(const ScalingCurve& curve, size_t x) {
  ScalingCase result = curve.make(x);
  result.curve = curve.name;
  result.x = x;
  return result;
}

ScalingCase VocabularyScalingCase() {
  ScalingCase result = Schema(
      R"({"type":"object","properties":{"name":{"type":"string","maxLength":80},"born":{"type":)"
      R"("string","format":"date"},"mail":{"type":"string","pattern":"^[a-z.]+@[a-z]+\\.[a-z]{2,}$"},)"
      R"("age":{"type":"integer","minimum":0,"maximum":130},"colour":{"enum":["red","green","blue"]},)"
      R"("tags":{"type":"array","items":{"type":"string"}},"notes":{"type":"object"}},)"
      R"("required":["name","age"]})",
      R"({"name": "Grete Hermann", "born": "1901-03-02", "mail": "grete@example.org", "age": 83, )"
      R"("colour": "green", "tags": ["mathematics", "philosophy"], "notes": {"city": "Bremen", )"
      R"("works": [1926, 1935]}, "other": null})");
  result.curve = "vocabulary";
  return result;
}

}  // namespace maskloom::cli
