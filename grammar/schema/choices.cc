// The choices of a slot: what can be taken of a value, and what is counted for it.
//
// Every event splits the values of a slot in two. Where both sides matter, or the complement is
// simple, the two are kept apart, so that a value has one reading. Else the side that is never
// better stands for both: a value may always be taken as what counts less.
#include <algorithm>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/schema/node_builder.h"

namespace maskloom {

EventEffect NodeBuilder::EffectOf(const RuleOutcome& outcome) {
  if (outcome.forbidden) return {EventEffect::Kind::kAlwaysOut, {}};
  if (outcome.schemas.empty()) return {EventEffect::Kind::kAlwaysIn, {}};
  return {EventEffect::Kind::kSplit, outcome.schemas};
}

NodeBuilder::SchemaSet NodeBuilder::OppositeOf(const SchemaSet& schemas) {
  SchemaSet opposites;
  for (const SchemaId schema : schemas) opposites.push_back(reader_->schemas()->Not(schema));
  return {reader_->schemas()->AnyOf(std::move(opposites))};
}

Status NodeBuilder::MakeChoices(const SchemaSet& base, const Events& events,
                                const std::vector<EventEffect>& effects, size_t next,
                                uint64_t counts, std::vector<Choice>* choices) {
  while (next < effects.size() && effects[next].kind != EventEffect::Kind::kSplit) ++next;
  if (next == effects.size()) {
    Result<ValueId> value = ValueOf(base);
    if (!value.ok()) return value.status();
    if (*value == kNeverValue) return Status::Ok();
    if (choices->size() >= Budget(kMaxChoices)) {
      return Status(StatusCode::kResourceLimit,
                    "the alternatives for one value overlap in more than " +
                        std::to_string(kMaxChoices) + " ways, which is the limit");
    }
    choices->push_back({*value, counts});
    return Status::Ok();
  }
  const Event& event = events.events[next];
  const uint64_t at_least = events.AtLeastBits();
  const bool in_is_good = (event.in_counts & at_least) != 0 || (event.out_counts & ~at_least) != 0;
  const bool out_is_good = (event.out_counts & at_least) != 0 || (event.in_counts & ~at_least) != 0;
  const auto joined = [&](const SchemaSet& more) {
    SchemaSet set = base;
    set.insert(set.end(), more.begin(), more.end());
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    return set;
  };
  SchemaSet in = joined(effects[next].schemas);
  SchemaSet out = joined(OppositeOf(effects[next].schemas));
  Result<NormalForm> whole_form = FormOf(base);
  Result<NormalForm> in_form = FormOf(in);
  Result<NormalForm> out_form = FormOf(out);
  for (const auto* form : {&whole_form, &in_form, &out_form}) {
    if (!form->ok()) return form->status();
  }
  const bool in_everything = out_form->IsEmpty();
  const bool out_everything = in_form->IsEmpty();
  if (in_everything || out_everything) {
    return MakeChoices(base, events, effects, next + 1,
                       counts | (in_everything ? event.in_counts : event.out_counts), choices);
  }
  const auto is_simple = [&](FormulaId part, FormulaId whole) {
    return part == kFalseFormula || part == whole;
  };
  if (!out_is_good && !(is_simple(out_form->arrays, whole_form->arrays) &&
                        is_simple(out_form->objects, whole_form->objects))) {
    out = base;
  }
  if (!in_is_good && !(is_simple(in_form->arrays, whole_form->arrays) &&
                       is_simple(in_form->objects, whole_form->objects))) {
    in = base;
  }
  Status status = MakeChoices(in, events, effects, next + 1, counts | event.in_counts, choices);
  if (!status.ok()) return status;
  return MakeChoices(out, events, effects, next + 1, counts | event.out_counts, choices);
}

Result<NodeBuilder::Slot> NodeBuilder::MakeSlot(const SchemaSet& base, const Events& events,
                                                const std::vector<EventEffect>& effects) {
  Slot slot;
  Result<ValueId> value = ValueOf(base);
  if (!value.ok()) return value.status();
  slot.value = *value;
  if (*value == kNeverValue || effects.empty()) return slot;
  uint64_t always = 0;
  for (size_t i = 0; i < effects.size(); ++i) {
    if (effects[i].kind == EventEffect::Kind::kAlwaysIn) always |= events.events[i].in_counts;
    if (effects[i].kind == EventEffect::Kind::kAlwaysOut) always |= events.events[i].out_counts;
  }
  SchemaSet sorted = base;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<Choice> choices;
  Status status = MakeChoices(sorted, events, effects, 0, always, &choices);
  if (!status.ok()) return status;
  // Of choices of one value those stay that no other is at least as good as.
  const uint64_t at_least = events.AtLeastBits();
  const auto is_as_good = [&](const Choice& a, const Choice& b) {
    const uint64_t more = a.counts & ~b.counts;
    const uint64_t less = b.counts & ~a.counts;
    return a.value == b.value && (more & ~at_least) == 0 && (less & at_least) == 0;
  };
  for (size_t i = 0; i < choices.size(); ++i) {
    bool kept = true;
    for (size_t j = 0; j < choices.size() && kept; ++j) {
      if (i != j && is_as_good(choices[j], choices[i])) {
        kept = choices[i].counts == choices[j].counts && i < j;
      }
    }
    if (kept) slot.choices.push_back(choices[i]);
  }
  const bool trivial = slot.choices.size() == 1 && slot.choices[0] == Choice{slot.value, 0};
  if (trivial) slot.choices.clear();
  return slot;
}

uint64_t NodeBuilder::RaisedBy(const std::vector<std::vector<Choice>>& choices) {
  uint64_t raised = 0;
  for (const std::vector<Choice>& list : choices) {
    for (const Choice& choice : list) raised |= choice.counts;
  }
  return raised;
}

}  // namespace maskloom
