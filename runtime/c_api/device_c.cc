// The calls of maskloom_device.h: rows whose masks and states live beside the logits.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/c_api/handles.h"
#include "runtime/c_api/maskloom_device.h"
#include "runtime/device/device_rows.h"

using maskloom::DeviceRows;
using maskloom::DeviceRowsLimits;
using maskloom::c_api::Guard;
using maskloom::c_api::ReadOptions;
using maskloom::c_api::Report;
using maskloom::kernels::RowOutcome;
using maskloom::kernels::RowUpdate;

namespace {

static_assert(sizeof(maskloom_device_update) == sizeof(RowUpdate));
static_assert(offsetof(maskloom_device_update, sent_begin) ==
              offsetof(maskloom::kernels::RowMask, sent_begin));
static_assert(offsetof(maskloom_device_update, depth) == offsetof(RowUpdate, depth));
static_assert(MASKLOOM_ROW_GOES_ON == static_cast<int>(RowOutcome::kGoesOn) &&
              MASKLOOM_ROW_ENDED == static_cast<int>(RowOutcome::kEnded) &&
              MASKLOOM_ROW_NEEDS_MASK == static_cast<int>(RowOutcome::kNeedsMask) &&
              MASKLOOM_ROW_NEEDS_STEP == static_cast<int>(RowOutcome::kNeedsStep));

// The caller's memory.
class CallersMemory final : public maskloom::DeviceMemory {
 public:
  explicit CallersMemory(const maskloom_device_memory& memory) : memory_(memory) {}
  void* Allocate(size_t bytes) override { return memory_.allocate(memory_.context, bytes); }
  void Copy(void* to, const void* from, size_t bytes) override {
    memory_.copy(memory_.context, to, from, bytes);
  }

 private:
  const maskloom_device_memory memory_;
};

}  // namespace

struct maskloom_device_rows {
  CallersMemory memory;
  std::unique_ptr<DeviceRows> rows;
};

void maskloom_device_options_init(maskloom_device_options* options) {
  if (options == nullptr) return;
  const DeviceRowsLimits limits;
  options->struct_size = sizeof(*options);
  options->max_rows = limits.rows;
  options->max_grammars = limits.grammars;
  options->pool_bytes = limits.pool_bytes;
  options->table_bytes = limits.table_bytes;
  options->explored_states = static_cast<uint32_t>(limits.explored_states);
}

maskloom_status maskloom_device_rows_create(const maskloom_vocabulary* vocabulary,
                                            const maskloom_device_memory* memory,
                                            const maskloom_device_options* options,
                                            maskloom_device_rows** rows, maskloom_error* error) {
  return Guard(error, [&] {
    if (rows != nullptr) *rows = nullptr;
    if (vocabulary == nullptr || memory == nullptr || rows == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT, "vocabulary, memory or rows is NULL", error);
    }
    if (memory->struct_size < sizeof(*memory) || memory->allocate == nullptr ||
        memory->copy == nullptr) {
      return Report(MASKLOOM_INVALID_ARGUMENT,
                    "the memory lacks a call, or its struct_size is not set", error);
    }
    maskloom_device_options read;
    if (!ReadOptions(options, maskloom_device_options_init, &read)) {
      return Report(MASKLOOM_INVALID_ARGUMENT,
                    "struct_size of the device options is not set; call "
                    "maskloom_device_options_init first",
                    error);
    }
    DeviceRowsLimits limits;
    limits.rows = read.max_rows;
    limits.grammars = read.max_grammars;
    limits.pool_bytes = read.pool_bytes;
    limits.table_bytes = read.table_bytes;
    limits.explored_states = read.explored_states;
    auto made = std::make_unique<maskloom_device_rows>(
        maskloom_device_rows{CallersMemory(*memory), nullptr});
    auto created = DeviceRows::Create(vocabulary->index, &made->memory, limits);
    if (!created.ok()) return Report(created.status(), error);
    made->rows = std::move(*created);
    *rows = made.release();
    return MASKLOOM_OK;
  });
}

void maskloom_device_rows_free(maskloom_device_rows* rows) { delete rows; }

