// Texts written by a matcher and chance instead of a model.
#pragma once

#include <random>
#include <string>

#include "runtime/matcher.h"

namespace maskloom::suites {

enum class Chooser {
  kUniform,    // any allowed token, all alike: the argmax of random logits
  kHighestId,  // always the highest allowed id
  kSeeking,    // byte by byte, with a liking for what opens, closes and separates
};

struct RandomText {
  std::string text;
  size_t tokens = 0;      // chosen by chance (bytes, when seeking)
  bool finished = false;  // ended by an end token or by an end without alternative
  std::string complaint;  // what the matcher did wrong; empty if nothing
};

// Writes a text from the start of `grammar`: at most `max_tokens` choices, the first
// `random_tokens` of them uniform whatever `chooser` is, then the rest along Matcher::Completion().
// The complaint tells of an empty mask, a refused token that the mask allowed, or a completion that
// does not complete.
RandomText WriteRandomText(std::shared_ptr<const CompiledGrammar> grammar, Chooser chooser,
                           size_t max_tokens, std::mt19937_64* random, size_t random_tokens = 0);

}  // namespace maskloom::suites
