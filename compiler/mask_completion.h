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
// Decoders move by tokens, and tokens rarely end inside of a word that a longer token goes on with.
// So along a word the trie of tokens is followed, and masks are made only where some likely
// successor ends the word or no token goes on with it. Each place that a token may end costs a
// little, so that what is nearer comes first.
//
// A configuration is expanded only if one of its items was not met before, as far as three levels
// of the stack tell, or as many as its mask depends on. So recursion comes to an end, and what lies
// behind a state is explored from the likeliest way there. A decoder that arrives in other
// surroundings finds some mask missing; it then hands its state over, which is explored before all
// else, and so it does from time to time while there is anything left to explore.
//
// Exploration ends when nothing is left, when its caller's budget is spent, or when the cache is so
// full that new masks would drive out others. What waits is bounded: beyond a number of
// configurations or bytes the less likely half is forgotten.
#pragma once

#include <tsl/robin_map.h>
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
  // That are expanded in all calls; each state that is followed adds kStatesPerFollowed.
  size_t ahead_states = std::numeric_limits<size_t>::max();
  const std::atomic<bool>* stop = nullptr;  // set by another thread

  // How far the background goes ahead of matchers, a slice of `time` at a time: 8,192 states, as
  // long as the cache holds no more than 64 MB.
  static CompletionBudget OfBackground(std::chrono::nanoseconds time);
};

enum class CompletionEnd {
  kDone,    // no state is left
  kBudget,  // the caller's
  kAhead,   // as far ahead as the budget, or memory, allows, until matchers move on
  kFull,    // the mask cache holds as much as it may
};

// A state that a matcher hands over.
struct FollowedState {
  ConfigurationStore store;
  const Configuration* configuration;
};

// How many states near one that was handed over are explored, whatever else the limits say.
inline constexpr size_t kStatesPerFollowed = 128;

// Thread safety: any thread; calls of Run wait for each other.
class MaskCompletion {
 public:
  MaskCompletion(const Machine& machine, const VocabularyIndex& vocabulary, MaskCache* masks);
  ~MaskCompletion();

  // Makes the masks of the start, which matchers ask for before all others, and of where most texts
  // of objects are a token later. Cost: that of two masks. Thread safety: any thread.
  void MakeFirst();
  // Goes on where the last call ended.
  CompletionEnd Run(const CompletionBudget& budget);

  // Explores `state` before all else; of several that are handed over between two looks the last
  // one counts. Takes no lock.
  void Follow(std::unique_ptr<FollowedState> state);
  // Is there a state that Run has not looked at?
  bool HasFollowed() const { return followed_.load(std::memory_order_relaxed) != nullptr; }
  // Should matchers hand their states over when a mask was missing? From set_follows() on.
  bool follows() const { return follows_.load(std::memory_order_relaxed); }
  // Should this one do so although its mask was there? True at most once for each call of Run.
  bool TakesState() {
    return asks_.load(std::memory_order_relaxed) &&
           asks_.exchange(false, std::memory_order_relaxed);
  }
  void set_follows() { follows_.store(true, std::memory_order_relaxed); }

  size_t MemoryBytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  // A configuration that waits to be expanded.
  struct Waiting {
    double cost;
    const Configuration* configuration;
    uint32_t word;  // the node of the token trie for the word so far; its root outside of words
    bool is_followed = false;
    // The least costly is at the top of a heap.
    bool operator<(const Waiting& other) const { return cost > other.cost; }
  };
  // What some bytes lead to.
  struct Successor {
    uint64_t hash;
    double weight;
    const Configuration* configuration;
    uint32_t word;
    bool ends_word;  // does no token spell it together with the word before?
  };

  // All require mutex_.
  void TakeFollowed();
  void Push(const Waiting& one);
  // Is `cost` less than it cost before to get there? Then it is remembered.
  bool IsCheaper(const Successor& one, double cost);
  // Begins key_ with the frame of `item` and as many levels.
  void StartKey(const Item& item, uint32_t levels);
  // Makes the masks of the configuration. Returns whether one of its items was not met before.
  bool MakeMasks(Items items);
  // Finds the successors of `from`. Returns whether a token may well end there.
  bool FindSuccessors(const Waiting& from);
  // Tells siblings apart.
  uint64_t HashOf(Items items);
  // Brings what waits back within its bounds.
  void Tidy();
  void ForgetUnlikely();
  void CompactStore();

  const Machine& machine_;
  const VocabularyIndex& vocabulary_;
  MaskCache& masks_;
  std::atomic<FollowedState*> followed_{nullptr};
  std::atomic<bool> follows_{false};
  std::atomic<bool> asks_{false};
  std::atomic<size_t> memory_bytes_{0};

  std::mutex mutex_;  // guards everything below
  bool begun_ = false;
  size_t allowance_ = 0;       // states that may be expanded although the cache is full
  size_t expanded_count_ = 0;  // in all calls
  size_t followed_count_ = 0;
  ConfigurationStore store_;
  std::vector<Waiting> waiting_;            // a heap
  tsl::robin_set<uint64_t> met_;            // hashes of items, as keys of masks
  tsl::robin_map<uint64_t, double> costs_;  // of what was pushed, by hashes of successors
  bool has_forgotten_ = false;              // was something given up that waited?
  MaskKey key_;
  // Scratch of FindSuccessors, kept for its memory while Run lasts.
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  std::vector<Successor> successors_;
};

}  // namespace maskloom
