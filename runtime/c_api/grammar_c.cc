// The compilation calls of the C API.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "compiler/mask_completion.h"
#include "runtime/c_api/handles.h"
#include "runtime/engine/compile_report.h"

using maskloom::CompileDefinition;
using maskloom::CompileSourced;
using maskloom::CompletionBudget;
using maskloom::CompletionEnd;
using maskloom::DefinitionKind;
using maskloom::DefinitionOptions;
using maskloom::ReportJson;
using maskloom::SchemaOptions;
using maskloom::SchemaReport;
using maskloom::Status;
using maskloom::StatusCode;
using maskloom::StylePolicy;
using maskloom::c_api::CopyOut;
using maskloom::c_api::Guard;
using maskloom::c_api::NewGrammar;
using maskloom::c_api::ReadCompileOptions;
using maskloom::c_api::ReadOptions;
using maskloom::c_api::Report;

namespace {

Status BadField(const char* what) { return Status(StatusCode::kInvalidArgument, what); }

// Translates the options that say how texts are spelled.
Status ReadStyle(const maskloom_compile_options& options, StylePolicy* out) {
  StylePolicy& style = *out;
  switch (options.whitespace) {
    case MASKLOOM_WHITESPACE_FLEXIBLE:
      style.whitespace = StylePolicy::Whitespace::kFlexible;
      break;
    case MASKLOOM_WHITESPACE_COMPACT:
      style.whitespace = StylePolicy::Whitespace::kCompact;
      break;
    case MASKLOOM_WHITESPACE_INDENT:
      style.whitespace = StylePolicy::Whitespace::kIndent;
      break;
    case MASKLOOM_WHITESPACE_ANY:
      style.whitespace = StylePolicy::Whitespace::kAny;
      break;
    case MASKLOOM_WHITESPACE_SPACED:
      style.whitespace = StylePolicy::Whitespace::kSpaced;
      break;
    default:
      return Status(StatusCode::kInvalidArgument, "whitespace is none of maskloom_whitespace");
  }
  switch (options.key_order) {
    case MASKLOOM_KEY_ORDER_ANY:
      style.key_order = StylePolicy::KeyOrder::kAny;
      break;
    case MASKLOOM_KEY_ORDER_DECLARED:
      style.key_order = StylePolicy::KeyOrder::kDeclared;
      break;
    case MASKLOOM_KEY_ORDER_REQUIRED_FIRST:
      style.key_order = StylePolicy::KeyOrder::kRequiredFirst;
      break;
    default:
      return Status(StatusCode::kInvalidArgument, "key_order is none of maskloom_key_order");
  }
  switch (options.escapes) {
    case MASKLOOM_ESCAPES_ANY:
      style.escapes = StylePolicy::Escapes::kAny;
      break;
    case MASKLOOM_ESCAPES_PLAIN:
      style.escapes = StylePolicy::Escapes::kPlain;
      break;
    default:
      return BadField("escapes is none of maskloom_escapes");
  }
  if (options.max_digits == 0) {
    return Status(StatusCode::kInvalidArgument,
                  "max_digits is 0, which leaves no numbers; give 1 or more, or "
                  "MASKLOOM_ANY_DIGITS");
  }
  style.indent = options.indent;
  style.max_blanks = options.max_blanks;
  style.max_digits = options.max_digits;
  return Status::Ok();
}

// Translates the caller's options. On error: kInvalidArgument naming the field.
Status ReadAll(const maskloom_compile_options& options, DefinitionOptions* out) {
  if (Status status = ReadStyle(options, &out->style); !status.ok()) return status;
  switch (options.formats) {
    case MASKLOOM_FORMATS_ASSERT:
      out->formats = SchemaOptions::Formats::kAssert;
      break;
    case MASKLOOM_FORMATS_ANNOTATE:
      out->formats = SchemaOptions::Formats::kAnnotate;
      break;
    default:
      return BadField("formats is none of maskloom_formats");
  }
  switch (options.unknown_formats) {
    case MASKLOOM_UNKNOWN_FORMATS_ANNOTATE:
      out->unknown_formats = SchemaOptions::UnknownFormats::kAnnotate;
      break;
    case MASKLOOM_UNKNOWN_FORMATS_REFUSE:
      out->unknown_formats = SchemaOptions::UnknownFormats::kRefuse;
      break;
    default:
      return BadField("unknown_formats is none of maskloom_unknown_formats");
  }
  if (options.nullable != 0 && options.nullable != 1) return BadField("nullable is not 0 or 1");
  if (options.closed != 0 && options.closed != 1) return BadField("closed is not 0 or 1");
  out->nullable = options.nullable == 1;
  out->closed = options.closed == 1;
  if (options.base_uri != nullptr) out->base_uri.assign(options.base_uri, options.base_uri_length);
  if (options.resolve != nullptr) {
    out->documents = [resolve = options.resolve,
                      user = options.resolve_user](const std::string& uri) {
      const maskloom_document document = resolve(uri.c_str(), user);
      return document.text == nullptr
                 ? std::optional<std::string>()
                 : std::optional<std::string>(std::in_place, document.text, document.length);
    };
  }
  if (options.ahead_in_background != 0 && options.ahead_in_background != 1) {
    return BadField("ahead_in_background is not 0 or 1");
  }
  if (options.max_mask_bytes != 0) out->limits.mask_cache_bytes = options.max_mask_bytes;
  out->ahead.at_once = std::chrono::microseconds(options.ahead_us);
  out->ahead.in_background = options.ahead_in_background == 1;
  if (options.root_rule != nullptr) {
    out->root_rule.assign(options.root_rule, options.root_rule_length);
  }
  return Status::Ok();
}

maskloom_status Compile(DefinitionKind kind, const maskloom_vocabulary* vocabulary,
                        const char* text, size_t length, const maskloom_compile_options* options,
                        maskloom_grammar** grammar, maskloom_error* error) noexcept {
  return Guard(error, [&] {
    if (grammar != nullptr) *grammar = nullptr;
    if (vocabulary == nullptr || grammar == nullptr || (text == nullptr && length > 0)) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "vocabulary, text or grammar is NULL", error);
    }
    DefinitionOptions own;
    if (Status status = ReadCompileOptions(options, &own); !status.ok()) {
      return Report(status, error);
    }
    std::string_view view(length > 0 ? text : "", length);
    auto compiled = CompileSourced(kind, view, own, vocabulary->index);
    if (!compiled.ok()) return Report(compiled.status(), error);
    *grammar = NewGrammar(std::move(*compiled));
    return MASKLOOM_OK;
  });
}

