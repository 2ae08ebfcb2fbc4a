// Walks the members of a schema object and applies their table rows.
#include "grammar/schema/schema_reader.h"

#include <algorithm>
#include <utility>

namespace maskloom {

Draft DetectDraft(const SchemaDocument& document) {
  if (!document.IsObject(0)) return Draft::kDraft2020;
  JsonIndex value = document.Find(0, "$schema");
  if (value == kNoJson || !document.IsString(value)) return Draft::kDraft2020;
  std::string_view uri = document.text(value);
  constexpr std::pair<std::string_view, Draft> kMarks[] = {
      {"/draft-04/", Draft::kDraft4},
      {"/draft-06/", Draft::kDraft6},
      {"/draft-07/", Draft::kDraft7},
      {"/draft/2019-09/", Draft::kDraft2019},
  };
  for (auto [mark, draft] : kMarks) {
    if (uri.find(mark) != std::string_view::npos) return draft;
  }
  return Draft::kDraft2020;
}

SchemaReader::SchemaReader(const SchemaDocument* document, PatternTable* patterns)
    : document_(document),
      patterns_(patterns),
      draft_(DetectDraft(*document)),
      references_(document, draft_),
      index_of_(document->size(), 0) {}

Result<const SchemaFacts*> SchemaReader::Read(JsonIndex schema) {
  if (index_of_[schema] != 0) return &facts_[index_of_[schema] - 1];
  const SchemaDocument& document = *document_;
  SchemaFacts facts;
  JsonIndex reference = document.Find(schema, "$ref");
  if (reference != kNoJson && draft_ <= Draft::kDraft7) {
    if (Status status = ReadKeyword(schema, reference, &facts); !status.ok()) return status;
    for (JsonIndex value = document.first(schema); value != kNoJson; value = document.next(value)) {
      if (value == reference) continue;
      Note(value, KeywordReport::Outcome::kAnnotation,
           std::string("ignored beside $ref in ") + DraftName(draft_));
    }
  } else {
    // `type` comes first: other keywords look at the types that are left.
    JsonIndex type = document.Find(schema, "type");
    if (type != kNoJson) {
      if (Status status = ReadKeyword(schema, type, &facts); !status.ok()) return status;
    }
    for (JsonIndex value = document.first(schema); value != kNoJson; value = document.next(value)) {
      if (document.key(value) == "type") continue;
      if (Status status = ReadKeyword(schema, value, &facts); !status.ok()) return status;
    }
  }
  facts_.push_back(std::move(facts));
  index_of_[schema] = static_cast<uint32_t>(facts_.size());
  return &facts_.back();
}

Status SchemaReader::ReadKeyword(JsonIndex schema, JsonIndex value, SchemaFacts* facts) {
  const KeywordRow* row = FindKeyword(document_->key(value));
  constexpr auto kAnnotation = KeywordReport::Outcome::kAnnotation;
  if (row == nullptr) {
    Note(value, kAnnotation, "not a keyword of any draft");
    return Status::Ok();
  }
  bool defined = row->first_draft <= draft_ && draft_ <= row->last_draft;
  if (row->handler == nullptr || (!defined && !row->refused)) {
    Note(value, kAnnotation, defined ? "" : std::string("not a keyword of ") + DraftName(draft_));
    return Status::Ok();
  }
  if (row->refused && (row->types & facts->types) == 0) {
    Note(value, kAnnotation, "constrains only values that `type` excludes");
    return Status::Ok();
  }
  KeywordContext context{this, *document_, schema, value, facts};
  if (row->types == 0) context.outcome = kAnnotation;
  Status status = row->handler(&context);
  if (status.ok()) Note(value, context.outcome, std::move(context.note));
  return status;
}

void SchemaReader::Report(SchemaReport* report) const {
  report->draft = DraftName(draft_);
  std::vector<const Occurrence*> sorted;
  for (const Occurrence& occurrence : occurrences_) sorted.push_back(&occurrence);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Occurrence* a, const Occurrence* b) {
    return a->keyword < b->keyword;
  });
  for (const Occurrence* occurrence : sorted) {
    report->keywords.push_back(
        {document_->Pointer(occurrence->keyword), occurrence->outcome, occurrence->note});
  }
}

}  // namespace maskloom
