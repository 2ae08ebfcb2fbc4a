/* Vocabularies and grammars that are saved and loaded, and the cache of grammars, from C99. */
#include <maskloom.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/c_api/check.h"

enum { kTokens = 257, kRowWords = (kTokens + 31) / 32 };

/* The mask of an empty text of `schema`. */
static void FirstMask(const maskloom_vocabulary* vocabulary, const char* schema, uint32_t* row,
                      size_t words) {
  maskloom_grammar* grammar = NULL;
  maskloom_matcher* matcher = NULL;
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), NULL, &grammar, NULL) ==
        MASKLOOM_OK);
  CHECK(maskloom_matcher_create(grammar, NULL, &matcher, NULL) == MASKLOOM_OK);
  CHECK(maskloom_matcher_fill_mask(matcher, row, words) == MASKLOOM_OK);
  maskloom_matcher_free(matcher);
  maskloom_grammar_free(grammar);
}

static void SavedVocabulariesGiveTheSameMasks(const maskloom_vocabulary* vocabulary) {
  static const char path[] = "c_files_test.index";
  static const char schema[] = "{\"type\":\"array\",\"items\":{\"type\":\"boolean\"}}";
  uint32_t built[kRowWords];
  uint32_t loaded[kRowWords];
  const size_t words = maskloom_vocabulary_row_words(vocabulary);
  maskloom_vocabulary* other = NULL;
  maskloom_error error;
  FILE* file;
  CHECK(maskloom_vocabulary_save(vocabulary, path, &error) == MASKLOOM_OK);
  CHECK(maskloom_vocabulary_load(path, &other, &error) == MASKLOOM_OK);
  CHECK(maskloom_vocabulary_identity(other) == maskloom_vocabulary_identity(vocabulary));
  CHECK(maskloom_vocabulary_size(other) == kTokens);
  FirstMask(vocabulary, schema, built, words);
  FirstMask(other, schema, loaded, words);
  CHECK(memcmp(built, loaded, words * sizeof(uint32_t)) == 0);
  maskloom_vocabulary_free(other);
  file = fopen(path, "wb");
  CHECK(file != NULL && fputs("no vocabulary", file) >= 0 && fclose(file) == 0);
  CHECK(maskloom_vocabulary_load(path, &other, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(other == NULL && strstr(error.message, path) != NULL);
  CHECK(remove(path) == 0);
  CHECK(maskloom_vocabulary_load(path, &other, &error) == MASKLOOM_IO);
  CHECK(maskloom_vocabulary_save(vocabulary, "no/folder/index", &error) == MASKLOOM_IO);
}

static void SavedGrammarsGiveTheSameMasks(const maskloom_vocabulary* vocabulary,
                                          const maskloom_grammar* grammar) {
  const char* path = "c_files_test.grammar";
  size_t words = maskloom_vocabulary_row_words(vocabulary);
  const maskloom_token token = {"a", 1, MASKLOOM_TOKEN_NORMAL};
  maskloom_vocabulary* other_vocabulary = NULL;
  maskloom_grammar* loaded = NULL;
  maskloom_matcher* one = NULL;
  maskloom_matcher* other = NULL;
  maskloom_error error;
  FILE* file;
  CHECK(words == kRowWords);
  CHECK(maskloom_grammar_save(grammar, path, &error) == MASKLOOM_OK);
  CHECK(maskloom_grammar_load(vocabulary, path, &loaded, &error) == MASKLOOM_OK);
  CHECK(maskloom_matcher_create(grammar, NULL, &one, &error) == MASKLOOM_OK);
  CHECK(maskloom_matcher_create(loaded, NULL, &other, &error) == MASKLOOM_OK);
  {
    uint32_t rows[2][kRowWords];
    CHECK(maskloom_matcher_fill_mask(one, rows[0], words) == MASKLOOM_OK);
    CHECK(maskloom_matcher_fill_mask(other, rows[1], words) == MASKLOOM_OK);
    CHECK(memcmp(rows[0], rows[1], words * sizeof(uint32_t)) == 0);
  }
  maskloom_matcher_free(one);
  maskloom_matcher_free(other);
  maskloom_grammar_free(loaded);
  CHECK(maskloom_vocabulary_create(&token, 1, NULL, 0, 0, &other_vocabulary, NULL) == MASKLOOM_OK);
  CHECK(maskloom_grammar_load(other_vocabulary, path, &loaded, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(loaded == NULL && strstr(error.message, "vocabulary") != NULL);
  maskloom_vocabulary_free(other_vocabulary);
  file = fopen(path, "wb");
  CHECK(file != NULL && fputs("no grammar", file) >= 0 && fclose(file) == 0);
  CHECK(maskloom_grammar_load(vocabulary, path, &loaded, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(strstr(error.message, path) != NULL);
  CHECK(remove(path) == 0);
  CHECK(maskloom_grammar_load(vocabulary, path, &loaded, &error) == MASKLOOM_IO);
  CHECK(maskloom_grammar_save(grammar, "no/folder/grammar", &error) == MASKLOOM_IO);
}

static void CachesCompileOnce(const maskloom_vocabulary* vocabulary) {
  maskloom_cache_options options;
  maskloom_cache_statistics statistics;
  maskloom_grammar_cache* cache = NULL;
  maskloom_grammar* grammar = NULL;
  maskloom_error error;
  int i;
  maskloom_cache_options_init(&options);
  CHECK(maskloom_grammar_cache_create(&options, &cache, &error) == MASKLOOM_OK);
  for (i = 0; i < 3; ++i) {
    CHECK(maskloom_grammar_cache_get(cache, vocabulary, MASKLOOM_DEFINITION_SCHEMA, "{}", 2, NULL,
                                     &grammar, &error) == MASKLOOM_OK);
    maskloom_grammar_free(grammar);
  }
  CHECK(maskloom_grammar_cache_get(cache, vocabulary, MASKLOOM_DEFINITION_REGEX, "(", 1, NULL,
                                   &grammar, &error) == MASKLOOM_INVALID_DEFINITION);
  CHECK(grammar == NULL);
  CHECK(maskloom_grammar_cache_flush(cache, &error) == MASKLOOM_OK);
  statistics.struct_size = sizeof(statistics);
  CHECK(maskloom_grammar_cache_statistics(cache, &statistics) == MASKLOOM_OK);
  CHECK(statistics.memory_hits == 2 && statistics.misses == 2 && statistics.grammars == 1);
  CHECK(statistics.memory_bytes > 0 && statistics.files_written == 0);
  maskloom_grammar_cache_free(cache);
  maskloom_grammar_cache_free(NULL);
  options.folder = "";
  CHECK(maskloom_grammar_cache_create(&options, &cache, &error) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(cache == NULL && strstr(error.message, "folder is empty") != NULL);
  CHECK(maskloom_grammar_cache_create(NULL, NULL, &error) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_grammar_cache_statistics(NULL, &statistics) == MASKLOOM_INVALID_ARGUMENT);
}

/* Each message says what the file is and which call reads it. */
static void FilesOfOtherKindsAreNamed(const maskloom_vocabulary* vocabulary,
                                      const maskloom_grammar* grammar) {
  static const char path[] = "c_files_test.other";
  maskloom_vocabulary* made = NULL;
  maskloom_grammar* loaded = NULL;
  maskloom_error error;
  FILE* file;
  CHECK(maskloom_vocabulary_save(vocabulary, path, &error) == MASKLOOM_OK);
  CHECK(maskloom_vocabulary_open(path, &made, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(strstr(error.message, "a vocabulary index; maskloom_vocabulary_load reads") != NULL);
  CHECK(maskloom_grammar_load(vocabulary, path, &loaded, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(strstr(error.message, "maskloom_vocabulary_load reads") != NULL);
  CHECK(maskloom_grammar_save(grammar, path, &error) == MASKLOOM_OK);
  CHECK(maskloom_vocabulary_open(path, &made, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(strstr(error.message, "a compiled grammar; maskloom_grammar_load reads") != NULL);
  CHECK(maskloom_vocabulary_load(path, &made, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(strstr(error.message, "maskloom_grammar_load reads") != NULL);
  file = fopen(path, "wb");
  CHECK(file != NULL && fputs(" {}", file) >= 0 && fclose(file) == 0);
  CHECK(maskloom_vocabulary_load(path, &made, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(strstr(error.message, "JSON") != NULL);
  CHECK(strstr(error.message, "maskloom_vocabulary_open reads") != NULL);
  CHECK(maskloom_grammar_load(vocabulary, path, &loaded, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(strstr(error.message, "JSON") != NULL);
  file = fopen(path, "wb");
  CHECK(file != NULL && fclose(file) == 0);
  CHECK(maskloom_vocabulary_load(path, &made, &error) == MASKLOOM_INVALID_MODEL);
  CHECK(strstr(error.message, "the file is empty") != NULL);
  CHECK(made == NULL && loaded == NULL && remove(path) == 0);
}

static void NullVocabulariesGiveErrorCodes(void) {
  CHECK(maskloom_vocabulary_identity(NULL) == 0);
  CHECK(maskloom_vocabulary_save(NULL, "x", NULL) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_vocabulary_load(NULL, NULL, NULL) == MASKLOOM_INVALID_ARGUMENT);
}

int main(void) {
  static const char schema[] = "{\"enum\":[\"tag\",\"tags\",12,null]}";
  maskloom_vocabulary* vocabulary = NULL;
  maskloom_grammar* grammar = NULL;
  CHECK(maskloom_vocabulary_bytes(&vocabulary, NULL) == MASKLOOM_OK);
  CHECK(maskloom_compile_schema(vocabulary, schema, strlen(schema), NULL, &grammar, NULL) ==
        MASKLOOM_OK);
  NullVocabulariesGiveErrorCodes();
  SavedVocabulariesGiveTheSameMasks(vocabulary);
  SavedGrammarsGiveTheSameMasks(vocabulary, grammar);
  FilesOfOtherKindsAreNamed(vocabulary, grammar);
  CachesCompileOnce(vocabulary);
  maskloom_grammar_free(grammar);
  maskloom_vocabulary_free(vocabulary);
  return 0;
}
