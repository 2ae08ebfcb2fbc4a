#include "runtime/engine/grammar_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "compiler/checksum.h"
#include "compiler/grammar_file.h"
#include "compiler/mask_cache.h"
#include "grammar/base/file_writer.h"

namespace maskloom {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".grammar";

uint64_t KeyOf(const DefinitionSource& source, const VocabularyIndex& vocabulary) {
  const std::array<uint64_t, 3> parts = {source.Hash(), vocabulary.identity(), kGrammarFileVersion};
  return Checksum(std::as_bytes(std::span(parts)));
}

// Masks that were built since the grammar was compiled or loaded: what its file may lack.
uint64_t BuiltIn(const SourcedDefinition& definition) {
  return definition.definition.grammar->masks().built_count();
}

// Says why there is no folder at `path` after `error` came of making one.
std::string WhyNoFolder(const std::string& path, const std::error_code& error) {
  std::error_code failed;
  if (fs::exists(path, failed)) return ": is a file, not a folder";
  if (fs::is_symlink(path, failed)) return ": is a link to a folder that is not there";
  return ": cannot be made a folder: " + error.message();
}

void CopyReport(const SourcedDefinition& definition, SchemaReport* report) {
  if (report != nullptr) *report = definition.definition.report;
}

}  // namespace

Result<std::shared_ptr<GrammarCache>> GrammarCache::Create(const GrammarCacheOptions& options) {
  if (!options.folder.empty()) {
    std::error_code error, failed;
    fs::create_directories(options.folder, error);
    if (!fs::is_directory(options.folder, failed)) {
      return Status(StatusCode::kIo, options.folder + WhyNoFolder(options.folder, error));
    }
  }
  return std::shared_ptr<GrammarCache>(new GrammarCache(options));
}

GrammarCache::~GrammarCache() {
  // Nobody is left to be told of a failure.
  (void)Flush();
}

std::string GrammarCache::PathOf(uint64_t key) const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[key >> shift & 15];
  return (fs::path(options_.folder) / (name + std::string(kSuffix))).string();
}

GrammarCache::Entries::iterator GrammarCache::Find(uint64_t key, const DefinitionSource& source) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return entries_.end();
  const Entries::iterator entry = found->second;
  return entry->definition->source.IsLike(source) ? entry : entries_.end();
}

GrammarCache::Entries GrammarCache::Keep(Entry entry) {
  Entries leaving;
  if (const auto old = by_key_.find(entry.key); old != by_key_.end()) {
    statistics_.memory_bytes -= old->second->bytes;
    entries_.erase(old->second);
  }
  statistics_.memory_bytes += entry.bytes;
  entries_.push_front(std::move(entry));
  by_key_[entries_.front().key] = entries_.begin();
  while (statistics_.memory_bytes > options_.memory_bytes && !entries_.empty()) {
    statistics_.memory_bytes -= entries_.back().bytes;
    by_key_.erase(entries_.back().key);
    leaving.splice(leaving.begin(), entries_, std::prev(entries_.end()));
    ++statistics_.evictions;
  }
  return leaving;
}

Result<std::shared_ptr<const SourcedDefinition>> GrammarCache::Get(
    DefinitionKind kind, std::string_view text, const DefinitionOptions& options,
    std::shared_ptr<const VocabularyIndex> vocabulary, SchemaReport* report) {
  const DefinitionSource source(kind, text, options);
  const uint64_t key = KeyOf(source, *vocabulary);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    if (const auto entry = Find(key, source); entry != entries_.end()) {
      const Definition definition = entry->definition;
      lock.unlock();
      const bool is_current = definition->source.HasSameDocuments(options);
      const size_t bytes = definition->definition.grammar->MemoryBytes();
      lock.lock();
      if (!is_current) break;
      ++statistics_.memory_hits;
      if (const auto still = Find(key, source);
          still != entries_.end() && still->definition == definition) {
        statistics_.memory_bytes += bytes - still->bytes;
        still->bytes = bytes;
        entries_.splice(entries_.begin(), entries_, still);
      }
      lock.unlock();
      CopyReport(*definition, report);
      return definition;
    }
    const auto flying = flights_.find(key);
    if (flying == flights_.end()) break;
    // What another thread is about to know of the same key is, but for chance, this definition.
    const std::shared_ptr<Flight> flight = flying->second;
    landed_.wait(lock, [&] { return flight->done; });
    if (flight->definition == nullptr) {
      ++statistics_.misses;
      lock.unlock();
      if (report != nullptr) *report = flight->report;
      return flight->status;
    }
    if (!flight->definition->source.IsLike(source)) break;
    if (!flight->definition->source.HasSameDocuments(options)) break;
    ++statistics_.memory_hits;
    lock.unlock();
    CopyReport(*flight->definition, report);
    return flight->definition;
  }
  const auto flight = std::make_shared<Flight>();
  flight->status = Status(StatusCode::kResourceLimit, "out of memory while compiling");
  flights_[key] = flight;
  lock.unlock();
  // However this call ends, nobody waits for it longer than to here.
  const auto land = [this, key](Flight* over) { Land(key, over); };
  std::unique_ptr<Flight, decltype(land)> landing(flight.get(), land);

  bool from_file = true;
  Status status;
  SchemaReport own_report;
  Definition definition = LoadFile(key, source, options, vocabulary);
  if (definition == nullptr) {
    from_file = false;
    auto compiled = CompileSourced(kind, text, options, std::move(vocabulary), &own_report);
    if (compiled.ok()) {
      definition = std::make_shared<const SourcedDefinition>(std::move(*compiled));
    } else {
      status = compiled.status();
    }
  } else {
    own_report = definition->definition.report;
  }
  Entries leaving;
  const size_t bytes = definition == nullptr ? 0 : definition->definition.grammar->MemoryBytes();
  {
    const std::lock_guard<std::mutex> keeping(mutex_);
    ++(from_file ? statistics_.folder_hits : statistics_.misses);
    if (definition != nullptr) {
      leaving = Keep({key, definition, bytes, from_file ? BuiltIn(*definition) : kNotInFile});
    }
    flight->status = status;
    flight->definition = definition;
    flight->report = own_report;
  }
  landing.reset();
  if (!options_.folder.empty()) {
    for (const Entry& entry : leaving) {
      uint64_t built = 0;
      (void)WriteFile(entry, &built);  // a failure is counted
    }
    if (!leaving.empty()) TrimFolder();
  }
  if (report != nullptr) *report = std::move(own_report);
  if (definition == nullptr) return status;
  return definition;
}

