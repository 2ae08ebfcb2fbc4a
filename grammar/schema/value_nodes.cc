// Conjunctions of schemas to value nodes, and the work list.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/schema/node_builder.h"

namespace maskloom {

NodeBuilder::NodeBuilder(const SchemaDocument* document, SchemaReader* reader, FormulaPool* pool,
                         Normalizer* normalizer, Grammar* grammar)
    : document_(document),
      reader_(reader),
      pool_(pool),
      normalizer_(normalizer),
      grammar_(grammar) {}

Result<ValueId> NodeBuilder::Build(SchemaId root) {
  // An exhausted pool calls everything empty, so nothing that it says then may be believed.
  const auto exhausted = [this](JsonIndex origin) {
    return document_->ErrorAt(origin, StatusCode::kResourceLimit,
                              "the parts of this schema combine in too many ways");
  };
  Result<ValueId> value = ValueOf({normalizer_->AsValue(root)});
  if (pool_->exhausted()) return exhausted(reader_->schemas()->node(root));
  while (value.ok() && !(pending_arrays_.empty() && pending_objects_.empty())) {
    Status status;
    std::vector<PendingNode>& list = pending_objects_.empty() ? pending_arrays_ : pending_objects_;
    const bool objects = !pending_objects_.empty();
    const PendingNode next = std::move(list.back());
    list.pop_back();
    status = objects ? BuildObject(next) : BuildArray(next);
    if (pool_->exhausted()) return exhausted(next.origin);
    if (!status.ok()) return status;
  }
  AttachDivided();
  if (pool_->exhausted()) return exhausted(reader_->schemas()->node(root));
  // Of several alternatives for an object, only some may have a key.
  for (Normalizer::Note& note : vanished_) {
    const bool lives = note.place < living_.size() && living_[note.place];
    if (!lives) normalizer_->AddNote(note.place, std::move(note.text));
  }
  return value;
}

Result<NormalForm> NodeBuilder::FormOf(const SchemaSet& ids) {
  if (ids.size() == 1) return normalizer_->Evaluate(ids[0]);
  if (auto it = form_of_set_.find(ids); it != form_of_set_.end()) return it->second;
  Result<NormalForm> form = normalizer_->EvaluateAll(ids);
  if (!form.ok()) return form;
  if (form_of_set_.size() >= Budget(kMaxConjunctions)) {
    return document_->ErrorAt(reader_->schemas()->node(ids[0]), StatusCode::kResourceLimit,
                              "this schema joins its parts in more than " +
                                  std::to_string(kMaxConjunctions) +
                                  " different ways, which is the limit");
  }
  form_of_set_.emplace(ids, *form);
  return form;
}

Result<bool> NodeBuilder::AreDisjoint(const SchemaSet& a, const SchemaSet& b, bool finite) {
  if (a.empty() || b.empty()) return false;
  Result<NormalForm> x = FormOf(a);
  if (!x.ok()) return x.status();
  Result<NormalForm> y = FormOf(b);
  if (!y.ok()) return y.status();
  return AreFormsDisjoint(*x, *y, finite);
}

bool NodeBuilder::AreFormsDisjoint(const NormalForm& x, const NormalForm& y, bool finite) {
  if ((x.allows_null && y.allows_null) || (x.allows_true && y.allows_true) ||
      (x.allows_false && y.allows_false)) {
    return false;
  }
  const auto meet = [&](FormulaId f, FormulaId g) {
    if (f == kFalseFormula || g == kFalseFormula) return false;
    const auto is_set = [&](FormulaId h) {
      return pool_->IsLiteral(h) && pool_->positive(h) &&
             (pool_->kind(h) == LiteralKind::kTextIn || pool_->kind(h) == LiteralKind::kNumberIn);
    };
    if (is_set(f) && is_set(g)) {
      const auto share = [](const auto& s, const auto& t) {
        return std::any_of(s.begin(), s.end(), [&](const auto& value) {
          return std::binary_search(t.begin(), t.end(), value);
        });
      };
      const uint32_t i = pool_->index(f);
      const uint32_t j = pool_->index(g);
      return pool_->kind(f) == LiteralKind::kTextIn
                 ? share(pool_->text_sets[i], pool_->text_sets[j])
                 : share(pool_->decimal_sets[i], pool_->decimal_sets[j]);
    }
    if (finite) return true;
    return pool_->And({f, g}) != kFalseFormula;
  };
  return !meet(x.strings, y.strings) && !meet(x.numbers, y.numbers) && !meet(x.arrays, y.arrays) &&
         !meet(x.objects, y.objects);
}

Result<ValueId> NodeBuilder::ValueOf(SchemaSet ids) {
  std::erase_if(ids, [this](SchemaId id) { return normalizer_->IsTriviallyTrue(id); });
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const bool single = ids.size() == 1;
  if (single) {
    if (value_of_schema_[ids[0]] != 0) return value_of_schema_[ids[0]] - 2;
  } else if (auto it = value_of_set_.find(ids); it != value_of_set_.end()) {
    return it->second;
  }
  Result<NormalForm> form = FormOf(ids);
  if (!form.ok()) return form.status();
  Result<ValueId> value = AddValue(*form, ids.empty() ? 0 : reader_->schemas()->node(ids[0]));
  if (!value.ok()) return value;
  if (single) {
    value_of_schema_[ids[0]] = *value + 2;
  } else {
    value_of_set_.emplace(std::move(ids), *value);
  }
  return value;
}

// Names the keywords that leave no text or number of what the algebra took to have some.
void NodeBuilder::NameEmptyScalars(const NormalForm& form, JsonIndex origin) {
  std::vector<JsonIndex> found;
  const auto look_for = [&](std::initializer_list<const char*> keywords) {
    if (!document_->IsObject(origin)) return;
    for (const char* keyword : keywords) {
      const JsonIndex value = document_->Find(origin, keyword);
      if (value != kNoJson) found.push_back(value);
    }
  };
  if (form.strings != kFalseFormula) {
    look_for({"pattern", "format", "contentEncoding", "minLength", "maxLength"});
  } else if (form.numbers != kFalseFormula) {
    look_for(
        {"multipleOf", "format", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"});
  }
  if (found.size() < 2) normalizer_->AddConflict(origin, origin);
  for (size_t i = 1; i < found.size(); ++i) normalizer_->AddConflict(found[0], found[i]);
}

Result<ValueId> NodeBuilder::AddValue(const NormalForm& form, JsonIndex origin) {
  if (form.IsEmpty()) return kNeverValue;
  std::string key(reinterpret_cast<const char*>(&form.strings), 4 * sizeof(FormulaId));
  key.push_back(static_cast<char>(form.allows_null * 4 + form.allows_true * 2 + form.allows_false));
  auto [it, added] = value_of_form_.try_emplace(std::move(key), kNeverValue);
  if (!added) return it->second;
  ValueNode value;
  value.allows_null = form.allows_null;
  value.allows_true = form.allows_true;
  value.allows_false = form.allows_false;
  const auto take = [&](Result<std::vector<NodeId>> nodes, std::vector<NodeId>* list) {
    if (!nodes.ok()) {
      const Status& status = nodes.status();
      return status.pointer() ? status : At(origin, status);
    }
    *list = std::move(*nodes);
    return Status::Ok();
  };
  Status status = take(StringNodesOf(form.strings), &value.strings);
  if (status.ok()) status = take(NumberNodesOf(form.numbers), &value.numbers);
  if (status.ok()) status = take(ContainerNodesOf(form.arrays, false, origin), &value.arrays);
  if (status.ok()) status = take(ContainerNodesOf(form.objects, true, origin), &value.objects);
  if (!status.ok()) return status;
  const bool empty = !value.allows_null && !value.allows_true && !value.allows_false &&
                     value.strings.empty() && value.numbers.empty() && value.arrays.empty() &&
                     value.objects.empty();
  if (empty) {
    NameEmptyScalars(form, origin);
    return kNeverValue;
  }
  value.origin = document_->Pointer(origin);
  grammar_->values.push_back(std::move(value));
  it->second = static_cast<ValueId>(grammar_->values.size() - 1);
  return it->second;
}

GroupGuide NodeBuilder::ObjectGuide() {
  return {[this](const Group& group) { return MayHold(group); },
          [this](FormulaId formula, size_t max_cases) {
            return CasesByKey(formula, kMinUnionsForCases, max_cases);
          }};
}

GroupGuide NodeBuilder::ArrayGuide() {
  return {[](const Group&) { return true; }, nullptr};
}

Result<std::vector<NodeId>> NodeBuilder::ContainerNodesOf(FormulaId formula, bool objects,
                                                          JsonIndex origin) {
  auto& known = objects ? object_nodes_ : array_nodes_;
  if (auto it = known.find(formula); it != known.end()) return it->second;
  std::vector<NodeId> nodes;
  for (Group& group : SplitByRules(pool_, formula, objects ? ObjectGuide() : ArrayGuide())) {
    if (objects) {
      nodes.push_back(static_cast<NodeId>(grammar_->objects.size()));
      grammar_->objects.emplace_back();
      pending_objects_.push_back({std::move(group), nodes.back(), origin});
    } else {
      nodes.push_back(static_cast<NodeId>(grammar_->arrays.size()));
      grammar_->arrays.emplace_back();
      pending_arrays_.push_back({std::move(group), nodes.back(), origin});
    }
  }
  known.emplace(formula, nodes);
  return nodes;
}

}  // namespace maskloom
