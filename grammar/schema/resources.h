// The schema resources of the documents: what they are called, and the anchors in them.
//
// A resource is a document's root or a schema with an identifier of its own; everything below it
// belongs to it, up to nested resources. The index is built from the few members of a document that
// can name something (SchemaDocument::marks), so that a schema without identifiers costs nothing.
// An identifier counts only where a schema is expected: not inside `enum`, `const` or a keyword
// that no draft defines.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/schema/dialect.h"
#include "grammar/schema/json_schema.h"
#include "grammar/schema/schema_document.h"

namespace maskloom {

class ResourceIndex {
 public:
  // Most documents that one schema may refer to.
  static constexpr size_t kMaxDocuments = 1000;

  struct Anchor {
    JsonIndex node = kNoJson;
    bool dynamic = false;
  };
  struct DynamicAnchor {
    std::string name;  // "" for $recursiveAnchor, which has none
    JsonIndex node;
  };

  // Indexes the main document. Both arguments must outlive the index.
  ResourceIndex(SchemaDocument* document, const SchemaOptions* options);

  // The first fault in identifiers, `$schema` or vocabularies; ok if there is none.
  const Status& status() const { return status_; }

  // What names two things at once, by the member that names it a second time, for messages.
  const std::vector<std::pair<JsonIndex, std::string>>& notes() const { return notes_; }

  // Returns what `$schema` says for `node`: that of the nearest schema around it which has one.
  Dialect DialectOf(JsonIndex node) const { return AreaOf(node).dialect; }
  // Returns the root of the resource that `node` belongs to.
  JsonIndex ResourceOf(JsonIndex node) const { return AreaOf(node).resource; }
  // Returns the absolute URI of a resource, as far as it has one.
  // Requires: `resource` is the root of one.
  const std::string& UriOf(JsonIndex resource) const { return uris_.at(resource); }

  // Returns the resource called `uri` (no fragment), loading its document if need be; kNoJson if
  // nobody supplies it. On error: what reading the document reports; kResourceLimit.
  Result<JsonIndex> Load(const std::string& uri);
  // Returns the anchor `name` of a resource; its node is kNoJson if there is none.
  Anchor FindAnchor(JsonIndex resource, std::string_view name) const;
  // Returns those of one resource; null if `node` is not the root of one that has some.
  const std::vector<DynamicAnchor>* DynamicAnchorsOf(JsonIndex node) const;
  bool HasDynamicAnchors() const { return !dynamic_anchors_.empty(); }

  // Returns the dialect that `$schema` = `uri` names; nothing if it is unknown.
  // On error: a vocabulary that must be understood and is not.
  Result<std::optional<Dialect>> FindDialect(std::string_view uri);

 private:
  // A part of a document with one resource and one dialect: all below its first schema that is not
  // in an inner area.
  struct Area {
    JsonIndex resource = 0;
    Dialect dialect;
  };
  static constexpr uint32_t kNoArea = 0xFFFFFFFF;

  // Indexes the document at `root`, found under `uri`, whose marks begin at `first_mark`.
  void Index(JsonIndex root, const std::string& uri, size_t first_mark);
  void IndexSchema(JsonIndex schema, JsonIndex root);
  // Takes an identifier for what `schema` is called beside the area around it; may change `area`.
  void AddIdentifier(JsonIndex schema, JsonIndex id, Area* area);
  void AddAnchors(JsonIndex schema, const Area& area);
  // Names `node` by the member `name`. A name that is taken stays with what had it first.
  void AddAnchor(JsonIndex resource, std::string text, JsonIndex name, Anchor anchor);
  // As AddAnchor; `name` is kNoJson for a document, which is called what it was asked for by.
  void AddResource(JsonIndex node, std::string uri, JsonIndex name);
  // Notes the areas of the nodes from the first one that has none up to `end`.
  void FillAreas(JsonIndex root, JsonIndex end);
  const Area& AreaOf(JsonIndex node) const;
  // Returns the member of a schema if it is a string, else kNoJson.
  JsonIndex FindText(JsonIndex schema, std::string_view name) const;

  SchemaDocument* document_;
  const SchemaOptions* options_;
  Status status_;
  std::vector<std::pair<JsonIndex, std::string>> notes_;
  size_t loaded_ = 0;      // documents beside the main one
  int dialect_depth_ = 0;  // of metaschemas that name metaschemas
  std::vector<Area> areas_;
  std::unordered_map<JsonIndex, uint32_t> area_at_;  // by the first schema of an area
  std::vector<uint32_t> area_of_;  // by node; kNoArea in documents that are one area
  std::unordered_map<JsonIndex, std::string> uris_;              // by resource
  std::unordered_map<std::string, JsonIndex> nodes_;             // resources by URI
  std::map<std::pair<JsonIndex, std::string>, Anchor> anchors_;  // by resource and name
  std::unordered_map<JsonIndex, std::vector<DynamicAnchor>> dynamic_anchors_;
};

}  // namespace maskloom
