// Reads cases from files.
#include "tests/suites/definition_case.h"

#include <algorithm>
#include <filesystem>

#include "grammar/ebnf/ebnf_parser.h"
#include "runtime/cli/json_reader.h"
#include "runtime/cli/python_json.h"
#include "tests/suites/data_folder.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

using cli::JsonMember;
using cli::PythonJson;
using cli::ReadJsonArray;
using cli::ReadJsonObject;
using cli::ReadJsonString;

judge::JudgeStyle ToJudgeStyle(const StylePolicy& style) {
  judge::JudgeStyle out;
  switch (style.whitespace) {
    case StylePolicy::Whitespace::kFlexible:
      out.whitespace = judge::JudgeStyle::Whitespace::kFlexible;
      break;
    case StylePolicy::Whitespace::kCompact:
      out.whitespace = judge::JudgeStyle::Whitespace::kCompact;
      break;
    case StylePolicy::Whitespace::kIndent:
      out.whitespace = judge::JudgeStyle::Whitespace::kIndent;
      break;
    case StylePolicy::Whitespace::kAny:
      out.whitespace = judge::JudgeStyle::Whitespace::kAny;
      break;
    case StylePolicy::Whitespace::kSpaced:
      out.whitespace = judge::JudgeStyle::Whitespace::kSpaced;
      break;
  }
  out.max_blanks = style.max_blanks;
  out.indent = style.indent;
  out.declared_order = style.key_order == StylePolicy::KeyOrder::kDeclared;
  out.plain_strings = style.escapes == StylePolicy::Escapes::kPlain;
  out.max_digits = style.max_digits == kUnbounded ? 0 : style.max_digits;
  return out;
}

std::vector<std::string> ReadTexts(std::string_view array) {
  std::vector<std::string> texts;
  auto elements = ReadJsonArray(array);
  if (!elements.ok()) return texts;
  for (std::string_view element : *elements) {
    auto text = ReadJsonString(element);
    if (text.ok()) texts.push_back(*text);
  }
  return texts;
}

void AddTexts(std::string_view array, bool valid, DefinitionCase* one) {
  for (std::string& text : ReadTexts(array)) one->texts.push_back({std::move(text), valid});
}

}  // namespace

Result<std::unique_ptr<judge::Judge>> MakeJudge(const DefinitionCase& one,
                                                const std::bitset<256>& spellable) {
  switch (one.kind) {
    case DefinitionKind::kJsonSchema: {
      judge::JudgeStyle style = ToJudgeStyle(one.options.style);
      style.spellable = spellable;
      return judge::Judge::ForSchema(one.definition, style);
    }
    case DefinitionKind::kRegex:
      return judge::Judge::ForRegex(one.definition, spellable);
    case DefinitionKind::kEbnf:
      return judge::Judge::ForEbnf(one.definition, spellable);
  }
  return Status(StatusCode::kInternal, "no such kind");
}

Result<std::shared_ptr<const CompiledGrammar>> Compile(
    const DefinitionCase& one, std::shared_ptr<const VocabularyIndex> vocabulary) {
  if (one.kind == DefinitionKind::kEbnf && !one.single_quotes) {
    auto grammar = ParseEbnf(one.definition, EbnfOptions{one.options.root_rule, false});
    if (!grammar.ok()) return grammar.status();
    return CompiledGrammar::Create(std::move(*grammar), std::move(vocabulary));
  }
  auto compiled = CompileDefinition(one.kind, one.definition, one.options, std::move(vocabulary));
  if (!compiled.ok()) return compiled.status();
  return std::shared_ptr<const CompiledGrammar>(compiled->grammar);
}

std::vector<DefinitionCase> SchemaFolderCases() {
  std::vector<DefinitionCase> cases;
  for (const auto& path : JsonFilesBelow(MASKLOOM_SOURCE_ROOT "/schemas")) {
    DefinitionCase one;
    one.name = path.filename().string();
    one.definition = ReadWholeFile(path.string()).value_or("");
    cases.push_back(std::move(one));
  }
  return cases;
}

Result<DefinitionCase> ReadMaskBenchCase(const std::string& path) {
  auto text = ReadWholeFile(path);
  if (!text) return Status(StatusCode::kIo, path + " cannot be read");
  auto members = ReadJsonObject(*text);
  if (!members.ok()) return members.status();
  DefinitionCase one;
  one.name = std::filesystem::path(path).filename().string();
  std::vector<std::string_view> tests;
  for (const JsonMember& member : *members) {
    if (member.key == "schema") one.definition = member.raw;
    if (member.key != "tests") continue;
    auto elements = ReadJsonArray(member.raw);
    if (!elements.ok()) return elements.status();
    tests = *elements;
  }
  if (one.definition.empty()) return Status(StatusCode::kInvalidArgument, path + ": no schema");
  for (std::string_view test : tests) {
    auto fields = ReadJsonObject(test);
    if (!fields.ok()) return fields.status();
    CaseText spelled;
    for (const JsonMember& field : *fields) {
      if (field.key == "valid") spelled.valid = field.raw == "true";
      if (field.key != "data") continue;
      auto data = PythonJson(field.raw);
      if (!data.ok()) return data.status();
      spelled.text = *data;
    }
    one.texts.push_back(std::move(spelled));
  }
  return one;
}

std::vector<BugCase> ReadBugCases(const std::string& folder) {
  std::vector<BugCase> cases;
  for (const auto& path : JsonFilesBelow(folder)) {
    std::string text = ReadWholeFile(path.string()).value_or("");
    auto members = ReadJsonObject(text);
    if (!members.ok()) continue;
    BugCase bug;
    DefinitionCase& one = bug.definition;
    one.name = path.filename().string();
    std::string kind;
    std::string_view input;
    for (const JsonMember& member : *members) {
      if (member.key == "kind") kind = *ReadJsonString(member.raw);
      if (member.key == "expect") bug.expect = *ReadJsonString(member.raw);
      if (member.key == "input") input = member.raw;
      if (member.key == "valid" || member.key == "policy_valid") AddTexts(member.raw, true, &one);
      if (member.key == "invalid" || member.key == "policy_invalid") {
        AddTexts(member.raw, false, &one);
      }
      if (member.key == "valid_any") {
        auto groups = ReadJsonArray(member.raw);
        for (std::string_view group : groups.value()) bug.valid_any.push_back(ReadTexts(group));
      }
    }
    auto parsed = ParseDefinitionKind(kind);
    if (!parsed) continue;
    one.kind = *parsed;
    one.single_quotes = kind != "gbnf";
    one.definition =
        one.kind == DefinitionKind::kJsonSchema ? std::string(input) : *ReadJsonString(input);
    cases.push_back(std::move(bug));
  }
  return cases;
}

}  // namespace maskloom::suites
