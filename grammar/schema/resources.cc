// Walks the marks of a document, outer schemas first, so that bases and drafts are known inside.
#include "grammar/schema/resources.h"

#include <algorithm>
#include <optional>

#include "grammar/schema/keyword_table.h"
#include "grammar/schema/metaschemas.h"
#include "grammar/schema/uri.h"

namespace maskloom {
namespace {

constexpr int kMaxDialectDepth = 8;

std::string_view WithoutEmptyFragment(std::string_view uri) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  return uri;
}

// Tells where a schema is expected, from the root of a document down; remembers all it passes.
class SchemaPlaces {
 public:
  SchemaPlaces(const SchemaDocument* document, JsonIndex root)
      : document_(document), root_(root), kinds_(document->size() - root, kUnknown) {
    kinds_[0] = kSchema;
  }

  bool IsSchema(JsonIndex node) {
    std::vector<JsonIndex> path;
    for (; kinds_[node - root_] == kUnknown; node = document_->parent(node)) path.push_back(node);
    Kind kind = kinds_[node - root_];
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      kind = Below(kind, *step);
      kinds_[*step - root_] = kind;
    }
    return kind == kSchema;
  }

 private:
  enum Kind : uint8_t { kUnknown, kSchema, kGroup, kOther };  // a group: a list or map of schemas

  Kind Below(Kind outer, JsonIndex node) const {
    if (outer == kGroup) return kSchema;
    if (outer == kOther || !document_->IsObject(document_->parent(node))) return kOther;
    const KeywordRow* row = FindKeyword(document_->key(node));
    if (row == nullptr) return kOther;
    if (document_->IsArray(node)) return (row->children & kChildList) != 0 ? kGroup : kOther;
    if ((row->children & kChildMap) != 0) return kGroup;
    return (row->children & kChild) != 0 ? kSchema : kOther;
  }

  const SchemaDocument* document_;
  JsonIndex root_;
  std::vector<Kind> kinds_;  // by node, from the root
};

}  // namespace

ResourceIndex::ResourceIndex(SchemaDocument* document, const SchemaOptions* options)
    : document_(document), options_(options) {
  Index(0, std::string(SplitFragment(options->base_uri).uri), 0);
}

JsonIndex ResourceIndex::FindText(JsonIndex schema, std::string_view name) const {
  const JsonIndex value = document_->Find(schema, name);
  return value != kNoJson && document_->IsString(value) ? value : kNoJson;
}

void ResourceIndex::Index(JsonIndex root, const std::string& uri, size_t first_mark) {
  const JsonIndex end = document_->size();
  AddResource(root, uri, kNoJson);
  area_at_[root] = static_cast<uint32_t>(areas_.size());
  areas_.push_back({root, areas_.empty() ? Dialect() : areas_[0].dialect});
  std::vector<JsonIndex> schemas{root};
  std::optional<SchemaPlaces> places;
  for (size_t i = first_mark; i < document_->marks().size(); ++i) {
    const JsonIndex mark = document_->marks()[i];
    if (!document_->IsString(mark) && document_->kind(mark) != JsonKind::kTrue) continue;
    const JsonIndex schema = document_->parent(mark);
    if (schema == schemas.back() || schema == root) continue;
    if (!places) places.emplace(document_, root);
    if (places->IsSchema(schema)) schemas.push_back(schema);
  }
  // A member of an outer schema may stand behind inner ones.
  std::sort(schemas.begin(), schemas.end());
  schemas.erase(std::unique(schemas.begin(), schemas.end()), schemas.end());
  const size_t outer_areas = areas_.size();
  for (JsonIndex schema : schemas) {
    if (areas_.size() > outer_areas) FillAreas(root, schema);
    IndexSchema(schema, root);
  }
  if (areas_.size() > outer_areas) FillAreas(root, end);
}

