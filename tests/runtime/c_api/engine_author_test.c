/* Uses the C API as the author of an inference engine would: a vocabulary of their own, their own
 * logits and sampling, several grammars in one batch, drafts that are checked and rolled back.
 * Every text that comes out is held against a fresh matcher. C99, no other library. */
#include <maskloom.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/c_api/check.h"

enum { kMaxTokens = 400, kMaxText = 1 << 16, kByteTokens = 256 };

/* ---- the engine's tokenizer: single bytes, some words, two end tokens, a control token ---- */

static const char* const kWords[] = {
    "{\"", "\":",  "\",", "\"}", "},",   "name",   "age", "true", "false",        "null",
    "[]",  "{}",   "12",  "  ",  ": \"", "\", \"", "ab",  "abc",  "\xe4\xb8\xad", "\xe4\xb8",
    "tag", "tags", "\n",  "}\n", "]}",   "[\"",    "a",   "-1",   "0.5",          "e1"};
enum {
  kWordCount = sizeof(kWords) / sizeof(kWords[0]),
  kEnd = kByteTokens + kWordCount,
  kEndOfTurn,
  kControl,
  kTokenCount,
  kRowSize = kTokenCount + 7 /* padding, as models have it */
};

static char byte_texts[kByteTokens];

static maskloom_vocabulary* MakeVocabulary(void) {
  maskloom_token tokens[kTokenCount];
  uint32_t ends[2] = {kEnd, kEndOfTurn};
  maskloom_vocabulary* vocabulary = NULL;
  maskloom_error error;
  size_t i;
  for (i = 0; i < kByteTokens; ++i) {
    byte_texts[i] = (char)i;
    tokens[i].bytes = &byte_texts[i];
    tokens[i].length = 1;
    tokens[i].kind = MASKLOOM_TOKEN_NORMAL;
  }
  for (i = 0; i < kWordCount; ++i) {
    tokens[kByteTokens + i].bytes = kWords[i];
    tokens[kByteTokens + i].length = strlen(kWords[i]);
    tokens[kByteTokens + i].kind = MASKLOOM_TOKEN_NORMAL;
  }
  for (i = kEnd; i < kTokenCount; ++i) {
    tokens[i].bytes = i == kEnd ? "<end>" : i == kEndOfTurn ? "<turn>" : "<tool>";
    tokens[i].length = strlen(tokens[i].bytes);
    tokens[i].kind = MASKLOOM_TOKEN_CONTROL;
  }
  CHECK(maskloom_vocabulary_create(tokens, kTokenCount, ends, 2, kRowSize, &vocabulary, &error) ==
        MASKLOOM_OK);
  CHECK(maskloom_vocabulary_size(vocabulary) == kRowSize);
  CHECK(maskloom_vocabulary_row_words(vocabulary) == (kRowSize + 31) / 32);
  return vocabulary;
}

/* ---- the engine's model: pseudo-random logits ---- */

typedef struct {
  uint64_t state;
} Random;

static uint32_t NextRandom(Random* random) {
  random->state = random->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random->state >> 33);
}

static int IsSet(const uint32_t* row, uint32_t token) {
  return (row[token / 32] >> (token % 32) & 1u) != 0;
}

/* The engine's sampler: the largest random logit among allowed tokens. */
static uint32_t Choose(Random* random, const uint32_t* row) {
  uint32_t best = UINT32_MAX;
  uint32_t best_logit = 0;
  uint32_t token;
  for (token = 0; token < kRowSize; ++token) {
    uint32_t logit = NextRandom(random);
    if (token == kEnd || token == kEndOfTurn) logit |= 0x40000000u; /* texts should end */
    if (IsSet(row, token) && (best == UINT32_MAX || logit > best_logit)) {
      best = token;
      best_logit = logit;
    }
  }
  return best;
}

/* ---- helpers ---- */

typedef struct {
  char bytes[kMaxText];
  size_t length;
} Text;

static void Append(Text* text, const char* bytes, size_t length) {
  CHECK(text->length + length <= kMaxText);
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
}

static void AppendToken(Text* text, const maskloom_vocabulary* vocabulary, uint32_t token) {
  const char* bytes;
  size_t length;
  maskloom_token_kind kind;
  CHECK(maskloom_vocabulary_token(vocabulary, token, &bytes, &length, &kind) == MASKLOOM_OK);
  if (kind == MASKLOOM_TOKEN_NORMAL) Append(text, bytes, length);
}

