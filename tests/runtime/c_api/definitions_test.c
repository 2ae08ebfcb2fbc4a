/* What the C API says of definitions: where they are wrong, what options do to them, which
 * documents they ask for, and their reports. C99, no other library. */
#include <maskloom.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/c_api/check.h"

static maskloom_matcher* NewMatcher(const maskloom_grammar* grammar) {
  maskloom_matcher* matcher = NULL;
  CHECK(maskloom_matcher_create(grammar, NULL, &matcher, NULL) == MASKLOOM_OK);
  return matcher;
}

static void ErrorsSayWhatAndWhere(const maskloom_vocabulary* vocabulary) {
  const char* schema = "{\"properties\":{\"a/b\":{\"minLength\":-1}}}";
  const char* ebnf = "root ::= \"a\"\n  missing";
  maskloom_grammar* grammar = (maskloom_grammar*)1;
  maskloom_error error;
  maskloom_compile_options options;
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), NULL, &grammar, &error) ==
        MASKLOOM_INVALID_DEFINITION);
  CHECK(grammar == NULL);
  CHECK(error.code == MASKLOOM_INVALID_DEFINITION && error.has_pointer == 1);
  CHECK(strcmp(error.pointer, "/properties/a~1b/minLength") == 0);
  CHECK(error.message[0] != '\0');
  CHECK(maskloom_compile_ebnf(vocabulary, ebnf, strlen(ebnf), NULL, &grammar, &error) ==
        MASKLOOM_INVALID_DEFINITION);
  CHECK(error.line == 2 && error.column == 3 && error.excerpt[0] != '\0');
  maskloom_compile_options_init(&options);
  options.max_digits = 0;
  CHECK(maskloom_compile_schema(vocabulary, "{}", 2, &options, &grammar, &error) ==
        MASKLOOM_INVALID_ARGUMENT);
  options.struct_size = 0;
  CHECK(maskloom_compile_schema(vocabulary, "{}", 2, &options, &grammar, &error) ==
        MASKLOOM_INVALID_ARGUMENT);
}

static void StyleOptionsAreHonoured(const maskloom_vocabulary* vocabulary) {
  const char* schema = "{\"type\":\"array\",\"items\":{\"type\":\"null\"}}";
  maskloom_compile_options options;
  maskloom_grammar* grammar = NULL;
  maskloom_matcher* matcher;
  maskloom_compile_options_init(&options);
  options.whitespace = MASKLOOM_WHITESPACE_COMPACT;
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), &options, &grammar, NULL) ==
        MASKLOOM_OK);
  matcher = NewMatcher(grammar);
  CHECK(maskloom_matcher_accept_bytes(matcher, "[null, ", 7, NULL) == MASKLOOM_REJECTED);
  CHECK(maskloom_matcher_accept_bytes(matcher, "[null,null]", 11, NULL) == MASKLOOM_OK);
  maskloom_matcher_free(matcher);
  maskloom_grammar_free(grammar);
}

static void ReportListsKeywords(const maskloom_vocabulary* vocabulary) {
  const char* schema = "{\"type\":\"null\",\"x-note\":1}";
  maskloom_grammar* grammar = NULL;
  char report[1000];
  size_t length = 0;
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), NULL, &grammar, NULL) ==
        MASKLOOM_OK);
  CHECK(maskloom_grammar_report(grammar, report, sizeof(report) - 1, &length) == MASKLOOM_OK);
  CHECK(length < sizeof(report));
  report[length] = '\0';
  CHECK(strstr(report, "\"kind\":\"json_schema\"") != NULL);
  CHECK(strstr(report, "\"/x-note\",\"outcome\":\"annotation\"") != NULL);
  maskloom_grammar_free(grammar);
}

/* ---- options, documents and reports of schemas ---- */

typedef struct {
  int calls;
  char last_uri[200];
} Library;

static maskloom_document Resolve(const char* uri, void* user) {
  static const char color[] = "{\"enum\":[\"red\",\"blue\"]}";
  Library* library = user;
  maskloom_document document = {NULL, 0};
  ++library->calls;
  snprintf(library->last_uri, sizeof(library->last_uri), "%s", uri);
  if (strcmp(uri, "https://schemas.test/color.json") == 0) {
    document.text = color;
    document.length = sizeof(color) - 1;
  }
  return document;
}

