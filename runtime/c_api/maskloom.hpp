// A thin C++ layer over maskloom.h: handles that free themselves, spans and strings in place of
// pointers and lengths. Needs C++17. It adds no behaviour; what each call does stands in
// maskloom.h.
//
// Calls that can fail return an Outcome: a value or a maskloom_error.
#ifndef MASKLOOM_HPP_
#define MASKLOOM_HPP_

#include <maskloom.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maskloom::api {

// A value, or the error that says why there is none.
template <typename T>
class Outcome {
 public:
  Outcome(T value) : value_(std::move(value)) {}           // NOLINT(google-explicit-constructor)
  Outcome(const maskloom_error& error) : error_(error) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  // Requires: !ok().
  const maskloom_error& error() const { return error_; }
  // Requires: ok().
  T& operator*() { return *value_; }
  T* operator->() { return &*value_; }

 private:
  std::optional<T> value_;
  maskloom_error error_{};
};

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};

namespace internal {

// Calls `read(buffer, capacity, &length)` until the buffer is large enough.
template <typename Read>
std::string ReadBytes(Read&& read) {
  std::string bytes(256, '\0');
  size_t length = 0;
  if (read(bytes.data(), bytes.size(), &length) != MASKLOOM_OK) return {};
  if (length > bytes.size()) {
    bytes.resize(length);
    if (read(bytes.data(), bytes.size(), &length) != MASKLOOM_OK) return {};
  }
  bytes.resize(length);
  return bytes;
}

// The same for calls that can fail.
template <typename Read>
Outcome<std::string> ReadText(Read&& read) {
  maskloom_error error;
  std::string bytes(4096, '\0');
  size_t length = 0;
  if (read(bytes.data(), bytes.size(), &length, &error) != MASKLOOM_OK) return error;
  if (length > bytes.size()) {
    bytes.resize(length);
    if (read(bytes.data(), bytes.size(), &length, &error) != MASKLOOM_OK) return error;
  }
  bytes.resize(length);
  return bytes;
}

}  // namespace internal

// Options with the documents that schemas refer to. `resolve` is called with a URI and returns a
// std::optional<std::string>: the text, or nothing. Not to be moved while it is in use.
template <typename Resolve>
class CompileOptions {
 public:
  explicit CompileOptions(Resolve resolve) : resolve_(std::move(resolve)) {
    maskloom_compile_options_init(&options_);
    options_.resolve = [](const char* uri, void* user) {
      auto* self = static_cast<CompileOptions*>(user);
      std::optional<std::string> text = self->resolve_(uri);
      if (!text) return maskloom_document{nullptr, 0};
      self->text_ = std::move(*text);
      return maskloom_document{self->text_.data(), self->text_.size()};
    };
    options_.resolve_user = this;
  }
  CompileOptions(const CompileOptions&) = delete;
  CompileOptions& operator=(const CompileOptions&) = delete;

  maskloom_compile_options* operator->() { return &options_; }
  const maskloom_compile_options* get() const { return &options_; }

 private:
  maskloom_compile_options options_;
  Resolve resolve_;
  std::string text_;  // the last one
};

struct Token {
  std::string_view bytes;
  maskloom_token_kind kind = MASKLOOM_TOKEN_NORMAL;
};

class Vocabulary {
 public:
  static Outcome<Vocabulary> Create(const std::vector<Token>& tokens,
                                    const std::vector<uint32_t>& end_tokens,
                                    uint32_t row_size = 0) {
    std::vector<maskloom_token> plain;
    plain.reserve(tokens.size());
    for (const Token& token : tokens) {
      plain.push_back({token.bytes.data(), token.bytes.size(), token.kind});
    }
    return Made([&](maskloom_vocabulary** out, maskloom_error* error) {
      return maskloom_vocabulary_create(plain.data(), plain.size(), end_tokens.data(),
                                        end_tokens.size(), row_size, out, error);
    });
  }
  static Outcome<Vocabulary> Open(const std::string& path) {
    return Made([&](maskloom_vocabulary** out, maskloom_error* error) {
      return maskloom_vocabulary_open(path.c_str(), out, error);
    });
  }
  static Outcome<Vocabulary> FromTokenizerJson(std::string_view text, uint32_t row_size = 0) {
    return Made([&](maskloom_vocabulary** out, maskloom_error* error) {
      return maskloom_vocabulary_from_tokenizer_json(text.data(), text.size(), row_size, out,
                                                     error);
    });
  }
  static Outcome<Vocabulary> Load(const std::string& path) {
    return Made([&](maskloom_vocabulary** out, maskloom_error* error) {
      return maskloom_vocabulary_load(path.c_str(), out, error);
    });
  }
  static Outcome<Vocabulary> Bytes() { return Made(maskloom_vocabulary_bytes); }

  // Writes what Load takes. On error: the code, and `error`, if given, says why.
  maskloom_status Save(const std::string& path, maskloom_error* error = nullptr) const {
    return maskloom_vocabulary_save(get(), path.c_str(), error);
  }
  uint32_t size() const { return maskloom_vocabulary_size(get()); }
  uint64_t identity() const { return maskloom_vocabulary_identity(get()); }
  size_t row_words() const { return maskloom_vocabulary_row_words(get()); }
  const maskloom_vocabulary* get() const { return handle_.get(); }

