#include "runtime/device/device_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/machine.h"

namespace maskloom {
namespace {

using kernels::RowMask;
using kernels::RowOutcome;
using kernels::RowState;
using kernels::RowUpdate;

// The pool holds so many slots for each row beyond those that tables keep: a row and a list.
constexpr uint32_t kSlotsOfRow = 2;
constexpr uint32_t kSpareSlots = 4;
// Tables may outgrow what they learn within when their entries double.
constexpr size_t kRoomToGrow = 2;
constexpr size_t kShareToExplore = 8;
// A table of so many bytes is published at every call of CatchUp; one of twice as many, at every
// other.
constexpr size_t kEasyBytes = 256u << 10;

}  // namespace

Result<std::unique_ptr<DeviceRows>> DeviceRows::Create(
    std::shared_ptr<const VocabularyIndex> vocabulary, DeviceMemory* memory,
    const DeviceRowsLimits& limits) {
  if (limits.rows == 0 || limits.rows > kernels::kMostBatchRows) {
    return Status(StatusCode::kInvalidArgument, "a batch has " + std::to_string(limits.rows) +
                                                    " rows; allowed: 1 to " +
                                                    std::to_string(kernels::kMostBatchRows));
  }
  const size_t row_bytes = size_t{vocabulary->row_words()} * 4;
  const size_t least = (size_t{kSlotsOfRow} * limits.rows + kSpareSlots) * row_bytes;
  if (limits.pool_bytes < least) {
    return Status(StatusCode::kInvalidArgument,
                  "a pool of masks has " + std::to_string(limits.pool_bytes) + " bytes; for " +
                      std::to_string(limits.rows) + " rows of this vocabulary it needs " +
                      std::to_string(least));
  }
  auto pool = MaskPool::Create(*vocabulary, memory, limits.pool_bytes);
  if (!pool.ok()) return pool.status();
  std::unique_ptr<DeviceRows> rows(
      new DeviceRows(std::move(vocabulary), memory, limits, std::move(*pool)));
  // The last of them is empty, for rows that the host follows.
  const std::vector<kernels::StepTables> empty(size_t{limits.grammars} + 1);
  const size_t bytes = empty.size() * sizeof(kernels::StepTables);
  rows->device_tables_ = static_cast<kernels::StepTables*>(memory->Allocate(bytes));
  if (rows->device_tables_ == nullptr) {
    return Status(StatusCode::kResourceLimit, "no room for a list of step tables");
  }
  memory->Copy(rows->device_tables_, empty.data(), bytes);
  return rows;
}

DeviceRows::DeviceRows(std::shared_ptr<const VocabularyIndex> vocabulary, DeviceMemory* memory,
                       const DeviceRowsLimits& limits, std::unique_ptr<MaskPool> pool)
    : vocabulary_(std::move(vocabulary)),
      memory_(*memory),
      limits_(limits),
      pool_(std::move(pool)),
      tables_(limits.grammars),
      rows_(limits.rows) {
  pool_->KeepAtMost(pool_->slot_count() - kSlotsOfRow * limits.rows);
  pool_->BeginStep();
}

DeviceRows::~DeviceRows() = default;

uint32_t DeviceRows::TableOf(uint32_t row) const {
  return std::min(rows_[row].table, limits_.grammars);
}

const DeviceRows::Text& DeviceRows::TextOf(const CompiledGrammar& grammar) {
  const TextCoding coding = grammar.machine().string_coding();
  const auto [known, is_new] = texts_.try_emplace(coding);
  Text& text = known->second;
  if (!is_new) return text;
  text.tokens = std::make_shared<const TextTokens>(*vocabulary_, coding);
  text.lengths = PublishTextLengths(*text.tokens, &memory_);
  if (text.lengths != nullptr) counts_.table_bytes += text.tokens->lengths.size();
  return text;
}

uint32_t DeviceRows::FindPlace() {
  uint32_t best = kNoTable;
  for (uint32_t i = 0; i < tables_.size(); ++i) {
    const Table& table = tables_[i];
    if (table.row_count > 0 || (!table.published && !has_room_)) continue;
    if (best == kNoTable || table.used_at < tables_[best].used_at) best = i;
  }
  if (best == kNoTable || tables_[best].published) return best;
  Table& table = tables_[best];
  table.memory = std::make_unique<ShadowedMemory>(&memory_);
  auto published = PublishedSteps::Create(table.memory.get(), limits_.table_bytes);
  if (!published.ok()) {
    has_room_ = false;
    return FindPlace();
  }
  table.published = std::move(*published);
  return best;
}

uint32_t DeviceRows::FindTable(const std::shared_ptr<const CompiledGrammar>& grammar) {
  for (uint32_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].grammar != grammar) continue;
    if (IsOverfull(tables_[i]) && tables_[i].row_count == 0) MakeTable(i, grammar);
    return i;
  }
  if (TextOf(*grammar).lengths == nullptr) return kNoTable;
  const uint32_t number = FindPlace();
  if (number == kNoTable) return number;
  MakeTable(number, grammar);
  return number;
}

