#include "compiler/admission.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "compiler/completion.h"
#include "compiler/counted_loop.h"
#include "compiler/spelled_automaton.h"
#include "grammar/base/budget.h"

namespace maskloom {
namespace {

// Rounds that only lower costs, after which costs are good enough for short completions.
constexpr int kMaxRounds = 1000;
// Automata of more edges are made loops with a length, where they are that.
constexpr size_t kManyEdges = 2000;

uint32_t ClampMaximum(uint64_t maximum) {
  return maximum >= kNoLimit ? kNoLimit : static_cast<uint32_t>(maximum);
}

Status TooLarge(const char* what) {
  return Status(StatusCode::kResourceLimit,
                std::string(what) + " beyond 4294967294 cannot be counted");
}

// Sorts the properties of `node`: required ones first, otherwise as they are.
void PutRequiredFirst(ObjectNode* node) {
  const size_t count = node->properties.size();
  std::vector<uint32_t> order(count), place(count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_partition(order.begin(), order.end(),
                        [&](uint32_t i) { return node->properties[i].required; });
  const ObjectNode old = *node;
  for (uint32_t i = 0; i < count; ++i) {
    place[order[i]] = i;
    node->properties[i] = old.properties[order[i]];
    if (!old.choices.empty()) node->choices[i] = old.choices[order[i]];
  }
  for (Condition& condition : node->conditions) {
    if (condition.kind == Condition::Kind::kPresent || condition.kind == Condition::Kind::kAbsent) {
      condition.index = place[condition.index];
    }
  }
}

bool TestBit(std::span<const uint64_t> words, uint32_t index) {
  return words[index / 64] >> (index % 64) & 1;
}

}  // namespace

bool Admission::Spells(const char* bytes) const {
  for (; *bytes != '\0'; ++bytes) {
    if (!machine_.Spells(static_cast<uint8_t>(*bytes))) return false;
  }
  return true;
}

Admission::Room Admission::RoomOfSeparators() const {
  using Whitespace = StylePolicy::Whitespace;
  const Whitespace whitespace = machine_.style().whitespace;
  const bool blank = Spells(" ");
  Room room;
  if (!Spells(",") || (whitespace == Whitespace::kSpaced && !blank)) room = {1, 1};
  if (whitespace == Whitespace::kSpaced && !blank) room.members = 0;
  if (whitespace == Whitespace::kIndent) {
    if (!Spells("\n") || (machine_.style().indent > 0 && !blank)) room = {0, 0};
    if (!blank) room.members = 0;
  }
  if (!Spells("\":")) room.members = 0;
  return room;
}

Status Admission::BuildStrings() {
  const Spelling& spelling = machine_.string_spelling_;
  // Where items are compared the texts of an automaton are counted.
  const bool compares = std::any_of(
      machine_.grammar_.arrays.begin(), machine_.grammar_.arrays.end(),
      [](const ArrayNode& array) { return array.distinctness != ArrayNode::Distinctness::kAny; });
  for (StringNode node : machine_.grammar_.strings) {
    if (!compares && node.automaton != nullptr && node.automaton->edges.size() > kManyEdges) {
      if (const auto counted = AsCountedLoop(*node.automaton)) {
        node.automaton = counted->loop;
        node.min_length = std::max(node.min_length, counted->min);
        node.max_length = std::min(node.max_length, counted->max.value_or(kNoMaximum));
      }
    }
    StringTable table;
    if (node.min_length >= kNoLimit) return TooLarge("a minimum length");
    table.min = static_cast<uint32_t>(node.min_length);
    table.max = ClampMaximum(node.max_length);
    table.bounded = table.min > 0 || table.max != kNoLimit;
    if (table.min > table.max || !Spells("\"")) {
      machine_.strings_.push_back(std::move(table));
      continue;
    }
    uint32_t shortest = 0;
    if (node.automaton == nullptr) {
      if (spelling.code_points().empty() && table.min > 0) shortest = kUnreachable;
    } else {
      SpelledAutomaton cut = CutToSpelling(node.automaton, spelling);
      table.automaton = std::move(cut.automaton);
      table.spelled = std::move(cut.spelled);
      if (table.automaton == nullptr) {
        shortest = kUnreachable;
      } else {
        shortest = DistancesToAccept(*table.spelled)[0];
        if (table.bounded) {
          Result<LengthSets> lengths = LengthSets::Compute(*table.spelled);
          if (!lengths.ok()) return lengths.status();
          table.lengths = std::move(*lengths);
          const uint64_t max = table.max == kNoLimit ? ~uint64_t{0} : table.max;
          if (!table.lengths->AnyIn(0, table.min, max)) shortest = kUnreachable;
          for (uint32_t state = 0; state < table.spelled->state_count(); ++state) {
            table.longest_gap = std::max(table.longest_gap, table.lengths->AllFrom(state));
          }
        }
      }
    }
    if (shortest != kUnreachable) table.cost = 2 + TextCost{std::max(shortest, table.min)};
    machine_.strings_.push_back(std::move(table));
  }
  return Status::Ok();
}

Status Admission::BuildNumbers() {
  for (const NumberNode& node : machine_.grammar_.numbers) {
    NumberTable table;
    auto automaton = numbers_->Make(node, machine_.style().max_digits);
    if (!automaton.ok()) return automaton.status();
    table.automaton = LazyNumber(std::move(*automaton));
    if (!table.automaton->empty()) {
      table.cost = table.automaton->ShortestFrom(table.automaton->start()).size();
    }
    machine_.numbers_.push_back(std::move(table));
  }
  return Status::Ok();
}

Status Admission::BuildObjects() {
  const Spelling& spelling = machine_.string_spelling_;
  const Room room = RoomOfSeparators();
  if (machine_.style().key_order == StylePolicy::KeyOrder::kRequiredFirst) {
    for (ObjectNode& node : machine_.grammar_.objects) PutRequiredFirst(&node);
  }
  for (const ObjectNode& node : machine_.grammar_.objects) {
    ObjectTable table;
    if (node.min_properties >= kNoLimit) return TooLarge("a minimum number of properties");
    table.min = static_cast<uint32_t>(node.min_properties);
    table.max = ClampMaximum(node.max_properties);
    table.max = std::min(table.max, room.members);
    const uint32_t count = static_cast<uint32_t>(node.properties.size());
    table.by_order.resize(count);
    std::vector<uint32_t> sorted(count);  // name index -> declared index
    std::iota(sorted.begin(), sorted.end(), 0u);
    std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
      return node.properties[a].name < node.properties[b].name;
    });
    std::vector<std::u32string> names;
    const uint32_t words = (count + 63) / 64;
    table.allowed.resize(words);
    table.required.resize(words);
    table.order = sorted;
    for (uint32_t i = 0; i < count; ++i) {
      const ObjectNode::Property& property = node.properties[sorted[i]];
      table.by_order[sorted[i]] = i;
      names.push_back(property.name);
      table.values.push_back(property.value);
      const bool spelled = std::all_of(property.name.begin(), property.name.end(), [&](char32_t c) {
        return spelling.code_points().Contains(c);
      });
      if (!spelled) table.values.back() = kNeverValue;
      if (property.required) {
        table.required[i / 64] |= uint64_t{1} << (i % 64);
        ++table.required_count;
      }
    }
    table.names = NameTrie(std::move(names));
    table.other_values = node.other_values;
    table.other_keys = node.other_keys;
    if (node.other_keys != nullptr) {
      SpelledAutomaton cut = CutToSpelling(node.other_keys, spelling);
      table.other_keys = std::move(cut.automaton);
      table.spelled_other_keys = std::move(cut.spelled);
      if (table.other_keys == nullptr) table.other_values.clear();
    }
    Status status = BuildCondition(node, &table);
    if (!status.ok()) {
      FailObject(static_cast<NodeId>(machine_.objects_.size()), &status);
      return status;
    }
    machine_.objects_.push_back(std::move(table));
  }
  return Status::Ok();
}

