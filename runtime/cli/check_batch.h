// `maskloom check --batch`: many definitions and texts at once, as JSON lines.
#pragma once

#include <memory>
#include <string>

#include "compiler/vocabulary_index.h"
#include "runtime/cli/definition_flags.h"
#include "runtime/cli/files.h"

namespace maskloom::cli {

// Answers one line of a batch, which is number `line_number` of the input, with one line of JSON
// (without the line break). Whatever is wrong with the line goes into the answer.
// `common` has the options that the line does not set, and the cache.
std::string AnswerBatchLine(const std::string& line, size_t line_number,
                            std::shared_ptr<const VocabularyIndex> vocabulary,
                            const Definition& common);

// Answers every line of `path` on `out`, in order. Returns the exit status.
int RunCheckBatch(const std::string& path, std::shared_ptr<const VocabularyIndex> vocabulary,
                  const Definition& common, OutputFile* out);

}  // namespace maskloom::cli
