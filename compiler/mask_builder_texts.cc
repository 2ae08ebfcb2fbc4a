// Masks of strings with an automaton: what is inside, and what follows; see mask_builder.h.
#include <algorithm>
#include <bit>
#include <bitset>
#include <iterator>
#include <string_view>
#include <utility>

#include "compiler/liveness.h"
#include "compiler/mask_builder.h"
#include "compiler/mask_key.h"
#include "compiler/next_bytes.h"

namespace maskloom {
namespace {

// So many runs of a token are looked for: those of more are few.
constexpr uint32_t kMostRuns = 12;
// Tokens of more characters than a region has that are read one by one.
constexpr size_t kMaxReadLonger = 8192;
// No frame of a string has this phase but that of BehindOf.
constexpr Phase kEnded = Phase::kAfterValue;

template <typename Visit>
void ForEachBit(std::span<const uint32_t> row, Visit visit) {
  for (size_t word = 0; word < row.size(); ++word) {
    for (uint32_t rest = row[word]; rest != 0; rest &= rest - 1) {
      visit(static_cast<TokenId>(32 * word + static_cast<uint32_t>(std::countr_zero(rest))));
    }
  }
}

// Keeps in `row` what is in `other`, or what is not.
void Intersect(std::span<const uint32_t> other, std::vector<uint32_t>* row) {
  for (size_t word = 0; word < row->size(); ++word) (*row)[word] &= other[word];
}
void Remove(std::span<const uint32_t> other, std::vector<uint32_t>* row) {
  for (size_t word = 0; word < row->size(); ++word) (*row)[word] &= ~other[word];
}

// The categories beyond ASCII of which a character leads from `state` to another, and into `ascii`
// the characters of ASCII that do.
CategorySet FindLeaving(const TextAutomaton& automaton, uint32_t state, std::bitset<128>* ascii) {
  CategorySet beyond = 0;
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    if (edge.target == state) continue;
    for (uint32_t c = edge.first; c <= std::min(edge.last, 0x7Fu); ++c) ascii->set(c);
    for (const CategoryRange& category : CategoryRanges()) {
      if (category.range.first < 0x80 || category.range.first > edge.last) continue;
      if (edge.first <= category.range.last) beyond |= category.bit;
    }
  }
  return beyond;
}

// What a string is known by, whatever follows it.
TextInsides::Key KeyOf(const Machine& machine, const Frame& frame) {
  const StringTable& table = machine.string(frame.node);
  return {frame.node, frame.state, MaskKey::RoomOf(machine, table, frame.count)};
}

}  // namespace

bool MaskBuilder::HasInside(const Machine& machine, BaseRows* rows, const Item& item) {
  const Frame& frame = item.frame;
  if (frame.kind != FrameKind::kString || frame.partial != kBoundary || item.trace != nullptr ||
      machine.value_space() != nullptr || IsBehind(item)) {
    return false;
  }
  const StringTable& table = machine.string(frame.node);
  if (table.automaton == nullptr) return false;
  return rows->insides().Find(KeyOf(machine, frame)) != nullptr || SiblingOf(machine, rows, item) ||
         rows->regions().IsWide(machine, frame);
}

Item MaskBuilder::BehindOf(const Item& item) {
  Item behind;
  behind.frame.kind = FrameKind::kString;
  behind.frame.phase = kEnded;
  behind.stack = item.stack;
  return behind;
}

bool MaskBuilder::IsBehind(const Item& item) {
  return item.frame.kind == FrameKind::kString && item.frame.phase == kEnded;
}

ItemMask MaskBuilder::BuildBehind(const Machine& machine, const VocabularyIndex& vocabulary,
                                  BaseRows* rows, const Item& item) {
  Bind(machine, vocabulary, rows);
  ItemMask mask;
  walker_.WalkBehindString(item, &mask.additions);
  mask.depth = walker_.deepest_level();
  Finish(&mask);
  return mask;
}

ItemMask MaskBuilder::BuildText(const Machine& machine, const VocabularyIndex& vocabulary,
                                BaseRows* rows, const TextInside& inside, const ItemMask* behind) {
  Bind(machine, vocabulary, rows);
  const StringIndex& strings = vocabulary.strings(machine.string_coding());
  ItemMask mask;
  mask.base_id = inside.base.id;
  mask.base = inside.base.row;
  mask.base_owner = inside.base.owner;
  mask.allowed_count = inside.base.count;
  const uint32_t most_behind = behind == nullptr ? 0 : behind->allowed_count;
  mask.additions.reserve(inside.tokens->size() + most_behind);
  mask.additions.assign(inside.tokens->begin(), inside.tokens->end());
  if (behind != nullptr) {
    const auto add = [&](TokenId id) {
      if (inside.MayEndBehind(strings.BeginningOfExit(id))) mask.additions.push_back(id);
    };
    if (behind->base != nullptr) ForEachBit({behind->base, vocabulary.row_words()}, add);
    for (const TokenId id : behind->exceptions()) add(id);
    mask.depth = behind->depth;
  }
  Finish(&mask);
  return mask;
}

