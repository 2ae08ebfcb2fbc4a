// Cases by the value of one key: what makes a chain of `if` and `then` a plain union.
//
// A chain asks of one key, branch after branch, whether its value is in some finite set:
//   (t in A1 and P1 or t not in A1) and (t in A2 and P2 or t not in A2) and ...
// Multiplied out that is 2^n groups, and counted it is two counters a branch. But the listed values
// fall into few classes, those that lie in the same sets; with "another value" and "absent" they
// are all the cases there are, and in each of them every question about the key is settled:
//   (t in A1 and P1) or (t in A2 and P2) or (t in neither) or (t absent and P1 and P2)
// Cases in which the same is left are one. The key is the one that the most unions ask about; a
// case that asks about other keys is split again, so the whole is a decision tree over keys.
//
// What is settled: a rule that describes the key excludes the values of a case, so it is broken; or
// a rule of a few properties accepts all of them, so the other properties are what is left of it.
// Everything else stays as it is, which is exact, if not small.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/schema/node_builder.h"

namespace maskloom {
namespace {

// A rule of at most so many properties is taken as a question about keys.
constexpr size_t kMaxAsked = 8;
// Listed values times sets that no list gives, which are tried one by one.
constexpr size_t kMaxTried = 20'000;

bool IsQuestion(const MemberRule& rule) {
  return rule.IsNarrow() && rule.properties.size() <= kMaxAsked;
}

// Values by a list: those in it, or all others.
struct ListedValues {
  bool complement = false;
  bool null = false, yes = false, no = false;
  uint32_t texts = 0;    // literal kTextIn, or kFalseFormula
  uint32_t numbers = 0;  // literal kNumberIn, or kFalseFormula
  bool any() const {
    return null || yes || no || texts != kFalseFormula || numbers != kFalseFormula;
  }
};

std::optional<ListedValues> ListOf(const FormulaPool& pool, const NormalForm& form) {
  const auto is_set = [&](FormulaId id, LiteralKind kind) {
    return id == kFalseFormula ||
           (pool.IsLiteral(id) && pool.positive(id) && pool.kind(id) == kind);
  };
  for (const bool complement : {false, true}) {
    const NormalForm f = complement ? Opposite(form) : form;
    if (f.arrays != kFalseFormula || f.objects != kFalseFormula) continue;
    if (!is_set(f.strings, LiteralKind::kTextIn)) continue;
    if (!is_set(f.numbers, LiteralKind::kNumberIn)) continue;
    return ListedValues{complement,     f.allows_null, f.allows_true,
                        f.allows_false, f.strings,     f.numbers};
  }
  return std::nullopt;
}

enum class Answer : uint8_t { kOut, kIn, kUnknown };

void CollectRules(const FormulaPool& pool, FormulaId formula, std::unordered_set<FormulaId>* seen,
                  std::vector<RuleId>* rules) {
  if (pool.IsConstant(formula) || !seen->insert(formula & ~FormulaId{1}).second) return;
  if (pool.IsLiteral(formula)) {
    if (pool.kind(formula) == LiteralKind::kKeeps) rules->push_back(pool.index(formula));
    return;
  }
  for (const FormulaId part : pool.PartsOf(formula)) CollectRules(pool, part, seen, rules);
}

// One listed value: an index into the lists of a split.
struct Listed {
  enum class Kind : uint8_t { kNull, kTrue, kFalse, kText, kNumber };
  Kind kind;
  const std::u32string* text = nullptr;
  const Decimal* number = nullptr;
};

}  // namespace

// The split of one conjunction by one key.
class NodeBuilder::KeyCases {
 public:
  explicit KeyCases(NodeBuilder* builder) : builder_(builder), pool_(builder->pool_) {}

  std::vector<FormulaId> Split(FormulaId formula, size_t min_unions, size_t max_cases);

