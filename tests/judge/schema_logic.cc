// Unfolding of conjunctions, the least fixed point of satisfiability, arrays and objects.
#include "tests/judge/schema_logic.h"

#include <algorithm>

namespace maskloom::judge {
namespace {

constexpr size_t kMaxChoices = 20000;
constexpr int kOrderDone = 1 << 30;  // declared order: an undeclared key was read
constexpr TypeBit kTypes[] = {kNullBit,   kTrueBit,  kFalseBit, kNumberBit,
                              kStringBit, kArrayBit, kObjectBit};

Speller::Form StringForm(const JudgeStyle& style) {
  return style.plain_strings ? Speller::Form::kPlainString : Speller::Form::kJsonString;
}

}  // namespace

uint64_t ObjectProgress::count() const {
  return others.size() + static_cast<uint64_t>(std::count(seen.begin(), seen.end(), true));
}

SchemaLogic::SchemaLogic(SchemaNodes schema, std::shared_ptr<RegexPool> pool,
                         const JudgeStyle& style)
    : schema_(std::move(schema)),
      pool_(std::move(pool)),
      style_(style),
      number_styles_{{style.max_digits, style.spellable},
                     {style.max_digits, std::bitset<256>().set()}},
      spellers_{Speller(StringForm(style), style.spellable),
                Speller(StringForm(style), ByteSet().set())} {
  Conj({});
}

ConjId SchemaLogic::Conj(const std::vector<NodeIndex>& nodes) {
  std::vector<NodeIndex> distinct;
  for (NodeIndex node : nodes) {
    if (node >= 0 && std::find(distinct.begin(), distinct.end(), node) == distinct.end()) {
      distinct.push_back(node);
    }
  }
  auto [it, fresh] = conj_index_.try_emplace(distinct, static_cast<ConjId>(conjs_.size()));
  if (fresh) conjs_.push_back(distinct);
  return it->second;
}

// --- Unfolding ---------------------------------------------------------------------------------

void SchemaLogic::Multiply(Choices* left, const Choices& right, const SchemaNodes& schema,
                           bool* overflowed) {
  Choices product;
  for (const auto& a : *left) {
    for (const auto& b : right) {
      std::vector<NodeIndex> joined = a;
      for (NodeIndex node : b) {
        if (std::find(joined.begin(), joined.end(), node) == joined.end()) joined.push_back(node);
      }
      uint32_t types = kAllBits;
      for (NodeIndex node : joined) types &= schema.nodes[node].types;
      if (types != 0) product.push_back(std::move(joined));
    }
  }
  std::sort(product.begin(), product.end());
  product.erase(std::unique(product.begin(), product.end()), product.end());
  if (product.size() > kMaxChoices) {
    product.resize(kMaxChoices);
    *overflowed = true;
  }
  *left = std::move(product);
}

SchemaLogic::Choices SchemaLogic::Expand(NodeIndex index, std::set<NodeIndex>* path) {
  const SchemaNode& node = schema_.nodes[index];
  if (node.never || !path->insert(index).second) return {};
  Choices result = {{index}};
  for (NodeIndex part : node.all_of) {
    Multiply(&result, Expand(part, path), schema_, &overflowed_);
  }
  for (const auto& group : node.any_of) {
    Choices united;
    for (NodeIndex choice : group) {
      Choices more = Expand(choice, path);
      united.insert(united.end(), more.begin(), more.end());
    }
    Multiply(&result, united, schema_, &overflowed_);
  }
  path->erase(index);
  return result;
}

const SchemaLogic::Choices& SchemaLogic::ExpandConj(ConjId conj) {
  auto it = expanded_.find(conj);
  if (it != expanded_.end()) return it->second;
  Choices result = {{}};
  for (NodeIndex node : conjs_[conj]) {
    std::set<NodeIndex> path;
    Multiply(&result, Expand(node, &path), schema_, &overflowed_);
  }
  return expanded_.emplace(conj, std::move(result)).first->second;
}

bool SchemaLogic::Asserts(const SchemaNode& node, TypeBit type) const {
  switch (type) {
    case kNumberBit:
      return !node.number.Unconstrained();
    case kStringBit:
      return node.min_length > 0 || node.max_length != kNoLimit || !node.patterns.empty() ||
             node.strings.has_value();
    case kArrayBit:
      return !node.prefix_items.empty() || node.items >= 0 || node.min_items > 0 ||
             node.max_items != kNoLimit;
    case kObjectBit:
      return !node.properties.empty() || !node.pattern_properties.empty() || node.additional >= 0 ||
             !node.required.empty() || node.min_properties > 0 || node.max_properties != kNoLimit;
    default:
      return false;
  }
}

std::vector<AltId> SchemaLogic::RawAlternatives(ConjId conj, TypeBit type) {
  auto [memo, fresh] = raw_alternatives_.try_emplace({conj, type});
  if (!fresh) return memo->second;
  std::vector<std::vector<NodeIndex>> kept;
  for (const auto& choice : ExpandConj(conj)) {
    std::vector<NodeIndex> asserting;
    bool allowed = true;
    for (NodeIndex node : choice) {
      allowed = allowed && (schema_.nodes[node].types & type) != 0;
      if (Asserts(schema_.nodes[node], type)) asserting.push_back(node);
    }
    if (allowed) kept.push_back(std::move(asserting));
  }
  // An alternative that asserts a subset of what another does makes the other pointless.
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<std::vector<NodeIndex>> minimal;
  std::vector<std::set<NodeIndex>> minimal_sets;
  for (const auto& nodes : kept) {
    std::set<NodeIndex> members(nodes.begin(), nodes.end());
    bool pointless = false;
    for (size_t i = 0; i < minimal.size() && !pointless && !style_.declared_order; ++i) {
      pointless = std::includes(members.begin(), members.end(), minimal_sets[i].begin(),
                                minimal_sets[i].end());
    }
    if (pointless) continue;
    minimal.push_back(nodes);
    minimal_sets.push_back(std::move(members));
  }
  std::vector<AltId> result;
  for (const auto& nodes : minimal) {
    AltId id = MakeAlt(type, nodes);
    if (!alts_[id].impossible) result.push_back(id);
  }
  raw_alternatives_[{conj, type}] = result;
  return result;
}

AltId SchemaLogic::MakeAlt(TypeBit type, const std::vector<NodeIndex>& nodes) {
  auto known = alt_index_.find({type, nodes});
  if (known != alt_index_.end()) return known->second;
  Alternative alt;
  alt.type = type;
  alt.nodes = nodes;
  for (NodeIndex index : nodes) {
    const SchemaNode& node = schema_.nodes[index];
    if (type == kNumberBit) {
      alt.number.integer = alt.number.integer || node.number.integer;
      if (node.number.lower) alt.number.JoinLower(*node.number.lower);
      if (node.number.upper) alt.number.JoinUpper(*node.number.upper);
      if (node.number.one_of) alt.number.JoinOneOf(*node.number.one_of);
    } else if (type == kStringBit) {
      alt.min = std::max(alt.min, node.min_length);
      alt.max = std::min(alt.max, node.max_length);
      alt.patterns.insert(alt.patterns.end(), node.patterns.begin(), node.patterns.end());
    } else if (type == kArrayBit) {
      alt.min = std::max(alt.min, node.min_items);
      alt.max = std::min(alt.max, node.max_items);
    } else if (type == kObjectBit) {
      alt.min = std::max(alt.min, node.min_properties);
      alt.max = std::min(alt.max, node.max_properties);
    }
  }
  if (type == kStringBit) FillString(&alt);
  if (type == kObjectBit) FillObject(&alt);
  AltId id = static_cast<AltId>(alts_.size());
  alts_.push_back(std::move(alt));
  alt_index_[{type, nodes}] = id;
  return id;
}

void SchemaLogic::FillString(Alternative* alt) {
  std::sort(alt->patterns.begin(), alt->patterns.end());
  alt->patterns.erase(std::unique(alt->patterns.begin(), alt->patterns.end()), alt->patterns.end());
  std::optional<std::vector<std::u32string>> both;
  for (NodeIndex index : alt->nodes) {
    const auto& strings = schema_.nodes[index].strings;
    if (!strings) continue;
    if (!both) {
      both = *strings;
      continue;
    }
    std::vector<std::u32string> common;
    std::set_intersection(both->begin(), both->end(), strings->begin(), strings->end(),
                          std::back_inserter(common));
    both = std::move(common);
  }
  if (!both) return;
  auto filtered = std::make_shared<std::vector<std::u32string>>();
  for (const auto& text : *both) {
    bool good = text.size() >= alt->min && text.size() <= alt->max;
    for (RegexId regex : alt->patterns) good = good && pool_->Matches(regex, text);
    if (good) filtered->push_back(text);
  }
  alt->impossible = filtered->empty();
  alt->strings = filtered;
  alt->patterns.clear();
}

void SchemaLogic::FillObject(Alternative* alt) {
  std::map<std::u32string, size_t> index_of;
  auto key_of = [&](const std::u32string& name) -> NamedKey& {
    auto [it, fresh] = index_of.try_emplace(name, alt->keys.size());
    if (fresh) {
      alt->keys.emplace_back();
      alt->keys.back().name = name;
    }
    return alt->keys[it->second];
  };
  int order = 0;
  for (NodeIndex index : alt->nodes) {
    for (const auto& property : schema_.nodes[index].properties) {
      NamedKey& key = key_of(property.first);
      if (key.order < 0) key.order = order++;
    }
    for (const auto& pattern : schema_.nodes[index].pattern_properties) {
      alt->patterns.push_back(pattern.first);
    }
  }
  for (NodeIndex index : alt->nodes) {
    for (const auto& name : schema_.nodes[index].required) {
      NamedKey& key = key_of(name);
      key.required = true;
      if (key.order < 0) key.order = order++;
    }
  }
  std::sort(alt->patterns.begin(), alt->patterns.end());
  alt->patterns.erase(std::unique(alt->patterns.begin(), alt->patterns.end()), alt->patterns.end());
  for (NamedKey& key : alt->keys) {
    std::vector<NodeIndex> apply;
    for (NodeIndex index : alt->nodes) {
      const SchemaNode& node = schema_.nodes[index];
      bool matched = false;
      for (const auto& property : node.properties) {
        if (property.first == key.name) apply.push_back(property.second), matched = true;
      }
      for (const auto& pattern : node.pattern_properties) {
        if (pool_->Matches(pattern.first, key.name)) {
          apply.push_back(pattern.second);
          matched = true;
        }
      }
      if (!matched && node.additional >= 0) apply.push_back(node.additional);
    }
    key.value = Conj(apply);
  }
}

// --- Satisfiability ----------------------------------------------------------------------------

bool SchemaLogic::Satisfiable(ConjId conj) {
  auto it = decided_[mode_].find(conj);
  if (it != decided_[mode_].end()) return it->second;
  if (solving_) return open_.try_emplace(conj, false).first->second;
  solving_ = true;
  open_[conj] = false;
  for (bool changed = true; changed;) {
    changed = false;
    size_t known = open_.size();
    // Others may join `open_` meanwhile; a map keeps its iterators.
    for (auto& entry : open_) {
      if (entry.second) continue;
      other_words_[mode_].clear();
      if (Evaluate(entry.first)) entry.second = changed = true;
    }
    changed = changed || open_.size() != known;
  }
  other_words_[mode_].clear();
  solving_ = false;
  decided_[mode_].insert(open_.begin(), open_.end());
  open_.clear();
  return decided_[mode_][conj];
}

bool SchemaLogic::Evaluate(ConjId conj) {
  for (TypeBit type : kTypes) {
    for (AltId id : RawAlternatives(conj, type)) {
      if (AltPossible(id)) return true;
    }
  }
  return false;
}

bool SchemaLogic::Spell(const char* bytes) const {
  for (; *bytes != '\0'; ++bytes) {
    if (!spellable(static_cast<uint8_t>(*bytes))) return false;
  }
  return true;
}

bool SchemaLogic::MembersSpellable(bool object) const {
  if (object && !Spell("\":")) return false;
  if (style_.whitespace != JudgeStyle::Whitespace::kIndent) return true;
  return Spell("\n") && ((!object && style_.indent == 0) || Spell(" "));
}

bool SchemaLogic::AltPossible(AltId id) {
  TypeBit type = alts_[id].type;
  switch (type) {
    case kNullBit:
      return Spell("null");
    case kTrueBit:
      return Spell("true");
    case kFalseBit:
      return Spell("false");
    case kNumberBit:
      return NumberLive("", alts_[id].number, number_style());
    case kStringBit: {
      TextProgress start;
      start.regexes = alts_[id].patterns;
      return Spell("\"") && StringLive(id, start);
    }
    case kArrayBit:
      return Spell("[") && ArrayCanEnd(id, 0);
    default: {
      ObjectProgress start;
      start.seen.resize(alts_[id].keys.size());
      return Spell("{") && ObjectCanEnd(id, start);
    }
  }
}

std::vector<AltId> SchemaLogic::AlternativesOf(ConjId conj, TypeBit type) {
  auto it = alternatives_[mode_].find({conj, type});
  if (it != alternatives_[mode_].end()) return it->second;
  std::vector<AltId> result;
  for (AltId id : RawAlternatives(conj, type)) {
    // Bytes that open a value may come inside a longer token: they are not asked to be spellable.
    bool possible = true;
    if (type == kStringBit) {
      TextProgress start;
      start.regexes = alts_[id].patterns;
      possible = StringLive(id, start);
    } else if (type == kArrayBit) {
      possible = ArrayCanEnd(id, 0);
    } else if (type == kObjectBit) {
      ObjectProgress start;
      start.seen.resize(alts_[id].keys.size());
      possible = ObjectCanEnd(id, start);
    }
    if (possible) result.push_back(id);
  }
  alternatives_[mode_][{conj, type}] = result;
  return result;
}

// --- Arrays ------------------------------------------------------------------------------------

ConjId SchemaLogic::ItemConj(AltId id, uint64_t index) {
  std::vector<NodeIndex> apply;
  for (NodeIndex node_index : alts_[id].nodes) {
    const SchemaNode& node = schema_.nodes[node_index];
    if (index < node.prefix_items.size()) {
      apply.push_back(node.prefix_items[index]);
    } else if (node.items >= 0) {
      apply.push_back(node.items);
    }
  }
  return Conj(apply);
}

uint64_t SchemaLogic::CutCount(AltId id, uint64_t count) const {
  if (alts_[id].max != kNoLimit) return count;
  uint64_t longest = alts_[id].min;
  for (NodeIndex node : alts_[id].nodes) {
    longest = std::max<uint64_t>(longest, schema_.nodes[node].prefix_items.size());
  }
  return std::min(count, longest + 1);
}

bool SchemaLogic::ArrayClosable(AltId id, uint64_t count) const {
  return count >= alts_[id].min && count <= alts_[id].max;
}

bool SchemaLogic::ArrayCanEnd(AltId id, uint64_t count) {
  uint64_t min = alts_[id].min;
  if (!Spell("]") || count > alts_[id].max || min > alts_[id].max) return false;
  if (count >= min) return true;
  if (!MembersSpellable(false) || (std::max<uint64_t>(count, 1) < min && !Spell(","))) return false;
  uint64_t longest = 0;
  for (NodeIndex node : alts_[id].nodes) {
    longest = std::max<uint64_t>(longest, schema_.nodes[node].prefix_items.size());
  }
  // Items behind every prefix are alike: one of them stands for all.
  for (uint64_t i = count; i < min && i <= std::max(longest, count); ++i) {
    if (!Satisfiable(ItemConj(id, i))) return false;
  }
  return true;
}

bool SchemaLogic::ArrayCanAdd(AltId id, uint64_t count) {
  return MembersSpellable(false) && Satisfiable(ItemConj(id, count)) && ArrayCanEnd(id, count + 1);
}

// --- Objects -----------------------------------------------------------------------------------

bool SchemaLogic::ObjectClosable(AltId id, const ObjectProgress& at) const {
  const Alternative& alt = alts_[id];
  for (size_t i = 0; i < alt.keys.size(); ++i) {
    if (alt.keys[i].required && !at.seen[i]) return false;
  }
  return at.count() >= alt.min && at.count() <= alt.max;
}

bool SchemaLogic::KeyAvailable(const NamedKey& key, int last_order) {
  if (style_.declared_order && key.order <= last_order) return false;
  return speller().CanSpell(key.name, 0) && Satisfiable(key.value);
}

bool SchemaLogic::ObjectCanEnd(AltId id, const ObjectProgress& at, ObjectProgress::OpenKey open) {
  if (!Spell("}")) return false;
  bool reading = open != ObjectProgress::OpenKey::kNone;
  uint64_t count = at.count() + (reading ? 1 : 0);
  int last_order = reading && style_.declared_order ? kOrderDone : at.last_order;
  uint64_t missing = 0;
  uint64_t optional = 0;
  const std::vector<NamedKey>& keys = alts_[id].keys;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (at.seen[i] || !keys[i].required) continue;
    if (!KeyAvailable(keys[i], last_order)) return false;
    ++missing;
  }
  uint64_t min = alts_[id].min;
  if (count + missing > alts_[id].max || min > alts_[id].max) return false;
  if (count + missing < min) {
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!at.seen[i] && !keys[i].required && KeyAvailable(keys[i], last_order)) ++optional;
    }
    if (count + missing + optional < min) {
      uint64_t others = FreshOthers(id, alts_[id].patterns, U"", "", at);
      if (open == ObjectProgress::OpenKey::kTakesOne && others > 0 && others < kEndlessWords)
        --others;
      if (count + missing + optional + others < min) return false;
    }
  }
  uint64_t needed = std::max(count + missing, min) - count;
  if (needed == 0) return true;
  return MembersSpellable(true) && (count + needed <= 1 || Spell(","));
}