 private:
  explicit Vocabulary(maskloom_vocabulary* handle) : handle_(handle) {}

  template <typename Make>
  static Outcome<Vocabulary> Made(Make&& make) {
    maskloom_vocabulary* handle = nullptr;
    maskloom_error error;
    if (make(&handle, &error) != MASKLOOM_OK) return error;
    return Vocabulary(handle);
  }

  std::unique_ptr<maskloom_vocabulary, Free<maskloom_vocabulary_free>> handle_;
};

class Grammar {
 public:
  static Outcome<Grammar> FromSchema(const Vocabulary& vocabulary, std::string_view text,
                                     const maskloom_compile_options* options = nullptr) {
    return Made(maskloom_compile_schema, vocabulary, text, options);
  }
  static Outcome<Grammar> FromRegex(const Vocabulary& vocabulary, std::string_view pattern,
                                    const maskloom_compile_options* options = nullptr) {
    return Made(maskloom_compile_regex, vocabulary, pattern, options);
  }
  static Outcome<Grammar> FromEbnf(const Vocabulary& vocabulary, std::string_view text,
                                   const maskloom_compile_options* options = nullptr) {
    return Made(maskloom_compile_ebnf, vocabulary, text, options);
  }

  std::string Report() const {
    return internal::ReadBytes([this](char* buffer, size_t capacity, size_t* length) {
      return maskloom_grammar_report(get(), buffer, capacity, length);
    });
  }
  // Returns whether nothing is left to be made ahead.
  bool Complete(uint64_t limit_us) {
    int32_t is_complete = 0;
    maskloom_grammar_complete(get(), limit_us, &is_complete);
    return is_complete == 1;
  }
  // Of a file that Save wrote, for the same vocabulary.
  static Outcome<Grammar> Load(const Vocabulary& vocabulary, const std::string& path) {
    maskloom_grammar* handle = nullptr;
    maskloom_error error;
    if (maskloom_grammar_load(vocabulary.get(), path.c_str(), &handle, &error) != MASKLOOM_OK) {
      return error;
    }
    return Grammar(handle);
  }
  // Returns what went wrong, or nothing.
  std::optional<maskloom_error> Save(const std::string& path) const {
    maskloom_error error;
    if (maskloom_grammar_save(get(), path.c_str(), &error) == MASKLOOM_OK) return std::nullopt;
    return error;
  }
  size_t memory_bytes() const { return maskloom_grammar_memory_bytes(get()); }
  const maskloom_grammar* get() const { return handle_.get(); }

 private:
  friend class GrammarCache;
  explicit Grammar(maskloom_grammar* handle) : handle_(handle) {}

  template <typename Compile>
  static Outcome<Grammar> Made(Compile&& compile, const Vocabulary& vocabulary,
                               std::string_view text, const maskloom_compile_options* options) {
    maskloom_grammar* handle = nullptr;
    maskloom_error error;
    if (compile(vocabulary.get(), text.data(), text.size(), options, &handle, &error) !=
        MASKLOOM_OK) {
      return error;
    }
    return Grammar(handle);
  }

  std::unique_ptr<maskloom_grammar, Free<maskloom_grammar_free>> handle_;
};

// Grammars by what they were compiled from.
class GrammarCache {
 public:
  static Outcome<GrammarCache> Create(const maskloom_cache_options* options = nullptr) {
    maskloom_grammar_cache* handle = nullptr;
    maskloom_error error;
    if (maskloom_grammar_cache_create(options, &handle, &error) != MASKLOOM_OK) return error;
    return GrammarCache(handle);
  }

  Outcome<Grammar> Get(const Vocabulary& vocabulary, maskloom_definition_kind kind,
                       std::string_view text, const maskloom_compile_options* options = nullptr) {
    maskloom_grammar* handle = nullptr;
    maskloom_error error;
    if (maskloom_grammar_cache_get(get(), vocabulary.get(), kind, text.data(), text.size(), options,
                                   &handle, &error) != MASKLOOM_OK) {
      return error;
    }
    return Grammar(handle);
  }
  // Returns whether all could be written.
  bool Flush() { return maskloom_grammar_cache_flush(get(), nullptr) == MASKLOOM_OK; }
  maskloom_cache_statistics statistics() const {
    maskloom_cache_statistics statistics = {};
    statistics.struct_size = sizeof(statistics);
    maskloom_grammar_cache_statistics(get(), &statistics);
    return statistics;
  }
  maskloom_grammar_cache* get() const { return handle_.get(); }

 private:
  explicit GrammarCache(maskloom_grammar_cache* handle) : handle_(handle) {}

  std::unique_ptr<maskloom_grammar_cache, Free<maskloom_grammar_cache_free>> handle_;
};

