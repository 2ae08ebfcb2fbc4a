// Schema documents, the resources embedded in them, and where references lead.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/base/status.h"
#include "tests/judge/json_tree.h"

namespace maskloom::judge {

enum class Draft { k4, k6, k7, k2019, k2020 };

// A schema with an identifier of its own, or the root of a document.
struct SchemaResource {
  std::string uri;  // without fragment; may be empty
  const JsonTree* root = nullptr;
  Draft draft = Draft::k2020;
  bool validates = true;  // false where the metaschema leaves the validation vocabulary out
  bool recursive_anchor = false;
  std::map<std::string, const JsonTree*> anchors;  // dynamic ones too
  std::map<std::string, const JsonTree*> dynamic_anchors;
};

// Not safe for several threads. Pointers into it stay valid as long as it lives.
class SchemaResources {
 public:
  // `documents`: texts by absolute URI, for references that leave the schema. The metaschemas are
  // always there.
  SchemaResources(Draft draft, std::map<std::string, std::string> documents);

  // Reads the schema that validation starts with. On error: kInvalidDefinition.
  Result<const JsonTree*> AddRoot(std::string_view text);

  // The resource that `schema` is part of. Requires: reached through a keyword or Resolve().
  const SchemaResource* ResourceOf(const JsonTree* schema) const;
  // Where `reference`, written in `from`, leads. Null if nowhere.
  const JsonTree* Resolve(const SchemaResource& from, std::string_view reference);
  // The resource named `uri`, read if need be. Null if there is none.
  const SchemaResource* Find(const std::string& uri);

 private:
  SchemaResource* AddDocument(const std::string& uri, std::string_view text);
  void Index(const JsonTree* schema, SchemaResource* resource);
  SchemaResource* Enter(const JsonTree* schema, SchemaResource* around);
  void IndexMembers(const JsonTree& schema, SchemaResource* resource);
  const JsonTree* FollowPointer(SchemaResource* resource, std::string_view pointer);
  Draft DraftNamed(const JsonTree& schema, SchemaResource* resource);

  Draft draft_;
  std::map<std::string, std::string> documents_;
  std::vector<std::unique_ptr<JsonTree>> trees_;
  std::vector<std::unique_ptr<SchemaResource>> resources_;
  std::map<std::string, SchemaResource*> by_uri_;
  std::unordered_map<const JsonTree*, SchemaResource*> resource_of_;
};

std::string ToUtf8(std::u32string_view text);

}  // namespace maskloom::judge
