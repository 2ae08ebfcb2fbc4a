// The plain validator: a value and a schema in, valid or not out, for drafts 4 to 2020-12.
//
// It reads the specification directly, one function a keyword, and recomputes everything each time:
// slow, and right by being plain. What a schema evaluates to is whether the value is valid and
// which of its members and items some keyword has looked at, which `unevaluated*` asks for.
// `$dynamicRef` and `$recursiveRef` search the resources entered so far, the outermost first.
// Source: JSON Schema Core and Validation, drafts 4, 6, 7, 2019-09, 2020-12.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/judge/schema_resources.h"
#include "tests/judge/text_pattern.h"

namespace maskloom::judge {

struct PlainOptions {
  Draft draft = Draft::k2020;   // of schemas without `$schema`
  bool assert_formats = false;  // those that format_checks.h knows
  bool nullable = false;        // `nullable: true` lets null in beside `type` and `enum`
  // Draft 4 defines an integer by how it is written, without fraction or exponent (Core, 3.5); the
  // later drafts by its value. False: by its value in draft 4 too.
  bool integers_by_spelling = true;
  std::map<std::string, std::string> documents;  // by absolute URI
};

enum class Verdict { kValid, kInvalid, kUnknown };

// Not safe for several threads.
class PlainValidator {
 public:
  // On error: kInvalidDefinition (malformed JSON, no schema).
  static Result<std::unique_ptr<PlainValidator>> Create(std::string_view schema,
                                                        const PlainOptions& options = {});

  // kUnknown where a pattern cannot be read, a reference leads nowhere or only to itself; see
  // reason(). Keys that are repeated make a value invalid.
  Verdict Validate(const JsonTree& value);
  const std::string& reason() const { return reason_; }

 private:
  friend struct Applied;
  friend struct Keywords;
  // What came of a schema and a value.
  struct Outcome {
    bool valid = true;
    std::set<std::u32string> members;  // evaluated ones
    std::set<size_t> items;
    void Join(const Outcome& other);
  };

  explicit PlainValidator(const PlainOptions& options)
      : options_(options), resources_(options.draft, options.documents) {}

  Outcome Evaluate(const JsonTree* schema, const JsonTree& value);
  Outcome EvaluateOpened(const JsonTree* schema, const JsonTree& value);
  Outcome EvaluateReference(const JsonTree& reference, const JsonTree* schema,
                            const JsonTree& value);
  bool Found(const std::u32string& pattern, const std::u32string& text);
  void Unknown(const std::string& reason);

  PlainOptions options_;
  SchemaResources resources_;
  const JsonTree* root_ = nullptr;
  std::vector<const SchemaResource*> scope_;  // entered so far, the outermost first
  std::set<std::pair<const JsonTree*, const JsonTree*>> open_;
  std::map<std::u32string, std::unique_ptr<TextPattern>> patterns_;
  bool unknown_ = false;
  std::string reason_;
};

}  // namespace maskloom::judge
