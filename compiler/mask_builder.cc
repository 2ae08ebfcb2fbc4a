#include "compiler/mask_builder.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <string_view>

#include "compiler/liveness.h"
#include "compiler/next_bytes.h"
#include "compiler/object_registers.h"
#include "compiler/value_space.h"

namespace maskloom {
namespace {

// A base must cover tokens of this many code points to be worth a row.
constexpr uint32_t kMinBaseLength = 2;
// ... and of this many that those which are longer are few.
constexpr uint32_t kMinExitLength = 8;
// So many tokens beside a base are usual; memory of no more is soon found.
constexpr size_t kRoomForTokens = 256;
// So many tokens of declared names are usual in the mask of a key.
constexpr size_t kRoomForNames = 64;

void SetBit(uint32_t* row, TokenId id) { row[id / 32] |= 1u << (id % 32); }
bool HasBit(const uint32_t* row, TokenId id) { return row[id / 32] >> (id % 32) & 1; }

// Unsets the bit of `id`. Returns whether it was set.
bool TakeBit(uint32_t* row, TokenId id) {
  const bool was_set = HasBit(row, id);
  if (was_set) row[id / 32] ^= 1u << (id % 32);
  return was_set;
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

// Is `frame`, of a key, as MaskBuilder::PlainKeyOf makes it?
bool IsPlainKey(const Frame& frame) {
  return frame.state == NameTrie::kDead && frame.key_text == nullptr && frame.seen_keys == nullptr;
}

}  // namespace

void MarkedTokens::Mark(std::span<const TokenId> tokens) {
  const size_t count = std::bit_ceil(2 * tokens.size() + 1);
  if (slots_.size() < count) slots_.resize(count);
  std::fill_n(slots_.begin(), count, kFree);
  mask_ = count - 1;
  for (const TokenId id : tokens) {
    slots_[SlotOf(id)] = id;
    bits_[id % kBits / 64] |= uint64_t{1} << (id % 64);
  }
}

MaskBuilder::Plan MaskBuilder::ChooseBase(const Item& item, ItemMask* mask) const {
  const auto set_base = [mask](const MaskBase& base) {
    mask->base_id = base.id;
    mask->base = base.row;
    mask->base_owner = base.owner;
    mask->allowed_count = base.count;
  };
  const Frame& frame = item.frame;
  const TokenTrie* all = &vocabulary_->trie();
  if (item.trace == nullptr && machine_->standard_nodes().IsBeforeAny(*machine_, frame)) {
    const MaskBase row = vocabulary_->standard_walks(machine_->style()).member_row();
    if (row.row != nullptr) {
      set_base(row);
      return {.trie = all, .base = {}, .before_any = true};
    }
  }
  if (IsBetweenTokens(*machine_, frame)) {
    set_base(vocabulary_->spaces().Find(machine_->style(), frame.space));
    Plan plan{all, {WhiteSpaceCategories(), CategoryIndex::kAnyLength}};
    plan.between = IsBetween(*machine_, *vocabulary_, item);
    return plan;
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
    if (region.categories == 0 && (region.exits & CategoryBit(' ')) != 0) {
      // Nothing may follow but what a space or another mark begins with.
      const Plan plan = PlanRegion(item, region);
      if (plan.spaced_base.categories == 0) return {all, {}};
      set_base(rows_->RegionRow(region, plan.spaced_base));
      return plan;
    }
    if (region.categories == 0 || region.length < kMinBaseLength) return {all, {}};
    // Few tokens are digits: a row for each number of them would not be worth it.
    const bool digits = region.categories == CategoryBit('0');
    TextRegion row = region;
    if (digits && region.length >= vocabulary_->categories().longest_digits()) {
      row.length = CategoryIndex::kAnyLength;
    }
    if (digits && row.length != CategoryIndex::kAnyLength) return {all, {}};
    const Plan plan = PlanRegion(item, region);
    set_base(rows_->RegionRow(row, plan.spaced_base));
    return plan;
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
    Plan plan{&strings.tails(), {}};
    plan.counted = machine_->string(frame.node).bounded;
    return plan;
  }
  return {IsPlainKey(frame) ? &strings.tails() : &strings.exits(), {}};
}

MaskBuilder::Plan MaskBuilder::PlanRegion(const Item& item, const TextRegion& region) const {
  const Frame& frame = item.frame;
  Plan plan{.trie = &vocabulary_->trie(), .base = region};
  // Names that are declared may leave the region in any way; where keys may run out their text
  // matters.
  const bool alone =
      frame.kind == FrameKind::kString ||
      (frame.kind == FrameKind::kObject && IsPlainKey(frame) &&
       !machine_->object(frame.node).counts_keys() && !vocabulary_->has_two_key_tokens());
  plan.by_exits = alone && item.trace == nullptr && IsLeftByMarks(&plan.base);
  if (!plan.by_exits) {
    plan.base.length = CategoryIndex::RowLength(region.length);
    return plan;
  }
  Item behind = item;
  if ((region.exits & CategoryBit(' ')) == 0 || !walker_.AdvanceText(' ', &behind)) return plan;
  plan.behind_space = behind;
  TextRegion spaced = rows_->regions().Find(*machine_, behind);
  if (spaced.length >= kMinBaseLength && IsLeftByMarks(&spaced)) plan.spaced_base = spaced;
  return plan;
}

bool MaskBuilder::IsLeftByMarks(TextRegion* region) const {
  region->exits |= CategoryBit('"') | CategoryBit('\\');
  return (region->is_whole || region->length >= kMinExitLength) &&
         (region->exits & ~vocabulary_->categories().has_exits()) == 0;
}

bool MaskBuilder::IsBetween(const Machine& machine, const VocabularyIndex& vocabulary,
                            const Item& item) {
  const StylePolicy& style = machine.style();
  return item.trace == nullptr && IsBetweenTokens(machine, item.frame) &&
         (item.frame.space == 0 ||
          vocabulary.standard_walks(style).SpaceEndsFollow(style, item.frame.space));
}

ItemMask MaskBuilder::BuildBetween(const Machine& machine, const VocabularyIndex& vocabulary,
                                   BaseRows* rows, Items items) {
  Bind(machine, vocabulary, rows);
  const MaskBase base = vocabulary.spaces().Find(machine.style(), items.front().frame.space);
  ItemMask mask;
  mask.base_id = base.id;
  mask.base = base.row;
  mask.base_owner = base.owner;
  mask.allowed_count = base.count;
  mask.additions.reserve(kRoomForTokens);
  walker_.WalkBetween(items, &mask.additions);
  mask.depth = walker_.deepest_level();
  std::sort(mask.additions.begin(), mask.additions.end());
  mask.additions.erase(std::unique(mask.additions.begin(), mask.additions.end()),
                       mask.additions.end());
  Finish(&mask);
  return mask;
}

std::optional<Item> MaskBuilder::PlainKeyOf(const Machine& machine,
                                            const VocabularyIndex& vocabulary, const Item& item) {
  const Frame& frame = item.frame;
  if (frame.kind != FrameKind::kObject || frame.phase != Phase::kKey || item.trace != nullptr ||
      IsPlainKey(frame) || !IsOpenKey(machine, item)) {
    return std::nullopt;
  }
  // The text of a key matters as a whole only if a second key follows in the same token.
  if (vocabulary.has_two_key_tokens()) return std::nullopt;
  Item plain = item;
  plain.frame.state = NameTrie::kDead;
  plain.frame.key_text = nullptr;
  plain.frame.seen_keys = nullptr;
  return plain;
}

ItemMask MaskBuilder::BuildKey(const Machine& machine, const VocabularyIndex& vocabulary,
                               BaseRows* rows, const Item& item, const ItemMask& plain) {
  Bind(machine, vocabulary, rows);
  ItemMask mask;
  mask.additions.reserve(plain.exceptions().size() + kRoomForNames);
  ends_.clear();
  names_.clear();
  const bool any_text = machine.object(item.frame.node).other_keys == nullptr;
  if (item.frame.state != NameTrie::kDead) {
    const StringIndex& strings = vocabulary.strings(machine.string_coding());
    walker_.Walk(strings.exits(), item, {}, &names_, &ends_);
    if (!any_text) {
      // Names go on too where the automaton of the others does not.
      names_.clear();
      Item named = item;
      named.frame.state2 = TextAutomaton::kDead;
      walker_.Walk(vocabulary.trie(), named, {}, &names_);
    }
  }
  const KeyText* text = item.frame.key_text;
  for (const SeenKey* key = item.frame.seen_keys; key != nullptr; key = key->previous) {
    if (!IsKeyPrefix(text, key->text)) continue;
    rest_.clear();
    for (const KeyText* t = key->text;
         t != nullptr && (text == nullptr || t->length > text->length); t = t->previous) {
      rest_.push_back(t->code_point);
    }
    std::reverse(rest_.begin(), rest_.end());
    AppendEnds(rest_);
    if (machine.object(item.frame.node).counts_keys()) AppendLast(item, rest_);
  }
  mask.depth = std::max(plain.depth, walker_.deepest_level());
  mask.allowed_count = plain.allowed_count - static_cast<uint32_t>(plain.exceptions().size());
  const bool in_base =
      plain.base != nullptr &&
      std::any_of(ends_.begin(), ends_.end(), [&](TokenId id) { return HasBit(plain.base, id); });
  if (in_base || !plain.own_row.empty()) {
    mask.own_row.assign(plain.base, plain.base + vocabulary.row_words());
    mask.base = mask.own_row.data();
    mask.base_id = rows->NewId();
    for (const TokenId id : ends_) mask.allowed_count -= TakeBit(mask.own_row.data(), id);
  } else {
    mask.base_id = plain.base_id;
    mask.base = plain.base;
    mask.base_owner = plain.base_owner;
  }
  marked_.Mark(ends_);
  for (const TokenId id : plain.exceptions()) {
    if (!marked_.Has(id)) mask.additions.push_back(id);
  }
  const bool are_ends =
      std::all_of(names_.begin(), names_.end(), [&](TokenId id) { return marked_.Has(id); });
  marked_.Clear();
  marked_.Mark(names_);
  if (!are_ends) {
    // What the automaton of the other keys goes on with, too, is there already.
    for (const TokenId id : mask.additions) {
      if (marked_.Has(id)) marked_.Unmark(id);
    }
  }
  for (const TokenId id : names_) {
    if (marked_.Has(id) && (mask.base == nullptr || !HasBit(mask.base, id))) {
      mask.additions.push_back(id);
    }
  }
  marked_.Clear();
  Finish(&mask);
  return mask;
}

std::optional<MaskBuilder::Sibling> MaskBuilder::SiblingOf(const Machine& machine, BaseRows* rows,
                                                           const Item& item) {
  const Frame& frame = item.frame;
  if (frame.kind != FrameKind::kString || frame.partial != kBoundary || item.trace != nullptr ||
      machine.value_space() != nullptr) {
    return std::nullopt;
  }
  const StringTable& table = machine.string(frame.node);
  if (table.automaton == nullptr) return std::nullopt;
  constexpr uint32_t kLeast = CategoryIndex::kMaxLengthRow;
  Sibling sibling{item, kNoLimit};
  if (table.bounded) {
    // Where no length is owed, and whatever is read lengths without a gap are left.
    if (frame.count < table.min || table.longest_gap == ~uint64_t{0}) return std::nullopt;
    if (table.max != kNoLimit) {
      const uint64_t needed = kLeast + table.longest_gap;
      const uint32_t left = table.max - frame.count;
      if (left < needed) return std::nullopt;
      sibling.reach = left - static_cast<uint32_t>(table.longest_gap);
      sibling.item.frame.count = table.min;
    }
  }
  const SiblingStates::Sibling state =
      rows->siblings().Find(*table.automaton, frame.state, kLeast, machine.max_token_bytes() + 1);
  sibling.item.frame.state = state.state;
  sibling.reach = std::min(sibling.reach, state.reach);
  const Frame& other = sibling.item.frame;
  if (other.state == frame.state && other.count == frame.count) return std::nullopt;
  return sibling;
}

ItemMask MaskBuilder::BuildBeside(const Machine& machine, const VocabularyIndex& vocabulary,
                                  BaseRows* rows, const Item& item, uint32_t reach,
                                  const ItemMask& sibling) {
  Bind(machine, vocabulary, rows);
  ItemMask mask;
  const std::span<const TokenId> exceptions = sibling.exceptions();
  mask.additions.assign(exceptions.begin(), exceptions.end());
  mask.allowed_count = sibling.allowed_count - static_cast<uint32_t>(exceptions.size());
  mask.base_id = sibling.base_id;
  mask.base = sibling.base;
  mask.base_owner = sibling.base_owner;
  if (!sibling.own_row.empty()) {
    mask.own_row = sibling.own_row;
    mask.base = mask.own_row.data();
    mask.base_id = rows->NewId();
  }
  ends_.clear();
  names_.clear();
  refused_.clear();
  std::bitset<256> next;
  AddNextBytes(machine, item, &next);
  for (const CategoryIndex::LongToken& token : vocabulary.categories().long_tokens()) {
    if (token.code_points <= reach) continue;
    const std::string_view bytes = vocabulary.vocabulary().bytes(token.id);
    const bool is_allowed =
        next[static_cast<uint8_t>(bytes[0])] && walker_.AcceptsText(item, bytes);
    if (mask.base != nullptr && HasBit(mask.base, token.id)) {
      if (!is_allowed) refused_.push_back(token.id);
      continue;
    }
    names_.push_back(token.id);
    if (is_allowed) ends_.push_back(token.id);
  }
  marked_.Mark(names_);
  std::erase_if(mask.additions, [&](TokenId id) { return marked_.Has(id); });
  marked_.Clear();
  Refuse(&mask);
  mask.additions.insert(mask.additions.end(), ends_.begin(), ends_.end());
  mask.depth = std::max(sibling.depth, walker_.deepest_level());
  Finish(&mask);
  return mask;
}

void MaskBuilder::AppendEnds(const std::u32string& rest) {
  const TextCoding coding = machine_->string_coding();
  const TokenTrie& exits = vocabulary_->strings(coding).exits();
  places_.assign(1, {TokenTrie::kRoot, kBoundary, 0});
  while (!places_.empty()) {
    const Place place = places_.back();
    places_.pop_back();
    // What stands for itself must be the next character, else it is an escape.
    const uint32_t due = place.read < rest.size() ? rest[place.read] : '"';
    for (const TokenTrie::Node& child : exits.children(exits.node(place.node))) {
      if (place.partial == kBoundary && child.byte != '\\') {
        if (child.byte < 0x80 ? child.byte != due : due < 0x80) continue;
      }
      const uint32_t index = exits.IndexOf(child);
      const CodingStep step = StepCoding(coding, place.partial, child.byte);
      if (step.outcome == CodingStep::Outcome::kPartial) {
        places_.push_back({index, step.partial, place.read});
      } else if (step.outcome == CodingStep::Outcome::kCodePoint) {
        if (place.read == rest.size() || step.code_point != rest[place.read]) continue;
        places_.push_back({index, kBoundary, place.read + 1});
      } else if (step.outcome == CodingStep::Outcome::kQuote && place.read == rest.size()) {
        exits.AppendTokens(child, &ends_);
      }
    }
  }
}

void MaskBuilder::AppendLast(const Item& item, const std::u32string& rest) {
  const ObjectTable& table = machine_->object(item.frame.node);
  const TextCoding coding = machine_->string_coding();
  const TokenTrie& trie = vocabulary_->trie();
  places_.assign(1, {TokenTrie::kRoot, kBoundary, 0, item.frame.state2});
  while (!places_.empty()) {
    const Place place = places_.back();
    places_.pop_back();
    if (place.read == rest.size()) continue;
    const uint32_t due = rest[place.read];
    const uint32_t next_state = table.other_keys->Step(place.state, due);
    if (next_state == TextAutomaton::kDead) continue;
    const bool is_endless = table.other_counts[next_state] == kNoLimit;
    for (const TokenTrie::Node& child : trie.children(trie.node(place.node))) {
      if (place.partial == kBoundary && child.byte != '\\') {
        if (child.byte < 0x80 ? child.byte != due : due < 0x80) continue;
      }
      const uint32_t index = trie.IndexOf(child);
      const CodingStep step = StepCoding(coding, place.partial, child.byte);
      if (step.outcome == CodingStep::Outcome::kPartial) {
        places_.push_back({index, step.partial, place.read, place.state});
      } else if (step.outcome == CodingStep::Outcome::kCodePoint && step.code_point == due) {
        places_.push_back({index, kBoundary, place.read + 1, next_state});
      } else {
        continue;
      }
      for (const TokenId id : trie.tokens(index)) {
        const std::string_view bytes = vocabulary_->vocabulary().bytes(id);
        if (!is_endless && !walker_.Accepts(item, bytes)) ends_.push_back(id);
      }
    }
  }
}

void MaskBuilder::Bind(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows) {
  machine_ = &machine;
  vocabulary_ = &vocabulary;
  rows_ = rows;
  walker_.Bind(machine, vocabulary, &rows->regions());
}

void MaskBuilder::WalkExits(MaskWalker::Lead lead, const Item& item, const TextRegion& region,
                            ItemMask* mask) {
  std::vector<TokenId>& additions = mask->additions;
  for (CategorySet rest = region.exits; rest != 0; rest &= rest - 1) {
    const auto category = static_cast<uint8_t>(std::countr_zero(rest));
    const size_t before = additions.size();
    walker_.WalkExits(category, lead, item, region, &additions);
    if (category != kSpecialSpace) continue;
    // Those that end within such a character may be in the base, for others that it can become.
    additions.erase(
        std::remove_if(additions.begin() + static_cast<ptrdiff_t>(before), additions.end(),
                       [&](TokenId id) { return HasBit(mask->base, id); }),
        additions.end());
  }
  if (region.length == CategoryIndex::kAnyLength) return;
  const bool spaced = lead == MaskWalker::Lead::kSpace;
  const CategorySet others = ~(region.categories | ContinuationCategory());
  for (const CategoryIndex::LongToken& token : vocabulary_->categories().long_tokens()) {
    const bool leaves = ((spaced ? token.behind_space : token.categories) & others) != 0;
    if (!leaves && token.code_points - spaced <= region.length) additions.push_back(token.id);
  }
  if (!region.is_whole) walker_.WalkLonger(lead, item, region, &additions);
}

ItemMask MaskBuilder::Build(const Machine& machine, const VocabularyIndex& vocabulary,
                            BaseRows* rows, const Item& compared) {
  Bind(machine, vocabulary, rows);
  Item item = compared;
  const Nearness near = IgnoreSeenValues(&item);
  ItemMask mask;
  mask.additions.reserve(kRoomForTokens);
  const Plan plan = ChooseBase(item, &mask);
  if (plan.before_any) {
    walker_.WalkMember(item, &mask.additions);
  } else if (plan.between) {
    walker_.WalkBetween(item, &mask.additions);
  } else if (plan.counted) {
    AppendCountedExits(item, &mask.additions);
  } else if (plan.by_exits) {
    WalkExits(MaskWalker::Lead::kNothing, item, plan.base, &mask);
    if (plan.spaced_base.categories != 0) {
      WalkExits(MaskWalker::Lead::kSpace, *plan.behind_space, plan.spaced_base, &mask);
    } else if (plan.behind_space) {
      walker_.WalkSpaced(*plan.behind_space, &mask.additions);
    }
  } else {
    walker_.Walk(*plan.trie, item, plan.base, &mask.additions);
  }
  if (near.kind != Nearness::Kind::kUnknown) DropEqualItems(compared, near, plan.between, &mask);
  mask.depth = walker_.deepest_level();
  // Whether they matter depends on all values seen around the item.
  if (compared.trace != nullptr) {
    mask.depth = std::max(mask.depth, 1 + compared.stack->traced_depth);
  }
  Finish(&mask);
  return mask;
}

void MaskBuilder::AppendCountedExits(const Item& item, std::vector<TokenId>* tokens) {
  const StringIndex& strings = vocabulary_->strings(machine_->string_coding());
  const StringTable& table = machine_->string(item.frame.node);
  const LengthRange room = RoomOf(table, item.frame.count);
  if (room.owed > strings.longest_exit()) return;
  // What follows the quote is the same wherever that stands: all tails once, and of their tokens
  // those whose quote comes neither too early nor too late.
  const size_t first = tokens->size();
  Item at_quote = item;
  at_quote.frame.count = table.min;
  walker_.Walk(strings.tails(), at_quote, {}, tokens);
  if (room.owed == 0 && room.left >= strings.longest_exit()) return;
  const auto is_outside = [&](TokenId id) { return !room.Has(strings.LengthOfExit(id)); };
  const auto begin = tokens->begin() + static_cast<ptrdiff_t>(first);
  tokens->erase(std::remove_if(begin, tokens->end(), is_outside), tokens->end());
}

Nearness MaskBuilder::IgnoreSeenValues(Item* item) {
  Nearness near;
  near.kind = Nearness::Kind::kUnknown;
  if (machine_->value_space() == nullptr) return near;
  near = FindNearness(*machine_, *item);
  // A reading that is dead for its seen values alone is not seen beside one that lives.
  const bool is_hidden = near.kind == Nearness::Kind::kNear && machine_->joins_containers();
  if (is_hidden) near.kind = Nearness::Kind::kUnknown;
  if (near.kind == Nearness::Kind::kUnknown) return near;
  walker_.IgnoreSeenValues();
  item->trace = nullptr;
  return near;
}

void MaskBuilder::DropEqualItems(const Item& item, const Nearness& near, bool between,
                                 ItemMask* mask) {
  walker_.DropEqualItems(item, near, &mask->additions);
  if (near.kind == Nearness::Kind::kApart) return;
  refused_.clear();
  walker_.WalkNear(item, between, &refused_);
  Refuse(mask);
}

void MaskBuilder::Refuse(ItemMask* mask) {
  if (refused_.empty()) return;
  marked_.Mark(refused_);
  std::erase_if(mask->additions, [&](TokenId id) { return marked_.Has(id); });
  marked_.Clear();
  const bool in_base =
      mask->base != nullptr && std::any_of(refused_.begin(), refused_.end(),
                                           [&](TokenId id) { return HasBit(mask->base, id); });
  if (!in_base) return;
  if (mask->own_row.empty()) {
    mask->own_row.assign(mask->base, mask->base + vocabulary_->row_words());
  }
  mask->base = mask->own_row.data();
  mask->base_owner = nullptr;
  mask->base_id = rows_->NewId();
  for (const TokenId id : refused_) mask->allowed_count -= TakeBit(mask->own_row.data(), id);
}

void MaskBuilder::Finish(ItemMask* mask) const {
  mask->allowed_count += static_cast<uint32_t>(mask->additions.size());
  const uint32_t words = vocabulary_->row_words();
  if (mask->additions.size() <= words) return;
  if (mask->own_row.empty()) {
    mask->own_row.assign(words, 0);
    if (mask->base != nullptr) std::copy_n(mask->base, words, mask->own_row.data());
  }
  for (const TokenId id : mask->additions) SetBit(mask->own_row.data(), id);
  mask->additions = {};
  mask->base = mask->own_row.data();
  mask->base_owner = nullptr;
  mask->base_id = rows_->NewId();
}

}  // namespace maskloom
