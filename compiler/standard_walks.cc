// The parts are walked as of a grammar of any JSON value, from the nodes where values and keys can
// begin: behind white space, a colon, a comma, a bracket, or at the start of a token.
#include "compiler/standard_walks.h"

#include <algorithm>
#include <array>
#include <memory>

#include "compiler/archive.h"
#include "compiler/arena.h"
#include "compiler/machine.h"
#include "compiler/stepper.h"
#include "compiler/vocabulary_index.h"
#include "compiler/white_space.h"

namespace maskloom {
namespace {

bool MayPrecede(StandardPart part, uint8_t byte) {
  const std::string_view bytes = part == StandardPart::kMember ? " \t\n\r\"" : " \t\n\r:,[{";
  return bytes.find(static_cast<char>(byte)) != std::string_view::npos;
}

// Any place will do: space ends are found for styles alone in which it does not matter.
constexpr SpacePlace kSpacePlace = SpacePlace::kBeforeItem;

// Does it not depend on the place what white space there may be?
bool IsFreelySpaced(const StylePolicy& style) {
  return style.whitespace == StylePolicy::Whitespace::kFlexible ||
         style.whitespace == StylePolicy::Whitespace::kAny;
}

bool IsString(StandardPart part) {
  return part == StandardPart::kString || part == StandardPart::kSpacedString;
}

// What the machine of any value reads before the first byte of `part`.
std::string_view TextBefore(StandardPart part) {
  if (part == StandardPart::kKey) return "{";
  return part == StandardPart::kMember ? "{\"a\"" : "";
}

bool MayBegin(StandardPart part, uint8_t byte) {
  switch (part) {
    case StandardPart::kString:
    case StandardPart::kSpacedString:
    case StandardPart::kCountedString:
    case StandardPart::kKey:
      return byte == '"';
    case StandardPart::kArray:
    case StandardPart::kSpacedArray:
      return byte == '[';
    case StandardPart::kObject:
    case StandardPart::kSpacedObject:
      return byte == '{';
    case StandardPart::kNumber:
    case StandardPart::kSpacedNumber:
    case StandardPart::kInteger:
    case StandardPart::kSpacedInteger:
      return byte == '-' || (byte >= '0' && byte <= '9');
    case StandardPart::kSpacedNull:
      return byte == 'n';
    case StandardPart::kSpacedTrue:
      return byte == 't';
    case StandardPart::kSpacedFalse:
      return byte == 'f';
    case StandardPart::kMember:
      return byte == ':';
  }
  return false;
}

uint64_t KeyOf(uint32_t node, StandardPart part) {
  return uint64_t{node} * kStandardPartCount + static_cast<uint32_t>(part);
}

// The tries that are walked, in the order of the tables.
std::array<const TokenTrie*, 3> TriesOf(const VocabularyIndex& vocabulary,
                                        const StylePolicy& style) {
  const StringIndex& strings = vocabulary.strings(StringCodingOf(style));
  return {&vocabulary.trie(), &strings.exits(), &strings.tails()};
}

}  // namespace

// Finds the walks of one trie.
class StandardWalks::Builder {
 public:
  Builder(const TokenTrie& trie, StandardWalks* walks) : trie_(trie), walks_(walks) {}

  // Adds those of `part`, which `machine` reads from its start. `from_root`: can tokens begin where
  // the trie does?
  void Add(const Machine& machine, StandardPart part, bool from_root, Table* table);
  // Adds what tokens that begin where the value `part` or the space before it does find.
  void AddAtRoot(const Machine& machine, StandardPart part, Table* table);

 private:
  void AddAt(uint32_t node, Table* table);
  void AddBehindSpace(const Machine& machine, uint32_t node);
  Range BeginRange() const;
  void EndRange(uint32_t node, Range range, Table* table);
  bool Read(uint8_t byte);
  void Restart(const Machine& machine);
  bool Begin(const Machine& machine, uint8_t byte);
  bool IsBehind(const Item& item) const;
  void Visit(uint32_t node, size_t begin, size_t end);
  void AddExit(uint32_t node);
  // Adds the tokens that end at `node`, with the part or inside.
  void AddTokens(uint32_t node, bool ends);
  void AddString(Range* range);

