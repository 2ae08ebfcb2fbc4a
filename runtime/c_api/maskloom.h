/* C API of Maskloom: exact token masks for constrained decoding.
 *
 *   vocabulary --compile--> grammar --matcher_create--> matcher --fill_mask--> bits over token ids
 *
 * Conventions
 *  1. Handles are opaque pointers. Who creates one frees it with the matching _free call; _free of
 *     NULL does nothing. A grammar keeps its vocabulary alive, a matcher its grammar: handles may
 * be freed in any order.
 *  2. Byte strings are a pointer and a length. They need no NUL at the end and may hold NULs; the
 *     pointer may be NULL when the length is 0. Only file paths are NUL-terminated.
 *  3. A call that can fail returns a maskloom_status; MASKLOOM_OK is 0. Calls that read input of
 * the user take a maskloom_error* last: it belongs to the caller, may be NULL, needs no preparation
 *     and is filled on every error. Nothing is global or per thread.
 *  4. On error, output parameters are left as they were, except that created handles become NULL.
 *  5. A token or text that the grammar forbids is no error: the call returns MASKLOOM_REJECTED and
 *     the matcher has not changed.
 *  6. A NULL handle or a NULL output parameter gives MASKLOOM_INVALID_ARGUMENT; from calls that
 *     answer a number or a predicate, 0 or -1 as stated there.
 *  7. Bytes that a call returns go into a buffer of the caller: at most `capacity` bytes are
 * written and *length is set to the whole length, so that a call with capacity 0 asks for the
 * length. No NUL is appended.
 *  8. Options are structs that begin with struct_size = sizeof(the struct); set them up by their
 *     _init call and change fields. NULL stands for the defaults.
 *  9. Vocabularies and grammars may be used by any number of threads at once. A matcher belongs to
 *     one thread at a time; forks are independent of each other.
 * 10. No exception leaves the library, and it neither prints nor ends the process, nor changes what
 *     signals do in it. A file that is written beyond the limit on sizes (RLIMIT_FSIZE) is an error
 *     like any other: SIGXFSZ is kept from the thread that writes it.
 */
#ifndef MASKLOOM_H_
#define MASKLOOM_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(MASKLOOM_BUILDING) && defined(__GNUC__)
#define MASKLOOM_API __attribute__((visibility("default")))
#else
#define MASKLOOM_API
#endif

#define MASKLOOM_VERSION_MAJOR 0
#define MASKLOOM_VERSION_MINOR 1
#define MASKLOOM_VERSION_PATCH 0

/* Returns the version of the library that is linked, such as "0.1.0". */
MASKLOOM_API const char* maskloom_version(void);

/* ---- Errors ---- */

typedef enum maskloom_status {
  MASKLOOM_OK = 0,
  MASKLOOM_INVALID_ARGUMENT = 1,   /* the caller's options or arguments are wrong */
  MASKLOOM_INVALID_DEFINITION = 2, /* the schema, regex or grammar is malformed */
  MASKLOOM_UNSUPPORTED = 3,        /* well-formed, but cannot be enforced exactly */
  MASKLOOM_UNSATISFIABLE = 4,      /* no text matches, or none that the vocabulary can spell */
  MASKLOOM_RESOURCE_LIMIT = 5,     /* a documented budget, or memory, would be exceeded */
  MASKLOOM_IO = 6,                 /* a file cannot be read */
  MASKLOOM_INVALID_MODEL = 7,      /* a model or tokenizer file is damaged or does not fit */
  MASKLOOM_INTERNAL = 8,           /* a bug in Maskloom */
  MASKLOOM_REJECTED = 9,           /* not an error: the grammar forbids it, nothing changed */
  MASKLOOM_NO_DEVICE = 10          /* there is no such device, or its driver failed */
} maskloom_status;

/* Returns a stable lower-case name such as "invalid_definition". */
MASKLOOM_API const char* maskloom_status_name(maskloom_status status);

