// Makes masks before anyone asks for them, those first that are likely to be needed next.
//
// From the start of the text, and from states that matchers hand over, configurations are explored
// byte by byte, best first. The cost of a configuration is that of the one it was reached from and
// the negative logarithm of its share: the distinct configurations that may follow share equally,
// but for weights that stand for what models write. So bytes that are forced cost nothing, what
// many bytes lead to counts once, and deep nesting comes after its surroundings.
//
//   {           forced                                       cost 0
//   {"          white space may come first, which is rarer        0.6
//   {"n         "name" is the next declared key, others are rare  0.7
//   {"name      forced                                            0.7
//
// A configuration is expanded only if one of its masks was not met before. So there are no more of
// them than masks, recursion comes to an end, and what lies behind a state is explored from the
// likeliest way there. A decoder that arrives in other surroundings finds some mask missing; it
// then hands its state over, which is explored before all else.
//
// Exploration ends when nothing is left, when its caller's budget is spent, or when the cache is so
// full that new masks would drive out others. What waits is bounded: beyond a number of
// configurations or bytes the less likely half is forgotten.
#pragma once

#include <tsl/robin_set.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "compiler/configuration_store.h"
#include "compiler/frame.h"
#include "compiler/machine.h"
#include "compiler/mask_cache.h"
#include "compiler/mask_key.h"
#include "compiler/stepper.h"
#include "compiler/vocabulary_index.h"

namespace maskloom {

// What one call may spend. Each bound alone ends it; a mask that was begun is finished.
struct CompletionBudget {
  std::chrono::nanoseconds time = std::chrono::nanoseconds::max();
  size_t states = std::numeric_limits<size_t>::max();  // that are expanded
  size_t bytes = std::numeric_limits<size_t>::max();   // that the mask cache then holds
  const std::atomic<bool>* stop = nullptr;             // set by another thread
};

enum class CompletionEnd {
  kDone,    // no state that was found is left
  kBudget,  // the caller's
  kFull,    // of the mask cache
};

// A state that a matcher hands over.
struct FollowedState {
  ConfigurationStore store;
  const Configuration* configuration;
};

// Thread safety: any thread; calls of Run wait for each other.
class MaskCompletion {
 public:
  MaskCompletion(const Machine& machine, const VocabularyIndex& vocabulary, MaskCache* masks);
  ~MaskCompletion();

  // Goes on where the last call ended.
  CompletionEnd Run(const CompletionBudget& budget);

  // Explores `state` before all else; of several that are handed over between two looks the last
  // one counts. Takes no lock.
  void Follow(std::unique_ptr<FollowedState> state);
  // Is there a state that Run has not looked at?
  bool HasFollowed() const { return followed_.load(std::memory_order_relaxed) != nullptr; }
  // Should matchers hand their states over? So from the first Follows(true) on.
  bool follows() const { return follows_.load(std::memory_order_relaxed); }
  void set_follows() { follows_.store(true, std::memory_order_relaxed); }

  size_t MemoryBytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  // A configuration that waits to be expanded.
  struct Waiting {
    double cost;
    const Configuration* configuration;
    // The least costly is at the top of a heap.
    bool operator<(const Waiting& other) const { return cost > other.cost; }
  };
  // What some bytes lead to.
  struct Successor {
    uint64_t hash;
    double weight;
    const Configuration* configuration;
  };

  // All require mutex_.
  void TakeFollowed();
  void Push(double cost, const Configuration* configuration);
  // Makes the masks of the configuration. Returns whether one of them was not met before.
  bool MakeMasks(Items items);
  void Expand(const Waiting& from);
  // Of what follows `items` by `byte`: a weight among its siblings.
  double WeightOf(Items items, uint8_t byte, Items next) const;
  // Does the successor read the key that is due in declared order?
  double KeyWeight(const Frame& before, const Frame& after) const;
  // Tells siblings apart.
  uint64_t HashOf(Items items);
  void ForgetUnlikely();

  const Machine& machine_;
  const VocabularyIndex& vocabulary_;
  MaskCache& masks_;
  std::atomic<FollowedState*> followed_{nullptr};
  std::atomic<bool> follows_{false};
  std::atomic<size_t> memory_bytes_{0};

  std::mutex mutex_;  // guards everything below
  bool begun_ = false;
  ConfigurationStore store_;
  std::vector<Waiting> waiting_;  // a heap
  tsl::robin_set<uint64_t> met_;  // hashes of the keys of masks
  MaskKey key_;
  // Scratch of Expand, kept for its memory while Run lasts.
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  std::vector<Successor> successors_;
};

}  // namespace maskloom
