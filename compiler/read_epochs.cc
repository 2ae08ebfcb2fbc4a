#include "compiler/read_epochs.h"

#include <algorithm>
#include <atomic>

namespace maskloom {
namespace {

constexpr uint64_t kNotReading = 0;

// The announcement of one thread. Slots are never freed; a thread that ends leaves its own to the
// next one that begins.
struct alignas(64) Slot {
  std::atomic<uint64_t> epoch{kNotReading};
  std::atomic<bool> is_taken{true};
  Slot* next = nullptr;
};

std::atomic<uint64_t> current_epoch{1};
std::atomic<Slot*> first_slot{nullptr};

Slot* TakeSlot() {
  for (Slot* slot = first_slot.load(); slot != nullptr; slot = slot->next) {
    bool taken = false;
    if (slot->is_taken.compare_exchange_strong(taken, true)) return slot;
  }
  Slot* slot = new Slot;
  slot->next = first_slot.load();
  while (!first_slot.compare_exchange_weak(slot->next, slot)) {
  }
  return slot;
}

struct ThreadReader {
  Slot* slot = nullptr;
  uint32_t guards = 0;
  ~ThreadReader() {
    if (slot != nullptr) slot->is_taken.store(false);
  }
};

ThreadReader& ThisThread() {
  static thread_local ThreadReader reader;
  return reader;
}

}  // namespace

ReadGuard::ReadGuard() {
  ThreadReader& reader = ThisThread();
  if (reader.guards++ > 0) return;
  if (reader.slot == nullptr) reader.slot = TakeSlot();
  reader.slot->epoch.store(current_epoch.load());
}

ReadGuard::~ReadGuard() {
  ThreadReader& reader = ThisThread();
  if (--reader.guards == 0) reader.slot->epoch.store(kNotReading, std::memory_order_release);
}

uint64_t DrawReadTicket() { return current_epoch.fetch_add(1); }

uint64_t LastUnreadTicket() {
  uint64_t oldest = current_epoch.load();
  for (const Slot* slot = first_slot.load(); slot != nullptr; slot = slot->next) {
    const uint64_t epoch = slot->epoch.load();
    if (epoch != kNotReading) oldest = std::min(oldest, epoch);
  }
  return oldest - 1;
}

}  // namespace maskloom
