#include "grammar/schema/scopes.h"

namespace maskloom {

ScopeId ScopeTable::Enter(ScopeId scope, const std::vector<ResourceIndex::DynamicAnchor>& anchors) {
  if (IsExhausted()) return scope;
  Bindings bindings = scopes_[scope];
  bool added = false;
  for (const ResourceIndex::DynamicAnchor& anchor : anchors) {
    added |= bindings.emplace(anchor.name, anchor.node).second;
  }
  if (!added) return scope;
  auto [it, is_new] = ids_.try_emplace(bindings, static_cast<ScopeId>(scopes_.size()));
  if (is_new) {
    bindings_ += bindings.size();
    scopes_.push_back(std::move(bindings));
  }
  return it->second;
}

JsonIndex ScopeTable::Find(ScopeId scope, std::string_view name) const {
  auto it = scopes_[scope].find(name);
  return it == scopes_[scope].end() ? kNoJson : it->second;
}

}  // namespace maskloom
