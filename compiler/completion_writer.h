// Writes texts that machines accept: of fresh values and rules, and the rest of a frame.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/arena.h"
#include "compiler/array_plan.h"
#include "compiler/frame.h"
#include "compiler/machine.h"
#include "compiler/white_space.h"

namespace maskloom {

class CompletionWriter {
 public:
  explicit CompletionWriter(const Machine& machine) : machine_(machine) {}

  void FinishFrame(const Frame& frame);
  void WriteValue(ValueId id, uint32_t depth);
  void WriteRoot();
  std::string Take() { return std::move(out_); }

 private:
  // What is left to write, last first. Values nest as deep as the grammar, so no recursion.
  struct Task {
    enum class Kind { kText, kValue, kRule, kRepeat } kind = Kind::kText;
    std::string text;
    uint32_t index = 0;       // ValueId, or RuleTable or RepeatTable index
    uint32_t detail = 0;      // depth of a value; state of a rule; repetitions owed
    bool from_start = false;  // a rule that must not match the empty text
  };
  struct Member {
    std::u32string key;
    ValueId value;
    uint32_t order;
  };

  void Run();
  void Push(std::string text) {
    tasks_.push_back({Task::Kind::kText, std::move(text), 0, 0, false});
  }
  void PushValue(ValueId id, uint32_t depth) {
    tasks_.push_back({Task::Kind::kValue, "", id, depth, false});
  }
  void ExpandValue(ValueId id, uint32_t depth);
  void ExpandRule(uint32_t rule, uint32_t state, bool from_start);
  void PushCallee(const TextAutomaton::Call& call);
  // Items that finish an array of `count` items, of choices that cost less than `below`, whatever
  // its distinctness asks. `must_add`: one at least.
  ArrayPlan PlanItems(const ArrayTable& table, uint32_t count, uint64_t marks, TextCost below,
                      bool must_add) const;
  // Pushes separators and values of items, and the closing bracket.
  void ExpandItems(const ArrayPlan& plan, bool first, uint32_t depth);
  void ExpandMembers(const std::vector<Member>& members, bool first, uint32_t depth);
  void FinishString(const Frame& frame);
  void FinishArray(const Frame& frame);
  void FinishObject(Frame frame);
  void FinishKey(Frame* frame);
  std::vector<Member> Plan(const ObjectTable& table, const Frame& frame);
  std::vector<Member> PlanConditional(const ObjectTable& table, const Frame& frame);
  // Returns an undeclared key that is neither in the object nor in `taken` and whose class
  // `is_wanted`; nothing if there is none.
  std::optional<std::u32string> FindOtherKey(const ObjectTable& table, const Frame& frame,
                                             const std::vector<std::u32string>& taken,
                                             const std::function<bool(uint32_t)>& is_wanted);
  // Writes the value that a frame in phase kBeforeValue waits for.
  void WriteMemberValue(Frame* frame);
  // Writes text from `state` after `count` code points to acceptance.
  void WriteStringRest(const StringTable& table, uint32_t state, uint32_t count);
  // Finishes the character `partial` so that `accept(code point)`; returns the code point.
  uint32_t FinishPartial(TextCoding coding, Partial partial,
                         const std::function<bool(uint32_t)>& accept);
  void WriteCodePoint(TextCoding coding, uint32_t code_point);
  uint32_t PickSpelled(TextCoding coding, uint32_t first, uint32_t last) const;
  std::string Break(uint32_t depth) const;
  bool Indented() const { return machine_.style().whitespace == StylePolicy::Whitespace::kIndent; }
  bool Spaced() const { return machine_.style().whitespace == StylePolicy::Whitespace::kSpaced; }
  std::string Comma() const { return Spaced() ? ", " : ","; }
  void FinishSpace(SpacePlace place, const Frame& frame);
  std::string KeyAndColon(const std::u32string& key);

  const Machine& machine_;
  Arena arena_;
  std::string out_;
  std::vector<Task> tasks_;
};

}  // namespace maskloom
