#include "compiler/value_space.h"

#include <algorithm>

#include "compiler/array_plan.h"
#include "compiler/machine.h"
#include "compiler/object_registers.h"
#include "compiler/spelled_automaton.h"
#include "compiler/value_collector.h"
#include "grammar/number_conditions.h"

namespace maskloom {
namespace {

// Texts of a string node are counted up to this many.
constexpr uint32_t kMaxCountedTexts = 1u << 20;
// A string of bounded length that has this many texts never runs out. Where it has an automaton
// they are looked for among the shortest, up to so many characters beyond the minimal length, and
// with no more steps than that.
constexpr uint64_t kManyTexts = uint64_t{1} << 36;
constexpr uint32_t kLongestSought = 64;
constexpr uint64_t kMostSteps = 4'000'000;
// Numbers of so many digits never run out where one side is open.
constexpr uint32_t kManyDigits = 12;

// How many characters of an alphabet make many texts; kNoLimit if it has less than two.
uint32_t LengthOfMany(uint64_t alphabet) {
  if (alphabet < 2) return kNoLimit;
  uint32_t length = 0;
  for (uint64_t texts = 1; texts < kManyTexts; texts *= alphabet) ++length;
  return length;
}

// By state of `automaton`: of how many code points texts must be, at most, so that there are many
// of `min` and more; kNoLimit where that was not found. Empty if nothing was.
std::vector<uint32_t> LengthsOfMany(const TextAutomaton& automaton, uint32_t min) {
  const uint32_t states = automaton.state_count();
  if (uint64_t{min} + kLongestSought > kMostSteps / (automaton.edges.size() + 1)) return {};
  std::vector<uint64_t> of_length(states), longer(states), sums(states);
  for (uint32_t state = 0; state < states; ++state) {
    of_length[state] = automaton.labels[state] != TextAutomaton::kNotAccepting;
  }
  std::vector<uint32_t> lengths(states, kNoLimit);
  uint32_t found = 0;
  for (uint32_t length = 0; length < min + kLongestSought && found < states; ++length) {
    for (uint32_t state = 0; state < states; ++state) {
      if (length >= min) sums[state] = std::min(kManyTexts, sums[state] + of_length[state]);
      if (sums[state] == kManyTexts && lengths[state] == kNoLimit) {
        lengths[state] = length;
        ++found;
      }
      uint64_t texts = 0;
      for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
        const uint64_t behind = (edge.last - edge.first + uint64_t{1}) * of_length[edge.target];
        texts = std::min(kManyTexts, texts + behind);
      }
      longer[state] = texts;
    }
    std::swap(of_length, longer);
  }
  return found == 0 ? std::vector<uint32_t>() : lengths;
}

}  // namespace

bool ValueSpace::IsConditioned(bool array, NodeId id) const {
  if (!array) return machine_.object(id).is_conditional();
  const ArrayTable& table = machine_.array(id);
  return !table.plain || table.distinctness == ArrayNode::Distinctness::kRepeated;
}

template <typename Visit>
void ValueSpace::VisitArrayParts(NodeId id, Visit visit) const {
  const ArrayTable& table = machine_.array(id);
  const uint64_t slots = std::min<uint64_t>(uint64_t{table.prefix.size()} + 1, table.max);
  for (uint32_t i = 0; i < slots; ++i) {
    for (const Choice& choice : ItemChoices(table, i)) {
      if (machine_.HasValue(choice.value)) visit(choice.value);
    }
  }
}

template <typename Visit>
void ValueSpace::VisitObjectParts(NodeId id, Visit visit) const {
  const ObjectTable& table = machine_.object(id);
  for (uint32_t slot = 0; slot < table.choices.size(); ++slot) {
    for (const MemberChoice& choice : table.choices[slot]) {
      if (machine_.HasValue(choice.value)) visit(choice.value);
    }
  }
  if (table.has_choices) return;
  const Frame fresh;
  const ObjectRegisters registers(table, machine_.declared_order(), fresh);
  for (uint32_t i = 0; i < table.names.size(); ++i) {
    if (registers.MayAddName(i)) visit(table.values[i]);
  }
  if (!registers.MayAddOther(0, 0, nullptr)) return;
  for (const ValueId value : table.other_values) {
    if (machine_.HasValue(value)) visit(value);
  }
}

