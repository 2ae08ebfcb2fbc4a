#include "runtime/device/step_table.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "compiler/machine.h"
#include "compiler/mask_cache.h"
#include "runtime/device/step_explorer.h"

namespace maskloom {
namespace {

using kernels::kContextBit;
using kernels::RowState;

constexpr size_t kFirstSlots = 256;
// Contexts are numbered behind all words.
constexpr uint32_t kFirstContext = 1u << 30;
constexpr uint32_t kMostPushed = 32;
// States are explored once for each way in which so many words on top differ.
constexpr size_t kWordsToldApart = 3;
// Counts of bounded strings whose masks are made ahead.
constexpr uint32_t kMostCounts = 128;
constexpr uint32_t kMissesToWiden = 2;
// Other registers are tried of containers that are no further below.
constexpr size_t kMostVariedPiece = 1;
// ... as long as no more than this part of the memory is used: the rest is for what rows do meet.
constexpr size_t kShareToWiden = 4;

// May a key begin or go on there? Then nearly every token leads to words of its own.
bool IsBeforeKey(const Item& item) {
  const Phase phase = item.frame.phase;
  return item.frame.kind == FrameKind::kObject &&
         (phase == Phase::kOpen || phase == Phase::kComma || phase == Phase::kKey);
}

}  // namespace

StepTable::StepTable(std::shared_ptr<const CompiledGrammar> grammar,
                     std::shared_ptr<const TextTokens> text_tokens, MaskPool* pool,
                     const StepTableLimits& limits)
    : grammar_(std::move(grammar)),
      text_tokens_(std::move(text_tokens)),
      pool_(*pool),
      limits_(limits),
      words_(grammar_->machine(), grammar_->vocabulary(), text_tokens_->keys),
      entries_(kFirstSlots) {}

StepTable::~StepTable() {
  for (const kernels::RowMask& mask : masks_) pool_.Release(mask);
}

kernels::StepTables StepTable::tables() const {
  const std::vector<TokenId>& ends = grammar_->vocabulary().vocabulary().end_tokens();
  kernels::StepTables tables;
  tables.entries = entries_.data();
  tables.entry_mask = static_cast<uint32_t>(entries_.size() - 1);
  tables.heads = words_.heads().data();
  tables.registers = words_.registers().tables().data();
  tables.records = records_.data();
  tables.masks = masks_.data();
  tables.text_lengths = text_tokens_->lengths.data();
  tables.end_tokens = ends.data();
  tables.end_token_count = static_cast<uint32_t>(ends.size());
  return tables;
}

StepTableCounts StepTable::counts() const {
  StepTableCounts counts;
  counts.steps = step_count_;
  counts.masks = masks_.size();
  counts.words = words_.heads().size() - 1;
  counts.table_bytes = entries_.size() * sizeof(kernels::StepEntry) + records_.size() * 4 +
                       masks_.size() * sizeof(kernels::RowMask) +
                       words_.heads().size() * sizeof(kernels::HeadInfo) +
                       words_.registers().tables().size() * sizeof(kernels::WordRegisters);
  counts.host_bytes = words_.MemoryBytes() + (explorer_ == nullptr ? 0 : explorer_->MemoryBytes()) +
                      (misses_.size() + met_.size()) * 32;
  return counts;
}

bool StepTable::StateOf(Items items, RowState* row) {
  row->depth = 0;
  return words_.Find(items, &after_) && StateOfAfter(row);
}

bool StepTable::StateOfAfter(RowState* row) const {
  row->depth = 0;
  if (after_.words.size() > kernels::kMostRowWords ||
      after_.cells.size() > kernels::kMostRowCells) {
    return false;
  }
  std::copy(after_.words.begin(), after_.words.end(), row->words);
  std::copy(after_.cells.begin(), after_.cells.end(), row->cells);
  row->depth = static_cast<uint32_t>(after_.words.size());
  row->cell_count = static_cast<uint32_t>(after_.cells.size());
  row->count = after_.count;
  return true;
}

template <typename Change>
void StepTable::CopyItems(Items items, const Change& change) {
  std::vector<StackNode*> copies;
  for (size_t i = 0; i < before_.nodes.size(); ++i) copies.push_back(arena_.New<StackNode>());
  const auto copy_of = [&](const StackNode* node) -> const StackNode* {
    if (node == nullptr) return nullptr;
    const auto it = std::find(before_.nodes.begin(), before_.nodes.end(), node);
    return copies[static_cast<size_t>(it - before_.nodes.begin())];
  };
  const auto level_of = [&](const StackNode* node) {
    return node != nullptr && node == before_.below_head ? 1u : 0u;
  };
  const auto change_container = [&](size_t piece, Frame* frame) {
    const bool is_container = frame->kind == FrameKind::kArray || frame->kind == FrameKind::kObject;
    if (before_.pieces[piece].frame != nullptr && is_container) change(piece, frame);
  };
  size_t piece = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    while (i >= before_.pieces[piece].nodes_end) ++piece;
    const ReturnEdge** link = &copies[i]->edges;
    for (const ReturnEdge* edge = before_.nodes[i]->edges; edge != nullptr; edge = edge->next) {
      // In the head edges tell how far the first cut lies below; further down levels are counted.
      auto* copy = arena_.New<ReturnEdge>(edge->frame, copy_of(edge->below),
                                          piece == 0 ? level_of(edge->below) : 0u);
      change_container(piece, &copy->frame);
      *link = copy;
      link = &copy->next;
    }
  }
  items_.assign(items.begin(), items.end());
  for (Item& item : items_) {
    item.level = level_of(item.stack);
    item.stack = copy_of(item.stack);
    change_container(0, &item.frame);
  }
}