static maskloom_matcher* NewMatcher(const maskloom_grammar* grammar) {
  maskloom_matcher* matcher = NULL;
  maskloom_error error;
  CHECK(maskloom_matcher_create(grammar, NULL, &matcher, &error) == MASKLOOM_OK);
  return matcher;
}

/* The whole text matches, for a matcher that has not seen it. */
static void CheckText(const maskloom_grammar* grammar, const Text* text) {
  maskloom_matcher* matcher = NewMatcher(grammar);
  size_t taken = 0;
  CHECK(maskloom_matcher_accept_bytes(matcher, text->bytes, text->length, &taken) == MASKLOOM_OK);
  CHECK(taken == text->length);
  CHECK(maskloom_matcher_is_accepting(matcher) == 1);
  maskloom_matcher_free(matcher);
}

/* Fills the row of the mask. Where the mask is ids beside a shared row too, that is the same. */
static void FillRow(maskloom_matcher* matcher, uint32_t* row) {
  enum { kWords = (kRowSize + 31) / 32 };
  uint32_t made[kWords];
  uint32_t ids[kRowSize];
  uint32_t base = 0;
  size_t count = 0;
  size_t i;
  maskloom_status status;
  CHECK(maskloom_matcher_fill_mask(matcher, row, kWords) == MASKLOOM_OK);
  status = maskloom_matcher_find_mask(matcher, &base, ids, kRowSize, &count);
  CHECK(maskloom_matcher_fill_base(matcher, made, kWords) == status);
  if (status == MASKLOOM_REJECTED) return;
  CHECK(status == MASKLOOM_OK);
  for (i = 0; base == 0 && i < kWords; ++i) CHECK(made[i] == 0);
  for (i = 0; i < count; ++i) made[ids[i] / 32] |= (uint32_t)1 << (ids[i] % 32);
  CHECK(memcmp(made, row, sizeof(made)) == 0);
  {
    uint32_t asked_base = 0;
    size_t asked_count = 0;
    const maskloom_status asked =
        maskloom_matcher_find_mask(matcher, &asked_base, NULL, 0, &asked_count);
    CHECK(asked == (count == 0 ? MASKLOOM_OK : MASKLOOM_REJECTED));
    CHECK(asked_base == base && asked_count == count);
  }
  if (count == 0) return;
  CHECK(maskloom_matcher_find_mask(matcher, &base, ids, count - 1, &count) == MASKLOOM_REJECTED);
}

/* ---- definitions ---- */

typedef maskloom_status (*Compile)(const maskloom_vocabulary*, const char*, size_t,
                                   const maskloom_compile_options*, maskloom_grammar**,
                                   maskloom_error*);

typedef struct {
  Compile compile;
  const char* text;
} Definition;

static const Definition kDefinitions[] = {
    {maskloom_compile_schema,
     "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"maxLength\":8},"
     "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":150}},"
     "\"required\":[\"name\",\"age\"],\"additionalProperties\":false}"},
    {maskloom_compile_schema,
     "{\"type\":\"array\",\"items\":{\"enum\":[\"tag\",\"tags\",12,null]},\"minItems\":2,"
     "\"maxItems\":4}"},
    {maskloom_compile_schema,
     "{\"anyOf\":[{\"type\":\"boolean\"},{\"type\":\"string\",\"pattern\":\"^ab+c$\"}]}"},
    {maskloom_compile_regex, "(abc|a-z){1,3}\\d{2}"},
    {maskloom_compile_ebnf, "root ::= \"(\" root \")\" | [a-c]{1,4}"},
};
enum { kDefinitionCount = sizeof(kDefinitions) / sizeof(kDefinitions[0]) };

static maskloom_grammar* CompileOne(const maskloom_vocabulary* vocabulary, const Definition* d) {
  maskloom_grammar* grammar = NULL;
  maskloom_error error;
  maskloom_status status = d->compile(vocabulary, d->text, strlen(d->text), NULL, &grammar, &error);
  if (status != MASKLOOM_OK) fprintf(stderr, "%s\n  %s\n", d->text, error.message);
  CHECK(status == MASKLOOM_OK && grammar != NULL);
  CHECK(maskloom_grammar_memory_bytes(grammar) > 0);
  return grammar;
}

