// Compiled grammars by what they were compiled from: in memory, and in a folder if one is given.
//
// Whoever asks for a definition gets the grammar that is in memory; else the file in the folder is
// mapped; else it is compiled, once, however many threads ask at the same time. Definitions that
// are refused are not remembered.
//
// In memory the grammar that was not used for longest goes first. Files are written when a grammar
// leaves memory, by Flush and at the end, so that they hold the masks that were made meanwhile; the
// folder loses those files first that were not used for longest, and what writers left that were
// killed. Several processes may share a folder. A file that is damaged is as good as none, and
// replaced.
#pragma once

#include <tsl/robin_map.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/engine/definition_file.h"

namespace maskloom {

struct GrammarCacheOptions {
  size_t memory_bytes = size_t{256} << 20;  // of grammars that the cache holds
  std::string folder;                       // empty: none. It is made if it is not there.
  uint64_t folder_bytes = uint64_t{1} << 30;
};

struct GrammarCacheStatistics {
  uint64_t memory_hits = 0;  // waiting for another thread's compilation included
  uint64_t folder_hits = 0;
  uint64_t misses = 0;     // compilations, refused ones included
  uint64_t evictions = 0;  // from memory
  uint64_t files_written = 0;
  uint64_t files_removed = 0;   // to keep to folder_bytes, or left by writers that were killed
  uint64_t files_unusable = 0;  // damaged, of another version, or of a document that has changed
  uint64_t write_failures = 0;
  size_t grammars = 0;      // in memory now
  size_t memory_bytes = 0;  // of these, when they were last asked for
};

// Thread safety: any thread.
class GrammarCache {
 public:
  // On error: kIo where the folder can neither be found nor made.
  static Result<std::shared_ptr<GrammarCache>> Create(const GrammarCacheOptions& options);
  // Writes what the folder lacks.
  ~GrammarCache();
  GrammarCache(const GrammarCache&) = delete;
  GrammarCache& operator=(const GrammarCache&) = delete;

  // Returns the compiled definition; it stays usable whatever becomes of the cache. Of `options`,
  // limits and what is made ahead count only where it is compiled. `report` as in
  // CompileDefinition. On error: as CompileDefinition. Cost: of a hit in memory a hash of the text,
  // and a question for each document that the definition refers to.
  Result<std::shared_ptr<const SourcedDefinition>> Get(
      DefinitionKind kind, std::string_view text, const DefinitionOptions& options,
      std::shared_ptr<const VocabularyIndex> vocabulary, SchemaReport* report = nullptr);

  // Writes all grammars in memory that are not in the folder with the masks they have by now.
  // Does nothing without a folder. On error: kIo of the first file that cannot be written.
  Status Flush();

  GrammarCacheStatistics statistics() const;

 private:
  using Definition = std::shared_ptr<const SourcedDefinition>;
  struct Entry {
    uint64_t key;
    Definition definition;
    size_t bytes;
    uint64_t built_in_file;  // masks built when it was written; kNotInFile: there is none
  };
  using Entries = std::list<Entry>;  // used last first
  // A compilation or a look into the folder that is under way.
  struct Flight {
    bool done = false;
    Status status;
    Definition definition;
    SchemaReport report;
  };
  static constexpr uint64_t kNotInFile = ~uint64_t{0};

  explicit GrammarCache(GrammarCacheOptions options) : options_(std::move(options)) {}

  std::string PathOf(uint64_t key) const;
  // Looks into the folder; null if nothing is there that can be used.
  Definition LoadFile(uint64_t key, const DefinitionSource& source,
                      const DefinitionOptions& options,
                      const std::shared_ptr<const VocabularyIndex>& vocabulary);
  // Writes the grammar of `entry` unless its file has all masks. Sets how many were built by then.
  Status WriteFile(const Entry& entry, uint64_t* built);
  void TrimFolder();

  // Tells those who wait for `flight` that it is over.
  void Land(uint64_t key, Flight* flight);

  // Both require mutex_.
  Entries::iterator Find(uint64_t key, const DefinitionSource& source);
  // Puts `entry` first. Returns what has to leave for it.
  Entries Keep(Entry entry);

  const GrammarCacheOptions options_;
  std::mutex folder_mutex_;  // of those who remove files

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable landed_;
  Entries entries_;
  tsl::robin_map<uint64_t, Entries::iterator> by_key_;
  tsl::robin_map<uint64_t, std::shared_ptr<Flight>> flights_;
  GrammarCacheStatistics statistics_;
};

}  // namespace maskloom
