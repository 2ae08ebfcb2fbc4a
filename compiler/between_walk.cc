// Walks between JSON tokens; see mask_walk.h.
//
// Where a value begins, its kinds that no definition changes, literals among them, are taken with
// the space before them from what the vocabulary knows (standard_walks.h), and numbers are walked
// once for all their first digits. Marks are read once for all the white space that may stand
// before them, where tokens begin and behind the marks that walks of any kind reach. Only what is
// left is tried byte by byte. Several items are walked together: a text or number that several
// values begin with is walked once for all of them, and what they become where it ends.
#include <algorithm>
#include <span>
#include <string_view>

#include "compiler/distinct_items.h"
#include "compiler/mask_walk.h"
#include "compiler/next_bytes.h"

namespace maskloom {

std::optional<ValueId> OnlyValueAt(const Machine& machine, const Item& item) {
  const Frame& frame = item.frame;
  if (item.trace != nullptr) return std::nullopt;
  if (frame.kind == FrameKind::kObject) {
    const ObjectTable& table = machine.object(frame.node);
    if (frame.phase != Phase::kBeforeValue || table.has_choices) return std::nullopt;
    return frame.state;
  }
  if (frame.kind != FrameKind::kArray || frame.phase == Phase::kAfterValue) return std::nullopt;
  const ArrayTable& table = machine.array(frame.node);
  if (!table.plain || ComparesItems(table, frame) || frame.count >= table.max) return std::nullopt;
  return table.ItemValue(frame.count);
}

bool IsBetweenTokens(const Machine& machine, const Frame& frame) {
  const StylePolicy::Whitespace whitespace = machine.style().whitespace;
  const bool container = frame.kind == FrameKind::kArray ||
                         (frame.kind == FrameKind::kObject && frame.phase != Phase::kKey);
  // A carriage return is allowed only if its line feed can be spelled.
  return container && machine.Spells('\n') &&
         (whitespace == StylePolicy::Whitespace::kFlexible ||
          whitespace == StylePolicy::Whitespace::kAny);
}

void MaskWalker::WalkMember(const Item& item, std::vector<TokenId>* allowed) {
  Begin(item, allowed);
  const Item first = items_[0];
  if (const auto walk = standard_walks_->Find(*trie_, TokenTrie::kRoot, StandardPart::kMember)) {
    PushExits(*walk, StandardPart::kMember, first, {});
  }
  Finish();
}

void MaskWalker::PushBehindSpace(uint32_t node, size_t begin, size_t end,
                                 const std::bitset<256>& bytes) {
  trie_->Prefetch(trie_->node(node));
  Level* level = PushChildren(trie_->children(trie_->node(node)), begin, end);
  level->filtered = true;
  level->bytes = bytes;
}

void MaskWalker::WalkBetween(const Item& item, std::vector<TokenId>* allowed) {
  WalkBetween(Items(&item, 1), allowed);
}

void MaskWalker::WalkBetween(Items items, std::vector<TokenId>* allowed) {
  Begin(items.front(), allowed);
  items_.assign(items.begin(), items.end());
  std::bitset<256> bytes;
  for (Item& item : items_) {
    item.level = 1;
    AddNextBytes(*machine_, item, &bytes);
  }
  const size_t count = items_.size();
  if (count == 1) {
    const Item item = items_.front();
    TakeSpacedParts(item, &bytes);
  }
  // Levels to come must not drop the items of those that wait.
  const size_t begin = items_.size();
  items_.resize(begin + count);
  std::copy_n(items_.begin(), count, items_.begin() + static_cast<ptrdiff_t>(begin));
  WalkMarks(standard_walks_->spaced_marks(), begin, begin + count, bytes);
  Finish();
}

void MaskWalker::WalkMarks(const SpacedMarks& marks, size_t begin, size_t end,
                           std::bitset<256> bytes) {
  Allow(marks.spaces());
  RemoveSpace(&bytes);
  for (const SpacedMarks::List& list : marks.lists()) {
    if (!bytes[list.mark]) continue;
    bytes.reset(list.mark);
    TakeSpacedMark(list, begin, end);
  }
  if (bytes.none()) return;
  const CategorySet next = CategoriesOf(bytes);
  PushBehindSpace(marks.node(), begin, end, bytes);
  for (const SpacedMarks::End& space : marks.ends()) {
    // What space was read no longer matters: it may end here.
    if ((space.next & next) != 0) PushBehindSpace(space.node, begin, end, bytes);
  }
}

void MaskWalker::TakeSpacedMark(const SpacedMarks::List& list, size_t begin, size_t end) {
  for (const uint32_t node : list.nodes) trie_->Prefetch(trie_->node(node));
  const size_t kept = items_.size();
  const Arena::Mark mark = arena_.mark();
  if (stepper_.Step(&items_, begin, end, list.mark)) {
    Level from;
    from.begin_items = begin;
    from.end_items = end;
    if (items_.size() > kept + 1) MergeBegun(kept);
    const size_t behind = items_.size();
    const size_t floor = levels_.size();
    const Arena::Mark read = arena_.mark();
    const std::bitset<256> bytes = BytesBehind(kept, behind);
    const StandardPart part = PartBegun(from, list.mark, kept);
    Allow(list.tokens);
    for (const uint32_t index : list.nodes) {
      const TokenTrie::Node& node = trie_->node(index);
      if ((part == kNoStandardPart || !TakePart(node, part, kept)) &&
          !WalkByAutomaton(node, kept, {}, false)) {
        PushBehind(node, kept, behind, bytes);
      }
      RunLevels(floor);
      items_.resize(behind);
      arena_.Release(read);
    }
  }
  items_.resize(kept);
  arena_.Release(mark);
}

const SpacedMarks* MaskWalker::MarksBelow(const TokenTrie::Node& node, size_t begin,
                                          size_t end) const {
  if (spaced_nodes_ == nullptr) return nullptr;
  for (size_t i = begin; i < end; ++i) {
    const Item& item = items_[i];
    if (item.trace != nullptr || item.frame.space != 0 || !IsBetweenTokens(*machine_, item.frame)) {
      return nullptr;
    }
  }
  return spaced_nodes_->Find(node, trie_->IndexOf(node));
}

void MaskWalker::PushBehind(const TokenTrie::Node& node, size_t begin, size_t end,
                            const std::bitset<256>& bytes) {
  if (const SpacedMarks* marks = MarksBelow(node, begin, end)) {
    WalkMarks(*marks, begin, end, bytes);
  } else {
    PushFiltered(node, begin, end, bytes);
  }
}

void MaskWalker::TakeSpacedParts(const Item& item, std::bitset<256>* bytes) {
  const std::optional<ValueId> value = OnlyValueAt(*machine_, item);
  if (!value || *value == kNeverValue) return;
  const ValueTable& table = machine_->value(*value);
  const StandardNodes& nodes = machine_->standard_nodes();
  const auto take_part = [&](StandardPart part, std::string_view first_bytes,
                             const StringTable* counted) {
    if (part == kNoStandardPart) return;
    const auto walk = standard_walks_->Find(*trie_, TokenTrie::kRoot, part);
    if (!walk) return;
    for (const char c : first_bytes) bytes->reset(static_cast<uint8_t>(c));
    if (counted != nullptr) {
      const LengthRange room = RoomOf(*counted, 0);
      AllowCounted(*walk, room);
      PushExits(*walk, part, item, room);
    } else {
      Allow(walk->tokens);
      PushExits(*walk, part, item, {});
    }
  };
  const auto take = [&](std::span<const NodeId> ids, std::span<const StandardPart> parts,
                        std::string_view first_bytes) {
    if (ids.size() != 1) return;
    const bool is_counted = parts[ids[0]] == StandardPart::kCountedString;
    take_part(WithSpace(parts[ids[0]]), first_bytes,
              is_counted ? &machine_->string(ids[0]) : nullptr);
  };
  constexpr std::string_view kNumberBytes = "-0123456789";
  take(table.strings, nodes.strings, "\"");
  take(table.numbers, nodes.numbers, kNumberBytes);
  if (table.numbers.size() == 1 && nodes.numbers[table.numbers[0]] == kNoStandardPart) {
    TakeSpacedNumber(item, table.numbers[0]);
    for (const char c : kNumberBytes) bytes->reset(static_cast<uint8_t>(c));
  }
  for (size_t i = 0; i < std::size(kSpacedLiterals); ++i) {
    if (table.allows_literal[i]) take_part(kSpacedLiterals[i], {kLiteralTexts[i], 1}, nullptr);
  }
  take(table.arrays, nodes.arrays, "[");
  take(table.objects, nodes.objects, "{");
}

// What returns from the one returns from the others too, so nodes that the walk itself made can be
// joined: then one text or number is walked, however many values may have begun with it.
void MaskWalker::MergeBegun(size_t begin) {
  const auto is_begun = [](const Item& item) {
    const FrameKind kind = item.frame.kind;
    return (kind == FrameKind::kString || kind == FrameKind::kNumber) && item.level == 0 &&
           item.trace == nullptr;
  };
  size_t kept = begin;
  for (size_t i = begin; i < items_.size(); ++i) {
    const Item item = items_[i];
    size_t j = kept;
    if (is_begun(item)) {
      j = begin;
      while (j < kept && !(is_begun(items_[j]) && items_[j].frame == item.frame)) ++j;
    }
    if (j == kept) {
      items_[kept++] = item;
    } else {
      items_[j].stack = JoinNodes(items_[j].stack, item.stack);
    }
  }
  items_.resize(kept);
}

const StackNode* MaskWalker::JoinNodes(const StackNode* a, const StackNode* b) {
  StackNode* joined = arena_.New<StackNode>(*a);
  for (const ReturnEdge* edge = b->edges; edge != nullptr; edge = edge->next) {
    ReturnEdge* copy = arena_.New<ReturnEdge>(*edge);
    copy->next = joined->edges;
    joined->edges = copy;
  }
  return joined;
}

}  // namespace maskloom