 private:
  struct Part {
    FormulaId formula;
    std::vector<RuleId> rules;  // that it speaks of
  };
  // What the values of the key are asked.
  struct Test {
    SchemaId schema;
    NormalForm form;
    std::optional<ListedValues> list;
    std::vector<size_t> parts;  // that depend on it; sorted
    // What holds of values that no list names.
    Answer other() const {
      return !list ? Answer::kUnknown : list->complement ? Answer::kIn : Answer::kOut;
    }
  };
  struct AskedRule {
    const MemberRule* rule = nullptr;
    bool forbidden = false;
    std::vector<size_t> tests;
  };
  using Answers = std::vector<std::pair<size_t, Answer>>;  // that differ from those of other values
  struct Value {
    Listed value;
    Answers answers;
  };
  struct Case {
    FormulaId rest;
    std::vector<SchemaId> values;  // any of these; none: every value
  };

  std::optional<NameId> MostAskedKey(size_t min_unions);
  bool ReadTests();
  bool ReadCommon();
  void ListValues();
  void TryOpenTests();
  Answer Accepts(const NormalForm& form, const Listed& value) const;
  size_t LengthOf(const ListedValues& list) const;
  std::optional<SchemaId> SchemaOf(const Answers& own, size_t count);
  FormulaId Settle(FormulaId part, const Answers& answers);
  FormulaId SettleAbsent(FormulaId part);
  FormulaId WithoutKey(const MemberRule& rule);
  bool MakeCases(std::vector<Case>* cases);
  Answer AnswerTo(const Answers& answers, size_t test) const {
    for (const auto& [known, answer] : answers) {
      if (known == test) return answer;
    }
    return tests_[test].other();
  }

