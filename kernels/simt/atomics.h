// Atomic operations on global and shared memory; each returns what was there before.
#pragma once

#include <cstring>
#include <type_traits>

#include "kernels/simt/pointer.h"

namespace simt {

// Replaces what is at `pointer` by `change` of it.
template <class T, Space kSpace, class Change>
T ChangeAtomically(const Pointer<T, kSpace>& pointer, Change change, AccessKind kind,
                   bool is_float_sum, Site site) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  T before{};
  if (!Admit(pointer.raw(), sizeof(T), alignof(T), pointer.bounds(), kind, is_float_sum, site)) {
    return before;
  }
  std::memcpy(&before, pointer.raw(), sizeof(T));
  T after = change(before);
  std::memcpy(pointer.raw(), &after, sizeof(T));
  return before;
}

// Does the sum depend on the order? Integers wrap around and do not.
template <class T>
inline constexpr bool kOrderMatters = !std::is_integral_v<T>;

// Sums and differences wrap around.
template <class T>
T WrappedSum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return static_cast<T>(a + b);
  }
}

template <class T>
concept AtomicWord = sizeof(T) >= 4 && std::is_integral_v<T>;

// One operation in two forms: for all blocks of the device, and for the calling block.
#define SIMT_ATOMIC(name, constraint, is_float_sum, expression)                                   \
  template <class T, Space kSpace>                                                                \
  requires(constraint)                                                                            \
      T atomic##name(Pointer<T, kSpace> pointer, std::type_identity_t<T> value,                   \
                     std::source_location where = std::source_location::current()) {              \
    return ChangeAtomically(                                                                      \
        pointer, [value](T old) { return static_cast<T>(expression); }, AccessKind::kAtomic,      \
        is_float_sum, where);                                                                     \
  }                                                                                               \
  template <class T, Space kSpace>                                                                \
  requires(constraint)                                                                            \
      T atomic##name##_block(Pointer<T, kSpace> pointer, std::type_identity_t<T> value,           \
                             std::source_location where = std::source_location::current()) {      \
    return ChangeAtomically(                                                                      \
        pointer, [value](T old) { return static_cast<T>(expression); }, AccessKind::kBlockAtomic, \
        is_float_sum, where);                                                                     \
  }

SIMT_ATOMIC(Add, true, kOrderMatters<T>, WrappedSum(old, value))
SIMT_ATOMIC(Sub, AtomicWord<T>, false,
            WrappedSum(old, static_cast<T>(0 - std::make_unsigned_t<T>(value))))
SIMT_ATOMIC(Min, AtomicWord<T>, false, value < old ? value : old)
SIMT_ATOMIC(Max, AtomicWord<T>, false, old < value ? value : old)
SIMT_ATOMIC(And, AtomicWord<T>, false, old& value)
SIMT_ATOMIC(Or, AtomicWord<T>, false, old | value)
SIMT_ATOMIC(Xor, AtomicWord<T>, false, old ^ value)
SIMT_ATOMIC(Inc, (std::same_as<T, unsigned>), false, old >= value ? 0 : old + 1)
SIMT_ATOMIC(Dec, (std::same_as<T, unsigned>), false, old == 0 || old > value ? value : old - 1)
// Exchanges also move floats.
SIMT_ATOMIC(Exch, sizeof(T) >= 4, false, ((void)old, value))
#undef SIMT_ATOMIC

// Stores `desired` where `expected` is found.
template <class T, Space kSpace>
T atomicCAS(Pointer<T, kSpace> pointer, std::type_identity_t<T> expected,
            std::type_identity_t<T> desired,
            std::source_location where = std::source_location::current()) {
  return ChangeAtomically(
      pointer, [=](T old) { return old == expected ? desired : old; }, AccessKind::kAtomic, false,
      where);
}
template <class T, Space kSpace>
T atomicCAS_block(Pointer<T, kSpace> pointer, std::type_identity_t<T> expected,
                  std::type_identity_t<T> desired,
                  std::source_location where = std::source_location::current()) {
  return ChangeAtomically(
      pointer, [=](T old) { return old == expected ? desired : old; }, AccessKind::kBlockAtomic,
      false, where);
}

}  // namespace simt
