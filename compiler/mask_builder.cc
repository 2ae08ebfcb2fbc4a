#include "compiler/mask_builder.h"

#include <algorithm>
#include <bit>

#include "compiler/object_registers.h"
#include "compiler/value_space.h"

namespace maskloom {
namespace {

// A base must cover tokens of this many code points to be worth a row.
constexpr uint32_t kMinBaseLength = 2;
// ... and of this many that those which are longer are few.
constexpr uint32_t kMinExitLength = 12;

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
    plan.between = frame.space == 0 && item.trace == nullptr;
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
    if (region.categories == 0 || region.length < kMinBaseLength) return {all, {}};
    // Few tokens are digits: a row for each number of them would not be worth it.
    const bool digits = region.categories == CategoryBit('0');
    if (digits && region.length != CategoryIndex::kAnyLength) return {all, {}};
    set_base(rows_->RegionRow(region));
    region.length = CategoryIndex::RowLength(region.length);
    Plan plan{all, region};
    // Names that are declared may leave the region in any way.
    const bool alone = frame.kind == FrameKind::kString ||
                       (frame.kind == FrameKind::kObject && IsPlainKey(frame) &&
                        !vocabulary_->has_two_key_tokens());
    if (alone && item.trace == nullptr && region.length >= kMinExitLength) {
      plan.base.exits |= CategoryBit('"') | CategoryBit('\\');
      plan.by_exits = (plan.base.exits & ~vocabulary_->categories().has_exits()) == 0;
    }
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
    const StringTable& table = machine_->string(frame.node);
    const bool may_end =
        !table.bounded || (frame.count >= table.min && region.length >= strings.longest_exit());
    return {may_end ? &strings.tails() : &strings.exits(), {}};
  }
  return {IsPlainKey(frame) ? &strings.tails() : &strings.exits(), {}};
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
  }
  mask.depth = std::max(plain.depth, walker_.deepest_level());
  mask.allowed_count = plain.allowed_count - static_cast<uint32_t>(plain.exceptions().size());
  marked_.resize(vocabulary.row_words());
  for (const TokenId id : ends_) SetBit(marked_.data(), id);
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
  for (const TokenId id : plain.exceptions()) {
    if (!HasBit(marked_.data(), id)) mask.additions.push_back(id);
  }
  for (const TokenId id : ends_) TakeBit(marked_.data(), id);
  // What the automaton of the other keys goes on with, too, is there already.
  for (const TokenId id : mask.additions) SetBit(marked_.data(), id);
  const size_t others = mask.additions.size();
  for (const TokenId id : names_) {
    const bool is_there =
        HasBit(marked_.data(), id) || (mask.base != nullptr && HasBit(mask.base, id));
    if (!is_there) mask.additions.push_back(id);
  }
  for (size_t i = 0; i < others; ++i) TakeBit(marked_.data(), mask.additions[i]);
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

void MaskBuilder::Bind(const Machine& machine, const VocabularyIndex& vocabulary, BaseRows* rows) {
  machine_ = &machine;
  vocabulary_ = &vocabulary;
  rows_ = rows;
  walker_.Bind(machine, vocabulary, &rows->regions());
}

ItemMask MaskBuilder::Build(const Machine& machine, const VocabularyIndex& vocabulary,
                            BaseRows* rows, const Item& compared) {
  Bind(machine, vocabulary, rows);
  Item item = compared;
  const Nearness near = IgnoreSeenValues(&item);
  ItemMask mask;
  const Plan plan = ChooseBase(item, &mask);
  if (plan.before_any) {
    walker_.WalkMember(item, &mask.additions);
  } else if (plan.between) {
    walker_.WalkBetween(item, &mask.additions);
  } else if (plan.by_exits) {
    for (CategorySet rest = plan.base.exits; rest != 0; rest &= rest - 1) {
      const auto category = static_cast<uint8_t>(std::countr_zero(rest));
      const size_t before = mask.additions.size();
      walker_.WalkExits(category, item, plan.base, &mask.additions);
      if (category != kSpecialSpace) continue;
      // Those that end within such a character may be in the base, for others that it can become.
      mask.additions.erase(
          std::remove_if(mask.additions.begin() + static_cast<ptrdiff_t>(before),
                         mask.additions.end(), [&](TokenId id) { return HasBit(mask.base, id); }),
          mask.additions.end());
    }
    if (plan.base.length != CategoryIndex::kAnyLength) {
      walker_.WalkLonger(item, plan.base, &mask.additions);
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

Nearness MaskBuilder::IgnoreSeenValues(Item* item) {
  Nearness near;
  near.kind = Nearness::Kind::kUnknown;
  if (machine_->value_space() == nullptr) return near;
  near = FindNearness(*machine_, *item);
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
  marked_.resize(vocabulary_->row_words());
  for (const TokenId id : refused_) SetBit(marked_.data(), id);
  std::erase_if(mask->additions, [&](TokenId id) { return HasBit(marked_.data(), id); });
  for (const TokenId id : refused_) TakeBit(marked_.data(), id);
  const bool in_base =
      mask->base != nullptr && std::any_of(refused_.begin(), refused_.end(),
                                           [&](TokenId id) { return HasBit(mask->base, id); });
  if (!in_base) return;
  mask->own_row.assign(mask->base, mask->base + vocabulary_->row_words());
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