  const TokenTrie& trie_;
  StandardWalks* walks_;
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  StandardPart part_ = StandardPart::kString;
  const StackNode* outer_ = nullptr;  // of the object that kMember is in
  std::string path_;                  // from behind the first byte of a key
  // Of a string: code points that were begun, and the tokens found.
  uint16_t code_points_ = 0;
  struct StringToken {
    bool ends;  // with the string
    uint16_t code_points;
    TokenId id;
    auto operator<=>(const StringToken&) const = default;
  };
  std::vector<StringToken> string_tokens_;
};

void StandardWalks::Builder::Add(const Machine& machine, StandardPart part, bool from_root,
                                 Table* table) {
  part_ = part;
  for (uint32_t index = 0; index < trie_.node_count(); ++index) {
    const TokenTrie::Node& node = trie_.node(index);
    if (index == TokenTrie::kRoot ? !from_root : !MayPrecede(part, node.byte)) continue;
    for (const TokenTrie::Node& child : trie_.children(node)) {
      if (child.child_count == 0 || !MayBegin(part, child.byte)) continue;
      if (Begin(machine, child.byte)) AddAt(trie_.IndexOf(child), table);
    }
  }
  // A member's value is walked from its start too, where tokens can begin.
  if (part == StandardPart::kMember && from_root) AddAtRoot(machine, part, table);
}

void StandardWalks::Builder::AddAtRoot(const Machine& machine, StandardPart part, Table* table) {
  part_ = part;
  if (!IsSpaced(part)) {
    if (Begin(machine, ':')) AddAt(TokenTrie::kRoot, table);
    return;
  }
  Range range = BeginRange();
  AddBehindSpace(machine, TokenTrie::kRoot);
  for (const SpaceEnd& end : walks_->space_ends_) AddBehindSpace(machine, end.node);
  EndRange(TokenTrie::kRoot, range, table);
}

// Adds what begins the value where the space before it may end, at `node`.
void StandardWalks::Builder::AddBehindSpace(const Machine& machine, uint32_t node) {
  for (const TokenTrie::Node& child : trie_.children(trie_.node(node))) {
    if (!MayBegin(part_, child.byte)) continue;
    Restart(machine);
    if (!Read(child.byte)) continue;
    AddTokens(trie_.IndexOf(child), false);
    Visit(trie_.IndexOf(child), 0, items_.size());
  }
}

// Adds what items_ find below `node`.
void StandardWalks::Builder::AddAt(uint32_t node, Table* table) {
  const Range range = BeginRange();
  Visit(node, 0, items_.size());
  EndRange(node, range, table);
}

StandardWalks::Range StandardWalks::Builder::BeginRange() const {
  Range range{};
  range.begin_tokens = static_cast<uint32_t>(walks_->tokens_.size());
  range.begin_exits = static_cast<uint32_t>(walks_->exits_.size());
  return range;
}

// Makes what was found since `range` began the walk at `node`.
void StandardWalks::Builder::EndRange(uint32_t node, Range range, Table* table) {
  if (IsString(part_)) AddString(&range);
  range.end_tokens = static_cast<uint32_t>(walks_->tokens_.size());
  range.end_exits = static_cast<uint32_t>(walks_->exits_.size());
  table->ranges.insert({KeyOf(node, part_), range});
}

void StandardWalks::Builder::AddString(Range* range) {
  std::sort(string_tokens_.begin(), string_tokens_.end());
  range->begin_lengths = static_cast<uint32_t>(walks_->lengths_.size());
  for (const StringToken& token : string_tokens_) {
    walks_->tokens_.push_back(token.id);
    walks_->lengths_.push_back(token.code_points);
    range->inside_count += !token.ends;
  }
  string_tokens_.clear();
}

bool StandardWalks::Builder::Read(uint8_t byte) {
  const size_t end = items_.size();
  if (!stepper_.Step(&items_, 0, end, byte)) return false;
  items_.erase(items_.begin(), items_.begin() + static_cast<ptrdiff_t>(end));
  return true;
}

// Makes items_ what `machine` begins with.
void StandardWalks::Builder::Restart(const Machine& machine) {
  arena_.Reset();
  items_.clear();
  path_.clear();
  stepper_.Bind(machine, &arena_);
  stepper_.Start(&items_);
}

// Makes items_ what the machine is in behind the first byte of the part.
bool StandardWalks::Builder::Begin(const Machine& machine, uint8_t byte) {
  Restart(machine);
  for (const char c : TextBefore(part_)) {
    if (!Read(static_cast<uint8_t>(c))) return false;
  }
  if (!Read(byte)) return false;
  outer_ = items_[0].stack;
  return true;
}

// Behind a value stands the end of the text, behind a key its colon, behind a member the object.
bool StandardWalks::Builder::IsBehind(const Item& item) const {
  switch (part_) {
    case StandardPart::kKey:
      return item.frame.kind == FrameKind::kObject && item.frame.phase == Phase::kColon;
    case StandardPart::kMember:
      return item.stack == outer_ && item.frame.kind == FrameKind::kObject &&
             item.frame.phase == Phase::kAfterValue;
    default:
      return item.frame.kind == FrameKind::kEnd;
  }
}

void StandardWalks::Builder::AddExit(uint32_t node) {
  Exit exit;
  exit.node = node;
  for (const TokenTrie::Node& child : trie_.children(trie_.node(node))) {
    exit.next |= CategorySet{1} << CategoryOf(child.byte);
  }
  exit.code_points = code_points_;
  if (part_ == StandardPart::kKey) {
    exit.begin_bytes = static_cast<uint32_t>(walks_->bytes_.size());
    exit.byte_count = static_cast<uint32_t>(path_.size());
    walks_->bytes_ += path_;
  } else if (exit.next == 0) {
    return;
  }
  walks_->exits_.push_back(exit);
}

void StandardWalks::Builder::AddTokens(uint32_t node, bool ends) {
  for (const TokenId id : trie_.tokens(node)) {
    if (IsString(part_)) {
      string_tokens_.push_back({ends, code_points_, id});
    } else if (part_ != StandardPart::kKey || !ends) {
      walks_->tokens_.push_back(id);
    }
  }
}

// Goes on below `node`, behind whose byte items_[begin, end) are alive.
void StandardWalks::Builder::Visit(uint32_t node, size_t begin, size_t end) {
  const auto is_behind = [this](const Item& item) { return IsBehind(item); };
  const auto first = items_.begin() + static_cast<ptrdiff_t>(begin);
  const auto last = items_.begin() + static_cast<ptrdiff_t>(end);
  const auto inside_end = std::remove_if(first, last, is_behind);
  if (inside_end != last) AddExit(node);
  end = static_cast<size_t>(inside_end - items_.begin());
  if (begin == end) return;
  for (const TokenTrie::Node& child : trie_.children(trie_.node(node))) {
    items_.resize(end);
    const Arena::Mark mark = arena_.mark();
    if (stepper_.Step(&items_, begin, end, child.byte)) {
      const uint32_t index = trie_.IndexOf(child);
      const bool ends = IsBehind(items_[end]);
      const bool begins = IsString(part_) && !ends && items_[begin].frame.partial == kBoundary;
      code_points_ += begins;
      AddTokens(index, ends);
      path_.push_back(static_cast<char>(child.byte));
      Visit(index, end, items_.size());
      path_.pop_back();
      code_points_ -= begins;
    }
    arena_.Release(mark);
  }
}

StandardWalks::StandardWalks(const VocabularyIndex& vocabulary, const StylePolicy& style,
                             uint32_t base_id) {
  if (style.whitespace == StylePolicy::Whitespace::kIndent) return;
  if (IsFreelySpaced(style)) {
    SpaceBelow spaces = SpaceBelow::Find(vocabulary.trie(), TokenTrie::kRoot, style);
    space_ends_ = std::move(spaces.ends);
    space_texts_ = std::move(spaces.texts);
  }
  const auto any = Machine::Create(AnyValueGrammar(style, false), vocabulary);
  const auto integer = Machine::Create(AnyValueGrammar(style, true), vocabulary);
  if (!any.ok() || !integer.ok()) return;  // a vocabulary that spells no JSON
  for (const TokenTrie* trie : TriesOf(vocabulary, style)) {
    Table table{trie, {}, {}};
    Builder builder(*trie, this);
    const bool from_root = trie == &vocabulary.trie();
    for (const StandardPart part :
         {StandardPart::kString, StandardPart::kNumber, StandardPart::kArray, StandardPart::kObject,
          StandardPart::kKey, StandardPart::kMember}) {
      builder.Add(**any, part, from_root, &table);
    }
    builder.Add(**integer, StandardPart::kInteger, from_root, &table);
    if (from_root) {
      for (const StandardPart part :
           {StandardPart::kSpacedString, StandardPart::kSpacedNumber, StandardPart::kSpacedArray,
            StandardPart::kSpacedObject, StandardPart::kSpacedNull, StandardPart::kSpacedTrue,
            StandardPart::kSpacedFalse}) {
        builder.AddAtRoot(**any, part, &table);
      }
      builder.AddAtRoot(**integer, StandardPart::kSpacedInteger, &table);
    }
    tables_.push_back(std::move(table));
  }
  const auto member = Find(vocabulary.trie(), TokenTrie::kRoot, StandardPart::kMember);
  if (member) {
    member_words_.resize(vocabulary.row_words());
    for (const TokenId id : member->tokens) member_words_[id / 32] |= 1u << (id % 32);
  }
  SetTries(vocabulary, style);
  SetMemberRow(vocabulary, base_id);
}

StandardWalks::StandardWalks(const VocabularyIndex& vocabulary, const StylePolicy& style,
                             uint32_t base_id, ArchiveReader* archive) {
  Describe(*archive, *this);
  SetTries(vocabulary, style);
  SetMemberRow(vocabulary, base_id);
}

void StandardWalks::SetTries(const VocabularyIndex& vocabulary, const StylePolicy& style) {
  spaced_marks_ = SpacedMarks(vocabulary.trie(), TokenTrie::kRoot, space_ends_, {});
  const auto tries = TriesOf(vocabulary, style);
  for (size_t i = 0; i < std::min(tables_.size(), tries.size()); ++i) {
    tables_[i].trie = tries[i];
    if (IsFreelySpaced(style)) tables_[i].spaced_nodes = SpacedNodes(*tries[i], style);
  }
}

const SpacedNodes* StandardWalks::SpacedNodesOf(const TokenTrie& trie) const {
  const auto table = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const Table& other) { return other.trie == &trie; });
  return table == tables_.end() ? nullptr : &table->spaced_nodes;
}