void Admission::BuildValues() {
  for (const ValueNode& node : machine_.grammar_.values) {
    ValueTable table;
    const bool allowed[3] = {node.allows_null, node.allows_true, node.allows_false};
    for (int i = 0; i < 3; ++i) {
      table.allows_literal[i] = allowed[i] && Spells(kLiteralTexts[i]);
      if (table.allows_literal[i]) LowerCost(&table.cost, i == 2 ? 5 : 4);
    }
    table.strings = node.strings;
    table.numbers = node.numbers;
    table.arrays = node.arrays;
    table.objects = node.objects;
    for (const NodeId id : node.strings) LowerCost(&table.cost, machine_.strings_[id].cost);
    for (const NodeId id : node.numbers) LowerCost(&table.cost, machine_.numbers_[id].cost);
    machine_.values_.push_back(std::move(table));
  }
}

// Undeclared members by ascending cost, with how many there are of each, up to `owed` in all.
std::vector<Admission::MemberGroup> Admission::OtherMembers(const ObjectNode& node,
                                                            const ObjectTable& table,
                                                            uint64_t owed) const {
  std::vector<TextCost> limits;
  for (const ValueId id : table.other_values) {
    if (ValueCost(id) != kNoText) limits.push_back(ValueCost(id));
  }
  std::sort(limits.begin(), limits.end());
  std::vector<MemberGroup> groups;
  uint64_t found = 0;
  for (const TextCost limit : limits) {
    uint64_t available = owed;
    if (table.spelled_other_keys != nullptr) {
      TextAutomaton usable = *table.spelled_other_keys;
      for (uint32_t& label : usable.labels) {
        if (label != 0 && ValueCost(table.other_values[label - 1]) > limit) label = 0;
      }
      available = CountTexts(usable, Budget(kMaxCountedKeys));
      if (available != kUnbounded) {
        for (const ObjectNode::Property& property : node.properties) {
          available -= usable.Match(property.name) != 0;
        }
      }
      available = std::min<uint64_t>(available, owed);
    }
    if (available <= found) continue;
    groups.push_back({OtherMemberCost(limit), available - found});
    found = available;
    if (found == owed) break;
  }
  return groups;
}

