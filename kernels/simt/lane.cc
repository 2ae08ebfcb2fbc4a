// Lanes and warps: running, waiting, meeting, and what orders their accesses.
#include <algorithm>
#include <bit>
#include <string>

#include "kernels/simt/block.h"
#include "kernels/simt/findings.h"
#include "kernels/simt/stand_in_state.h"

namespace simt {
namespace {

// Thrown into the lanes of a block that is given up.
struct GivenUp {};

constexpr uint32_t Bit(unsigned lane) { return uint32_t{1} << lane; }

// Does `release` cover `past`, an access by its block?
bool Covers(const Release& release, const PastAccess& past) {
  if (past.phase < release.barrier_phase) return true;
  if (past.thread == release.thread) {
    return past.phase <= release.own_phase || past.phase == release.atomic_phase;
  }
  return past.thread / kWarpLanes == release.thread / kWarpLanes &&
         past.phase < release.lane_phases[past.thread % kWarpLanes];
}

}  // namespace

Lane::Lane(unsigned thread, Block* block) : thread_(thread), block_(block) {}

Lane::~Lane() {
  if (fiber_ == nullptr) return;
  is_ending_ = true;
  fiber_->Resume();
}

// Makes the lane ready for one run of the kernel.
void Lane::Start(Warp* warp) {
  const Launch& launch = block_->launch();
  warp_ = warp;
  records_ = launch.checks.initialised || launch.checks.races || launch.checks.traffic;
  thread_index_.x = thread_ % launch.block.x;
  thread_index_.y = thread_ / launch.block.x % launch.block.y;
  thread_index_.z = thread_ / launch.block.x / launch.block.y;
  accesses_ = 0;
  has_fenced_ = false;
  seen_.clear();
  async_copies_.clear();
  status_ = Status::kReady;
  if (fiber_ == nullptr) fiber_ = std::make_unique<Fiber>([this] { RunForever(); });
}

void Lane::RunForever() {
  while (!is_ending_) {
    try {
      block_->launch().body();
    } catch (const GivenUp&) {
      // The block is stuck; what it lacks was reported.
    }
    status_ = Status::kDone;
    fiber_->Suspend();
  }
}

void Lane::Resume() {
  current_lane = this;
  threadIdx = thread_index_;
  fiber_->Resume();
  current_lane = nullptr;
}

void Lane::Wait(Status status) {
  status_ = status;
  fiber_->Suspend();
  if (block_->is_given_up_) throw GivenUp{};
}

// Gives the block up. The others learn it when they go on.
void Lane::EndAsEndless(Site site) {
  Report(Fault::kEndless, site,
         "more accesses than a thread may make; does it wait for another block or warp?");
  block_->is_given_up_ = true;
  throw GivenUp{};
}

const Gathered& Lane::Meet(Meeting meeting, uint32_t lanes, uint64_t value, Site site) {
  if (meeting != Meeting::kActiveMask && (lanes & Bit(lane())) == 0) {
    Report(Fault::kInactiveLane, site, "the mask lacks the lane that calls");
    lanes |= Bit(lane());
  }
  meeting_ = meeting;
  meeting_lanes_ = lanes;
  meeting_value_ = value;
  meeting_site_ = site;
  Wait(Status::kWaits);
  return *gathered_;
}

int Lane::MeetBlock(Meeting meeting, bool predicate, Site site) {
  meeting_ = meeting;
  meeting_value_ = predicate ? 1 : 0;
  meeting_site_ = site;
  Wait(Status::kWaits);
  return block_->barrier_result_;
}

bool Lane::Knows(const PastAccess& past, bool is_shared) const {
  if (past.phase < (is_shared ? block_->first_phase_ : block_->launch().first_phase)) return true;
  if (past.block != block_->linear_index_ % kMostBlocks) return KnowsOtherBlock(past);
  if (past.thread == thread_ || past.phase < block_->barrier_phase_) return true;
  return past.thread / kWarpLanes == thread_ / kWarpLanes &&
         past.phase < warp_->known_[lane()][past.thread % kWarpLanes];
}

bool Lane::KnowsOtherBlock(const PastAccess& past) const {
  auto [first, last] = block_->acquired_.equal_range(past.block);
  return std::any_of(first, last, [&](const auto& entry) {
    return Covers(entry.second.release, past) && KnowsAcquired(entry.second);
  });
}

// Is what some lane of this block acquired known to this lane?
bool Lane::KnowsAcquired(const Acquired& acquired) const {
  return Knows({.site = {},
                .phase = acquired.phase,
                .thread = acquired.thread,
                .block = block_->linear_index_ % kMostBlocks},
               false);
}

void Lane::Fence() {
  fenced_ = {.block = block_->linear_index_ % kMostBlocks,
             .thread = thread_,
             .own_phase = block_->phase_,
             .atomic_phase = 0,
             .barrier_phase = block_->barrier_phase_,
             .lane_phases = {}};
  std::copy(warp_->known_[lane()].begin(), warp_->known_[lane()].end(), fenced_.lane_phases);
  has_fenced_ = true;
  for (const Seen& seen : seen_) {
    for (size_t i = 0; i < seen.count; ++i) {
      const Release& release = (*seen.releases)[i];
      block_->acquired_.insert({release.block, {release, thread_, block_->phase_}});
    }
  }
  seen_.clear();
  block_->NextPhase();
}

// An atomic sees what those before it at this place have released, and releases what a fence of
// this lane has made ready, also what this lane acquired from others.
void Lane::OrderAtomic(Region* region, size_t offset) {
  std::shared_ptr<ReleaseList>& releases = region->Releases(offset);
  if (!releases->empty() && releases->back().own_phase < block_->launch().first_phase) {
    releases = std::make_shared<ReleaseList>();
  }
  size_t count = releases->size();
  if (count > 0) seen_.push_back({releases, count});
  if (!has_fenced_) return;
  fenced_.atomic_phase = block_->phase_;
  if (count > 0 && releases->back().block == fenced_.block && releases->back().thread == thread_ &&
      releases->back().own_phase == fenced_.own_phase) {
    releases->back() = fenced_;  // the same release again
    return;
  }
  for (const auto& [of_block, acquired] : block_->acquired_) {
    if (KnowsAcquired(acquired)) releases->push_back(acquired.release);
  }
  releases->push_back(fenced_);
}

void Lane::Record(const void* at, size_t bytes, Region* region, AccessKind kind, bool is_float_sum,
                  Site site) {
  const Checks& checks = block_->launch().checks;
  if (++accesses_ > checks.most_accesses) EndAsEndless(site);
  if (checks.traffic) {
    bool is_full =
        warp_->log_.Add(lane(), {.site = site,
                                 .address = reinterpret_cast<uintptr_t>(at) & ((1ull << 48) - 1),
                                 .bytes = bytes & 1023,
                                 .kind = static_cast<uint64_t>(kind),
                                 .space = static_cast<uint64_t>(region->space())});
    if (is_full) Wait(Status::kLogFull);
  }
  if (!checks.initialised && !checks.races) return;
  size_t offset = static_cast<size_t>(static_cast<const std::byte*>(at) - region->begin());
  if (checks.initialised) {
    bool reads = kind != AccessKind::kStore;
    if (reads && !region->IsInitialised(offset, bytes)) {
      Report(Fault::kUninitialised, site, "reads bytes that nobody has written");
    }
    if (kind != AccessKind::kLoad) region->SetInitialised(offset, bytes, true);
  }
  if (checks.races) FindRaces(region, offset, bytes, kind, is_float_sum, site);
}

void Lane::FindRaces(Region* region, size_t offset, size_t bytes, AccessKind kind,
                     bool is_float_sum, Site site) {
  bool is_shared = region->space() == Space::kShared;
  bool is_release = has_fenced_ && kind == AccessKind::kAtomic && !is_shared;
  if (is_release) block_->NextPhase();
  region->races().Access(*this, offset, bytes,
                         {.site = site,
                          .phase = block_->phase_,
                          .thread = thread_,
                          .block = block_->linear_index_ % kMostBlocks,
                          .kind_number = static_cast<uint32_t>(kind)},
                         is_float_sum, is_shared);
  if (is_shared) return;
  if (kind == AccessKind::kAtomic) OrderAtomic(region, offset);
  if (kind == AccessKind::kStore) region->EndReleases(offset);
  if (is_release) block_->NextPhase();
}

Lane* Warp::lane(unsigned index) const {
  unsigned thread = index_ * kWarpLanes + index;
  return thread < block_->threads_ ? block_->lanes_[thread].get() : nullptr;
}

// The lanes that are there and in `status`; lanes beyond the block's end are done.
uint32_t Warp::LanesThat(Lane::Status status) const {
  uint32_t lanes = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const Lane* there = lane(i);
    Lane::Status now = there == nullptr ? Lane::Status::kDone : there->status_;
    if (now == status) lanes |= Bit(i);
  }
  return lanes;
}

