// Reads a JSON Schema and normalises it to the IR.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

struct SchemaOptions {
  enum class Formats : uint8_t { kAssert, kAnnotate };
  enum class UnknownFormats : uint8_t { kAnnotate, kRefuse };

  StylePolicy style;
  Formats formats = Formats::kAssert;  // `format` and `contentEncoding`
  UnknownFormats unknown_formats = UnknownFormats::kAnnotate;
  bool nullable = false;  // OpenAPI 3.0: `nullable: true` beside `type` admits null too
  // Objects and arrays hold what their schema speaks of and nothing else, unless it opens them. A
  // schema in the place of a value (the root, a property, an item, ...; not one that is applied in
  // place) which speaks of members by `properties`, `patternProperties` or
  // `additionalProperties`, or applies in place a schema that does, is read as if
  // `unevaluatedProperties: false` stood in it; likewise for `items` and `prefixItems` with
  // `unevaluatedItems: false`. Schemas that say nothing of the kind stay open, as does all below
  // `not`, `if` and `contains`, which only test.
  bool closed = false;
  // Report also branches of `anyOf` and `oneOf` that what stands beside them excludes, which costs
  // a conjunction a branch, and the names of languages.
  bool explain = false;
  // The URI under which the schema was found; what it refers to is relative to this, unless it
  // names itself.
  std::string base_uri;
  // Returns the text of the schema document at a URI (without fragment), or nothing. It is asked
  // for every document that the schema refers to and that is not built in (the metaschemas are);
  // nothing is ever fetched otherwise.
  std::function<std::optional<std::string>(const std::string& uri)> documents;
  // Where set, the keywords at these JSON pointers are read as if they were not there, and the
  // report says what references refer to. It must outlive the call; see contradiction.h.
  const std::set<std::string>* ignored = nullptr;
};

// What became of one keyword occurrence.
struct KeywordReport {
  enum class Outcome : uint8_t {
    kEnforced,
    kAnnotation,  // constrains nothing
    kRelaxed,     // constrains less than it says, because an option allows that
    kRefused,     // the reason why the schema is refused
  };
  std::string pointer;  // JSON pointer of the keyword, e.g. "/properties/a/minLength"
  Outcome outcome = Outcome::kEnforced;
  std::string note;  // why, where that is not obvious; may be empty

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Text(self.pointer);
    archive.Value(self.outcome);
    archive.Text(self.note);
  }
};
// Returns "enforced", "annotation", ...
const char* OutcomeName(KeywordReport::Outcome outcome);

// Something that the schema says in vain: a property that can have no value, an alternative that
// nothing satisfies.
struct SchemaNote {
  std::string pointer;  // of the schema
  std::string text;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Text(self.pointer);
    archive.Text(self.text);
  }
};

struct SchemaReport {
  std::string draft;  // "2020-12", ...
  std::vector<KeywordReport> keywords;
  std::vector<SchemaNote> notes;  // in document order, each once; the compiler's at the end
  // With `explain`: what automata of the grammar came from, where that is one pattern or format.
  std::vector<std::pair<const TextAutomaton*, std::string>> languages;
  // With `ignored`: by the pointer of a reference, that of the schema which it refers to.
  std::map<std::string, std::string> targets;
};

// Compiles `text` (one JSON document) to a grammar whose language is exactly the JSON texts valid
// under the schema, spelled by `options.style`. `report` may be null.
// The keywords are those of the draft that `$schema` names, by default 2020-12; others are
// annotations.
// On error: kInvalidDefinition (malformed JSON or UTF-8 with line and caret; a keyword's value of
// the wrong form; a dangling reference; a document that nobody supplies) and kUnsupported, both
// with the JSON pointer of the keyword; kUnsatisfiable, naming what contradicts; kResourceLimit
// (the budgets are listed in the README of this folder). Cost: about linear in the schema; a
// conjunction of unions costs their product.
Result<Grammar> ParseJsonSchema(std::string_view text, const SchemaOptions& options = {},
                                SchemaReport* report = nullptr);

}  // namespace maskloom
