// The stages in order: text, nodes of the document, normal forms, IR nodes, passes.
#include "grammar/schema/json_schema.h"

#include <algorithm>
#include <set>
#include <utility>

#include "grammar/schema/keyword_table.h"
#include "grammar/schema/large_counts.h"
#include "grammar/schema/node_builder.h"
#include "grammar/schema/node_passes.h"
#include "grammar/schema/normalizer.h"
#include "grammar/schema/schema_document.h"
#include "grammar/schema/schema_reader.h"

namespace maskloom {
namespace {

// Names the places that were found to contradict each other.
Status Unsatisfiable(const SchemaDocument& document, const Normalizer& normalizer,
                     const std::vector<SchemaNote>& pruned) {
  std::string message = "no JSON value satisfies this schema";
  const char* separator = "; impossible: ";
  std::set<JsonIndex> named;
  for (const Normalizer::Conflict& conflict : normalizer.conflicts()) {
    if (!named.insert(conflict.first).second && conflict.first == conflict.second) continue;
    message += separator + ("\"" + document.Pointer(conflict.first) + "\"");
    if (conflict.second != conflict.first) {
      message += " together with \"" + document.Pointer(conflict.second) + "\"";
    }
    separator = ", ";
  }
  if (normalizer.conflicts().empty()) {
    constexpr size_t kMaxNamed = 4;
    separator = "; ";
    for (size_t i = 0; i < pruned.size() && i < kMaxNamed; ++i) {
      message += separator + ("\"" + pruned[i].pointer + "\": ") + pruned[i].text;
    }
  }
  JsonIndex place = normalizer.conflicts().empty() ? 0 : normalizer.conflicts()[0].first;
  return document.ErrorAt(place, StatusCode::kUnsatisfiable, std::move(message));
}

// Is the document an envelope such as {"name": .., "strict": true, "schema": {..}}, the schema
// being in it? Then nothing in it is a keyword that says anything.
bool LooksLikeEnvelope(const SchemaDocument& document) {
  if (!document.IsObject(0)) return false;
  bool has_schema = false;
  for (JsonIndex member = document.first(0); member != kNoJson; member = document.next(member)) {
    const KeywordRow* row = FindKeyword(document.key(member));
    const bool is_word = row == nullptr || (row->types == 0 && row->handler == nullptr &&
                                            !document.key(member).starts_with('$'));
    if (!is_word) return false;
    has_schema |= document.key(member) == "schema" && document.IsObject(member);
  }
  return has_schema;
}

void FillReport(const SchemaDocument& document, const SchemaReader& reader,
                const Normalizer& normalizer, std::vector<SchemaNote> pruned,
                SchemaReport* report) {
  std::vector<Normalizer::Note> notes = normalizer.notes();
  for (const auto& [place, text] : reader.notes()) notes.push_back({place, text});
  if (LooksLikeEnvelope(document)) {
    notes.push_back({0,
                     "no keyword of JSON Schema stands here, so that any value satisfies it; if "
                     "this is an envelope, the schema is what is in it at \"/schema\""});
  }
  std::stable_sort(notes.begin(), notes.end(),
                   [](const auto& a, const auto& b) { return a.place < b.place; });
  std::set<std::pair<std::string, std::string>> known;
  const auto add = [&](SchemaNote note) {
    if (known.emplace(note.pointer, note.text).second) report->notes.push_back(std::move(note));
  };
  for (Normalizer::Note& note : notes) add({document.Pointer(note.place), std::move(note.text)});
  for (SchemaNote& note : pruned) add(std::move(note));
}

// Says of the keyword that `refusal` names that it is why the schema is refused.
void MarkRefused(const Status& refusal, SchemaReport* report) {
  for (KeywordReport& keyword : report->keywords) {
    if (keyword.pointer != refusal.pointer()) continue;
    keyword.outcome = KeywordReport::Outcome::kRefused;
    keyword.note = refusal.message();
  }
}

}  // namespace

Result<Grammar> ParseJsonSchema(std::string_view text, const SchemaOptions& options,
                                SchemaReport* report) {
  Result<SchemaDocument> parsed = SchemaDocument::Parse(text);
  if (!parsed.ok()) return parsed.status();
  SchemaDocument& document = *parsed;
  if (!document.IsSchema(0)) {
    return document.ErrorAt(0, StatusCode::kInvalidDefinition,
                            std::string("a schema must be an object or a boolean, not ") +
                                JsonKindPhrase(document.kind(0)));
  }
  PatternTable patterns;
  FormulaPool pool(&patterns);
  SchemaReader reader(&document, &patterns, &options);
  Normalizer normalizer(&document, &reader, &pool);
  Grammar grammar;
  grammar.style = options.style;
  NodeBuilder builder(&document, &reader, &pool, &normalizer, &grammar);
  Result<ValueId> root = builder.Build(reader.Root());
  if (report != nullptr) reader.Report(report);
  std::vector<SchemaNote> pruned;
  if (root.ok() && *root != kNeverValue) root = PruneNodes(&grammar, *root, &pruned);
  Status unsatisfiable;
  if (root.ok() && *root == kNeverValue)
    unsatisfiable = Unsatisfiable(document, normalizer, pruned);
  if (report != nullptr) {
    FillReport(document, reader, normalizer, std::move(pruned), report);
    if (options.explain) {
      patterns.ForEachLanguage([&](const TextAutomaton* automaton, std::string name) {
        report->languages.emplace_back(automaton, std::move(name));
      });
    }
  }
  if (!root.ok()) return root.status();
  if (!unsatisfiable.ok()) return unsatisfiable;
  *root = MergeNodes(&grammar, *root);
  *root = RenumberNodes(&grammar, *root);
  if (Status status = CheckLargeCounts(grammar, document, reader); !status.ok()) {
    if (report != nullptr) MarkRefused(status, report);
    return status;
  }
  grammar.root = grammar.exprs.Value(*root);
  return grammar;
}

}  // namespace maskloom
