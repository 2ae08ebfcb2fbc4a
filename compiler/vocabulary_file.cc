#include "compiler/vocabulary_file.h"

#include <utility>

#include "grammar/base/file_writer.h"
#include "grammar/base/mapped_file.h"

namespace maskloom {

std::string WriteVocabularyIndex(const VocabularyIndex& index) {
  ArchiveWriter archive;
  archive.Part(index);
  archive.Part(index.standard_walks(StylePolicy()));
  return archive.Finish(ArchiveKind::kVocabularyIndex, kVocabularyFileVersion, index.identity());
}

Status SaveVocabularyIndex(const VocabularyIndex& index, const std::string& path) {
  RemoveLeftOversOf(path);
  return WriteFileAtomically(path,
                             std::as_bytes(std::span<const char>(WriteVocabularyIndex(index))));
}

Result<std::shared_ptr<const VocabularyIndex>> LoadVocabularyIndex(
    const std::string& path, std::optional<uint64_t> identity) {
  const auto file = MappedFile::Open(path);
  if (!file.ok()) return file.status();
  (*file)->Prefetch();
  auto archive = ArchiveReader::Open(*file, (*file)->bytes(), ArchiveKind::kVocabularyIndex,
                                     kVocabularyFileVersion, identity);
  Status status = archive.status();
  if (archive.ok()) {
    auto index = VocabularyIndex::Read(&*archive);
    if (index.ok()) return index;
    status = index.status();
  }
  return Status(status.code(), path + ": " + status.message());
}

bool IsArchiveFile(const std::string& path) {
  const auto file = MappedFile::Open(path);
  return file.ok() && IsArchive((*file)->bytes());
}

std::optional<ArchiveKind> ArchiveKindOfFile(const std::string& path) {
  const auto file = MappedFile::Open(path);
  return file.ok() ? ArchiveKindOf((*file)->bytes()) : std::nullopt;
}

}  // namespace maskloom
