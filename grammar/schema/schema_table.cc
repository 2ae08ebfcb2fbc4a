#include "grammar/schema/schema_table.h"

#include <algorithm>

namespace maskloom {

SchemaId SchemaTable::Intern(Made made) {
  auto [it, added] = ids_.try_emplace(std::move(made), kMadeBit | made_.size());
  if (added) made_.push_back(&it->first);
  return it->second;
}

SchemaId SchemaTable::At(JsonIndex node, ScopeId scope) {
  if (scope == 0) return node * 2;
  return Intern({SchemaKind::kNode, node, scope, {}});
}

SchemaId SchemaTable::Not(SchemaId part) {
  if (kind(part) == SchemaKind::kNot) return parts(part)[0];
  return Intern({SchemaKind::kNot, node(part), scope(part), {part}});
}

SchemaId SchemaTable::AnyOf(std::vector<SchemaId> parts) {
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.size() == 1) return parts[0];
  const JsonIndex first = node(parts[0]);
  return Intern({SchemaKind::kAnyOf, first, scope(parts[0]), std::move(parts)});
}

SchemaId SchemaTable::Tracked(SchemaId part) {
  return Intern({SchemaKind::kTracked, node(part), scope(part), {part}});
}

SchemaId SchemaTable::Closed(SchemaId part) {
  return Intern({SchemaKind::kClosed, node(part), scope(part), {part}});
}

SchemaId SchemaTable::Never(SchemaId part) {
  return Intern({SchemaKind::kAnyOf, node(part), scope(part), {}});
}

SchemaKind SchemaTable::kind(SchemaId id) const {
  if ((id & kMadeBit) != 0) return made_[id & ~kMadeBit]->kind;
  return (id & 1) != 0 ? SchemaKind::kConstant : SchemaKind::kNode;
}

JsonIndex SchemaTable::node(SchemaId id) const {
  return (id & kMadeBit) != 0 ? made_[id & ~kMadeBit]->node : id / 2;
}

ScopeId SchemaTable::scope(SchemaId id) const {
  return (id & kMadeBit) != 0 ? made_[id & ~kMadeBit]->scope : 0;
}

std::span<const SchemaId> SchemaTable::parts(SchemaId id) const {
  if ((id & kMadeBit) == 0) return {};
  return made_[id & ~kMadeBit]->parts;
}

}  // namespace maskloom
