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

}  // namespace

ResourceIndex::ResourceIndex(SchemaDocument* document, const SchemaOptions* options)
    : document_(document), options_(options) {
  Index(0, std::string(SplitFragment(options->base_uri).uri), 0);
}

JsonIndex ResourceIndex::FindText(JsonIndex schema, std::string_view name) const {
  const JsonIndex value = document_->Find(schema, name);
  return value != kNoJson && document_->IsString(value) ? value : kNoJson;
}

bool ResourceIndex::IsSchemaPlace(JsonIndex node) const {
  const SchemaDocument& document = *document_;
  std::vector<JsonIndex> path;
  for (; document.parent(node) != kNoJson; node = document.parent(node)) path.push_back(node);
  bool in_schema = true;  // else in a list or a map of schemas
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    if (!in_schema) {
      in_schema = true;
      continue;
    }
    const KeywordRow* row =
        document.IsObject(document.parent(*step)) ? FindKeyword(document.key(*step)) : nullptr;
    if (row == nullptr) return false;
    if (document.IsArray(*step)) {
      if ((row->children & kChildList) == 0) return false;
      in_schema = false;
    } else if ((row->children & kChildMap) != 0) {
      in_schema = false;
    } else if ((row->children & kChild) == 0) {
      return false;
    }
  }
  return in_schema;
}

void ResourceIndex::Index(JsonIndex root, const std::string& uri, size_t first_mark) {
  AddResource(root, uri);
  std::vector<JsonIndex> schemas{root};
  for (size_t i = first_mark; i < document_->marks().size(); ++i) {
    const JsonIndex mark = document_->marks()[i];
    if (!document_->IsString(mark) && document_->kind(mark) != JsonKind::kTrue) continue;
    const JsonIndex schema = document_->parent(mark);
    if (schema != schemas.back() && schema != root && IsSchemaPlace(schema)) {
      schemas.push_back(schema);
    }
  }
  // A member of an outer schema may stand behind inner ones.
  std::sort(schemas.begin(), schemas.end());
  schemas.erase(std::unique(schemas.begin(), schemas.end()), schemas.end());
  for (JsonIndex schema : schemas) IndexSchema(schema, root);
}

void ResourceIndex::IndexSchema(JsonIndex schema, JsonIndex root) {
  const bool is_object = document_->IsObject(schema);
  const Dialect outer = schema == root ? main_dialect_ : DialectOf(schema);
  Dialect dialect = outer;
  if (schema == root) dialects_[root] = dialect;
  if (!is_object) return;
  if (JsonIndex value = FindText(schema, "$schema"); value != kNoJson) {
    Result<std::optional<Dialect>> found = FindDialect(document_->text(value));
    if (!found.ok()) {
      if (status_.ok()) {
        status_ = document_->ErrorAt(value, found.status().code(), found.status().message());
      }
    } else if (*found) {
      dialect = **found;
    }
  }
  if (schema == root || !(dialect == outer)) {
    has_embedded_ |= schema != root;
    dialects_[schema] = dialect;
    if (schema == 0) main_dialect_ = dialect;
  }
  // What is beside $ref, an identifier too, is ignored.
  if (dialect.draft <= Draft::kDraft7 && document_->Find(schema, "$ref") != kNoJson) return;
  // What an embedded schema is called is said in terms of the schema around it.
  const Draft naming = schema == root ? dialect.draft : outer.draft;
  const JsonIndex id = FindText(schema, naming == Draft::kDraft4 ? "id" : "$id");
  if (id != kNoJson) AddIdentifier(schema, id, root);
  if (dialect.draft >= Draft::kDraft2019) AddAnchors(schema, dialect.draft);
}

void ResourceIndex::AddIdentifier(JsonIndex schema, JsonIndex id, JsonIndex root) {
  const SplitUri parts = SplitFragment(document_->text(id));
  if (!parts.uri.empty()) {
    const JsonIndex outer = schema == root ? root : ResourceOf(document_->parent(schema));
    AddResource(schema, ResolveUri(UriOf(outer), parts.uri));
  }
  // "#name" is how old drafts write an anchor.
  if (!parts.fragment || parts.fragment->empty() || (*parts.fragment)[0] == '/') return;
  if (std::optional<std::string> name = PercentDecode(*parts.fragment)) {
    anchors_.emplace(std::make_pair(ResourceOf(schema), std::move(*name)), Anchor{schema, false});
  }
}

void ResourceIndex::AddAnchors(JsonIndex schema, Draft draft) {
  const JsonIndex resource = ResourceOf(schema);
  if (JsonIndex name = FindText(schema, "$anchor"); name != kNoJson) {
    anchors_.emplace(std::make_pair(resource, std::string(document_->text(name))),
                     Anchor{schema, false});
  }
  if (draft == Draft::kDraft2019) {
    const JsonIndex flag = document_->Find(schema, "$recursiveAnchor");
    if (schema == resource && flag != kNoJson && document_->kind(flag) == JsonKind::kTrue) {
      dynamic_anchors_[resource].push_back({"", schema});
    }
    return;
  }
  if (JsonIndex name = FindText(schema, "$dynamicAnchor"); name != kNoJson) {
    const std::string text(document_->text(name));
    anchors_.emplace(std::make_pair(resource, text), Anchor{schema, true});
    dynamic_anchors_[resource].push_back({text, schema});
  }
}

void ResourceIndex::AddResource(JsonIndex node, std::string uri) {
  nodes_.emplace(uri, node);
  has_nested_ |= document_->parent(node) != kNoJson;
  resources_[node].uri = std::move(uri);
}

JsonIndex ResourceIndex::ResourceOf(JsonIndex node) const {
  if (!has_nested_) return document_->RootOf(node);
  while (document_->parent(node) != kNoJson && !resources_.contains(node)) {
    node = document_->parent(node);
  }
  return node;
}

Dialect ResourceIndex::DialectOf(JsonIndex node) const {
  if (!has_embedded_ && loaded_ == 0) return main_dialect_;
  if (!has_embedded_) return dialects_.at(document_->RootOf(node));
  for (;; node = document_->parent(node)) {
    if (auto it = dialects_.find(node); it != dialects_.end()) return it->second;
  }
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
