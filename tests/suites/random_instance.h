// Values near a schema: built from its own constants, names and bounds, then disturbed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/judge/json_tree.h"

namespace maskloom::suites {

// Draws values for one schema. Values are likely, never sure, to be valid.
class InstanceWriter {
 public:
  // Requires: `schema` is JSON and outlives the writer.
  InstanceWriter(const judge::JsonTree& schema, std::mt19937_64* random)
      : root_(schema), random_(*random) {}

  // A value drawn along the schema.
  judge::JsonTree Guided();
  // `value` with one thing changed: a number moved, a member dropped, an item repeated, ...
  judge::JsonTree Mutated(judge::JsonTree value);
  // A value that has little to do with the schema.
  judge::JsonTree Arbitrary(int depth);

 private:
  using Facets = std::vector<const judge::JsonTree*>;

  size_t Below(size_t count) { return random_() % count; }
  bool OneIn(size_t count) { return Below(count) == 0; }
  const judge::JsonTree* Follow(const std::u32string& reference) const;
  void Collect(const judge::JsonTree* schema, int depth, Facets* facets);
  judge::JsonTree Draw(const Facets& schemas, int depth);
  judge::JsonTree DrawNumber(const Facets& facets, bool integer);
  judge::JsonTree DrawString(const Facets& facets);
  judge::JsonTree DrawArray(const Facets& facets, int depth);
  judge::JsonTree DrawObject(const Facets& facets, int depth);
  std::u32string DrawMatching(const std::u32string& pattern);
  std::u32string DrawKey(const Facets& facets);
  size_t DrawCount(const Facets& facets, std::u32string_view least, std::u32string_view most,
                   size_t usual);
  judge::JsonTree* AnyNode(judge::JsonTree* value);

  const judge::JsonTree& root_;
  std::mt19937_64& random_;
};

// Some 300 small values, whatever the schema: scalars, arrays of up to three of them, objects over
// the keys a, b, ab.
const std::vector<judge::JsonTree>& SmallValues();

// Writes `value` in one of its spellings: white space, escapes, numbers as
// 10, 10.0 or 1e1, members in any order.
std::string Spell(const judge::JsonTree& value, std::mt19937_64* random);

}  // namespace maskloom::suites
