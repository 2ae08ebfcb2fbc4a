// URIs to resources, fragments to anchors or JSON pointers, pointers to nodes.
#include "grammar/schema/references.h"

#include <algorithm>
#include <optional>

#include "grammar/schema/uri.h"

namespace maskloom {
namespace {

// Undoes ~0 and ~1. Returns nothing where a ~ is followed by something else.
std::optional<std::string> DecodePointerToken(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out.push_back(token[i]);
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    out.push_back(token[i] == '0' ? '~' : '/');
  }
  return out;
}

bool IsArrayIndex(std::string_view token) {
  return !token.empty() && token.size() < 10 &&
         token.find_first_not_of("0123456789") == std::string_view::npos &&
         (token.size() == 1 || token[0] != '0');
}

}  // namespace

JsonIndex ReferenceResolver::FindMember(JsonIndex object, std::string_view name) {
  if (document_->count(object) <= kLargeCount) return document_->Find(object, name);
  auto [it, is_new] = members_.try_emplace(object);
  if (is_new) {
    it->second.reserve(document_->count(object));
    for (JsonIndex member = document_->first(object); member != kNoJson;
         member = document_->next(member)) {
      it->second[document_->key(member)] = member;
    }
  }
  auto found = it->second.find(name);
  return found == it->second.end() ? kNoJson : found->second;
}

JsonIndex ReferenceResolver::FindItem(JsonIndex array, size_t position) {
  if (position >= document_->count(array)) return kNoJson;
  if (document_->count(array) <= kLargeCount) {
    JsonIndex item = document_->first(array);
    for (; position > 0; --position) item = document_->next(item);
    return item;
  }
  std::vector<JsonIndex>& items = items_[array];
  if (items.empty()) {
    for (JsonIndex item = document_->first(array); item != kNoJson; item = document_->next(item)) {
      items.push_back(item);
    }
  }
  return items[position];
}

JsonIndex ReferenceResolver::Follow(JsonIndex node, std::string_view pointer) {
  while (!pointer.empty() && node != kNoJson) {
    pointer.remove_prefix(1);  // the slash
    const size_t end = std::min(pointer.find('/'), pointer.size());
    const std::optional<std::string> token = DecodePointerToken(pointer.substr(0, end));
    pointer.remove_prefix(end);
    if (!token) return kNoJson;
    if (document_->IsObject(node)) {
      node = FindMember(node, *token);
    } else if (document_->IsArray(node) && IsArrayIndex(*token)) {
      node = FindItem(node, std::stoul(*token));
    } else {
      return kNoJson;
    }
  }
  return node;
}

Result<ReferenceResolver::Target> ReferenceResolver::Resolve(JsonIndex value) {
  const std::string_view reference = document_->text(value);
  auto fail = [&](const std::string& why) {
    return document_->ErrorAt(value, StatusCode::kInvalidDefinition,
                              "the reference \"" + std::string(reference) + "\" " + why);
  };
  const SplitUri parts = SplitFragment(reference);
  JsonIndex resource = resources_->ResourceOf(document_->parent(value));
  if (!parts.uri.empty()) {
    const std::string uri = ResolveUri(resources_->UriOf(resource), parts.uri);
    Result<JsonIndex> loaded = resources_->Load(uri);
    if (!loaded.ok()) return loaded.status();
    if (*loaded == kNoJson) {
      return fail("leads to the document \"" + uri +
                  "\", which is not part of the schema; supply it beside the schema: nothing is "
                  "fetched from the network");
    }
    resource = *loaded;
  }
  Target target{resource, {}};
  if (parts.fragment && !parts.fragment->empty()) {
    const std::optional<std::string> fragment = PercentDecode(*parts.fragment);
    if (!fragment) return fail("has a malformed %-escape");
    if ((*fragment)[0] == '/') {
      target.node = Follow(resource, *fragment);
      if (target.node == kNoJson) return fail("leads to nothing");
    } else {
      const ResourceIndex::Anchor anchor = resources_->FindAnchor(resource, *fragment);
      if (anchor.node == kNoJson) return fail("names an anchor that is not there");
      target.node = anchor.node;
      if (anchor.dynamic) target.dynamic_anchor = *parts.fragment;
    }
  }
  if (!document_->IsSchema(target.node)) {
    return fail(std::string("leads to ") + JsonKindPhrase(document_->kind(target.node)) +
                ", which is no schema");
  }
  return target;
}

}  // namespace maskloom
