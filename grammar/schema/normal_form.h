// The normal form of a schema: for each of the six JSON types, which values it accepts.
#pragma once

#include "grammar/schema/formula.h"

namespace maskloom {

struct NormalForm {
  bool allows_null = false;
  bool allows_true = false;
  bool allows_false = false;
  FormulaId strings = kFalseFormula;
  FormulaId numbers = kFalseFormula;
  FormulaId arrays = kFalseFormula;
  FormulaId objects = kFalseFormula;

  bool IsEmpty() const { return *this == NormalForm(); }
  bool operator==(const NormalForm&) const = default;

  static NormalForm Everything() {
    return {true, true, true, kTrueFormula, kTrueFormula, kTrueFormula, kTrueFormula};
  }
};

// Returns what both accept.
inline NormalForm Join(FormulaPool* pool, const NormalForm& a, const NormalForm& b) {
  return {a.allows_null && b.allows_null,    a.allows_true && b.allows_true,
          a.allows_false && b.allows_false,  pool->And({a.strings, b.strings}),
          pool->And({a.numbers, b.numbers}), pool->And({a.arrays, b.arrays}),
          pool->And({a.objects, b.objects})};
}

// Returns what `form` does not accept.
inline NormalForm Opposite(const NormalForm& form) {
  return {!form.allows_null,      !form.allows_true,      !form.allows_false,
          Negation(form.strings), Negation(form.numbers), Negation(form.arrays),
          Negation(form.objects)};
}

}  // namespace maskloom
