// Walks the members of a schema object and applies their table rows.
#include "grammar/schema/schema_reader.h"

#include <algorithm>
#include <utility>

#include "grammar/schema/keyword_table.h"

namespace maskloom {
namespace {

// Is there a later member of the same name?
bool IsRepeated(const SchemaDocument& document, JsonIndex member) {
  for (JsonIndex later = document.next(member); later != kNoJson; later = document.next(later)) {
    if (document.key(later) == document.key(member)) return true;
  }
  return false;
}

// What is beside `$ref` is ignored up to draft-07, but `$schema` has chosen the draft by then, and
// references go into definitions.
bool CountsBesideReference(const SchemaDocument& document, JsonIndex member) {
  const std::string_view name = document.key(member);
  return (name == "$schema" && document.IsString(member)) ||
         ((name == "definitions" || name == "$defs") && document.IsObject(member));
}

}  // namespace

const char* OutcomeName(KeywordReport::Outcome outcome) {
  switch (outcome) {
    case KeywordReport::Outcome::kEnforced:
      return "enforced";
    case KeywordReport::Outcome::kAnnotation:
      return "annotation";
    case KeywordReport::Outcome::kRelaxed:
      return "relaxed";
    case KeywordReport::Outcome::kRefused:
      return "refused";
  }
  return "unknown";
}

SchemaReader::SchemaReader(SchemaDocument* document, PatternTable* patterns,
                           const SchemaOptions* options)
    : document_(document),
      patterns_(patterns),
      options_(options),
      resources_(document, options),
      references_(document, &resources_),
      index_of_(document->size(), 0) {}

Result<const SchemaFacts*> SchemaReader::Read(JsonIndex schema) {
  if (!resources_.status().ok()) return resources_.status();
  if (scopes_.IsExhausted()) {
    return document_->ErrorAt(schema, StatusCode::kResourceLimit,
                              "the dynamic anchors of this schema are met in too many ways: more "
                              "than " +
                                  std::to_string(ScopeTable::kMaxBindings) + " bindings");
  }
  if (schema >= index_of_.size()) index_of_.resize(document_->size(), 0);
  if (index_of_[schema] != 0) return &facts_[index_of_[schema] - 1];
  const SchemaDocument& document = *document_;
  const Dialect dialect = resources_.DialectOf(schema);
  SchemaFacts facts;
  facts.draft = dialect.draft;
  const JsonIndex reference = document.Find(schema, "$ref");
  if (reference != kNoJson && dialect.draft <= Draft::kDraft7) {
    if (Status status = ReadKeyword(schema, reference, dialect, &facts); !status.ok()) {
      return status;
    }
    for (JsonIndex value = document.first(schema); value != kNoJson; value = document.next(value)) {
      if (value == reference) continue;
      if (CountsBesideReference(document, value)) {
        if (Status status = ReadKeyword(schema, value, dialect, &facts); !status.ok()) {
          return status;
        }
        continue;
      }
      Note(value, KeywordReport::Outcome::kAnnotation,
           std::string("ignored beside $ref in ") + DraftName(dialect.draft));
    }
  } else {
    // `type` comes first: other keywords look at the types that are left.
    const JsonIndex type = document.Find(schema, "type");
    if (type != kNoJson) {
      if (Status status = ReadKeyword(schema, type, dialect, &facts); !status.ok()) return status;
    }
    for (JsonIndex value = document.first(schema); value != kNoJson; value = document.next(value)) {
      if (value == type) continue;
      if (Status status = ReadKeyword(schema, value, dialect, &facts); !status.ok()) return status;
    }
  }
  facts_.push_back(std::move(facts));
  index_of_[schema] = static_cast<uint32_t>(facts_.size());
  return &facts_.back();
}

Status SchemaReader::ReadKeyword(JsonIndex schema, JsonIndex value, const Dialect& dialect,
                                 SchemaFacts* facts) {
  constexpr auto kAnnotation = KeywordReport::Outcome::kAnnotation;
  if (options_->ignored != nullptr && options_->ignored->count(document_->Pointer(value)) != 0) {
    return Status::Ok();
  }
  const KeywordRow* row = FindKeyword(document_->key(value));
  if (row == nullptr) {
    Note(value, kAnnotation, "not a keyword of any draft");
    return Status::Ok();
  }
  if (dialect.draft < row->first_draft || dialect.draft > row->last_draft) {
    Note(value, kAnnotation, std::string("not a keyword of ") + DraftName(dialect.draft));
    return Status::Ok();
  }
  if ((row->vocabulary & dialect.vocabularies) == 0) {
    Note(value, kAnnotation, "not in a vocabulary of the metaschema");
    return Status::Ok();
  }
  if (row->handler == nullptr) {
    Note(value, kAnnotation, "");
    return Status::Ok();
  }
  if (IsRepeated(*document_, value)) {
    Note(value, kAnnotation, "repeated; the last one counts");
    return Status::Ok();
  }
  KeywordContext context{patterns_, *options_, *document_, schema, value, facts};
  if (row->types == 0) context.outcome = kAnnotation;
  Status status = row->handler(&context);
  if (status.ok() && row->types != 0 && (row->types & facts->types) == 0) {
    status = context.AnnotateExcluded();
  }
  if (!status.ok()) {
    context.outcome = KeywordReport::Outcome::kRefused;
    context.note = status.message();
  }
  Note(value, context.outcome, std::move(context.note));
  return status;
}

SchemaId SchemaReader::Root() { return Enter(0, 0); }

SchemaId SchemaReader::Child(SchemaId parent, JsonIndex node) {
  return schemas_.At(node, Extended(schemas_.scope(parent), node));
}

SchemaId SchemaReader::TestChild(SchemaId parent, JsonIndex node) {
  if (!options_->closed) return Child(parent, node);
  return schemas_.At(node, Extended(schemas_.scope(parent), node) | kTestScope);
}

ScopeId SchemaReader::Extended(ScopeId scope, JsonIndex node) {
  const auto* anchors = resources_.DynamicAnchorsOf(node);
  if (anchors == nullptr) return scope;
  return scopes_.Enter(scope & ~kTestScope, *anchors) | (scope & kTestScope);
}

SchemaId SchemaReader::Enter(ScopeId scope, JsonIndex node) {
  if (resources_.HasDynamicAnchors()) {
    scope = Extended(scope, resources_.ResourceOf(node));
  }
  return schemas_.At(node, scope);
}

Result<ReferenceResolver::Target> SchemaReader::Resolve(JsonIndex value) {
  if (auto it = targets_.find(value); it != targets_.end()) return it->second;
  Result<ReferenceResolver::Target> target = references_.Resolve(value);
  if (target.ok()) {
    targets_.emplace(value, *target);
  } else {
    Note(value, KeywordReport::Outcome::kRefused, target.status().message());
  }
  return target;
}

Result<SchemaId> SchemaReader::Reference(SchemaId from) {
  Result<const SchemaFacts*> facts = Read(schemas_.node(from));
  if (!facts.ok()) return facts.status();
  Result<ReferenceResolver::Target> target = Resolve((*facts)->reference);
  if (!target.ok()) return target.status();
  return Enter(schemas_.scope(from), target->node);
}

Result<SchemaId> SchemaReader::DynamicReference(SchemaId from) {
  Result<const SchemaFacts*> facts = Read(schemas_.node(from));
  if (!facts.ok()) return facts.status();
  Result<ReferenceResolver::Target> target = Resolve((*facts)->dynamic_reference);
  if (!target.ok()) return target.status();
  const ScopeId scope = schemas_.scope(from);
  JsonIndex node = target->node;
  const bool is_recursive = (*facts)->draft == Draft::kDraft2019;
  const bool is_dynamic =
      is_recursive ? resources_.DynamicAnchorsOf(node) != nullptr : !target->dynamic_anchor.empty();
  if (is_dynamic) {
    const JsonIndex bound = scopes_.Find(scope & ~kTestScope, target->dynamic_anchor);
    if (bound != kNoJson) node = bound;
  }
  return Enter(scope, node);
}

std::vector<JsonIndex> SchemaReader::Keywords() const {
  std::vector<JsonIndex> keywords;
  for (const Occurrence& occurrence : occurrences_) keywords.push_back(occurrence.keyword);
  std::sort(keywords.begin(), keywords.end());
  return keywords;
}

void SchemaReader::Report(SchemaReport* report) const {
  report->draft = DraftName(draft());
  std::vector<const Occurrence*> sorted;
  for (const Occurrence& occurrence : occurrences_) sorted.push_back(&occurrence);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Occurrence* a, const Occurrence* b) {
    return a->keyword < b->keyword;
  });
  const Occurrence* previous = nullptr;
  PointerPath path(document_);
  report->keywords.reserve(report->keywords.size() + sorted.size());
  for (const Occurrence* occurrence : sorted) {
    // A reference that was read and then found to lead nowhere has two entries.
    if (previous != nullptr && previous->keyword == occurrence->keyword) {
      report->keywords.pop_back();
    }
    report->keywords.push_back(
        {std::string(path.To(occurrence->keyword)), occurrence->outcome, occurrence->note});
    previous = occurrence;
  }
  if (options_->ignored == nullptr) return;
  for (const auto& [reference, target] : targets_) {
    report->targets.emplace(document_->Pointer(reference), document_->Pointer(target.node));
  }
}

}  // namespace maskloom
