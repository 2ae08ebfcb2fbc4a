/* C API of Maskloom for engines whose logits are on a CUDA device: masks and their states live
 * there, too, and most rows need nothing of the host between two tokens.
 *
 *   batch_create ──► place (a matcher in a row) ──► step ─► finish ─► step ─► ... ──► remove
 *                                                     │       │
 *                          device: token, next mask ──┘       └── host: rows that the device could
 *                          and state of each row                  not take on alone
 *
 * A loop of an engine, all on one stream:
 *
 *   maskloom_cuda_step(batch, &logits, rows, stream, &error);   // or a graph that holds it
 *   cudaStreamSynchronize(stream);                              // the engine's own wait for tokens
 *   maskloom_cuda_finish(batch, stream, results, capacity, &count, &error);
 *   ... launch the next forward pass; the tokens are in maskloom_cuda_tokens(batch) ...
 *   maskloom_cuda_catch_up(batch, stream, &error);              // while the device runs
 *
 * Conventions are those of maskloom.h, and besides
 *  1. `stream` is a cudaStream_t. All calls of a batch that take one use the same, or streams that
 *     the caller has ordered (an event between them).
 *  2. A batch belongs to one thread at a time. Batches are independent of each other. The device of
 *     a batch is made current within a call and the one before afterwards.
 *  3. _step, _apply_masks and _accept may be captured in a CUDA graph, and replayed any number of
 *     times, also after rows were placed and removed: pointers and sizes stay. They neither wait
 *     nor allocate nor copy from pageable memory. The others refuse a stream that captures, and
 *     must not be called while another one does in the global mode of capture.
 *  4. A row that waits for the host, is empty, or has ended, chooses no token: its entry of
 *     maskloom_cuda_tokens stays as it was. So up to steps_ahead steps may be submitted whose
 *     results _finish has not read.
 *  5. Errors of the driver are MASKLOOM_NO_DEVICE. After one of a kernel the batch can only be
 *     freed.
 *  6. Ids of tokens are those of the vocabulary; a row of logits has maskloom_vocabulary_size()
 *     of them.
 */
#ifndef MASKLOOM_CUDA_H_
#define MASKLOOM_CUDA_H_

#include <maskloom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Batches ---- */

typedef struct maskloom_cuda_batch maskloom_cuda_batch;

typedef struct maskloom_cuda_options {
  size_t struct_size;
  int32_t device;           /* -1: the one that is current */
  uint32_t max_rows;        /* 1 to 65,535 */
  uint32_t max_grammars;    /* that have tables on the device at once; rows of more need the host */
  size_t pool_bytes;        /* of device memory for masks, shared by all grammars; at least two
                               rows of bits a row, and four */
  size_t table_bytes;       /* of a grammar's table */
  uint32_t explored_states; /* of the table of each grammar in use, by a call of _catch_up; 0:
                               tables learn from rows alone */
  size_t staging_bytes;     /* of pinned memory that copies go through; at least 64 KiB */
  uint32_t max_adjustments; /* tokens with a bias or a count, a row; 16 bytes each */
  uint32_t steps_ahead;     /* steps whose results _finish has not read: a power of two, to 256 */
  int32_t with_sampler;     /* 0: only _apply_masks and _accept will be used, which saves the
                               memory of the sampler */
  int32_t with_filters;     /* 0: no row will have top_k, top_p or min_p, which saves a launch */
  int32_t with_reports;     /* 1: rows may ask for entropy, the model's own probabilities and top
                               tokens, which costs a launch */
  uint32_t max_top_tokens;  /* with them: that a row may ask for; to 256 */
} maskloom_cuda_options;

MASKLOOM_API void maskloom_cuda_options_init(maskloom_cuda_options* options);

/* Returns MASKLOOM_OK if batches can be made on `device` (-1: the one that is current); else
 * MASKLOOM_NO_DEVICE, with a message such as "no CUDA device: the NVIDIA driver is not installed",
 * or which architecture this library has no code for. Starts the device; the current one stays. */
MASKLOOM_API maskloom_status maskloom_cuda_check_device(int32_t device, maskloom_error* error);

/* Makes a batch of empty rows, and asks for all its memory but that of grammars' tables, which is
 * asked for where a grammar is placed first. Waits for the device. On error: MASKLOOM_NO_DEVICE;
 * MASKLOOM_RESOURCE_LIMIT where memory is short; MASKLOOM_INVALID_ARGUMENT naming the option. */
MASKLOOM_API maskloom_status maskloom_cuda_batch_create(const maskloom_vocabulary* vocabulary,
                                                        const maskloom_cuda_options* options,
                                                        maskloom_cuda_batch** batch,
                                                        maskloom_error* error);
/* Waits for the batch's copies. Graphs that hold its steps must not be launched any more. */
MASKLOOM_API void maskloom_cuda_batch_free(maskloom_cuda_batch* batch);

/* ---- Rows ---- */

typedef struct maskloom_cuda_bias {
  uint32_t token;
  float bias; /* added to the logit; -INFINITY bans the token */
} maskloom_cuda_bias;

