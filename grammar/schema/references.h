// Resolves references: to a pointer, an anchor or a whole resource, in this or another document.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/schema/resources.h"

namespace maskloom {

class ReferenceResolver {
 public:
  // Both arguments must outlive the resolver.
  ReferenceResolver(const SchemaDocument* document, ResourceIndex* resources)
      : document_(document), resources_(resources) {}

  struct Target {
    JsonIndex node = kNoJson;
    // The dynamic anchor that the reference named it by, or empty: `$dynamicRef` looks for others
    // of this name.
    std::string_view dynamic_anchor;
  };

  // Returns the schema that the reference in the string at `value` names. It is relative to the
  // resource that it stands in; documents are loaded as needed.
  // On error: kInvalidDefinition (malformed, dangling, not a schema, a document that nobody
  // supplies) with the pointer of the reference, or what is wrong with a loaded document.
  // Cost: linear in the length of the reference, but for the first look into a large object or
  // array. Source: RFC 3986 sections 5.2 and 3.5, RFC 6901 section 6.
  Result<Target> Resolve(JsonIndex value);

 private:
  // In objects and arrays with more parts, they are found by an index.
  static constexpr uint32_t kLargeCount = 64;

  // Returns where `pointer` (decoded from its URI fragment) leads from `node`, or kNoJson.
  JsonIndex Follow(JsonIndex node, std::string_view pointer);
  JsonIndex FindMember(JsonIndex object, std::string_view name);
  JsonIndex FindItem(JsonIndex array, size_t position);

  const SchemaDocument* document_;
  ResourceIndex* resources_;
  std::unordered_map<JsonIndex, std::unordered_map<std::string_view, JsonIndex>> members_;
  std::unordered_map<JsonIndex, std::vector<JsonIndex>> items_;
};

}  // namespace maskloom
