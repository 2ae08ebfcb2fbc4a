#include "kernels/simt/block.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/simt/findings.h"
#include "kernels/simt/stand_in_state.h"

namespace simt {
namespace {

constexpr int kGarbage = 0xFD;
constexpr size_t kSharedAlignment = 128;  // one word in each bank

// Returns the first multiple of the alignment in `bytes`.
std::byte* Aligned(std::vector<std::byte>* bytes) {
  auto address = reinterpret_cast<uintptr_t>(bytes->data());
  return bytes->data() + (kSharedAlignment - address % kSharedAlignment) % kSharedAlignment;
}

}  // namespace

// An array in shared memory.
struct SharedArray {
  explicit SharedArray(size_t bytes)
      : memory(bytes + kSharedAlignment), region(Aligned(&memory), bytes, Space::kShared) {}
  // Nobody has written it yet.
  void Reset() {
    std::memset(region.begin(), kGarbage, region.bytes());
    region.SetInitialised(0, region.bytes(), false);
  }

  std::vector<std::byte> memory;
  Region region;
};

Block::Block() = default;
Block::~Block() = default;

Block& ThisThreadsBlock() {
  static thread_local Block block;
  return block;
}

bool Block::RunAll(Launch* launch) {
  launch_ = launch;
  phase_ = State().phase;
  launch->first_phase = NextPhase();
  random_.seed(launch->checks.seed + launch->number);
  gridDim = launch->grid;
  blockDim = launch->block;
  threads_ = launch->block.x * launch->block.y * launch->block.z;
  while (lanes_.size() < threads_) {
    lanes_.push_back(std::make_unique<Lane>(static_cast<unsigned>(lanes_.size()), this));
  }
  warps_.resize((threads_ + kWarpLanes - 1) / kWarpLanes);
  for (unsigned i = 0; i < warps_.size(); ++i) {
    if (warps_[i] == nullptr) warps_[i] = std::make_unique<Warp>(this, i);
  }
  dynamic_shared_ = std::make_unique<SharedArray>(launch->dynamic_shared_bytes);
  std::vector<uint32_t> order(dim3(launch->grid).count());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random_);
  is_given_up_ = false;
  for (uint32_t index : order) {
    RunBlock(index);
    if (is_given_up_) break;
  }
  static_shared_.clear();
  dynamic_shared_.reset();
  State().phase = phase_;
  return !is_given_up_;
}

void Block::RunBlock(uint32_t linear_index) {
  const uint3& grid = launch_->grid;
  linear_index_ = linear_index;
  block_index_ = {linear_index % grid.x, linear_index / grid.x % grid.y,
                  linear_index / grid.x / grid.y};
  blockIdx = block_index_;
  first_phase_ = barrier_phase_ = NextPhase();
  acquired_.clear();
  dynamic_shared_->Reset();
  for (auto& [tag, array] : static_shared_) array->Reset();
  for (unsigned i = 0; i < threads_; ++i) lanes_[i]->Start(warps_[i / kWarpLanes].get());
  std::vector<unsigned> order(warps_.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random_);
  while (!AllDone()) {
    for (unsigned warp : order) warps_[warp]->Run();
    if (is_given_up_) {
      GiveUp();
    } else if (!AllDone() && !OpenBarrier()) {
      ReportStuck();
      GiveUp();
    }
  }
}

bool Block::AllDone() const {
  return std::all_of(lanes_.begin(), lanes_.begin() + threads_,
                     [](const auto& lane) { return lane->status_ == Lane::Status::kDone; });
}