/* How a row's tokens are chosen; the CPU's sampler takes the same tokens. Applied in this order:
 * bias, repetition, frequency and presence, temperature, top_k, top_p, min_p. */
typedef struct maskloom_cuda_sampling {
  size_t struct_size;
  double temperature;        /* 0: greedy; else 0.0001 to 10000 */
  uint32_t top_k;            /* 0: off */
  double top_p;              /* 0 to 1; 1: off */
  double min_p;              /* 0 to 1; 0: off */
  double repetition_penalty; /* above 0; 1: off; for tokens of prompt and output */
  double frequency_penalty;  /* times the count of the token in the output */
  double presence_penalty;   /* once for a token of the output */
  uint64_t seed;             /* seed and position draw the noise */
  uint64_t position;         /* of the row's next token in its sequence; counted on the device */
  const maskloom_cuda_bias* biases; /* each token at most once */
  size_t bias_count;
  const uint32_t* prompt; /* read where repetition_penalty is on */
  size_t prompt_count;
  const uint32_t* output; /* tokens of the output so far, read where a penalty is on */
  size_t output_count;
  int32_t wants_logprob; /* 1: maskloom_cuda_result has it; costs a look at every allowed logit */
  /* What maskloom_cuda_result_report has, in batches made with_reports; never changes the token. */
  int32_t wants_entropy; /* 1: the entropy; the allowed logits are read once more */
  int32_t wants_raw;     /* 1: the model's own probabilities; the whole row is read once more */
  uint32_t top_tokens;   /* so many of the most probable tokens; as for the entropy */
} maskloom_cuda_sampling;

MASKLOOM_API void maskloom_cuda_sampling_init(maskloom_cuda_sampling* sampling);

/* Lets `row` follow `matcher` from where that stands, from the next step on; NULL: all tokens are
 * allowed. What the row followed before is forgotten, and with it tokens that _finish has not
 * returned. `sampling` is copied; NULL stands for the defaults. The matcher belongs to the batch
 * until it is taken off: it must be neither freed nor changed, and may be behind the row. Place it
 * again after a change such as a rollback, behind _remove or _catch_up.
 * On error: MASKLOOM_INVALID_ARGUMENT; MASKLOOM_RESOURCE_LIMIT for more biases and counts than
 * max_adjustments. The row is empty then, unless the stream captures. */
MASKLOOM_API maskloom_status maskloom_cuda_place(maskloom_cuda_batch* batch, uint32_t row,
                                                 maskloom_matcher* matcher,
                                                 const maskloom_cuda_sampling* sampling,
                                                 void* stream, maskloom_error* error);
/* Empties `row`. Its matcher is then where the row was at the last _finish. */
MASKLOOM_API maskloom_status maskloom_cuda_remove(maskloom_cuda_batch* batch, uint32_t row,
                                                  void* stream, maskloom_error* error);

/* ---- Steps ---- */

typedef enum maskloom_cuda_type {
  MASKLOOM_CUDA_F32 = 0,
  MASKLOOM_CUDA_F16 = 1,
  MASKLOOM_CUDA_BF16 = 2
} maskloom_cuda_type;

/* Logits on the device. One that is NaN, of either sign, counts as -infinity: it may be allowed,
 * but is never chosen. Where the largest that is allowed is above 2^21 once bias, penalties and
 * temperature are applied, +infinity included, it is taken without filters and noise, of equal ones
 * that of the lowest id. */
typedef struct maskloom_cuda_logits {
  void* data; /* row r begins at element r * stride; _step only reads */
  maskloom_cuda_type type;
  size_t stride; /* elements, at least the vocabulary's size; rows at multiples of 16 bytes are
                    fastest */
} maskloom_cuda_logits;

/* Submits the choice of a token for each of the first `rows` rows, and what follows from it on the
 * device: the row's state, its next mask, its counts for penalties. */
MASKLOOM_API maskloom_status maskloom_cuda_step(maskloom_cuda_batch* batch,
                                                const maskloom_cuda_logits* logits, uint32_t rows,
                                                void* stream, maskloom_error* error);
/* Submits that logits become -infinity which the masks of the first `rows` rows close: for engines
 * with a sampler of their own. Of rows that wait, are empty or have ended, all do. */
MASKLOOM_API maskloom_status maskloom_cuda_apply_masks(maskloom_cuda_batch* batch,
                                                       const maskloom_cuda_logits* logits,
                                                       uint32_t rows, void* stream,
                                                       maskloom_error* error);
/* Submits that row r of the first `rows` rows takes tokens[r] (on the device), which the engine's
 * sampler chose; UINT32_MAX: none. A token that the mask closes is not taken: the row's result has
 * MASKLOOM_CUDA_REFUSED. */
MASKLOOM_API maskloom_status maskloom_cuda_accept(maskloom_cuda_batch* batch,
                                                  const uint32_t* tokens, uint32_t rows,
                                                  void* stream, maskloom_error* error);

/* Returns the device's array of the last token of each row: what the model reads next. It stays
 * where it is; 0 at first. NULL for NULL. */
