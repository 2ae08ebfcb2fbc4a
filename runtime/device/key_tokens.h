// What single tokens of a vocabulary can tell of the keys that an object has: which keys they can
// begin, end or hold whole.
#pragma once

#include <string>
#include <vector>

#include "compiler/text_coding.h"
#include "compiler/vocabulary_index.h"
#include "grammar/base/code_point_set.h"

namespace maskloom {

// Immutable.
struct KeyTokens {
  // Of keys in `coding`. Cost: a pass over all tokens.
  KeyTokens(const VocabularyIndex& vocabulary, TextCoding coding);

  // First code points of keys that a token begins: any token, and one that holds the comma before.
  // Where any code point could follow alike, as behind a backslash, none counts: then a token tells
  // whether some key is left, but not which.
  CodePointSet begun, begun_behind_comma;
  // What tokens spell before their first quote: the ends of keys. Sorted.
  std::vector<std::u32string> ends;
};

}  // namespace maskloom