bool StepTable::Prepare(Items items, size_t lowered) {
  prepared_count_ = 0;
  if (!words_.Find(items, &before_) || before_.words.size() > kernels::kMostRowWords) return false;
  arena_.Reset();
  CopyItems(items, [&](size_t piece, Frame* frame) {
    frame->seen_values = &marks_[piece];
    const bool has_count = words_.RegistersOf(before_.WordOf(piece)).has_count != 0;
    if (piece >= lowered && has_count) frame->count = words_.registers().LeastCount(*frame);
  });
  prepared_count_ = items_.size();
  return true;
}

bool StepTable::Run(TokenId token) {
  const Vocabulary& vocabulary = grammar_->vocabulary().vocabulary();
  if (vocabulary.kind(token) != TokenKind::kNormal) return false;
  stepper_.Bind(grammar_->machine(), &arena_);
  stepper_.ResetLevel();
  items_.resize(prepared_count_);
  size_t begin = 0;
  for (const char c : vocabulary.bytes(token)) {
    const size_t end = items_.size();
    if (!stepper_.Step(&items_, begin, end, static_cast<uint8_t>(c))) return false;
    begin = end;
  }
  return words_.Find(Items(items_).subspan(begin), &after_);
}

bool StepTable::LearnStep(Items items, TokenId token) {
  if (!Prepare(items, kNoPiece) || !Run(token) || !AddStep(items, token)) return false;
  NoteMiss(items);
  return true;
}

bool StepTable::FindCellChanges(const Frame& before, std::span<const uint32_t> cells_before,
                                const Frame& after, std::span<const uint32_t> cells_after,
                                const kernels::WordRegisters& registers,
                                CellChanges* changes) const {
  if (cells_before.size() != cells_after.size()) return false;
  const auto change = [&](CellChange one) {
    if (one.added == 0 && one.bits == 0 && one.unset == 0) return;
    one.cell += changes->kept;
    changes->changes.push_back(one);
  };
  uint32_t cell = 0;
  for (; cell < registers.name_cells; ++cell) {
    if ((cells_before[cell] & ~cells_after[cell]) != 0) return false;
    change({cell, 0, cells_after[cell] & ~cells_before[cell], 0, ~0u});
  }
  if (registers.has_others != 0) {
    uint32_t bits = 0;
    const SeenKey* key = after.seen_keys;
    for (; key != nullptr && key != before.seen_keys; key = key->previous) {
      bits |= words_.registers().KeyBits(key->text);
    }
    if (key != before.seen_keys) return false;
    const uint32_t open_before = FrameRegisters::OpenKeyBit(before);
    const uint32_t open_after = FrameRegisters::OpenKeyBit(after);
    const bool is_same_key = open_before != 0 && bits == 0;
    change({cell++, 0, (bits | open_after) & ~open_before, is_same_key ? 0 : open_after, ~0u});
  }
  if (registers.has_count != 0) {
    if (cells_after[cell] < cells_before[cell]) return false;
    const uint32_t most = words_.registers().MostCount(after);
    changes->is_ambiguous |= cells_after[cell] >= most;
    change({cell, cells_after[cell] - cells_before[cell], 0, 0, most});
  }
  return true;
}