MASKLOOM_API const uint32_t* maskloom_cuda_tokens(const maskloom_cuda_batch* batch);

/* Bits of maskloom_cuda_result.flags. */
enum {
  MASKLOOM_CUDA_ENDED = 1,    /* the token ended the text; the row takes no more */
  MASKLOOM_CUDA_ALONE = 2,    /* the device needed no host */
  MASKLOOM_CUDA_NO_TOKEN = 4, /* every allowed logit is NaN or -infinity; the row is as it was */
  MASKLOOM_CUDA_REFUSED = 8, /* _accept: the mask closes the engine's token; the row is as it was */
  MASKLOOM_CUDA_NOT_COUNTED = 16 /* max_adjustments was too few for penalties to count the token */
};

typedef struct maskloom_cuda_result {
  uint32_t row;
  uint32_t token; /* UINT32_MAX with NO_TOKEN and REFUSED */
  uint32_t flags;
  float logprob; /* natural, in the distribution chosen from; 0 unless it, the entropy or top tokens
                    are wanted */
} maskloom_cuda_result;

/* Reads what rows did in steps that are over (the caller has waited for them; those still under way
 * are read by a later call), and finishes the rows that the device could not take on alone: their
 * masks and states are copied in `stream`, before the next step that is submitted to it. Other rows
 * do not wait for that. Results are in the order of rows, and of steps within a row; *count is set
 * to how many there are, at most `capacity`: where that was too small, call again. `results` may be
 * NULL with capacity 0: then none is read.
 * On error: MASKLOOM_INTERNAL, where a matcher does not allow what its row took, as one that the
 * caller moved; MASKLOOM_INVALID_ARGUMENT, where more than steps_ahead steps are over that no call
 * has read. The row is empty then, until it is placed again; other rows are not concerned. */
MASKLOOM_API maskloom_status maskloom_cuda_finish(maskloom_cuda_batch* batch, void* stream,
                                                  maskloom_cuda_result* results, size_t capacity,
                                                  size_t* count, maskloom_error* error);
typedef struct maskloom_cuda_top_token {
  uint32_t token;
  float logprob; /* natural, as masked_logprob */
} maskloom_cuda_top_token;

/* What a row reported in a step; 0 what it did not ask for. */
typedef struct maskloom_cuda_report {
  size_t struct_size;
  float masked_logprob; /* natural, of the token: after mask, penalties and temperature (1 where it
                           is 0), before the filters; 0 where only wants_raw is asked for */
  float entropy_bits;   /* of that distribution */
  float raw_logprob;    /* natural, of the token in the model's own distribution, of all tokens */
  float removed_mass;   /* the probability that the model gave to tokens outside the mask, 0 to 1 */
  const maskloom_cuda_top_token* top_tokens; /* the most probable of the first distribution, in
                                                descending order, ties by token; valid until the
                                                next call of _finish */
  size_t top_count; /* fewer than asked for where the mask has no more that are possible */
} maskloom_cuda_report;

/* Fills in what came with results[index] of the last call of _finish: as much of `report` as its
 * struct_size, set by the caller, says is there. Of rows that asked for no report, of results
 * without a token, and of those of _accept all is 0. On error: MASKLOOM_INVALID_ARGUMENT for an
 * index that the call did not return. */
MASKLOOM_API maskloom_status maskloom_cuda_result_report(const maskloom_cuda_batch* batch,
                                                         size_t index, maskloom_cuda_report* report,
                                                         maskloom_error* error);
/* Brings the matchers of rows that went alone to where _finish saw the rows, and adds to the tables
 * what rows met and the device did not know. Need not be called between two steps; where it never
 * is, rows need the host for ever. On error: MASKLOOM_INTERNAL, where a matcher does not allow what
 * its row took. */
MASKLOOM_API maskloom_status maskloom_cuda_catch_up(maskloom_cuda_batch* batch, void* stream,
                                                    maskloom_error* error);

/* ---- Statistics ---- */

typedef struct maskloom_cuda_statistics {
  size_t struct_size;
  uint64_t tokens;        /* that rows with matchers took, as far as _finish saw them */
  uint64_t alone;         /* of these, those that needed no host */
  uint64_t updates;       /* of rows that the host finished or placed */
  uint64_t update_bytes;  /* sent for them */
  uint64_t mask_bytes;    /* uploaded to the pool, each mask once */
  uint64_t table_bytes;   /* uploaded of tables, what changed */
  uint64_t copied_bytes;  /* from host to device, all together */
  uint64_t staging_waits; /* how often a copy waited for room in the pinned memory */
  uint64_t learned_steps; /* of tables, besides what they learn ahead */
  uint64_t learned_masks;
  uint64_t grammars; /* with tables now */
} maskloom_cuda_statistics;

/* Fills as much of `statistics` as its struct_size, set by the caller, says is there. */
MASKLOOM_API maskloom_status maskloom_cuda_batch_statistics(const maskloom_cuda_batch* batch,
                                                            maskloom_cuda_statistics* statistics);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MASKLOOM_CUDA_H_ */