void StandardWalks::SetMemberRow(const VocabularyIndex& vocabulary, uint32_t base_id) {
  const auto member = Find(vocabulary.trie(), TokenTrie::kRoot, StandardPart::kMember);
  if (!member) return;
  member_row_ = {base_id, member_words_.data(), static_cast<uint32_t>(member->tokens.size())};
}

bool StandardWalks::SpaceEndsFollow(const StylePolicy& style, uint16_t space) const {
  const auto follows = [&](std::string_view text) {
    uint16_t state = space;
    for (const char c : text) {
      state = StepSpace(style, kSpacePlace, 1, state, static_cast<uint8_t>(c));
      if (state == kNoSpace) return false;
    }
    return SpaceMayEnd(style, kSpacePlace, 1, state);
  };
  return follows("") && std::all_of(space_texts_.begin(), space_texts_.end(), follows);
}

std::optional<StandardWalks::Walk> StandardWalks::Find(const TokenTrie& trie, uint32_t node,
                                                       StandardPart part) const {
  for (const Table& table : tables_) {
    if (table.trie != &trie) continue;
    const auto it = table.ranges.find(KeyOf(node, part));
    if (it == table.ranges.end()) return std::nullopt;
    const Range& range = it->second;
    Walk walk{std::span(tokens_).subspan(range.begin_tokens, range.end_tokens - range.begin_tokens),
              std::span(exits_).subspan(range.begin_exits, range.end_exits - range.begin_exits),
              {},
              range.inside_count};
    if (IsString(part)) {
      walk.lengths = std::span(lengths_).subspan(range.begin_lengths, walk.tokens.size());
    }
    return walk;
  }
  return std::nullopt;
}

size_t StandardWalks::MemoryBytes() const {
  size_t total = space_ends_.size() * sizeof(SpaceEnd) + spaced_marks_.MemoryBytes() +
                 member_words_.size() * 4 + tokens_.size() * sizeof(TokenId) +
                 exits_.size() * sizeof(Exit) + bytes_.size();
  for (const Table& table : tables_) {
    total += table.ranges.size() * 2 * sizeof(Range) + table.spaced_nodes.MemoryBytes();
  }
  return total;
}

}  // namespace maskloom
