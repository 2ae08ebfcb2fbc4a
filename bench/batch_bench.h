// Batches: many sequences, each with a grammar of its own kind, over a pool of threads.
#pragma once

#include <memory>

#include "bench/bench_vocabulary.h"
#include "grammar/base/status.h"

namespace maskloom::bench {

// Registers the benchmarks of batches and of draft trees.
// On error: kInternal, where a row is not that of a matcher alone; nothing is registered then.
Status RegisterBatches(std::shared_ptr<const BenchVocabulary> vocabulary);

}  // namespace maskloom::bench
