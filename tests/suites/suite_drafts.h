// The folders of JSON-Schema-Test-Suite by draft, and its schemas with the draft that they mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/cli/json_reader.h"

namespace maskloom::suites {

struct DraftFolder {
  const char* name;
  const char* uri;
};

inline constexpr DraftFolder kDrafts[] = {
    {"draft4", "http://json-schema.org/draft-04/schema#"},
    {"draft6", "http://json-schema.org/draft-06/schema#"},
    {"draft7", "http://json-schema.org/draft-07/schema#"},
    {"draft2019-09", "https://json-schema.org/draft/2019-09/schema"},
    {"draft2020-12", "https://json-schema.org/draft/2020-12/schema"},
};

inline std::string_view Member(const std::vector<cli::JsonMember>& members, std::string_view name) {
  for (const cli::JsonMember& member : members) {
    if (member.key == name) return member.raw;
  }
  return "";
}

// Says which draft is meant, unless the schema does.
inline std::string WithDraft(std::string_view schema, const char* uri) {
  if (!schema.starts_with('{')) return std::string(schema);
  auto members = cli::ReadJsonObject(schema);
  if (!members.ok() || !Member(*members, "$schema").empty()) return std::string(schema);
  return R"({"$schema":")" + std::string(uri) + (members->empty() ? "\"" : "\",") +
         std::string(schema.substr(1));
}

}  // namespace maskloom::suites
