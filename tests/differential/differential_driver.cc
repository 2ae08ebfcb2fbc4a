// The engine's side of the differential test: reads one JSON request a line, answers with one line.
//   {"seed":N,"draft":"2020","values":K,"walks":W}  draws a schema, K values near it and W texts
//        from the engine's own masks, and judges them
//   {"schema":"..","texts":[".."]}                  judges these
// Answer: {"schema","status","message","texts":[{"text","own","engine","plain"}]}; status is "ok"
// or the name of the engine's refusal; `own` marks texts written by the masks; `plain` is what the
// plain validator says.
#include <iostream>

#include "runtime/matcher.h"
#include "tests/judge/code_points.h"
#include "tests/judge/plain_validator.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_chain_schema.h"
#include "tests/suites/random_full_schema.h"
#include "tests/suites/random_instance.h"
#include "tests/suites/random_text.h"

namespace maskloom::suites {
namespace {

using judge::Draft;
using judge::JsonTree;
using judge::Verdict;

struct Text {
  std::string text;
  bool own = false;
};

std::string Quoted(const std::string& text) {
  auto decoded = judge::DecodeUtf8(text);
  return decoded ? judge::ToJsonText(*decoded) : "null";
}

const char* Name(Verdict verdict) {
  return verdict == Verdict::kValid     ? "\"valid\""
         : verdict == Verdict::kInvalid ? "\"invalid\""
                                        : "\"unknown\"";
}

std::string Name(StatusCode code) {
  switch (code) {
    case StatusCode::kUnsatisfiable:
      return "unsatisfiable";
    case StatusCode::kUnsupported:
      return "unsupported";
    case StatusCode::kResourceLimit:
      return "resource limit";
    case StatusCode::kInvalidDefinition:
      return "invalid definition";
    default:
      return "error";
  }
}

void Answer(const std::string& schema, std::vector<Text> texts, size_t walks,
            std::mt19937_64* random) {
  DefinitionCase one;
  one.definition = schema;
  auto grammar = Compile(one, VocabularyIndex::Bytes());
  judge::PlainOptions options;
  options.assert_formats = true;
  auto validator = judge::PlainValidator::Create(schema, options);
  std::string complaint;
  for (size_t i = 0; grammar.ok() && i < walks; ++i) {
    RandomText written = WriteRandomText(*grammar, Chooser::kSeeking, 15 * (1 + i % 8), random);
    if (!written.complaint.empty()) complaint = written.complaint;
    texts.push_back({written.text, true});
  }
  std::string out = "{\"schema\":" + Quoted(schema) + ",\"status\":\"" +
                    (grammar.ok() ? "ok" : Name(grammar.status().code())) + "\",\"message\":" +
                    Quoted(grammar.ok() ? complaint : grammar.status().ToString()) + ",\"texts\":[";
  bool first = true;
  for (const Text& text : texts) {
    bool accepted = false;
    if (grammar.ok()) {
      Matcher matcher(*grammar);
      accepted = matcher.AcceptBytes(text.text) == text.text.size() && matcher.IsAccepting();
    }
    auto value = judge::ParseJsonTree(text.text);
    Verdict verdict = !validator.ok() ? Verdict::kUnknown
                      : value.ok()    ? (*validator)->Validate(*value)
                                      : Verdict::kInvalid;
    out += std::string(first ? "" : ",") + "{\"text\":" + Quoted(text.text) +
           ",\"own\":" + (text.own ? "true" : "false") +
           ",\"engine\":" + (accepted ? "true" : "false") + ",\"plain\":" + Name(verdict) + "}";
    first = false;
  }
  std::cout << out << "]}" << std::endl;
}

size_t NumberIn(const JsonTree& request, std::u32string_view name, size_t otherwise) {
  const JsonTree* found = request.Find(name);
  return found == nullptr ? otherwise : std::strtoull(found->number.c_str(), nullptr, 10);
}

void Draw(const JsonTree& request) {
  std::mt19937_64 random(NumberIn(request, U"seed", 0));
  static const std::pair<const char32_t*, Draft> kDrafts[] = {{U"4", Draft::k4},
                                                              {U"6", Draft::k6},
                                                              {U"7", Draft::k7},
                                                              {U"2019", Draft::k2019},
                                                              {U"2020", Draft::k2020}};
  Draft draft = Draft::k2020;
  const JsonTree* named = request.Find(U"draft");
  for (const auto& [name, value] : kDrafts) {
    if (named != nullptr && named->text == name) draft = value;
  }
  FullSchemaOptions options;
  options.formats = "date ipv4 ipv6 uuid";
  const bool chain = request.Find(U"chain") != nullptr;
  std::string schema =
      chain ? RandomChainSchema(draft, &random) : RandomFullSchema(draft, options, &random);
  auto tree = judge::ParseJsonTree(schema);
  std::vector<Text> texts;
  if (tree.ok()) {
    InstanceWriter writer(*tree, &random);
    std::vector<JsonTree> values;
    for (size_t i = NumberIn(request, U"values", 20); i > 0; --i) {
      size_t kind = random() % 8;
      JsonTree value = kind == 0 ? writer.Arbitrary(3)
                       : kind < 4 && !values.empty()
                           ? writer.Mutated(values[random() % values.size()])
                           : writer.Guided();
      texts.push_back({Spell(value, &random)});
      values.push_back(std::move(value));
    }
  }
  Answer(schema, std::move(texts), NumberIn(request, U"walks", 8), &random);
}

void Serve() {
  for (std::string line; std::getline(std::cin, line);) {
    auto request = judge::ParseJsonTree(line);
    if (!request.ok()) {
      std::cout << "{\"status\":\"malformed request\"}" << std::endl;
      continue;
    }
    const JsonTree* schema = request->Find(U"schema");
    if (schema == nullptr) {
      Draw(*request);
      continue;
    }
    std::vector<Text> texts;
    const JsonTree* given = request->Find(U"texts");
    for (size_t i = 0; given != nullptr && i < given->items.size(); ++i) {
      texts.push_back({judge::ToUtf8(given->items[i].text)});
    }
    std::mt19937_64 random(1);
    Answer(judge::ToUtf8(schema->text), std::move(texts), NumberIn(*request, U"walks", 0), &random);
  }
}

}  // namespace
}  // namespace maskloom::suites

int main() {
  maskloom::suites::Serve();
  return 0;
}
