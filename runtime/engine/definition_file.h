// Compiled definitions as files: a compiled grammar (compiler/grammar_file.h) with what its
// definition was, how it was read, and the report.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/engine/compile_definition.h"

namespace maskloom {

// What a definition was compiled from, beside the vocabulary: equal sources compile alike.
struct DefinitionSource {
  // A document that a schema referred to.
  struct Document {
    std::string uri;
    bool found = false;
    uint64_t hash = 0;  // of its text

    template <typename Archive, typename Self>
    static void Describe(Archive& archive, Self& self) {
      archive.Text(self.uri);
      archive.Value(self.found);
      archive.Value(self.hash);
    }
  };

  DefinitionKind kind = DefinitionKind::kJsonSchema;
  std::string text;
  std::vector<std::string> options;  // names and values by turns
  std::string root_rule;
  std::string base_uri;
  bool explain = false;
  std::vector<Document> documents;  // in the order in which they were asked for

  DefinitionSource() = default;
  DefinitionSource(DefinitionKind kind, std::string_view text, const DefinitionOptions& options);

  // Are both alike, documents aside?
  bool IsLike(const DefinitionSource& other) const;
  // A hash of what IsLike compares. Not for adversaries: compare.
  uint64_t Hash() const;
  // Are the documents now as they were?
  bool HasSameDocuments(const DefinitionOptions& options) const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.kind);
    archive.Text(self.text);
    archive.Texts(self.options);
    archive.Text(self.root_rule);
    archive.Text(self.base_uri);
    archive.Value(self.explain);
    archive.Parts(self.documents);
  }
};

// A definition that was compiled, with its source.
struct SourcedDefinition {
  DefinitionSource source;
  CompiledDefinition definition;
};

// As CompileDefinition, and notes what the source was.
Result<SourcedDefinition> CompileSourced(DefinitionKind kind, std::string_view text,
                                         const DefinitionOptions& options,
                                         std::shared_ptr<const VocabularyIndex> vocabulary,
                                         SchemaReport* report = nullptr);

// The options of schemas that `source` was compiled with, as far as reports name them.
SchemaOptions OptionsOf(const DefinitionSource& source);

// Returns the bytes of a file with the definition and the masks that its grammar has by now.
std::string DefinitionFileBytes(const SourcedDefinition& sourced);
// Writes such a file, whole or not at all. On error: kIo.
Status SaveDefinition(const SourcedDefinition& sourced, const std::string& path);
// Maps the file at `path`; masks of its grammar are kept within `limits`.
// On error: kIo; kInvalidArgument for what is no such file, of another version or vocabulary, cut
// short or damaged. Load only files that you would run: a forged one is not told apart.
Result<SourcedDefinition> LoadDefinition(const std::string& path,
                                         std::shared_ptr<const VocabularyIndex> vocabulary,
                                         const CompileLimits& limits = {});

}  // namespace maskloom
