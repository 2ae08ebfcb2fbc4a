// The keywords of the plain validator: from which draft to which, and what each of them means.
#pragma once

#include <string_view>
#include <vector>

#include "tests/judge/plain_validator.h"

namespace maskloom::judge {

// Where a keyword stands.
struct Site {
  const JsonTree& schema;   // the schema object
  const JsonTree& keyword;  // the keyword's value
  const SchemaResource& resource;
};

struct Keyword;

// The functions are grouped here because they look into PlainValidator. Each gets the outcome of
// the keywords before it and returns its own.
struct Keywords {
  using Outcome = PlainValidator::Outcome;
  // In an order where `unevaluated*` come last.
  static const std::vector<Keyword>& All();

  using Evaluate = Outcome (*)(PlainValidator*, const Site&, const JsonTree& value,
                               const Outcome& before);
};

struct Keyword {
  std::u32string_view name;
  Draft first;
  Draft last;
  bool validation;  // of the validation vocabulary
  Keywords::Evaluate evaluate;
};

}  // namespace maskloom::judge
