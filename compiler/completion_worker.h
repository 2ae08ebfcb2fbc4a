// The thread that makes masks ahead for all grammars that asked for it.
//
// One a process, started at the first call, at low priority. It goes round its grammars in slices
// of a millisecond, sleeps when none has anything left to explore, and wakes when a matcher hands a
// state over. A grammar that is released leaves the round, if need be after the slice that is
// running.
#pragma once

#include <memory>

#include "compiler/compiled_grammar.h"

namespace maskloom {

// Completes `grammar` in the background until it is done or released, and follows its matchers from
// then on. Does nothing where the system has no thread left. Thread safety: any thread; also in the
// child of a fork.
void CompleteInBackground(const std::shared_ptr<const CompiledGrammar>& grammar);
// Tells the thread that a state was handed over. Takes no lock.
void WakeCompletionWorker();

}  // namespace maskloom
