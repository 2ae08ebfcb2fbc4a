/* Texts of two schemas, written by rows of one batch on a CUDA device. There is no model: the
 * logits of each step are noise that likes letters and closing quotes. The step is captured in a
 * graph once and replayed for every token.
 *
 *   cc two_schemas.c -I PREFIX/include -L PREFIX/lib -I CUDA/include -L CUDA/lib64 \
 *       -lmaskloom_cuda -lmaskloom -lcudart
 *
 * Prints a line a row: its number, a blank, the text. Exits with 0; with 77 where there is no
 * device; with 1 on any other error. */
#include <cuda_runtime_api.h>
#include <maskloom.h>
#include <maskloom_cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 4, kMostSteps = 500, kMostText = 1 << 12, kNoDevice = 77 };

static const char* const kSchemas[2] = {
    "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"name\", \"age\"],"
    " \"properties\": {\"name\": {\"type\": \"string\", \"maxLength\": 12},"
    " \"age\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 130}}}",
    "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 4,"
    " \"items\": {\"enum\": [\"red\", \"green\", \"blue\", null]}}"};

static void Demand(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}
static void DemandMaskloom(maskloom_status status, const maskloom_error* error) {
  Demand(status == MASKLOOM_OK, error->message);
}
static void DemandCuda(cudaError_t status) {
  Demand(status == cudaSuccess, cudaGetErrorString(status));
}

/* Writes the logits that a model would give. */
static void MakeLogits(float* logits, uint32_t vocab, uint32_t step) {
  uint64_t noise = 0x9E3779B97F4A7C15u * (step + 1);
  uint32_t row, token;
  for (row = 0; row < kRows; ++row) {
    for (token = 0; token < vocab; ++token) {
      noise = noise * 6364136223846793005u + 1442695040888963407u;
      logits[row * vocab + token] = (float)(noise >> 40) / (float)(1 << 22);
      if (token >= 'a' && token <= 'z') logits[row * vocab + token] += 4.0f;
      if (token == '"') logits[row * vocab + token] += 5.0f;
    }
  }
}

typedef struct Text {
  char bytes[kMostText];
  size_t length;
  int is_over;
} Text;

/* Appends what the rows took to their texts. Returns how many of them have ended by it. */
static int Append(const maskloom_vocabulary* vocabulary, const maskloom_cuda_result* results,
                  size_t count, Text* texts) {
  int ended = 0;
  size_t i;
  for (i = 0; i < count; ++i) {
    Text* text = &texts[results[i].row];
    const char* bytes = NULL;
    size_t length = 0;
    Demand((results[i].flags & MASKLOOM_CUDA_NO_TOKEN) == 0, "a row has no token");
    if ((results[i].flags & MASKLOOM_CUDA_ENDED) != 0) {
      text->is_over = 1;
      ++ended;
      continue;
    }
    Demand(maskloom_vocabulary_token(vocabulary, results[i].token, &bytes, &length, NULL) ==
               MASKLOOM_OK,
           "a token has no bytes");
    Demand(text->length + length <= sizeof(text->bytes), "a text is too long");
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
  }
  return ended;
}

/* Returns how much of the model's probability lay outside of the masks of the last results, in all.
 */
static double RemovedMass(const maskloom_cuda_batch* batch, size_t count) {
  maskloom_cuda_report report;
  maskloom_error error;
  double removed = 0;
  size_t i;
  report.struct_size = sizeof(report);
  for (i = 0; i < count; ++i) {
    DemandMaskloom(maskloom_cuda_result_report(batch, i, &report, &error), &error);
    removed += report.removed_mass;
  }
  return removed;
}

/* Captures the step that reads `logits` on the device. */
static cudaGraphExec_t CaptureStep(maskloom_cuda_batch* batch, float* logits, uint32_t vocab,
                                   cudaStream_t stream) {
  maskloom_cuda_logits given;
  maskloom_error error;
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  given.data = logits;
  given.type = MASKLOOM_CUDA_F32;
  given.stride = vocab;
  DemandCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  DemandMaskloom(maskloom_cuda_step(batch, &given, kRows, stream, &error), &error);
  DemandCuda(cudaStreamEndCapture(stream, &graph));
  DemandCuda(cudaGraphInstantiate(&exec, graph, 0));
  DemandCuda(cudaGraphDestroy(graph));
  return exec;
}

/* Runs steps until all rows have ended. Returns how much probability the masks took away, in all.
 */
