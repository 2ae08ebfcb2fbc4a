// Families of schemas that cost a careless compiler exponential work. Each compiles or is refused
// by the name of a budget; those that users write must compile. What compiles is asked for its
// first mask and judges a few texts.
#include <gtest/gtest.h>

#include <chrono>

#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

using std::to_string;

// Joins `part(0)` to `part(count - 1)` with commas.
template <typename Part>
std::string List(int count, const Part& part) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + part(i);
  return text;
}

std::string Text(const std::string& value) { return "\"" + value + "\""; }

enum class Must { kCompile, kAnswer };

struct Family {
  std::string name;
  std::string schema;
  Must must = Must::kCompile;
  std::vector<CaseText> texts;
};

// Ten properties, of which `kind` tells the branch unless `is_told` is false.
std::string BigObject(int i, bool is_told) {
  const std::string number = to_string(i);
  std::string properties = List(8, [&](int j) {
    return Text("p" + to_string(j)) +
           ":{\"type\":" + ((i + j) % 2 == 0 ? "\"string\"}" : "\"integer\"}");
  });
  if (is_told) properties += ",\"kind\":{\"const\":\"k" + number + "\"}";
  return "{\"type\":\"object\",\"properties\":{" + properties + ",\"own" + number +
         "\":{\"type\":\"boolean\"}},\"required\":[" + (is_told ? "\"kind\"," : "") + "\"own" +
         number + "\"]}";
}

void AddUnions(std::vector<Family>* all) {
  all->push_back({"200 branches of oneOf told apart by a const",
                  "{\"oneOf\":[" + List(200, [](int i) { return BigObject(i, true); }) + "]}",
                  Must::kCompile,
                  {{R"({"kind":"k7","own7":true,"p0":1})", true},
                   {R"({"p1":"x","own7":true,"kind":"k7"})", true},
                   {R"({"kind":"k7","own8":true})", false},
                   {R"({"kind":"k200"})", false}}});
  all->push_back({"200 branches of oneOf told apart by nothing",
                  "{\"oneOf\":[" + List(200, [](int i) { return BigObject(i, false); }) + "]}",
                  Must::kAnswer,
                  {{R"({"own7":true,"p0":1})", true},
                   {R"({"own7":true,"own8":false})", false},
                   {R"({"p0":1})", false}}});
  const auto nested = [](const auto& branches) {
    std::string schema = "{}";
    for (int i = 0; i < 30; ++i) {
      schema = "{\"allOf\":[" + schema + ",{\"anyOf\":[" + branches(i) + "]}]}";
    }
    return schema;
  };
  all->push_back(
      {"30 nested allOf of anyOf over required keys",
       nested([](int i) {
         return "{\"required\":[\"a" + to_string(i) + "\"]},{\"required\":[\"b" + to_string(i) +
                "\"]}";
       }),
       Must::kCompile,
       {{"{}", false},
        {"[]", true},
        {"{" +
             List(30, [](int i) { return Text((i % 2 == 0 ? "a" : "b") + to_string(i)) + ":1"; }) +
             "}",
         true}}});
  all->push_back({"30 nested allOf of anyOf over types of properties",
                  nested([](int i) {
                    const std::string key = Text("a" + to_string(i));
                    return "{\"properties\":{" + key +
                           ":{\"type\":\"integer\"}}},{\"properties\":{" + key +
                           ":{\"type\":\"string\"}}}";
                  }),
                  Must::kCompile,
                  {{R"({"a0":1,"a1":"x"})", true}, {R"({"a0":null})", false}}});
  all->push_back({"30 nested allOf of anyOf over types of two properties",
                  nested([](int i) {
                    return "{\"properties\":{\"a" + to_string(i) +
                           "\":{\"type\":\"integer\"}}},{\"properties\":{\"b" + to_string(i) +
                           "\":{\"type\":\"string\"}}}";
                  }),
                  Must::kCompile,
                  {{R"({"a0":1,"b0":1})", true}, {R"({"a0":null,"b0":1})", false}}});
  all->push_back({"30 nested allOf of anyOf over patterns",
                  nested([](int i) {
                    const std::string letter(1, static_cast<char>('a' + i % 26));
                    return "{\"type\":\"string\",\"pattern\":\"" + letter +
                           "\"},{\"type\":\"string\",\"pattern\":\"^" + to_string(i) + "\"}";
                  }),
                  Must::kAnswer,
                  {{R"("abcdefghijklmnopqrstuvwxyz")", true}, {R"("abc")", false}}});
  all->push_back({"30 nested allOf of anyOf over numbers",
                  nested([](int i) {
                    return "{\"type\":\"number\",\"multipleOf\":" + to_string(i % 5 + 2) +
                           "},{\"type\":\"number\",\"minimum\":" + to_string(i * 10) + "}";
                  }),
                  Must::kCompile,
                  {{"60", true}, {"290", true}, {"7", false}}});
  all->push_back({"40 times if, then, else on one key",
                  "{\"type\":\"object\",\"required\":[\"kind\"],\"allOf\":[" +
                      List(40,
                           [](int i) {
                             const std::string n = to_string(i);
                             return "{\"if\":{\"properties\":{\"kind\":{\"const\":\"k" + n +
                                    "\"}}},\"then\":{\"required\":[\"t" + n +
                                    "\"]},\"else\":{\"properties\":{\"t" + n +
                                    "\":{\"type\":\"null\"}}}}";
                           }) +
                      "]}",
                  Must::kCompile,
                  {{R"({"kind":"k3","t3":1})", true},
                   {R"({"t3":1,"kind":"k3","t4":null})", true},
                   {R"({"kind":"k3","t3":1,"t4":1})", false},
                   {R"({"kind":"k3"})", false}}});
}

