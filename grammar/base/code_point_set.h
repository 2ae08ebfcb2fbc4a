// A set of Unicode scalar values as sorted, disjoint, non-adjacent ranges.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace maskloom {

struct CodePointRange {
  uint32_t first = 0;
  uint32_t last = 0;  // inclusive
  bool operator==(const CodePointRange&) const = default;
};

// Surrogates are never members: every operation leaves them out.
class CodePointSet {
 public:
  CodePointSet() = default;
  CodePointSet(std::initializer_list<CodePointRange> ranges);
  static CodePointSet All();
  static CodePointSet Of(uint32_t code_point) { return {{code_point, code_point}}; }

  void Add(uint32_t first, uint32_t last);
  void Add(const CodePointSet& other);
  CodePointSet Complement() const;
  CodePointSet Intersect(const CodePointSet& other) const;

  bool Contains(uint32_t code_point) const;
  bool empty() const { return ranges_.empty(); }
  // Number of members.
  uint32_t size() const;
  const std::vector<CodePointRange>& ranges() const { return ranges_; }
  bool operator==(const CodePointSet&) const = default;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.ranges_);
  }

 private:
  std::vector<CodePointRange> ranges_;
};

}  // namespace maskloom
