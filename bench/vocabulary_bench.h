// The benchmarks of a vocabulary's index as a file.
#pragma once

#include <memory>

#include "bench/bench_vocabulary.h"

namespace maskloom::bench {

// Registers VocabularyFile/save and VocabularyFile/load, after checking that what is loaded is what
// was saved. The file lies in the folder of temporary files until the process ends.
// On error: what is wrong; nothing is registered then.
Status RegisterVocabularyFile(std::shared_ptr<const BenchVocabulary> vocabulary);

}  // namespace maskloom::bench