void Warp::Run() {
  do {
    RunReadyLanes();
    if (block_->launch().checks.traffic) log_.CountInto(&block_->launch_->traffic);
  } while (ReleaseLanes());
}

void Warp::RunReadyLanes() {
  for (uint32_t rest = LanesThat(Lane::Status::kReady); rest != 0; rest &= rest - 1) {
    lane(static_cast<unsigned>(std::countr_zero(rest)))->Resume();
  }
}

// Lets lanes go on that wait for nothing more. Returns whether there are any.
bool Warp::ReleaseLanes() {
  gathered_count_ = 0;
  bool any = false;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    Lane* waiting = lane(i);
    if (waiting == nullptr) break;
    if (waiting->status_ == Lane::Status::kLogFull) {
      waiting->status_ = Lane::Status::kReady;
      any = true;
    } else if (waiting->status_ == Lane::Status::kWaits && waiting->meeting_ > Meeting::kBlockOr &&
               waiting->meeting_ != Meeting::kActiveMask) {
      any = ReleaseGroup(waiting) || any;
    }
  }
  return any || ReleaseConvergent();
}

// Lets the lanes that `first` waits for go on, if all of them have come.
bool Warp::ReleaseGroup(Lane* first) {
  uint32_t gone = first->meeting_lanes_ & LanesThat(Lane::Status::kDone);
  uint32_t lanes = first->meeting_lanes_ & ~gone;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const Lane* other = lane(static_cast<unsigned>(std::countr_zero(rest)));
    if (other->status_ != Lane::Status::kWaits || other->meeting_ != first->meeting_ ||
        other->meeting_lanes_ != first->meeting_lanes_) {
      return false;
    }
  }
  if (gone != 0) {
    current_lane = first;
    Report(Fault::kInactiveLane, first->meeting_site_,
           "the mask names lane " + std::to_string(std::countr_zero(gone)) +
               ", which has returned or is beyond the block's end");
    current_lane = nullptr;
  }
  if (first->meeting_ == Meeting::kWarpBarrier) OrderLanes(lanes);
  LetGo(lanes);
  return true;
}

