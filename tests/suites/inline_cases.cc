// Small definitions, each chosen for what a mask of it can get wrong.
#include "tests/suites/definition_case.h"

namespace maskloom::suites {
namespace {

DefinitionCase Schema(std::string name, std::string definition, std::vector<CaseText> texts = {}) {
  DefinitionCase one;
  one.name = std::move(name);
  one.definition = std::move(definition);
  one.texts = std::move(texts);
  return one;
}

DefinitionCase Regex(std::string name, std::string definition, std::vector<CaseText> texts = {}) {
  DefinitionCase one = Schema(std::move(name), std::move(definition), std::move(texts));
  one.kind = DefinitionKind::kRegex;
  return one;
}

DefinitionCase Ebnf(std::string name, std::string definition, std::vector<CaseText> texts = {}) {
  DefinitionCase one = Schema(std::move(name), std::move(definition), std::move(texts));
  one.kind = DefinitionKind::kEbnf;
  return one;
}

void AddTinySchemas(std::vector<DefinitionCase>* cases) {
  cases->push_back(Schema("tiny-any-order", R"({"type":"object","properties":{
      "a":{"type":"number"},"b":{"type":"string"},"ab":{"enum":["",true,"a\"b",10]}},
      "required":["a","ab"],"additionalProperties":false})"));
  cases->push_back(Schema("tiny-counts", R"({"type":"object","minProperties":2,"maxProperties":3,
      "patternProperties":{"^a":{"type":"integer"},"b$":{"minimum":-1.5,"maximum":10}},
      "additionalProperties":{"const":"t"}})"));
  cases->push_back(Schema("tiny-numbers", R"({"type":"array","items":{"anyOf":[
      {"type":"integer","minimum":-90,"exclusiveMaximum":1000},
      {"type":"number","exclusiveMinimum":0.01,"maximum":0.9}]},"minItems":1,"maxItems":4})"));
  cases->push_back(Schema("tiny-integers", R"({"type":"array","items":{"type":"integer"}})"));
  cases->push_back(Schema("tiny-strings", R"({"type":"array","prefixItems":[
      {"type":"string","minLength":2,"maxLength":3},{"type":"string","pattern":"^(a|b)+e?$"},
      {"type":"string","pattern":"[0-9]{2}"},{"enum":["a","ab","aé","tru",""]}],
      "items":false})"));
  cases->push_back(Schema("tiny-recursion", R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"object",
      "properties":{"a":{"$ref":"#/$defs/n"},"b":{"type":"array","items":{"$ref":"#/$defs/n"}}},
      "additionalProperties":false,"maxProperties":1}}})"));
  cases->push_back(Schema("tiny-free", R"({"type":["array","boolean","number"],
      "items":{"type":["object","string"]}})"));
  DefinitionCase compact = Schema("tiny-compact", R"({"type":"object","properties":{
      "a":{"type":"array","items":{"type":"number"},"maxItems":2},"b":{"const":{"t":[1,"u"]}}}})");
  compact.options.style.whitespace = StylePolicy::Whitespace::kCompact;
  cases->push_back(compact);
  DefinitionCase indented = compact;
  indented.name = "tiny-indent";
  indented.options.style.whitespace = StylePolicy::Whitespace::kIndent;
  cases->push_back(indented);
  DefinitionCase spaced = compact;
  spaced.name = "tiny-spaced";
  spaced.options.style.whitespace = StylePolicy::Whitespace::kSpaced;
  spaced.options.style.escapes = StylePolicy::Escapes::kPlain;
  cases->push_back(spaced);
  DefinitionCase plain = Schema("tiny-plain", R"({"type":"object","properties":{
      "a":{"type":"string","minLength":2,"maxLength":3},"b\n":{"pattern":"^[\\u0000-\\u001f\"]{1,3}$"},
      "\u0001":{"enum":["\u0010","\\",1]}},"maxProperties":3})");
  plain.options.style.escapes = StylePolicy::Escapes::kPlain;
  cases->push_back(plain);
  DefinitionCase any = compact;
  any.name = "tiny-any-space";
  any.options.style.whitespace = StylePolicy::Whitespace::kAny;
  any.options.style.max_digits = kUnbounded;
  cases->push_back(any);
  DefinitionCase declared = Schema("tiny-declared", R"({"type":"object","properties":{
      "b":{"type":"integer"},"a":{"type":"string"},"ab":{}},"required":["a"]})");
  declared.options.style.key_order = StylePolicy::KeyOrder::kDeclared;
  declared.options.style.max_digits = 2;
  declared.options.style.max_blanks = 1;
  cases->push_back(declared);
  DefinitionCase listed = declared;
  listed.name = "tiny-declared-required";
  listed.definition = R"({"type":"object","properties":{"b":{"type":"integer"}},
      "required":["ba","a"],"maxProperties":4})";
  cases->push_back(listed);
}

