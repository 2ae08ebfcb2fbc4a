// Names for schemas: those of the documents, values taken as schemas, and what is made of them.
//
// A schema of a document is a node, seen in a dynamic scope: what `$dynamicRef` and
// `$recursiveRef` below it mean depends on the resources through which evaluation came. Where no
// resource has a dynamic anchor there is one scope, 0, so that a node is one schema.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "grammar/schema/schema_document.h"

namespace maskloom {

using SchemaId = uint32_t;
inline constexpr SchemaId kNoSchema = 0xFFFFFFFF;
using ScopeId = uint32_t;  // 0: no dynamic anchors were passed
// Bit of a scope: what is met below is a test (`not`, `if`, `contains`), which no option closes.
inline constexpr ScopeId kTestScope = 0x80000000;

enum class SchemaKind : uint8_t {
  kNode,      // the schema at a node of the documents
  kConstant,  // accepts only the value at a node (a member of `enum`, `const`, or a part of them)
  kNot,       // accepts what its one part does not
  kAnyOf,     // accepts what some part accepts
  kTracked,   // its one part, with what it evaluates; see evaluation.h
  kClosed,    // its one part, without members and items that this does not speak of
};

class SchemaTable {
 public:
  // Returns the schema at `node` in `scope`.
  SchemaId At(JsonIndex node, ScopeId scope = 0);
  static SchemaId ConstantAt(JsonIndex node) { return node * 2 + 1; }
  SchemaId Not(SchemaId part);
  SchemaId AnyOf(std::vector<SchemaId> parts);
  SchemaId Tracked(SchemaId part);
  SchemaId Closed(SchemaId part);
  // Accepts nothing; `part` gives it a place.
  SchemaId Never(SchemaId part);

  SchemaKind kind(SchemaId id) const;
  bool IsConstant(SchemaId id) const { return kind(id) == SchemaKind::kConstant; }
  // The node of a schema; of what is made of schemas, that of the first part.
  JsonIndex node(SchemaId id) const;
  ScopeId scope(SchemaId id) const;
  std::span<const SchemaId> parts(SchemaId id) const;

 private:
  static constexpr SchemaId kMadeBit = 0x80000000;
  struct Made {
    SchemaKind kind;
    JsonIndex node;
    ScopeId scope;
    std::vector<SchemaId> parts;
    auto Key() const { return std::tie(kind, node, scope, parts); }
    bool operator<(const Made& other) const { return Key() < other.Key(); }
  };
  SchemaId Intern(Made made);

  std::vector<const Made*> made_;
  std::map<Made, SchemaId> ids_;
};

// A value for each schema that has been named, made on first use.
template <typename T>
class SchemaMap {
 public:
  T& operator[](SchemaId id) {
    std::vector<T>& values = id >> 31 ? made_ : plain_;
    const size_t index = id & 0x7FFFFFFF;
    if (index >= values.size()) values.resize(std::max(index + 1, values.size() * 2));
    return values[index];
  }

 private:
  std::vector<T> plain_;
  std::vector<T> made_;
};

}  // namespace maskloom
