// The condition of an object as a decision diagram over its members: what is left to hold once
// some names are known to be there or not.
//
// The diagram reads names one by one (absent or present) and counters behind the last name that
// can raise them (their value). A node stands for the residue of the condition after what was read,
// simplified; equal residues at the same level are one node. What undeclared keys count is read
// behind all names, and a terminal node holds the sizes that are fine then.
//
//   all( any(absent a, present b), any(present c, atLeast(0, 1)) )     c raises counter 0
//
//   level a:  1 ── absent ──────────► 2: any(present c, atLeast(0, 1))
//               └─ present ─► 3: all(present b, any(present c, ...))
//   level b:  2 ► 4: any(...)     3 ── present ─► 4    (absent: false, no node)
//   level c:  4 ── present ─► true     └─ absent ─► atLeast(0, 1), false where the counter reads 0
//
// Building explores all (node, marks) that choices of members can lead to, starting from the empty
// object, and counts them. A question at run time (member_solver.h) walks the same diagram with
// some names fixed and some marks made. At every level its marks are those of a path that was
// explored, plus the constant that members further on have counted already; adding saturates, so
// what differs then differed when explored. Hence no question meets more states than were counted,
// and each edge that it follows is there. (Ordered decision diagrams: R. Bryant, Graph-Based
// Algorithms for Boolean Function Manipulation, 1986.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/condition.h"
#include "compiler/marks.h"
#include "grammar/base/editable_array.h"

namespace maskloom {

class ConditionDiagram {
 public:
  static constexpr uint32_t kDead = 0xFFFFFFFF;  // the condition cannot hold
  // Most states that a question may meet.
  static constexpr size_t kMaxStates = 1 << 16;

  struct Input {
    const ConditionTree* condition = nullptr;
    const MarkLayout* marks = nullptr;
    uint32_t name_count = 0;
    // By slot (names, then classes of undeclared keys): the counters that its choices raise.
    // Names without choices are always absent.
    std::vector<std::vector<uint64_t>> counts;
    std::vector<bool> required;  // by name
  };
  enum class Reads : uint8_t { kAbsence, kCounter };  // a name's absence or presence; a counter
  struct Level {
    Reads reads = Reads::kAbsence;
    uint32_t index = 0;  // of the name or counter

    template <typename Archive, typename Self>
    static void Describe(Archive& archive, Self& self) {
      archive.Value(self.reads);
      archive.Value(self.index);
    }
  };
  struct SizeRange {
    uint64_t first;
    uint64_t last;  // included
  };

  // Returns whether the condition fits kMaxStates in some order of names.
  bool Build(const Input& input);

  const std::vector<Level>& levels() const { return levels_; }
  // Levels before this one come before undeclared keys, the others behind them.
  size_t others_level() const { return others_level_; }
  // Node before the first level, or kDead.
  uint32_t root() const { return root_; }
  // The node of the next level behind `value`: of a name 0 for absent, where it is not required,
  // and 1 for present; kDead if there is none.
  uint32_t Child(uint32_t node, uint64_t value) const {
    for (uint32_t i = nodes_[node].begin; i < nodes_[node].end; ++i) {
      if (edges_[i].value == value) return static_cast<uint32_t>(edges_[i].target);
    }
    return kDead;
  }
  // Sizes that are fine at a node behind the last level: ascending ranges.
  std::span<const SizeRange> Sizes(uint32_t node) const {
    return {sizes_.data() + nodes_[node].begin, sizes_.data() + nodes_[node].end};
  }
  size_t state_count() const { return state_count_; }
  size_t MemoryBytes() const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Parts(self.levels_);
    archive.Value(self.others_level_);
    archive.Value(self.root_);
    archive.Array(self.nodes_);
    archive.Array(self.edges_);
    archive.Array(self.sizes_);
    archive.Value(self.state_count_);
  }

 private:
  friend class DiagramBuilder;
  struct Node {
    uint32_t begin = 0, end = 0;  // edges; at the end sizes
  };
  struct Edge {
    uint64_t value;
    uint64_t target;
  };

  std::vector<Level> levels_;
  size_t others_level_ = 0;
  uint32_t root_ = kDead;
  EditableArray<Node> nodes_;
  EditableArray<Edge> edges_;
  EditableArray<SizeRange> sizes_;
  size_t state_count_ = 0;
};

}  // namespace maskloom