std::shared_ptr<const TextInside> MaskBuilder::InsideOf(const Machine& machine,
                                                        const VocabularyIndex& vocabulary,
                                                        BaseRows* rows, const Item& item) {
  Bind(machine, vocabulary, rows);
  return InsideOf(item);
}

std::shared_ptr<const TextInside> MaskBuilder::InsideOf(const Item& item) {
  const TextInsides::Key key = KeyOf(*machine_, item.frame);
  if (auto known = rows_->insides().Find(key)) return known;
  if (const auto sibling = SiblingOf(*machine_, rows_, item)) {
    const std::shared_ptr<const TextInside> other = InsideOf(sibling->item);
    return rows_->insides().Keep(key, MakeInsideBeside(item, *sibling, *other));
  }
  return rows_->insides().Keep(key, MakeInside(item));
}

void MaskBuilder::TakeMask(ItemMask mask, TextInside* inside) {
  const auto in_base = mask.allowed_count - static_cast<uint32_t>(mask.additions.size());
  if (mask.own_row.empty()) {
    inside->base = {mask.base_id, mask.base, in_base, std::move(mask.base_owner)};
  } else {
    inside->base = rows_->Share(std::move(mask.own_row), in_base);
  }
  inside->tokens = std::make_shared<const std::vector<TokenId>>(std::move(mask.additions));
}

TextInside MaskBuilder::MakeInside(const Item& item) {
  ItemMask mask = Make(MaskWalker::InsideAlone(item), {});  // no values are compared
  // Those that end with the quote depend on what follows as little, but are told with the others.
  const StringIndex& strings = vocabulary_->strings(machine_->string_coding());
  std::erase_if(mask.additions, [&](TokenId id) { return strings.IsExit(id); });
  Finish(&mask);
  TextInside inside;
  TakeMask(std::move(mask), &inside);
  inside.ends = EndsOf(item);
  return inside;
}

std::vector<uint64_t> MaskBuilder::EndsOf(const Item& item) {
  const StringIndex& strings = vocabulary_->strings(machine_->string_coding());
  std::vector<TokenId>& numbers = names_;
  numbers.clear();
  walker_.AppendEnds(item, &numbers);
  std::vector<uint64_t> ends((strings.beginning_count() + 63) / 64);
  for (const TokenId number : numbers) ends[number / 64] |= uint64_t{1} << (number % 64);
  return ends;
}

std::optional<MaskBuilder::LongerTexts> MaskBuilder::LongerTextsOf(const Item& item,
                                                                   const TextRegion& region) const {
  const Frame& frame = item.frame;
  if (frame.kind != FrameKind::kString || region.has_gaps) return std::nullopt;
  const StringTable& table = machine_->string(frame.node);
  const uint32_t left = RoomOf(table, frame.count).left;
  if (table.automaton == nullptr || left > CategoryIndex::kMaxLengthRow || left <= region.length) {
    return std::nullopt;
  }
  const auto freeing = rows_->regions().FreeingCategories(*machine_, frame, region);
  if (!freeing) return std::nullopt;
  LongerTexts texts;
  texts.freeing = *freeing;
  const CategorySet beyond =
      FindLeaving(*table.automaton, frame.state, &texts.leaving) & region.categories;
  const CategorySet blanks = CategorySet{1} << kSpecialSpace;
  if ((beyond & ~(blanks & vocabulary_->categories().has_exits())) != 0) return std::nullopt;
  texts.by_blanks = beyond != 0;
  return texts;
}

bool MaskBuilder::AppendLonger(const Item& item, const TextRegion& region,
                               std::vector<TokenId>* tokens) {
  const auto texts = LongerTextsOf(item, region);
  if (!texts) return false;
  const Frame& frame = item.frame;
  const StringTable& table = machine_->string(frame.node);
  const uint32_t left = RoomOf(table, frame.count).left;
  const CategoryIndex& categories = vocabulary_->categories();
  std::vector<uint32_t> longer(vocabulary_->row_words());
  categories.FillRow(region.categories, left, longer.data());
  std::vector<uint32_t> other = longer;
  categories.KeepLengths(region.length, other.data());
  Remove(other, &longer);
  // What stays in the state lives or dies by its length.
  std::vector<uint32_t> staying = longer;
  categories.RemoveCharacters(texts->leaving, staying.data());
  if (texts->by_blanks) {
    // Those that end inside what may become one, too.
    const ExitIndex& exits = categories.exits(kSpecialSpace);
    const TokenTrie& tails = exits.tails();
    for (const TokenId number : tails.tokens_below(tails.node(TokenTrie::kRoot))) {
      const TokenId id = exits.exit(number).id;
      staying[id / 32] &= ~(1u << (id % 32));
    }
  }
  // Of what leaves it all lives that holds a character that frees it; the rest is read.
  std::vector<uint32_t> doubtful(longer.size());
  categories.FillRow(region.categories & ~texts->freeing, left, doubtful.data());
  Remove(staying, &longer);
  Intersect(longer, &doubtful);
  Remove(doubtful, &longer);
  size_t count = 0;
  for (const uint32_t word : doubtful) count += static_cast<size_t>(std::popcount(word));
  if (count > kMaxReadLonger) return false;
  ForEachBit(longer, [&](TokenId id) { tokens->push_back(id); });
  ForEachBit(doubtful, [&](TokenId id) {
    if (walker_.AcceptsText(item, vocabulary_->vocabulary().bytes(id))) tokens->push_back(id);
  });
  for (uint32_t length = region.length + 1; length <= left; ++length) {
    if (!IsLiveString(table, frame.state, frame.count + length)) continue;
    other = staying;
    categories.KeepLengths(length, other.data());
    std::vector<uint32_t> shorter = other;
    categories.KeepLengths(length - 1, shorter.data());
    Remove(shorter, &other);
    ForEachBit(other, [&](TokenId id) { tokens->push_back(id); });
  }
  return true;
}