// Lanes that ask which of them are active: those that ask at one site are.
bool Warp::ReleaseConvergent() {
  Lane* first = nullptr;
  uint32_t lanes = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    Lane* other = lane(i);
    if (other == nullptr || other->status_ != Lane::Status::kWaits ||
        other->meeting_ != Meeting::kActiveMask) {
      continue;
    }
    if (first == nullptr) first = other;
    if (other->meeting_site_ == first->meeting_site_) lanes |= Bit(i);
  }
  if (lanes != 0) LetGo(lanes);
  return lanes != 0;
}

void Warp::LetGo(uint32_t lanes) {
  Gathered& gathered = gathered_[gathered_count_++];
  gathered.lanes = lanes;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    auto index = static_cast<unsigned>(std::countr_zero(rest));
    Lane* member = lane(index);
    gathered.values[index] = member->meeting_value_;
    member->gathered_ = &gathered;
    member->status_ = Lane::Status::kReady;
  }
}

// What any of `lanes` knows, all of them know, and all that they have done.
void Warp::OrderLanes(uint32_t lanes) {
  std::array<uint32_t, kWarpLanes> joined{};
  uint32_t phase = block_->NextPhase();
  for (unsigned b = 0; b < kWarpLanes; ++b) {
    for (unsigned a = 0; a < kWarpLanes; ++a) {
      if ((lanes & Bit(a)) != 0) joined[b] = std::max(joined[b], known_[a][b]);
    }
    if ((lanes & Bit(b)) != 0) joined[b] = phase;
  }
  for (unsigned a = 0; a < kWarpLanes; ++a) {
    if ((lanes & Bit(a)) != 0) known_[a] = joined;
  }
}

}  // namespace simt