bool Admission::ImproveObject(const ObjectNode& node, ObjectTable* table) {
  if (table->is_conditional()) return ImproveConditional(table);
  if (table->max < table->min || table->required_count > table->max || !Spells("{}")) return false;
  TextCost cost = 2;
  uint64_t owed = table->min > table->required_count ? table->min - table->required_count : 0;
  std::vector<MemberGroup> optional;
  for (uint32_t i = 0; i < table->names.size(); ++i) {
    const TextCost member = NamedMemberCost(table->names.name(i), ValueCost(table->values[i]));
    if (TestBit(table->required, i)) {
      cost = AddCosts(cost, member);
    } else if (member != kNoText && owed > 0) {
      optional.push_back({member, 1});
    }
  }
  if (cost == kNoText) return false;
  if (owed > 0) {
    // Enough further members, cheapest first; completions choose the same.
    for (const MemberGroup& group : OtherMembers(node, *table, owed)) optional.push_back(group);
    std::sort(optional.begin(), optional.end());
    for (const MemberGroup& group : optional) {
      const uint64_t taken = std::min(owed, group.second);
      cost = AddCosts(cost, TimesCost(taken, group.first));
      owed -= taken;
    }
    if (owed > 0) return false;
  }
  return LowerCost(&table->cost, cost);
}

bool Admission::ImproveValues() {
  bool changed = false;
  Machine& m = machine_;
  for (ArrayTable& table : m.arrays_) changed |= ImproveArray(&table);
  for (size_t i = 0; i < m.objects_.size(); ++i) {
    changed |= ImproveObject(m.grammar_.objects[i], &m.objects_[i]);
  }
  for (size_t i = m.values_.size(); i-- > 0;) {
    ValueTable& table = m.values_[i];
    for (const NodeId id : table.arrays) changed |= LowerCost(&table.cost, m.arrays_[id].cost);
    for (const NodeId id : table.objects) changed |= LowerCost(&table.cost, m.objects_[id].cost);
  }
  return changed;
}

void Admission::Settle() {
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = ImproveValues();
    changed |= ImproveRules();
    if (!changed) return;
  }
}

