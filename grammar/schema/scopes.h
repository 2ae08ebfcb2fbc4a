// Dynamic scopes: which schema each dynamic anchor means after a way through resources.
//
// `$dynamicRef` goes to the outermost resource on the way that has the anchor, so of all that was
// passed only the first binding of each name matters. A scope is these bindings, and equal bindings
// are one scope: there are finitely many, however long the ways, and recursion closes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/base/budget.h"
#include "grammar/schema/resources.h"
#include "grammar/schema/schema_table.h"

namespace maskloom {

class ScopeTable {
 public:
  // Most bindings of all scopes together.
  static constexpr size_t kMaxBindings = 200'000;

  // Returns `scope` with those of `anchors` added whose names are not bound in it. Beyond the
  // budget it returns `scope` itself, and IsExhausted() says so from then on.
  ScopeId Enter(ScopeId scope, const std::vector<ResourceIndex::DynamicAnchor>& anchors);
  // Returns what `name` is bound to, or kNoJson.
  JsonIndex Find(ScopeId scope, std::string_view name) const;
  bool IsExhausted() const { return bindings_ > Budget(kMaxBindings); }

 private:
  using Bindings = std::map<std::string, JsonIndex, std::less<>>;

  std::vector<Bindings> scopes_{Bindings()};  // by id; 0 has none
  std::map<Bindings, ScopeId> ids_;
  size_t bindings_ = 0;  // of all scopes
};

}  // namespace maskloom