void DeviceRows::MakeTable(uint32_t number, const std::shared_ptr<const CompiledGrammar>& grammar) {
  Table& table = tables_[number];
  StepTableLimits learning = limits_.learning;
  learning.bytes = std::min(learning.bytes, limits_.table_bytes / kRoomToGrow);
  ++counts_.tables;
  table.steps = nullptr;
  table.grammar = grammar;
  table.is_explored = false;
  table.known_words = 0;
  table.steps =
      std::make_unique<StepTable>(grammar, TextOf(*grammar).tokens, pool_.get(), learning);
  Publish(number);
}

bool DeviceRows::IsOverfull(const Table& table) const {
  const StepTableCounts counts = table.steps->counts();
  return counts.table_bytes + counts.host_bytes > limits_.table_bytes;
}

void DeviceRows::LeaveTable(Row* row) {
  if (row->table != kNoTable) --tables_[row->table].row_count;
  row->table = kNoTable;
}

void DeviceRows::Publish(uint32_t number) {
  Table& table = tables_[number];
  table.is_changed = false;
  // Where a version does not fit the one before stays.
  const auto view = table.published->Publish(*table.steps, TextOf(*table.grammar).lengths);
  if (!view) return;
  memory_.Copy(device_tables_ + number, &*view, sizeof(*view));
  table.known_words = table.steps->sizes().heads;
  table.wait = static_cast<uint32_t>(table.steps->counts().table_bytes / kEasyBytes);
}

StepTable* DeviceRows::StepsOf(const Row& row) {
  // States that are asked for make words, also where nothing more is learned.
  if (row.table == kNoTable || IsOverfull(tables_[row.table])) return nullptr;
  return tables_[row.table].steps.get();
}

Status DeviceRows::Place(uint32_t row, Matcher* matcher) {
  if (row >= rows_.size()) {
    return Status(StatusCode::kInvalidArgument, "row " + std::to_string(row) + " of a batch of " +
                                                    std::to_string(rows_.size()) + " rows");
  }
  if (&matcher->grammar().vocabulary() != vocabulary_.get()) {
    return Status(StatusCode::kInvalidArgument,
                  "the matcher's grammar is of another vocabulary than the batch");
  }
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (i == row || rows_[i].matcher != matcher) continue;
    return Status(StatusCode::kInvalidArgument,
                  "the matcher is in row " + std::to_string(i) + " already");
  }
  Row& placed = rows_[row];
  LeaveTable(&placed);
  placed = Row{};
  placed.matcher = matcher;
  placed.table = FindTable(matcher->shared_grammar());
  if (placed.table != kNoTable) {
    ++tables_[placed.table].row_count;
    tables_[placed.table].used_at = ++clock_;
  }
  const Status told = Tell(row, false);
  if (!told.ok()) Remove(row).ok();
  return told;
}

Status DeviceRows::Remove(uint32_t row) {
  if (row >= rows_.size() || rows_[row].matcher == nullptr) return Status::Ok();
  const Status drained = Drain(row);
  Learn(&rows_[row]);
  LeaveTable(&rows_[row]);
  rows_[row] = Row{};
  const RowState unknown;
  AddUpdate(row, RowMask{}, &unknown);
  return drained;
}