void AddKeys(std::vector<Family>* all) {
  const auto patterns = [](const auto& value) {
    return "{\"type\":\"object\",\"patternProperties\":{" +
           List(64,
                [&](int i) {
                  const std::string letters{static_cast<char>('a' + i / 8),
                                            static_cast<char>('a' + i % 8)};
                  return Text(letters) + ":" + value(i);
                }) +
           "}}";
  };
  all->push_back({"64 overlapping patterns of keys, equal values",
                  patterns([](int) { return std::string("{\"type\":\"integer\"}"); }),
                  Must::kCompile,
                  {{R"({"xaby":1,"zz":"s"})", true}, {R"({"xaby":"s"})", false}}});
  all->push_back({"64 overlapping patterns of keys, rising bounds",
                  patterns([](int i) { return "{\"minimum\":" + to_string(i) + "}"; }),
                  Must::kCompile,
                  {{R"({"aahh":63,"ab":1})", true}, {R"({"aahh":62})", false}}});
  all->push_back({"64 overlapping patterns of keys, types in conflict",
                  patterns([](int i) {
                    return std::string(i % 2 == 0 ? "{\"type\":\"string\"}"
                                                  : "{\"type\":\"integer\"}");
                  }),
                  Must::kCompile,
                  {{R"({"aa":"s","ab":1})", true}, {R"({"aaab":1})", false}}});
  all->push_back({"64 overlapping patterns of keys, independent divisors",
                  patterns([](int i) { return "{\"multipleOf\":" + to_string(2 * i + 3) + "}"; }),
                  Must::kAnswer,
                  {{R"({"aa":9})", true}, {R"({"aa":10})", false}}});
  all->push_back(
      {"64 overlapping patterns of keys, anchored",
       "{\"patternProperties\":{" +
           List(64, [](int i) { return "\"^.{" + to_string(i) + "}x\":{\"type\":\"integer\"}"; }) +
           "}}",
       Must::kAnswer,
       {{R"({"ax":1})", true}, {R"({"ax":"s"})", false}}});
  all->push_back(
      {"1,500 distinct items of 1,500 integers",
       R"({"uniqueItems":true,"minItems":1500,
                      "items":{"type":"integer","minimum":1,"maximum":1500}})",
       Must::kAnswer,
       {{"[" + List(1500, [](int i) { return to_string(i + 1); }) + "]", true},
        {"[" + List(1500, [](int i) { return to_string(i % 1499 + 1); }) + "]", false}}});
  // So many parts that the budget for them is met while the root is read.
  for (const int branches : {57, 64, 120}) {
    all->push_back({"an alternative that is a oneOf of " + to_string(branches) + " negated keys",
                    R"({"anyOf":[{"type":"string"},{"type":"object","required":["t"],"oneOf":[)" +
                        List(branches,
                             [](int i) {
                               return R"({"not":{"properties":{"t":{"const":"k)" + to_string(i) +
                                      R"("}},"required":["t"]},"properties":{"p":{"const":)" +
                                      to_string(i) + "}}}";
                             }) +
                        "]}]}",
                    Must::kAnswer,
                    {{R"({"t":"k1","p":0})", true}, {R"("s")", true}, {"1", false}}});
  }
  all->push_back({"a chain of 60 dependentSchemas",
                  "{\"type\":\"object\",\"dependentSchemas\":{" +
                      List(60,
                           [](int i) {
                             return Text("k" + to_string(i)) + ":{\"required\":[\"k" +
                                    to_string(i + 1) + "\"]}";
                           }) +
                      "}}",
                  Must::kAnswer,
                  {{R"({"k59":1,"k60":1})", true}, {R"({"k58":1,"k60":1})", false}, {"{}", true}}});
  all->push_back({"unevaluatedProperties over 10 branches of anyOf",
                  "{\"type\":\"object\",\"anyOf\":[" +
                      List(10,
                           [](int i) {
                             return "{\"properties\":{\"k" + to_string(i) +
                                    "\":{\"type\":\"integer\"}},\"required\":[\"k" + to_string(i) +
                                    "\"]}";
                           }) +
                      "],\"unevaluatedProperties\":false}",
                  Must::kCompile,
                  {{R"({"k1":1,"k2":2})", true},
                   {R"({"k1":1,"k2":"s"})", false},
                   {R"({"k1":1,"x":2})", false}}});
}