bool ValueSpace::NumberIsEndless(NodeId id) const {
  const NumberNode& node = machine_.grammar().numbers[id];
  if (machine_.number(id).cost == kNoText || node.one_of) return false;
  if (node.lower && node.upper) return false;
  const uint32_t max_digits = machine_.style().max_digits;
  if (max_digits == kUnbounded) return true;
  // Numbers go as far as their digits and exponents do. What keeps them away from zero, or ever so
  // near to it, must leave room for many digits.
  constexpr int64_t kLargestExponent = 999;
  const bool is_plain = node.spelling == NumberNode::Spelling::kPlain;
  const int64_t reach = int64_t{max_digits} + (is_plain ? 0 : kLargestExponent);
  const auto leaves_room = [&](int64_t digits) { return digits + kManyDigits <= reach; };
  const Result<std::optional<Decimal>> divisor = RequiredDivisor(node);
  if (!divisor.ok()) return false;
  if (divisor->has_value() && !leaves_room((*divisor)->exponent() - 1)) return false;
  for (const std::optional<NumberBound>* bound : {&node.lower, &node.upper}) {
    const bool keeps_away =
        *bound && !(*bound)->value.IsZero() && (*bound)->value.negative() == (bound == &node.upper);
    if (keeps_away && !leaves_room((*bound)->value.exponent())) return false;
  }
  return std::all_of(node.no_multiples_of.begin(), node.no_multiples_of.end(),
                     [&](const Decimal& avoided) {
                       const int64_t digits = static_cast<int64_t>(avoided.digits().size());
                       return leaves_room(std::max<int64_t>(0, digits - avoided.exponent()));
                     });
}

bool ValueSpace::ArrayIsEndless(const ArrayTable& table, uint32_t count) const {
  if (!table.plain || table.distinctness == ArrayNode::Distinctness::kRepeated) return false;
  const uint32_t prefix = static_cast<uint32_t>(table.prefix.size());
  for (uint32_t i = count; i < prefix && i < table.max; ++i) {
    if (IsEndless(table.prefix[i])) return true;
  }
  if (std::max(count, prefix) >= table.max || !machine_.HasValue(table.rest)) return false;
  if (IsEndless(table.rest)) return true;
  return table.max == kNoLimit && table.distinctness == ArrayNode::Distinctness::kAny;
}

// Are there endlessly many values in whichever way a member is read?
bool ValueSpace::SlotIsEndless(const ObjectTable& table, uint32_t slot) const {
  if (!table.has_choices) return IsEndless(table.values[slot]);
  const auto& choices = table.choices[slot];
  return !choices.empty() &&
         std::all_of(choices.begin(), choices.end(), [&](const MemberChoice& choice) {
           return machine_.HasValue(choice.value) && IsEndless(choice.value);
         });
}

bool ValueSpace::ObjectIsEndless(NodeId id, const Frame& frame) const {
  const ObjectTable& table = machine_.object(id);
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  if (table.is_conditional()) {
    if (registers.MayAddEndless(0)) return true;
    for (uint32_t i = 0; i < table.names.size(); ++i) {
      if (table.values[i] != kNeverValue && SlotIsEndless(table, i) && registers.MayAddName(i)) {
        return true;
      }
    }
    return false;
  }
  for (uint32_t i = 0; i < table.names.size(); ++i) {
    if (table.values[i] != kNeverValue && IsEndless(table.values[i]) && registers.MayAddName(i)) {
      return true;
    }
  }
  if (!registers.MayAddOther(0, 0, nullptr)) return false;
  if (!table.counts_keys()) return true;
  return std::any_of(table.other_values.begin(), table.other_values.end(), [&](ValueId value) {
    return machine_.HasValue(value) && IsEndless(value) && table.other_values.size() == 1;
  });
}

