// The choices of a slot: what can be taken of a value, and what is counted for it.
//
// Every event splits the values of a slot in two. Where both sides matter, or the complement is
// simple, the two are kept apart, so that a value has one reading. Else the side that is never
// better stands for both: a value may always be taken as what counts less.
//
// n events are 2^n combinations, most of which no value has: of objects that are closed to some
// keys each, those of the keys of one are rarely those of many. Beside what a choice takes goes
// what it means, the values of just that combination; where there are none the choice is left out
// (possible_objects.cc). That loses nothing: every value has the choice of its own combination,
// and what else it may be taken as counts no more.
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

void NodeBuilder::Taken::Add(const SchemaSet& more) {
  schemas.insert(schemas.end(), more.begin(), more.end());
  std::sort(schemas.begin(), schemas.end());
  schemas.erase(std::unique(schemas.begin(), schemas.end()), schemas.end());
}

void NodeBuilder::Taken::Widen(const SchemaSet& wider) {
  widened |= schemas != wider;
  schemas = wider;
}

NodeBuilder::SchemaSet NodeBuilder::OppositeOf(const SchemaSet& schemas) {
  SchemaSet opposites;
  for (const SchemaId schema : schemas) opposites.push_back(reader_->schemas()->Not(schema));
  return {reader_->schemas()->AnyOf(std::move(opposites))};
}

// Adds the choices of the values that `taken` holds, from the event `next` on.
Status NodeBuilder::MakeChoices(const Taken& taken, const Events& events,
                                const std::vector<EventEffect>& effects, size_t next,
                                std::vector<Choice>* choices) {
  while (next < effects.size() && effects[next].kind != EventEffect::Kind::kSplit) ++next;
  if (next == effects.size()) {
    Result<ValueId> value = ValueOf(taken.schemas);
    if (!value.ok()) return value.status();
    if (*value == kNeverValue) return Status::Ok();
    if (choices->size() >= Budget(kMaxChoices)) {
      return Status(StatusCode::kResourceLimit,
                    "the alternatives for one value overlap in more than " +
                        std::to_string(kMaxChoices) + " ways, which is the limit");
    }
    choices->push_back({*value, taken.counts});
    return Status::Ok();
  }
  const Event& event = events.events[next];
  Taken in = taken;
  Taken out = taken;
  in.Add(effects[next].schemas);
  out.Add(OppositeOf(effects[next].schemas));
  in.counts |= event.in_counts;
  out.counts |= event.out_counts;
  Result<NormalForm> whole_form = FormOf(taken.schemas);
  Result<NormalForm> in_form = FormOf(in.schemas);
  Result<NormalForm> out_form = FormOf(out.schemas);
  for (const auto* form : {&whole_form, &in_form, &out_form}) {
    if (!form->ok()) return form->status();
  }
  const std::optional<NormalForm> event_form = JointForm(effects[next].schemas);
  in.exact = Join(pool_, taken.exact, *event_form);
  out.exact = Join(pool_, taken.exact, Opposite(*event_form));
  const bool none_in = in_form->IsEmpty() || !MayExist(in.exact);
  const bool none_out = out_form->IsEmpty() || !MayExist(out.exact);
  if (none_in && none_out) return Status::Ok();
  // What is the same as all that is taken is said in fewer words.
  if (in_form->IsEmpty() || (none_in && !taken.widened)) out.schemas = taken.schemas;
  if (out_form->IsEmpty() || (none_out && !taken.widened)) in.schemas = taken.schemas;
  const uint64_t at_least = events.AtLeastBits();
  const bool in_is_good = (event.in_counts & at_least) != 0 || (event.out_counts & ~at_least) != 0;
  const bool out_is_good = (event.out_counts & at_least) != 0 || (event.in_counts & ~at_least) != 0;
  const auto is_simple = [&](const NormalForm& part) {
    const auto is_same = [](FormulaId some, FormulaId all) {
      return some == kFalseFormula || some == all;
    };
    return is_same(part.arrays, whole_form->arrays) && is_same(part.objects, whole_form->objects);
  };
  if (!out_is_good && !is_simple(*out_form)) out.Widen(taken.schemas);
  if (!in_is_good && !is_simple(*in_form)) in.Widen(taken.schemas);
  if (!none_in) {
    Status status = MakeChoices(in, events, effects, next + 1, choices);
    if (!status.ok()) return status;
  }
  return none_out ? Status::Ok() : MakeChoices(out, events, effects, next + 1, choices);
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
  Taken all;
  all.Add(base);
  all.counts = always;
  Result<NormalForm> form = FormOf(all.schemas);
  if (!form.ok()) return form.status();
  all.exact = *form;
  std::vector<Choice> choices;
  Status status = MakeChoices(all, events, effects, 0, &choices);
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
