#include "compiler/grammar_file.h"

#include <utility>

#include "compiler/grammar_archive.h"
#include "grammar/base/mapped_file.h"

namespace maskloom {

std::string GrammarFileBytes(const CompiledGrammar& grammar, std::string_view label) {
  GrammarWriter archive;
  archive.Text(label);
  grammar.Write(archive);
  return archive.Finish(ArchiveKind::kCompiledGrammar, kGrammarFileVersion,
                        grammar.vocabulary().identity());
}

Result<GrammarFile> ReadGrammarFile(std::shared_ptr<const void> keep,
                                    std::span<const std::byte> bytes,
                                    std::shared_ptr<const VocabularyIndex> vocabulary,
                                    const CompileLimits& limits) {
  auto opened =
      ArchiveReader::Open(std::move(keep), bytes, ArchiveKind::kCompiledGrammar,
                          kGrammarFileVersion, vocabulary->identity());
  if (!opened.ok()) return opened.status();
  GrammarReader archive(std::move(*opened));
  GrammarFile file;
  archive.Text(file.label);
  file.grammar = CompiledGrammar::Read(archive, std::move(vocabulary), limits);
  if (Status status = archive.Close(); !status.ok()) return status;
  return file;
}

Result<GrammarFile> OpenGrammarFile(const std::string& path,
                                    std::shared_ptr<const VocabularyIndex> vocabulary,
                                    const CompileLimits& limits) {
  auto mapped = MappedFile::Open(path);
  if (!mapped.ok()) return mapped.status();
  (*mapped)->Prefetch();
  const std::span<const std::byte> bytes = (*mapped)->bytes();
  return ReadGrammarFile(std::move(*mapped), bytes, std::move(vocabulary), limits);
}

}  // namespace maskloom