Status DeviceRows::Refused(uint32_t row, TokenId token) const {
  return Status(StatusCode::kInternal,
                "row " + std::to_string(row) + " took token " + std::to_string(token) +
                    ", which its matcher does not allow; was the matcher changed?");
}

Status DeviceRows::Drain(uint32_t row) {
  Row& drained = rows_[row];
  if (drained.taken.empty()) return Status::Ok();
  Learn(&drained);
  for (size_t i = 0; i < drained.taken.size(); ++i) {
    if (drained.matcher->Accept(drained.taken[i])) continue;
    const TokenId token = drained.taken[i];
    drained.taken.clear();
    return Refused(row, token);
  }
  drained.taken.clear();
  return Status::Ok();
}

Result<bool> DeviceRows::Take(uint32_t row, TokenId token, RowOutcome outcome) {
  if (row >= rows_.size() || rows_[row].matcher == nullptr) return false;
  if (outcome == RowOutcome::kNoToken) return false;
  Row& taking = rows_[row];
  taking.placed_step = 0;
  ++counts_.tokens;
  if (outcome == RowOutcome::kGoesOn || outcome == RowOutcome::kEnded) {
    ++counts_.alone;
    taking.taken.push_back(token);
    return outcome == RowOutcome::kEnded;
  }
  const Status drained = Drain(row);
  if (!drained.ok()) return drained;
  Learn(&taking);
  const bool is_unknown = outcome == RowOutcome::kNeedsStep;
  if (is_unknown && taking.learns_at_once) LearnStep(&taking, token);
  if (!taking.matcher->Accept(token)) return Refused(row, token);
  if (taking.matcher->IsTerminated()) return true;
  if (is_unknown && !taking.learns_at_once) taking.unlearned = token;
  const Status told = Tell(row, !is_unknown);
  if (!told.ok()) return told;
  return false;
}

Status DeviceRows::Tell(uint32_t row, bool keeps_state) {
  Row& told = rows_[row];
  RowState state;
  if (told.matcher->IsTerminated()) {
    AddUpdate(row, RowMask{}, &state);
    return Status::Ok();
  }
  std::optional<RowMask> mask;
  StepTable* steps = StepsOf(told);
  if (steps != nullptr && steps->StateOf(told.matcher->items(), &state)) {
    const RowMask* known = FindRowMask(steps->tables(), state);
    if (known != nullptr) mask = *known;
    told.learns_mask = !steps->KnowsMask(state);
    // What the device does not know yet, it learns with the next version.
    if (state.words[state.depth - 1] >= tables_[told.table].known_words) {
      state = RowState{};
    }
  }
  if (!mask) mask = PlaceMask(&told);
  if (!mask) return Status(StatusCode::kResourceLimit, "the pool of masks has no room");
  AddUpdate(row, *mask, keeps_state ? nullptr : &state);
  return Status::Ok();
}

std::optional<RowMask> DeviceRows::PlaceMask(Row* row) {
  const auto place = [&] {
    row->placed_step = pool_->BeginStep();
    return pool_->Place(row->matcher->grammar(), row->matcher->items(), &news_.words);
  };
  std::optional<RowMask> mask = place();
  if (mask) return mask;
  row->placed_step = 0;
  RenewMasks();
  return place();
}

void DeviceRows::RenewMasks() {
  // A mask that a row still waits with is where it was, and is used by this step.
  const uint64_t step = pool_->BeginStep();
  std::vector<uint32_t> ids;
  for (Row& row : rows_) {
    if (row.placed_step == 0) continue;
    pool_->Place(row.matcher->grammar(), row.matcher->items(), &ids);
    row.placed_step = step;
  }
  pool_->FinishSteps(step - 1);
}