// One for every keyword that conditions, counts or excludes, and pairs of them; all can be spelled
// with TinyBytes().
void AddTinyConditions(std::vector<DefinitionCase>* cases) {
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"multiple-of", R"({"type":"integer","multipleOf":9,"maximum":1000})"},
      {"multiple-of-fraction", R"({"type":"number","multipleOf":0.45,"exclusiveMinimum":-1})"},
      {"multiples-of-two", R"({"multipleOf":10,"allOf":[{"multipleOf":1.5}],"type":"number"})"},
      {"not-multiple", R"({"type":"integer","not":{"multipleOf":5},"minimum":0,"maximum":19})"},
      {"draft-4-bounds", R"({"$schema":"http://json-schema.org/draft-04/schema#","type":"number",
          "minimum":1,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":true})"},
      {"property-names", R"({"type":"object","propertyNames":{"pattern":"^[ab]+$","maxLength":3},
          "additionalProperties":{"type":"boolean"}})"},
      {"property-names-enum", R"({"type":"object","propertyNames":{"enum":["a","ab","b"]},
          "minProperties":2})"},
      {"not-type", R"({"not":{"type":["string","object","array"]}})"},
      {"not-const", R"({"not":{"enum":["a",1,[1],{"a":1}]}})"},
      {"not-required", R"({"type":"object","not":{"required":["a","b"]},
          "properties":{"a":{"type":"boolean"},"b":{"type":"null"}}})"},
      {"not-properties", R"({"type":"object","not":{"properties":{"a":{"type":"integer"}}}})"},
      {"not-items", R"({"type":"array","not":{"items":{"type":"integer"}},"maxItems":3})"},
      {"not-pattern", R"({"type":"string","not":{"pattern":"ab"},"maxLength":4})"},
      {"not-recursive", R"({"$defs":{"t":{"type":"object","additionalProperties":{
          "$ref":"#/$defs/t"}}},"not":{"$ref":"#/$defs/t"},"type":["object","boolean"]})"},
      {"one-of-types", R"({"oneOf":[{"type":"integer"},{"type":"number","minimum":10}]})"},
      {"one-of-required", R"({"type":"object","oneOf":[{"required":["a"]},{"required":["b"]},
          {"required":["ab"]}],"additionalProperties":{"type":"boolean"}})"},
      {"one-of-told-apart", R"({"oneOf":[{"type":"object","properties":{"a":{"const":"a"},
          "b":{"type":"boolean"}},"required":["a","b"],"additionalProperties":false},
          {"type":"object","properties":{"a":{"const":"b"},"e":{"type":"null"}},
          "required":["a"],"additionalProperties":false}]})"},
      {"one-of-strings", R"({"type":"string","oneOf":[{"pattern":"a"},{"maxLength":2}]})"},
      {"if-then-else", R"({"type":"object","properties":{"a":{"type":"boolean"}},
          "if":{"properties":{"a":{"const":true}},"required":["a"]},
          "then":{"required":["b"]},"else":{"properties":{"b":{"type":"null"}}}})"},
      {"if-of-number", R"({"type":"number","if":{"minimum":10},"then":{"multipleOf":5},
          "else":{"maximum":-1}})"},
      {"dependent-required", R"({"type":"object","dependentRequired":{"a":["b"],"b":["ab"]},
          "additionalProperties":{"type":"boolean"}})"},
      {"dependent-schemas", R"({"type":"object","dependentSchemas":{"a":{"properties":{
          "b":{"type":"integer"}},"required":["b"]}},"maxProperties":2})"},
      {"dependencies", R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
          "dependencies":{"a":["b"],"b":{"maxProperties":2}},
          "additionalProperties":{"type":"null"}})"},
      {"contains", R"({"type":"array","contains":{"type":"integer"},"maxItems":3})"},
      {"contains-counts", R"({"type":"array","contains":{"const":true},"minContains":2,
          "maxContains":3,"items":{"type":["boolean","null"]}})"},
      {"contains-none", R"({"type":"array","contains":{"type":"string"},"minContains":0,
          "maxContains":1,"items":{"type":["string","number"]}})"},
      {"not-contains", R"({"type":"array","not":{"contains":{"minimum":10}},"items":{
          "type":"integer"}})"},
      {"unique", R"({"type":"array","uniqueItems":true,"items":{"enum":[1,10,"a",true]},
          "minItems":2})"},
      {"unique-numbers", R"({"type":"array","uniqueItems":true,"items":{"type":"integer",
          "minimum":0,"maximum":1},"maxItems":2})"},
      {"unique-contains", R"({"type":"array","uniqueItems":true,"contains":{"const":"a"},
          "items":{"type":"string","maxLength":1},"maxItems":3})"},
      {"unique-contains-few", R"({"type":"array","uniqueItems":true,"minContains":2,
          "contains":{"enum":[[],{},{"a":-1.5,"b":"ab\""}]}})"},
      {"not-unique", R"({"type":"array","not":{"uniqueItems":true},"items":{"type":"boolean"},
          "maxItems":3})"},
      {"additional-items", R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"array",
          "items":[{"type":"integer"},{"type":"boolean"}],"additionalItems":{"type":"null"}})"},
      {"unevaluated-properties", R"({"type":"object","anyOf":[{"properties":{"a":{
          "type":"integer"}},"required":["a"]},{"properties":{"b":{"type":"boolean"}},
          "required":["b"]}],"unevaluatedProperties":false})"},
      {"unevaluated-if", R"({"type":"object","if":{"properties":{"a":{"const":1}},
          "required":["a"]},"then":{"properties":{"b":true}},"unevaluatedProperties":{
          "type":"null"}})"},
      {"unevaluated-items", R"({"type":"array","anyOf":[{"prefixItems":[{"type":"integer"}]},
          {"prefixItems":[true,{"type":"boolean"}]}],"unevaluatedItems":false})"},
      {"unevaluated-contains", R"({"type":"array","contains":{"type":"integer"},
          "unevaluatedItems":{"type":"boolean"},"maxItems":3})"},
      {"overlapping-patterns", R"({"type":"object","patternProperties":{"a":{"minimum":1},
          "b":{"multipleOf":2},"^e":{"type":"integer"}},"additionalProperties":false})"},
      {"all-of-any-of", R"({"type":"object","allOf":[{"anyOf":[{"required":["a"]},
          {"required":["b"]}]},{"anyOf":[{"required":["b"]},{"required":["e"]}]}],
          "additionalProperties":{"type":"boolean"}})"},
      {"dynamic", R"({"$id":"http://e.e/t","$dynamicAnchor":"n","type":"object","properties":{
          "a":{"$dynamicRef":"#n"},"b":{"type":"integer"}},"unevaluatedProperties":false})"},
      {"recursive", R"({"$schema":"https://json-schema.org/draft/2019-09/schema",
          "$recursiveAnchor":true,"type":["array","boolean"],"items":{"$recursiveRef":"#"},
          "maxItems":2})"},
      {"look-ahead", R"({"type":"string","pattern":"^(?=.*a)(?!ab)[abe]{2,4}$"})"},
      {"look-behind", R"({"type":"string","pattern":"(?<=a)b\\b","maxLength":5})"},
      {"format-or-null", R"({"anyOf":[{"type":"string","format":"ipv4"},{"type":"null"}]})"},
  };
  for (const auto& [name, definition] : kCases) {
    cases->push_back(Schema(std::string("tiny-") + name, definition));
  }
}

