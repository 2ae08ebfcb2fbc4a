// What literals of formulas refer to, interned so that equal things have equal ids.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "grammar/base/decimal.h"
#include "grammar/schema/schema_table.h"

namespace maskloom {

// Values by id, equal ones once. References stay valid.
template <typename T>
class InternTable {
 public:
  uint32_t Add(T value) {
    auto [it, added] = ids_.try_emplace(std::move(value), static_cast<uint32_t>(items_.size()));
    if (added) items_.push_back(&it->first);
    return it->second;
  }
  const T& operator[](uint32_t id) const { return *items_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(items_.size()); }

 private:
  std::map<T, uint32_t> ids_;
  std::vector<const T*> items_;
};

// Decoded object keys by id.
using NameId = uint32_t;
class NameTable {
 public:
  NameId Add(std::string_view utf8);
  NameId Add(const std::u32string& name);
  const std::u32string& operator[](NameId id) const { return names_[id]; }
  NameId size() const { return static_cast<NameId>(names_.size()); }

 private:
  std::unordered_map<std::string, NameId> ids_;
  std::deque<std::u32string> names_;
};

using TextSet = std::vector<std::u32string>;  // sorted, distinct
using DecimalSet = std::vector<Decimal>;      // sorted, distinct

// What a schema says about the members of an object or the items of an array: it gives each key
// (index) the schemas that the value there must satisfy.
struct ChildRule {
  enum class Kind : uint8_t {
    kMembers,             // `schema` by properties, patternProperties, additionalProperties
    kConstantMembers,     // exactly those of the constant `schema`
    kMember,              // the member `evaluated`, if there, satisfies `schema`
    kNames,               // keys are texts of `schema`
    kUnevaluatedMembers,  // `schema` where nothing in `evaluated` applies
    kItems,               // `schema` by prefixItems and items
    kConstantItems,       // exactly those of the constant `schema`
    kUnevaluatedItems,    // `schema` where nothing in `evaluated` applies
  };
  Kind kind = Kind::kMembers;
  SchemaId schema = kNoSchema;
  uint32_t evaluated = 0;  // id of an EvaluatedSet; of kMember the NameId
  auto Key() const { return std::tie(kind, schema, evaluated); }
  bool operator<(const ChildRule& other) const { return Key() < other.Key(); }
};
using RuleId = uint32_t;

// What applied in place to a value and thereby evaluated some of its members and items.
struct Evaluation {
  enum class Kind : uint8_t {
    kMembers,     // those that `schema` covers by properties, patterns, additionalProperties
    kAllMembers,  // every member
    kItems,       // those that `schema` covers by prefixItems and items
    kAllItems,    // every item
    kContained,   // the items that are instances of `schema`
  };
  Kind kind = Kind::kMembers;
  SchemaId schema = kNoSchema;
  auto Key() const { return std::tie(kind, schema); }
  bool operator<(const Evaluation& other) const { return Key() < other.Key(); }
  bool operator==(const Evaluation&) const = default;
};
using EvaluatedSet = std::vector<Evaluation>;  // sorted, distinct

}  // namespace maskloom