void AddReferences(std::vector<Family>* all) {
  all->push_back({"not of a recursive tree",
                  R"({"not":{"$ref":"#/$defs/t"},"$defs":{"t":{"type":"object","properties":{
                      "value":{"type":"integer"},"left":{"$ref":"#/$defs/t"},
                      "right":{"$ref":"#/$defs/t"}},"required":["value"],
                      "additionalProperties":false}}})",
                  Must::kCompile,
                  {{R"({"value":1,"left":{"value":2}})", false},
                   {R"({"value":1,"left":{"value":2,"right":{}}})", true},
                   {R"({"value":1,"left":{"value":"s"}})", true}}});
  const auto dag = [](const std::string& first, const std::string& last, const auto& both) {
    std::string schema = "{\"$ref\":\"#/$defs/d0\",\"$defs\":{";
    for (int i = 0; i < 30; ++i) {
      const std::string next = "{\"$ref\":\"#/$defs/d" + to_string(i + 1) + "\"}";
      schema += Text("d" + to_string(i)) + ":{" + first + both(next) + "},";
    }
    return schema + "\"d30\":" + last + "}}";
  };
  all->push_back(
      {"references of 2^30 paths through allOf",
       dag("", "{\"type\":\"integer\"}",
           [](const std::string& next) { return "\"allOf\":[" + next + "," + next + "]"; }),
       Must::kCompile,
       {{"1", true}, {"\"s\"", false}}});
  all->push_back(
      {"references of 2^30 paths through anyOf",
       dag("", "{\"type\":\"integer\"}",
           [](const std::string& next) { return "\"anyOf\":[" + next + "," + next + "]"; }),
       Must::kCompile,
       {{"1", true}, {"\"s\"", false}}});
  all->push_back({"references of 2^30 paths through properties",
                  dag("\"type\":\"object\",\"required\":[\"a\"],", "{\"type\":\"integer\"}",
                      [](const std::string& next) {
                        return "\"properties\":{\"a\":" + next + ",\"b\":" + next + "}";
                      }),
                  Must::kCompile,
                  {{R"({"a":1})", false}}});
  all->push_back({"references of 2^30 paths through oneOf of two keys",
                  dag("", "{\"type\":\"object\"}",
                      [](const std::string& next) {
                        return "\"oneOf\":[{\"required\":[\"a\"],\"properties\":{\"c\":" + next +
                               "}},{\"required\":[\"b\"],\"properties\":{\"c\":" + next + "}}]";
                      }),
                  Must::kCompile,
                  {{R"({"a":1,"c":{"b":1,"c":{"a":1}}})", true}, {R"({"a":1,"b":1})", false}}});
  std::string deep = "{\"type\":\"integer\"}";
  std::string opening, closing;
  for (int i = 0; i < 240; ++i) {
    deep = "{\"type\":\"array\",\"items\":" + deep + "}";
    opening += '[';
    closing += ']';
  }
  all->push_back({"arrays nested 240 deep",
                  deep,
                  Must::kCompile,
                  {{opening + "1" + closing, true}, {opening + "\"s\"" + closing, false}}});
  std::string deep_all = "{\"type\":\"integer\"}";
  for (int i = 0; i < 240; ++i) deep_all = "{\"allOf\":[" + deep_all + "]}";
  all->push_back({"allOf nested 240 deep", deep_all, Must::kCompile, {{"1", true}, {"[]", false}}});
  std::string deep_not = "{\"type\":\"integer\"}";
  for (int i = 0; i < 500; ++i) deep_not = "{\"not\":" + deep_not + "}";
  all->push_back({"not nested 500 deep", deep_not, Must::kCompile, {{"1", true}, {"[]", false}}});
  std::string deep_object = "{\"type\":\"integer\"}";
  for (int i = 0; i < 480; ++i) deep_object = "{\"additionalProperties\":" + deep_object + "}";
  all->push_back({"additionalProperties nested 480 deep",
                  deep_object,
                  Must::kCompile,
                  {{R"({"a":{"b":{}}})", true}}});
}