bool ValueSpace::IsEndless(const Frame& frame) const {
  switch (frame.kind) {
    case FrameKind::kString: {
      const StringTable& table = machine_.string(frame.node);
      if (table.automaton != nullptr) {
        if (frame.partial != kBoundary) return false;
        if (table.max == kNoLimit) return text_counts_[frame.node][frame.state] == kNoLimit;
        const std::vector<uint32_t>& lengths = lengths_of_many_[frame.node];
        return !lengths.empty() && lengths[frame.state] <= table.max - frame.count;
      }
      if (alphabet_ == 0) return false;
      if (table.max == kNoLimit) return true;
      return table.max - frame.count >= LengthOfMany(alphabet_);
    }
    case FrameKind::kArray:
      return ArrayIsEndless(machine_.array(frame.node), frame.count) &&
             !(frame.phase == Phase::kAfterValue && frame.space != 0 &&
               machine_.style().whitespace == StylePolicy::Whitespace::kIndent);
    case FrameKind::kObject: {
      const ObjectTable& table = machine_.object(frame.node);
      switch (frame.phase) {
        case Phase::kKey: {
          if (frame.state2 == TextAutomaton::kDead) return false;
          const ObjectRegisters registers(table, machine_.declared_order(), frame);
          return frame.partial == kBoundary && registers.MayAddEndless(frame.state2);
        }
        case Phase::kColon:
        case Phase::kBeforeValue:
          return table.has_choices ? SlotIsEndless(table, frame.state) : IsEndless(frame.state);
        case Phase::kAfterValue:
          if (frame.space != 0 && machine_.style().whitespace == StylePolicy::Whitespace::kIndent) {
            return false;
          }
          [[fallthrough]];
        default:
          return ObjectIsEndless(frame.node, frame);
      }
    }
    default:
      return false;
  }
}

uint64_t ValueSpace::FewestTexts(const Frame& frame) const {
  const StringTable& table = machine_.string(frame.node);
  if (frame.partial != kBoundary) return 0;
  if (table.automaton != nullptr) {
    return table.bounded || text_counts_[frame.node].empty()
               ? 0
               : text_counts_[frame.node][frame.state];
  }
  // Those of the greatest length, or of some length where there is no greatest.
  constexpr uint64_t kMost = uint64_t{1} << 40;
  uint64_t texts = 1;
  for (uint32_t left = table.max - frame.count; left > 0 && texts < kMost; --left) {
    texts *= alphabet_;
    if (alphabet_ < 2) break;
  }
  return texts;
}

uint32_t ValueSpace::EndlessReach(const Frame& frame) const {
  if (frame.kind != FrameKind::kString || frame.partial != kBoundary) return 0;
  const StringTable& table = machine_.string(frame.node);
  if (table.automaton != nullptr) {
    if (table.max == kNoLimit) return all_states_endless_[frame.node] ? kNoLimit : 0;
    const std::vector<uint32_t>& lengths = lengths_of_many_[frame.node];
    if (lengths.empty()) return 0;
    const uint32_t most = *std::max_element(lengths.begin(), lengths.end());
    const uint32_t left = table.max - frame.count;
    return left > most ? left - most : 0;
  }
  if (alphabet_ == 0) return 0;
  if (table.max == kNoLimit) return kNoLimit;
  const uint32_t left = table.max - frame.count;
  const uint32_t many = LengthOfMany(alphabet_);
  return left > many ? left - many : 0;
}

// One round of the fixed point. Returns whether anything changed.
bool ValueSpace::FindEndless() {
  bool changed = false;
  for (ValueId id = 0; id < endless_values_.size(); ++id) {
    if (endless_values_[id] || !machine_.HasValue(id)) continue;
    const ValueTable& table = machine_.value(id);
    const auto string_is_endless = [&](NodeId node) {
      if (machine_.string(node).cost == kNoText) return false;
      Frame frame;
      frame.kind = FrameKind::kString;
      frame.node = node;
      return IsEndless(frame);
    };
    const bool endless =
        std::any_of(table.strings.begin(), table.strings.end(), string_is_endless) ||
        std::any_of(table.numbers.begin(), table.numbers.end(),
                    [&](NodeId node) { return endless_numbers_[node]; }) ||
        std::any_of(table.arrays.begin(), table.arrays.end(),
                    [&](NodeId node) {
                      return machine_.array(node).cost != kNoText &&
                             ArrayIsEndless(machine_.array(node), 0);
                    }) ||
        std::any_of(table.objects.begin(), table.objects.end(), [&](NodeId node) {
          return machine_.object(node).cost != kNoText && ObjectIsEndless(node, Frame{});
        });
    if (endless) endless_values_[id] = changed = true;
  }
  return changed;
}