/* ---- scenarios ---- */

/* One sequence, one token at a time, until an end token or too many tokens. */
static void GeneratesValidText(const maskloom_vocabulary* vocabulary,
                               const maskloom_grammar* grammar, uint64_t seed) {
  static Text text;
  uint32_t row[(kRowSize + 31) / 32];
  Random random;
  maskloom_matcher* matcher = NewMatcher(grammar);
  size_t count;
  random.state = seed;
  text.length = 0;
  for (count = 0; count < kMaxTokens && maskloom_matcher_is_terminated(matcher) == 0; ++count) {
    uint32_t token;
    FillRow(matcher, row);
    CHECK(!IsSet(row, kControl));
    CHECK(IsSet(row, kEnd) == (maskloom_matcher_is_accepting(matcher) == 1));
    CHECK(IsSet(row, kEnd) == IsSet(row, kEndOfTurn));
    for (token = kTokenCount; token < kRowSize; ++token) CHECK(!IsSet(row, token));
    token = Choose(&random, row);
    CHECK(token != UINT32_MAX); /* never stuck */
    CHECK(maskloom_matcher_is_allowed(matcher, token) == 1);
    CHECK(maskloom_matcher_accept_token(matcher, token) == MASKLOOM_OK);
    AppendToken(&text, vocabulary, token);
  }
  CHECK(maskloom_matcher_token_count(matcher) == count);
  if (maskloom_matcher_is_terminated(matcher) == 0) { /* too long: finish it */
    size_t length = 0;
    CHECK(maskloom_matcher_completion(matcher, text.bytes + text.length, kMaxText - text.length,
                                      &length) == MASKLOOM_OK);
    CHECK(text.length + length <= kMaxText);
    text.length += length;
  }
  CheckText(grammar, &text);
  maskloom_matcher_free(matcher);
}

/* The bits of a mask, is_allowed, validate and accept say the same of every token. */
static void MaskAgreesWithAccept(const maskloom_grammar* grammar, uint64_t seed) {
  uint32_t row[(kRowSize + 31) / 32];
  Random random;
  maskloom_matcher* matcher = NewMatcher(grammar);
  int step;
  random.state = seed;
  for (step = 0; step < 12 && maskloom_matcher_is_terminated(matcher) == 0; ++step) {
    uint32_t token;
    FillRow(matcher, row);
    for (token = 0; token < kRowSize; ++token) {
      size_t accepted = 7;
      maskloom_matcher* fork = NULL;
      CHECK(maskloom_matcher_validate(matcher, &token, 1, &accepted) == MASKLOOM_OK);
      CHECK(accepted == (size_t)IsSet(row, token));
      CHECK(maskloom_matcher_is_allowed(matcher, token) == IsSet(row, token));
      CHECK(maskloom_matcher_fork(matcher, &fork, NULL) == MASKLOOM_OK);
      CHECK(maskloom_matcher_accept_token(fork, token) ==
            (IsSet(row, token) ? MASKLOOM_OK : MASKLOOM_REJECTED));
      maskloom_matcher_free(fork);
    }
    CHECK(maskloom_matcher_accept_token(matcher, Choose(&random, row)) == MASKLOOM_OK);
  }
  maskloom_matcher_free(matcher);
}

/* A draft of several tokens is taken back and leaves no trace; a fork goes its own way. */
static void RollbackAndForkRestoreMasks(const maskloom_grammar* grammar) {
  uint32_t before[(kRowSize + 31) / 32];
  uint32_t row[(kRowSize + 31) / 32];
  Random random;
  maskloom_matcher* matcher = NewMatcher(grammar);
  maskloom_matcher* fork = NULL;
  uint32_t taken = 0;
  random.state = 99;
  FillRow(matcher, before);
  CHECK(maskloom_matcher_fork(matcher, &fork, NULL) == MASKLOOM_OK);
  while (taken < 5 && maskloom_matcher_is_terminated(matcher) == 0) {
    FillRow(matcher, row);
    CHECK(maskloom_matcher_accept_token(matcher, Choose(&random, row)) == MASKLOOM_OK);
    ++taken;
  }
  FillRow(fork, row);
  CHECK(memcmp(before, row, sizeof(row)) == 0);
  CHECK(maskloom_matcher_rollback(matcher, taken + 1) == MASKLOOM_INVALID_ARGUMENT);
  CHECK(maskloom_matcher_token_count(matcher) == taken);
  CHECK(maskloom_matcher_rollback(matcher, taken) == MASKLOOM_OK);
  FillRow(matcher, row);
  CHECK(memcmp(before, row, sizeof(row)) == 0);
  CHECK(maskloom_matcher_reset(fork) == MASKLOOM_OK);
  CHECK(maskloom_matcher_token_count(fork) == 0);
  maskloom_matcher_free(matcher);
  FillRow(fork, row); /* a fork outlives what it came from */
  CHECK(memcmp(before, row, sizeof(row)) == 0);
  maskloom_matcher_free(fork);
}

