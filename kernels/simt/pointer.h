// Pointers of kernels that see every access: bounds, alignment, who and where.
//
// Pointer<T, space> behaves as T* does. An operator cannot have default arguments, so the place in
// the source comes with a conversion: p[i] converts i to an Index and *p converts p to a Located,
// and conversions happen where the expression stands.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/simt/block.h"
#include "kernels/simt/memory.h"
#include "kernels/simt/site.h"

namespace simt {

// Where a pointer may point to.
struct Bounds {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  Region* region = nullptr;
};

// Reports an access that is out of bounds, misaligned, or by the host.
void RefuseAccess(const void* at, size_t bytes, size_t alignment, const Bounds& bounds, Site site);

// Returns the bounds of the allocation that holds `address`; empty ones if none does.
Bounds FindBounds(const void* address);

// Returns whether the access may be made; counts and checks it.
inline bool Admit(const void* at, size_t bytes, size_t alignment, const Bounds& bounds,
                  AccessKind kind, bool is_float_sum, Site site) {
  auto address = reinterpret_cast<uintptr_t>(at);
  auto begin = reinterpret_cast<uintptr_t>(bounds.begin);
  auto end = reinterpret_cast<uintptr_t>(bounds.end);
  Lane* lane = current_lane;
  if (address < begin || address > end || end - address < bytes || address % alignment != 0 ||
      lane == nullptr || bounds.region == nullptr || bounds.region->is_freed()) [[unlikely]] {
    RefuseAccess(at, bytes, alignment, bounds, site);
    return false;
  }
  if (lane->records()) lane->Record(at, bytes, bounds.region, kind, is_float_sum, site);
  return true;
}

// A subscript with the place where it stands.
struct Index {
  ptrdiff_t value;
  Site site;
  template <std::integral I>
  constexpr Index(I index, std::source_location where = std::source_location::current())
      : value(static_cast<ptrdiff_t>(index)), site(where) {}
};

template <class T, Space kSpace>
class Reference;

template <class T, Space kSpace>
class Pointer {
 public:
  using Value = std::remove_cv_t<T>;
  static_assert(std::is_trivially_copyable_v<Value>, "device memory holds plain data");

  // A pointer with the place where it is followed.
  struct Located {
    Pointer pointer;
    Site site;
    Located(Pointer followed, std::source_location where = std::source_location::current())
        : pointer(followed), site(where) {}
  };

  Pointer() = default;
  Pointer(std::nullptr_t) {}
  Pointer(T* at, const Bounds& bounds) : at_(at), bounds_(bounds) {}
  // Of a pointer that cudaMalloc or cudaMallocHost gave, or into what it points to.
  Pointer(T* at) requires(kSpace == Space::kGlobal) : at_(at), bounds_(FindBounds(at)) {}
  Pointer(const Pointer<Value, kSpace>& other) requires(std::is_const_v<T>)
      : at_(other.raw()), bounds_(other.bounds()) {}
  Pointer(const Pointer&) = default;
  Pointer& operator=(const Pointer&) = default;

  T* raw() const { return at_; }
  const Bounds& bounds() const { return bounds_; }

  Value Load(Site site) const {
    Value value{};
    if (Admit(at_, sizeof(T), alignof(T), bounds_, AccessKind::kLoad, false, site)) {
      std::memcpy(&value, at_, sizeof(T));
    }
    return value;
  }
  void Store(const Value& value, Site site) const requires(!std::is_const_v<T>) {
    if (Admit(at_, sizeof(T), alignof(T), bounds_, AccessKind::kStore, false, site)) {
      std::memcpy(at_, &value, sizeof(T));
    }
  }

  auto operator[](Index index) const { return (*this + index.value).Follow(index.site); }
  friend auto operator*(Located located) { return located.pointer.Follow(located.site); }

  Pointer& operator+=(ptrdiff_t count) {
    // The address may leave the memory for a while; only an access must lie in it.
    at_ = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(at_) +
                               static_cast<uintptr_t>(count) * sizeof(T));
    return *this;
  }
  Pointer& operator-=(ptrdiff_t count) { return *this += -count; }
  Pointer& operator++() { return *this += 1; }
  Pointer& operator--() { return *this -= 1; }
  Pointer operator++(int) {
    Pointer before = *this;
    ++*this;
    return before;
  }
  Pointer operator--(int) {
    Pointer before = *this;
    --*this;
    return before;
  }
  friend Pointer operator+(Pointer pointer, ptrdiff_t count) { return pointer += count; }
  friend Pointer operator+(ptrdiff_t count, Pointer pointer) { return pointer += count; }
  friend Pointer operator-(Pointer pointer, ptrdiff_t count) { return pointer -= count; }
  friend ptrdiff_t operator-(const Pointer& a, const Pointer& b) { return a.at_ - b.at_; }
  friend bool operator==(const Pointer& a, const Pointer& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const Pointer& a, const Pointer& b) { return a.at_ <=> b.at_; }
  explicit operator bool() const { return at_ != nullptr; }

 private:
  // A value for memory that is only read, else a reference.
  auto Follow(Site site) const {
    if constexpr (std::is_const_v<T>) {
      return Load(site);
    } else {
      return Reference<T, kSpace>(*this, site);
    }
  }

  T* at_ = nullptr;
  Bounds bounds_;
};

