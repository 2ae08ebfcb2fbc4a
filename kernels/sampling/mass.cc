// Conversions of exact masses to real numbers.
#include "kernels/sampling/mass.h"

#include <cmath>

namespace maskloom::kernels {

double LogOfMass(Mass mass, int32_t base) {
  constexpr double kLn2 = 0.693147180559945309417;
  return std::log(static_cast<double>(mass)) + static_cast<double>(base - 23) * kLn2;
}

Mass NeededMass(Mass total, double fraction) {
  const double wanted = std::ceil(fraction * static_cast<double>(total));
  const Mass needed = static_cast<Mass>(wanted);
  if (needed < 1) return 1;
  return needed < total ? needed : total;
}

}  // namespace maskloom::kernels