/* Sequences of different grammars, one of them finished, step together; workers change nothing. */
static void BatchEqualsSingleFills(maskloom_grammar* const* grammars) {
  enum { kSlots = 2 * kDefinitionCount + 1, kStride = (kRowSize + 31) / 32 + 3 };
  static uint32_t rows[kSlots * kStride];
  static uint32_t rows_of_workers[kSlots * kStride];
  uint32_t row[(kRowSize + 31) / 32];
  maskloom_matcher* matchers[kSlots];
  maskloom_workers* workers = NULL;
  Random random;
  size_t i;
  int step;
  random.state = 5;
  for (i = 0; i + 1 < kSlots; ++i) matchers[i] = NewMatcher(grammars[i % kDefinitionCount]);
  matchers[kSlots - 1] = NULL;
  CHECK(maskloom_workers_create(3, &workers, NULL) == MASKLOOM_OK);
  for (step = 0; step < 20; ++step) {
    memset(rows, 0xAB, sizeof(rows));
    memset(rows_of_workers, 0xAB, sizeof(rows_of_workers));
    CHECK(maskloom_fill_masks(NULL, matchers, kSlots, rows, kStride) == MASKLOOM_OK);
    CHECK(maskloom_fill_masks(workers, matchers, kSlots, rows_of_workers, kStride) == MASKLOOM_OK);
    CHECK(memcmp(rows, rows_of_workers, sizeof(rows)) == 0);
    for (i = 0; i < kSlots; ++i) {
      if (matchers[i] == NULL) {
        CHECK(rows[i * kStride] == 0xABABABABu);
        continue;
      }
      FillRow(matchers[i], row);
      CHECK(memcmp(row, rows + i * kStride, sizeof(row)) == 0);
      CHECK(maskloom_matcher_accept_token(matchers[i], Choose(&random, row)) == MASKLOOM_OK);
      if (maskloom_matcher_is_terminated(matchers[i]) == 1) {
        maskloom_matcher_free(matchers[i]);
        matchers[i] = NULL;
      }
    }
  }
  for (i = 0; i + 1 < kSlots; ++i) maskloom_matcher_free(matchers[i]);
  matchers[0] = NewMatcher(grammars[0]);
  CHECK(maskloom_fill_masks(workers, matchers, 1, rows, 1) == MASKLOOM_INVALID_ARGUMENT);
  maskloom_matcher_free(matchers[0]);
  maskloom_workers_free(workers);
}