maskloom_status maskloom_device_rows_place(maskloom_device_rows* rows, uint32_t row,
                                           maskloom_matcher* matcher, maskloom_error* error) {
  if (rows == nullptr || matcher == nullptr) {
    return Report(MASKLOOM_INVALID_ARGUMENT, "rows or matcher is NULL", error);
  }
  return Guard(error, [&] { return Report(rows->rows->Place(row, &matcher->matcher), error); });
}

maskloom_status maskloom_device_rows_remove(maskloom_device_rows* rows, uint32_t row,
                                            maskloom_error* error) {
  if (rows == nullptr) return Report(MASKLOOM_INVALID_ARGUMENT, "rows is NULL", error);
  return Guard(error, [&] { return Report(rows->rows->Remove(row), error); });
}

maskloom_status maskloom_device_rows_take(maskloom_device_rows* rows, uint32_t row, uint32_t token,
                                          maskloom_row_outcome outcome, int32_t* ended,
                                          maskloom_error* error) {
  if (rows == nullptr || ended == nullptr) {
    return Report(MASKLOOM_INVALID_ARGUMENT, "rows or ended is NULL", error);
  }
  if (outcome < MASKLOOM_ROW_GOES_ON || outcome > MASKLOOM_ROW_NEEDS_STEP) {
    return Report(MASKLOOM_INVALID_ARGUMENT, "the outcome is none of maskloom_row_outcome", error);
  }
  return Guard(error, [&] {
    const auto taken = rows->rows->Take(row, token, static_cast<RowOutcome>(outcome));
    if (!taken.ok()) return Report(taken.status(), error);
    *ended = *taken ? 1 : 0;
    return MASKLOOM_OK;
  });
}

maskloom_status maskloom_device_rows_catch_up(maskloom_device_rows* rows, maskloom_error* error) {
  if (rows == nullptr) return Report(MASKLOOM_INVALID_ARGUMENT, "rows is NULL", error);
  return Guard(error, [&] { return Report(rows->rows->CatchUp(), error); });
}

maskloom_status maskloom_device_rows_updates(maskloom_device_rows* rows,
                                             const maskloom_device_update** updates,
                                             size_t* update_count, const uint32_t** words,
                                             size_t* word_count) {
  if (rows == nullptr || updates == nullptr || update_count == nullptr || words == nullptr ||
      word_count == nullptr) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  const DeviceRows::Updates told = rows->rows->TakeUpdates();
  *updates = reinterpret_cast<const maskloom_device_update*>(told.rows.data());
  *update_count = told.rows.size();
  *words = told.words.data();
  *word_count = told.words.size();
  return MASKLOOM_OK;
}

maskloom_status maskloom_device_rows_view(const maskloom_device_rows* rows,
                                          maskloom_device_view* view) {
  if (rows == nullptr || view == nullptr || view->struct_size < sizeof(size_t)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  const maskloom_device_view all = {view->struct_size, rows->rows->pool().words(),
                                    rows->rows->pool().row_words(), rows->rows->tables()};
  std::memcpy(view, &all, std::min(view->struct_size, sizeof(all)));
  return MASKLOOM_OK;
}

maskloom_status maskloom_device_rows_table(const maskloom_device_rows* rows, uint32_t row,
                                           uint32_t* table) {
  if (rows == nullptr || table == nullptr || row >= rows->rows->row_count()) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  *table = rows->rows->TableOf(row);
  return MASKLOOM_OK;
}

maskloom_status maskloom_device_rows_statistics(const maskloom_device_rows* rows,
                                                maskloom_device_statistics* statistics) {
  if (rows == nullptr || statistics == nullptr || statistics->struct_size < sizeof(size_t)) {
    return MASKLOOM_INVALID_ARGUMENT;
  }
  const maskloom::DeviceRowsCounts now = rows->rows->counts();
  const maskloom_device_statistics all = {
      statistics->struct_size, now.tokens,     now.alone,       now.updates,
      now.update_bytes,        now.mask_bytes, now.table_bytes, now.learned_steps,
      now.learned_masks,       now.grammars};
  std::memcpy(statistics, &all, std::min(statistics->struct_size, sizeof(all)));
  return MASKLOOM_OK;
}
