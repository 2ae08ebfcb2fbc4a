// The options that name a definition and say how it is read, shared by the commands that compile
// one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/cli/schema_folders.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/engine/definition_file.h"
#include "runtime/engine/grammar_cache.h"

namespace CLI {
class App;
}

namespace maskloom::cli {

// What the command line said.
struct DefinitionFlags {
  std::string schema;    // a file
  std::string regex;     // a pattern
  std::string grammar;   // a file
  std::string compiled;  // a file of `maskloom compile`
  std::string cache;     // a folder
  bool has_schema = false;
  bool has_regex = false;
  bool has_grammar = false;
  bool has_compiled = false;
  bool has_cache = false;
  std::vector<std::pair<std::string, std::string>> options;  // as SetSchemaOption takes them
  std::vector<std::string> schema_folders;
  std::string schema_url;  // empty: where the schema was found

  bool any() const { return has_schema || has_regex || has_grammar || has_compiled; }
};

// A definition as read from where the flags say.
struct Definition {
  DefinitionKind kind = DefinitionKind::kJsonSchema;
  std::string name;  // for messages: the file, or "the regex"
  std::string text;
  DefinitionOptions options;
  std::shared_ptr<SchemaFolders> folders;  // what options.documents looks into
  std::string compiled;                    // a file that holds it; `text` and `kind` are not known
                                           // before it is loaded
  std::shared_ptr<GrammarCache> cache;     // null: none
};

// Adds --schema, --regex, --grammar, which exclude each other, and the options of schemas.
void AddSourceFlags(CLI::App* command, DefinitionFlags* flags);
// The same with --compiled and --cache: where a definition is compiled already.
void AddDefinitionFlags(CLI::App* command, DefinitionFlags* flags);
// Adds --schema and the options of schemas alone.
void AddSchemaFlags(CLI::App* command, DefinitionFlags* flags);

// Reads the options, without a definition, and opens the folders of documents and the cache.
// On error: kInvalidArgument for an option; kIo.
Result<Definition> ReadDefinitionOptions(const DefinitionFlags& flags);

// Reads the definition; of --compiled only its name. Requires: flags.any().
// On error: kInvalidArgument for an option, also one that only schemas take beside another
// definition; kIo.
Result<Definition> ReadDefinition(const DefinitionFlags& flags);

// Compiles the definition, or finds it compiled: in the file of --compiled, which then says what
// the definition is, or in the cache. `report` as in CompileDefinition.
// On error: as CompileDefinition and LoadDefinition.
Result<SourcedDefinition> Compile(Definition* definition,
                                  std::shared_ptr<const VocabularyIndex> vocabulary,
                                  SchemaReport* report = nullptr);
// Writes to the cache, if there is one, what was compiled, with the masks made by now. Warns where
// that fails.
void KeepInCache(const Definition& definition);

// Warns of annotations that have a note, and of what the schema says in vain.
void WarnOfReport(const SchemaReport& report);
// Warns of documents that were found by a name that several files have.
void WarnOfFolders(const Definition& definition);

// Prints why `definition` is refused, with advice where the cause is a document that was not found,
// and returns the exit status.
int ReportRefusal(const Definition& definition, const Status& status);

}  // namespace maskloom::cli
