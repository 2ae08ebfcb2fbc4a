/* Uses maskloom_device.h as the maker of a library for some device would: memory of their own, rows
 * that the host follows at each token. C99, no other library. */
#include <maskloom_device.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/c_api/check.h"

enum { kMostBlocks = 64 };

typedef struct Memory {
  void* blocks[kMostBlocks];
  size_t count;
} Memory;

static void* Allocate(void* context, size_t bytes) {
  Memory* memory = (Memory*)context;
  CHECK(memory->count < kMostBlocks);
  memory->blocks[memory->count] = malloc(bytes);
  return memory->blocks[memory->count++];
}

static void Copy(void* context, void* to, const void* from, size_t bytes) {
  (void)context;
  memcpy(to, from, bytes);
}

/* Is `token` allowed by what the row was told? */
static int IsAllowed(const maskloom_device_view* view, const maskloom_device_update* update,
                     const uint32_t* words, uint32_t token) {
  const uint32_t* pool = (const uint32_t*)view->pool;
  uint32_t i;
  if (update->slot < UINT32_MAX - 1) {
    const uint32_t* row = pool + (size_t)update->slot * view->row_words;
    if ((row[token / 32] >> (token % 32) & 1) != 0) return 1;
  }
  for (i = 0; i < update->list_count; ++i) {
    if (pool[update->list_begin + i] == token) return 1;
  }
  for (i = 0; i < update->sent_count; ++i) {
    if (words[update->sent_begin + i] == token) return 1;
  }
  return 0;
}

static void ExpectMask(maskloom_device_rows* rows, const maskloom_matcher* judge) {
  maskloom_device_view view;
  const maskloom_device_update* updates = NULL;
  const uint32_t* words = NULL;
  size_t update_count = 0, word_count = 0;
  uint32_t token;
  view.struct_size = sizeof(view);
  CHECK(maskloom_device_rows_view(rows, &view) == MASKLOOM_OK);
  CHECK(maskloom_device_rows_updates(rows, &updates, &update_count, &words, &word_count) ==
        MASKLOOM_OK);
  CHECK(update_count == 1 && updates[0].row == 1);
  for (token = 0; token < 257; ++token) {
    CHECK(IsAllowed(&view, &updates[0], words, token) == maskloom_matcher_is_allowed(judge, token));
  }
}

int main(void) {
  static const char kSchema[] = "{\"enum\": [\"ab\", 12, true]}";
  static const char kText[] = "\"ab\"";
  Memory memory;
  maskloom_device_memory calls;
  maskloom_device_options options;
  maskloom_device_statistics statistics;
  maskloom_device_rows* rows = NULL;
  maskloom_vocabulary* vocabulary = NULL;
  maskloom_grammar* grammar = NULL;
  maskloom_matcher* matcher = NULL;
  maskloom_matcher* judge = NULL;
  maskloom_error error;
  int32_t ended = 0;
  size_t i;
  memset(&memory, 0, sizeof(memory));
  calls.struct_size = sizeof(calls);
  calls.context = &memory;
  calls.allocate = Allocate;
  calls.copy = Copy;
  maskloom_device_options_init(&options);
  options.max_rows = 2;
  options.pool_bytes = options.table_bytes = 1 << 16;
  CHECK(maskloom_vocabulary_bytes(&vocabulary, &error) == MASKLOOM_OK);
  CHECK(maskloom_device_rows_create(vocabulary, &calls, &options, &rows, &error) == MASKLOOM_OK);
  CHECK(maskloom_compile_schema(vocabulary, kSchema, strlen(kSchema), NULL, &grammar, &error) ==
        MASKLOOM_OK);
  CHECK(maskloom_matcher_create(grammar, NULL, &matcher, &error) == MASKLOOM_OK);
  CHECK(maskloom_matcher_create(grammar, NULL, &judge, &error) == MASKLOOM_OK);

  CHECK(maskloom_device_rows_place(rows, 1, matcher, &error) == MASKLOOM_OK);
  ExpectMask(rows, judge);
  for (i = 0; i < strlen(kText); ++i) {
    CHECK(maskloom_matcher_accept_token(judge, (unsigned char)kText[i]) == MASKLOOM_OK);
    CHECK(maskloom_device_rows_take(rows, 1, (unsigned char)kText[i], MASKLOOM_ROW_NEEDS_STEP,
                                    &ended, &error) == MASKLOOM_OK);
    CHECK(ended == 0);
    ExpectMask(rows, judge);
    CHECK(maskloom_device_rows_catch_up(rows, &error) == MASKLOOM_OK);
  }
  CHECK(maskloom_device_rows_take(rows, 1, 256, MASKLOOM_ROW_ENDED, &ended, &error) == MASKLOOM_OK);
  CHECK(ended == 1);
  CHECK(maskloom_device_rows_remove(rows, 1, &error) == MASKLOOM_OK);
  CHECK(maskloom_matcher_is_terminated(matcher) == 1);
  statistics.struct_size = sizeof(statistics);
  CHECK(maskloom_device_rows_statistics(rows, &statistics) == MASKLOOM_OK);
  CHECK(statistics.tokens == 5 && statistics.alone == 1 && statistics.grammars == 1);

  CHECK(maskloom_device_rows_place(rows, 2, matcher, &error) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(strstr(error.message, "row 2") != NULL);
  options.struct_size = 0;
  maskloom_device_rows_free(rows);
  CHECK(maskloom_device_rows_create(vocabulary, &calls, &options, &rows, &error) ==
        MASKLOOM_INVALID_ARGUMENT);
  CHECK(rows == NULL);
  maskloom_matcher_free(matcher);
  maskloom_matcher_free(judge);
  maskloom_grammar_free(grammar);
  maskloom_vocabulary_free(vocabulary);
  for (i = 0; i < memory.count; ++i) free(memory.blocks[i]);
  return 0;
}
