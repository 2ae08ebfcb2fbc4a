// Definitions and texts that grow in one parameter each, to see how time per mask grows with it.
#pragma once

#include <string>
#include <vector>

#include "runtime/engine/compile_definition.h"

namespace maskloom::cli {

struct ScalingCase {
  std::string curve;
  size_t x = 0;  // the parameter
  DefinitionKind kind = DefinitionKind::kJsonSchema;
  std::string definition;
  std::string text;  // valid under it
};

struct ScalingCurve {
  const char* name;
  const char* parameter;        // what x counts
  std::vector<size_t> xs;       // ascending
  ScalingCase (*make)(size_t);  // fills all but `curve` and `x`
};

// All curves but that of the size of the vocabulary.
const std::vector<ScalingCurve>& ScalingCurves();

// Returns the case of `curve` at `x`.
ScalingCase MakeScalingCase(const ScalingCurve& curve, size_t x);

// The case that is run with vocabularies of several sizes: an object with members of many kinds.
ScalingCase VocabularyScalingCase();

}  // namespace maskloom::cli