  NodeBuilder* builder_;
  FormulaPool* pool_;
  NameId key_ = 0;
  std::vector<FormulaId> common_;  // literals that stay
  std::vector<Part> parts_;
  std::vector<Test> tests_;
  std::unordered_map<RuleId, AskedRule> asked_;
  NormalForm base_ = NormalForm::Everything();  // of the key's value in all cases
  bool may_be_present_ = true;
  bool may_be_absent_ = true;
  bool has_other_ = false;  // may the value be one that no list names?
  std::map<std::u32string, size_t> texts_;
  std::map<Decimal, size_t> numbers_;
  std::vector<Value> values_;
};

// Returns the key that the most unions ask about, where at least `min_unions` do; if that is 0, the
// one that the most rules ask about.
std::optional<NameId> NodeBuilder::KeyCases::MostAskedKey(size_t min_unions) {
  std::unordered_map<NameId, size_t> unions_of;
  std::unordered_map<RuleId, std::vector<NameId>> keys_of;
  std::optional<NameId> best;
  for (const Part& part : parts_) {
    std::vector<NameId> keys;
    for (const RuleId id : part.rules) {
      auto [it, added] = keys_of.try_emplace(id);
      if (added) {
        Result<const MemberRule*> rule = builder_->MemberRuleOf(id);
        if (!rule.ok() || !IsQuestion(**rule)) continue;
        for (const MemberRule::Property& property : (*rule)->properties) {
          if (property.schema == kNoSchema) continue;
          Result<NormalForm> form = builder_->normalizer_->Evaluate(property.schema);
          if (!form.ok()) continue;
          const std::optional<ListedValues> list = ListOf(*pool_, *form);
          if (list && list->any()) it->second.push_back(property.name);
        }
      }
      keys.insert(keys.end(), it->second.begin(), it->second.end());
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (const NameId key : keys) ++unions_of[key];
  }
  if (min_unions == 0) {
    // Inside one union there may be many questions.
    min_unions = kMinUnionsForCases;
    unions_of.clear();
    for (const auto& [rule, keys] : keys_of) {
      for (const NameId key : keys) ++unions_of[key];
    }
  }
  for (const auto& [key, count] : unions_of) {
    if (count < min_unions) continue;
    const bool better =
        !best || count > unions_of[*best] || (count == unions_of[*best] && key < *best);
    if (better) best = key;
  }
  return best;
}

// Reads what the rules ask of the key. Returns false where one cannot be read, which is met again
// where errors are reported.
bool NodeBuilder::KeyCases::ReadTests() {
  std::unordered_map<SchemaId, size_t> test_of;
  for (size_t i = 0; i < parts_.size(); ++i) {
    for (const RuleId id : parts_[i].rules) {
      auto [it, added] = asked_.try_emplace(id);
      AskedRule& asked = it->second;
      if (added) {
        Result<const MemberRule*> rule = builder_->MemberRuleOf(id);
        if (!rule.ok()) return false;
        asked.rule = *rule;
        const RuleOutcome outcome = builder_->OutcomeFor(**rule, key_);
        asked.forbidden = outcome.forbidden;
        for (const SchemaId schema : outcome.schemas) {
          const auto [known, is_new] = test_of.try_emplace(schema, tests_.size());
          if (is_new) {
            Result<NormalForm> form = builder_->normalizer_->Evaluate(schema);
            if (!form.ok()) return false;
            tests_.push_back({schema, *form, ListOf(*pool_, *form), {}});
          }
          asked.tests.push_back(known->second);
        }
      }
      for (const size_t test : asked.tests) {
        std::vector<size_t>& parts = tests_[test].parts;
        if (parts.empty() || parts.back() != i) parts.push_back(i);
      }
    }
  }
  return true;
}

// Reads what holds of the key in all cases.
bool NodeBuilder::KeyCases::ReadCommon() {
  for (const FormulaId literal : common_) {
    if (pool_->kind(literal) == LiteralKind::kPresent && pool_->index(literal) == key_) {
      (pool_->positive(literal) ? may_be_absent_ : may_be_present_) = false;
    }
    if (pool_->kind(literal) != LiteralKind::kKeeps) continue;
    Result<const MemberRule*> rule = builder_->MemberRuleOf(pool_->index(literal));
    if (!rule.ok()) return false;
    const RuleOutcome outcome = builder_->OutcomeFor(**rule, key_);
    may_be_present_ &= !outcome.forbidden;
    for (const SchemaId schema : outcome.schemas) {
      Result<NormalForm> form = builder_->normalizer_->Evaluate(schema);
      if (!form.ok()) return false;
      base_ = Join(pool_, base_, *form);
    }
  }
  return true;
}

Answer NodeBuilder::KeyCases::Accepts(const NormalForm& form, const Listed& value) const {
  const auto answer = [](bool in) { return in ? Answer::kIn : Answer::kOut; };
  switch (value.kind) {
    case Listed::Kind::kNull:
      return answer(form.allows_null);
    case Listed::Kind::kTrue:
      return answer(form.allows_true);
    case Listed::Kind::kFalse:
      return answer(form.allows_false);
    case Listed::Kind::kText:
      return answer(pool_->AcceptsText(form.strings, *value.text));
    default: {
      const FormulaPool::Truth truth = pool_->AcceptsNumber(form.numbers, *value.number);
      if (truth == FormulaPool::Truth::kUnknown) return Answer::kUnknown;
      return answer(truth == FormulaPool::Truth::kTrue);
    }
  }
}

// Lists the values that some test names, each with the answers that set it apart from others.
void NodeBuilder::KeyCases::ListValues() {
  std::optional<size_t> single[3];
  const auto add = [&](Listed value) {
    values_.push_back({value, {}});
    return values_.size() - 1;
  };
  for (size_t t = 0; t < tests_.size(); ++t) {
    const std::optional<ListedValues>& list = tests_[t].list;
    if (!list) continue;
    const Answer answer = list->complement ? Answer::kOut : Answer::kIn;
    const auto note = [&](size_t value) { values_[value].answers.push_back({t, answer}); };
    const bool flags[3] = {list->null, list->yes, list->no};
    for (int i = 0; i < 3; ++i) {
      if (!flags[i]) continue;
      if (!single[i]) single[i] = add({static_cast<Listed::Kind>(i)});
      note(*single[i]);
    }
    if (list->texts != kFalseFormula) {
      for (const std::u32string& text : pool_->text_sets[pool_->index(list->texts)]) {
        auto [it, added] = texts_.try_emplace(text, values_.size());
        if (added) add({Listed::Kind::kText, &it->first});
        note(it->second);
      }
    }
    if (list->numbers != kFalseFormula) {
      for (const Decimal& number : pool_->decimal_sets[pool_->index(list->numbers)]) {
        auto [it, added] = numbers_.try_emplace(number, values_.size());
        if (added) add({Listed::Kind::kNumber, nullptr, &it->first});
        note(it->second);
      }
    }
  }
  NormalForm listed;
  listed.allows_null = single[0].has_value();
  listed.allows_true = single[1].has_value();
  listed.allows_false = single[2].has_value();
  TextSet texts;
  for (const auto& [text, value] : texts_) texts.push_back(text);
  DecimalSet numbers;
  for (const auto& [number, value] : numbers_) numbers.push_back(number);
  listed.strings = pool_->Literal(LiteralKind::kTextIn, pool_->text_sets.Add(std::move(texts)));
  listed.numbers =
      pool_->Literal(LiteralKind::kNumberIn, pool_->decimal_sets.Add(std::move(numbers)));
  has_other_ = may_be_present_ && !Join(pool_, base_, Opposite(listed)).IsEmpty();
}

// Tests that name no values are tried on those that others name.
void NodeBuilder::KeyCases::TryOpenTests() {
  size_t tried = 0;
  for (size_t t = 0; t < tests_.size(); ++t) {
    if (tests_[t].list || (tried += values_.size()) > kMaxTried) continue;
    for (Value& value : values_) {
      const Answer answer = Accepts(tests_[t].form, value.value);
      if (answer != Answer::kUnknown) value.answers.push_back({t, answer});
    }
  }
}

size_t NodeBuilder::KeyCases::LengthOf(const ListedValues& list) const {
  size_t count = size_t{list.null} + list.yes + list.no;
  if (list.texts != kFalseFormula) count += pool_->text_sets[pool_->index(list.texts)].size();
  if (list.numbers != kFalseFormula) {
    count += pool_->decimal_sets[pool_->index(list.numbers)].size();
  }
  return count;
}

// Returns the schema that the `count` values whose answers are `own` satisfy, and no others; none
// where that cannot be said by the tests.
std::optional<SchemaId> NodeBuilder::KeyCases::SchemaOf(const Answers& own, size_t count) {
  SchemaTable* schemas = builder_->reader_->schemas();
  // The shortest list that names them. Some list does.
  std::optional<std::pair<size_t, Answer>> naming;
  for (const auto& [test, answer] : own) {
    const std::optional<ListedValues>& list = tests_[test].list;
    if (list && (!naming || LengthOf(*list) < LengthOf(*tests_[naming->first].list))) {
      naming = {test, answer};
    }
  }
  std::vector<std::pair<SchemaId, bool>> constraints;
  constraints.push_back({tests_[naming->first].schema, naming->second == Answer::kIn});
  std::vector<const Answers*> others;  // of other values in that list
  if (LengthOf(*tests_[naming->first].list) > count) {
    for (const Value& value : values_) {
      const bool named =
          std::find(value.answers.begin(), value.answers.end(), *naming) != value.answers.end();
      if (named && value.answers != own) others.push_back(&value.answers);
    }
  }
  while (!others.empty()) {
    // A test that tells the first of them apart.
    std::optional<size_t> telling;
    for (const Answers* side : {&own, others[0]}) {
      for (const auto& [test, answer] : *side) {
        const Answer mine = AnswerTo(own, test);
        const Answer theirs = AnswerTo(*others[0], test);
        const bool known = mine != Answer::kUnknown && theirs != Answer::kUnknown;
        if (known && mine != theirs && !telling) telling = test;
      }
    }
    if (!telling) return std::nullopt;
    const Answer mine = AnswerTo(own, *telling);
    constraints.push_back({tests_[*telling].schema, mine == Answer::kIn});
    std::erase_if(others, [&](const Answers* answers) {
      const Answer theirs = AnswerTo(*answers, *telling);
      return theirs != mine && theirs != Answer::kUnknown;
    });
  }
  if (constraints.size() == 1) {
    const auto [schema, in] = constraints[0];
    return in ? schema : schemas->Not(schema);
  }
  std::vector<SchemaId> opposites;
  for (const auto& [schema, in] : constraints) {
    opposites.push_back(in ? schemas->Not(schema) : schema);
  }
  return schemas->Not(schemas->AnyOf(std::move(opposites)));
}

// Returns what is left of `part` where the key is there, with a value of these answers.
FormulaId NodeBuilder::KeyCases::Settle(FormulaId part, const Answers& answers) {
  return pool_->Substitute(part, [&](FormulaId literal) -> FormulaId {
    const FormulaId sign = literal & 1;
    if (pool_->kind(literal) == LiteralKind::kPresent && pool_->index(literal) == key_) {
      return kTrueFormula ^ sign;
    }
    if (pool_->kind(literal) != LiteralKind::kKeeps) return literal;
    const AskedRule& asked = asked_.at(pool_->index(literal));
    if (asked.forbidden) return kFalseFormula ^ sign;
    if (asked.tests.empty()) return literal;
    bool all_in = true;
    for (const size_t test : asked.tests) {
      const Answer answer = AnswerTo(answers, test);
      if (answer == Answer::kOut) return kFalseFormula ^ sign;
      all_in &= answer == Answer::kIn;
    }
    return all_in && IsQuestion(*asked.rule) ? WithoutKey(*asked.rule) ^ sign : literal;
  });
}

// Returns what is left of `part` where the key is not there.
FormulaId NodeBuilder::KeyCases::SettleAbsent(FormulaId part) {
  return pool_->Substitute(part, [&](FormulaId literal) -> FormulaId {
    const FormulaId sign = literal & 1;
    if (pool_->kind(literal) == LiteralKind::kPresent && pool_->index(literal) == key_) {
      return kFalseFormula ^ sign;
    }
    if (pool_->kind(literal) != LiteralKind::kKeeps) return literal;
    const MemberRule& rule = *asked_.at(pool_->index(literal)).rule;
    const bool asks = IsQuestion(rule) && rule.index_of.count(key_) != 0;
    return asks ? WithoutKey(rule) ^ sign : literal;
  });
}

// What a rule of few properties says of the other keys.
FormulaId NodeBuilder::KeyCases::WithoutKey(const MemberRule& rule) {
  std::vector<FormulaId> left;
  for (const MemberRule::Property& property : rule.properties) {
    if (property.name == key_ || property.schema == kNoSchema) continue;
    left.push_back(builder_->KeepsAt(property.name, property.schema));
  }
  return pool_->And(std::move(left));
}

// Finds what is left of the parts for each class of values where the key is there. Returns false
// where the classes are too many, or cannot be described.
bool NodeBuilder::KeyCases::MakeCases(std::vector<Case>* cases) {
  SchemaTable* schemas = builder_->reader_->schemas();
  std::map<Answers, size_t> classes;  // how many values
  for (const Value& value : values_) {
    if (Accepts(base_, value.value) != Answer::kOut) ++classes[value.answers];
  }
  if (classes.size() > Budget(kMaxGroupPairs)) return false;
  std::vector<FormulaId> usual(parts_.size());  // what is left for values that no list names
  std::vector<size_t> open;                     // parts of which that is something
  for (size_t i = 0; i < parts_.size(); ++i) {
    usual[i] = Settle(parts_[i].formula, {});
    if (usual[i] != kTrueFormula) open.push_back(i);
  }
  const FormulaId other_rest = pool_->And(usual);
  std::unordered_map<FormulaId, size_t> case_of;
  std::vector<SchemaId> told_apart;
  for (const auto& [answers, count] : classes) {
    std::vector<size_t> changed;
    for (const auto& [test, answer] : answers) {
      changed.insert(changed.end(), tests_[test].parts.begin(), tests_[test].parts.end());
    }
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    std::vector<FormulaId> rest;
    for (const size_t i : open) {
      if (!std::binary_search(changed.begin(), changed.end(), i)) rest.push_back(usual[i]);
    }
    for (const size_t i : changed) rest.push_back(Settle(parts_[i].formula, answers));
    const FormulaId left = pool_->And(std::move(rest));
    if (pool_->exhausted()) return false;
    if (has_other_ && left == other_rest) continue;
    const std::optional<SchemaId> schema = SchemaOf(answers, count);
    if (!schema) return false;
    told_apart.push_back(*schema);
    if (left == kFalseFormula) continue;
    auto [it, added] = case_of.try_emplace(left, cases->size());
    if (added) cases->push_back({left, {}});
    (*cases)[it->second].values.push_back(*schema);
  }
  if (!has_other_ || other_rest == kFalseFormula) return true;
  cases->push_back({other_rest, {}});
  if (!told_apart.empty()) {
    cases->back().values.push_back(schemas->Not(schemas->AnyOf(std::move(told_apart))));
  }
  return true;
}

std::vector<FormulaId> NodeBuilder::KeyCases::Split(FormulaId formula, size_t min_unions,
                                                    size_t max_cases) {
  for (const FormulaId part :
       pool_->IsAnd(formula) ? pool_->PartsOf(formula) : std::vector{formula}) {
    const bool asks = !pool_->IsLiteral(part) ||
                      (!pool_->positive(part) && pool_->kind(part) == LiteralKind::kKeeps);
    if (!asks) {
      common_.push_back(part);
      continue;
    }
    parts_.push_back({part, {}});
    std::unordered_set<FormulaId> seen;
    CollectRules(*pool_, part, &seen, &parts_.back().rules);
  }
  if (parts_.size() < min_unions) return {};
  const std::optional<NameId> key = MostAskedKey(min_unions);
  if (!key) return {};
  key_ = *key;
  if (!ReadTests() || !ReadCommon()) return {};
  std::vector<Case> cases;
  if (may_be_present_) {
    ListValues();
    TryOpenTests();
    if (!MakeCases(&cases)) return {};
  }
  const FormulaId present = pool_->Literal(LiteralKind::kPresent, key_);
  FormulaId absent_rest = kFalseFormula;
  if (may_be_absent_) {
    std::vector<FormulaId> rest = common_;
    for (const Part& part : parts_) rest.push_back(SettleAbsent(part.formula));
    absent_rest = pool_->And(std::move(rest));
  }
  std::vector<FormulaId> result;
  for (Case& one : cases) {
    std::vector<FormulaId> rest = common_;
    rest.push_back(one.rest);
    if (may_be_absent_ && pool_->And(rest) == absent_rest) {
      absent_rest = kFalseFormula;  // it is said here
    } else {
      rest.push_back(present);
    }
    if (!one.values.empty()) {
      SchemaTable* schemas = builder_->reader_->schemas();
      const SchemaId values =
          one.values.size() == 1 ? one.values[0] : schemas->AnyOf(std::move(one.values));
      rest.push_back(builder_->KeepsAt(key_, values));
    }
    result.push_back(pool_->And(std::move(rest)));
  }
  if (absent_rest != kFalseFormula) {
    result.push_back(pool_->And({absent_rest, Negation(present)}));
  }
  std::erase(result, kFalseFormula);
  if (result.empty()) result.push_back(kFalseFormula);
  if (result.size() > max_cases || pool_->exhausted()) return {};
  return result;
}

std::vector<FormulaId> NodeBuilder::CasesByKey(FormulaId formula, size_t min_unions,
                                               size_t max_cases) {
  return KeyCases(this).Split(formula, min_unions, max_cases);
}

// Says that the member `key`, if it is there, satisfies `schema`.
FormulaId NodeBuilder::KeepsAt(NameId key, SchemaId schema) {
  return pool_->Literal(LiteralKind::kKeeps,
                        pool_->rules.Add({ChildRule::Kind::kMember, schema, key}));
}

}  // namespace maskloom