// The compile report of a schema as JSON, also of one that is refused.
inline Outcome<std::string> SchemaReport(std::string_view text,
                                         const maskloom_compile_options* options = nullptr) {
  return internal::ReadText(
      [&](char* buffer, size_t capacity, size_t* length, maskloom_error* error) {
        return maskloom_schema_report(text.data(), text.size(), options, buffer, capacity, length,
                                      error);
      });
}

// The normal form of a schema, as text for a person.
inline Outcome<std::string> ExplainSchema(std::string_view text,
                                          const maskloom_compile_options* options = nullptr) {
  return internal::ReadText(
      [&](char* buffer, size_t capacity, size_t* length, maskloom_error* error) {
        return maskloom_schema_explain(text.data(), text.size(), options, buffer, capacity, length,
                                       error);
      });
}

class Matcher {
 public:
  static Outcome<Matcher> Create(const Grammar& grammar,
                                 const maskloom_matcher_options* options = nullptr) {
    maskloom_matcher* handle = nullptr;
    maskloom_error error;
    if (maskloom_matcher_create(grammar.get(), options, &handle, &error) != MASKLOOM_OK) {
      return error;
    }
    return Matcher(handle);
  }

  Outcome<Matcher> Fork() const {
    maskloom_matcher* handle = nullptr;
    maskloom_error error;
    if (maskloom_matcher_fork(get(), &handle, &error) != MASKLOOM_OK) return error;
    return Matcher(handle);
  }

  bool Accept(uint32_t token) { return maskloom_matcher_accept_token(get(), token) == MASKLOOM_OK; }
  // Returns how many leading bytes the grammar allows; unless that is all of them, nothing changes.
  size_t AcceptBytes(std::string_view bytes) {
    size_t taken = 0;
    maskloom_matcher_accept_bytes(get(), bytes.data(), bytes.size(), &taken);
    return taken;
  }
  // Returns whether `row` had enough words.
  bool FillMask(std::vector<uint32_t>& row) {
    return maskloom_matcher_fill_mask(get(), row.data(), row.size()) == MASKLOOM_OK;
  }
  // The mask as ids beside the row that the returned number names. Returns nothing where it has no
  // such form, or more ids than `ids` has room for; else `ids` is cut to their number.
  std::optional<uint32_t> FindMask(std::vector<uint32_t>& ids) {
    uint32_t base = 0;
    size_t count = 0;
    if (maskloom_matcher_find_mask(get(), &base, ids.data(), ids.size(), &count) != MASKLOOM_OK) {
      return std::nullopt;
    }
    ids.resize(count);
    return base;
  }
  // Copies that row. Returns false where there is none, or `row` has too few words.
  bool FillBase(std::vector<uint32_t>& row) {
    return maskloom_matcher_fill_base(get(), row.data(), row.size()) == MASKLOOM_OK;
  }
  // Fills one row a draft token, one behind another in `rows`. Returns which were accepted; nothing
  // where `parents` or `rows` do not fit.
  std::optional<std::vector<uint8_t>> FillTreeMasks(const std::vector<uint32_t>& tokens,
                                                    const std::vector<uint32_t>& parents,
                                                    std::vector<uint32_t>& rows,
                                                    maskloom_workers* workers = nullptr) const {
    if (parents.size() != tokens.size()) return std::nullopt;
    std::vector<uint8_t> accepted(tokens.size());
    if (tokens.empty()) return accepted;
    if (maskloom_fill_tree_masks(workers, get(), tokens.data(), parents.data(), tokens.size(),
                                 rows.data(), rows.size() / tokens.size(),
                                 accepted.data()) != MASKLOOM_OK) {
      return std::nullopt;
    }
    return accepted;
  }
  bool IsAllowed(uint32_t token) const { return maskloom_matcher_is_allowed(get(), token) == 1; }
  // Returns whether so many tokens were remembered.
  bool Rollback(uint32_t count) { return maskloom_matcher_rollback(get(), count) == MASKLOOM_OK; }
  void Reset() { maskloom_matcher_reset(get()); }
  size_t Validate(const std::vector<uint32_t>& tokens) const {
    size_t accepted = 0;
    maskloom_matcher_validate(get(), tokens.data(), tokens.size(), &accepted);
    return accepted;
  }
  std::string ForcedBytes() const {
    return internal::ReadBytes([this](char* buffer, size_t capacity, size_t* length) {
      return maskloom_matcher_forced_bytes(get(), buffer, capacity, length);
    });
  }
  std::string Completion() const {
    return internal::ReadBytes([this](char* buffer, size_t capacity, size_t* length) {
      return maskloom_matcher_completion(get(), buffer, capacity, length);
    });
  }
  bool IsAccepting() const { return maskloom_matcher_is_accepting(get()) == 1; }
  bool IsTerminated() const { return maskloom_matcher_is_terminated(get()) == 1; }
  uint64_t token_count() const { return maskloom_matcher_token_count(get()); }
  maskloom_matcher* get() const { return handle_.get(); }

 private:
  explicit Matcher(maskloom_matcher* handle) : handle_(handle) {}

  std::unique_ptr<maskloom_matcher, Free<maskloom_matcher_free>> handle_;
};

}  // namespace maskloom::api

#endif  // MASKLOOM_HPP_