// Checks the arguments of a call about a schema alone and runs `body(text, options)`.
template <typename Body>
maskloom_status WithSchema(const char* text, size_t length, const maskloom_compile_options* options,
                           maskloom_error* error, Body body) noexcept {
  return Guard(error, [&] {
    if (text == nullptr && length > 0) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "text is NULL", error);
    }
    DefinitionOptions own;
    if (Status status = ReadCompileOptions(options, &own); !status.ok()) {
      return Report(status, error);
    }
    own.explain = true;
    own.ahead = {};
    return body(std::string_view(length > 0 ? text : "", length), own);
  });
}

maskloom_status CopyOrReport(const std::string& bytes, char* buffer, size_t capacity,
                             size_t* length, maskloom_error* error) {
  const maskloom_status status = CopyOut(bytes, buffer, capacity, length);
  return status == MASKLOOM_OK ? status : Report(status, "a buffer or a length is NULL", error);
}

}  // namespace

namespace maskloom::c_api {

Status ReadCompileOptions(const maskloom_compile_options* options, DefinitionOptions* out) {
  maskloom_compile_options read;
  if (!ReadOptions(options, maskloom_compile_options_init, &read)) {
    return BadField(
        "struct_size of the compile options is not set; call maskloom_compile_options_init first");
  }
  return ReadAll(read, out);
}

maskloom_grammar* NewGrammar(SourcedDefinition sourced) {
  SchemaOptions options = OptionsOf(sourced.source);
  return new maskloom_grammar{std::move(sourced.definition), std::move(options),
                              std::move(sourced.source)};
}

}  // namespace maskloom::c_api

