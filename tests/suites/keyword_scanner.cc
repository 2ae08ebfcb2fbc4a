// Walks schema positions only, so that a property called "pattern" is no keyword.
#include "tests/suites/keyword_scanner.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tests/judge/schema_resources.h"
#include "tests/judge/text_pattern.h"

namespace maskloom::suites {
namespace {

using judge::JsonTree;
using Kind = JsonTree::Kind;

// Keywords that hold a schema or a list of schemas.
constexpr std::array<std::u32string_view, 17> kSchemas = {U"additionalItems",
                                                          U"additionalProperties",
                                                          U"allOf",
                                                          U"anyOf",
                                                          U"contains",
                                                          U"contentSchema",
                                                          U"else",
                                                          U"if",
                                                          U"items",
                                                          U"not",
                                                          U"oneOf",
                                                          U"prefixItems",
                                                          U"propertyNames",
                                                          U"then",
                                                          U"unevaluatedItems",
                                                          U"unevaluatedProperties",
                                                          U"extends"};
// Keywords that hold schemas by name. Definitions are read where a reference leads to them.
constexpr std::array<std::u32string_view, 4> kMaps = {U"dependencies", U"dependentSchemas",
                                                      U"patternProperties", U"properties"};

class Scanner {
 public:
  Scanner() : resources_(judge::Draft::k2020, {}) {}

  std::set<std::string> Scan(std::string_view text) {
    auto root = resources_.AddRoot(text);
    if (!root.ok()) return {"malformed"};
    Push(*root);
    while (!open_.empty()) {
      const JsonTree* schema = open_.back();
      open_.pop_back();
      for (const auto& [name, value] : schema->members) ScanMember(*schema, name, value);
    }
    return std::move(found_);
  }

 private:
  void Push(const JsonTree* schema) {
    if (schema->kind == Kind::kObject && seen_.insert(schema).second) open_.push_back(schema);
  }

  void ScanMember(const JsonTree& schema, const std::u32string& name, const JsonTree& value) {
    if (name == U"$ref" || name == U"$dynamicRef" || name == U"$recursiveRef") {
      ScanReference(schema, value);
    }
    if (name == U"pattern") ScanPattern(value.text);
    if (std::find(kSchemas.begin(), kSchemas.end(), name) != kSchemas.end()) {
      Push(&value);
      for (const JsonTree& part : value.items) Push(&part);
    }
    if (std::find(kMaps.begin(), kMaps.end(), name) == kMaps.end()) return;
    for (const auto& [key, part] : value.members) {
      Push(&part);
      if (name == U"patternProperties") ScanPattern(key);
    }
  }

  void ScanReference(const JsonTree& schema, const JsonTree& value) {
    const judge::SchemaResource* resource = resources_.ResourceOf(&schema);
    if (value.kind != Kind::kString || resource == nullptr) return;
    const JsonTree* target = resources_.Resolve(*resource, judge::ToUtf8(value.text));
    if (target != nullptr) {
      Push(target);
    } else {
      found_.insert(value.text.starts_with(U"#") ? "dangling $ref" : "remote $ref");
    }
  }

  void ScanPattern(const std::u32string& pattern) {
    auto parsed = judge::TextPattern::Parse(pattern);
    if (parsed.ok()) return;
    found_.insert(parsed.status().code() == StatusCode::kUnsupported ? "back-reference"
                                                                     : "malformed pattern");
  }

  judge::SchemaResources resources_;
  std::vector<const JsonTree*> open_;
  std::set<const JsonTree*> seen_;
  std::set<std::string> found_;
};

}  // namespace

std::set<std::string> UnlistedIn(std::string_view schema) { return Scanner().Scan(schema); }

}  // namespace maskloom::suites