// What p[i] and *p are: read when converted, written when assigned.
template <class T, Space kSpace>
class Reference {
 public:
  Reference(const Pointer<T, kSpace>& pointer, Site site) : pointer_(pointer), site_(site) {}
  Reference(const Reference&) = default;

  operator T() const { return pointer_.Load(site_); }
  Pointer<T, kSpace> operator&() const { return pointer_; }
  const Reference& operator=(const T& value) const {
    pointer_.Store(value, site_);
    return *this;
  }
  const Reference& operator=(const Reference& other) const { return *this = static_cast<T>(other); }
  template <class U>
  const Reference& operator+=(const U& value) const {
    return *this = static_cast<T>(static_cast<T>(*this) + value);
  }
  template <class U>
  const Reference& operator-=(const U& value) const {
    return *this = static_cast<T>(static_cast<T>(*this) - value);
  }
  template <class U>
  const Reference& operator*=(const U& value) const {
    return *this = static_cast<T>(static_cast<T>(*this) * value);
  }
  template <class U>
  const Reference& operator|=(const U& value) const {
    return *this = static_cast<T>(static_cast<T>(*this) | value);
  }
  template <class U>
  const Reference& operator&=(const U& value) const {
    return *this = static_cast<T>(static_cast<T>(*this) & value);
  }
  template <class U>
  const Reference& operator^=(const U& value) const {
    return *this = static_cast<T>(static_cast<T>(*this) ^ value);
  }
  const Reference& operator++() const { return *this += 1; }
  const Reference& operator--() const { return *this -= 1; }
  T operator++(int) const {
    T before = *this;
    *this = static_cast<T>(before + 1);
    return before;
  }
  T operator--(int) const {
    T before = *this;
    *this = static_cast<T>(before - 1);
    return before;
  }

 private:
  Pointer<T, kSpace> pointer_;
  Site site_;
};

template <class T>
using Global = Pointer<T, Space::kGlobal>;
template <class T>
using Shared = Pointer<T, Space::kShared>;

// Returns the same address as a pointer to U.
template <class U, class T, Space kSpace>
Pointer<U, kSpace> As(const Pointer<T, kSpace>& pointer) {
  static_assert(std::is_const_v<U> || !std::is_const_v<T>, "As() does not cast const away");
  return {reinterpret_cast<U*>(const_cast<std::remove_const_t<T>*>(pointer.raw())),
          pointer.bounds()};
}

// Returns `pointer` with bounds of `count` elements from there, cut to those that it had.
template <class T, Space kSpace>
Pointer<T, kSpace> Within(const Pointer<T, kSpace>& pointer, size_t count) {
  Bounds bounds = pointer.bounds();
  auto begin = reinterpret_cast<const std::byte*>(pointer.raw());
  if (begin < bounds.begin || begin > bounds.end) begin = bounds.end;
  bounds.begin = begin;
  size_t left = static_cast<size_t>(bounds.end - begin);
  if (count < left / sizeof(T)) bounds.end = begin + count * sizeof(T);
  return {pointer.raw(), bounds};
}

// Returns a pointer to a field of the struct at `pointer`.
template <class T, Space kSpace, class S, class Field>
auto Member(const Pointer<T, kSpace>& pointer, Field S::*field) {
  using Target = std::conditional_t<std::is_const_v<T>, const Field, Field>;
  return Pointer<Target, kSpace>(&(pointer.raw()->*field), pointer.bounds());
}

// Returns the launch's dynamic shared memory.
template <class T>
Shared<T> DynamicShared() {
  Region* region = current_lane->block().DynamicShared();
  return {reinterpret_cast<T*>(region->begin()), {region->begin(), region->end(), region}};
}

// Returns the array of the block that is declared at `tag`.
template <class T>
Shared<T> StaticShared(const void* tag, size_t count, Site site) {
  Region* region = current_lane->block().StaticShared(tag, count * sizeof(T), site);
  return {reinterpret_cast<T*>(region->begin()), {region->begin(), region->end(), region}};
}

// Loads and stores with a hint for the caches, which the stand-in has none of.
template <class T, Space kSpace>
std::remove_const_t<T> __ldg(const Pointer<T, kSpace>& pointer,
                             std::source_location where = std::source_location::current()) {
  return pointer.Load(where);
}
template <class T, Space kSpace>
std::remove_const_t<T> __ldcs(const Pointer<T, kSpace>& pointer,
                              std::source_location where = std::source_location::current()) {
  return pointer.Load(where);
}
template <class T, Space kSpace>
std::remove_const_t<T> __ldcg(const Pointer<T, kSpace>& pointer,
                              std::source_location where = std::source_location::current()) {
  return pointer.Load(where);
}
template <class T, Space kSpace>
std::remove_const_t<T> __ldca(const Pointer<T, kSpace>& pointer,
                              std::source_location where = std::source_location::current()) {
  return pointer.Load(where);
}
template <class T, Space kSpace>
void __stcs(const Pointer<T, kSpace>& pointer, std::type_identity_t<T> value,
            std::source_location where = std::source_location::current()) {
  pointer.Store(value, where);
}
template <class T, Space kSpace>
void __stcg(const Pointer<T, kSpace>& pointer, std::type_identity_t<T> value,
            std::source_location where = std::source_location::current()) {
  pointer.Store(value, where);
}

}  // namespace simt