std::optional<MaskBuilder::Sibling> MaskBuilder::SiblingOf(const Machine& machine, BaseRows* rows,
                                                           const Item& item) {
  const Frame& frame = item.frame;
  const StringTable& table = machine.string(frame.node);
  constexpr uint32_t kLeast = CategoryIndex::kMaxLengthRow;
  Sibling sibling{item, kNoLimit, {}};
  if (table.bounded) {
    // Where no length is owed, and whatever is read lengths without a gap are left.
    if (frame.count < table.min || table.longest_gap == ~uint64_t{0}) return std::nullopt;
    if (table.max != kNoLimit) {
      const uint64_t needed = kLeast + table.longest_gap;
      const uint32_t left = table.max - frame.count;
      if (left < needed) return std::nullopt;
      sibling.left = left - static_cast<uint32_t>(table.longest_gap);
      sibling.item.frame.count = table.min;
    }
  }
  const SiblingStates::Sibling state =
      rows->siblings().Find(*table.automaton, frame.state, {kLeast, CategoryIndex::kMaxRuns},
                            {machine.max_token_bytes() + 1, kMostRuns});
  sibling.item.frame.state = state.state;
  sibling.reach = state.reach;
  const Frame& other = sibling.item.frame;
  if (other.state == frame.state && other.count == frame.count) return std::nullopt;
  return sibling;
}

TextInside MaskBuilder::MakeInsideBeside(const Item& item, const Sibling& sibling,
                                         const TextInside& other) {
  TextInside inside = other;
  const StringIndex& strings = vocabulary_->strings(machine_->string_coding());
  if (!sibling.Agrees(strings.longest_exit() + 1, strings.most_exit_runs())) {
    inside.ends = EndsOf(item);
  }
  ReadFarTokens(MaskWalker::InsideAlone(item), sibling, other.base);
  const auto count_among = [&](const std::vector<TokenId>& tokens) {
    marked_.Mark(tokens);
    const auto count = std::count_if(other.tokens->begin(), other.tokens->end(),
                                     [&](TokenId id) { return marked_.Has(id); });
    marked_.Clear();
    return static_cast<size_t>(count);
  };
  // Mostly they are the same ones.
  const size_t allowed_there = count_among(names_);
  if (refused_.empty() && allowed_there == ends_.size() && count_among(ends_) == allowed_there) {
    return inside;
  }
  ItemMask mask;
  mask.base_id = other.base.id;
  mask.base = other.base.row;
  mask.base_owner = other.base.owner;
  mask.allowed_count = other.base.count;
  marked_.Mark(names_);
  std::copy_if(other.tokens->begin(), other.tokens->end(), std::back_inserter(mask.additions),
               [&](TokenId id) { return !marked_.Has(id); });
  marked_.Clear();
  Refuse(&refused_, &mask);
  mask.additions.insert(mask.additions.end(), ends_.begin(), ends_.end());
  Finish(&mask);
  TakeMask(std::move(mask), &inside);
  return inside;
}

void MaskBuilder::ReadFarTokens(const Item& item, const Sibling& sibling, const MaskBase& base) {
  ends_.clear();
  names_.clear();
  refused_.clear();
  std::bitset<256> next;
  AddNextBytes(*machine_, item, &next);
  const auto read = [&](const CategoryIndex::LongToken& token) {
    const std::string_view bytes = vocabulary_->vocabulary().bytes(token.id);
    const bool is_allowed =
        next[static_cast<uint8_t>(bytes[0])] && walker_.AcceptsText(item, bytes);
    if (base.row != nullptr && HasBit(base.row, token.id)) {
      if (!is_allowed) refused_.push_back(token.id);
      return;
    }
    names_.push_back(token.id);
    if (is_allowed) ends_.push_back(token.id);
  };
  const CategoryIndex& categories = vocabulary_->categories();
  for (const CategoryIndex::LongToken& token : categories.long_tokens()) {
    if (!sibling.Agrees(token.code_points, token.runs)) read(token);
  }
  for (const CategoryIndex::LongToken& token : categories.mixed_tokens()) {
    const bool is_long = token.code_points > CategoryIndex::kMaxLengthRow;
    if (!is_long && !sibling.Agrees(token.code_points, token.runs)) read(token);
  }
}

}  // namespace maskloom
