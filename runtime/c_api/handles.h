// What the handles of the C API hold, and how a C++ result becomes a C one.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/c_api/maskloom.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/engine/definition_file.h"
#include "runtime/engine/grammar_cache.h"
#include "runtime/matcher.h"
#include "runtime/thread_pool.h"

struct maskloom_vocabulary {
  std::shared_ptr<const maskloom::VocabularyIndex> index;
};

struct maskloom_grammar {
  maskloom::CompiledDefinition definition;
  maskloom::SchemaOptions options;  // as far as the report names them
  maskloom::DefinitionSource source;
};

struct maskloom_grammar_cache {
  std::shared_ptr<maskloom::GrammarCache> cache;
};

struct maskloom_matcher {
  maskloom::Matcher matcher;
};

struct maskloom_workers {
  explicit maskloom_workers(size_t threads) : pool(threads) {}
  std::mutex mutex;  // held while a batch runs
  maskloom::ThreadPool pool;
};

namespace maskloom::c_api {

// Brings the caller's options to ours. On error: kInvalidArgument naming the field.
Status ReadCompileOptions(const maskloom_compile_options* options, DefinitionOptions* out);
// A handle of what was compiled or loaded.
maskloom_grammar* NewGrammar(SourcedDefinition sourced);

// Adds which call reads the file at `path`: one of Maskloom's own, else a model or tokenizer.
Status NameReader(const Status& status, const std::string& path);

// Fills `error`, unless it is null, and returns the code.
maskloom_status Report(const Status& status, maskloom_error* error) noexcept;
maskloom_status Report(maskloom_status code, const char* message, maskloom_error* error) noexcept;

// Copies `bytes` into a caller's buffer as convention 7 of maskloom.h says.
maskloom_status CopyOut(std::string_view bytes, char* buffer, size_t capacity,
                        size_t* length) noexcept;

// Runs `body`, which returns a maskloom_status, and turns exceptions into error codes.
template <typename Body>
maskloom_status Guard(maskloom_error* error, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Report(MASKLOOM_RESOURCE_LIMIT, "out of memory", error);
  } catch (const std::exception& exception) {
    return Report(MASKLOOM_INTERNAL, exception.what(), error);
  } catch (...) {
    return Report(MASKLOOM_INTERNAL, "unknown exception", error);
  }
}

// Returns `options` brought to the current layout: the defaults, overwritten by as many leading
// bytes as the caller's version has.
template <typename Options>
bool ReadOptions(const Options* options, void (*init)(Options*), Options* out) noexcept {
  init(out);
  if (options == nullptr) return true;
  if (options->struct_size < sizeof(size_t)) return false;
  size_t size = options->struct_size < sizeof(Options) ? options->struct_size : sizeof(Options);
  __builtin_memcpy(out, options, size);
  out->struct_size = sizeof(Options);
  return true;
}

}  // namespace maskloom::c_api