ConjId SchemaLogic::OtherConj(AltId id, const std::vector<RegexId>& regexes) {
  std::vector<bool> matched;
  for (RegexId regex : regexes) matched.push_back(pool_->AcceptsHere(regex));
  auto it = other_conj_.find({id, matched});
  if (it != other_conj_.end()) return it->second;
  std::vector<NodeIndex> apply;
  const Alternative& alt = alts_[id];
  for (NodeIndex index : alt.nodes) {
    const SchemaNode& node = schema_.nodes[index];
    bool any = false;
    for (const auto& pattern : node.pattern_properties) {
      size_t place = static_cast<size_t>(
          std::lower_bound(alt.patterns.begin(), alt.patterns.end(), pattern.first) -
          alt.patterns.begin());
      if (!matched[place]) continue;
      apply.push_back(pattern.second);
      any = true;
    }
    if (!any && node.additional >= 0) apply.push_back(node.additional);
  }
  ConjId conj = Conj(apply);
  other_conj_[{id, matched}] = conj;
  return conj;
}

bool SchemaLogic::ObjectCanAdd(AltId id, const ObjectProgress& at) {
  TextProgress start;
  start.regexes = alts_[id].patterns;
  return MembersSpellable(true) && KeyLive(id, at, start);
}

bool SchemaLogic::KeyLive(AltId id, const ObjectProgress& at, const TextProgress& key) {
  if (!Spell("\":")) return false;
  const CodePoints& next = speller().Completions(key.pending);
  const std::vector<NamedKey>& keys = alts_[id].keys;
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::u32string& name = keys[i].name;
    if (at.seen[i] || name.compare(0, key.text.size(), key.text) != 0) continue;
    if (style_.declared_order && keys[i].order <= at.last_order) continue;
    size_t read = key.text.size();
    if (!key.pending.empty()) {
      if (read == name.size() || !next.Contains(name[read])) continue;
      ++read;
    }
    if (!speller().CanSpell(name, read) || !Satisfiable(keys[i].value)) continue;
    ObjectProgress after = at;
    after.seen[i] = true;
    after.last_order = keys[i].order;
    if (ObjectCanEnd(id, after)) return true;
  }
  if (FreshOthers(id, key.regexes, key.text, key.pending, at) == 0) return false;
  bool takes_one = key.pending.empty() && speller().CanSpell(key.text, 0);
  return ObjectCanEnd(
      id, at, takes_one ? ObjectProgress::OpenKey::kTakesOne : ObjectProgress::OpenKey::kTakesNone);
}

bool SchemaLogic::AddKey(AltId id, const TextProgress& key, ObjectProgress* at, ConjId* value) {
  const Alternative& alt = alts_[id];
  if (!key.pending.empty()) return false;
  for (size_t i = 0; i < alt.keys.size(); ++i) {
    if (alt.keys[i].name != key.text) continue;
    const int order = alt.keys[i].order;
    if (at->seen[i] || (style_.declared_order && order <= at->last_order)) return false;
    at->seen[i] = true;
    if (style_.declared_order) at->last_order = order;
    *value = alt.keys[i].value;
    return Satisfiable(*value) && ObjectCanEnd(id, *at);
  }
  if (!at->others.insert(key.text).second) return false;
  if (style_.declared_order) at->last_order = kOrderDone;
  *value = OtherConj(id, key.regexes);
  return Satisfiable(*value) && ObjectCanEnd(id, *at);
}

}  // namespace maskloom::judge
