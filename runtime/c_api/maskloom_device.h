/* What libraries for devices are made from: rows of a batch whose masks and states live beside the
 * logits, seen from the host. maskloom_cuda.h is made from it; engine authors on CUDA want that.
 * Conventions are those of maskloom.h.
 *
 * The caller brings memory of the device and kernels that read it; kernels/steps/ of the sources
 * has the layouts and the function by which a row goes on alone, kernels/cuda/rows.h the kernels.
 * A row whose grammar's table knows the way is sent nothing. Where it does not, _take makes an
 * update for the row, which the caller brings to the device before the row's next step. */
#ifndef MASKLOOM_DEVICE_H_
#define MASKLOOM_DEVICE_H_

#include <maskloom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory beside the logits. */
typedef struct maskloom_device_memory {
  size_t struct_size;
  void* context; /* handed to the calls; it outlives the rows */
  /* Returns room for `bytes` bytes, aligned to 256, that stays until the rows are freed; NULL where
   * there is none. */
  void* (*allocate)(void* context, size_t bytes);
  /* Copies `bytes` bytes behind all that was submitted before. `from` may change on return. */
  void (*copy)(void* context, void* to, const void* from, size_t bytes);
} maskloom_device_memory;

typedef struct maskloom_device_options {
  size_t struct_size;
  uint32_t max_rows;     /* 1 to 65,535 */
  uint32_t max_grammars; /* that have tables at once; rows of others need the host at each token */
  size_t pool_bytes;  /* of masks that all grammars share; at least 2 rows of bits a row, and 4 */
  size_t table_bytes; /* of the table of one grammar */
  uint32_t explored_states; /* of the table of each grammar in use, by a call of _catch_up; 0:
                               tables learn from rows alone */
} maskloom_device_options;

MASKLOOM_API void maskloom_device_options_init(maskloom_device_options* options);

typedef struct maskloom_device_rows maskloom_device_rows;

/* Makes a batch of empty rows over a vocabulary, and asks for the memory of the pool. */
MASKLOOM_API maskloom_status maskloom_device_rows_create(const maskloom_vocabulary* vocabulary,
                                                         const maskloom_device_memory* memory,
                                                         const maskloom_device_options* options,
                                                         maskloom_device_rows** rows,
                                                         maskloom_error* error);
/* Takes all matchers off; those of rows that went alone stay where they were last brought. */
MASKLOOM_API void maskloom_device_rows_free(maskloom_device_rows* rows);

/* Lets `row` follow `matcher` from where that stands. The matcher belongs to the caller, who must
 * neither free nor change it before it is taken off; after a change, such as a rollback, place it
 * again. */
MASKLOOM_API maskloom_status maskloom_device_rows_place(maskloom_device_rows* rows, uint32_t row,
                                                        maskloom_matcher* matcher,
                                                        maskloom_error* error);
/* Takes the matcher off `row` after it has taken what the row took, and closes the row. */
MASKLOOM_API maskloom_status maskloom_device_rows_remove(maskloom_device_rows* rows, uint32_t row,
                                                         maskloom_error* error);

typedef enum maskloom_row_outcome {
  MASKLOOM_ROW_GOES_ON = 0,    /* the device has the row's next mask */
  MASKLOOM_ROW_ENDED = 1,      /* by an end token */
  MASKLOOM_ROW_NEEDS_MASK = 2, /* the device has the row's next state, and no mask */
  MASKLOOM_ROW_NEEDS_STEP = 3  /* it has neither */
} maskloom_row_outcome;

/* Notes that `row` took `token`, and what the device says of it. Sets *ended to 1 or 0. On error,
 * MASKLOOM_INTERNAL: the row's matcher does not allow the token. */
MASKLOOM_API maskloom_status maskloom_device_rows_take(maskloom_device_rows* rows, uint32_t row,
                                                       uint32_t token, maskloom_row_outcome outcome,
                                                       int32_t* ended, maskloom_error* error);
/* Brings matchers to where their rows are, adds to the tables what was not known, and copies them:
 * what need not be done before the next step. */
MASKLOOM_API maskloom_status maskloom_device_rows_catch_up(maskloom_device_rows* rows,
                                                           maskloom_error* error);

/* How a row's mask is named: token id is allowed if its bit is set in the pool's row `slot`, if it
 * is among the pool's words from list_begin, or among `words` of the update from sent_begin. Slot
 * UINT32_MAX is the empty row, UINT32_MAX - 1 that of all tokens. */
typedef struct maskloom_device_update {
  uint32_t slot;
  uint32_t list_begin;
  uint16_t list_count;
  uint16_t sent_count;
  uint32_t sent_begin;
  uint16_t row;
  uint16_t depth; /* words of the row's state: behind the sent ids lie its count, the number of its
                     cells, these words and these cells. UINT16_MAX: the state stays as it is */
} maskloom_device_update;

/* Points at what is to be told to rows, and forgets it: valid until the next call with `rows`. */
MASKLOOM_API maskloom_status maskloom_device_rows_updates(maskloom_device_rows* rows,
                                                          const maskloom_device_update** updates,
                                                          size_t* update_count,
                                                          const uint32_t** words,
                                                          size_t* word_count);

typedef struct maskloom_device_view {
  size_t struct_size;
  const void* pool; /* of slots of row_words words */
  uint32_t row_words;
  const void* tables; /* by number: kernels::StepTables */
} maskloom_device_view;

/* Fills in where the device finds what rows go by; it stays there. */
MASKLOOM_API maskloom_status maskloom_device_rows_view(const maskloom_device_rows* rows,
                                                       maskloom_device_view* view);
/* Sets *table to the number of the tables that `row` goes by. */
MASKLOOM_API maskloom_status maskloom_device_rows_table(const maskloom_device_rows* rows,
                                                        uint32_t row, uint32_t* table);

typedef struct maskloom_device_statistics {
  size_t struct_size;
  uint64_t tokens;  /* that rows with matchers took */
  uint64_t alone;   /* of these, those that needed no host */
  uint64_t updates; /* told to rows */
  uint64_t update_bytes;
  uint64_t mask_bytes;    /* uploaded to the pool */
  uint64_t table_bytes;   /* uploaded of tables */
  uint64_t learned_steps; /* besides what tables learn ahead */
  uint64_t learned_masks;
  uint64_t grammars; /* that have tables now */
} maskloom_device_statistics;

/* Fills as much of `statistics` as its struct_size, set by the caller, says is there. */
MASKLOOM_API maskloom_status maskloom_device_rows_statistics(
    const maskloom_device_rows* rows, maskloom_device_statistics* statistics);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MASKLOOM_DEVICE_H_ */
