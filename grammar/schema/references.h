// Resolves `$ref` inside one document.
#pragma once

#include <string>
#include <string_view>

#include "grammar/base/status.h"
#include "grammar/schema/schema_facts.h"

namespace maskloom {

class ReferenceResolver {
 public:
  ReferenceResolver(const SchemaDocument* document, Draft draft)
      : document_(document),
        id_keyword_(draft == Draft::kDraft4 ? "id" : "$id"),
        reference_stands_alone_(draft <= Draft::kDraft7) {}

  // Returns the node that the reference in the string at `value` names: a JSON pointer as a URI
  // fragment, "#", or either behind the URI that the root calls itself. A fragment is relative to
  // the nearest enclosing schema with an identifier of its own.
  // On error: kInvalidDefinition (dangling, or not a schema), kUnsupported (another document, an
  // anchor), with the pointer of the reference.
  // Cost: linear in the members passed on the way.
  Result<JsonIndex> Resolve(JsonIndex value) const;

 private:
  // Returns the identifier of the schema object at `node` without its empty fragment, or "".
  std::string_view IdentifierOf(JsonIndex node) const;
  JsonIndex ResourceOf(JsonIndex node) const;
  // Returns where `pointer` (decoded from its URI fragment) leads from `node`, or kNoJson.
  JsonIndex Follow(JsonIndex node, std::string_view pointer) const;

  const SchemaDocument* document_;
  std::string_view id_keyword_;
  bool reference_stands_alone_;  // what is beside $ref, an identifier too, is ignored
};

}  // namespace maskloom
