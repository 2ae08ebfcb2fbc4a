// References, scopes and the walk over the table of keywords.
#include "tests/judge/plain_validator.h"

#include "tests/judge/code_points.h"
#include "tests/judge/plain_keywords.h"

namespace maskloom::judge {
namespace {

using Kind = JsonTree::Kind;

bool KeysAreUnique(const JsonTree& value) {
  std::set<std::u32string_view> names;
  for (const auto& [name, member] : value.members) {
    if (!names.insert(name).second || !KeysAreUnique(member)) return false;
  }
  for (const JsonTree& item : value.items) {
    if (!KeysAreUnique(item)) return false;
  }
  return true;
}

}  // namespace

void PlainValidator::Outcome::Join(const Outcome& other) {
  valid = valid && other.valid;
  members.insert(other.members.begin(), other.members.end());
  items.insert(other.items.begin(), other.items.end());
}

Result<std::unique_ptr<PlainValidator>> PlainValidator::Create(std::string_view schema,
                                                               const PlainOptions& options) {
  std::unique_ptr<PlainValidator> made(new PlainValidator(options));
  Result<const JsonTree*> root = made->resources_.AddRoot(schema);
  if (!root.ok()) return root.status();
  made->root_ = *root;
  return made;
}

Verdict PlainValidator::Validate(const JsonTree& value) {
  scope_.clear();
  open_.clear();
  unknown_ = false;
  reason_.clear();
  if (!KeysAreUnique(value)) return Verdict::kInvalid;
  bool valid = Evaluate(root_, value).valid;
  if (unknown_) return Verdict::kUnknown;
  return valid ? Verdict::kValid : Verdict::kInvalid;
}

void PlainValidator::Unknown(const std::string& reason) {
  if (!unknown_) reason_ = reason;
  unknown_ = true;
}

bool PlainValidator::Found(const std::u32string& pattern, const std::u32string& text) {
  auto [it, fresh] = patterns_.try_emplace(pattern);
  if (fresh) {
    auto parsed = TextPattern::Parse(pattern);
    if (parsed.ok()) it->second = std::move(*parsed);
  }
  if (it->second == nullptr) {
    Unknown("the pattern " + ToUtf8(pattern));
    return false;
  }
  return it->second->FoundIn(text);
}

PlainValidator::Outcome PlainValidator::Evaluate(const JsonTree* schema, const JsonTree& value) {
  if (schema->kind == Kind::kTrue) return {};
  if (schema->kind != Kind::kObject) return {false, {}, {}};
  const SchemaResource* resource = resources_.ResourceOf(schema);
  if (resource == nullptr) {
    Unknown("a schema in an unknown place");
    return {};
  }
  if (!open_.insert({schema, &value}).second) {
    Unknown("a reference that leads back to itself");
    return {};
  }
  bool enters = scope_.empty() || scope_.back() != resource;
  if (enters) scope_.push_back(resource);
  Outcome outcome = EvaluateOpened(schema, value);
  if (enters) scope_.pop_back();
  open_.erase({schema, &value});
  if (!outcome.valid) return {false, {}, {}};
  return outcome;
}

PlainValidator::Outcome PlainValidator::EvaluateOpened(const JsonTree* schema,
                                                       const JsonTree& value) {
  const SchemaResource& resource = *scope_.back();
  const JsonTree* reference = schema->Find(U"$ref");
  if (reference != nullptr && resource.draft <= Draft::k7) {
    return EvaluateReference(*reference, schema, value);
  }
  Outcome outcome;
  if (options_.nullable && value.kind == Kind::kNull) {
    const JsonTree* nullable = schema->Find(U"nullable");
    if (nullable != nullptr && nullable->kind == Kind::kTrue) return outcome;
  }
  for (const Keyword& keyword : Keywords::All()) {
    if (resource.draft < keyword.first || resource.draft > keyword.last) continue;
    if (keyword.validation && !resource.validates) continue;
    const JsonTree* asserted = schema->Find(keyword.name);
    if (asserted == nullptr) continue;
    outcome.Join(keyword.evaluate(this, Site{*schema, *asserted, resource}, value, outcome));
  }
  return outcome;
}

PlainValidator::Outcome PlainValidator::EvaluateReference(const JsonTree& reference,
                                                          const JsonTree* schema,
                                                          const JsonTree& value) {
  const SchemaResource* resource = resources_.ResourceOf(schema);
  const JsonTree* target = resources_.Resolve(*resource, ToUtf8(reference.text));
  if (target == nullptr) {
    Unknown("the reference " + ToUtf8(reference.text));
    return {};
  }
  return Evaluate(target, value);
}

}  // namespace maskloom::judge