/* What went wrong and where. Strings are UTF-8, NUL-terminated, and cut where they do not fit. */
typedef struct maskloom_error {
  maskloom_status code;
  int32_t has_pointer; /* 1 if `pointer` is meant; "" is the root of the schema */
  uint64_t line;       /* 1-based; 0 when unknown */
  uint64_t column;     /* 1-based, in code points; 0 when unknown */
  char pointer[512];   /* JSON pointer of the schema location at fault */
  char message[1024];  /* one sentence for a person */
  char excerpt[512];   /* the line at fault and, below, a caret; may be empty */
} maskloom_error;

/* ---- Vocabularies ---- */

typedef struct maskloom_vocabulary maskloom_vocabulary;

typedef enum maskloom_token_kind {
  MASKLOOM_TOKEN_NORMAL = 0,  /* matched by its bytes */
  MASKLOOM_TOKEN_CONTROL = 1, /* special: never matched by its text */
  MASKLOOM_TOKEN_UNUSED = 2   /* padding: never allowed */
} maskloom_token_kind;

typedef struct maskloom_token {
  const char* bytes; /* what the token decodes to */
  size_t length;
  maskloom_token_kind kind;
} maskloom_token;

/* Makes a vocabulary of `count` tokens; token i has id i. End tokens end a text and are allowed
 * exactly where it may end. `row_size` is the number of logits in a row: ids from `count` to
 * row_size - 1 are never allowed; 0 stands for `count`. */
MASKLOOM_API maskloom_status maskloom_vocabulary_create(const maskloom_token* tokens, size_t count,
                                                        const uint32_t* end_tokens,
                                                        size_t end_token_count, uint32_t row_size,
                                                        maskloom_vocabulary** vocabulary,
                                                        maskloom_error* error);
/* Makes the vocabulary of the model file, or of the tokenizer.json, at `path`; which of them it is
 * shows from its first bytes. What _save wrote is read by _load. */
MASKLOOM_API maskloom_status maskloom_vocabulary_open(const char* path,
                                                      maskloom_vocabulary** vocabulary,
                                                      maskloom_error* error);
/* Makes the vocabulary of the text of a tokenizer.json. `row_size` is as in _create. */
MASKLOOM_API maskloom_status
maskloom_vocabulary_from_tokenizer_json(const char* text, size_t length, uint32_t row_size,
                                        maskloom_vocabulary** vocabulary, maskloom_error* error);
/* Makes the vocabulary of the 256 single bytes (id = byte) and one end token, id 256. */
MASKLOOM_API maskloom_status maskloom_vocabulary_bytes(maskloom_vocabulary** vocabulary,
                                                       maskloom_error* error);
/* Writes the vocabulary, with all that masks need to know of it, to a file that _load maps in
 * milliseconds; the file at `path` (where that is a symbolic link, what it leads to) is replaced
 * whole or not at all. */
MASKLOOM_API maskloom_status maskloom_vocabulary_save(const maskloom_vocabulary* vocabulary,
                                                      const char* path, maskloom_error* error);
/* Makes the vocabulary that _save wrote to `path`; it gives the same masks. A file that is damaged,
 * or of another version of Maskloom's format, is MASKLOOM_INVALID_MODEL: make and save it anew.
 * While the vocabulary lives, the file may be replaced or removed, not changed in place. */
MASKLOOM_API maskloom_status maskloom_vocabulary_load(const char* path,
                                                      maskloom_vocabulary** vocabulary,
                                                      maskloom_error* error);
MASKLOOM_API void maskloom_vocabulary_free(maskloom_vocabulary* vocabulary);

/* Returns the number of ids that a mask covers, padding included; 0 for NULL. */
MASKLOOM_API uint32_t maskloom_vocabulary_size(const maskloom_vocabulary* vocabulary);
/* Returns the number of 32-bit words in a mask; 0 for NULL. */
MASKLOOM_API size_t maskloom_vocabulary_row_words(const maskloom_vocabulary* vocabulary);
/* Returns a hash of all tokens, their kinds and the size of a row, the same on every machine and
 * after _load: it tells whether a saved vocabulary is still that of a tokenizer. 0 for NULL. */