// Opens the barrier that all threads wait at. Returns false if some wait for other things.
bool Block::OpenBarrier() {
  Lane* first = nullptr;
  unsigned count = 0;
  for (unsigned i = 0; i < threads_; ++i) {
    Lane& lane = *lanes_[i];
    if (lane.status_ == Lane::Status::kDone) continue;
    if (lane.meeting_ > Meeting::kBlockOr) return false;
    if (first == nullptr) first = &lane;
    count += lane.meeting_value_ != 0 ? 1 : 0;
  }
  CheckBarrier(first);
  unsigned waiting = 0;
  for (unsigned i = 0; i < threads_; ++i) {
    Lane& lane = *lanes_[i];
    if (lane.status_ == Lane::Status::kDone) continue;
    lane.status_ = Lane::Status::kReady;
    ++waiting;
  }
  barrier_result_ = static_cast<int>(count);
  if (first->meeting_ == Meeting::kBlockAnd) barrier_result_ = count == waiting ? 1 : 0;
  if (first->meeting_ == Meeting::kBlockOr) barrier_result_ = count > 0 ? 1 : 0;
  barrier_phase_ = NextPhase();
  ++launch_->traffic.barriers;
  return true;
}

// Reports threads that are not at the barrier of `first`.
void Block::CheckBarrier(Lane* first) {
  for (unsigned i = 0; i < threads_; ++i) {
    const Lane& lane = *lanes_[i];
    std::string wrong;
    if (lane.status_ == Lane::Status::kDone) {
      wrong = "thread " + std::to_string(i) + " has returned";
    } else if (lane.meeting_ != first->meeting_ || !(lane.meeting_site_ == first->meeting_site_)) {
      wrong = "thread " + std::to_string(i) + " is at another one, " + lane.meeting_site_.file() +
              ":" + std::to_string(lane.meeting_site_.line());
    } else {
      continue;
    }
    current_lane = first;
    Report(Fault::kDivergentBarrier, first->meeting_site_, "waits for all threads, but " + wrong);
    current_lane = nullptr;
    return;
  }
}

// Says for what the lanes wait, of which none can go on.
void Block::ReportStuck() {
  Lane* stuck = nullptr;  // the first that waits for lanes of its warp
  const Lane* other = nullptr;
  for (unsigned i = 0; i < threads_; ++i) {
    Lane& lane = *lanes_[i];
    if (lane.status_ == Lane::Status::kDone) continue;
    if (stuck == nullptr && lane.meeting_ > Meeting::kBlockOr) stuck = &lane;
  }
  for (unsigned i = 0; i < threads_; ++i) {
    const Lane& lane = *lanes_[i];
    bool is_waited_for = lane.warp_ == stuck->warp_ && lane.status_ != Lane::Status::kDone &&
                         (stuck->meeting_lanes_ >> lane.lane() & 1) != 0 && &lane != stuck;
    bool is_elsewhere =
        lane.meeting_ != stuck->meeting_ || lane.meeting_lanes_ != stuck->meeting_lanes_;
    if (other == nullptr && is_waited_for && is_elsewhere) other = &lane;
  }
  std::string text = "waits for lanes of its warp that never come";
  if (other != nullptr) {
    text = "waits for lane " + std::to_string(other->lane()) + ", which waits for other lanes at " +
           other->meeting_site_.file() + ":" + std::to_string(other->meeting_site_.line());
  }
  current_lane = stuck;
  Report(Fault::kDivergentBarrier, stuck->meeting_site_, text);
  current_lane = nullptr;
}

void Block::GiveUp() {
  is_given_up_ = true;
  for (unsigned i = 0; i < threads_; ++i) {
    if (lanes_[i]->status_ != Lane::Status::kDone) lanes_[i]->Resume();
  }
}

Region* Block::StaticShared(const void* tag, size_t bytes, Site site) {
  std::unique_ptr<SharedArray>& array = static_shared_[tag];
  if (array == nullptr) {
    array = std::make_unique<SharedArray>(bytes);
    array->Reset();
    size_t static_bytes = 0;
    for (const auto& [other_tag, other] : static_shared_) static_bytes += other->region.bytes();
    if (static_bytes > kMostStaticSharedBytes) {
      Report(Fault::kLaunch, site, "more static shared memory than 48 KB");
    }
    if (static_bytes + launch_->dynamic_shared_bytes > launch_->max_shared_bytes) {
      Report(Fault::kLaunch, site,
             "static and dynamic shared memory are more than the launch allows");
    }
  }
  return &array->region;
}

Region* Block::DynamicShared() { return &dynamic_shared_->region; }

}  // namespace simt
