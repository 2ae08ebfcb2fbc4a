// Chooses the base of a mask; see mask_builder.h.
#include <algorithm>
#include <bit>
#include <bitset>
#include <memory>
#include <span>
#include <utility>

#include "compiler/mask_builder.h"
#include "compiler/value_space.h"

namespace maskloom {
namespace {

// A base must cover tokens of this many code points to be worth a row.
constexpr uint32_t kMinBaseLength = 2;
// ... and of this many that those which are longer are few.
constexpr uint32_t kMinExitLength = 8;
// With more exits than this that are not alike words that are refused are looked for.
constexpr size_t kManyExits = 3000;
// Categories of characters beyond ASCII.
CategorySet BeyondAscii() {
  static const CategorySet beyond = [] {
    CategorySet set = 0;
    for (const CategoryRange& category : CategoryRanges()) {
      if (category.range.first >= 0x80) set |= category.bit;
    }
    return set;
  }();
  return beyond;
}

// Categories of characters that strings spell as themselves.
CategorySet JsonPlain() {
  CategorySet marks = CategoryBit('"') | CategoryBit('\\');
  for (const char c : {'\0', '\t', '\n', '\r'}) marks |= CategoryBit(c);
  return (AsciiCategories() & ~marks) | BeyondAscii();
}

// Tokens with one of `exits`.
size_t ExitCount(const CategoryIndex& categories, CategorySet exits) {
  size_t count = 0;
  for (CategorySet rest = exits; rest != 0; rest &= rest - 1) {
    const TokenTrie& tails = categories.exits(static_cast<uint8_t>(std::countr_zero(rest))).tails();
    count += tails.tokens_below(tails.node(TokenTrie::kRoot)).size();
  }
  return count;
}

// The characters that may follow `state`, ascending.
std::vector<CodePointRange> CharactersBehind(const TextAutomaton& automaton, uint32_t state) {
  std::vector<CodePointRange> ranges;
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    ranges.push_back({edge.first, edge.last});
  }
  return ranges;
}

void SetBase(const MaskBase& base, ItemMask* mask) {
  mask->base_id = base.id;
  mask->base = base.row;
  mask->base_owner = base.owner;
  mask->allowed_count = base.count;
}

// Of digits and letters of hexadecimal numbers, makes `region` the digits alone.
void KeepDigits(TextRegion* region) {
  if (region->categories == 0 || (region->categories & ~HexCategories()) != 0) return;
  region->exits |= region->categories & ~CategoryBit('0');
  region->categories &= CategoryBit('0');
}

}  // namespace