std::string Equals(const std::string& key, const std::string& value) {
  return "{\"properties\":{" + Text(key) + ":{\"const\":" + value + "}},\"required\":[" +
         Text(key) + "]}";
}

std::string Needs(const std::string& key) {
  return "{\"properties\":{" + Text(key) + ":{\"type\":\"integer\"}},\"required\":[" + Text(key) +
         "]}";
}

void AddChains(std::vector<Family>* all) {
  const auto object = [](const std::string& required, const std::string& branches) {
    return "{\"type\":\"object\",\"required\":[" + required + "],\"allOf\":[" + branches + "]}";
  };
  const auto branch = [](const std::string& condition, const std::string& consequence) {
    return "{\"if\":" + condition + ",\"then\":" + consequence + "}";
  };
  const auto kind = [](int i) { return Text("k" + to_string(i)); };
  for (const int count : {34, 100, 200}) {
    all->push_back({to_string(count) + " if and then by a constant",
                    object("\"t\"", List(count,
                                         [&](int i) {
                                           return branch(Equals("t", kind(i)),
                                                         Needs("v" + to_string(i)));
                                         })),
                    Must::kCompile,
                    {{R"({"t":"k7","v7":1})", true},
                     {R"({"v7":1,"t":"k7","v8":"x"})", true},
                     {R"({"v7":"x","t":"k8","v8":1})", true},
                     {R"({"t":"k7","v7":"x"})", false},
                     {R"({"t":"k7","v8":1})", false},
                     {R"({"t":"other"})", true},
                     {R"({"t":5,"v7":"x"})", true},
                     {R"({"v7":1})", false}}});
  }
  all->push_back(
      {"200 if and then by a constant of a key that need not be there",
       "{\"properties\":{\"v7\":{\"maximum\":9}},\"allOf\":[" +
           List(200,
                [&](int i) {
                  return "{\"if\":{\"properties\":{\"t\":{\"const\":" + kind(i) +
                         "}}},\"then\":" + Needs("v" + to_string(i)) + "}";
                }) +
           "]}",
       Must::kCompile,
       {{R"({"t":"k7","v7":1})", true},
        {R"({"t":"k7","v7":10})", false},
        {R"({"t":"k7","v8":1})", false},
        {R"({"t":"other"})", true},
        {"{}", false},
        {"[]", true},
        {"{" + List(200, [](int i) { return Text("v" + to_string(i)) + ":1"; }) + "}", true},
        {"{" + List(199, [](int i) { return Text("v" + to_string(i)) + ":1"; }) + "}", false}}});
  all->push_back(
      {"two keys of 12 and 15 constants, each with a chain of its own",
       object("\"t\"",
              List(12,
                   [&](int i) { return branch(Equals("t", kind(i)), Needs("v" + to_string(i))); }) +
                  "," +
                  List(15,
                       [&](int i) {
                         return branch(Equals("u", to_string(i)), Needs("w" + to_string(i)));
                       })),
       Must::kCompile,
       {{R"({"t":"k7","v7":1})", true},
        {R"({"t":"k7","u":3,"v7":1})", false},
        {R"({"t":"k7","u":3,"v7":1,"w3":1})", true},
        {R"({"w3":1,"u":3.0,"t":"k7"})", false},
        {R"({"t":"k7","u":15,"v7":1,"w3":"x"})", true},
        {R"({"t":"","u":3,"w3":"x"})", false}}});
  all->push_back({"15 constants of one key by 12 of another in one condition",
                  object("\"t\",\"u\"",
                         List(180,
                              [&](int i) {
                                return "{\"if\":{\"properties\":{\"t\":{\"const\":" + kind(i / 12) +
                                       "},\"u\":{\"const\":" + to_string(i % 12) +
                                       "}}},\"then\":" + Needs("v" + to_string(i)) + "}";
                              })),
                  Must::kCompile,
                  {{R"({"t":"k1","u":2,"v14":1})", true},
                   {R"({"v14":1,"u":2,"t":"k1"})", true},
                   {R"({"t":"k1","u":2,"v15":1})", false},
                   {R"({"t":"k1","u":12,"v14":"x"})", true},
                   {R"({"t":"k1"})", false}}});
  all->push_back({"200 if and then that close the object",
                  object("\"t\"", List(200,
                                       [&](int i) {
                                         return branch(Equals("t", kind(i)),
                                                       "{\"properties\":{\"t\":{},\"v" +
                                                           to_string(i) +
                                                           "\":{\"type\":\"string\"}},"
                                                           "\"additionalProperties\":false}");
                                       })),
                  Must::kCompile,
                  {{R"({"t":"k7","v7":"x"})", true},
                   {R"({"v7":"x","t":"k7"})", true},
                   {R"({"t":"k7"})", true},
                   {R"({"t":"k7","v8":"x"})", false},
                   {R"({"v8":"x","t":"k7"})", false},
                   {R"({"t":"k200","v8":1,"v7":"x"})", true}}});
  all->push_back({"200 if and then by enums that overlap",
                  object("\"t\"", List(200,
                                       [&](int i) {
                                         const std::string few =
                                             List(5, [&](int j) { return kind(i + j); });
                                         return "{\"if\":{\"properties\":{\"t\":{\"enum\":[" + few +
                                                "]}}},\"then\":{\"required\":[\"v" + to_string(i) +
                                                "\"]}}";
                                       })),
                  Must::kCompile,
                  {{R"({"t":"k7","v3":1,"v4":1,"v5":1,"v6":1,"v7":1})", true},
                   {R"({"t":"k7","v3":1,"v4":1,"v5":1,"v6":1})", false},
                   {R"({"v3":1,"v4":1,"v5":1,"v6":1,"t":"k7","v7":1})", true},
                   {R"({"t":"k0","v0":1})", true},
                   {R"({"t":"k203","v199":1})", true},
                   {R"({"t":"k203"})", false},
                   {R"({"t":"k204"})", true}}});
  all->push_back({"34 if and then with properties that else forbids",
                  object("\"t\"", List(34,
                                       [&](int i) {
                                         const std::string own = "v" + to_string(i);
                                         return "{\"if\":" + Equals("t", kind(i)) +
                                                ",\"then\":" + Needs(own) +
                                                ",\"else\":{\"properties\":{" + Text(own) +
                                                ":false}}}";
                                       })),
                  Must::kCompile,
                  {{R"({"t":"k7","v7":1})", true},
                   {R"({"t":"k7","v7":1,"v8":1})", false},
                   {R"({"v8":1,"t":"k7","v7":1})", false},
                   {R"({"t":"k34","x":1})", true},
                   {R"({"t":"k34","v1":1})", false}}});
  for (const bool required : {true, false}) {
    std::string nested =
        "{\"properties\":{\"last\":{\"type\":\"boolean\"}},\"required\":[\"last\"]}";
    for (int i = 39; i >= 0; --i) {
      nested = "{\"if\":" + Equals("t", kind(i)) + ",\"then\":" + Needs("v" + to_string(i)) +
               ",\"else\":" + nested + "}";
    }
    all->push_back({std::string("else nested 40 deep, by a key that ") +
                        (required ? "is required" : "may be absent"),
                    object(required ? "\"t\"" : "", nested),
                    Must::kCompile,
                    {{R"({"t":"k7","v7":1})", true},
                     {R"({"t":"k7","v7":"x","last":true})", false},
                     {R"({"last":true,"t":"k40"})", true},
                     {R"({"t":"k40","last":1})", false},
                     {R"({"last":true})", !required},
                     {R"({"v7":1})", false}}});
  }
  const std::string inner =
      "\"allOf\":[" +
      List(34, [&](int i) { return branch(Equals("t", kind(i)), Needs("v" + to_string(i))); }) +
      "]";
  all->push_back({"34 if and then in each of two branches of oneOf",
                  "{\"type\":\"object\",\"oneOf\":[{\"required\":[\"a\"]," + inner +
                      "},{\"required\":[\"b\"]," + inner + "}]}",
                  Must::kCompile,
                  {{R"({"a":1,"t":"k7","v7":1})", true},
                   {R"({"v7":1,"t":"k7","b":1})", true},
                   {R"({"t":"k7","v7":1})", false},
                   {R"({"a":1,"t":"k7","v7":1,"b":1})", false},
                   {R"({"a":1,"t":"k7","v7":"x"})", false},
                   {R"({"a":1,"v7":"x"})", true}}});
  all->push_back(
      {"200 branches of oneOf, of one key each",
       "{\"oneOf\":[" + List(200, [](int i) { return Needs("v" + to_string(i)); }) + "]}",
       Must::kCompile,
       {{R"({"v7":1})", true},
        {R"({"v7":1,"v8":1})", false},
        {R"({"v7":1,"v8":"x","x":1})", true},
        {R"({"v7":"x"})", false}}});
  all->push_back(
      {"two keys of 100 constants, each with a chain of its own",
       object("\"t\"",
              List(100,
                   [&](int i) { return branch(Equals("t", kind(i)), Needs("v" + to_string(i))); }) +
                  "," +
                  List(100,
                       [&](int i) {
                         return branch(Equals("u", kind(i)), Needs("w" + to_string(i)));
                       })),
       Must::kAnswer,
       {{R"({"t":"k7","v7":1,"u":"k9","w9":1})", true}}});
}

