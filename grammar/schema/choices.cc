// The choices of a slot: what can be taken of a value, and what is counted for it.
#include <algorithm>
#include <utility>

#include "grammar/schema/node_builder.h"

namespace maskloom {

AtomEffect NodeBuilder::BreakingEffect(const RuleOutcome& outcome, bool keeps) {
  using Kind = AtomEffect::Kind;
  if (outcome.forbidden) return {Kind::kAlways, {}};
  if (outcome.schemas.empty()) return {Kind::kNever, {}};
  if (keeps) return {Kind::kByGood, outcome.schemas};
  std::vector<SchemaId> opposites;
  for (const SchemaId schema : outcome.schemas) {
    opposites.push_back(reader_->schemas()->Not(schema));
  }
  return {Kind::kByGood, {reader_->schemas()->AnyOf(std::move(opposites))}};
}

Status NodeBuilder::MakeChoices(SchemaSet base, const std::vector<Atom>& atoms,
                                const std::vector<AtomEffect>& effects, size_t next,
                                uint64_t counts, std::vector<Choice>* choices) {
  while (next < atoms.size() && effects[next].kind != AtomEffect::Kind::kByGood) ++next;
  Result<ValueId> plain = ValueOf(base);
  if (!plain.ok()) return plain.status();
  if (*plain == kNeverValue) return Status::Ok();
  if (next == atoms.size()) {
    if (choices->size() >= kMaxChoices) {
      return Status(StatusCode::kResourceLimit,
                    "the alternatives for one value overlap in more than " +
                        std::to_string(kMaxChoices) + " ways, which is the limit");
    }
    choices->push_back({*plain, counts});
    return Status::Ok();
  }
  const Atom& atom = atoms[next];
  const uint64_t bit = uint64_t{1} << atom.counter;
  const bool up = atom.kind == Counter::Kind::kAtLeast;
  SchemaSet good = base;
  good.insert(good.end(), effects[next].good.begin(), effects[next].good.end());
  Result<ValueId> narrow = ValueOf(good);
  if (!narrow.ok()) return narrow.status();
  Status status =
      MakeChoices(std::move(good), atoms, effects, next + 1, up ? counts | bit : counts, choices);
  // Where every value is good, taking it as such is never worse.
  if (!status.ok() || *narrow == *plain) return status;
  return MakeChoices(std::move(base), atoms, effects, next + 1, up ? counts : counts | bit,
                     choices);
}

Result<NodeBuilder::Slot> NodeBuilder::MakeSlot(const SchemaSet& base,
                                                const std::vector<Atom>& atoms,
                                                const std::vector<AtomEffect>& effects) {
  Slot slot;
  Result<ValueId> value = ValueOf(base);
  if (!value.ok()) return value.status();
  slot.value = *value;
  if (*value == kNeverValue || atoms.empty()) return slot;
  uint64_t always = 0;
  uint64_t up_bits = 0;
  for (size_t i = 0; i < atoms.size(); ++i) {
    const uint64_t bit = uint64_t{1} << atoms[i].counter;
    if (effects[i].kind == AtomEffect::Kind::kAlways) always |= bit;
    if (atoms[i].kind == Counter::Kind::kAtLeast) up_bits |= bit;
  }
  std::vector<Choice> choices;
  Status status = MakeChoices(base, atoms, effects, 0, always, &choices);
  if (!status.ok()) return status;
  // Of choices of one value those stay that no other is at least as good as.
  const auto is_better = [&](const Choice& a, const Choice& b) {
    const uint64_t more = a.counts & ~b.counts;
    const uint64_t less = b.counts & ~a.counts;
    return a.value == b.value && (more & ~up_bits) == 0 && (less & up_bits) == 0;
  };
  for (size_t i = 0; i < choices.size(); ++i) {
    bool kept = true;
    for (size_t j = 0; j < choices.size() && kept; ++j) {
      if (i != j && is_better(choices[j], choices[i])) kept = choices[i] == choices[j] && i < j;
    }
    if (kept) slot.choices.push_back(choices[i]);
  }
  const bool trivial = slot.choices.size() == 1 && slot.choices[0] == Choice{slot.value, 0};
  if (trivial) slot.choices.clear();
  return slot;
}

}  // namespace maskloom
