// Where in the source something happens: eight bytes that can be compared and kept.
#pragma once

#include <bit>
#include <cstdint>
#include <source_location>

namespace simt {

// A place of the source. Two sites are equal if they are the same call in the same function.
class Site {
 public:
  constexpr Site() = default;
  constexpr Site(std::source_location where) : where_(where) {}
  static constexpr Site Here(std::source_location where = std::source_location::current()) {
    return Site(where);
  }

  const char* file() const { return where_.file_name(); }
  unsigned line() const { return where_.line(); }
  // A number of the site, for tables.
  uintptr_t key() const { return std::bit_cast<uintptr_t>(where_); }
  bool operator==(const Site& other) const { return key() == other.key(); }

 private:
  std::source_location where_;
};

static_assert(sizeof(Site) == sizeof(void*), "a site is a pointer to a record of the compiler");

}  // namespace simt
