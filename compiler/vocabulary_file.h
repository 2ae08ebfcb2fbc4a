// A vocabulary's index as a file that is mapped: a process that finds it begins in milliseconds.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compiler/archive.h"
#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"

namespace maskloom {

// Raise it whenever what an index holds changes in layout or in meaning.
inline constexpr uint32_t kVocabularyFileVersion = 6;

// Returns the bytes of the file of `index`: the same for the same vocabulary. What it made on first
// use for rarer styles is left out and will be made again.
std::string WriteVocabularyIndex(const VocabularyIndex& index);

// Writes them to `path`, whole or not at all. On error: kIo.
Status SaveVocabularyIndex(const VocabularyIndex& index, const std::string& path);

// Maps the index at `path`; it gives the same masks as one that is built. With `identity`, only one
// of that vocabulary will do. The file may be replaced or removed meanwhile, but not changed in
// place: that would change, or end, whoever reads it.
// On error: kIo for a file that cannot be read, kInvalidModel for one that is not an index, is
// damaged, of another version or of another vocabulary; the message begins with the path.
// Cost: reads the file once, about 3 ms for 20 MB that the system has in memory.
Result<std::shared_ptr<const VocabularyIndex>> LoadVocabularyIndex(
    const std::string& path, std::optional<uint64_t> identity = std::nullopt);

// Is there a file at `path` that begins as an index or a compiled grammar does, be it whole or not?
bool IsArchiveFile(const std::string& path);
// Returns which of them, if it is one that this version knows.
std::optional<ArchiveKind> ArchiveKindOfFile(const std::string& path);

}  // namespace maskloom
