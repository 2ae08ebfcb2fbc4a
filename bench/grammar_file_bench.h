// The benchmarks of compiled grammars as files.
#pragma once

#include <memory>

#include "bench/bench_vocabulary.h"

namespace maskloom::bench {

// Registers GrammarFile/.../save and /load for each case, with the masks of its text, after
// checking that what is loaded says the same of the text. Files lie in memory.
// On error: what is wrong; nothing of that case is registered then.
Status RegisterGrammarFiles(std::shared_ptr<const BenchVocabulary> vocabulary);

}  // namespace maskloom::bench