void maskloom_compile_options_init(maskloom_compile_options* options) {
  if (options == nullptr) return;
  StylePolicy style;
  options->struct_size = sizeof(*options);
  options->whitespace = MASKLOOM_WHITESPACE_FLEXIBLE;
  options->indent = style.indent;
  options->max_blanks = style.max_blanks;
  options->key_order = MASKLOOM_KEY_ORDER_ANY;
  options->max_digits = style.max_digits;
  options->root_rule = nullptr;
  options->root_rule_length = 0;
  options->formats = MASKLOOM_FORMATS_ASSERT;
  options->unknown_formats = MASKLOOM_UNKNOWN_FORMATS_ANNOTATE;
  options->nullable = 0;
  options->closed = 0;
  options->base_uri = nullptr;
  options->base_uri_length = 0;
  options->resolve = nullptr;
  options->resolve_user = nullptr;
  options->escapes = MASKLOOM_ESCAPES_ANY;
  options->max_mask_bytes = 0;
  options->ahead_us = 0;
  options->ahead_in_background = 0;
}

maskloom_status maskloom_compile_schema(const maskloom_vocabulary* vocabulary, const char* text,
                                        size_t length, const maskloom_compile_options* options,
                                        maskloom_grammar** grammar, maskloom_error* error) {
  return Compile(DefinitionKind::kJsonSchema, vocabulary, text, length, options, grammar, error);
}

maskloom_status maskloom_compile_regex(const maskloom_vocabulary* vocabulary, const char* pattern,
                                       size_t length, const maskloom_compile_options* options,
                                       maskloom_grammar** grammar, maskloom_error* error) {
  return Compile(DefinitionKind::kRegex, vocabulary, pattern, length, options, grammar, error);
}

maskloom_status maskloom_compile_ebnf(const maskloom_vocabulary* vocabulary, const char* text,
                                      size_t length, const maskloom_compile_options* options,
                                      maskloom_grammar** grammar, maskloom_error* error) {
  return Compile(DefinitionKind::kEbnf, vocabulary, text, length, options, grammar, error);
}

void maskloom_grammar_free(maskloom_grammar* grammar) { delete grammar; }

maskloom_status maskloom_grammar_report(const maskloom_grammar* grammar, char* buffer,
                                        size_t capacity, size_t* length) {
  if (grammar == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  return Guard(nullptr, [&] {
    const maskloom::CompiledDefinition& definition = grammar->definition;
    return CopyOut(ReportJson(definition.kind, definition.report, grammar->options, Status::Ok()),
                   buffer, capacity, length);
  });
}

maskloom_status maskloom_schema_report(const char* text, size_t length,
                                       const maskloom_compile_options* options, char* buffer,
                                       size_t capacity, size_t* report_length,
                                       maskloom_error* error) {
  return WithSchema(
      text, length, options, error, [&](std::string_view schema, const DefinitionOptions& own) {
        SchemaReport report;
        auto compiled = CompileDefinition(DefinitionKind::kJsonSchema, schema, own,
                                          maskloom::VocabularyIndex::Bytes(), &report);
        return CopyOrReport(ReportJson(DefinitionKind::kJsonSchema, report, own, compiled.status()),
                            buffer, capacity, report_length, error);
      });
}

maskloom_status maskloom_schema_explain(const char* text, size_t length,
                                        const maskloom_compile_options* options, char* buffer,
                                        size_t capacity, size_t* explanation_length,
                                        maskloom_error* error) {
  return WithSchema(text, length, options, error,
                    [&](std::string_view schema, const DefinitionOptions& own) {
                      auto explained = maskloom::ExplainSchema(schema, own);
                      if (!explained.ok()) return Report(explained.status(), error);
                      return CopyOrReport(*explained, buffer, capacity, explanation_length, error);
                    });
}

maskloom_status maskloom_grammar_complete(const maskloom_grammar* grammar, uint64_t limit_us,
                                          int32_t* is_complete) {
  if (grammar == nullptr) return MASKLOOM_INVALID_ARGUMENT;
  return Guard(nullptr, [&] {
    CompletionBudget budget;
    constexpr uint64_t kLongestUs = uint64_t{1} << 50;  // longer than anyone waits
    budget.time = std::chrono::microseconds(std::min(limit_us, kLongestUs));
    const CompletionEnd end = grammar->definition.grammar->completion().Run(budget);
    if (is_complete != nullptr) *is_complete = end != CompletionEnd::kBudget;
    return MASKLOOM_OK;
  });
}

size_t maskloom_grammar_memory_bytes(const maskloom_grammar* grammar) {
  return grammar == nullptr ? 0 : grammar->definition.grammar->MemoryBytes();
}
