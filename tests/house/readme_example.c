#include <maskloom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char regex[] = "(yes|no), I am ([1-9][0-9]?|100)% sure";

/* Where your model and your sampling go. Here any allowed token is as good as another. */
static uint32_t choose(const uint32_t* mask, uint32_t size) {
  uint32_t token = (uint32_t)rand() % size;
  while (!(mask[token / 32] >> (token % 32) & 1u)) token = (token + 1) % size;
  return token;
}

int main(int argc, char** argv) {
  maskloom_vocabulary* vocabulary = NULL; /* of a GGUF model or tokenizer.json, or single bytes */
  maskloom_grammar* grammar = NULL;       /* shared by any number of matchers, on any threads */
  maskloom_matcher* matcher = NULL;       /* one for each text */
  maskloom_error error;
  if ((argc > 1 ? maskloom_vocabulary_open(argv[1], &vocabulary, &error)
                : maskloom_vocabulary_bytes(&vocabulary, &error)) != MASKLOOM_OK ||
      maskloom_compile_regex(vocabulary, regex, strlen(regex), NULL, &grammar, &error) !=
          MASKLOOM_OK ||
      maskloom_matcher_create(grammar, NULL, &matcher, &error) != MASKLOOM_OK) {
    fprintf(stderr, "%s %s\n", error.message, error.pointer);
    return 1;
  }
  size_t words = maskloom_vocabulary_row_words(vocabulary);
  uint32_t* mask = malloc(words * sizeof *mask);
  while (mask && !maskloom_matcher_is_terminated(matcher)) {
    maskloom_matcher_fill_mask(matcher, mask, words);
    uint32_t token = choose(mask, maskloom_vocabulary_size(vocabulary));
    maskloom_matcher_accept_token(matcher, token);
    const char* bytes;
    size_t length;
    maskloom_token_kind kind;
    maskloom_vocabulary_token(vocabulary, token, &bytes, &length, &kind);
    if (kind == MASKLOOM_TOKEN_NORMAL) fwrite(bytes, 1, length, stdout);
  }
  putchar('\n');
  free(mask);
  maskloom_matcher_free(matcher);
  maskloom_grammar_free(grammar);
  maskloom_vocabulary_free(vocabulary);
  return 0;
}
