#include "compiler/mask_builder.h"

#include <algorithm>

#include "compiler/array_plan.h"
#include "compiler/liveness.h"
#include "compiler/object_registers.h"
#include "compiler/value_space.h"

namespace maskloom {
namespace {

// From this many children on, a filter by next bytes is cheaper than trying every child.
constexpr uint32_t kFilterFrom = 5;
// A base must cover tokens of this many code points to be worth a row.
constexpr uint32_t kMinBaseLength = 8;
// From this many tokens below a node on, taking whole subtrees is worth finding the region.
constexpr size_t kTakeFrom = 32;

void SetBit(uint32_t* row, TokenId id) { row[id / 32] |= 1u << (id % 32); }

void AppendAll(std::span<const TokenId> tokens, std::vector<TokenId>* allowed) {
  allowed->insert(allowed->end(), tokens.begin(), tokens.end());
}

// Is `item` at a boundary inside a string that no automaton restricts, or such a key?
bool IsAnyText(const Machine& machine, const Item& item) {
  const Frame& frame = item.frame;
  if (frame.partial != kBoundary) return false;
  if (frame.kind == FrameKind::kString) return machine.string(frame.node).automaton == nullptr;
  if (frame.kind != FrameKind::kObject || frame.phase != Phase::kKey) return false;
  const ObjectTable& table = machine.object(frame.node);
  if (table.other_keys != nullptr || frame.state2 == TextAutomaton::kDead) return false;
  return ObjectRegisters(table, machine.declared_order(), frame)
      .MayAddOther(frame.state2, frame.state, frame.key_text);
}

// Is `frame` where white space may stand, whatever follows?
bool IsBetweenTokens(const Machine& machine, const Frame& frame) {
  const StylePolicy::Whitespace whitespace = machine.style().whitespace;
  const bool container = frame.kind == FrameKind::kArray ||
                         (frame.kind == FrameKind::kObject && frame.phase != Phase::kKey);
  // A carriage return is allowed only if its line feed can be spelled.
  return container && machine.Spells('\n') &&
         (whitespace == StylePolicy::Whitespace::kFlexible ||
          whitespace == StylePolicy::Whitespace::kAny);
}

// Is `byte` a whole code point of a JSON string, spelled as itself?
bool IsPlainText(uint8_t byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

// Is the first item a number, and can none of the others take a byte of a number?
bool IsNumberConfiguration(const std::vector<Item>& items, size_t begin, size_t end) {
  if (items[begin].frame.kind != FrameKind::kNumber) return false;
  for (size_t i = begin + 1; i < end; ++i) {
    const Frame& frame = items[i].frame;
    const bool container = frame.kind == FrameKind::kArray || frame.kind == FrameKind::kObject;
    if (frame.kind != FrameKind::kEnd && !(container && frame.phase == Phase::kAfterValue)) {
      return false;
    }
  }
  return true;
}

// First bytes of the code points in [first, last].
void AddFirstBytes(uint32_t first, uint32_t last, bool json, std::bitset<256>* bytes) {
  const auto lead = [](uint32_t c) -> uint32_t {
    return c < 0x80 ? c : c < 0x800 ? 0xC0 | c >> 6 : c < 0x10000 ? 0xE0 | c >> 12 : 0xF0 | c >> 18;
  };
  for (uint32_t b = lead(first); b <= lead(last); ++b) bytes->set(b);
  if (json) bytes->set('\\');
}

void AddSpace(const Machine& machine, std::bitset<256>* bytes) {
  if (machine.style().whitespace == StylePolicy::Whitespace::kCompact) return;
  for (const char c : {' ', '\t', '\n', '\r'}) bytes->set(static_cast<uint8_t>(c));
}

void AddAutomatonBytes(const TextAutomaton& automaton, uint32_t state, bool json,
                       std::bitset<256>* bytes) {
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    AddFirstBytes(edge.first, edge.last, json, bytes);
  }
}

void AddNameBytes(const NameTrie& names, uint32_t state, std::bitset<256>* bytes) {
  for (const NameTrie::Edge& edge : names.edges(state)) {
    AddFirstBytes(edge.code_point, edge.code_point, true, bytes);
  }
}

}  // namespace

void AddNextBytes(const Machine& machine, const Item& item, std::bitset<256>* bytes) {
  const Frame& frame = item.frame;
  const auto add = [bytes](const char* list) {
    for (; *list != '\0'; ++list) bytes->set(static_cast<uint8_t>(*list));
  };
  if (frame.partial != kBoundary) {
    const bool utf8 = frame.kind == FrameKind::kRule;
    *bytes |= BytesAfter(utf8 ? TextCoding::kUtf8 : machine.string_coding(), frame.partial);
    return;
  }
  switch (frame.kind) {
    case FrameKind::kEnd:
      return AddSpace(machine, bytes);
    case FrameKind::kValue:
      AddSpace(machine, bytes);
      *bytes |= machine.value(frame.node).first_bytes;
      return;
    case FrameKind::kLiteral:
      bytes->set(static_cast<uint8_t>(kLiteralTexts[frame.node][frame.state]));
      return;
    case FrameKind::kString: {
      const StringTable& table = machine.string(frame.node);
      bytes->set('"');
      if (table.automaton == nullptr) {
        *bytes |= BytesAfter(machine.string_coding(), kBoundary);
      } else {
        AddAutomatonBytes(*table.automaton, frame.state, true, bytes);
      }
      return;
    }
    case FrameKind::kNumber:
      return add("-+.eE0123456789");
    case FrameKind::kArray:
      AddSpace(machine, bytes);
      add(frame.phase == Phase::kAfterValue ? "]," : "]");
      if (frame.phase != Phase::kAfterValue) {
        const ArrayTable& table = machine.array(frame.node);
        if (frame.count < table.max && table.plain) {
          *bytes |= machine.value(table.ItemValue(frame.count)).first_bytes;
        } else if (frame.count < table.max) {
          for (const Choice& choice : ItemChoices(table, frame.count)) {
            if (choice.value != kNeverValue) *bytes |= machine.value(choice.value).first_bytes;
          }
        }
      }
      return;
    case FrameKind::kObject: {
      if (frame.phase != Phase::kKey) AddSpace(machine, bytes);
      switch (frame.phase) {
        case Phase::kOpen:
          return add("\"}");
        case Phase::kColon:
          return add(":");
        case Phase::kAfterValue:
          return add(",}");
        case Phase::kComma:
          return add("\"");
        case Phase::kBeforeValue: {
          const ObjectTable& table = machine.object(frame.node);
          if (!table.has_choices) {
            *bytes |= machine.value(frame.state).first_bytes;
            return;
          }
          for (const MemberChoice& choice : table.choices[frame.state]) {
            *bytes |= machine.value(choice.value).first_bytes;
          }
          return;
        }
        case Phase::kKey:
          break;
      }
      const ObjectTable& table = machine.object(frame.node);
      bytes->set('"');
      if (frame.state2 != TextAutomaton::kDead) {
        if (table.other_keys == nullptr) {
          *bytes |= BytesAfter(machine.string_coding(), kBoundary);
        } else {
          AddAutomatonBytes(*table.other_keys, frame.state2, true, bytes);
        }
      }
      if (frame.state != NameTrie::kDead) AddNameBytes(table.names, frame.state, bytes);
      return;
    }
    case FrameKind::kRule:
      return AddAutomatonBytes(*machine.rule(frame.node).automaton, frame.state, false, bytes);
    case FrameKind::kRepeat:
      return;
  }
}

MaskBuilder::Plan MaskBuilder::ChooseBase(const Item& item, ItemMask* mask) const {
  const auto set_base = [mask](const MaskBase& base) {
    mask->base_id = base.id;
    mask->base = base.row;
    mask->allowed_count = base.count;
  };
  const Frame& frame = item.frame;
  const TokenTrie* all = &vocabulary_->trie();
  if (IsBetweenTokens(*machine_, frame)) {
    set_base(vocabulary_->spaces().Find(machine_->style(), frame.space));
    return {all, {WhiteSpaceCategories(), CategoryIndex::kAnyLength}};
  }
  // Where items are compared a text must be followed byte by byte, but for what never runs out.
  const bool any_text = IsAnyText(*machine_, item);
  uint32_t reach = CategoryIndex::kAnyLength;
  if (item.trace != nullptr) {
    const ValueSpace& space = *machine_->value_space();
    const bool is_key = frame.kind == FrameKind::kObject && any_text && space.IsEndless(frame);
    reach = is_key ? kNoLimit : space.EndlessReach(frame);
    if (reach == 0) return {all, {}};
    if (reach == kNoLimit && any_text) {
      const StringIndex& strings = vocabulary_->strings(machine_->string_coding());
      set_base(strings.Stay());
      return {&strings.exits(), {}};
    }
  }
  TextRegion region = rows_->regions().Find(*machine_, item);
  if (!any_text || item.trace != nullptr) {
    region.length = std::min(region.length, reach);
    if (region.categories == 0 || region.length < kMinBaseLength) return {all, {}};
    set_base(rows_->RegionRow(region));
    return {all, {region.categories, CategoryIndex::RowLength(region.length)}};
  }
  const StringIndex& strings = vocabulary_->strings(machine_->string_coding());
  if (region.length == CategoryIndex::kAnyLength) {
    set_base(strings.Stay());
  } else {
    set_base(strings.AtMost(region.length));
    for (const StringIndex::LongToken& token : strings.LongerThanRows()) {
      if (token.code_points <= region.length) mask->additions.push_back(token.id);
    }
  }
  if (frame.kind == FrameKind::kString) {
    const StringTable& table = machine_->string(frame.node);
    const bool may_end =
        !table.bounded || (frame.count >= table.min && region.length >= strings.longest_exit());
    return {may_end ? &strings.tails() : &strings.exits(), {}};
  }
  // Of a key the text before the quote matters if it was seen, or if a second key follows.
  bool by_tail = !vocabulary_->has_two_key_tokens();
  for (const SeenKey* key = frame.seen_keys; key != nullptr && by_tail; key = key->previous) {
    by_tail = !IsKeyPrefix(frame.key_text, key->text);
  }
  return {by_tail ? &strings.tails() : &strings.exits(), {}, by_tail};
}

void MaskBuilder::WalkKey(const Item& item, std::vector<TokenId>* allowed) {
  others_.clear();
  Item undeclared = item;
  undeclared.frame.state = NameTrie::kDead;
  const StringIndex& strings = vocabulary_->strings(machine_->string_coding());
  Walk(strings.tails(), undeclared, {}, &others_);
  if (item.frame.state == NameTrie::kDead) {
    AppendAll(others_, allowed);
    return;
  }
  ends_.clear();
  name_ends_ = &ends_;
  Walk(strings.exits(), item, {}, allowed);
  name_ends_ = nullptr;
  std::sort(ends_.begin(), ends_.end());
  for (const TokenId id : others_) {
    if (!std::binary_search(ends_.begin(), ends_.end(), id)) allowed->push_back(id);
  }
}

// Would a quote at this level end a declared name?
bool MaskBuilder::EndsDeclaredName(const Level& level) const {
  const Frame& frame = items_[level.begin_items].frame;
  return level.in_name && frame.partial == kBoundary &&
         machine_->object(frame.node).names.node(frame.state).name != NameTrie::kNoName;
}

void MaskBuilder::KeepToNames(Level* level) const {
  level->in_name = true;
  const Frame& frame = items_[level->begin_items].frame;
  if (frame.partial != kBoundary) return;
  level->filtered = true;
  level->bytes.reset();
  level->bytes.set('"');
  AddNameBytes(machine_->object(frame.node).names, frame.state, &level->bytes);
}

ItemMask MaskBuilder::Build(const Machine& machine, const VocabularyIndex& vocabulary,
                            BaseRows* rows, const Item& item) {
  machine_ = &machine;
  vocabulary_ = &vocabulary;
  rows_ = rows;
  standard_walks_ = &vocabulary.standard_walks(machine.style());
  stepper_.Bind(machine, &arena_);
  ItemMask mask;
  const Plan plan = ChooseBase(item, &mask);
  deepest_level_ = 0;
  if (plan.by_tail) {
    WalkKey(item, &mask.additions);
  } else {
    Walk(*plan.trie, item, plan.base, &mask.additions);
  }
  mask.depth = deepest_level_;
  mask.allowed_count += static_cast<uint32_t>(mask.additions.size());
  const uint32_t words = vocabulary_->row_words();
  if (mask.additions.size() > words) {
    if (mask.base != nullptr) {
      mask.own_row.assign(mask.base, mask.base + words);
    } else {
      mask.own_row.assign(words, 0);
    }
    for (const TokenId id : mask.additions) SetBit(mask.own_row.data(), id);
    mask.additions = {};
    mask.base = mask.own_row.data();
    mask.base_id = rows_->NewId();
  }
  return mask;
}

void MaskBuilder::PushLevel(const TokenTrie& trie, const TokenTrie::Node& node, size_t begin,
                            size_t end) {
  const std::span<const TokenTrie::Node> children = trie.children(node);
  Level level{};
  level.next = children.data();
  level.end = children.data() + children.size();
  level.begin_items = begin;
  level.end_items = end;
  level.mark = arena_.mark();
  const bool traced = std::any_of(items_.begin() + static_cast<ptrdiff_t>(begin),
                                  items_.begin() + static_cast<ptrdiff_t>(end),
                                  [](const Item& item) { return item.trace != nullptr; });
  level.is_number = !traced && IsNumberConfiguration(items_, begin, end);
  level.is_text = !traced && end - begin == 1 && items_[begin].frame.kind == FrameKind::kString &&
                  items_[begin].frame.partial == kBoundary;
  level.filtered = node.child_count >= kFilterFrom && !level.is_number;
  if (level.filtered) {
    for (size_t i = begin; i < end; ++i) AddNextBytes(*machine_, items_[i], &level.bytes);
  }
  if (node.child_count >= kFilterFrom) {
    if (!traced && &trie == &vocabulary_->trie() && trie.tokens_below(node).size() >= kTakeFrom) {
      for (size_t i = begin; i < end && level.take.categories == 0; ++i) {
        level.take = rows_->regions().Find(*machine_, items_[i]);
      }
      // Beyond ASCII a subtree may hold bytes that are no character here.
      level.take.categories &= AsciiCategories();
    }
  }
  levels_.push_back(level);
}

// Appends what the level's configuration becomes behind `byte`. Returns whether it lives.
bool MaskBuilder::StepLevel(Level* level, uint8_t byte) {
  if (level->is_text && IsPlainText(byte)) {
    items_.push_back(items_[level->begin_items]);
    Frame& frame = items_.back().frame;
    return AdvanceString(machine_->string(frame.node), byte, &frame);
  }
  if (!level->is_number) {
    return stepper_.Step(&items_, level->begin_items, level->end_items, byte);
  }
  Item number = items_[level->begin_items];
  const NumberAutomaton& automaton = *machine_->number(number.frame.node).automaton;
  if (NumberAutomaton::IsNumberByte(byte)) {
    number.frame.state = automaton.Step(number.frame.state, byte);
    if (number.frame.state == NumberAutomaton::kDead) return false;
    items_.push_back(number);
    return true;
  }
  if (level->must_return) {
    stepper_.AppendReturns(&items_, number);
    level->end_items = items_.size();
    level->mark = arena_.mark();
    level->must_return = false;
  }
  return stepper_.Step(&items_, level->begin_items, level->end_items, byte);
}

StandardPart MaskBuilder::PartBegun(const Level& level, uint8_t byte, size_t begin) const {
  const Frame& frame = items_[begin].frame;
  if (items_[begin].trace != nullptr || frame.partial != kBoundary) return kNoStandardPart;
  const StandardNodes& nodes = machine_->standard_nodes();
  const bool alone = items_.size() == begin + 1;
  switch (byte) {
    case '"':
      if (!alone) return kNoStandardPart;
      if (frame.kind == FrameKind::kString) return nodes.strings[frame.node];
      // Only behind its quote a key of any text has none.
      return frame.key_text == nullptr && IsAnyText(*machine_, items_[begin]) ? StandardPart::kKey
                                                                              : kNoStandardPart;
    case '[':
    case '{': {
      if (!alone || frame.phase != Phase::kOpen) return kNoStandardPart;  // text of a key or string
      if (frame.kind == FrameKind::kArray) return nodes.arrays[frame.node];
      return frame.kind == FrameKind::kObject ? nodes.objects[frame.node] : kNoStandardPart;
    }
    default: {
      if (frame.kind != FrameKind::kNumber || !NumberAutomaton::IsNumberByte(byte)) {
        return kNoStandardPart;
      }
      for (size_t i = level.begin_items; i < level.end_items; ++i) {
        if (items_[i].frame.kind == FrameKind::kNumber) return kNoStandardPart;
      }
      return IsNumberConfiguration(items_, begin, items_.size()) ? nodes.numbers[frame.node]
                                                                 : kNoStandardPart;
    }
  }
}

// Each end of a key is read again from items_[begin].
void MaskBuilder::PushKeyEnds(const TokenTrie& trie, std::span<const StandardWalks::Exit> ends,
                              size_t begin, std::vector<TokenId>* allowed) {
  for (const StandardWalks::Exit& end : ends) {
    const size_t kept = items_.size();
    const Arena::Mark mark = arena_.mark();
    size_t from = begin;
    size_t to = begin + 1;
    bool lives = true;
    for (const char c : standard_walks_->BytesOf(end)) {
      lives = stepper_.Step(&items_, from, to, static_cast<uint8_t>(c));
      if (!lives) break;
      from = to == begin + 1 ? kept : to;
      to = items_.size();
    }
    if (!lives) {
      items_.resize(kept);
      arena_.Release(mark);
      continue;
    }
    AppendAll(trie.tokens(end.node), allowed);
    if (end.next != 0) PushLevel(trie, trie.node(end.node), from, to);
  }
}

bool MaskBuilder::TakePart(const TokenTrie& trie, uint32_t node, StandardPart part, size_t begin,
                           std::vector<TokenId>* allowed) {
  const auto walk = standard_walks_->Find(trie, node, part);
  if (!walk) return false;
  if (part == StandardPart::kKey) {
    AppendAll(walk->tokens, allowed);
    PushKeyEnds(trie, walk->exits, begin, allowed);
    return true;
  }
  const size_t behind = items_.size();
  CategorySet next = 0;
  if (!walk->exits.empty()) {
    const Item item = items_[begin];
    stepper_.AppendReturns(&items_, item);
    std::bitset<256> bytes;
    for (size_t i = behind; i < items_.size(); ++i) AddNextBytes(*machine_, items_[i], &bytes);
    for (uint32_t byte = 0; byte < 256; ++byte) {
      if (!bytes[byte]) continue;
      // A number that may go on and end at once is not told here.
      const bool in_number = part == StandardPart::kNumber || part == StandardPart::kInteger;
      if (in_number && NumberAutomaton::IsNumberByte(static_cast<uint8_t>(byte))) {
        items_.resize(behind);
        return false;
      }
      next |= CategorySet{1} << CategoryOf(static_cast<uint8_t>(byte));
    }
  }
  AppendAll(walk->tokens, allowed);
  const size_t end = items_.size();
  for (const StandardWalks::Exit& exit : walk->exits) {
    if ((exit.next & next) != 0) PushLevel(trie, trie.node(exit.node), behind, end);
  }
  return true;
}

void MaskBuilder::Walk(const TokenTrie& trie, const Item& item, const TextRegion& base,
                       std::vector<TokenId>* allowed) {
  arena_.Reset();
  items_.clear();
  levels_.clear();
  stepper_.ResetLevel();
  items_.push_back(item);
  items_.back().level = 1;
  const CategoryIndex& index = vocabulary_->categories();
  const CategorySet base_categories = base.categories | ContinuationCategory();
  PushLevel(trie, trie.node(TokenTrie::kRoot), 0, 1);
  levels_.back().in_base = base.categories != 0;
  levels_.back().base_length = base.length;
  if (name_ends_ != nullptr) KeepToNames(&levels_.back());
  while (!levels_.empty()) {
    Level& level = levels_.back();
    items_.resize(level.end_items);
    arena_.Release(level.mark);
    if (level.next == level.end) {
      levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    if (child.byte == '"' && EndsDeclaredName(level)) {
      AppendAll(trie.tokens(trie.IndexOf(child)), name_ends_);
      AppendAll(trie.tokens_below(child), name_ends_);
    }
    if (level.filtered && !level.bytes[child.byte]) continue;
    const uint32_t child_index = trie.IndexOf(child);
    const bool begins = BeginsCodePoint(child.byte);
    const bool child_in_base = level.in_base &&
                               (base_categories >> CategoryOf(child.byte) & 1) != 0 &&
                               (!begins || level.base_length > 0);
    if (child_in_base || level.take.categories != 0) {
      const CategoryIndex::Below below = index.below(child_index);
      if (child_in_base && (below.categories & ~base_categories) == 0 &&
          below.code_points <= level.base_length) {
        continue;  // the base holds this subtree
      }
      if (!level.in_base && (below.categories & ~level.take.categories) == 0 &&
          below.code_points <= level.take.length) {
        AppendAll(trie.tokens(child_index), allowed);
        AppendAll(trie.tokens_below(child), allowed);
        continue;
      }
    }
    if (!StepLevel(&level, child.byte)) continue;
    const size_t begin = level.end_items;  // StepLevel may have grown it
    const bool in_name = level.in_name && !(child.byte == '"' &&
                                            items_[level.begin_items].frame.partial == kBoundary);
    // Keys that leave the declared names are those of WalkKey's first walk.
    if (in_name && items_[begin].frame.state == NameTrie::kDead) continue;
    if (!child_in_base) AppendAll(trie.tokens(child_index), allowed);
    if (child.child_count == 0) continue;
    if (!child_in_base && !level.in_name) {
      const StandardPart part = PartBegun(level, child.byte, begin);
      if (part != kNoStandardPart && TakePart(trie, child_index, part, begin, allowed)) continue;
    }
    // From here on `level` is no longer valid.
    const uint32_t left = !child_in_base ? 0
                          : level.base_length == CategoryIndex::kAnyLength
                              ? level.base_length
                              : level.base_length - begins;
    const bool number = level.is_number && NumberAutomaton::IsNumberByte(child.byte);
    PushLevel(trie, child, begin, items_.size());
    Level& pushed = levels_.back();
    pushed.in_base = child_in_base;
    pushed.base_length = left;
    if (in_name) KeepToNames(&pushed);
    if (number) {
      const Item& state = items_[pushed.begin_items];
      pushed.must_return =
          machine_->number(state.frame.node).automaton->accepting(state.frame.state);
    }
  }
  deepest_level_ = std::max(deepest_level_, stepper_.deepest_level());
}

}  // namespace maskloom