void Admission::CutObjects() {
  for (ObjectTable& table : machine_.objects_) {
    if (table.is_conditional()) CutChoices(&table);
    const auto has_value = [&](uint32_t slot) {
      if (table.is_conditional()) return !table.choices[slot].empty();
      const uint32_t names = table.names.size();
      return machine_.HasValue(slot < names ? table.values[slot]
                                            : table.other_values[slot - names]);
    };
    for (uint32_t i = 0; i < table.names.size(); ++i) {
      if (has_value(i)) table.allowed[i / 64] |= uint64_t{1} << (i % 64);
    }
    const uint32_t asked = static_cast<uint32_t>(table.condition.size_saturation());
    table.counted = table.min > 0 || table.max != kNoLimit || asked > 0;
    table.saturation = table.max == kNoLimit ? std::max(table.min, asked) : table.max;
    if (table.other_values.empty()) continue;
    const auto class_has_value = [&](size_t k) {
      return has_value(table.names.size() + static_cast<uint32_t>(k));
    };
    if (table.other_keys == nullptr) {
      table.has_others = class_has_value(0);
      continue;
    }
    // Keys whose class has no value cannot be written: they are no longer accepted.
    auto relabel = [&](const std::shared_ptr<const TextAutomaton>& automaton) {
      auto result = std::make_shared<TextAutomaton>(*automaton);
      for (uint32_t& label : result->labels) {
        if (label != 0 && !class_has_value(label - 1)) label = 0;
      }
      return result;
    };
    bool all_usable = true;
    for (size_t k = 0; k < table.other_values.size(); ++k) all_usable &= class_has_value(k);
    if (!all_usable) {
      const SpelledAutomaton cut =
          CutToSpelling(relabel(table.other_keys), machine_.string_spelling_);
      if (cut.automaton == nullptr) {
        table.other_values.clear();
        continue;
      }
      table.other_keys = cut.automaton;
      table.spelled_other_keys = cut.spelled;
    }
    table.has_others = true;
    if (table.is_conditional()) {
      CountClasses(&table);
      continue;
    }
    // Count what is finite, so that the last key of a kind is known to be the last.
    std::vector<uint32_t> counts =
        CountAccepted(*table.spelled_other_keys, Budget(kMaxCountedKeys));
    const auto is_counted = [](uint32_t count) { return count != kNoLimit && count > 0; };
    if (std::none_of(counts.begin(), counts.end(), is_counted)) continue;
    table.other_total = counts[0];
    for (uint32_t i = 0; i < table.names.size(); ++i) {
      table.name_is_other.push_back(table.spelled_other_keys->Match(table.names.name(i)) != 0);
      if (table.other_total != kNoLimit) table.other_total -= table.name_is_other.back();
    }
    table.other_counts = std::move(counts);
  }
}

void Admission::FindFirstBytes() {
  Machine& m = machine_;
  const auto remove_empty = [](EditableArray<NodeId>* ids, const auto& tables) {
    const auto kept = std::remove_if(ids->begin(), ids->end(),
                                     [&](NodeId id) { return tables[id].cost == kNoText; });
    ids->resize(static_cast<size_t>(kept - ids->begin()));
  };
  for (ValueTable& table : m.values_) {
    remove_empty(&table.strings, m.strings_);
    remove_empty(&table.numbers, m.numbers_);
    remove_empty(&table.arrays, m.arrays_);
    remove_empty(&table.objects, m.objects_);
    for (int i = 0; i < 3; ++i) {
      if (table.allows_literal[i])
        table.first_bytes[static_cast<uint8_t>(kLiteralTexts[i][0])] = true;
    }
    table.first_bytes['"'] = !table.strings.empty();
    table.first_bytes['['] = !table.arrays.empty();
    table.first_bytes['{'] = !table.objects.empty();
    for (const NodeId id : table.numbers) {
      const NumberAutomaton& automaton = *m.numbers_[id].automaton;
      for (const char c : std::string_view("-0123456789")) {
        const uint8_t byte = static_cast<uint8_t>(c);
        if (automaton.Step(automaton.start(), byte) != NumberAutomaton::kDead) {
          table.first_bytes[byte] = true;
        }
      }
    }
  }
}

Result<std::unique_ptr<Machine>> Admission::AdmitWithout(
    const std::vector<NodeId>& impossible_arrays, Grammar grammar, const StandardNumbers& numbers,
    const Spelling& utf8, const Spelling& strings) {
  std::unique_ptr<Machine> machine(new Machine());
  machine->grammar_ = std::move(grammar);
  machine->is_json_ = machine->grammar_.IsJson();
  if (machine->is_json_) {
    machine->root_value_ = machine->grammar_.exprs.payload(machine->grammar_.root);
  }
  machine->spellable_ = numbers.spellable();
  machine->utf8_spelling_ = utf8;
  machine->string_spelling_ = strings;
  Admission admission(machine.get());
  admission.numbers_ = &numbers;
  for (Status (Admission::*build)() :
       {&Admission::BuildStrings, &Admission::BuildNumbers, &Admission::BuildArrays,
        &Admission::BuildObjects, &Admission::BuildRules}) {
    Status status = (admission.*build)();
    if (!status.ok()) return status;
  }
  for (const NodeId id : impossible_arrays) machine->arrays_[id].impossible = true;
  admission.BuildValues();
  admission.Settle();
  Status status = admission.CutArrays();
  if (!status.ok()) return status;
  admission.CutObjects();
  admission.CutRules();
  admission.FindFirstBytes();
  return machine;
}

Result<std::unique_ptr<Machine>> Admission::Admit(Grammar grammar, const StandardNumbers& numbers,
                                                  Spelling utf8, Spelling strings) {
  // What runs out of distinct items is known once all costs are; then all is done again without it.
  std::vector<NodeId> impossible;
  for (;;) {
    auto machine = AdmitWithout(impossible, std::move(grammar), numbers, utf8, strings);
    if (!machine.ok()) return machine;
    const size_t known = impossible.size();
    Status status = Admission(machine->get()).CheckDistinctArrays(&impossible);
    if (!status.ok()) return status;
    if (impossible.size() == known) return machine;
    grammar = std::move((*machine)->grammar_);
  }
}