void ResourceIndex::FillAreas(JsonIndex root, JsonIndex end) {
  if (area_of_.size() < end) area_of_.resize(document_->size(), kNoArea);
  JsonIndex node = end;
  while (node > root && area_of_[node - 1] == kNoArea) --node;
  for (; node < end; ++node) {
    auto it = area_at_.find(node);
    area_of_[node] = it != area_at_.end() ? it->second : area_of_[document_->parent(node)];
  }
}

const ResourceIndex::Area& ResourceIndex::AreaOf(JsonIndex node) const {
  if (node < area_of_.size() && area_of_[node] != kNoArea) return areas_[area_of_[node]];
  return loaded_ == 0 ? areas_[0] : areas_[area_at_.at(document_->RootOf(node))];
}

void ResourceIndex::IndexSchema(JsonIndex schema, JsonIndex root) {
  if (!document_->IsObject(schema)) return;
  const Area outer = AreaOf(schema == root ? root : document_->parent(schema));
  Area area = outer;
  if (JsonIndex value = FindText(schema, "$schema"); value != kNoJson) {
    Result<std::optional<Dialect>> found = FindDialect(document_->text(value));
    if (!found.ok()) {
      if (status_.ok()) {
        status_ = document_->ErrorAt(value, found.status().code(), found.status().message());
      }
    } else if (*found) {
      area.dialect = **found;
    }
  }
  // What is beside $ref, an identifier too, is ignored.
  const bool is_named =
      area.dialect.draft > Draft::kDraft7 || document_->Find(schema, "$ref") == kNoJson;
  if (is_named) {
    // What an embedded schema is called is said in terms of the schema around it.
    const Draft naming = schema == root ? area.dialect.draft : outer.dialect.draft;
    const JsonIndex id = FindText(schema, naming == Draft::kDraft4 ? "id" : "$id");
    if (id != kNoJson) AddIdentifier(schema, id, &area);
  }
  if (schema == root) {
    areas_[area_at_[root]] = area;
  } else if (area.resource != outer.resource || !(area.dialect == outer.dialect)) {
    area_at_[schema] = static_cast<uint32_t>(areas_.size());
    areas_.push_back(area);
  }
  if (is_named && area.dialect.draft >= Draft::kDraft2019) AddAnchors(schema, area);
}

void ResourceIndex::AddIdentifier(JsonIndex schema, JsonIndex id, Area* area) {
  const SplitUri parts = SplitFragment(document_->text(id));
  if (!parts.uri.empty()) {
    AddResource(schema, ResolveUri(UriOf(area->resource), parts.uri), id);
    area->resource = schema;
  }
  // "#name" is how old drafts write an anchor.
  if (!parts.fragment || parts.fragment->empty() || (*parts.fragment)[0] == '/') return;
  if (std::optional<std::string> name = PercentDecode(*parts.fragment)) {
    AddAnchor(area->resource, std::move(*name), id, {schema, false});
  }
}

void ResourceIndex::AddAnchors(JsonIndex schema, const Area& area) {
  if (JsonIndex name = FindText(schema, "$anchor"); name != kNoJson) {
    AddAnchor(area.resource, std::string(document_->text(name)), name, {schema, false});
  }
  if (area.dialect.draft == Draft::kDraft2019) {
    const JsonIndex flag = document_->Find(schema, "$recursiveAnchor");
    if (schema == area.resource && flag != kNoJson && document_->kind(flag) == JsonKind::kTrue) {
      dynamic_anchors_[schema].push_back({"", schema});
    }
    return;
  }
  if (JsonIndex name = FindText(schema, "$dynamicAnchor"); name != kNoJson) {
    const std::string text(document_->text(name));
    AddAnchor(area.resource, text, name, {schema, true});
    dynamic_anchors_[area.resource].push_back({text, schema});
  }
}

void ResourceIndex::AddAnchor(JsonIndex resource, std::string text, JsonIndex name, Anchor anchor) {
  const auto [it, is_new] = anchors_.try_emplace({resource, std::move(text)}, anchor);
  if (is_new || it->second.node == anchor.node) return;
  notes_.emplace_back(name, "the name \"" + it->first.second + "\" is already that of \"" +
                                document_->Pointer(it->second.node) +
                                "\", which references to it go to");
}