bool StepTable::FindChanges(size_t looked_at, size_t pushed, bool is_lowered,
                            CellChanges* changes) const {
  *changes = {};
  for (size_t i = 0; i < looked_at; ++i) {
    changes->looked_at += static_cast<uint32_t>(before_.CellsOf(i).size());
  }
  size_t source = looked_at;
  std::vector<uint32_t> lowered;
  for (size_t i = pushed; i-- > 0;) {
    const Frame* frame = after_.pieces[i].frame;
    if (frame == nullptr) continue;
    const std::span<const uint32_t> cells = after_.CellsOf(i);
    if (frame->seen_values == nullptr) {
      changes->further.insert(changes->further.end(), cells.begin(), cells.end());
      continue;
    }
    // What stays stands in its old order, below what is put on.
    do {
      if (source == 0) return false;
      --source;
    } while (before_.pieces[source].frame == nullptr);
    if (frame->seen_values != &marks_[source] || !changes->further.empty()) return false;
    std::span<const uint32_t> cells_before = before_.CellsOf(source);
    const Frame& before = *before_.pieces[source].frame;
    if (is_lowered && words_.RegistersOf(before_.WordOf(source)).has_count != 0) {
      lowered.assign(cells_before.begin(), cells_before.end());
      lowered.back() = words_.registers().LeastCount(before);
      cells_before = lowered;
    }
    if (!FindCellChanges(before, cells_before, *frame, cells, words_.RegistersOf(after_.WordOf(i)),
                         changes)) {
      return false;
    }
    changes->kept += static_cast<uint32_t>(cells.size());
    changes->first_kept_piece = source;
  }
  return true;
}

void StepTable::AppendChanges(const CellChanges& changes) {
  records_.push_back(static_cast<uint32_t>(changes.changes.size() | changes.further.size() << 8));
  for (const CellChange& one : changes.changes) {
    records_.insert(records_.end(), {one.cell | one.added << 8, one.bits, one.unset, one.most});
  }
  records_.insert(records_.end(), changes.further.begin(), changes.further.end());
}

bool StepTable::AddStep(Items items, TokenId token) {
  if (IsFull()) return false;
  const std::string_view bytes = grammar_->vocabulary().vocabulary().bytes(token);
  const size_t below = before_.words.size() - 1;
  const auto returned = static_cast<uint32_t>(std::min<size_t>(stepper_.deepest_level(), below));
  const size_t kept = below - returned;
  // What the step did not return to is there still.
  if (after_.words.size() <= kept || after_.words.size() - kept > kMostPushed ||
      !std::equal(after_.words.begin(), after_.words.begin() + static_cast<ptrdiff_t>(kept),
                  before_.words.begin())) {
    return false;
  }
  const auto pushed = static_cast<uint32_t>(after_.words.size() - kept);
  const std::vector<uint32_t> words(after_.words.end() - pushed, after_.words.end());
  uint32_t change = after_.count;
  const bool goes_on = returned == 0 && words_.heads()[before_.words.back()].is_counted != 0 &&
                       words_.heads()[after_.words.back()].is_counted != 0;
  if (goes_on) {
    Partial partial = items.front().frame.partial;
    change = *CountText(grammar_->machine().string_coding(), bytes, &partial);
  }
  CellChanges changes;
  if (!FindChanges(returned + 1, pushed, false, &changes)) return false;
  if (changes.is_ambiguous && !FindChangesFromLeast(items, token, returned + 1, pushed, &changes)) {
    return false;
  }
  keys_.assign(1, token);
  for (uint32_t i = 1; i <= returned; ++i) keys_.push_back(before_.WordOf(i));
  const auto record = static_cast<uint32_t>(records_.size());
  if (!Add(before_.words.back(), keys_, record)) return false;
  const bool changes_cells = !changes.changes.empty() || !changes.further.empty();
  const uint32_t flags =
      (goes_on ? kernels::kAddCount : 0u) | (changes_cells ? kernels::kChangesCells : 0u);
  records_.push_back(pushed | flags << 8 | changes.looked_at << 16 | changes.kept << 24);
  records_.push_back(change);
  records_.insert(records_.end(), words.begin(), words.end());
  if (changes_cells) AppendChanges(changes);
  ++step_count_;
  return true;
}