MASKLOOM_API uint64_t maskloom_vocabulary_identity(const maskloom_vocabulary* vocabulary);
/* Points *bytes at the bytes of `token`; they live as long as the vocabulary. */
MASKLOOM_API maskloom_status maskloom_vocabulary_token(const maskloom_vocabulary* vocabulary,
                                                       uint32_t token, const char** bytes,
                                                       size_t* length, maskloom_token_kind* kind);
/* Copies the end tokens, ascending, as convention 7 says; counts are in ids. */
MASKLOOM_API maskloom_status maskloom_vocabulary_end_tokens(const maskloom_vocabulary* vocabulary,
                                                            uint32_t* tokens, size_t capacity,
                                                            size_t* count);

/* ---- Compilation ---- */

typedef struct maskloom_grammar maskloom_grammar;

typedef enum maskloom_whitespace {
  MASKLOOM_WHITESPACE_FLEXIBLE = 0, /* one optional line break and a few blanks; none at the ends */
  MASKLOOM_WHITESPACE_COMPACT = 1,  /* none */
  MASKLOOM_WHITESPACE_INDENT = 2,   /* as a pretty printer writes it, `indent` blanks a level */
  MASKLOOM_WHITESPACE_ANY = 3,      /* all that JSON allows */
  MASKLOOM_WHITESPACE_SPACED = 4    /* one blank behind each comma and colon */
} maskloom_whitespace;

typedef enum maskloom_key_order {
  MASKLOOM_KEY_ORDER_ANY = 0,
  MASKLOOM_KEY_ORDER_DECLARED = 1,      /* those of `properties` in its order, those that only
                                           `required` lists in its order, then the others */
  MASKLOOM_KEY_ORDER_REQUIRED_FIRST = 2 /* required ones, optional ones, the others */
} maskloom_key_order;

typedef enum maskloom_escapes {
  MASKLOOM_ESCAPES_ANY = 0,  /* all that JSON allows */
  MASKLOOM_ESCAPES_PLAIN = 1 /* only those that JSON demands, in their short form */
} maskloom_escapes;

typedef enum maskloom_formats {
  MASKLOOM_FORMATS_ASSERT = 0,  /* `format` constrains texts */
  MASKLOOM_FORMATS_ANNOTATE = 1 /* it does not; the report calls it relaxed */
} maskloom_formats;

typedef enum maskloom_unknown_formats {
  MASKLOOM_UNKNOWN_FORMATS_ANNOTATE = 0,
  MASKLOOM_UNKNOWN_FORMATS_REFUSE = 1 /* the schema is refused */
} maskloom_unknown_formats;

/* A document that a schema refers to. */
typedef struct maskloom_document {
  const char* text; /* NULL: there is no such document */
  size_t length;
} maskloom_document;

/* Returns the document at the NUL-terminated absolute `uri` (relative, as far as neither base_uri
 * nor the schema make it absolute), which has no fragment. The text belongs to the caller and must
 * live until the next document is asked for, or the call that compiles returns. Metaschemas are
 * built in and not asked for. Called on the thread that compiles, once a document; it must not
 * throw. */
typedef maskloom_document (*maskloom_resolve_document)(const char* uri, void* user);

/* max_digits: no bound. */
#define MASKLOOM_ANY_DIGITS UINT32_MAX

/* How texts may be spelled and how a definition is read. Only EBNF looks at the root rule, only
 * schemas at all else. Fields behind root_rule_length are read if struct_size says that they are
 * there. */