void GrammarCache::Land(uint64_t key, Flight* flight) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    flight->done = true;
    const auto own = flights_.find(key);
    if (own != flights_.end() && own->second.get() == flight) flights_.erase(own);
  }
  landed_.notify_all();
}

GrammarCache::Definition GrammarCache::LoadFile(
    uint64_t key, const DefinitionSource& source, const DefinitionOptions& options,
    const std::shared_ptr<const VocabularyIndex>& vocabulary) {
  if (options_.folder.empty()) return nullptr;
  const std::string path = PathOf(key);
  std::error_code error;
  if (!fs::exists(path, error)) return nullptr;
  auto loaded = LoadDefinition(path, vocabulary, options.limits);
  if (loaded.ok() && loaded->source.IsLike(source) && loaded->source.HasSameDocuments(options)) {
    // Its time of writing is its time of use: what the folder forgets is told by it.
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    return std::make_shared<const SourcedDefinition>(std::move(*loaded));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  ++statistics_.files_unusable;
  return nullptr;
}

Status GrammarCache::WriteFile(const Entry& entry, uint64_t* built) {
  *built = BuiltIn(*entry.definition);
  if (*built == entry.built_in_file) return Status::Ok();
  const std::string bytes = DefinitionFileBytes(*entry.definition);
  Status status = WriteFileAtomically(PathOf(entry.key), std::as_bytes(std::span(bytes)));
  const std::lock_guard<std::mutex> lock(mutex_);
  ++(status.ok() ? statistics_.files_written : statistics_.write_failures);
  return status;
}

Status GrammarCache::Flush() {
  if (options_.folder.empty()) return Status::Ok();
  std::vector<Entry> entries;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    entries.assign(entries_.begin(), entries_.end());
  }
  Status first;
  for (const Entry& entry : entries) {
    uint64_t built = 0;
    Status status = WriteFile(entry, &built);
    if (!status.ok()) {
      if (first.ok()) first = status;
      continue;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto there = Find(entry.key, entry.definition->source);
    if (there != entries_.end() && there->definition == entry.definition) {
      there->built_in_file = built;
    }
  }
  TrimFolder();
  return first;
}

void GrammarCache::TrimFolder() {
  const std::lock_guard<std::mutex> folder_lock(folder_mutex_);
  struct File {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(options_.folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool is_part = FileOfPart(name).ends_with(kSuffix);
    if (!is_part && it->path().extension() != kSuffix) continue;
    if (is_part && RemoveIfLeftOver(it->path().string())) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++statistics_.files_removed;
      continue;
    }
    std::error_code gone;  // another process may remove it meanwhile
    const fs::file_time_type used = it->last_write_time(gone);
    const uint64_t bytes = gone ? 0 : it->file_size(gone);
    if (gone) continue;
    total += bytes;
    if (!is_part) files.push_back({used, bytes, it->path()});
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used < b.used; });
  for (size_t i = 0; i < files.size() && total > options_.folder_bytes; ++i) {
    if (!fs::remove(files[i].path, error)) continue;
    total -= files[i].bytes;
    const std::lock_guard<std::mutex> lock(mutex_);
    ++statistics_.files_removed;
  }
}

GrammarCacheStatistics GrammarCache::statistics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  GrammarCacheStatistics now = statistics_;
  now.grammars = entries_.size();
  return now;
}

}  // namespace maskloom