bool StepTable::FindChangesFromLeast(Items items, TokenId token, size_t looked_at, size_t pushed,
                                     CellChanges* changes) {
  const std::vector<uint32_t> words = after_.words;
  const size_t first_kept_piece = changes->first_kept_piece;
  const bool is_found = Prepare(items, first_kept_piece) && Run(token) && after_.words == words &&
                        FindChanges(looked_at, pushed, true, changes);
  prepared_count_ = 0;  // what is there now has other counts
  return is_found;
}

uint32_t StepTable::MaskDepth(Items items, const ConfigurationWords::Cut& cut) {
  MaskCache::Reader masks(grammar_->masks());
  uint32_t depth = 0;
  for (const Item& item : items) {
    const uint32_t levels = masks.Find(item).depth;
    // Levels of the mask's key that are nodes of the head: they are met breadth first.
    uint32_t in_head = 0;
    std::vector<const StackNode*> level{item.stack}, met;
    while (in_head < levels && !level.empty() &&
           std::find(level.begin(), level.end(), cut.below_head) == level.end()) {
      std::vector<const StackNode*> next;
      for (const StackNode* node : level) {
        if (node == nullptr || std::find(met.begin(), met.end(), node) != met.end()) continue;
        met.push_back(node);
        for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
          next.push_back(edge->below);
        }
      }
      level = std::move(next);
      ++in_head;
    }
    depth = std::max(depth, levels - in_head);
  }
  return depth;
}

bool StepTable::LearnMask(Items items) {
  if (!AddMask(items)) return false;
  NoteMiss(items);
  return true;
}

bool StepTable::FindMaskKeys(uint32_t right, size_t first, size_t looked_at) {
  keys_.assign(1, right);
  for (size_t i = 0; i < looked_at; ++i) {
    if (i > 0) keys_.push_back(before_.WordOf(i));
    if (before_.pieces[i].frame == nullptr || i < first) continue;
    const kernels::WordRegisters& registers = words_.RegistersOf(before_.WordOf(i));
    const uint32_t* cells = before_.CellsOf(i).data();
    if (IsBlind(registers, cells, 0)) return false;
    for (uint32_t cell = 0; cell < MaskCellCount(registers); ++cell) {
      keys_.push_back(MaskCell(registers, cells, 0, cell));
    }
  }
  return true;
}

bool StepTable::KnowsMask(const RowState& row) const {
  bool is_named = false;
  return FindMaskPlace(tables(), row, &is_named) != kernels::kAbsent;
}

bool StepTable::AddMask(Items items) {
  if (IsFull() || !words_.Find(items, &before_)) return false;
  if (AddNamedList(items)) return true;
  const size_t looked_at =
      std::min<size_t>(size_t{MaskDepth(items, before_)} + 1, before_.words.size());
  const uint32_t right = MaskWordOf(words_.heads()[before_.words.back()], before_.count);
  if (!FindMaskKeys(right, 0, looked_at)) return false;
  const auto mask = pool_.Keep(*grammar_, items);
  if (!mask) return false;
  if (!Add(before_.words.back(), keys_, static_cast<uint32_t>(masks_.size()))) {
    pool_.Release(*mask);
    return false;
  }
  masks_.push_back(*mask);
  return true;
}

bool StepTable::AddNamedList(Items items) {
  const kernels::WordRegisters& registers = words_.RegistersOf(before_.words.back());
  if (items.size() != 1 || before_.pieces[0].frame != &items.front().frame) return false;
  uint32_t depth = 0;
  const bool is_found =
      name_masks_.Find(*grammar_, words_.registers(), registers, items.front(),
                       [&](Items one) { depth = std::max(depth, MaskDepth(one, before_)); });
  if (!is_found) return false;
  const size_t looked_at = std::min<size_t>(size_t{depth} + 1, before_.words.size());
  const kernels::HeadInfo& head = words_.heads()[before_.words.back()];
  if (!FindMaskKeys(MaskWordOf(head, before_.count) | kernels::kNamedBit, 1, looked_at)) {
    return false;
  }
  const auto always = pool_.KeepIds(name_masks_.always());
  if (!always) return false;
  const auto record = static_cast<uint32_t>(records_.size());
  if (!Add(before_.words.back(), keys_, record)) {
    pool_.Release(*always);
    return false;
  }
  const std::span<const NameMasks::Id> ids = name_masks_.ids();
  records_.push_back(static_cast<uint32_t>(masks_.size()));
  masks_.push_back(*always);
  records_.push_back(static_cast<uint32_t>(ids.size()));
  for (const NameMasks::Id& one : ids) records_.push_back(one.id);
  for (const NameMasks::Id& one : ids) {
    for (uint32_t cell = 0; cell < registers.name_cells; ++cell) {
      records_.push_back(FrameRegisters::NamesIn(one.names, cell));
    }
  }
  return true;
}

