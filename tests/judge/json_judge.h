// Reads JSON bytes under a schema: a set of stacks, one frame per open value.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/judge/judge.h"
#include "tests/judge/schema_logic.h"

namespace maskloom::judge {

// Between which JSON tokens white space is being read, and how much of it was.
struct BlankProgress {
  uint32_t blanks = 0;           // flexible: blanks; indent: bytes of the expected text
  bool line_break = false;       // flexible: the line break was read
  bool carriage_return = false;  // flexible: \r was read and \n has to follow
};

// One open value, or the root's surroundings.
struct Frame {
  enum class Kind : uint8_t { kRoot, kLiteral, kNumber, kString, kArray, kObject };
  // Where in an array, an object or the root the text stands.
  enum class Phase : uint8_t {
    kOpened,      // behind [ or {, or before the root value
    kInKey,       // inside a key's quotes
    kAfterKey,    // before the colon
    kAfterColon,  // before a member's value
    kInValue,     // a frame above reads a value
    kAfterValue,  // before , or the closing bracket; behind the root value
    kAfterComma,  // before the next item or key
  };
  Kind kind = Kind::kRoot;
  Phase phase = Phase::kOpened;
  AltId alt = 0;
  uint32_t depth = 0;  // open arrays and objects, this one included; only where indenting needs it
  BlankProgress blank;
  std::string rest;    // of a literal: bytes to come; of a number: bytes read
  uint64_t count = 0;  // of an array: items
  TextProgress text;   // of a string or the key being read
  ObjectProgress object;
  ConjId value = 0;  // what the value to come must satisfy

  std::string Key() const;  // equal for equal frames only
};

class JsonJudge : public Judge {
 public:
  JsonJudge(SchemaNodes schema, std::shared_ptr<RegexPool> pool, const JudgeStyle& style);

  // On error: kUnsatisfiable, kResourceLimit.
  Status Admit();
  State Start() override;
  bool Accepting(State state) override;
  bool Live(State state) override;
  State StateCount() const override { return static_cast<State>(states_.size()); }
  const SchemaNodes& schema() const { return logic_.schema(); }
  RegexPool* pool() { return logic_.pool(); }

 protected:
  State Advance(State state, uint8_t byte) override;
  void DropFrom(State mark) override;

 private:
  using StackId = int32_t;  // -1: no frame
  struct StackNode {
    StackId below = -1;
    std::shared_ptr<const Frame> frame;
    int live = -1;                     // by spellable bytes; -1: not asked yet
    const std::string* key = nullptr;  // of stack_index_
  };

  StackId Push(StackId below, const Frame& frame);
  State Intern(std::vector<StackId> stacks);
  void StepStack(StackId stack, uint8_t byte, std::vector<StackId>* out);
  void StepContainer(StackId below, const Frame& frame, uint8_t byte, std::vector<StackId>* out);
  void OpenValue(StackId below, Frame parent, ConjId conj, uint8_t byte, std::vector<StackId>* out);
  void OpenKey(StackId below, Frame frame, std::vector<StackId>* out);
  void FinishValue(StackId below, std::vector<StackId>* out);
  void PushLive(StackId below, const Frame& frame, std::vector<StackId>* out);
  bool FrameLive(const Frame& frame);
  // Whether every frame of the stack can be completed by spellable bytes.
  bool StackLive(StackId stack);
  bool ReadBlank(const Frame& frame, uint8_t byte, Frame* next) const;
  bool BlankDone(const Frame& frame, uint8_t next) const;
  std::string IndentText(const Frame& frame, bool closing) const;

  SchemaLogic logic_;
  ConjId root_ = 0;
  std::vector<StackNode> stacks_;
  std::unordered_map<std::string, StackId> stack_index_;
  std::vector<std::vector<StackId>> states_;
  std::map<std::vector<StackId>, State> state_index_;
  std::map<std::pair<AltId, std::string>, bool> number_live_[2];  // by mode
  std::vector<size_t> stacks_at_;  // by state: number of stack nodes when it was made
};

// As Judge::ForSchema, with access to the schema for Validate().
Result<std::unique_ptr<JsonJudge>> MakeJsonJudge(std::string_view text, const JudgeStyle& style);

}  // namespace maskloom::judge
