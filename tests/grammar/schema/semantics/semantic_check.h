// Is the normal form of a schema right? The IR and the plain validator, value by value.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "grammar/schema/json_schema.h"
#include "tests/judge/plain_validator.h"

namespace maskloom {

// One schema, normalised. Texts under it are judged by the IR alone: no automaton is stepped.
class NormalisedSchema {
 public:
  // Reads `schema`; `remotes` are the documents that it may refer to, by URI.
  NormalisedSchema(const std::string& schema, bool assert_formats,
                   const std::map<std::string, std::string>& remotes = {});

  // Is there a normal form, or the answer that nothing is valid?
  bool IsRead() const { return grammar_.has_value() || unsatisfiable_; }
  const Status& status() const { return status_; }
  // Requires: IsRead().
  bool Accepts(const std::string& instance) const;
  std::string ToString() const { return grammar_ ? grammar_->ToString() : status_.ToString(); }
  // The first broken invariant of the normal form, or "".
  std::string Fault() const { return grammar_ ? grammar_->Validate() : ""; }

 private:
  std::optional<Grammar> grammar_;
  bool unsatisfiable_ = false;
  Status status_;
};

// `schema` with `$schema: uri`, unless it is a boolean or names its draft itself.
judge::JsonTree WithDraft(judge::JsonTree schema, const std::string& uri);

}  // namespace maskloom
