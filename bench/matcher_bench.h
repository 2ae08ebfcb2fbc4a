// The benchmarks of one case.
#pragma once

#include <memory>

#include "bench/bench_vocabulary.h"
#include "bench/cases.h"

namespace maskloom::bench {

// Registers Compile, FirstMask, FillMask, Accept, Fork and Rollback for `each`, after checking that
// its schema compiles, that every token of its text is allowed where it stands, that the text may
// end where it ends, and that it may not end before.
// On error: what is wrong with the answer; nothing is registered then.
Status RegisterCase(const Case& each, std::shared_ptr<const BenchVocabulary> vocabulary);

}  // namespace maskloom::bench