std::vector<Family> Families() {
  std::vector<Family> all;
  AddUnions(&all);
  AddChains(&all);
  AddKeys(&all);
  AddReferences(&all);
  return all;
}

bool Accepts(const std::shared_ptr<const CompiledGrammar>& grammar, std::string_view text) {
  Matcher matcher(grammar);
  return matcher.AcceptBytes(text) == text.size() && matcher.IsAccepting();
}

void CheckFamilies(const std::shared_ptr<const VocabularyIndex>& vocabulary) {
  for (const Family& family : Families()) {
    SCOPED_TRACE(family.name);
    DefinitionCase one;
    one.definition = family.schema;
    const auto start = std::chrono::steady_clock::now();
    auto grammar = Compile(one, vocabulary);
    const auto compiled = std::chrono::steady_clock::now();
    if (grammar.ok()) {
      Matcher matcher(*grammar);
      std::vector<uint32_t> row(vocabulary->row_words());
      matcher.FillMask(row.data());
    }
    const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - start;
    const std::chrono::duration<double, std::milli> compiling = compiled - start;
    std::printf("%8.2f ms to the first mask, %8.2f of it compiling: %s%s\n", all.count(),
                compiling.count(), family.name.c_str(), grammar.ok() ? "" : " (refused)");
    if (!grammar.ok()) {
      EXPECT_EQ(grammar.status().code(), StatusCode::kResourceLimit) << grammar.status().ToString();
      EXPECT_EQ(family.must, Must::kAnswer) << grammar.status().ToString();
      continue;
    }
    for (const CaseText& text : family.texts) {
      EXPECT_EQ(Accepts(*grammar, text.text), text.valid) << text.text.substr(0, 200);
    }
    const std::string whole = Matcher(*grammar).Completion();
    EXPECT_TRUE(Accepts(*grammar, whole)) << whole.substr(0, 200);
  }
}

TEST(Adversarial, FamiliesCompileOrAreRefusedByABudget) { CheckFamilies(VocabularyIndex::Bytes()); }

TEST(Adversarial, FamiliesWithARealVocabularyToo) {
  auto vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  CheckFamilies(vocabulary->index);
}

}  // namespace
}  // namespace maskloom::suites