typedef struct maskloom_compile_options {
  size_t struct_size;
  maskloom_whitespace whitespace;
  uint32_t indent;     /* blanks a level under MASKLOOM_WHITESPACE_INDENT */
  uint32_t max_blanks; /* between JSON tokens under MASKLOOM_WHITESPACE_FLEXIBLE */
  maskloom_key_order key_order;
  uint32_t max_digits;   /* in the integer part, and in the fraction, of a number */
  const char* root_rule; /* NULL: "root" */
  size_t root_rule_length;
  maskloom_formats formats;
  maskloom_unknown_formats unknown_formats;
  int32_t nullable; /* 1: `nullable: true` beside `type` admits null, as in OpenAPI 3.0 */
  int32_t closed;   /* 1: objects and arrays hold only what their schema speaks of, unless it opens
                       them; docs/json-schema.md says exactly what */
  const char* base_uri; /* of the schema: references are relative to it; NULL: none */
  size_t base_uri_length;
  maskloom_resolve_document resolve; /* NULL: there are no other documents than the metaschemas */
  void* resolve_user;                /* given to `resolve` */
  maskloom_escapes escapes;          /* in strings and keys */
  /* Masks are built on first use and kept. These apply to all kinds of definitions. */
  size_t max_mask_bytes; /* of masks that are kept; 0: 256 MB. Beyond, those not used lately go */
  uint32_t ahead_us;     /* compilation makes the likeliest masks for so many microseconds, or until
                            all are there; 0: none */
  int32_t ahead_in_background; /* 1: the rest is made by a thread of the process, at low priority,
                                  which follows the matchers and ends with the grammar */
} maskloom_compile_options;

MASKLOOM_API void maskloom_compile_options_init(maskloom_compile_options* options);

/* Compile a definition for a vocabulary. All of it is read and checked here: a grammar that
 * compiles never leaves a matcher without a way to complete its text. `error` names the JSON
 * pointer, or the line and column, at fault. */
MASKLOOM_API maskloom_status maskloom_compile_schema(const maskloom_vocabulary* vocabulary,
                                                     const char* text, size_t length,
                                                     const maskloom_compile_options* options,
                                                     maskloom_grammar** grammar,
                                                     maskloom_error* error);
MASKLOOM_API maskloom_status maskloom_compile_regex(const maskloom_vocabulary* vocabulary,
                                                    const char* pattern, size_t length,
                                                    const maskloom_compile_options* options,
                                                    maskloom_grammar** grammar,
                                                    maskloom_error* error);
MASKLOOM_API maskloom_status maskloom_compile_ebnf(const maskloom_vocabulary* vocabulary,
                                                   const char* text, size_t length,
                                                   const maskloom_compile_options* options,
                                                   maskloom_grammar** grammar,
                                                   maskloom_error* error);
MASKLOOM_API void maskloom_grammar_free(maskloom_grammar* grammar);

/* Copies the compile report, a JSON object:
 *   {"kind":"json_schema","status":"ok","draft":"2020-12","options":{"whitespace":"flexible", ...},
 *    "keywords":[{"pointer","outcome","note"?}, ...],"notes":[{"pointer","note"}, ...]}
 * `outcome` is "enforced", "annotation" or "relaxed" (by an option). "notes" names what the schema
 * says in vain, such as a property that can have no value. A pointer into another document begins
 * with its URI and '#'. Regex and EBNF have their kind and status alone. */
MASKLOOM_API maskloom_status maskloom_grammar_report(const maskloom_grammar* grammar, char* buffer,
                                                     size_t capacity, size_t* length);
/* Compiles a schema for a vocabulary of the 256 bytes and copies its report. Also a schema that is
 * refused has one: "status" is then "refused", "error" says why, and the keyword at fault has the
 * outcome "refused". Returns MASKLOOM_OK then, too; other errors are those of the arguments. Each
 * call compiles the schema. */
MASKLOOM_API maskloom_status maskloom_schema_report(const char* text, size_t length,
                                                    const maskloom_compile_options* options,
                                                    char* buffer, size_t capacity,
                                                    size_t* report_length, maskloom_error* error);
/* Reads a schema without a vocabulary and copies its normal form, as `maskloom explain` prints it:
 * text for a person. On error: as maskloom_compile_schema. Each call reads the schema. */
MASKLOOM_API maskloom_status maskloom_schema_explain(const char* text, size_t length,
                                                     const maskloom_compile_options* options,
                                                     char* buffer, size_t capacity,
                                                     size_t* explanation_length,
                                                     maskloom_error* error);