bool StepTable::Add(uint32_t left, std::span<const uint32_t> keys, uint32_t value) {
  for (const uint32_t key : keys.first(keys.size() - 1)) {
    const uint32_t context = kContextBit | (kFirstContext + context_count_);
    const uint32_t there = Insert(left, key, context);
    if ((there & kContextBit) == 0) return false;
    if (there == context) ++context_count_;
    left = there & ~kContextBit;
  }
  return Insert(left, keys.back(), value) == value;
}

uint32_t StepTable::Insert(uint32_t left, uint32_t right, uint32_t value) {
  const uint32_t mask = static_cast<uint32_t>(entries_.size() - 1);
  for (uint32_t slot = kernels::HashStep(left, right);; ++slot) {
    kernels::StepEntry& entry = entries_[slot & mask];
    if (entry.left == left && entry.right == right) return entry.value;
    if (entry.left != 0) continue;
    entry = {left, right, value};
    if (2 * ++entry_count_ > entries_.size()) Grow();
    return value;
  }
}

void StepTable::Grow() {
  std::vector<kernels::StepEntry> old(2 * entries_.size());
  old.swap(entries_);
  const uint32_t mask = static_cast<uint32_t>(entries_.size() - 1);
  for (const kernels::StepEntry& entry : old) {
    if (entry.left == 0) continue;
    uint32_t slot = kernels::HashStep(entry.left, entry.right);
    while (entries_[slot & mask].left != 0) ++slot;
    entries_[slot & mask] = entry;
  }
}

bool StepTable::Explore(const AheadLimits& limits) {
  if (explorer_ == nullptr) explorer_ = std::make_unique<StepExplorer>(*grammar_, this);
  return explorer_->Run(limits);
}

bool StepTable::BeginAhead(Items items, size_t most_tokens) {
  RowState row;
  if (!StateOf(items, &row)) return false;
  LearnMasksOfCounts(items, row);
  if (!met_.insert(HashOf(row)).second) return false;
  LearnTokens(items, row, most_tokens);
  return true;
}

std::vector<const Configuration*> StepTable::KeepVariants(Items items, ConfigurationStore* store) {
  std::vector<const Configuration*> variants;
  if (!words_.Find(items, &before_)) return variants;
  size_t piece = 0;
  while (piece < before_.pieces.size() && before_.pieces[piece].frame == nullptr) ++piece;
  if (piece == before_.pieces.size() || piece > kMostVariedPiece) return variants;
  const Frame frame = *before_.pieces[piece].frame;
  const kernels::WordRegisters& registers = words_.RegistersOf(before_.WordOf(piece));
  const std::span<const uint32_t> now = before_.CellsOf(piece);
  const auto key_of = [&](const uint32_t* cells) {
    std::array<uint32_t, kernels::kMostNameCells + 1> key{};
    for (uint32_t i = 0; i < MaskCellCount(registers); ++i)
      key[i] = MaskCell(registers, cells, 0, i);
    return key;
  };
  std::vector<std::array<uint32_t, kernels::kMostNameCells + 1>> known{key_of(now.data())};
  for (const std::vector<uint32_t>& cells : words_.registers().LikelyCells(frame)) {
    const auto key = key_of(cells.data());
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    known.push_back(key);
    const Frame other = words_.registers().WithCells(frame, cells.data());
    if (!words_.registers().IsLive(other)) continue;
    arena_.Reset();
    CopyItems(items, [&](size_t its_piece, Frame* copy) {
      if (its_piece == piece) *copy = words_.registers().WithCells(*copy, cells.data());
    });
    for (Item& item : items_) item.level = 0;
    variants.push_back(store->KeepWhole(items_));
  }
  return variants;
}

void StepTable::LearnAhead(Items items, TokenId token) {
  RowState row;
  if (!StateOf(items, &row) || IsKnown(row, token)) return;
  if (Prepare(items, kNoPiece) && Run(token)) AddStep(items, token);
}

bool StepTable::IsInText(Items items) {
  RowState row;
  return StateOf(items, &row) && words_.heads()[row.words[row.depth - 1]].is_text != 0;
}

