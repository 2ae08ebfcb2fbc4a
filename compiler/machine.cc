#include "compiler/machine.h"

#include <algorithm>
#include <atomic>

#include "compiler/grammar_archive.h"
#include "compiler/value_space.h"

namespace maskloom {

uint64_t NewTableId() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

template <typename Archive, typename Self>
void Machine::Describe(Archive& archive, Self& self) {
  archive.Part(self.grammar_.style);
  archive.Parts(self.grammar_.numbers);
  archive.Value(self.is_json_);
  archive.Value(self.root_rule_);
  archive.Value(self.root_value_);
  archive.Parts(self.values_);
  archive.Parts(self.strings_);
  archive.Parts(self.numbers_);
  archive.Parts(self.arrays_);
  archive.Parts(self.objects_);
  archive.Parts(self.rules_);
  archive.Parts(self.repeats_);
  archive.Array(self.callees_);
  archive.Part(self.standard_nodes_);
}

void Machine::Write(GrammarWriter& archive) const {
  Describe(archive, *this);
  archive.PartBehind(value_space_);
}

void Machine::FindRepeatedArrays() {
  has_repeated_arrays_ = std::any_of(arrays_.begin(), arrays_.end(),
                                     [](const ArrayTable& table) { return table.repeats_freely; });
}

std::unique_ptr<Machine> Machine::Read(GrammarReader& archive, const VocabularyIndex& vocabulary) {
  std::unique_ptr<Machine> machine(new Machine());
  Describe(archive, *machine);
  if (archive.Value<bool>()) {
    machine->value_space_ = std::make_unique<ValueSpace>(*machine);
    archive.Part(*machine->value_space_);
  }
  machine->FindRepeatedArrays();
  machine->spellable_ = vocabulary.spellable();
  machine->utf8_spelling_ = vocabulary.spelling(TextCoding::kUtf8);
  machine->string_spelling_ = vocabulary.spelling(machine->string_coding());
  machine->max_token_bytes_ = vocabulary.max_token_bytes();
  const std::vector<NumberNode>& nodes = machine->grammar_.numbers;
  for (size_t i = 0; i < nodes.size() && i < machine->numbers_.size(); ++i) {
    machine->numbers_[i].automaton.MakeFrom(&nodes[i], machine->style().max_digits,
                                            &vocabulary.numbers());
  }
  return machine;
}

}  // namespace maskloom
