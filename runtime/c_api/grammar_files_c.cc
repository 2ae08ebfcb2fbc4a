// The calls of the C API about compiled grammars as files, and about the cache of them.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "compiler/vocabulary_file.h"
#include "runtime/c_api/handles.h"

using maskloom::ArchiveKind;
using maskloom::ArchiveKindOfFile;
using maskloom::DefinitionKind;
using maskloom::DefinitionOptions;
using maskloom::GrammarCache;
using maskloom::GrammarCacheOptions;
using maskloom::Status;
using maskloom::c_api::Guard;
using maskloom::c_api::NameReader;
using maskloom::c_api::NewGrammar;
using maskloom::c_api::ReadCompileOptions;
using maskloom::c_api::ReadOptions;
using maskloom::c_api::Report;

namespace {

std::optional<DefinitionKind> KindOf(maskloom_definition_kind kind) {
  switch (kind) {
    case MASKLOOM_DEFINITION_SCHEMA:
      return DefinitionKind::kJsonSchema;
    case MASKLOOM_DEFINITION_REGEX:
      return DefinitionKind::kRegex;
    case MASKLOOM_DEFINITION_EBNF:
      return DefinitionKind::kEbnf;
  }
  return std::nullopt;
}

}  // namespace

maskloom_status maskloom_grammar_save(const maskloom_grammar* grammar, const char* path,
                                      maskloom_error* error) {
  return Guard(error, [&] {
    if (grammar == nullptr || path == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "grammar or path is NULL", error);
    }
    return Report(maskloom::SaveDefinition({grammar->source, grammar->definition}, path), error);
  });
}

maskloom_status maskloom_grammar_load(const maskloom_vocabulary* vocabulary, const char* path,
                                      maskloom_grammar** grammar, maskloom_error* error) {
  return Guard(error, [&] {
    if (grammar != nullptr) *grammar = nullptr;
    if (vocabulary == nullptr || path == nullptr || grammar == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "vocabulary, path or grammar is NULL", error);
    }
    auto loaded = maskloom::LoadDefinition(path, vocabulary->index);
    if (!loaded.ok() && ArchiveKindOfFile(path) == ArchiveKind::kVocabularyIndex) {
      return Report(NameReader(loaded.status(), path), error);
    }
    if (!loaded.ok()) return Report(loaded.status(), error);
    *grammar = NewGrammar(std::move(*loaded));
    return MASKLOOM_OK;
  });
}

void maskloom_cache_options_init(maskloom_cache_options* options) {
  if (options == nullptr) return;
  const GrammarCacheOptions defaults;
  options->struct_size = sizeof(*options);
  options->memory_bytes = defaults.memory_bytes;
  options->folder = nullptr;
  options->folder_bytes = defaults.folder_bytes;
}

maskloom_status maskloom_grammar_cache_create(const maskloom_cache_options* options,
                                              maskloom_grammar_cache** cache,
                                              maskloom_error* error) {
  return Guard(error, [&] {
    if (cache == nullptr) return Report(MASKLOOM_INVALID_ARGUMENT, "cache is NULL", error);
    *cache = nullptr;
    maskloom_cache_options read;
    if (!ReadOptions(options, maskloom_cache_options_init, &read)) {
      return Report(MASKLOOM_INVALID_ARGUMENT,
                    "struct_size of the cache options is not set; call maskloom_cache_options_init "
                    "first",
                    error);
    }
    GrammarCacheOptions own;
    own.memory_bytes = read.memory_bytes;
    if (read.folder != nullptr && *read.folder == '\0') {
      return Report(MASKLOOM_INVALID_ARGUMENT, "folder is empty; NULL stands for none", error);
    }
    if (read.folder != nullptr) own.folder = read.folder;
    own.folder_bytes = read.folder_bytes;
    auto created = GrammarCache::Create(own);
    if (!created.ok()) return Report(created.status(), error);
    *cache = new maskloom_grammar_cache{std::move(*created)};
    return MASKLOOM_OK;
  });
}

void maskloom_grammar_cache_free(maskloom_grammar_cache* cache) {
  (void)Guard(nullptr, [&] {
    delete cache;
    return MASKLOOM_OK;
  });
}

maskloom_status maskloom_grammar_cache_get(maskloom_grammar_cache* cache,
                                           const maskloom_vocabulary* vocabulary,
                                           maskloom_definition_kind kind, const char* text,
                                           size_t length, const maskloom_compile_options* options,
                                           maskloom_grammar** grammar, maskloom_error* error) {
  return Guard(error, [&] {
    if (grammar != nullptr) *grammar = nullptr;
    if (cache == nullptr || vocabulary == nullptr || grammar == nullptr ||
        (text == nullptr && length > 0)) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "cache, vocabulary, text or grammar is NULL", error);
    }
    const std::optional<DefinitionKind> own_kind = KindOf(kind);
    if (!own_kind) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "kind is none of maskloom_definition_kind", error);
    }
    DefinitionOptions own;
    if (Status status = ReadCompileOptions(options, &own); !status.ok()) {
      return Report(status, error);
    }
    auto got = cache->cache->Get(*own_kind, std::string_view(length > 0 ? text : "", length), own,
                                 vocabulary->index);
    if (!got.ok()) return Report(got.status(), error);
    *grammar = NewGrammar(**got);
    return MASKLOOM_OK;
  });
}

maskloom_status maskloom_grammar_cache_flush(maskloom_grammar_cache* cache, maskloom_error* error) {
  return Guard(error, [&] {
    if (cache == nullptr) return Report(MASKLOOM_INVALID_ARGUMENT, "cache is NULL", error);
    return Report(cache->cache->Flush(), error);
  });
}

maskloom_status maskloom_grammar_cache_statistics(const maskloom_grammar_cache* cache,
                                                  maskloom_cache_statistics* statistics) {
  if (cache == nullptr || statistics == nullptr || statistics->struct_size < sizeof(size_t)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  return Guard(nullptr, [&] {
    const maskloom::GrammarCacheStatistics now = cache->cache->statistics();
    const size_t size = std::min(statistics->struct_size, sizeof(maskloom_cache_statistics));
    const maskloom_cache_statistics all = {
        statistics->struct_size, now.memory_hits,   now.folder_hits,   now.misses,
        now.evictions,           now.files_written, now.files_removed, now.files_unusable,
        now.write_failures,      now.grammars,      now.memory_bytes};
    std::memcpy(statistics, &all, size);
    return MASKLOOM_OK;
  });
}
