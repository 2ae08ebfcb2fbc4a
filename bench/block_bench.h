// The benchmarks of the parts that a mask is made with, each from states as texts lead to.
#pragma once

#include <memory>

#include "bench/bench_vocabulary.h"

namespace maskloom::bench {

// Registers RowCopy, RegionRow, MaskBuild, MaskKey, MaskFind and VocabularyIndex, after checking
// the answers: rows token by token by their definition, masks token by token against single steps
// of the matcher. On error: what is wrong; what was right up to there is registered.
Status RegisterBlocks(const std::shared_ptr<const BenchVocabulary>& vocabulary);

}  // namespace maskloom::bench
