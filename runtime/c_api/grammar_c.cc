// The compilation calls of the C API.
#include "runtime/c_api/handles.h"

using maskloom::CompileDefinition;
using maskloom::DefinitionKind;
using maskloom::DefinitionOptions;
using maskloom::Status;
using maskloom::StatusCode;
using maskloom::StylePolicy;
using maskloom::c_api::CopyOut;
using maskloom::c_api::Guard;
using maskloom::c_api::ReadOptions;
using maskloom::c_api::Report;

namespace {

// Translates the caller's options. On error: kInvalidArgument naming the field.
Status ReadStyle(const maskloom_compile_options& options, DefinitionOptions* out) {
  StylePolicy& style = out->style;
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
    default:
      return Status(StatusCode::kInvalidArgument, "key_order is none of maskloom_key_order");
  }
  if (options.max_digits == 0) {
    return Status(StatusCode::kInvalidArgument,
                  "max_digits is 0, which leaves no numbers; give 1 or more, or "
                  "MASKLOOM_ANY_DIGITS");
  }
  style.indent = options.indent;
  style.max_blanks = options.max_blanks;
  style.max_digits = options.max_digits;
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
    maskloom_compile_options read;
    if (!ReadOptions(options, maskloom_compile_options_init, &read)) {
      return Report(MASKLOOM_INVALID_ARGUMENT,
                    "struct_size of the compile options is not set; call "
                    "maskloom_compile_options_init first",
                    error);
    }
    DefinitionOptions own;
    if (Status status = ReadStyle(read, &own); !status.ok()) return Report(status, error);
    std::string_view view(length > 0 ? text : "", length);
    auto compiled = CompileDefinition(kind, view, own, vocabulary->index);
    if (!compiled.ok()) return Report(compiled.status(), error);
    *grammar = new maskloom_grammar{std::move(*compiled)};
    return MASKLOOM_OK;
  });
}

}  // namespace

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
    return CopyOut(maskloom::ReportJson(grammar->definition), buffer, capacity, length);
  });
}

size_t maskloom_grammar_memory_bytes(const maskloom_grammar* grammar) {
  return grammar == nullptr ? 0 : grammar->definition.grammar->MemoryBytes();
}
