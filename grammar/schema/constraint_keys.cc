// Keys under which equal constraints meet, names, and sorted sets.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "grammar/base/utf8.h"
#include "grammar/schema/constraints.h"

namespace maskloom {
namespace {

template <typename T>
void Put(T value, std::string* key) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  key->append(bytes, sizeof(T));
}

void PutIds(const std::vector<uint32_t>& ids, std::string* key) {
  Put(ids.size(), key);
  for (uint32_t id : ids) Put(id, key);
}

void PutDecimal(const Decimal& value, std::string* key) {
  Put(value.negative(), key);
  Put(value.exponent(), key);
  Put(value.digits().size(), key);
  key->append(value.digits());
}

void PutBound(const std::optional<NumberBound>& bound, std::string* key) {
  Put(bound.has_value(), key);
  if (!bound) return;
  Put(bound->exclusive, key);
  PutDecimal(bound->value, key);
}

}  // namespace

std::string KeyOf(const StringConstraint& constraint) {
  std::string key;
  PutIds(constraint.patterns, &key);
  Put(constraint.min_length, &key);
  Put(constraint.max_length, &key);
  Put(constraint.one_of != nullptr, &key);
  if (constraint.one_of != nullptr) {
    for (const std::u32string& text : *constraint.one_of) {
      Put(text.size(), &key);
      for (char32_t c : text) Put(c, &key);
    }
  }
  return key;
}

std::string KeyOf(const NumberConstraint& constraint) {
  std::string key;
  Put(constraint.integer, &key);
  PutBound(constraint.lower, &key);
  PutBound(constraint.upper, &key);
  Put(constraint.one_of != nullptr, &key);
  if (constraint.one_of != nullptr) {
    for (const Decimal& value : *constraint.one_of) PutDecimal(value, &key);
  }
  return key;
}

std::string KeyOf(const ArrayConstraint& constraint) {
  std::string key;
  PutIds(constraint.rules, &key);
  Put(constraint.min_items, &key);
  Put(constraint.max_items, &key);
  return key;
}

std::string KeyOf(const ObjectConstraint& constraint) {
  std::string key;
  PutIds(constraint.rules, &key);
  PutIds(constraint.required, &key);
  Put(constraint.min_properties, &key);
  Put(constraint.max_properties, &key);
  return key;
}

NameId NameTable::Add(std::string_view utf8) {
  auto [it, added] = ids_.try_emplace(std::string(utf8), size());
  if (added) names_.push_back(ToUtf32(utf8));
  return it->second;
}

NameId NameTable::Add(const std::u32string& name) { return Add(std::string_view(ToUtf8(name))); }

std::vector<uint32_t> UniteSorted(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<uint32_t> out;
  out.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

bool IncludesSorted(const std::vector<uint32_t>& set, const std::vector<uint32_t>& subset) {
  return std::includes(set.begin(), set.end(), subset.begin(), subset.end());
}

}  // namespace maskloom
