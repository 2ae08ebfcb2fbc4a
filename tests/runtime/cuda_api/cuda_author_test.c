/* libmaskloom_cuda as engines link it, C99: that there is no device is said, not met. Where one is,
 * a batch is made on it. */
#include <maskloom.h>
#include <maskloom_cuda.h>
#include <stdio.h>
#include <string.h>

#include "tests/runtime/c_api/check.h"

int main(void) {
  maskloom_error error;
  maskloom_vocabulary* vocabulary = NULL;
  maskloom_cuda_batch* batch = NULL;
  maskloom_cuda_options options;
  maskloom_status found = maskloom_cuda_check_device(-1, &error);
  maskloom_status made;
  if (found != MASKLOOM_OK) {
    CHECK(found == MASKLOOM_NO_DEVICE);
    CHECK(strncmp(error.message, "no CUDA device", 14) == 0);
    printf("%s\n", error.message);
  }
  CHECK(maskloom_vocabulary_bytes(&vocabulary, &error) == MASKLOOM_OK);
  maskloom_cuda_options_init(&options);
  CHECK(options.struct_size == sizeof(options));
  options.max_rows = 2;
  made = maskloom_cuda_batch_create(vocabulary, &options, &batch, &error);
  CHECK(made == found);
  CHECK((batch != NULL) == (made == MASKLOOM_OK));
  maskloom_cuda_batch_free(batch);
  CHECK(maskloom_cuda_batch_create(vocabulary, &options, NULL, &error) ==
        MASKLOOM_INVALID_ARGUMENT);
  maskloom_vocabulary_free(vocabulary);
  return 0;
}