namespace {

bool HasText(const Machine& machine) {
  if (machine.is_json()) {
    return machine.HasValue(machine.root_value());
  }
  const RuleTable& root = machine.rule(machine.root_rule());
  return root.nullable || root.cost != kNoText;
}

std::string QuotedByte(uint8_t byte) {
  static constexpr char kHex[] = "0123456789abcdef";
  if (byte > 0x20 && byte < 0x7F) return std::string("'") + static_cast<char>(byte) + "'";
  return std::string("0x") + kHex[byte >> 4] + kHex[byte & 15];
}

// Says why no text can be spelled, by the bytes that a short text would need.
Status NotSpellable(const Machine& unlimited, const std::bitset<256>& spellable) {
  const std::string text = ShortText(unlimited);
  std::bitset<256> missing;
  for (const char c : text) missing[static_cast<uint8_t>(c)] = true;
  missing &= ~spellable;
  std::string list;
  for (int b = 0; b < 256 && list.size() < 60; ++b) {
    if (missing[b]) list += (list.empty() ? "" : ", ") + QuotedByte(static_cast<uint8_t>(b));
  }
  return Status(StatusCode::kUnsatisfiable,
                "the vocabulary cannot spell any text of this definition: no token stands for " +
                    (list.empty() ? std::string("the bytes it needs") : list) +
                    " alone; a text would be, for example: " + text.substr(0, 80));
}

}  // namespace

Result<std::unique_ptr<Machine>> Machine::Create(Grammar grammar,
                                                 const VocabularyIndex& vocabulary) {
  const std::string problem = grammar.Validate();
  if (!problem.empty()) return Status(StatusCode::kInternal, "invalid grammar: " + problem);
  const TextCoding strings = StringCodingOf(grammar.style);
  auto machine =
      Admission::Admit(std::move(grammar), vocabulary.numbers(),
                       vocabulary.spelling(TextCoding::kUtf8), vocabulary.spelling(strings));
  if (!machine.ok()) return machine.status();
  (*machine)->max_token_bytes_ = vocabulary.max_token_bytes();
  (*machine)->standard_nodes_ = FindStandardNodes(**machine);
  if (HasText(**machine)) return machine;
  // Is it the vocabulary or the definition? Ask again with every byte spellable.
  std::bitset<256> all;
  all.set();
  static const StandardNumbers numbers(all);
  auto unlimited = Admission::Admit(std::move((*machine)->grammar_), numbers,
                                    Spelling(TextCoding::kUtf8, all), Spelling(strings, all));
  if (!unlimited.ok()) return unlimited.status();
  if (HasText(**unlimited)) return NotSpellable(**unlimited, vocabulary.spellable());
  Status status(StatusCode::kUnsatisfiable, "no text can match this definition");
  const Grammar& source = (*unlimited)->grammar();
  if (source.IsJson()) status.WithPointer(source.values[source.exprs.payload(source.root)].origin);
  return status;
}

size_t Machine::MemoryBytes() const {
  const auto automaton_bytes = [](const std::shared_ptr<const TextAutomaton>& automaton) {
    if (automaton == nullptr) return size_t{0};
    return automaton->edge_begins.owned_bytes() + automaton->edges.owned_bytes() +
           automaton->labels.owned_bytes() + automaton->call_begins.owned_bytes() +
           automaton->calls.owned_bytes();
  };
  size_t total = sizeof(*this) + values_.size() * sizeof(ValueTable);
  for (const StringTable& table : strings_)
    total += sizeof(table) + automaton_bytes(table.automaton);
  for (const NumberTable& table : numbers_) {
    total += sizeof(table) + table.automaton.MemoryBytes();
  }
  for (const ArrayTable& table : arrays_) total += sizeof(table) + table.prefix.size() * 4;
  for (const ObjectTable& table : objects_) {
    total += sizeof(table) + table.names.MemoryBytes() + table.values.size() * 12 +
             automaton_bytes(table.other_keys);
    if (table.is_conditional()) total += table.diagram->MemoryBytes();
  }
  for (const RuleTable& table : rules_) {
    total += sizeof(table) + automaton_bytes(table.automaton) + table.costs.size() * 8;
  }
  return total + repeats_.size() * sizeof(RepeatTable);
}

}  // namespace maskloom
