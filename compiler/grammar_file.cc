#include "compiler/grammar_file.h"

#include <utility>

#include "compiler/grammar_archive.h"
#include "grammar/base/mapped_file.h"

namespace maskloom {

std::string GrammarFileBytes(const CompiledGrammar& grammar, const WriteLabel& label) {
  GrammarWriter archive;
  label(archive);
  grammar.Write(archive);
  return archive.Finish(ArchiveKind::kCompiledGrammar, kGrammarFileVersion,
                        grammar.vocabulary().identity());
}

Result<std::shared_ptr<const CompiledGrammar>> ReadGrammarFile(
    std::shared_ptr<const void> keep, std::span<const std::byte> bytes,
    std::shared_ptr<const VocabularyIndex> vocabulary, const CompileLimits& limits,
    const ReadLabel& label) {
  auto opened = ArchiveReader::Open(std::move(keep), bytes, ArchiveKind::kCompiledGrammar,
                                    kGrammarFileVersion, vocabulary->identity());
  if (!opened.ok()) return opened.status();
  GrammarReader archive(std::move(*opened));
  label(archive);
  auto grammar = CompiledGrammar::Read(archive, std::move(vocabulary), limits);
  if (Status status = archive.Close(); !status.ok()) return status;
  return grammar;
}

Result<std::shared_ptr<const CompiledGrammar>> OpenGrammarFile(
    const std::string& path, std::shared_ptr<const VocabularyIndex> vocabulary,
    const CompileLimits& limits, const ReadLabel& label) {
  auto mapped = MappedFile::Open(path);
  if (!mapped.ok()) return mapped.status();
  (*mapped)->Prefetch();
  const std::span<const std::byte> bytes = (*mapped)->bytes();
  auto grammar = ReadGrammarFile(std::move(*mapped), bytes, std::move(vocabulary), limits, label);
  if (grammar.ok()) return grammar;
  return Status(grammar.status().code(), path + ": " + grammar.status().message());
}

}  // namespace maskloom