static double Generate(maskloom_cuda_batch* batch, const maskloom_vocabulary* vocabulary,
                       cudaStream_t stream, Text* texts) {
  const uint32_t vocab = maskloom_vocabulary_size(vocabulary);
  const size_t bytes = (size_t)kRows * vocab * sizeof(float);
  maskloom_cuda_result results[kRows];
  maskloom_error error;
  float* on_host = NULL;
  float* on_device = NULL;
  cudaGraphExec_t step;
  uint32_t i;
  int ended = 0;
  double removed = 0;
  DemandCuda(cudaMallocHost((void**)&on_host, bytes));
  DemandCuda(cudaMalloc((void**)&on_device, bytes));
  step = CaptureStep(batch, on_device, vocab, stream);
  for (i = 0; i < kMostSteps && ended < kRows; ++i) {
    size_t count = 0;
    MakeLogits(on_host, vocab, i);
    DemandCuda(cudaMemcpyAsync(on_device, on_host, bytes, cudaMemcpyHostToDevice, stream));
    DemandCuda(cudaGraphLaunch(step, stream));
    DemandCuda(cudaStreamSynchronize(stream));
    DemandMaskloom(maskloom_cuda_finish(batch, stream, results, kRows, &count, &error), &error);
    ended += Append(vocabulary, results, count, texts);
    removed += RemovedMass(batch, count);
    /* An engine submits its next forward pass here; this runs beside it. */
    DemandMaskloom(maskloom_cuda_catch_up(batch, stream, &error), &error);
  }
  DemandCuda(cudaStreamSynchronize(stream));
  DemandCuda(cudaGraphExecDestroy(step));
  DemandCuda(cudaFree(on_device));
  DemandCuda(cudaFreeHost(on_host));
  return removed;
}

int main(void) {
  static Text texts[kRows];
  maskloom_error error;
  maskloom_vocabulary* vocabulary = NULL;
  maskloom_grammar* grammars[2] = {NULL, NULL};
  maskloom_matcher* matchers[kRows];
  maskloom_compile_options compact;
  maskloom_cuda_batch* batch = NULL;
  maskloom_cuda_options options;
  maskloom_cuda_statistics statistics;
  cudaStream_t stream = NULL;
  double removed;
  uint32_t i;

  if (maskloom_cuda_check_device(-1, &error) != MASKLOOM_OK) {
    fprintf(stderr, "%s\n", error.message);
    return kNoDevice;
  }
  DemandCuda(cudaStreamCreate(&stream));
  DemandMaskloom(maskloom_vocabulary_bytes(&vocabulary, &error), &error);
  maskloom_cuda_options_init(&options);
  options.max_rows = kRows;
  options.pool_bytes = 1 << 20;
  options.table_bytes = 1 << 20;
  options.with_reports = 1;
  DemandMaskloom(maskloom_cuda_batch_create(vocabulary, &options, &batch, &error), &error);
  maskloom_compile_options_init(&compact);
  compact.whitespace = MASKLOOM_WHITESPACE_COMPACT; /* a text is a line */
  for (i = 0; i < 2; ++i) {
    DemandMaskloom(maskloom_compile_schema(vocabulary, kSchemas[i], strlen(kSchemas[i]), &compact,
                                           &grammars[i], &error),
                   &error);
  }
  for (i = 0; i < kRows; ++i) {
    maskloom_cuda_sampling sampling;
    maskloom_cuda_sampling_init(&sampling);
    sampling.seed = i;
    sampling.wants_raw = 1;
    DemandMaskloom(maskloom_matcher_create(grammars[i % 2], NULL, &matchers[i], &error), &error);
    DemandMaskloom(maskloom_cuda_place(batch, i, matchers[i], &sampling, stream, &error), &error);
  }

  memset(texts, 0, sizeof(texts));
  removed = Generate(batch, vocabulary, stream, texts);
  for (i = 0; i < kRows; ++i) {
    Demand(texts[i].is_over, "a row has not ended");
    printf("%u %.*s\n", (unsigned)i, (int)texts[i].length, texts[i].bytes);
  }
  statistics.struct_size = sizeof(statistics);
  maskloom_cuda_batch_statistics(batch, &statistics);
  fprintf(stderr, "%llu tokens, %llu of them without the host; the masks took away %.0f %%\n",
          (unsigned long long)statistics.tokens, (unsigned long long)statistics.alone,
          100 * removed / (double)statistics.tokens);

  maskloom_cuda_batch_free(batch);
  for (i = 0; i < kRows; ++i) maskloom_matcher_free(matchers[i]);
  for (i = 0; i < 2; ++i) maskloom_grammar_free(grammars[i]);
  maskloom_vocabulary_free(vocabulary);
  DemandCuda(cudaStreamDestroy(stream));
  return 0;
}