bool StepTable::IsKnown(const RowState& row, TokenId token) const {
  const kernels::HeadInfo& head = words_.heads()[row.words[row.depth - 1]];
  if (head.is_text != 0 && text_tokens_->lengths[token] != 0) return true;
  uint32_t looked_at = 0;
  return FindByWords(tables(), row, token, &looked_at) != kernels::kAbsent;
}

uint64_t StepTable::HashOf(const RowState& row) const {
  // The masks of texts are learned for all counts at once.
  const kernels::HeadInfo& head = words_.heads()[row.words[row.depth - 1]];
  uint64_t hash = head.is_text != 0 ? 0 : MaskWordOf(head, row.count);
  const auto mix = [&](uint32_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  uint32_t cell_end = row.cell_count;
  for (size_t i = 0; i < std::min<size_t>(row.depth, kWordsToldApart); ++i) {
    const uint32_t word = row.words[row.depth - 1 - i];
    mix(word);
    const kernels::WordRegisters& registers = words_.RegistersOf(word);
    cell_end -= registers.cells;
    // Whether it may close and go on tells states apart, not which names it has.
    if (registers.cells > 0)
      mix(MaskCell(registers, row.cells, cell_end, 0) >> kernels::kNamesPerCell);
  }
  return hash;
}

void StepTable::NoteMiss(Items items) {
  RowState row;
  if (limits_.widened_tokens == 0 || !StateOf(items, &row)) return;
  if (++misses_[HashOf(row)] != kMissesToWiden || IsFull(kShareToWiden)) return;
  LearnMasksOfCounts(items, row);
  ConfigurationStore store;
  for (const Configuration* variant : KeepVariants(items, &store)) {
    RowState other;
    if (StateOf(variant->span(), &other)) LearnMasksOfCounts(variant->span(), other);
  }
  LearnTokens(items, row, limits_.widened_tokens);
}

void StepTable::LearnTokens(Items items, const RowState& row, size_t most_tokens) {
  const bool is_text = words_.heads()[row.words[row.depth - 1]].is_text != 0;
  if (is_text || std::any_of(items.begin(), items.end(), IsBeforeKey)) return;
  const Vocabulary& vocabulary = grammar_->vocabulary().vocabulary();
  CollectTokens(items, false, most_tokens);
  std::erase_if(tokens_, [&](TokenId token) {
    return vocabulary.bytes(token).find('"') != std::string_view::npos || IsKnown(row, token);
  });
  prepared_count_ = 0;
  for (const TokenId token : tokens_) {
    if (prepared_count_ == 0 && !Prepare(items, kNoPiece)) return;
    if (Run(token)) AddStep(items, token);
  }
}

void StepTable::LearnMasksOfCounts(Items items, const RowState& row) {
  if (!KnowsMask(row)) AddMask(items);
  const kernels::HeadInfo head = words_.heads()[row.words[row.depth - 1]];
  if (head.is_counted == 0) return;
  const Frame& frame = items.front().frame;
  if (grammar_->machine().string(frame.node).automaton != nullptr) return;
  // Any text may have come before, so every count does that leaves room for a character begun.
  const uint32_t most =
      head.max == kernels::kNoMaximumCount ? head.min : head.max - (frame.partial != kBoundary);
  Item item = items.front();
  RowState other = row;
  for (other.count = 0; other.count <= std::min(most, kMostCounts); ++other.count) {
    item.frame.count = other.count;
    if (FindRowMask(tables(), other) == nullptr) AddMask(Items(&item, 1));
  }
}

void StepTable::CollectTokens(Items items, bool is_text, size_t most_tokens) {
  tokens_.clear();
  MaskCache::Reader masks(grammar_->masks());
  for (const Item& item : items) {
    const ItemMask& mask = masks.Find(item);
    tokens_.insert(tokens_.end(), mask.exceptions().begin(), mask.exceptions().end());
    if (mask.base == nullptr || tokens_.size() > most_tokens) continue;
    const size_t before = tokens_.size();
    for (uint32_t word = 0; word < pool_.row_words(); ++word) {
      for (uint32_t bits = mask.base[word]; bits != 0; bits &= bits - 1) {
        const TokenId id = 32 * word + static_cast<uint32_t>(std::countr_zero(bits));
        if (!is_text || text_tokens_->lengths[id] == 0) tokens_.push_back(id);
      }
      if (tokens_.size() > most_tokens) break;
    }
    if (tokens_.size() > most_tokens) tokens_.resize(before);
  }
  if (tokens_.size() > most_tokens) tokens_.clear();
}

}  // namespace maskloom
