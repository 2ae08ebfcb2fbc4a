// Follows one sequence of tokens through a compiled grammar.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/compiled_grammar.h"
#include "compiler/frame.h"
#include "compiler/vocabulary.h"
#include "grammar/base/status.h"
#include "runtime/thread_pool.h"

namespace maskloom {

struct MatcherOptions {
  // How many tokens Rollback can take back. The history of one token costs 16 bytes.
  uint32_t max_rollback = 4096;
};

// How the mask of a state is made up, for traces: `base` names a row shared by many states (0 = the
// empty row), `exceptions` counts the ids in which the mask differs from it.
struct MaskInfo {
  uint32_t base = 0;
  uint32_t exceptions = 0;
  uint32_t allowed_count = 0;
};

// A tree of draft tokens: token i comes behind tokens[parents[i]], or where the matcher stands.
struct DraftTree {
  static constexpr uint32_t kNoParent = 0xFFFFFFFF;
  std::span<const TokenId> tokens;
  std::span<const uint32_t> parents;  // as many; a parent stands before its children
};

// Where the masks behind the tokens of a DraftTree go.
struct DraftRows {
  uint32_t* rows;     // row i begins at rows + i * stride
  size_t stride;      // words, at least vocabulary().row_words()
  uint8_t* accepted;  // one a token: 1, or 0 where it or one before it is not allowed; may be null
};

// A mask as it is kept, for callers that hold bases elsewhere, such as beside the logits: the row
// that `base_id` names, and the ids that are allowed besides.
struct MaskView {
  uint32_t base_id = 0;                 // 0: the empty row
  const uint32_t* base = nullptr;       // null: the empty row
  std::span<const TokenId> exceptions;  // in no order; none is in the base
  bool end_tokens = false;              // are the vocabulary's end tokens allowed too?
};

// Invariant: after every call the state is live, i.e. some sequence of tokens completes the text.
// Not thread-safe; distinct matchers, forks included, may be used on distinct threads.
class Matcher {
 public:
  explicit Matcher(std::shared_ptr<const CompiledGrammar> grammar, MatcherOptions options = {});
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;
  ~Matcher();

  // Takes one token. Returns false, and changes nothing, if the mask forbids it. An end token is
  // accepted in accepting states and terminates the matcher.
  bool Accept(TokenId token) noexcept;
  // Takes bytes as if they were one token. Returns how many bytes could be taken; unless that is
  // all of them, nothing changes.
  size_t AcceptBytes(std::string_view bytes) noexcept;

  // Sets bit i of `row` (32-bit words, little end first) if and only if token i is allowed.
  // Requires: row has vocabulary().row_words() words. Bits beyond the vocabulary are cleared.
  // Cost: a copy and a few bit sets in a state that was seen before.
  void FillMask(uint32_t* row) noexcept;
  MaskInfo FillMaskWithInfo(uint32_t* row) noexcept;
  // Fills the mask behind each token of `tree` as if the tokens up to it had been accepted; where
  // they cannot be, and behind end tokens, no bit is set. Rows are shared out over `pool`, which
  // may be null. Changes nothing else. On error: kInvalidArgument, if a parent does not stand
  // before its child; no row is written.
  Status FillTreeMasks(const DraftTree& tree, const DraftRows& out, ThreadPool* pool) const;
  // Finds the mask without writing a row. Returns nothing where the mask is a union of several (see
  // items): then fill a row. The view is valid until this thread's next call to a matcher.
  // Requires: the caller holds a ReadGuard (compiler/read_epochs.h) for as long as it uses the
  // view. Cost: that of FillMask less the copy.
  std::optional<MaskView> FindMask() noexcept;
  // Is `token` allowed now? Cost: as Accept.
  bool IsAllowed(TokenId token) const noexcept;

  // Takes back the last `count` tokens. On error: kInvalidArgument if fewer are remembered.
  Status Rollback(uint32_t count) noexcept;
  // An independent matcher in the same state with the same history.
  Matcher Fork() const;
  // Returns how many leading tokens of `tokens` would be accepted one after another.
  size_t Validate(std::span<const TokenId> tokens) const;
  void Reset();

  // The bytes that every completion continues with, at most `limit`.
  std::string ForcedBytes(size_t limit = 4096) const;
  // Bytes that may come next.
  std::bitset<256> NextBytes() const;
  // Bytes of a short completion from here (a witness, not always the shortest).
  std::string Completion() const;
  // May the text end here?
  bool IsAccepting() const noexcept;
  // Was an end token accepted?
  bool IsTerminated() const noexcept;
  // Number of tokens accepted since the start or Reset, less those rolled back.
  uint64_t token_count() const noexcept;

  const CompiledGrammar& grammar() const;
  const std::shared_ptr<const CompiledGrammar>& shared_grammar() const;
  // The state, for traces: its items, of which each may go on. Valid until the next call.
  Items items() const noexcept;

 private:
  struct State;
  explicit Matcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace maskloom