void DeviceRows::AddUpdate(uint32_t row, const RowMask& mask, const RowState* state) {
  RowUpdate update;
  update.mask = mask;
  update.row = static_cast<uint16_t>(row);
  update.depth = kernels::kKeepState;
  std::vector<uint32_t>& words = news_.words;
  if (mask.sent_count == 0) update.mask.sent_begin = static_cast<uint32_t>(words.size());
  if (state != nullptr) {
    update.depth = static_cast<uint16_t>(state->depth);
    words.push_back(state->count);
    words.push_back(state->cell_count);
    words.insert(words.end(), state->words, state->words + state->depth);
    words.insert(words.end(), state->cells, state->cells + state->cell_count);
  }
  const auto before = std::find_if(news_.rows.begin(), news_.rows.end(),
                                   [&](const RowUpdate& other) { return other.row == row; });
  if (before == news_.rows.end()) {
    news_.rows.push_back(update);
  } else {
    *before = update;
  }
}

DeviceRows::Updates DeviceRows::TakeUpdates() {
  told_.rows.clear();
  told_.words.clear();
  std::swap(news_, told_);
  counts_.updates += told_.rows.size();
  counts_.update_bytes += told_.rows.size() * sizeof(RowUpdate) + told_.words.size() * 4;
  return {told_.rows, told_.words};
}

void DeviceRows::LearnStep(Row* row, TokenId token) {
  StepTable* steps = StepsOf(*row);
  RowState state;
  if (steps == nullptr || !steps->StateOf(row->matcher->items(), &state)) return;
  if (StepRow(steps->tables(), token, &state) != kernels::StepOutcome::kUnknown) return;
  if (!steps->LearnStep(row->matcher->items(), token)) return;
  ++counts_.learned_steps;
  tables_[row->table].is_changed = true;
}

void DeviceRows::Learn(Row* row) {
  StepTable* steps = StepsOf(*row);
  if (steps == nullptr || row->matcher->IsTerminated()) return;
  if (const auto token = std::exchange(row->unlearned, std::nullopt)) {
    if (row->matcher->Rollback(1).ok()) {
      LearnStep(row, *token);
      row->matcher->Accept(*token);
    } else {
      row->learns_at_once = true;
    }
  }
  if (!std::exchange(row->learns_mask, false)) return;
  RowState state;
  if (!steps->StateOf(row->matcher->items(), &state)) return;
  if (steps->KnowsMask(state)) return;
  if (!steps->LearnMask(row->matcher->items())) return;
  ++counts_.learned_masks;
  tables_[row->table].is_changed = true;
}

void DeviceRows::Explore(Table* table) {
  if (table->row_count == 0 || table->is_explored || limits_.explored_states == 0) return;
  const StepTableCounts before = table->steps->counts();
  // Most of the room is for what rows do meet.
  if (before.table_bytes + before.host_bytes > limits_.table_bytes / kShareToExplore) return;
  table->is_explored = !table->steps->Explore(
      {limits_.explored_states, limits_.explored_tokens, limits_.explored_time});
  const StepTableCounts after = table->steps->counts();
  if (after.steps != before.steps || after.masks != before.masks) table->is_changed = true;
}

Status DeviceRows::CatchUpRow(uint32_t row) {
  if (row >= rows_.size() || rows_[row].matcher == nullptr) return Status::Ok();
  return Drain(row);
}

Status DeviceRows::CatchUp() {
  Status first;
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].matcher == nullptr) continue;
    const Status drained = Drain(row);
    if (!drained.ok() && first.ok()) first = drained;
    Learn(&rows_[row]);
  }
  for (uint32_t i = 0; i < tables_.size(); ++i) {
    Table& table = tables_[i];
    if (table.steps == nullptr) continue;
    Explore(&table);
    if (!table.is_changed) continue;
    if (table.wait > 0) {
      --table.wait;
    } else {
      Publish(i);
    }
  }
  return first;
}

DeviceRowsCounts DeviceRows::counts() const {
  DeviceRowsCounts counts = counts_;
  counts.mask_bytes = pool_->traffic().uploaded_bytes;
  for (const Table& table : tables_) {
    if (table.memory != nullptr) counts.table_bytes += table.memory->copied_bytes();
    counts.grammars += table.steps != nullptr;
  }
  return counts;
}

}  // namespace maskloom
