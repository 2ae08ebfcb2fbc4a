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
