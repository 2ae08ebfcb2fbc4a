#include "compiler/mask_builder.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "compiler/liveness.h"
#include "compiler/next_bytes.h"
#include "compiler/object_registers.h"
#include "compiler/value_space.h"

namespace maskloom {
namespace {

// So many tokens of declared names are usual in the mask of a key.
constexpr size_t kRoomForNames = 64;

void SetBit(uint32_t* row, TokenId id) { row[id / 32] |= 1u << (id % 32); }

// Unsets the bit of `id`. Returns whether it was set.
bool TakeBit(uint32_t* row, TokenId id) {
  const bool was_set = HasBit(row, id);
  if (was_set) row[id / 32] ^= 1u << (id % 32);
  return was_set;
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

bool MaskBuilder::IsPlainKey(const Frame& frame) {
  return frame.state == NameTrie::kDead && frame.key_text == nullptr && frame.seen_keys == nullptr;
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
  mask.additions = std::move(collected_);
  mask.base_id = base.id;
  mask.base = base.row;
  mask.base_owner = base.owner;
  mask.allowed_count = base.count;
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
  ItemMask mask = MakeKey(item, plain);
  Finish(&mask);
  return mask;
}

ItemMask MaskBuilder::MakeKey(const Item& item, const ItemMask& plain) {
  ItemMask mask;
  mask.additions.reserve(plain.exceptions().size() + kRoomForNames);
  ends_.clear();
  names_.clear();
  const ObjectTable& table = machine_->object(item.frame.node);
  const bool any_text = table.other_keys == nullptr;
  if (item.frame.state != NameTrie::kDead) {
    const StringIndex& strings = vocabulary_->strings(machine_->string_coding());
    walker_.Walk(strings.exits(), item, {}, &names_, &ends_);
    if (!any_text) {
      // Names go on too where the automaton of the others does not.
      names_.clear();
      Item named = item;
      named.frame.state2 = TextAutomaton::kDead;
      walker_.Walk(vocabulary_->trie(), named, {}, &names_);
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
    if (table.counts_keys()) AppendLast(item, rest_);
  }
  mask.depth = std::max(plain.depth, walker_.deepest_level());
  mask.allowed_count = plain.allowed_count - static_cast<uint32_t>(plain.exceptions().size());
  const bool in_base =
      plain.base != nullptr &&
      std::any_of(ends_.begin(), ends_.end(), [&](TokenId id) { return HasBit(plain.base, id); });
  if (in_base || !plain.own_row.empty()) {
    mask.own_row.assign(plain.base, plain.base + vocabulary_->row_words());
    mask.base = mask.own_row.data();
    mask.base_id = rows_->NewId();
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
  if (!are_ends) {
    // What the automaton of the other keys goes on with, too, is there already.
    marked_.Mark(mask.additions);
    std::erase_if(names_, [&](TokenId id) { return marked_.Has(id); });
    marked_.Clear();
  }
  for (const TokenId id : names_) {
    if (mask.base == nullptr || !HasBit(mask.base, id)) mask.additions.push_back(id);
  }
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
    if (MaskWalker::IsInsideAlone(item) && category == CategoryOf('"')) continue;
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
    if (leaves || token.code_points - spaced > region.length) continue;
    const std::string_view text = vocabulary_->vocabulary().bytes(token.id).substr(spaced);
    if (!region.has_gaps || walker_.AcceptsText(item, text)) additions.push_back(token.id);
  }
  if (region.is_whole || (!spaced && AppendLonger(item, region, &additions))) return;
  walker_.WalkLonger(lead, item, region, &additions);
}

ItemMask MaskBuilder::Build(const Machine& machine, const VocabularyIndex& vocabulary,
                            BaseRows* rows, const Item& item, const Nearness& near) {
  Bind(machine, vocabulary, rows);
  ItemMask mask = Make(item, near);
  Finish(&mask);
  return mask;
}

ItemMask MaskBuilder::Make(const Item& compared, const Nearness& near) {
  const bool ignores = near.kind != Nearness::Kind::kUnknown;
  Item item = compared;
  if (ignores) {
    walker_.IgnoreSeenValues();
    item.trace = nullptr;
  }
  ItemMask mask;
  // Of items without a trace the mask of a plain key is known.
  const auto plain = ignores && compared.trace != nullptr
                         ? PlainKeyOf(*machine_, *vocabulary_, item)
                         : std::nullopt;
  bool between = false;
  if (plain) {
    ItemMask plain_mask = Walk(*plain, &between);
    Finish(&plain_mask);
    mask = MakeKey(item, plain_mask);
  } else {
    mask = Walk(item, &between);
  }
  if (ignores) DropEqualItems(compared, near, between, &mask);
  mask.depth = walker_.deepest_level();
  // Whether they matter depends on all values seen around the item, until it parts from them.
  if (compared.trace != nullptr && near.kind != Nearness::Kind::kApart) {
    mask.depth = std::max(mask.depth, 1 + compared.stack->traced_depth);
  }
  return mask;
}

ItemMask MaskBuilder::Walk(const Item& item, bool* between) {
  ItemMask mask;
  mask.additions = std::move(collected_);
  const Plan plan = ChooseBase(item, &mask);
  if (plan.before_any) {
    walker_.WalkMember(item, &mask.additions);
  } else if (plan.between) {
    walker_.WalkBetween(item, &mask.additions);
  } else if (plan.counted) {
    AppendCountedExits(item, &mask.additions);
  } else if (plan.by_exits) {
    WalkExits(MaskWalker::Lead::kNothing, item, plan.base, &mask);
    if (plan.refused != nullptr) {
      refused_.clear();
      walker_.AppendRefused(item, *plan.refused, mask.base, &refused_);
      Refuse(&refused_, &mask);
    }
    if (plan.spaced_base.categories != 0) {
      WalkExits(MaskWalker::Lead::kSpace, *plan.behind_space, plan.spaced_base, &mask);
    } else if (plan.behind_space) {
      walker_.WalkSpaced(*plan.behind_space, &mask.additions);
    }
  } else {
    walker_.Walk(*plan.trie, item, plan.base, &mask.additions);
  }
  *between = plan.between;
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

void MaskBuilder::DropEqualItems(const Item& item, const Nearness& near, bool between,
                                 ItemMask* mask) {
  walker_.DropEqualItems(item, near, &mask->additions);
  near_.Clear();
  if (near.kind != Nearness::Kind::kApart) {
    walker_.WalkNear(item, near, between, &near_);
    if (!near_.doubted.empty()) AskDoubted(item, *mask);
    Refuse(&near_.refused, mask);
  }
  if (near.repeats) AddRepeated(item, mask);
}

void MaskBuilder::AskDoubted(const Item& item, const ItemMask& mask) {
  marked_.Mark(mask.additions);
  for (const TokenId id : near_.doubted) {
    const bool is_there = (mask.base != nullptr && HasBit(mask.base, id)) || marked_.Has(id);
    if (is_there && !walker_.Accepts(item, vocabulary_->vocabulary().bytes(id))) {
      near_.refused.push_back(id);
    }
  }
  marked_.Clear();
}

void MaskBuilder::AddRepeated(const Item& item, ItemMask* mask) {
  std::vector<TokenId>& asked = near_.repeated;
  const std::span<const TokenId> closing = vocabulary_->held_items().closing();
  asked.insert(asked.end(), closing.begin(), closing.end());
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  marked_.Mark(mask->additions);
  std::erase_if(asked, [&](TokenId id) {
    return (mask->base != nullptr && HasBit(mask->base, id)) || marked_.Has(id) ||
           !walker_.Accepts(item, vocabulary_->vocabulary().bytes(id));
  });
  marked_.Clear();
  mask->additions.insert(mask->additions.end(), asked.begin(), asked.end());
}

void MaskBuilder::Refuse(std::vector<TokenId>* refused, ItemMask* mask) {
  if (refused->size() > mask->additions.size()) {
    // Mostly they are all that stands below a few bytes, such as a space.
    marked_.Mark(mask->additions);
    std::erase_if(*refused, [&](TokenId id) {
      return !(mask->base != nullptr && HasBit(mask->base, id)) && !marked_.Has(id);
    });
    marked_.Clear();
  }
  if (refused->empty()) return;
  marked_.Mark(*refused);
  std::erase_if(mask->additions, [&](TokenId id) { return marked_.Has(id); });
  marked_.Clear();
  const bool in_base =
      mask->base != nullptr && std::any_of(refused->begin(), refused->end(),
                                           [&](TokenId id) { return HasBit(mask->base, id); });
  if (!in_base) return;
  if (mask->own_row.empty()) {
    mask->own_row.assign(mask->base, mask->base + vocabulary_->row_words());
  }
  mask->base = mask->own_row.data();
  mask->base_owner = nullptr;
  mask->base_id = rows_->NewId();
  for (const TokenId id : *refused) mask->allowed_count -= TakeBit(mask->own_row.data(), id);
}

void MaskBuilder::Finish(ItemMask* mask) {
  mask->allowed_count += static_cast<uint32_t>(mask->additions.size());
  const uint32_t words = vocabulary_->row_words();
  // What was collected may be much; its memory stays here.
  std::vector<TokenId> additions = std::move(mask->additions);
  mask->additions = {};
  if (additions.size() <= words) {
    mask->additions.assign(additions.begin(), additions.end());
  } else {
    if (mask->own_row.empty()) {
      mask->own_row.assign(words, 0);
      if (mask->base != nullptr) std::copy_n(mask->base, words, mask->own_row.data());
    }
    for (const TokenId id : additions) SetBit(mask->own_row.data(), id);
    mask->base = mask->own_row.data();
    mask->base_owner = nullptr;
    mask->base_id = rows_->NewId();
  }
  if (additions.capacity() > collected_.capacity()) collected_ = std::move(additions);
  collected_.clear();
}

}  // namespace maskloom