/* Makes masks before a matcher asks for them, the likeliest first, for at most `limit_us`
 * microseconds (a mask that was begun is finished) or until all that can be reached are there or
 * three quarters of max_mask_bytes are used. *is_complete (may be NULL) is 1 if nothing is left
 * that another call would make. Goes on where the last call ended. */
MASKLOOM_API maskloom_status maskloom_grammar_complete(const maskloom_grammar* grammar,
                                                       uint64_t limit_us, int32_t* is_complete);
/* Returns the bytes held, cached masks included, approximately; 0 for NULL. What lies in the file
 * of a grammar that was loaded does not count. */
MASKLOOM_API size_t maskloom_grammar_memory_bytes(const maskloom_grammar* grammar);

/* ---- Compiled grammars as files, and a cache of them ---- */

/* Writes the grammar, its report and the masks that were made by now to a file that _load maps in a
 * millisecond; the file at `path` is replaced as by maskloom_vocabulary_save. */
MASKLOOM_API maskloom_status maskloom_grammar_save(const maskloom_grammar* grammar,
                                                   const char* path, maskloom_error* error);
/* Makes the grammar that _save wrote to `path`, for the same vocabulary. A file for another
 * vocabulary, of another version of Maskloom's format, or damaged, is MASKLOOM_INVALID_MODEL:
 * compile and save anew. Load only files that you would run: forged ones are not told apart. While
 * the grammar lives, the file may be replaced or removed, not changed in place. */
MASKLOOM_API maskloom_status maskloom_grammar_load(const maskloom_vocabulary* vocabulary,
                                                   const char* path, maskloom_grammar** grammar,
                                                   maskloom_error* error);

typedef enum maskloom_definition_kind {
  MASKLOOM_DEFINITION_SCHEMA = 0,
  MASKLOOM_DEFINITION_REGEX = 1,
  MASKLOOM_DEFINITION_EBNF = 2
} maskloom_definition_kind;

/* Grammars by what they were compiled from, in memory and in a folder. Any number of threads may
 * use it at once; a definition that several ask for is compiled once. */
typedef struct maskloom_grammar_cache maskloom_grammar_cache;

typedef struct maskloom_cache_options {
  size_t struct_size;
  size_t memory_bytes;   /* of grammars in memory; those not used for longest go first */
  const char* folder;    /* NULL: none; "" is an error. It is made if it is not there; processes
                            may share it */
  uint64_t folder_bytes; /* of files in the folder; those not used for longest go first */
} maskloom_cache_options;

MASKLOOM_API void maskloom_cache_options_init(maskloom_cache_options* options);
MASKLOOM_API maskloom_status maskloom_grammar_cache_create(const maskloom_cache_options* options,
                                                           maskloom_grammar_cache** cache,
                                                           maskloom_error* error);
/* Writes what the folder lacks, as _flush does. Grammars that the cache gave stay. */
MASKLOOM_API void maskloom_grammar_cache_free(maskloom_grammar_cache* cache);

/* Returns the grammar of a definition: from memory, from the folder, or compiled. Options are
 * those of compilation; documents that a schema refers to are asked for each time, and compared. */
MASKLOOM_API maskloom_status maskloom_grammar_cache_get(
    maskloom_grammar_cache* cache, const maskloom_vocabulary* vocabulary,
    maskloom_definition_kind kind, const char* text, size_t length,
    const maskloom_compile_options* options, maskloom_grammar** grammar, maskloom_error* error);
/* Writes the grammars in memory to the folder, with the masks that were made by now. Those that
 * leave memory are written anyway. */
MASKLOOM_API maskloom_status maskloom_grammar_cache_flush(maskloom_grammar_cache* cache,
                                                          maskloom_error* error);

typedef struct maskloom_cache_statistics {
  size_t struct_size;
  uint64_t memory_hits;
  uint64_t folder_hits;
  uint64_t misses;    /* compilations, refused ones included */
  uint64_t evictions; /* from memory */
  uint64_t files_written;
  uint64_t files_removed;  /* to keep to folder_bytes, or left by writers that were killed */
  uint64_t files_unusable; /* damaged, of another version, or of a document that has changed */
  uint64_t write_failures;
  uint64_t grammars;     /* in memory now */
  uint64_t memory_bytes; /* of these, when they were last asked for */
} maskloom_cache_statistics;

