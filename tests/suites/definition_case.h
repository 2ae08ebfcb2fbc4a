// A definition with texts, as the suites give them, and the two readers of it: engine and judge.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/engine/compile_definition.h"
#include "tests/judge/judge.h"

namespace maskloom::suites {

struct CaseText {
  std::string text;
  bool valid = true;
};

struct DefinitionCase {
  std::string name;
  DefinitionKind kind = DefinitionKind::kJsonSchema;
  std::string definition;
  DefinitionOptions options;
  bool single_quotes = true;  // of EBNF: may literals be written 'so'?
  std::vector<CaseText> texts;
};

// The judge's reading of the case; `spellable` are the bytes that have tokens of their own.
Result<std::unique_ptr<judge::Judge>> MakeJudge(const DefinitionCase& one,
                                                const std::bitset<256>& spellable);

// The engine's reading of it.
Result<std::shared_ptr<const CompiledGrammar>> Compile(
    const DefinitionCase& one, std::shared_ptr<const VocabularyIndex> vocabulary);

// The files of schemas/, without texts, by name.
std::vector<DefinitionCase> SchemaFolderCases();

// Small definitions that need no file: schemas in every style, regexes and grammars. Those whose
// names start with "tiny" can be spelled with the bytes of TinyBytes().
std::vector<DefinitionCase> InlineCases();

// The 24 bytes that matter: JSON's punctuation, pieces of numbers and literals, a blank, a line
// break and the two bytes of a letter beyond ASCII.
const std::string& TinyBytes();

// Reads a MaskBench file. The texts are spelled as json.dumps(data, ensure_ascii=False) does.
// On error: kIo; kInvalidArgument for a file that is no such case.
Result<DefinitionCase> ReadMaskBenchCase(const std::string& path);

// Reads the cases of bugcases/ of the kinds json_schema, regex, ebnf and gbnf.
struct BugCase {
  std::string expect;  // "ok", "error" or "ok_or_error"
  DefinitionCase definition;
  std::vector<std::vector<std::string>> valid_any;  // of each group at least one is valid
};
std::vector<BugCase> ReadBugCases(const std::string& folder);

}  // namespace maskloom::suites