static void SchemasReferToDocumentsOfTheCaller(const maskloom_vocabulary* vocabulary) {
  static const char schema[] = "{\"items\":{\"$ref\":\"color.json\"}}";
  static const char base[] = "https://schemas.test/paint.json";
  static const char lost[] = "{\"$ref\":\"https://elsewhere.test/x.json\"}";
  Library library = {0, ""};
  maskloom_compile_options options;
  maskloom_grammar* grammar = NULL;
  maskloom_matcher* matcher;
  maskloom_error error;
  maskloom_compile_options_init(&options);
  options.base_uri = base;
  options.base_uri_length = sizeof(base) - 1;
  options.resolve = Resolve;
  options.resolve_user = &library;
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), &options, &grammar, &error) ==
        MASKLOOM_OK);
  CHECK(library.calls == 1);
  matcher = NewMatcher(grammar);
  CHECK(maskloom_matcher_accept_bytes(matcher, "[\"red\",\"green\"]", 15, NULL) ==
        MASKLOOM_REJECTED);
  CHECK(maskloom_matcher_accept_bytes(matcher, "[\"red\",\"blue\"]", 14, NULL) == MASKLOOM_OK);
  maskloom_matcher_free(matcher);
  maskloom_grammar_free(grammar);
  CHECK(maskloom_compile_schema(vocabulary, lost, strlen(lost), &options, &grammar, &error) ==
        MASKLOOM_INVALID_DEFINITION);
  CHECK(strcmp(library.last_uri, "https://elsewhere.test/x.json") == 0);
  CHECK(strcmp(error.pointer, "/$ref") == 0);
  CHECK(strstr(error.message, "https://elsewhere.test/x.json") != NULL);
}

static void SchemaOptionsAreHonouredAndReported(const maskloom_vocabulary* vocabulary) {
  static const char schema[] =
      "{\"properties\":{\"a\":{\"type\":\"string\",\"format\":\"date\",\"nullable\":true}}}";
  maskloom_compile_options options;
  maskloom_grammar* grammar = NULL;
  maskloom_matcher* matcher;
  maskloom_error error;
  char report[4000];
  size_t length = 0;
  maskloom_compile_options_init(&options);
  options.closed = 1;
  options.nullable = 1;
  options.formats = MASKLOOM_FORMATS_ANNOTATE;
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), &options, &grammar, &error) ==
        MASKLOOM_OK);
  matcher = NewMatcher(grammar);
  CHECK(maskloom_matcher_accept_bytes(matcher, "{\"b\"", 4, NULL) == MASKLOOM_REJECTED);
  CHECK(maskloom_matcher_accept_bytes(matcher, "{\"a\":null}", 10, NULL) == MASKLOOM_OK);
  maskloom_matcher_free(matcher);
  matcher = NewMatcher(grammar);
  CHECK(maskloom_matcher_accept_bytes(matcher, "{\"a\":\"x\"}", 9, NULL) == MASKLOOM_OK);
  maskloom_matcher_free(matcher);
  CHECK(maskloom_grammar_report(grammar, report, sizeof(report) - 1, &length) == MASKLOOM_OK);
  report[length] = '\0';
  CHECK(strstr(report, "\"closed\":\"true\"") != NULL);
  CHECK(strstr(report, "\"formats\":\"annotate\"") != NULL);
  CHECK(strstr(report, "\"/properties/a/format\",\"outcome\":\"relaxed\"") != NULL);
  maskloom_grammar_free(grammar);
  options.closed = 1;
  options.escapes = MASKLOOM_ESCAPES_PLAIN;
  options.key_order = MASKLOOM_KEY_ORDER_REQUIRED_FIRST;
  options.whitespace = MASKLOOM_WHITESPACE_SPACED;
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), &options, &grammar, &error) ==
        MASKLOOM_OK);
  matcher = NewMatcher(grammar);
  CHECK(maskloom_matcher_accept_bytes(matcher, "{\"a\": \"\\u0078", 14, NULL) == MASKLOOM_REJECTED);
  CHECK(maskloom_matcher_accept_bytes(matcher, "{\"a\": \"x\"}", 10, NULL) == MASKLOOM_OK);
  maskloom_matcher_free(matcher);
  maskloom_grammar_free(grammar);
  options.closed = 7;
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), &options, &grammar, &error) ==
        MASKLOOM_INVALID_ARGUMENT);
  CHECK(strstr(error.message, "closed") != NULL);
}

static void OptionsOfOlderCallersAreReadAsFarAsTheyGo(const maskloom_vocabulary* vocabulary) {
  maskloom_compile_options options;
  maskloom_grammar* grammar = NULL;
  maskloom_compile_options_init(&options);
  options.struct_size = offsetof(maskloom_compile_options, formats);
  options.formats = (maskloom_formats)99; /* not there for a caller of this size */
  CHECK(maskloom_compile_schema(vocabulary, "true", 4, &options, &grammar, NULL) == MASKLOOM_OK);
  maskloom_grammar_free(grammar);
}

