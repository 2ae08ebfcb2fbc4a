// When memory that readers may still look at can be freed.
//
// Readers take no lock. A reader announces itself with one store, the epoch that it began in, and
// withdraws with another; a writer that has unlinked something asks for a ticket, which ends the
// epoch. Whoever announced a later epoch cannot have seen what was unlinked before: once no reader
// of that epoch or an earlier one is left, it can be freed. Nobody ever waits: what cannot be freed
// yet stays on its owner's list.
//
// Why that is right: stores and loads of announcements and of what they protect are sequentially
// consistent. A writer that finds a reader withdrawn looks before that reader's next announcement,
// hence before its loads, which see what the writer did. One that finds a later epoch knows that
// the reader took it from the ticket, which was drawn after the unlinking.
//
// Source: K. Fraser, Practical lock-freedom, 2004, section 5.2.3 (epoch-based reclamation).
#pragma once

#include <cstdint>

namespace maskloom {

// The calling thread reads while this lives; guards may be nested. What was found under a guard
// stays where it is until its end. Cost: two stores.
class ReadGuard {
 public:
  ReadGuard();
  ~ReadGuard();
  ReadGuard(const ReadGuard&) = delete;
  ReadGuard& operator=(const ReadGuard&) = delete;
};

// Returns a ticket for what the caller has unlinked so far, with sequentially consistent stores.
uint64_t DrawReadTicket();
// Returns a ticket such that what belongs to it and to lower ones has no reader any more. Cost:
// linear in the number of threads that ever read at once.
uint64_t LastUnreadTicket();

}  // namespace maskloom