MaskBuilder::Plan MaskBuilder::ChooseBase(const Item& item, ItemMask* mask) const {
  const auto set_base = [mask](const MaskBase& base) { SetBase(base, mask); };
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
    if (const auto plan = PlanWords(item, region, mask)) return *plan;
    if (const auto plan = PlanHex(item, region, mask)) return *plan;
    if (const auto plan = PlanWithGaps(item, region, mask)) return *plan;
    KeepDigits(&region);
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

std::optional<MaskBuilder::Plan> MaskBuilder::PlanWords(const Item& item, const TextRegion& region,
                                                        ItemMask* mask) const {
  const Frame& frame = item.frame;
  const bool is_string = frame.kind == FrameKind::kString;
  if (!IsAlone(item) || (BeyondAscii() & ~region.categories) != 0) return std::nullopt;
  const TextAutomaton* automaton = is_string ? machine_->string(frame.node).automaton.get()
                                             : rows_->regions().EndlessKeysOf(*machine_, frame);
  if (automaton == nullptr) return std::nullopt;
  TextRegions::FreeLength free;
  if (is_string) free = rows_->regions().FreeLengthOf(*machine_, frame);
  const bool is_bounded = free.length != CategoryIndex::kAnyLength;
  if (is_bounded && (!free.is_whole || free.length < kMinBaseLength)) return std::nullopt;
  const CategoryIndex& categories = vocabulary_->categories();
  if (region.length < free.length) {
    // The automaton ends it.
    if (region.is_whole || region.length >= CategoryIndex::kMaxLengthRow) return std::nullopt;
  } else {
    if ((JsonPlain() & ~region.categories) == 0) return std::nullopt;
    const CategorySet exits = region.exits & ~(CategoryBit('"') | CategoryBit('\\'));
    if ((exits & ~categories.has_exits()) == 0 &&
        ExitCount(categories, exits & ~region.alike) < kManyExits) {
      return std::nullopt;
    }
  }
  auto words = rows_->refused_words().Find(*automaton, is_string ? frame.state : frame.state2);
  if (!words->is_little) return std::nullopt;
  const MaskBase stay = vocabulary_->strings(machine_->string_coding()).Stay();
  mask->own_row.assign(stay.row, stay.row + vocabulary_->row_words());
  std::bitset<128> left_out = words->never;
  left_out.set('\\');
  categories.RemoveCharacters(left_out, mask->own_row.data());
  if (is_bounded) categories.KeepLengths(free.length, mask->own_row.data());
  UseOwnRow(mask);
  Plan plan{&vocabulary_->trie(), {JsonPlain(), free.length}};
  plan.base.is_whole = true;
  plan.base.has_gaps = true;
  plan.base.exits = CategoryBit('"') | CategoryBit('\\');
  plan.by_exits = true;
  plan.refused = std::move(words);
  return plan;
}

std::optional<MaskBuilder::Plan> MaskBuilder::PlanWithGaps(const Item& item,
                                                           const TextRegion& region,
                                                           ItemMask* mask) const {
  const Frame& frame = item.frame;
  if (frame.kind != FrameKind::kString || frame.partial != kBoundary || !IsAlone(item)) {
    return std::nullopt;
  }
  TextRegion without_gaps = region;
  if (region.categories != 0 && IsLeftByMarks(item, &without_gaps)) return std::nullopt;
  const TextRegion with_gaps = rows_->regions().FindWithGaps(*machine_, frame);
  if (with_gaps.length < kMinBaseLength) return std::nullopt;
  const Plan plan = PlanRegion(item, with_gaps);
  if (!plan.by_exits) return std::nullopt;
  const CategoryIndex& categories = vocabulary_->categories();
  std::vector<uint32_t>& row = mask->own_row;
  row.resize(vocabulary_->row_words());
  categories.FillRow(with_gaps.categories, CategoryIndex::RowLength(with_gaps.length), row.data());
  const TextAutomaton& automaton = *machine_->string(frame.node).automaton;
  const std::vector<CodePointRange> kept = CharactersBehind(automaton, with_gaps.gaps_of);
  std::bitset<128> missing;
  for (size_t c = 0x20; c < missing.size(); ++c) {
    missing[c] = (with_gaps.categories & CategoryBit(static_cast<char>(c))) != 0;
  }
  for (const CodePointRange& range : kept) {
    for (uint32_t c = range.first; c <= std::min(range.last, 0x7Fu); ++c) missing.reset(c);
  }
  categories.RemoveCharacters(missing, row.data());
  const Spelling& spelling = machine_->spelling(machine_->string_coding());
  if ((with_gaps.categories & BeyondAscii()) != 0) {
    categories.code_points().KeepOnly(kept, spelling, row.data());
  }
  if (with_gaps.gaps_of != frame.state) {
    RemoveBeginnings(vocabulary_->trie(), kept, CharactersBehind(automaton, frame.state), spelling,
                     row.data());
  }
  if (plan.spaced_base.categories != 0) {
    std::vector<uint32_t> spaced(row.size());
    categories.FillSpacedRow(plan.spaced_base.categories,
                             CategoryIndex::RowLength(plan.spaced_base.length), spaced.data());
    for (size_t word = 0; word < row.size(); ++word) row[word] |= spaced[word];
  }
  UseOwnRow(mask);
  return plan;
}

void MaskBuilder::UseOwnRow(ItemMask* mask) const {
  mask->base = mask->own_row.data();
  mask->base_id = rows_->NewId();
  for (const uint32_t word : mask->own_row) mask->allowed_count += std::popcount(word);
}

std::optional<MaskBuilder::Plan> MaskBuilder::PlanHex(const Item& item, const TextRegion& region,
                                                      ItemMask* mask) const {
  const CategorySet digits = CategoryBit('0');
  if ((region.categories & ~HexCategories()) != 0 || (region.categories & ~digits) == 0 ||
      region.length < kMinBaseLength) {
    return std::nullopt;
  }
  Plan plan = PlanRegion(item, region);
  if (!plan.by_exits) return std::nullopt;
  const CategoryIndex& categories = vocabulary_->categories();
  std::span<const CategoryIndex::HexToken> tokens = categories.hex_tokens();
  const auto append = [&](std::span<const CategoryIndex::HexToken> some) {
    for (const CategoryIndex::HexToken& token : some) {
      if (token.code_points > region.length) break;
      // Longer ones are added with those that leave the region.
      const bool is_told = region.length == CategoryIndex::kAnyLength ||
                           token.code_points <= CategoryIndex::kMaxLengthRow;
      if (is_told && (token.categories & ~region.categories) == 0) {
        mask->additions.push_back(token.id);
      }
    }
  };
  if (region.length >= categories.longest_digits() &&
      categories.longest_digits() <= CategoryIndex::kMaxLengthRow) {
    SetBase(rows_->DigitsRow(), mask);
  } else {
    append(tokens.first(categories.digits_count()));
  }
  append(tokens.subspan(categories.digits_count()));
  return plan;
}

MaskBuilder::Plan MaskBuilder::PlanRegion(const Item& item, const TextRegion& region) const {
  Plan plan{.trie = &vocabulary_->trie(), .base = region};
  plan.by_exits = IsAlone(item) && IsLeftByMarks(item, &plan.base);
  if (!plan.by_exits) {
    plan.base.length = CategoryIndex::RowLength(region.length);
    return plan;
  }
  Item behind = item;
  if ((region.exits & CategoryBit(' ')) == 0 || !walker_.AdvanceText(' ', &behind)) return plan;
  plan.behind_space = behind;
  TextRegion spaced = rows_->regions().Find(*machine_, behind);
  if (spaced.length >= kMinBaseLength && IsLeftByMarks(behind, &spaced)) plan.spaced_base = spaced;
  return plan;
}

bool MaskBuilder::IsAlone(const Item& item) const {
  const Frame& frame = item.frame;
  if (item.trace != nullptr) return false;
  if (frame.kind == FrameKind::kString) return true;
  if (frame.kind != FrameKind::kObject || !IsPlainKey(frame)) return false;
  const ObjectTable& table = machine_->object(frame.node);
  if (!table.counts_keys()) return !vocabulary_->has_two_key_tokens();
  // Endless keys may follow, whichever this one is, and none begins in the same token.
  const bool never_run_out = !table.other_counts.empty() && table.other_counts[0] == kNoLimit;
  return never_run_out && !vocabulary_->has_next_key_tokens();
}

bool MaskBuilder::IsLeftByMarks(const Item& item, TextRegion* region) const {
  region->exits |= CategoryBit('"') | CategoryBit('\\');
  if ((region->exits & ~vocabulary_->categories().has_exits()) != 0) return false;
  return region->is_whole || region->length >= kMinExitLength || LongerTextsOf(item, *region);
}

}  // namespace maskloom