void AddTinyTexts(std::vector<DefinitionCase>* cases) {
  cases->push_back(Regex("tiny-regex-classes", R"([ab]{2,5}(tr|un)*[^a"\\]?)"));
  cases->push_back(Regex("tiny-regex-counts", R"((?:a{3}|b[0-9]){1,40}\.é*)"));
  cases->push_back(Regex("tiny-regex-lines", R"((-?(0|1[0-9]*)(\.[019]+)?\n)+)"));
  cases->push_back(Ebnf("tiny-grammar-nesting", R"(root ::= "[" (root ("," root)*)? "]" | [ab]+)"));
  cases->push_back(Ebnf("tiny-grammar-left", R"(root ::= root "," item | item
item ::= "a" | "a" "b" | "{" root "}" | "")"));
  cases->push_back(
      Ebnf("tiny-grammar-ambiguous", "root ::= root root | \"a\" | \"[\" root \"]\"\n"));
}

}  // namespace

std::vector<DefinitionCase> InlineCases() {
  std::vector<DefinitionCase> cases;
  AddTinySchemas(&cases);
  AddTinyConditions(&cases);
  AddTinyTexts(&cases);
  cases.push_back(Schema("escaped-names", R"({"type":"object","properties":{"a/\"":{},"é\n":{
      "type":"string"},"😀":{"type":"null"}},"required":["é\n","😀"],
      "additionalProperties":{"type":"boolean"}})",
                         {{"{\"é\\n\": \"x\", \"\\ud83d\\ude00\": null, \"k\": true}"},
                          {"{\"\\u00e9\\u000A\":\"\",\"😀\":null}"}}));
  DefinitionCase plain = cases.back();
  plain.name = "escaped-names-plain";
  plain.texts = {{"{\"é\\n\": \"x\\u001f\\\"\", \"😀\": null, \"k\": true}"}};
  plain.options.style.escapes = StylePolicy::Escapes::kPlain;
  plain.options.style.whitespace = StylePolicy::Whitespace::kSpaced;
  cases.push_back(plain);
  cases.push_back(
      Schema("any-value", "true", {{R"([1, {"a": null, "b": [true, -1.5e3]}, "x\ty"])"}}));
  cases.push_back(Regex("regex-dates", R"(\d{4}-(0[1-9]|1[0-2])-\d{2}(T\d\d:\d\d(Z|[+-]\d\d)?)?)",
                        {{"2024-02-29T12:30+01"}, {"1999-12-31"}}));
  cases.push_back(Regex("regex-unicode", R"([\u0400-\u04ff]+ [^\s]{1,4}|\w+@\w+\.(com|org))",
                        {{"привет ½x"}, {"me@example.org"}}));
  cases.push_back(Ebnf("grammar-arithmetic", R"ebnf(root ::= expr "\n"
expr ::= expr ("+" | "-") term | term
term ::= term "*" factor | factor
factor ::= [0-9]{1,8} | [a-z] [a-z0-9]{0,10} | "(" expr ")"
)ebnf",
                       {{"(a+17)*x9-3\n"}}));
  cases.push_back(Ebnf("grammar-comments", R"(root ::= line{0,3} end
line ::= "# " [^\n]* "\n" | "let " name " = " name ";\n"
name ::= [a-zA-Z_]+
end ::= "done" | "end"
)",
                       {{"# héllo\nlet a = b;\ndone"}}));
  return cases;
}

const std::string& TinyBytes() {
  static const std::string bytes = "\"\\{}[]:, \n019-.eabtrun\xC3\xA9";
  return bytes;
}

}  // namespace maskloom::suites