/* Rows of a chain of drafts are those of a fork that accepts them one after another. */
static void DraftsEqualAForkThatAcceptsThem(const maskloom_grammar* grammar) {
  enum { kDrafts = 5, kStride = (kRowSize + 31) / 32 };
  static uint32_t rows[kDrafts * kStride];
  uint32_t row[kStride];
  uint32_t tokens[kDrafts], parents[kDrafts];
  uint8_t accepted[kDrafts];
  maskloom_matcher* matcher = NewMatcher(grammar);
  maskloom_matcher* fork = NULL;
  maskloom_workers* workers = NULL;
  Random random;
  size_t i, count = 0;
  random.state = 11;
  CHECK(maskloom_workers_create(2, &workers, NULL) == MASKLOOM_OK);
  CHECK(maskloom_matcher_fork(matcher, &fork, NULL) == MASKLOOM_OK);
  while (count < kDrafts && maskloom_matcher_is_terminated(fork) == 0) {
    FillRow(fork, row);
    tokens[count] = Choose(&random, row);
    parents[count] = count == 0 ? MASKLOOM_NO_PARENT : (uint32_t)(count - 1);
    CHECK(maskloom_matcher_accept_token(fork, tokens[count]) == MASKLOOM_OK);
    ++count;
  }
  CHECK(maskloom_fill_tree_masks(workers, matcher, tokens, parents, count, rows, kStride,
                                 accepted) == MASKLOOM_OK);
  maskloom_matcher_free(fork);
  CHECK(maskloom_matcher_fork(matcher, &fork, NULL) == MASKLOOM_OK);
  for (i = 0; i < count; ++i) {
    CHECK(accepted[i] == 1);
    CHECK(maskloom_matcher_accept_token(fork, tokens[i]) == MASKLOOM_OK);
    FillRow(fork, row);
    CHECK(memcmp(row, rows + i * kStride, sizeof(row)) == 0);
  }
  CHECK(maskloom_fill_tree_masks(NULL, matcher, tokens, parents, count, rows, 0, accepted) ==
        MASKLOOM_INVALID_ARGUMENT);
  maskloom_matcher_free(fork);
  maskloom_matcher_free(matcher);
  maskloom_workers_free(workers);
}

/* Bytes that must come are known without a mask. */
static void ForcedBytesAreForced(const maskloom_vocabulary* vocabulary) {
  const Definition definition = {maskloom_compile_regex, "hello (world|moon)"};
  maskloom_grammar* grammar = CompileOne(vocabulary, &definition);
  maskloom_matcher* matcher = NewMatcher(grammar);
  char buffer[4];
  uint8_t next[32];
  size_t length = 0;
  CHECK(maskloom_matcher_forced_bytes(matcher, buffer, sizeof(buffer), &length) == MASKLOOM_OK);
  CHECK(length == 6 && memcmp(buffer, "hell", 4) == 0);
  CHECK(maskloom_matcher_next_bytes(matcher, next) == MASKLOOM_OK);
  CHECK(next['h' / 8] == 1u << 'h' % 8);
  CHECK(maskloom_matcher_accept_bytes(matcher, "help", 4, &length) == MASKLOOM_REJECTED);
  CHECK(length == 3);
  CHECK(maskloom_matcher_accept_bytes(matcher, "hello ", 6, NULL) == MASKLOOM_OK);
  CHECK(maskloom_matcher_forced_bytes(matcher, NULL, 0, &length) == MASKLOOM_OK);
  CHECK(length == 0);
  maskloom_matcher_free(matcher);
  maskloom_grammar_free(grammar);
}

int main(void) {
  maskloom_vocabulary* vocabulary = MakeVocabulary();
  maskloom_vocabulary* bytes = NULL;
  maskloom_grammar* grammars[kDefinitionCount];
  size_t i;
  uint64_t seed;
  CHECK(strcmp(maskloom_version(), "0.1.0") == 0);
  CHECK(maskloom_vocabulary_bytes(&bytes, NULL) == MASKLOOM_OK);
  CHECK(maskloom_vocabulary_size(bytes) == 257);
  maskloom_vocabulary_free(bytes);
  for (i = 0; i < kDefinitionCount; ++i) grammars[i] = CompileOne(vocabulary, &kDefinitions[i]);
  ForcedBytesAreForced(vocabulary);
  for (i = 0; i < kDefinitionCount; ++i) {
    for (seed = 1; seed <= 10; ++seed) GeneratesValidText(vocabulary, grammars[i], seed);
    MaskAgreesWithAccept(grammars[i], 3 * i + 1);
    RollbackAndForkRestoreMasks(grammars[i]);
  }
  BatchEqualsSingleFills(grammars);
  for (i = 0; i < kDefinitionCount; ++i) DraftsEqualAForkThatAcceptsThem(grammars[i]);
  maskloom_vocabulary_free(vocabulary); /* grammars keep what they need */
  for (i = 0; i < kDefinitionCount; ++i) {
    maskloom_matcher* matcher = NewMatcher(grammars[i]);
    maskloom_grammar_free(grammars[i]);
    CHECK(maskloom_matcher_is_terminated(matcher) == 0);
    maskloom_matcher_free(matcher);
  }
  puts("all of the C API behaves");
  return 0;
}