static void RefusedSchemasHaveReports(void) {
  static const char schema[] = "{\"minLength\":\"x\"}";
  char text[4000];
  size_t length = 0;
  maskloom_error error;
  CHECK(maskloom_schema_report(schema, strlen(schema), NULL, text, sizeof(text) - 1, &length,
                               &error) == MASKLOOM_OK);
  text[length] = '\0';
  CHECK(strstr(text, "\"status\":\"refused\"") != NULL);
  CHECK(strstr(text, "\"/minLength\",\"outcome\":\"refused\"") != NULL);
  CHECK(maskloom_schema_explain(schema, strlen(schema), NULL, text, sizeof(text), &length,
                                &error) == MASKLOOM_INVALID_DEFINITION);
  CHECK(strcmp(error.pointer, "/minLength") == 0);
  CHECK(maskloom_schema_explain("{\"type\":\"null\"}", 15, NULL, text, sizeof(text) - 1, &length,
                                &error) == MASKLOOM_OK);
  text[length] = '\0';
  CHECK(strstr(text, "null") != NULL);
}

static void UnsatisfiableSchemasNameWhatContradicts(const maskloom_vocabulary* vocabulary) {
  static const char schema[] =
      "{\"type\":\"array\",\"uniqueItems\":true,\"minItems\":3,\"items\":{\"enum\":[1,2]}}";
  char text[4000];
  size_t length = 0;
  maskloom_grammar* grammar = NULL;
  maskloom_error error;
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), NULL, &grammar, &error) ==
        MASKLOOM_UNSATISFIABLE);
  CHECK(strcmp(error.pointer, "/items/enum") == 0);
  CHECK(strstr(error.message, "\"/uniqueItems\" and \"/minItems\"") != NULL);
  CHECK(maskloom_schema_report(schema, strlen(schema), NULL, text, sizeof(text) - 1, &length,
                               &error) == MASKLOOM_OK);
  text[length] = '\0';
  CHECK(strstr(text, "\"status\":\"refused\"") != NULL);
  CHECK(strstr(text, "\"pointer\":\"/items/enum\"") != NULL);
}

static void NullHandlesGiveErrorCodes(void) {
  maskloom_error error;
  maskloom_grammar* grammar = NULL;
  maskloom_matcher* matcher = NULL;
  uint32_t row[1];
  size_t length;
  CHECK(maskloom_vocabulary_create(NULL, 3, NULL, 0, 0, NULL, &error) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_vocabulary_open(NULL, NULL, NULL) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_compile_schema(NULL, "{}", 2, NULL, &grammar, &error) ==
        MASKLOOM_INVALID_ARGUMENT);
  CHECK(error.message[0] != '\0');
  CHECK(maskloom_matcher_create(NULL, NULL, &matcher, NULL) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_matcher_accept_token(NULL, 0) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_matcher_fill_mask(NULL, row, 1) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_matcher_find_mask(NULL, row, row, 1, &length) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_matcher_fill_base(NULL, row, 1) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_matcher_forced_bytes(NULL, NULL, 0, &length) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_matcher_is_accepting(NULL) == -1);
  CHECK(maskloom_matcher_is_terminated(NULL) == -1);
  CHECK(maskloom_matcher_is_allowed(NULL, 0) == -1);
  CHECK(maskloom_vocabulary_size(NULL) == 0);
  maskloom_vocabulary_free(NULL);
  maskloom_grammar_free(NULL);
  maskloom_matcher_free(NULL);
  maskloom_workers_free(NULL);
}

int main(void) {
  maskloom_vocabulary* vocabulary = NULL;
  CHECK(maskloom_vocabulary_bytes(&vocabulary, NULL) == MASKLOOM_OK);
  ErrorsSayWhatAndWhere(vocabulary);
  StyleOptionsAreHonoured(vocabulary);
  ReportListsKeywords(vocabulary);
  SchemasReferToDocumentsOfTheCaller(vocabulary);
  SchemaOptionsAreHonouredAndReported(vocabulary);
  OptionsOfOlderCallersAreReadAsFarAsTheyGo(vocabulary);
  RefusedSchemasHaveReports();
  UnsatisfiableSchemasNameWhatContradicts(vocabulary);
  NullHandlesGiveErrorCodes();
  maskloom_vocabulary_free(vocabulary);
  puts("all that is said of definitions is right");
  return 0;
}