// Looks for a value that holds itself, through `id`: such values nest without end, unless a
// condition stands between. Returns whether one was marked.
bool ValueSpace::FindCycle(ValueId id, Status* status) {
  enum : uint8_t { kNew, kOpen, kDone };
  if (endless_values_[id] || colors_[id] == kDone || !status->ok()) return false;
  if (colors_[id] == kOpen) {
    bool conditioned = false;
    for (size_t i = path_.size(); i-- > 0;) {
      conditioned |= path_[i].conditioned;
      if (path_[i].value == id) break;
    }
    if (conditioned) {
      *status = Status(StatusCode::kResourceLimit,
                       "the values of recursive items under conditions cannot be told apart");
      status->WithPointer(machine_.grammar().values[id].origin);
      return false;
    }
    endless_values_[id] = true;
    return true;
  }
  colors_[id] = kOpen;
  bool found = false;
  const ValueTable& table = machine_.value(id);
  const auto visit = [&](ValueId part) { found = found || FindCycle(part, status); };
  for (const NodeId node : table.arrays) {
    if (machine_.array(node).cost == kNoText) continue;
    path_.push_back({id, IsConditioned(true, node)});
    VisitArrayParts(node, visit);
    path_.pop_back();
  }
  for (const NodeId node : table.objects) {
    if (machine_.object(node).cost == kNoText) continue;
    path_.push_back({id, IsConditioned(false, node)});
    VisitObjectParts(node, visit);
    path_.pop_back();
  }
  colors_[id] = kDone;
  if (!found && status->ok() && !endless_values_[id]) {
    // Everything below is done, so the parts' lists are there.
    lists_[id] = ValueCollector(machine_, *this, kListed).ValuesOf(id);
  }
  return found;
}

Status ValueSpace::Build() {
  const size_t values = machine_.grammar().values.size();
  alphabet_ = 0;
  for (const CodePointRange& range :
       machine_.spelling(machine_.string_coding()).code_points().ranges()) {
    alphabet_ += range.last - range.first + 1;
  }
  endless_values_.assign(values, false);
  endless_numbers_.clear();
  text_counts_.clear();
  all_states_endless_.clear();
  lengths_of_many_.clear();
  lists_.assign(values, {true, {}});
  for (NodeId id = 0; id < machine_.grammar().numbers.size(); ++id) {
    endless_numbers_.push_back(NumberIsEndless(id));
  }
  for (NodeId id = 0; id < machine_.grammar().strings.size(); ++id) {
    const StringTable& table = machine_.string(id);
    const bool has_texts = table.automaton != nullptr && table.cost != kNoText;
    // What is endless stays so where texts have a least length.
    text_counts_.push_back(has_texts && table.max == kNoLimit
                               ? CountAccepted(*table.spelled, kMaxCountedTexts)
                               : std::vector<uint32_t>());
    lengths_of_many_.push_back(has_texts && table.max != kNoLimit
                                   ? LengthsOfMany(*table.spelled, table.min)
                                   : std::vector<uint32_t>());
    const std::vector<uint32_t>& counts = text_counts_.back();
    all_states_endless_.push_back(std::all_of(counts.begin(), counts.end(),
                                              [](uint32_t count) { return count == kNoLimit; }));
  }
  while (FindEndless()) {
  }
  // What arrays that compare their items may hold must be told; the rest, where it can be.
  std::vector<ValueId> compared;
  for (NodeId id = 0; id < machine_.grammar().arrays.size(); ++id) {
    const ArrayTable& table = machine_.array(id);
    if (table.cost == kNoText || table.distinctness == ArrayNode::Distinctness::kAny) continue;
    VisitArrayParts(id, [&](ValueId value) { compared.push_back(value); });
  }
  const size_t must_be_told = compared.size();
  for (ValueId id = 0; id < values; ++id) {
    if (machine_.HasValue(id)) compared.push_back(id);
  }
  Status status;
  for (bool found = true; found && status.ok();) {
    found = false;
    colors_.assign(values, 0);
    for (size_t i = 0; i < compared.size() && !found && status.ok(); ++i) {
      Status told;
      found = FindCycle(compared[i], &told);
      path_.clear();
      if (i < must_be_told) status = told;
    }
    if (found) {
      while (FindEndless()) {
      }
    }
  }
  return status;
}

const ValueList& ValueSpace::ValuesOf(ValueId id, uint64_t limit, ValueList* scratch) const {
  static const ValueList kNone, kMany{true, {}};
  if (id == kNeverValue || !machine_.HasValue(id)) return kNone;
  if (IsEndless(id)) return kMany;
  const ValueList& list = lists_[id];
  if (!list.many) return list.keys.size() > limit ? kMany : list;
  if (limit <= kListed) return kMany;
  *scratch = ValueCollector(machine_, *this, limit).ValuesOf(id);
  return *scratch;
}

ValueList ValueSpace::ValuesFrom(const Frame& frame, std::u32string_view text,
                                 std::string_view number, const OpenContainer* container,
                                 uint64_t limit) const {
  return ValueCollector(machine_, *this, limit).ValuesFrom(frame, text, number, container);
}

}  // namespace maskloom