void ResourceIndex::AddResource(JsonIndex node, std::string uri, JsonIndex name) {
  const auto [it, is_new] = nodes_.try_emplace(uri, node);
  if (!is_new && it->second != node && name != kNoJson) {
    notes_.emplace_back(name, "the URI \"" + uri + "\" is already that of \"" +
                                  document_->Pointer(it->second) +
                                  "\", which references to it go to");
  }
  uris_[node] = std::move(uri);
}

Result<JsonIndex> ResourceIndex::Load(const std::string& uri) {
  if (auto it = nodes_.find(uri); it != nodes_.end()) return it->second;
  std::optional<std::string> text = FindMetaschema(uri);
  if (!text && options_->documents) text = options_->documents(uri);
  if (!text) return kNoJson;
  if (loaded_ >= kMaxDocuments) {
    return Status(StatusCode::kResourceLimit, "the schema refers to more than " +
                                                  std::to_string(kMaxDocuments) +
                                                  " other documents, which is the limit");
  }
  const size_t first_mark = document_->marks().size();
  Result<JsonIndex> root = document_->Append(uri, std::move(*text));
  if (!root.ok()) return root;
  ++loaded_;
  Index(*root, uri, first_mark);
  return root;
}

ResourceIndex::Anchor ResourceIndex::FindAnchor(JsonIndex resource, std::string_view name) const {
  auto it = anchors_.find(std::make_pair(resource, std::string(name)));
  return it == anchors_.end() ? Anchor() : it->second;
}

const std::vector<ResourceIndex::DynamicAnchor>* ResourceIndex::DynamicAnchorsOf(
    JsonIndex node) const {
  if (dynamic_anchors_.empty()) return nullptr;
  auto it = dynamic_anchors_.find(node);
  return it == dynamic_anchors_.end() ? nullptr : &it->second;
}

Result<std::optional<Dialect>> ResourceIndex::FindDialect(std::string_view uri) {
  if (std::optional<Draft> draft = FindDraft(uri)) return std::optional(Dialect{*draft});
  if (uri.find("//json-schema.org/draft-0") != std::string_view::npos) {
    return Status(StatusCode::kUnsupported,
                  "the draft of \"" + std::string(uri) +
                      "\" is not supported; the drafts are 04, 06, 07, 2019-09 and 2020-12");
  }
  std::optional<Dialect> none;
  if (dialect_depth_ >= kMaxDialectDepth) return none;
  ++dialect_depth_;
  Result<JsonIndex> metaschema = Load(std::string(WithoutEmptyFragment(uri)));
  if (!metaschema.ok() || *metaschema == kNoJson || !document_->IsObject(*metaschema)) {
    --dialect_depth_;
    if (!metaschema.ok()) return metaschema.status();
    return none;
  }
  Dialect dialect;
  if (JsonIndex value = FindText(*metaschema, "$schema"); value != kNoJson) {
    Result<std::optional<Dialect>> outer = FindDialect(document_->text(value));
    if (outer.ok() && *outer) dialect.draft = (*outer)->draft;
  }
  --dialect_depth_;
  const JsonIndex vocabularies = document_->Find(*metaschema, "$vocabulary");
  if (vocabularies == kNoJson || !document_->IsObject(vocabularies)) return std::optional(dialect);
  dialect.vocabularies = kCoreVocabulary;
  for (JsonIndex entry = document_->first(vocabularies); entry != kNoJson;
       entry = document_->next(entry)) {
    const uint8_t bits = FindVocabulary(document_->key(entry));
    if (bits == 0 && document_->kind(entry) == JsonKind::kTrue) {
      return Status(StatusCode::kUnsupported,
                    "the metaschema \"" + std::string(uri) + "\" requires the vocabulary \"" +
                        std::string(document_->key(entry)) + "\", which is not known");
    }
    dialect.vocabularies |= bits;
  }
  return std::optional(dialect);
}

}  // namespace maskloom
