#include "runtime/engine/definition_file.h"

#include <optional>
#include <span>
#include <utility>

#include "compiler/checksum.h"
#include "compiler/grammar_archive.h"
#include "compiler/grammar_file.h"
#include "grammar/base/file_writer.h"
#include "runtime/engine/compile_report.h"

namespace maskloom {
namespace {

uint64_t HashOf(std::string_view text, uint64_t seed = 0) {
  return Checksum(std::as_bytes(std::span(text)), seed);
}

DefinitionSource::Document DocumentOf(const std::string& uri,
                                      const std::optional<std::string>& text) {
  return {uri, text.has_value(), text ? HashOf(*text) : 0};
}

template <typename Archive, typename Sourced>
void DescribeLabel(Archive& archive, Sourced& sourced) {
  archive.Part(sourced.source);
  archive.Text(sourced.definition.report.draft);
  archive.Parts(sourced.definition.report.keywords);
  archive.Parts(sourced.definition.report.notes);
}

}  // namespace

DefinitionSource::DefinitionSource(DefinitionKind kind, std::string_view text,
                                   const DefinitionOptions& options)
    : kind(kind), text(text) {
  if (kind == DefinitionKind::kEbnf) root_rule = options.root_rule;
  if (kind != DefinitionKind::kJsonSchema) return;
  for (NamedOption& option : ListSchemaOptions(options)) {
    this->options.push_back(std::move(option.name));
    this->options.push_back(std::move(option.value));
  }
  base_uri = options.base_uri;
  explain = options.explain;
}

bool DefinitionSource::IsLike(const DefinitionSource& other) const {
  return kind == other.kind && text == other.text && options == other.options &&
         root_rule == other.root_rule && base_uri == other.base_uri && explain == other.explain;
}

uint64_t DefinitionSource::Hash() const {
  uint64_t hash = HashOf(text, static_cast<uint64_t>(kind) * 2 + explain);
  for (const std::string& option : options) hash = HashOf(option, hash);
  return HashOf(base_uri, HashOf(root_rule, hash));
}

bool DefinitionSource::HasSameDocuments(const DefinitionOptions& options) const {
  for (const Document& known : documents) {
    const Document now = DocumentOf(
        known.uri, options.documents ? options.documents(known.uri) : std::optional<std::string>());
    if (now.found != known.found || now.hash != known.hash) return false;
  }
  return true;
}

Result<SourcedDefinition> CompileSourced(DefinitionKind kind, std::string_view text,
                                         const DefinitionOptions& options,
                                         std::shared_ptr<const VocabularyIndex> vocabulary,
                                         SchemaReport* report) {
  SourcedDefinition sourced;
  sourced.source = DefinitionSource(kind, text, options);
  DefinitionOptions noting = options;
  if (options.documents) {
    noting.documents = [&](const std::string& uri) {
      std::optional<std::string> document = options.documents(uri);
      sourced.source.documents.push_back(DocumentOf(uri, document));
      return document;
    };
  }
  auto compiled = CompileDefinition(kind, text, noting, std::move(vocabulary), report);
  if (!compiled.ok()) return compiled.status();
  sourced.definition = std::move(*compiled);
  return sourced;
}

SchemaOptions OptionsOf(const DefinitionSource& source) {
  SchemaOptions options;
  for (size_t i = 0; i + 1 < source.options.size(); i += 2) {
    // What this version does not know stays as it is by default.
    (void)SetSchemaOption(source.options[i], source.options[i + 1], &options);
  }
  return options;
}

std::string DefinitionFileBytes(const SourcedDefinition& sourced) {
  return GrammarFileBytes(*sourced.definition.grammar,
                          [&](GrammarWriter& archive) { DescribeLabel(archive, sourced); });
}

Status SaveDefinition(const SourcedDefinition& sourced, const std::string& path) {
  RemoveLeftOversOf(path);
  const std::string bytes = DefinitionFileBytes(sourced);
  return WriteFileAtomically(path, std::as_bytes(std::span(bytes)));
}

Result<SourcedDefinition> LoadDefinition(const std::string& path,
                                         std::shared_ptr<const VocabularyIndex> vocabulary,
                                         const CompileLimits& limits) {
  SourcedDefinition sourced;
  auto grammar = OpenGrammarFile(path, std::move(vocabulary), limits,
                                 [&](GrammarReader& archive) { DescribeLabel(archive, sourced); });
  if (!grammar.ok()) return grammar.status();
  sourced.definition.kind = sourced.source.kind;
  sourced.definition.grammar = std::move(*grammar);
  return sourced;
}

}  // namespace maskloom
