#include "tests/grammar/schema/semantics/semantic_check.h"

#include <utility>

#include "tests/grammar/schema/ir_checker.h"
#include "tests/judge/code_points.h"

namespace maskloom {

NormalisedSchema::NormalisedSchema(const std::string& schema, bool assert_formats,
                                   const std::map<std::string, std::string>& remotes) {
  SchemaOptions options;
  options.style.max_digits = kUnbounded;
  if (!assert_formats) options.formats = SchemaOptions::Formats::kAnnotate;
  options.documents = [&remotes](const std::string& uri) -> std::optional<std::string> {
    auto it = remotes.find(uri);
    return it == remotes.end() ? std::nullopt : std::optional(it->second);
  };
  Result<Grammar> grammar = ParseJsonSchema(schema, options);
  if (grammar.ok()) {
    grammar_ = std::move(*grammar);
  } else {
    status_ = grammar.status();
    unsatisfiable_ = status_.code() == StatusCode::kUnsatisfiable;
  }
}

bool NormalisedSchema::Accepts(const std::string& instance) const {
  return grammar_.has_value() && SatisfiesIr(*grammar_, instance);
}

judge::JsonTree WithDraft(judge::JsonTree schema, const std::string& uri) {
  if (schema.kind != judge::JsonTree::Kind::kObject || schema.Find(U"$schema") != nullptr) {
    return schema;
  }
  judge::JsonTree name;
  name.kind = judge::JsonTree::Kind::kString;
  name.text = *judge::DecodeUtf8(uri);
  schema.members.insert(schema.members.begin(), {U"$schema", std::move(name)});
  return schema;
}

}  // namespace maskloom