/* Fills as much of `statistics` as its struct_size, set by the caller, says is there. */
MASKLOOM_API maskloom_status maskloom_grammar_cache_statistics(
    const maskloom_grammar_cache* cache, maskloom_cache_statistics* statistics);

/* ---- Matchers ---- */

typedef struct maskloom_matcher maskloom_matcher;

typedef struct maskloom_matcher_options {
  size_t struct_size;
  uint32_t max_rollback; /* tokens that can be taken back */
} maskloom_matcher_options;

MASKLOOM_API void maskloom_matcher_options_init(maskloom_matcher_options* options);

/* Makes a matcher at the start of a text. */
MASKLOOM_API maskloom_status maskloom_matcher_create(const maskloom_grammar* grammar,
                                                     const maskloom_matcher_options* options,
                                                     maskloom_matcher** matcher,
                                                     maskloom_error* error);
MASKLOOM_API void maskloom_matcher_free(maskloom_matcher* matcher);
/* Makes an independent matcher in the same state with the same history. */
MASKLOOM_API maskloom_status maskloom_matcher_fork(const maskloom_matcher* matcher,
                                                   maskloom_matcher** fork, maskloom_error* error);

/* Takes one token; an end token, allowed in accepting states, terminates the matcher.
 * Returns MASKLOOM_OK or MASKLOOM_REJECTED. */
MASKLOOM_API maskloom_status maskloom_matcher_accept_token(maskloom_matcher* matcher,
                                                           uint32_t token);
/* Takes bytes as if they were one token; none at all are no step that could be taken back. *taken
 * (may be NULL) is how many leading bytes the grammar allows. Returns MASKLOOM_REJECTED, and
 * changes nothing, unless that is all of them. */
MASKLOOM_API maskloom_status maskloom_matcher_accept_bytes(maskloom_matcher* matcher,
                                                           const char* bytes, size_t length,
                                                           size_t* taken);
/* Sets bit i of `row` (bit i % 32 of word i / 32) if and only if token i is allowed, and clears all
 * others. Requires: row_words >= maskloom_vocabulary_row_words(); words beyond are not touched. */
MASKLOOM_API maskloom_status maskloom_matcher_fill_mask(maskloom_matcher* matcher, uint32_t* row,
                                                        size_t row_words);
/* The same mask as ids beside a row that many states share, for callers that keep such rows, as
 * beside the logits: sets *base to a number that names the row for as long as the grammar lives (of
 * another grammar the same number may name another row; 0: the empty row), *count to the number of
 * ids that are allowed besides, and copies them to `ids`, in no order.
 * Returns MASKLOOM_REJECTED where the mask has no such form, or more than `capacity` ids: then fill
 * a row. In the second case *base and *count are set and no id is copied, so that a call with
 * capacity 0 (`ids` may then be NULL) asks for both; in the first they are left as they were. */
MASKLOOM_API maskloom_status maskloom_matcher_find_mask(maskloom_matcher* matcher, uint32_t* base,
                                                        uint32_t* ids, size_t capacity,
                                                        size_t* count);
/* Copies the row that maskloom_matcher_find_mask names in this state. Returns as that call, for any
 * number of ids. Requires: row_words >= maskloom_vocabulary_row_words(). */
MASKLOOM_API maskloom_status maskloom_matcher_fill_base(maskloom_matcher* matcher, uint32_t* row,
                                                        size_t row_words);
/* Returns 1 or 0; -1 for NULL. Ids beyond the vocabulary are not allowed. */
MASKLOOM_API int maskloom_matcher_is_allowed(const maskloom_matcher* matcher, uint32_t token);
/* Takes back the last `count` tokens. On error, MASKLOOM_INVALID_ARGUMENT: fewer are remembered. */
MASKLOOM_API maskloom_status maskloom_matcher_rollback(maskloom_matcher* matcher, uint32_t count);
/* Goes back to the start of a text and forgets the history. */
MASKLOOM_API maskloom_status maskloom_matcher_reset(maskloom_matcher* matcher);
/* Sets *accepted to how many leading tokens would be accepted one after another; changes nothing.
 */
