// Random grammars of arrays with few texts, and all of these texts, found by trying everything.
//
// The oracle reads the IR alone: items are read in every way, counts are kept one by one, items are
// compared pair by pair. It shares nothing with the compiler.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "grammar/ir.h"

namespace maskloom::arrays {

// The bytes that texts of random grammars are made of.
inline constexpr const char* kAlphabet = "\"[]{}:,-0123456789.truefalsnb";

struct JsonText {
  std::string text;
  std::string value;  // equal for equal values
  bool operator<(const JsonText& other) const { return text < other.text; }
  bool operator==(const JsonText& other) const = default;
};

class ArrayOracle {
 public:
  ArrayOracle(const Grammar& grammar, size_t max_texts)
      : grammar_(grammar), max_texts_(max_texts) {}

  // All texts of `value` without white space, or nothing if they are more than allowed.
  std::optional<std::vector<JsonText>> TextsOf(ValueId value);

 private:
  std::optional<std::set<JsonText>> TextsOfArray(const ArrayNode& node);
  std::optional<std::set<JsonText>> TextsOfObject(const ObjectNode& node);

  const Grammar& grammar_;
  const size_t max_texts_;
  std::map<ValueId, std::optional<std::vector<JsonText>>> known_;
};

// Which features a random grammar has.
struct ArrayFeatures {
  bool counters = true;
  bool distinctness = true;
  bool containers = true;  // items that are arrays or objects
};

// A grammar of compact JSON whose root is an array.
Grammar RandomArrayGrammar(const ArrayFeatures& features, std::mt19937_64* random);

}  // namespace maskloom::arrays
