// Walks the places where schemas stand, so that an "$id" inside a constant names nothing.
#include "tests/judge/schema_resources.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "tests/judge/code_points.h"
#include "tests/judge/uri_reference.h"

namespace maskloom::judge {
namespace {

using Kind = JsonTree::Kind;

constexpr std::array<std::u32string_view, 13> kSchemaKeywords = {U"additionalItems",
                                                                 U"additionalProperties",
                                                                 U"contains",
                                                                 U"contentSchema",
                                                                 U"else",
                                                                 U"if",
                                                                 U"items",
                                                                 U"not",
                                                                 U"propertyNames",
                                                                 U"then",
                                                                 U"unevaluatedItems",
                                                                 U"unevaluatedProperties",
                                                                 U"extends"};
constexpr std::array<std::u32string_view, 5> kListKeywords = {U"allOf", U"anyOf", U"oneOf",
                                                              U"prefixItems", U"items"};
constexpr std::array<std::u32string_view, 6> kMapKeywords = {
    U"$defs",     U"definitions", U"dependencies", U"dependentSchemas", U"patternProperties",
    U"properties"};

template <size_t kCount>
bool Has(const std::array<std::u32string_view, kCount>& list, std::u32string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

const std::string* StringMember(const JsonTree& schema, std::u32string_view name,
                                std::string* holder) {
  const JsonTree* member = schema.Find(name);
  if (member == nullptr || member->kind != Kind::kString) return nullptr;
  *holder = ToUtf8(member->text);
  return holder;
}

std::string WithoutFragment(const std::string& uri) { return uri.substr(0, uri.find('#')); }

// The metaschemas as files of this folder, by URI.
std::map<std::string, std::string> MetaschemaFiles() {
  std::map<std::string, std::string> files = {{"http://json-schema.org/draft-04/schema", "04"},
                                              {"http://json-schema.org/draft-06/schema", "06"},
                                              {"http://json-schema.org/draft-07/schema", "07"}};
  for (std::string draft : {"2019-09", "2020-12"}) {
    std::string base = "https://json-schema.org/draft/" + draft + "/";
    files[base + "schema"] = draft;
    for (std::string part : {"core", "applicator", "unevaluated", "validation", "meta-data",
                             "format", "format-annotation", "format-assertion", "content"}) {
      files[base + "meta/" + part] = draft + "-" + part;
    }
  }
  for (auto& [uri, file] : files) {
    std::replace(file.begin(), file.end(), '-', '_');
    file = "draft_" + file + ".json";
  }
  return files;
}

}  // namespace

std::string ToUtf8(std::u32string_view text) {
  std::string out;
  for (char32_t c : text) out += EncodeUtf8(c);
  return out;
}

SchemaResources::SchemaResources(Draft draft, std::map<std::string, std::string> documents)
    : draft_(draft), documents_(std::move(documents)) {}

Result<const JsonTree*> SchemaResources::AddRoot(std::string_view text) {
  Result<JsonTree> tree = ParseJsonTree(text);
  if (!tree.ok()) return tree.status();
  if (tree->kind != Kind::kObject && tree->kind != Kind::kTrue && tree->kind != Kind::kFalse) {
    return Status(StatusCode::kInvalidDefinition, "a schema is an object or a boolean");
  }
  return AddDocument("", text)->root;
}

SchemaResource* SchemaResources::AddDocument(const std::string& uri, std::string_view text) {
  Result<JsonTree> tree = ParseJsonTree(text);
  if (!tree.ok()) return nullptr;
  trees_.push_back(std::make_unique<JsonTree>(std::move(*tree)));
  resources_.push_back(std::make_unique<SchemaResource>());
  SchemaResource* resource = resources_.back().get();
  resource->uri = uri;
  resource->root = trees_.back().get();
  resource->draft = draft_;
  by_uri_.emplace(uri, resource);
  Index(resource->root, resource);
  return resource_of_[resource->root];
}

const SchemaResource* SchemaResources::ResourceOf(const JsonTree* schema) const {
  auto found = resource_of_.find(schema);
  return found == resource_of_.end() ? nullptr : found->second;
}

Draft SchemaResources::DraftNamed(const JsonTree& schema, SchemaResource* resource) {
  std::string name;
  if (StringMember(schema, U"$schema", &name) == nullptr) return resource->draft;
  for (auto [part, draft] : {std::pair{"draft-04", Draft::k4}, std::pair{"draft-06", Draft::k6},
                             std::pair{"draft-07", Draft::k7}, std::pair{"2019-09", Draft::k2019},
                             std::pair{"2020-12", Draft::k2020}}) {
    if (name.find(std::string("json-schema.org/") + part) != name.npos ||
        name.find(std::string("json-schema.org/draft/") + part) != name.npos) {
      resource->validates = true;
      return draft;
    }
  }
  // A metaschema of one's own: its own draft, and only the vocabularies that it lists.
  const SchemaResource* meta = Find(WithoutFragment(name));
  if (meta == nullptr) return resource->draft;
  const JsonTree* vocabulary = meta->root->Find(U"$vocabulary");
  if (vocabulary != nullptr) {
    resource->validates =
        std::any_of(vocabulary->members.begin(), vocabulary->members.end(),
                    [](const auto& entry) { return entry.first.ends_with(U"/vocab/validation"); });
  }
  return meta->draft;
}

// The resource that `schema`, an object, stands in: `around`, or a new one if it has an identifier.
SchemaResource* SchemaResources::Enter(const JsonTree* schema, SchemaResource* around) {
  SchemaResource* resource = around;
  SchemaResource probe = *around;
  Draft draft = DraftNamed(*schema, &probe);
  std::string id;
  std::string reference;
  bool has_id = StringMember(*schema, draft == Draft::k4 ? U"id" : U"$id", &id) != nullptr;
  if (draft <= Draft::k7 && schema->Find(U"$ref") != nullptr) has_id = false;
  std::string uri = has_id ? WithoutFragment(id) : "";
  if (!uri.empty()) {
    uri = WithoutFragment(ResolveUri(around->uri, uri));
    if (schema == around->root) {
      around->uri = uri;
      by_uri_.emplace(uri, around);
    } else {
      resources_.push_back(std::make_unique<SchemaResource>());
      resource = resources_.back().get();
      resource->uri = uri;
      resource->root = schema;
      resource->draft = around->draft;
      resource->validates = around->validates;
      by_uri_.emplace(uri, resource);
    }
  }
  if (schema == resource->root) {
    resource->draft = draft;
    resource->validates = probe.validates;
  }
  size_t hash = id.find('#');
  if (has_id && draft <= Draft::k7 && hash != id.npos && hash + 1 < id.size()) {
    resource->anchors.emplace(id.substr(hash + 1), schema);
  }
  return resource;
}

void SchemaResources::Index(const JsonTree* schema, SchemaResource* resource) {
  if (resource_of_.contains(schema)) return;
  if (schema->kind != Kind::kObject) {
    resource_of_[schema] = resource;
    return;
  }
  resource = Enter(schema, resource);
  resource_of_[schema] = resource;
  std::string name;
  if (resource->draft >= Draft::k2019 && StringMember(*schema, U"$anchor", &name) != nullptr) {
    resource->anchors.emplace(name, schema);
  }
  if (resource->draft >= Draft::k2020 &&
      StringMember(*schema, U"$dynamicAnchor", &name) != nullptr) {
    resource->anchors.emplace(name, schema);
    resource->dynamic_anchors.emplace(name, schema);
  }
  const JsonTree* recursive = schema->Find(U"$recursiveAnchor");
  if (schema == resource->root && recursive != nullptr && recursive->kind == Kind::kTrue) {
    resource->recursive_anchor = true;
  }
  IndexMembers(*schema, resource);
}

void SchemaResources::IndexMembers(const JsonTree& schema, SchemaResource* resource) {
  for (const auto& [name, value] : schema.members) {
    if (Has(kSchemaKeywords, name) && value.kind != Kind::kArray) Index(&value, resource);
    if (Has(kListKeywords, name) && value.kind == Kind::kArray) {
      for (const JsonTree& part : value.items) Index(&part, resource);
    }
    if (Has(kMapKeywords, name) && value.kind == Kind::kObject) {
      for (const auto& [key, part] : value.members) {
        if (part.kind != Kind::kArray) Index(&part, resource);
      }
    }
  }
}

const SchemaResource* SchemaResources::Find(const std::string& uri) {
  auto found = by_uri_.find(uri);
  if (found != by_uri_.end()) return found->second;
  auto document = documents_.find(uri);
  if (document != documents_.end()) return AddDocument(uri, document->second);
  static const std::map<std::string, std::string> kMetaschemas = MetaschemaFiles();
  auto file = kMetaschemas.find(uri);
  if (file == kMetaschemas.end()) return nullptr;
  std::ifstream in(MASKLOOM_JUDGE_FOLDER "/metaschemas/" + file->second);
  std::stringstream text;
  text << in.rdbuf();
  return AddDocument(uri, text.str());
}

const JsonTree* SchemaResources::Resolve(const SchemaResource& from, std::string_view reference) {
  std::string uri = ResolveUri(from.uri, reference);
  size_t hash = uri.find('#');
  std::string fragment = hash == uri.npos ? "" : PercentDecode(uri.substr(hash + 1));
  const SchemaResource* found = &from;
  if (uri.substr(0, hash) != from.uri) found = Find(uri.substr(0, hash));
  if (found == nullptr) return nullptr;
  if (fragment.empty()) return found->root;
  if (fragment[0] == '/') return FollowPointer(const_cast<SchemaResource*>(found), fragment);
  auto anchor = found->anchors.find(fragment);
  return anchor == found->anchors.end() ? nullptr : anchor->second;
}

const JsonTree* SchemaResources::FollowPointer(SchemaResource* resource, std::string_view pointer) {
  const JsonTree* at = resource->root;
  for (size_t begin = 1; begin <= pointer.size();) {
    size_t end = std::min(pointer.find('/', begin), pointer.size());
    std::string part;
    for (size_t i = begin; i < end; ++i) {
      bool escape = pointer[i] == '~' && i + 1 < end;
      part += !escape ? pointer[i] : pointer[i + 1] == '1' ? '/' : '~';
      if (escape) ++i;
    }
    begin = end + 1;
    if (at->kind == Kind::kArray) {
      bool number =
          !part.empty() && part.size() < 9 && part.find_first_not_of("0123456789") == part.npos;
      size_t index = number ? std::stoul(part) : at->items.size();
      if (index >= at->items.size()) return nullptr;
      at = &at->items[index];
    } else {
      auto name = DecodeUtf8(part);
      at = name ? at->Find(*name) : nullptr;
      if (at == nullptr) return nullptr;
    }
    auto known = resource_of_.find(at);
    if (known != resource_of_.end()) resource = known->second;
  }
  Index(at, resource);
  return at;
}

}  // namespace maskloom::judge