MASKLOOM_API maskloom_status maskloom_matcher_validate(const maskloom_matcher* matcher,
                                                       const uint32_t* tokens, size_t count,
                                                       size_t* accepted);
/* Copies the bytes that every completion continues with (at most 4096). */
MASKLOOM_API maskloom_status maskloom_matcher_forced_bytes(const maskloom_matcher* matcher,
                                                           char* buffer, size_t capacity,
                                                           size_t* length);
/* Copies the bytes of a short completion from here. */
MASKLOOM_API maskloom_status maskloom_matcher_completion(const maskloom_matcher* matcher,
                                                         char* buffer, size_t capacity,
                                                         size_t* length);
/* Sets bit b of `bytes` (bit b % 8 of element b / 8) if and only if byte b may come next. */
MASKLOOM_API maskloom_status maskloom_matcher_next_bytes(const maskloom_matcher* matcher,
                                                         uint8_t bytes[32]);
/* May the text end here? Returns 1 or 0; -1 for NULL. */
MASKLOOM_API int maskloom_matcher_is_accepting(const maskloom_matcher* matcher);
/* Was an end token accepted? Returns 1 or 0; -1 for NULL. */
MASKLOOM_API int maskloom_matcher_is_terminated(const maskloom_matcher* matcher);
/* Returns the number of tokens accepted less those rolled back; 0 for NULL. */
MASKLOOM_API uint64_t maskloom_matcher_token_count(const maskloom_matcher* matcher);

/* ---- Batches ---- */

/* Threads that stay, for batch calls. One call uses them at a time; more callers wait. */
typedef struct maskloom_workers maskloom_workers;

/* Starts threads - 1 threads (the caller of a batch call is the other one). Requires: 1 to 256. */
MASKLOOM_API maskloom_status maskloom_workers_create(uint32_t threads, maskloom_workers** workers,
                                                     maskloom_error* error);
MASKLOOM_API void maskloom_workers_free(maskloom_workers* workers);

/* Fills row i, which begins at rows + i * row_stride words, from matchers[i], as
 * maskloom_matcher_fill_mask does. Where matchers[i] is NULL (a slot without a sequence) row i is
 * not touched. Matchers may belong to different grammars but must be distinct.
 * `workers` may be NULL: the calling thread does all. The result does not depend on it.
 * On error, MASKLOOM_INVALID_ARGUMENT: a row is too short for its matcher; nothing was written. */
MASKLOOM_API maskloom_status maskloom_fill_masks(maskloom_workers* workers,
                                                 maskloom_matcher* const* matchers, size_t count,
                                                 uint32_t* rows, size_t row_stride);

/* parents[i] of a draft token that comes where the matcher stands. */
#define MASKLOOM_NO_PARENT UINT32_MAX

/* Fills row i with the mask behind draft token i, as if the tokens on the way to it had been
 * accepted: token i comes behind tokens[parents[i]], which stands before it, or where the matcher
 * stands. accepted[i] (`accepted` may be NULL) is 1, or 0 where that token or one on the way is not
 * allowed. Rows of such tokens, and those behind end tokens, are all zero. The matcher does not
 * change. A chain of k drafts is a tree whose parents are MASKLOOM_NO_PARENT, 0, 1, ..., k - 2.
 * On error, MASKLOOM_INVALID_ARGUMENT: a parent does not stand before its child, or row_stride is
 * too small; nothing was written. */
MASKLOOM_API maskloom_status maskloom_fill_tree_masks(
    maskloom_workers* workers, const maskloom_matcher* matcher, const uint32_t* tokens,
    const uint32_t* parents, size_t count, uint32_t* rows, size_t row_stride, uint8_t* accepted);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MASKLOOM_H_ */
